//! Builds, solves and certificates that are killed at any moment, and continue from there.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::program::{Place, assert_same_files, files, has_no_temporary};

/// Random numbers, and the seed that gives the same ones again: `FANORONA_SEED`.
fn random() -> fastrand::Rng {
    let given = std::env::var("FANORONA_SEED").ok().map(|seed| seed.parse().expect("FANORONA_SEED is a number"));
    let seed = given.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    fastrand::Rng::with_seed(seed)
}

/// When to kill a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// That long after its start.
    After(Duration),
    /// After that many lines about finished slices, and that much later.
    Slices(usize, Duration),
    /// As soon as there is a file under a temporary name, the n-th that is seen.
    Writing(usize),
}

/// Waits for the moment and kills the program, which may have come to its end meanwhile.
fn kill_at(mut child: Child, moment: Moment, temporary: impl Fn() -> Option<PathBuf>) {
    // Open until the end, so that it can write on.
    let mut err = child.stderr.take().map(BufReader::new);
    match moment {
        Moment::After(time) => std::thread::sleep(time),
        Moment::Slices(slices, time) => {
            let lines = err.as_mut().expect("a pipe").lines();
            let done = lines.map_while(Result::ok).filter(|line| line.contains(" positions, ")).take(slices).count();
            assert!(done <= slices);
            std::thread::sleep(time);
        }
        Moment::Writing(number) => {
            let mut seen = BTreeSet::new();
            while child.try_wait().expect("a child").is_none() {
                seen.extend(temporary());
                if seen.len() > number {
                    break;
                }
                // Files are written in some milliseconds; the program is to have the core.
                std::thread::sleep(Duration::from_micros(200));
            }
        }
    }
    let _ = child.kill();
    child.wait().expect("the program ends");
}

/// A file of a folder that has a temporary name.
fn temporary_in(folder: &Path) -> Option<PathBuf> {
    let mut paths = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find(|path| path.extension().is_some_and(|extension| extension == "tmp"))
}

/// The ending of the name of a file.
fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Counts of words, in their order.
fn summary(phases: &BTreeMap<&str, usize>) -> String {
    phases.iter().map(|(phase, count)| format!("{phase} {count}")).collect::<Vec<_>>().join(", ")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

// Builds

/// How many moments builds are killed at.
const BUILD_MOMENTS: usize = 50;

/// Boards whose slices are solved in compact form, and in planes; values, then depths.
const BUILDS: [(&str, &str); 2] =
    [("build 3x3 --stones 9 --metric both", "db/3x3"), ("build 5x5 --stones 5 --metric both", "db/5x5")];

/// A build that nothing disturbed.
struct Undisturbed {
    arguments: &'static str,
    folder: &'static str,
    files: BTreeMap<String, Vec<u8>>,
    took: Duration,
}

impl Undisturbed {
    fn new((arguments, folder): (&'static str, &'static str)) -> Self {
        let place = Place::new();
        let start = Instant::now();
        place.run(arguments).done();
        Self { arguments, folder, took: start.elapsed(), files: files(&place.path().join(folder)) }
    }

    fn start(&self, place: &Place, moment: Moment) -> Child {
        let mut command = place.command(&self.arguments.split_whitespace().collect::<Vec<_>>());
        command.stdout(Stdio::null());
        if !matches!(moment, Moment::Slices(..)) {
            command.stderr(Stdio::null());
        }
        command.spawn().expect("the program")
    }

    fn moments(&self, random: &mut fastrand::Rng, count: usize) -> Vec<Moment> {
        // Values and depths; the lists are the few files more.
        let tables = self.files.len() - 2;
        let moment = |number: usize| match number % 5 {
            0 => Moment::Writing(random.usize(..tables)),
            1 => Moment::Slices(random.usize(..=tables), Duration::ZERO),
            2 => Moment::Slices(random.usize(..=tables), self.took.mul_f64(random.f64() / 20.0)),
            _ => Moment::After(self.took.mul_f64(random.f64())),
        };
        (0..count).map(moment).collect()
    }
}

/// Where a killed build was, by what it has left.
fn phase_of(left: &BTreeMap<String, Vec<u8>>, all: &BTreeMap<String, Vec<u8>>) -> &'static str {
    let values = |names: &BTreeMap<String, Vec<u8>>| names.keys().filter(|name| ending(name) == "wdl").count();
    let writes = left.keys().any(|name| ending(name) == "tmp");
    match (writes, values(left) == values(all), left.len() == all.len()) {
        _ if left.is_empty() => "before the first file",
        (true, false, _) => "writing values",
        (false, false, _) => "solving values",
        (true, true, _) => "writing depths",
        (false, true, false) => "solving depths",
        (false, true, true) => "after the last file",
    }
}

#[test]
fn a_build_killed_at_any_of_50_moments_goes_on_to_the_same_files() {
    let (mut phases, mut times) = (BTreeMap::new(), Vec::new());
    let mut random = random();
    for undisturbed in BUILDS.map(Undisturbed::new) {
        let Undisturbed { arguments, folder, files: expected, took } = &undisturbed;
        println!("{arguments}: {took:?} undisturbed");
        for moment in undisturbed.moments(&mut random, BUILD_MOMENTS / BUILDS.len()) {
            let place = Place::new();
            let folder = place.path().join(folder);
            kill_at(undisturbed.start(&place, moment), moment, || temporary_in(&folder));
            let left = files(&folder);
            let phase = phase_of(&left, expected);
            *phases.entry(phase).or_insert(0) += 1;
            // A table that has its name is complete.
            for (name, bytes) in left.iter().filter(|(name, _)| ["wdl", "dtw"].contains(&ending(name))) {
                assert!(expected[name] == *bytes, "{moment:?}: {name} has its name, but is not complete");
            }
            let start = Instant::now();
            let ran = place.run(arguments);
            assert_eq!(ran.code, Some(0), "{moment:?}: {}", ran.err);
            println!("{moment:?}: {phase}; went on for {:?}", start.elapsed());
            times.push(start.elapsed());
            assert_same_files(&files(&folder), expected);
        }
    }
    println!("A build killed at {BUILD_MOMENTS} moments: {}.", summary(&phases));
    println!(
        "Going on took {:?} in the middle, {:?} at most.",
        median(times.clone()),
        times.iter().max().expect("times")
    );
    for phase in ["writing values", "solving values", "writing depths", "solving depths"] {
        assert!(phases.contains_key(phase), "no build was killed while {phase}: {}", summary(&phases));
    }
}

#[test]
fn a_build_that_is_killed_again_and_again_comes_to_its_end() {
    let undisturbed = Undisturbed::new(BUILDS[0]);
    let place = Place::new();
    let mut random = random();
    for _ in 0..6 {
        let moment = Moment::After(undisturbed.took.mul_f64(0.1 + 0.4 * random.f64()));
        kill_at(undisturbed.start(&place, moment), moment, || None);
    }
    place.run(undisturbed.arguments).done();
    assert_same_files(&files(&place.path().join(undisturbed.folder)), &undisturbed.files);
}

// Solves and certificates

/// How many moments solves are killed at: fewer, since each takes longer than a build.
const SOLVE_MOMENTS: usize = 20;

/// A search of some tenths of a second, with a state that is saved all the time.
const SOLVE: [&str; 11] = [
    "solve",
    "5x5",
    "--moves",
    "--stones",
    "6",
    "--threads",
    "1",
    "--certificate",
    "start.proof",
    "--checkpoint-every",
    "0s",
];
const STATE: &str = "db/5x5/start.checkpoint";

/// A folder with the tables that the solve needs.
fn with_tables(tables: &BTreeMap<String, Vec<u8>>) -> Place {
    let place = Place::new();
    fs::create_dir_all(place.path().join("db/5x5")).expect("a folder");
    for (name, bytes) in tables {
        fs::write(place.path().join("db/5x5").join(name), bytes).expect("a file");
    }
    place
}

/// Goes on to the end and asserts that the value is right and proved, and that nothing is left over.
fn goes_on_to_the_value(place: &Place, moment: Moment) -> (bool, Duration) {
    let start = Instant::now();
    let ran = place.run_with(&[&SOLVE[..], &["--json"]].concat());
    let took = start.elapsed();
    assert_eq!(ran.code, Some(0), "{moment:?}: {}", ran.err);
    let went_on = ran.err.contains("continuing from");
    assert_eq!(ran.json()["value"], "draw", "{moment:?}");
    let proof = place.run("check start.proof --json").json();
    assert_eq!((&proof["verdict"], &proof["claims"][0]["value"]), (&"proved".into(), &"draw".into()), "{moment:?}");
    has_no_temporary(place);
    assert!(!place.has(STATE), "{moment:?}: a state is left");
    (went_on, took)
}

/// Which positions a certificate rests on depends on the order in which the search finds things out, so that one that was
/// interrupted writes another; what is promised is the value, and a certificate that is accepted.
#[test]
fn a_solve_killed_at_any_of_20_moments_goes_on_to_the_value() {
    let build = Place::new();
    build.run("build 5x5 --stones 6").done();
    let tables = files(&build.path().join("db/5x5"));
    let undisturbed = with_tables(&tables);
    let (_, whole) = goes_on_to_the_value(&undisturbed, Moment::After(Duration::MAX));
    let mut random = random();
    let (mut phases, mut times) = (BTreeMap::new(), Vec::new());
    let needed = ["searching, with a state", "saving the state", "writing the certificate"];
    // Some of these are short: where no moment has met one, more are tried, up to four times as many.
    for number in 0..4 * SOLVE_MOMENTS {
        if number >= SOLVE_MOMENTS && needed.iter().all(|phase| phases.contains_key(phase)) {
            break;
        }
        let place = with_tables(&tables);
        let (folder, proof) = (place.path().join("db/5x5"), place.path().join("start.proof.tmp"));
        // As soon as the state is being saved, or the certificate written; an empty one only tries whether it can be.
        let state = || temporary_in(&folder);
        let certificate = || Some(proof.clone()).filter(|path| path.metadata().is_ok_and(|found| found.len() > 0));
        let (moment, temporary): (_, &dyn Fn() -> Option<PathBuf>) = match number % 5 {
            0 => (Moment::Writing(0), &state),
            1 => (Moment::Writing(0), &certificate),
            _ => (Moment::After(whole.mul_f64(random.f64())), &state),
        };
        let mut command = place.command(&SOLVE);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        kill_at(command.spawn().expect("the program"), moment, temporary);
        let phase = if proof.exists() {
            "writing the certificate"
        } else if temporary_in(&folder).is_some() {
            "saving the state"
        } else if place.has("start.proof") {
            "after the certificate"
        } else if place.has(STATE) {
            "searching, with a state"
        } else {
            "before the first state"
        };
        *phases.entry(phase).or_insert(0) += 1;
        let had_state = place.has(STATE);
        // The state is there until there is a certificate of all that was asked; and any certificate proves what it says.
        assert!(had_state || phase != "writing the certificate", "{moment:?}");
        if place.has("start.proof") {
            place.run("check start.proof").done();
        }
        let (went_on, took) = goes_on_to_the_value(&place, moment);
        assert_eq!(went_on, had_state, "{moment:?}");
        println!("{moment:?}: {phase}; went on for {took:?}");
        times.push(took);
    }
    println!("A solve of {whole:?} killed at {} moments: {}.", times.len(), summary(&phases));
    println!(
        "Going on took {:?} in the middle, {:?} at most.",
        median(times.clone()),
        times.iter().max().expect("times")
    );
    for phase in needed {
        assert!(phases.contains_key(phase), "no solve was killed while {phase}: {}", summary(&phases));
    }
}

/// A certificate has its name when it is complete, and replaces another one only then.
#[test]
fn a_certificate_that_is_replaced_is_the_old_one_or_the_new_one() {
    let place = Place::new();
    place.run("solve 5x5 --stones 5 --certificate start.proof --threads 1").done();
    let certificate = || fs::read(place.path().join("start.proof")).expect("a certificate");
    for _ in 0..3 {
        // The one before may have come to its end.
        let before = certificate();
        let mut command = place.command(&["solve", "5x5", "--stones", "5", "--certificate", "start.proof"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let proof = place.path().join("start.proof.tmp");
        let written = || Some(proof.clone()).filter(|path| path.metadata().is_ok_and(|found| found.len() > 0));
        kill_at(command.spawn().expect("the program"), Moment::Writing(0), written);
        if proof.exists() {
            assert!(certificate() == before);
        }
        place.run("check start.proof").done();
    }
}

/// A build beside a search in the same folder leaves alone what the search is writing.
#[test]
fn a_build_does_not_clear_away_the_state_of_a_search() {
    let place = Place::new();
    place.run("build 5x5 --stones 3").done();
    let saving = place.path().join("db/5x5/start.checkpoint.tmp");
    fs::write(&saving, "half a state").expect("a file");
    fs::write(place.path().join("db/5x5/2v2.wdl.tmp"), "half a table").expect("a file");
    place.run("build 5x5 --stones 4").done();
    assert!(saving.exists() && !place.has("db/5x5/2v2.wdl.tmp"));
    // The search itself, when it is started again, does.
    place.run("solve 5x5 --stones 4").done();
    has_no_temporary(&place);
}

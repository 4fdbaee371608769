//! The fuzz targets on stable: everything that is kept of what fuzzing found, and a fixed number of changes to it.

#[path = "../fuzz/bodies/mod.rs"]
mod bodies;
#[path = "../support/oracle/mod.rs"]
mod oracle;
#[path = "../support/prover/mod.rs"]
mod prover;
#[path = "../support/server/mod.rs"]
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bodies::{TARGETS, Target};

/// Changed inputs for each target, and the time after which there are no more of them.
const CHANGES: usize = 4_000;
const TIME: Duration = Duration::from_secs(2);

/// Seconds in place of both, and other changes each time: fuzzing without a nightly toolchain, blind.
const LONGER: &str = "FANORONA_FUZZ_SECONDS";

/// The longest input that changes make.
const LONGEST: usize = 4_096;

/// Bytes that all corpora together may have in the repository.
const MAX_BYTES: u64 = 300_000;

fn corpus(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target.name)
}

/// What is kept for a target, in the order of names; and what it begins with.
fn kept(target: &Target) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(corpus(target)).expect("a corpus");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "nothing is kept for {}", target.name);
    let read = files.iter().map(|file| fs::read(file).expect("an input"));
    (target.seeds)().into_iter().chain(read).collect()
}

/// Names the input that a body does not like.
fn run(target: &Target, input: &[u8]) {
    let done = std::panic::catch_unwind(|| (target.run)(input));
    assert!(done.is_ok(), "{}: {:?}", target.name, String::from_utf8_lossy(input));
}

/// One of the inputs with some changes, as fuzzers make them.
fn changed(inputs: &[Vec<u8>], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut input = inputs[random.usize(..inputs.len())].clone();
    for _ in 0..random.usize(1..6) {
        let (from, to) = (random.usize(..=input.len()), random.usize(..=input.len()));
        let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 40));
        match random.u8(..8) {
            0 => input.truncate(from),
            1 => drop(input.drain(from..to)),
            2 => input.extend_from_within(from..to),
            3 => input.insert(from, random.u8(..)),
            4 => {
                let other = &inputs[random.usize(..inputs.len())];
                let start = random.usize(..=other.len());
                input.splice(from..to, other[start..].iter().take(40).copied());
            }
            5 if from < input.len() => input[from] ^= 1 << random.u8(..8),
            6 if from < input.len() => input[from] = random.choice([0, 1, 0x7f, 0x80, 0xff, b'0', b'/', b' ']).unwrap(),
            _ if from < input.len() => input[from] = random.u8(..),
            _ => {}
        }
    }
    input.truncate(LONGEST);
    input
}

fn replay(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let inputs = kept(target);
    for input in inputs.iter().chain([&Vec::new()]) {
        run(target, input);
    }
    let longer: Option<u64> = std::env::var(LONGER).ok().map(|seconds| seconds.parse().expect("whole seconds"));
    let (most, time) = longer.map_or((CHANGES, TIME), |seconds| (usize::MAX, Duration::from_secs(seconds)));
    let mut random = if longer.is_some() { fastrand::Rng::new() } else { fastrand::Rng::with_seed(14) };
    let start = Instant::now();
    let mut changes = 0;
    while changes < most && start.elapsed() < time {
        run(target, &changed(&inputs, &mut random));
        changes += 1;
    }
    println!("{name}: {} inputs, {changes} changed ones in {:.1} s", inputs.len(), start.elapsed().as_secs_f64());
    assert!(changes >= 20, "{changes} changes in {time:?}");
}

#[test]
fn positions() {
    replay("position");
}

#[test]
fn moves() {
    replay("moves");
}

#[test]
fn records() {
    replay("record");
}

#[test]
fn tables() {
    replay("table");
}

#[test]
fn certificates() {
    replay("certificate");
}

#[test]
fn checkpoints() {
    replay("checkpoint");
}

#[test]
fn requests() {
    replay("router");
}

#[test]
fn every_target_has_a_program_and_corpora_stay_small() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let mut bytes = 0;
    for target in &TARGETS {
        let program = fs::read_to_string(folder.join("targets").join(format!("{}.rs", target.name))).expect("a target");
        assert!(program.contains(&format!("bodies::{}::run", target.name)), "{program}");
        assert!(manifest.contains(&format!("path = \"targets/{}.rs\"", target.name)), "{} is not built", target.name);
        for entry in fs::read_dir(corpus(target)).expect("a corpus") {
            bytes += entry.expect("an entry").metadata().expect("a file").len();
        }
    }
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
    assert!(bytes <= MAX_BYTES, "the corpora have {bytes} bytes; minimise them with .ci/fuzz --minimise");
}

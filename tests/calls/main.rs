//! System calls with files and threads fail once, in turn, all of the smallest build's and some of each kind of other commands': one
//! line, status 1, nothing lost or left over, and the same command finishes, with the files of an undisturbed run. The same where
//! memory runs out. And what the calls are: nothing relies on what a loss of power could take away.
//!
//! `strace` makes the calls fail. It counts them for each thread, and where several threads make as many, all of them fail. Where it
//! is missing, or may not trace, these tests are reported as ignored.

#[macro_use]
#[path = "../support/harness.rs"]
mod harness;
#[path = "../support/program/mod.rs"]
mod program;
#[cfg(feature = "server")]
#[path = "../support/served/mod.rs"]
mod served;

mod disk;
#[cfg(feature = "server")]
mod serve;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use program::{Place, Ran, has_no_temporary, says};
#[cfg(feature = "server")]
use serve::a_server_goes_on;

const PROGRAM: &str = env!("CARGO_BIN_EXE_fanorona");
const NO_TRACES: &str = "strace is not installed, or may not trace programs here";

/// The calls, each with the error that it ends with.
const CALLS: [(&str, &str); 16] = [
    ("openat", "EIO"),
    ("read", "EIO"),
    ("pread64", "EIO"),
    ("write", "ENOSPC"),
    ("pwrite64", "ENOSPC"),
    ("fsync", "EIO"),
    ("fdatasync", "EIO"),
    ("ftruncate", "EIO"),
    ("rename", "EIO"),
    ("mkdir", "EIO"),
    ("unlink", "EIO"),
    ("flock", "EIO"),
    ("statx", "EIO"),
    ("getdents64", "EIO"),
    ("lseek", "EIO"),
    ("clone3", "EAGAIN"),
];

fn main() -> ExitCode {
    let traces = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    #[cfg_attr(not(feature = "server"), allow(unused_mut))]
    let mut tests = tests![
        a_build_of_values_and_depths,
        a_build_from_tiles,
        a_crowded_build,
        a_search_with_its_certificate,
        checks_and_verifications,
        reports_and_records,
        a_match,
        memory_runs_out_everywhere,
        what_has_its_name_is_on_disk,
    ];
    #[cfg(feature = "server")]
    tests.extend(tests![a_server_goes_on]);
    let missing = (!traces.is_ok_and(|status| status.success())).then_some(NO_TRACES);
    harness::run(missing, "FANORONA_FAULT_TESTS", tests)
}

fn a_build_of_values_and_depths() {
    each_call_fails(&[], "build 3x3 --stones 3 --metric both --threads 1", usize::MAX);
}

fn a_build_from_tiles() {
    // Each run takes seconds, so only what tiles do and other builds do not.
    let command = "build 3x11 --slice 4v3 --memory 60M --threads 1";
    let calls = CALLS.iter().filter(|(call, _)| ["pwrite64", "fdatasync", "clone3"].contains(call));
    let failed = fail(&[], command, calls.copied(), 1);
    // A thread fewer may do.
    assert!(failed >= 2, "only {failed} faults were noticed");
}

fn a_crowded_build() {
    each_call_fails(&["build 3x3 --stones 7"], "build 3x3 --stones 8 --threads 1", 8);
}

fn a_search_with_its_certificate() {
    each_call_fails(
        &["build 3x3 --stones 4"],
        "solve 3x3 --stones 4 --threads 1 --certificate c.proof --checkpoint state",
        12,
    );
}

fn checks_and_verifications() {
    let made = ["build 3x3 --stones 4", "solve 3x3 --stones 4"];
    each_call_fails(&made, "check db/certificates/3x3.proof --threads 1", 8);
    each_call_fails(&made, "verify 3x3 --full --threads 1", 8);
}

fn reports_and_records() {
    each_call_fails(&["build 3x3 --stones 4 --metric both"], "report --html report.html", 8);
}

/// A call that fails in an engine may cost it a game, and the record says so; it is not played again.
fn a_match() {
    let command = "match ./engine ./engine --board 3x3 --games 2 --nodes 10 --record games.txt";
    each_call_fails(&[], command, 8);
}

fn each_call_fails(before: &[&str], command: &str, most: usize) {
    let failed = fail(before, command, CALLS.into_iter(), most);
    assert!(failed > 5, "{command}: only {failed} faults were noticed");
}

/// Runs a command once for each of these calls that it makes, or for so many of a kind from beginning to end, with that call failing;
/// returns how often that ended it.
fn fail(
    before: &[&str],
    command: &str,
    calls: impl Iterator<Item = (&'static str, &'static str)>,
    most: usize,
) -> usize {
    let prepared = prepared(before);
    let place = || copy_of(&prepared);
    let undisturbed = place();
    let calls = calls_of(&undisturbed, command, calls);
    let expected = contents(&undisturbed);
    let (mut failed, mut harmless) = (0, 0);
    for (call, error, count) in calls {
        for number in spread(count, most) {
            let place = place();
            let fault = format!("inject={call}:error={error}:when={number}");
            let ran = traced(&place, &["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &fault], command);
            let told = format!("{command}, {fault}: {:?}\n{}{}", ran.code, ran.out, ran.err);
            // Before the program has begun.
            if ran.err.contains("while loading shared libraries") {
                continue;
            }
            match ran.code {
                Some(0) => {
                    harmless += 1;
                    assert_eq!(names(&contents(&place)), names(&expected), "{told}");
                }
                Some(1) => {
                    failed += 1;
                    // The line itself may be what could not be written.
                    if !(call == "write" && ran.err.is_empty()) {
                        says(&ran.err, &[]);
                    }
                    if call != "unlink" {
                        has_no_temporary(&place);
                    }
                }
                _ => panic!("{told}"),
            }
            finishes(&place, command, &expected, &told);
        }
    }
    println!("{command}: {failed} faults ended it, {harmless} did not matter");
    failed
}

/// A place where these commands have been run.
fn prepared(commands: &[&str]) -> Place {
    let place = Place::new();
    engine(&place);
    for command in commands {
        place.run(command).done();
    }
    place
}

fn copy_of(prepared: &Place) -> Place {
    let place = Place::new();
    for file in prepared.files() {
        let copy = place.path().join(&file);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::copy(prepared.path().join(file), copy).expect("a copy");
    }
    place
}

/// After whatever has happened the same command finishes, with the files of an undisturbed run.
fn finishes(place: &Place, command: &str, expected: &BTreeMap<PathBuf, Vec<u8>>, told: &str) {
    place.run(command).done();
    let found = contents(place);
    assert_eq!(names(&found), names(expected), "{told}");
    for (name, bytes) in expected {
        assert!(found[name] == *bytes, "{} differs; {told}", name.display());
    }
}

/// The address space that is allowed grows from what the program cannot begin with to what is enough, in steps of half a megabyte.
fn memory_runs_out_everywhere() {
    const STEP: usize = 512;
    const ENOUGH: usize = 1 << 20;
    for (before, command) in [
        (&[][..], "build 3x3 --stones 4 --metric both --threads 1"),
        (&["build 3x3 --stones 4"], "solve 3x3 --stones 4 --threads 1 --certificate c.proof --checkpoint state"),
        (&["build 3x3 --stones 4", "solve 3x3 --stones 4"], "check db/certificates/3x3.proof --threads 1"),
        (&["build 3x3 --stones 4"], "verify 3x3 --full --threads 1"),
        (&["build 3x3 --stones 4"], "report --html report.html"),
    ] {
        let prepared = prepared(before);
        let undisturbed = copy_of(&prepared);
        undisturbed.run(command).done();
        let expected = contents(&undisturbed);
        let (mut failed, mut done) = (0, 0);
        for kilobytes in (STEP..ENOUGH).step_by(STEP) {
            let place = copy_of(&prepared);
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("ulimit -v {kilobytes} && exec {PROGRAM} {command}")]).current_dir(place.path());
            shell.env_remove("RUST_BACKTRACE");
            shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let ran = Ran::of_any(shell.spawn().expect("a shell"));
            let told = format!("{command}, {kilobytes} kB: {:?}\n{}{}", ran.code, ran.out, ran.err);
            // Before the program can begin the system cannot load it: it ends it by a signal, or the loader prints why.
            if ran.code == Some(127) || ran.code.is_none() && failed == 0 {
                continue;
            }
            if ran.code == Some(0) {
                done += 1;
            } else {
                failed += 1;
                assert_eq!(ran.code, Some(1), "{told}");
                // For what is small the line is the language's own, and another follows it.
                let words = ["memory", "ulimit -v", "Resource temporarily unavailable"];
                assert!(words.iter().any(|word| ran.err.contains(word)), "{told}");
                // A thread of the language's own may find no memory for its second stack when it begins.
                let own = ran.err.contains("failed to allocate an alternative stack");
                assert!(own || !ran.err.contains("panicked"), "{told}");
            }
            finishes(&place, command, &expected, &told);
            // With less than what is enough something may still be left out.
            if done == 4 {
                break;
            }
        }
        println!("{command}: {failed} times too little memory");
        assert!(failed > 5 && done == 4, "{command}: {failed} failed, {done} done");
    }
}

/// Everything that a command leaves was on disk, with its folder, when it ended; nothing got its name before its content was on
/// disk; and nothing was removed before what replaces it was there.
fn what_has_its_name_is_on_disk() {
    let tables = "build 3x3 --stones 4";
    let proof = "solve 3x3 --stones 4";
    for (before, command) in [
        (&[][..], "build 3x3 --stones 4 --metric both --threads 1"),
        (&[], "build 3x11 --slice 4v3 --memory 60M --threads 1"),
        (&["build 3x3 --stones 7"], "build 3x3 --stones 8 --threads 1"),
        (&[tables], "solve 3x3 --stones 4 --threads 1 --checkpoint state --checkpoint-every 0s"),
        (&[tables], "solve 5x5 --stones 4 --limit 0s --certificate new/c.proof --checkpoint state"),
        (&[tables, proof], "check db/certificates/3x3.proof --threads 1"),
        (&[tables, proof], "verify 3x3 --full --threads 1"),
        (&[tables], "report --html report.html"),
        (&[], "match ./engine ./engine --board 3x3 --games 2 --nodes 10 --record games.txt"),
    ] {
        let place = prepared(before);
        let _ = fs::create_dir(place.path().join("new"));
        let log = tempfile::NamedTempFile::new().expect("a temporary file");
        let path = log.path().to_str().expect("a path");
        let old = place.files();
        traced(&place, &["-y", "-o", path, "-e", &format!("trace={}", disk::CALLS)], command).done();
        let mut disk = disk::Disk::new(place.path());
        for line in fs::read_to_string(path).expect("a trace").lines() {
            disk.call(line);
        }
        let new: Vec<PathBuf> = place.files().difference(&old).cloned().collect();
        println!("{command}: {} files, {} renamed", new.len(), disk.renamed);
        // The record of a match is appended to, and gets no other name.
        assert!(disk.renamed > 0 || command.starts_with("match") && !new.is_empty(), "{command}: nothing got its name");
        disk.holds(&new, command);
    }
}

/// The calls of a command: name, error, and how often one of its threads makes it.
fn calls_of(
    place: &Place,
    command: &str,
    calls: impl Iterator<Item = (&'static str, &'static str)>,
) -> Vec<(&'static str, &'static str, usize)> {
    let calls: Vec<_> = calls.collect();
    let names: Vec<&str> = calls.iter().map(|(call, _)| *call).collect();
    let log = tempfile::NamedTempFile::new().expect("a temporary file");
    let path = log.path().to_str().expect("a path");
    traced(place, &["-o", path, "-e", &format!("trace={}", names.join(","))], command).done();
    let trace = fs::read_to_string(path).expect("a trace");
    // More than that `strace` does not count to.
    let most = |call| Some(most_of_a_thread(&trace, call).min(65535)).filter(|&count| count > 0);
    calls.into_iter().filter_map(|(call, error)| Some((call, error, most(call)?))).collect()
}

/// How often a thread makes a call, at most.
fn most_of_a_thread(trace: &str, call: &str) -> usize {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in trace.lines() {
        // The number of the thread, the call, and its arguments.
        let (thread, rest) = line.split_once(' ').unwrap_or_default();
        if rest.trim_start().strip_prefix(call).is_some_and(|rest| rest.starts_with('(')) {
            *counts.entry(thread).or_default() += 1;
        }
    }
    counts.into_values().max().unwrap_or(0)
}

/// So many numbers from the first to the last of a count, or all.
fn spread(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let most = most.min(count);
    (0..most).map(move |place| 1 + (2 * place + 1) * count / (2 * most))
}

/// Makes this program an engine with a name without spaces.
fn engine(place: &Place) {
    let file = place.path().join("engine");
    fs::write(&file, format!("#!/bin/sh\nexec '{PROGRAM}' uci\n")).expect("a script");
    #[cfg(unix)]
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("an executable file");
}

/// Runs the program under `strace`.
fn traced(place: &Place, options: &[&str], command: &str) -> Ran {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "--seccomp-bpf"]).args(options).arg(PROGRAM).args(command.split_whitespace());
    strace.current_dir(place.path()).env_remove("RUST_BACKTRACE");
    strace.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ran::of(strace.spawn().expect("strace"))
}

/// All files, but for what `check` and `verify` note beside them: a note that cannot be made is no failure, and has a date. Of a
/// record of games, which has times, how many there are.
fn contents(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let of = |path: &PathBuf| {
        let bytes = fs::read(place.path().join(path)).expect("a file");
        let is_record = path.ends_with("games.txt");
        if is_record { vec![b'.'; String::from_utf8_lossy(&bytes).matches("[Result ").count()] } else { bytes }
    };
    let is_note = |path: &PathBuf| path.ends_with("VERIFIED") || path.extension().is_some_and(|name| name == "checked");
    let files = place.files().into_iter().filter(|path| !is_note(path));
    files.map(|path| (path.clone(), of(&path))).collect()
}

fn names(contents: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<&PathBuf> {
    contents.keys().collect()
}

//! Builds by several processes under `mpirun`: the same files as of one, in one folder or in several, and after a process has died.
#![cfg(target_os = "linux")]

#[path = "../support/communicator.rs"]
mod communicator;
#[path = "../support/program/mod.rs"]
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use program::Place;

/// 3v3 of 9x5 is large enough to be shared.
const BUILD: &str = "build 9x5 --slice 3v3 --threads 1";

/// `mpirun` as it has to be called in tests.
fn launcher(place: &Place) -> Command {
    let mut command = Command::new("mpirun");
    command.current_dir(place.path());
    // Tests may run as root in a container, and on fewer cores than there are processes. Open MPI 5 has other names for that.
    for (name, value) in [
        ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
        ("PRTE_MCA_hwloc_default_binding_policy", "none"),
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ] {
        command.env(name, value);
    }
    command
}

/// `mpirun` with one group of processes for each pair of a number and arguments.
fn mpirun(place: &Place, groups: &[(usize, &str)]) -> Command {
    let mut command = launcher(place);
    for (number, &(size, arguments)) in groups.iter().enumerate() {
        command.args(if number == 0 { None } else { Some(":") });
        command.args(["-n", &size.to_string(), env!("CARGO_BIN_EXE_fanorona")]).args(arguments.split_whitespace());
    }
    command
}

fn run(place: &Place, groups: &[(usize, &str)]) -> (Output, String) {
    let output = mpirun(place, groups).output().expect("mpirun of an MPI library");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, said)
}

fn done(place: &Place, groups: &[(usize, &str)]) -> String {
    let (output, said) = run(place, groups);
    assert!(output.status.success(), "{said}");
    said
}

/// Everything in a folder of tables but the lock.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    files
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), path))
        .filter(|(name, _)| name != ".lock")
        .map(|(name, path)| (name, fs::read(path).expect("a file")))
        .collect()
}

/// Asserts that two folders hold the same files; bytes that differ are not printed.
fn same(found: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>, of: &str) {
    assert!(found.keys().eq(expected.keys()), "{of}: {:?}, not {:?}", found.keys(), expected.keys());
    let other: Vec<_> = found.iter().filter(|(name, bytes)| expected[*name] != **bytes).map(|(name, _)| name).collect();
    assert!(other.is_empty(), "{of}: other bytes in {other:?}");
}

fn expected() -> BTreeMap<String, Vec<u8>> {
    let place = Place::new();
    place.run(BUILD).done();
    files(&place.path().join("db/9x5"))
}

/// Is set for the processes that the test below has `mpirun` start: each of them is that test again.
const PROCESS: &str = "FANORONA_CONTRACT_PROCESS";

#[test]
fn mpi_keeps_the_contract() {
    if std::env::var_os(PROCESS).is_some() {
        fanorona::cli::run_together(communicator::keeps_the_contract);
        return;
    }
    let place = Place::new();
    for size in [1, 2, 3] {
        let mut command = launcher(&place);
        command.args(["-n", &size.to_string()]).arg(std::env::current_exe().expect("this program"));
        let output = command.args(["--exact", "mpi_keeps_the_contract"]).env(PROCESS, "").output().expect("mpirun");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{size} processes: {out}{err}");
        assert_eq!(out.matches("1 passed").count(), size, "{out}");
    }
}

#[test]
fn two_and_four_processes_make_the_files_of_one() {
    let expected = expected();
    for size in [1, 2, 4] {
        let place = Place::new();
        let said = done(&place, &[(size, BUILD)]);
        assert_eq!(said.contains(" sent"), size > 1, "{said}");
        same(&files(&place.path().join("db/9x5")), &expected, &format!("{size} processes"));
        // What is there is not built again.
        let (output, _) = run(&place, &[(size, BUILD)]);
        assert!(String::from_utf8_lossy(&output.stdout).contains("already has"), "{output:?}");
    }
}

#[test]
fn every_folder_has_all_tables_in_the_end() {
    let (expected, place) = (expected(), Place::new());
    // The second folder has its own beginning.
    place.run("build 9x5 --stones 3 --db two").done();
    let with = |folder: &str| format!("{BUILD} --db {folder}");
    done(&place, &[(1, &with("one")), (2, &with("two"))]);
    for folder in ["one", "two"] {
        let files = files(&place.path().join(folder).join("9x5"));
        assert!(
            expected.iter().all(|(name, bytes)| name == "XXH128SUMS" || files.get(name) == Some(bytes)),
            "{folder}"
        );
        assert!(!files.keys().any(|name| name.contains("scratch") || name.contains("tmp")), "{:?}", files.keys());
    }
}

/// The processes that `mpirun` has started.
fn processes(of: &Child) -> Vec<u32> {
    let all = fs::read_dir("/proc").expect("Linux").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    all.filter(|process: &u32| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.lines().any(|line| line.strip_prefix("PPid:").is_some_and(|parent| parent.trim() == of.id().to_string()))
    })
    .collect()
}

#[test]
fn the_death_of_a_process_ends_the_build_which_then_goes_on() {
    let (expected, place) = (expected(), Place::new());
    let mut random = fastrand::Rng::new();
    let records = [1, 2].map(|rank| place.path().join(format!("db/9x5/3v3-rank-{rank}of2.scratch-state")));
    let (mut deaths, mut went_on) = (0, false);
    // The first death comes as soon as there is something to continue from, later ones at any time after that.
    for latest in [0, 10, 100, 500, 1500] {
        let mut command = mpirun(&place, &[(2, BUILD)]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("mpirun");
        let start = Instant::now();
        while !records.iter().all(|record| record.exists()) && child.try_wait().expect("a child").is_none() {
            assert!(start.elapsed() < Duration::from_secs(60), "no state is saved");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(random.u64(0..=latest)));
        let ranks = processes(&child);
        if let Some(rank) = ranks.get(random.usize(..2)) {
            let _ = Command::new("kill").args(["-9", &rank.to_string()]).status();
        }
        let output = child.wait_with_output().expect("mpirun ends");
        let said = String::from_utf8_lossy(&output.stderr);
        went_on |= said.contains("continuing after");
        if output.status.success() {
            break;
        }
        // mpirun reports the death, by its signal or as an exit, whichever it notices first; the others are ended by it and have
        // no failure of their own.
        assert!(said.contains("signal 9") || said.contains("the job has been aborted"), "{said}");
        let mut own = said.lines().filter(|line| line.starts_with("fanorona: "));
        assert!(own.all(|line| line.starts_with("fanorona: interrupted")) && !said.contains("panicked"), "{said}");
        deaths += 1;
    }
    went_on |= done(&place, &[(2, BUILD)]).contains("continuing after");
    assert!(deaths > 0 && went_on, "{deaths} deaths");
    same(&files(&place.path().join("db/9x5")), &expected, "after deaths");
    // Another number of processes cannot use the scratch of two, and starts again.
    let other = Place::new();
    fs::create_dir_all(other.path().join("db/9x5")).expect("a folder");
    fs::write(other.path().join("db/9x5/3v3-rank-2of2.scratch"), "old").expect("a file");
    done(&other, &[(3, BUILD)]);
    same(&files(&other.path().join("db/9x5")), &expected, "with old scratch");
}

#[test]
fn what_is_wrong_with_all_is_said_once_and_what_is_wrong_with_one_by_that_one() {
    let place = Place::new();
    let count = |said: &str, what: &str| said.matches(what).count();
    let (output, said) = run(&place, &[(3, "build 9x5 --stones 1")]);
    assert!(
        output.status.code() == Some(1) && count(&said, "fanorona: ") == 1 && said.contains("2 stones or more"),
        "{said}"
    );
    let (output, said) = run(&place, &[(2, "build 9x5 --stones 6 --memory 10M")]);
    assert!(output.status.code() == Some(1) && count(&said, "fanorona: ") == 1 && said.contains("--memory"), "{said}");
    let (output, said) = run(&place, &[(2, "build 3x3 --stones 3 --metric both")]);
    assert!(output.status.code() == Some(1) && count(&said, "fanorona: ") == 1 && said.contains("--metric"), "{said}");
    let (output, said) = run(&place, &[(1, "build 3x3 --stones 3"), (1, "build 3x3 --stones 4")]);
    assert!(output.status.code() == Some(1) && count(&said, "fanorona: ") == 1 && said.contains("the same"), "{said}");
    assert!(!place.has("db"));
    fs::write(place.path().join("file"), "no folder").expect("a file");
    let groups = [(1, "build 3x3 --stones 3"), (1, "build 3x3 --stones 3 --db file")];
    let (output, said) = run(&place, &groups);
    assert!(output.status.code() == Some(1) && said.contains("fanorona: process 2 of 2: "), "{said}");
}

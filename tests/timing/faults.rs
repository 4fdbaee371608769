//! Folders that vanish, and limits of the system: a clear error, and an intact database.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{Place, Ran, assert_same_files, built, files, has_no_temporary, is_intact, is_temporary, says};
#[cfg(feature = "server")]
use crate::served::Server;

const PROGRAM: &str = env!("CARGO_BIN_EXE_fanorona");

/// Runs the program under a limit of the shell.
fn limited(place: &Place, limit: &str, arguments: &str) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit {limit} && exec {PROGRAM} {arguments}")]).current_dir(place.path());
    command.env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ran::of_any(command.spawn().expect("a shell"))
}

const BUILD: &str = "build 5x5 --stones 5 --metric both";

#[test]
fn output_to_a_full_device_is_an_error() {
    let place = Place::new();
    place.run("build 5x5 --stones 3").done();
    place.run("solve 3x3 --stones 4 --certificate p").done();
    fs::write(place.path().join("game.txt"), "3x3 c2-b2A c3-c2A b2-c1W").expect("a file");
    let commands = [
        "stats 5x5 --csv",
        "stats 5x5",
        "info",
        "report",
        "report --json",
        "verify 5x5",
        "query 5/5/5/5/W3B_w",
        "line 5/5/5/5/W3B_w",
        "perft 3x3 2",
        "solve 3x3 --stones 4",
        "build 5x5 --stones 3",
        "build 3x3 --stones 3 --dry-run",
        "query 5/5/5/5/W3B_w --json",
        "check p",
        "review game.txt",
    ];
    for arguments in commands {
        let full = fs::File::options().write(true).open("/dev/full").expect("the full device");
        let mut command = place.command(&arguments.split_whitespace().collect::<Vec<_>>());
        let ran = Ran::of(command.stdout(full).spawn().expect("the program"));
        assert_eq!(ran.code, Some(1), "{arguments}: {}", ran.err);
        says(&ran.err, &["standard output", "No space left"]);
        // What is said besides the result may be lost.
        let full = fs::File::options().write(true).open("/dev/full").expect("the full device");
        let mut command = place.command(&arguments.split_whitespace().collect::<Vec<_>>());
        let child = command.stderr(full).spawn().expect("the program");
        assert_eq!(Ran::of(child).code, Some(0), "{arguments}");
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error() {
    let place = Place::new();
    let expected = built(BUILD, "db/5x5");
    // In blocks of 512 bytes; the shell counts so.
    for blocks in [0, 1, 3, 8] {
        let ran = limited(&place, &format!("-f {blocks}"), BUILD);
        ran.fails(&["File too large", "ulimit -f"]);
        has_no_temporary(&place);
        is_intact(&place, "db", &expected);
    }
    place.run(BUILD).done();
    assert_same_files(&files(&place.path().join("db/5x5")), &expected);
}

#[test]
fn a_match_that_cannot_write_a_game_leaves_only_whole_ones_and_goes_on() {
    const GAMES: usize = 6;
    let engine = format!("'{PROGRAM} uci'");
    let arguments =
        format!("match {engine} {engine} --board 3x3 --nodes 50 --games {GAMES} --concurrency 2 --record games");
    for blocks in [1, 2, 3] {
        let place = Place::new();
        let record = || fs::read_to_string(place.path().join("games")).expect("a file");
        limited(&place, &format!("-f {blocks}"), &arguments).fails(&["File too large", "ulimit -f"]);
        assert!(record().is_empty() || record().ends_with("\n\n"), "{}", record());
        limited(&place, "-f unlimited", &arguments).done();
        assert_eq!(record().matches("[Result ").count(), GAMES);
    }
}

// Folders

#[test]
fn a_folder_that_is_removed_under_a_build_ends_it() {
    let expected = built(BUILD, "db/5x5");
    let mut ended = 0;
    for after in ["1v1.wdl: ", "3v1.wdl: ", "3v2.wdl: ", "2v1.dtw: ", "3v1.dtw: ", "4v1.dtw: "] {
        let place = Place::new();
        let mut child = place.command(&BUILD.split_whitespace().collect::<Vec<_>>()).spawn().expect("the program");
        let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while !line.starts_with(after) {
            line.clear();
            assert!(err.read_line(&mut line).expect("text") > 0, "no line {after:?}");
        }
        // The program may put a file into it at the same moment.
        while fs::remove_dir_all(place.path().join("db")).is_err() {}
        child.stderr = Some(err.into_inner());
        let ran = Ran::of(child);
        if ran.code != Some(0) {
            ended += 1;
            // What it misses may be the folder, or the values that depths go with.
            ran.fails(&["db/5x5"]);
        }
        has_no_temporary(&place);
        place.run(BUILD).done();
        assert_same_files(&files(&place.path().join("db/5x5")), &expected);
    }
    assert!(ended >= 3, "only {ended} builds noticed that their folder had gone");
}

// Handles

#[test]
fn too_few_file_handles_are_named() {
    let place = Place::new();
    let expected = built("build 5x5 --stones 4", "db/5x5");
    place.run("build 5x5 --stones 3").done();
    fs::write(place.path().join("game.txt"), "5x5 b2-c3A").expect("a file");
    let mut lacking = 0;
    for handles in 3..=16 {
        for arguments in [
            "build 5x5 --stones 4",
            "verify 5x5",
            "query 5/5/5/5/W3B_w",
            "solve 5x5 --stones 4 --checkpoint state",
            "report --html page.html",
            "review game.txt --record reviewed.txt",
        ] {
            let ran = limited(&place, &format!("-n {handles}"), arguments);
            // The loader of the system needs some itself.
            if ran.err.contains("error while loading shared libraries") {
                continue;
            }
            if ran.code != Some(0) {
                lacking += 1;
                assert_eq!(ran.code, Some(1), "{handles}, {arguments}: {}", ran.err);
                says(&ran.err, &["ulimit -n"]);
                assert!(!ran.err.contains("delete"), "{handles}, {arguments}: {}", ran.err);
            }
            has_no_temporary(&place);
        }
    }
    assert!(lacking > 0, "handles were never too few");
    place.run("build 5x5 --stones 4").done();
    assert_same_files(&files(&place.path().join("db/5x5")), &expected);
}

// Memory

/// Megabytes of address space for the larger tests: from too few to start with to what is enough.
const MEGABYTES: [usize; 8] = [20, 30, 40, 60, 90, 130, 250, 2000];

/// Asserts that a program that did not get its memory said so in one line.
fn memory_was_short(ran: &Ran, what: &str) {
    assert_eq!(ran.code, Some(1), "{what}: {}", ran.err);
    let words = ["memory", "ulimit -v", "Resource temporarily unavailable"];
    assert!(words.iter().any(|word| ran.err.contains(word)), "{what}: {}", ran.err);
}

#[test]
fn an_engine_that_gets_no_memory_for_its_table_plays_with_a_smaller_one() {
    let place = Place::new();
    fs::write(place.path().join("commands"), "setoption name Hash value 4096\ngo depth 2\n").expect("a file");
    let out = limited(&place, "-v 1500000", "uci < commands").done();
    assert!(out.contains("info string error: cannot allocate 4295.0 MB") && out.contains("\nbestmove "), "{out}");
}

#[test]
fn a_limit_of_memory_is_reported_beforehand_or_where_it_is_met() {
    let expected = built("build 9x5 --stones 5", "db/9x5");
    let (mut before, mut amid, mut done) = (0, 0, 0);
    for megabytes in MEGABYTES {
        let limit = format!("-v {}", megabytes * 1024);
        // What is free is taken from the limit; or the user insists on more than there is.
        for memory in ["", "--memory 8G"] {
            let place = Place::new();
            let ran = limited(&place, &limit, &format!("build 9x5 --stones 5 --threads 2 {memory}"));
            if ran.err.contains("error while loading shared libraries") {
                continue;
            }
            if ran.code == Some(0) {
                done += 1;
                has_no_temporary(&place);
                assert_same_files(&files(&place.path().join("db/9x5")), &expected);
                continue;
            }
            memory_was_short(&ran, &format!("{megabytes} MB {memory}"));
            if ran.err.contains("may be used") {
                before += 1;
            } else {
                amid += 1;
            }
            let left = files(&place.path().join("db/9x5"));
            for (name, bytes) in left.iter().filter(|(name, _)| name.contains('v')) {
                let is_whole = is_temporary(Path::new(name)) || expected.get(name) == Some(bytes);
                assert!(is_whole, "{megabytes} MB {memory}: {name} is not what it should be");
            }
            // Where memory for something small is refused the process ends where it is; the next build puts that in order.
            if left.keys().any(|name| is_temporary(Path::new(name))) {
                place.run("build 9x5 --stones 5").done();
                has_no_temporary(&place);
                assert_same_files(&files(&place.path().join("db/9x5")), &expected);
            }
        }
    }
    println!("{before} refused beforehand, {amid} broken off, {done} done");
    assert!(before + amid > 1 && done > 1, "{before} beforehand, {amid} amid, {done} done");
}

#[test]
fn other_commands_end_in_order_without_memory() {
    let place = Place::new();
    place.run("build 9x5 --stones 4 --metric both").done();
    place.run("solve 5x5 --stones 5 --certificate p").done();
    let before = place.files();
    let commands = [
        "verify 9x5 --full --threads 2",
        "stats 9x5 --zugzwangs",
        "query 9/9/9/9/B3WW2W_w",
        "solve 5x5 --stones 5 --memory 4G --threads 2",
        "check p --threads 2",
        "report",
    ];
    let mut short = 0;
    for arguments in commands {
        for megabytes in [16, 20, 24, 40] {
            let ran = limited(&place, &format!("-v {}", megabytes * 1024), arguments);
            if ran.code != Some(0) && !ran.err.contains("error while loading shared libraries") {
                short += 1;
                memory_was_short(&ran, &format!("{megabytes} MB, {arguments}"));
            }
        }
    }
    assert!(short > 4, "{short}");
    has_no_temporary(&place);
    place.run("verify 9x5").done();
    assert!(place.files().is_superset(&before));
}

// Servers

/// Starts a server under a limit of the shell.
#[cfg(feature = "server")]
fn server(place: &Place, limit: &str) -> Server {
    let script = format!("ulimit {limit}; exec {PROGRAM} serve --bind 127.0.0.1:0");
    Server::of(Command::new("sh").args(["-c", &script]).current_dir(place.path()))
}

#[cfg(feature = "server")]
const POSITION: &str = "/api/5x5?position=5/5/5/5/W3B_w";

#[cfg(feature = "server")]
#[test]
fn a_folder_that_is_removed_under_a_server_is_missing_until_it_is_back() {
    let place = Place::new();
    place.run("build 5x5 --stones 3").done();
    let server = server(&place, "-n 256");
    let get = |path| server.answer(path).expect("an answer");
    let (status, before) = get(POSITION);
    assert!(status == 200 && before.contains("\"win\""), "{before}");
    fs::remove_dir_all(place.path().join("db")).expect("a folder");
    let (status, body) = get(POSITION);
    assert_eq!(status, 404, "{body}");
    assert!(body.contains("there are no tables of 5x5"), "{body}");
    assert_eq!(get("/api/tables").0, 200);
    place.run("build 5x5 --stones 3").done();
    assert_eq!(get(POSITION), (200, before));
    server.signal("INT");
    assert_eq!(server.ends().code, Some(0));
}

#[cfg(feature = "server")]
#[test]
fn a_server_without_file_handles_answers_when_it_has_some_again() {
    let place = Place::new();
    place.run("build 5x5 --stones 3").done();
    let server = server(&place, "-n 20");
    let get = |path| server.answer(path).expect("an answer");
    // More clients than it has handles for, before it has opened any table.
    let idle: Vec<_> = (0..40).map(|_| server.connect()).collect();
    std::thread::sleep(std::time::Duration::from_millis(300));
    drop(idle);
    let (status, body) = get(POSITION);
    // Connections that have ended may not all have been given up yet.
    assert!([200, 503].contains(&status), "{status} {body}");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let (status, body) = get(POSITION);
    assert!(status == 200 && body.contains("\"win\""), "{status} {body}");
    assert!(get("/api/tables").1.contains("5x5"));
    server.signal("INT");
    assert_eq!(server.ends().code, Some(0));
}

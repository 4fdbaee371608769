//! Ctrl-C: every command ends within two seconds, with status 130, whatever it is doing.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use fanorona::GameRequest;
use serde_json::json;

use crate::program::{Place, Ran, signal};
#[cfg(feature = "server")]
use crate::served::Server;

/// What is promised is two seconds on a machine that has nothing else to do; here tests run side by side.
const MOST: Duration = Duration::from_secs(6);

/// One large program at a time: what is measured is how long it takes to leave, not to get a core.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Sends an interrupt and waits for the end; prints how long that took.
fn interrupted(child: Child, what: &str) -> Ran {
    signal(&child, "INT");
    let asked = Instant::now();
    let ran = Ran::of(child);
    let took = asked.elapsed();
    println!("{what}: left after {:.2} s", took.as_secs_f64());
    assert!(took < MOST, "{what}: {took:?}");
    ran
}

/// The same, and asserts status 130 and what the last line says.
fn leaves(child: Child, what: &str) -> Ran {
    let ran = interrupted(child, what);
    assert_eq!(ran.code, Some(130), "{what}: {}", ran.err);
    let last = ran.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("fanorona: interrupted"), "{what}: {}", ran.err);
    ran
}

/// Starts a program and lets it run for a while, or for less where the machine is faster than that.
fn running(place: &Place, arguments: &str, mut time: Duration) -> Child {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    loop {
        let mut child = place.command(&arguments).stdin(Stdio::null()).spawn().expect("the program");
        std::thread::sleep(time);
        if child.try_wait().expect("a child").is_none() {
            return child;
        }
        time /= 2;
        assert!(time > Duration::from_millis(2), "{arguments:?} came to its end too soon");
    }
}

/// Starts a program and waits for a line of standard error that says so.
fn until_it_says(place: &Place, arguments: &str, words: &str) -> Child {
    says(place, arguments, words).0
}

/// The same, with the line.
fn says(place: &Place, arguments: &str, words: &str) -> (Child, String) {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let mut child = place.command(&arguments).spawn().expect("the program");
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains(words) {
        line.clear();
        assert!(err.read_line(&mut line).expect("text") > 0, "{arguments:?} never says {words:?}");
    }
    child.stderr = Some(err.into_inner());
    (child, line)
}

/// Takes a table away if a build before got that far, so that the next one has to make it.
fn missing(place: &Place, table: &str) {
    let path = place.path().join("db/9x5").join(table);
    assert!(!path.exists() || std::fs::remove_file(&path).is_ok(), "{}", path.display());
}

const A_WHILE: Duration = Duration::from_millis(700);

#[test]
fn builds_leave_in_every_phase() {
    let _alone = alone();
    let place = Place::new();
    // Captures of a slice whose twin has just been written; the time between spreads over captures and paikas.
    let build = "build 9x5 --stones 6 --metric both --memory 2G";
    for (after, time) in [("4v1.wdl", 0), ("3v2.wdl", 100), ("5v1.wdl", 300), ("4v2.wdl", 200)] {
        missing(&place, after);
        let child = until_it_says(&place, build, &format!("{after}: "));
        std::thread::sleep(Duration::from_millis(time));
        let last = leaves(child, &format!("build, after {after}")).err;
        assert!(last.contains("; the same command continues from the last complete slice"), "{last}");
    }
    // Reading what is there, which a build that goes on begins with.
    missing(&place, "2v4.wdl");
    leaves(until_it_says(&place, build, "reading 3v2"), "build, reading");
    missing(&place, "3v3.wdl");
    // Compression: while there is a file under its temporary name.
    let mut child = place.command(&build.split_whitespace().collect::<Vec<_>>()).spawn().expect("the program");
    let temporary = place.path().join("db/9x5/3v3.wdl.tmp");
    while !temporary.exists() && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    if temporary.exists() {
        leaves(child, "build, compressing");
    } else {
        drop(Ran::of(child));
    }
    assert!(!temporary.exists(), "what was half written has gone");
    // Depths.
    place.run("build 9x5 --stones 6 --memory 2G").done();
    for (after, time) in [("3v1.dtw", 0), ("3v2.dtw", 300)] {
        missing(&place, after);
        let child = until_it_says(&place, "build 9x5 --stones 6 --metric dtw --memory 2G", &format!("{after}: "));
        std::thread::sleep(Duration::from_millis(time));
        leaves(child, &format!("build of depths, after {after}"));
    }
    assert!(place.files().iter().all(|file| file.extension().is_none_or(|extension| extension != "tmp")));
    // What is there is sound, and can be used at once.
    leaves(running(&place, "verify 9x5 --full --threads 1", A_WHILE), "verify --full, reading");
    leaves(running(&place, "stats 9x5 --zugzwangs", A_WHILE), "stats --zugzwangs");
    let full = "verify 9x5 --full --db db --threads 1";
    let mut child = place.command(&full.split_whitespace().collect::<Vec<_>>()).spawn().expect("the program");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    out.read_line(&mut line).expect("text");
    assert!(line.contains("every checksum is correct"), "{line}");
    std::thread::sleep(A_WHILE);
    leaves(child, "verify --full, after the checksums");
    certificates_of_large_tables(&place);
    questions(&place);
}

/// A certificate that rests on large tables has their checksums verified, which takes long.
fn certificates_of_large_tables(place: &Place) {
    let position = "9/9/3B5/4W4/3W1BB1B w";
    let solve = ["solve", "9x5", "--stones", "6", "--position", position, "--certificate", "p"];
    place.run_with(&solve).done();
    // It may come to its end meanwhile.
    let ran = interrupted(running(place, "check p --threads 1", Duration::from_millis(100)), "check");
    assert!(matches!(ran.code, Some(0 | 130)), "{}", ran.err);
}

fn questions(place: &Place) {
    let start = "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w";
    let query = place.command(&["query", start, "--search", "60s"]).spawn().expect("the program");
    std::thread::sleep(A_WHILE);
    leaves(query, "query --search");
    leaves(running(place, "perft 9x5 9", A_WHILE), "perft");
    let mut stream = place.command(&["query", "--stdin"]).stdin(Stdio::piped()).spawn().expect("the program");
    let stdin = stream.stdin.take();
    std::thread::sleep(A_WHILE);
    assert!(stream.try_wait().expect("a child").is_none());
    leaves(stream, "query --stdin");
    drop(stdin);
}

#[test]
fn searches_leave_with_their_state_saved() {
    let _alone = alone();
    let place = Place::new();
    let solve = "solve 7x7 --stones 3 --memory 2G";
    for time in [1500, 2500] {
        let ran = leaves(running(&place, solve, Duration::from_millis(time)), "solve");
        assert!(ran.err.trim_end().ends_with("the same command continues from db/7x7/start.checkpoint"), "{}", ran.err);
    }
    assert!(place.has("db/7x7/start.checkpoint"));
    // It tells that every ten seconds: one thread leaves a core to other tests meanwhile.
    let (child, line) = says(&place, &format!("{solve} --threads 1"), "win?");
    leaves(child, "solve, telling how far it is");
    is_progress_of_a_search(&line);
    // The tables come first.
    leaves(until_it_says(&place, "solve 9x5 --stones 6", "3v2.wdl: "), "solve, building tables");
    leaves(running(&place, "reproduce --memory 1G", A_WHILE), "reproduce");
    assert!(place.files().iter().all(|file| file.extension().is_none_or(|extension| extension != "tmp")));
}

/// Nodes, nodes per second, proof and disproof numbers of the root, table fill, probes, and a line of legal moves.
fn is_progress_of_a_search(line: &str) {
    let (question, facts) = line.trim_end().split_once("? ").expect(line);
    assert_eq!(question, "7x7: does White win");
    let facts: Vec<&str> = facts.split(", ").collect();
    let [nodes, rate, proof, disproof, fill, probes, moves] = facts.as_slice() else { panic!("{line}") };
    let number = |text: &str| text.replace(' ', "").parse::<u64>().expect(line);
    let before = |text: &&str, unit| number(text.strip_suffix(unit).expect(line));
    assert!(
        before(nodes, " nodes") > before(rate, "/s") && before(rate, "/s") > 0 && before(probes, " probes") > 0,
        "{line}"
    );
    let after = |text: &&str, name| number(text.strip_prefix(name).expect(line));
    assert!(after(proof, "proof number ") > 0 && after(disproof, "disproof number ") > 0, "{line}");
    let (percent, bytes) = fill.strip_prefix("table ").and_then(|rest| rest.split_once(" % of ")).expect(line);
    assert!(number(percent) <= 100 && bytes.ends_with("MB") | bytes.ends_with("GB"), "{line}");
    assert!(moves.contains(' '), "{line}");
    let moves: Vec<&str> = moves.split(' ').collect();
    let game = json!({"board": "7x7", "rules": {"repetition": false}, "moves": moves});
    serde_json::from_value::<GameRequest>(game).expect("a game").replay().expect(line);
}

#[test]
fn signals_that_were_ignored_at_the_start_stay_ignored() {
    let place = Place::new();
    for command in ["solve 7x7 --stones 2 --memory 200M --threads 1", "serve --bind 127.0.0.1:0"] {
        let program = format!("trap '' HUP INT; exec {} {command}", env!("CARGO_BIN_EXE_fanorona"));
        let shell = ["-c", &program];
        let mut child = std::process::Command::new("sh")
            .args(shell)
            .current_dir(place.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        for name in ["HUP", "INT"] {
            std::thread::sleep(A_WHILE);
            signal(&child, name);
        }
        std::thread::sleep(A_WHILE);
        assert!(child.try_wait().expect("a child").is_none(), "{command}");
        signal(&child, "TERM");
        child.wait().expect("an end");
    }
}

#[test]
fn a_second_interrupt_does_not_wait_for_the_state() {
    let place = Place::new();
    let child = running(&place, "solve 7x7 --stones 2 --memory 200M --threads 1", A_WHILE);
    signal(&child, "INT");
    leaves(child, "solve, asked twice");
}

#[test]
fn games_leave() {
    let place = Place::new();
    // A person is to move.
    let mut child = place.command(&["play", "5x5"]).stdin(Stdio::piped()).spawn().expect("the program");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let stdin = child.stdin.take();
    let mut line = String::new();
    while !line.contains("to move") {
        line.clear();
        assert!(out.read_line(&mut line).expect("text") > 0, "nobody is to move");
    }
    leaves(child, "play, waiting for a turn");
    drop(stdin);
    // The computer thinks: an interrupt has it play at once, and the next, when it is the person's turn, ends the program.
    let mut child = place
        .command(&["play", "9x5", "--white", "computer", "--black", "person", "--level", "5", "--time", "10m"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let stdin = child.stdin.take();
    let mut wait_for = |words: &str| {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(out.read_line(&mut line).expect("text") > 0, "it ended before: {words}");
        }
    };
    wait_for("White to move");
    std::thread::sleep(A_WHILE);
    signal(&child, "INT");
    wait_for("Black to move");
    leaves(child, "play, after the computer's turn");
    drop(stdin);
    let game = "play 9x5 --white computer --black computer --time 60s";
    leaves(running(&place, game, A_WHILE), "play, computers alone");
    // A program on the other side.
    let mut child = place.command(&["uci"]).stdin(Stdio::piped()).spawn().expect("the program");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"position startpos\ngo infinite\n").expect("a program that listens");
    std::thread::sleep(A_WHILE);
    leaves(child, "uci, searching");
    drop(stdin);
    // Nobody writes the game.
    let mut child = place.command(&["review", "-"]).stdin(Stdio::piped()).spawn().expect("the program");
    let stdin = child.stdin.take();
    std::thread::sleep(A_WHILE);
    leaves(child, "review, reading");
    drop(stdin);
}

/// Whoever should read standard error has stopped reading, and the pipe is full.
#[test]
fn programs_end_though_nobody_reads_their_output() {
    let place = Place::new();
    let mut child = place.command(&["query", "--stdin"]).stdin(Stdio::piped()).spawn().expect("the program");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || {
        // Every line is an error of its own; at some time neither side can go on.
        while stdin.write_all("what?\n".repeat(1000).as_bytes()).is_ok() {}
    });
    std::thread::sleep(A_WHILE);
    signal(&child, "INT");
    let asked = Instant::now();
    assert_eq!(child.wait().expect("the program ends").code(), Some(130));
    println!("query --stdin, with nobody listening: left after {:.2} s", asked.elapsed().as_secs_f64());
    assert!(asked.elapsed() < MOST);
    writer.join().expect("a writer");
}

/// For a server an interrupt is the way to end it, so that all is well.
#[cfg(feature = "server")]
#[test]
fn servers_leave_in_the_midst_of_an_answer() {
    let place = Place::new();
    let server = Server::start(&place, "--think 60s");
    let mut stream = server.connect();
    let body = r#"{"board": "9x5", "level": 5, "time": 60000}"#;
    let head = format!(
        "POST /api/game/reply HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).expect("a server that reads");
    std::thread::sleep(A_WHILE);
    let ran = interrupted(server.child, "serve, thinking for a client");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
}

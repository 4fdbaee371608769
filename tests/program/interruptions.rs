//! `fanorona solve` that is interrupted: it ends soon, says how to go on, and continues from its checkpoint.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::program::{Place, Ran};

const LONG: [&str; 9] = ["solve", "7x7", "--stones", "2", "--memory", "200M", "--threads", "1", "--no-proofs"];
const STATE: &str = "db/7x7/start.checkpoint";

fn interrupt(child: &Child) {
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
}

/// Asserts that an interrupted solve ends soon and says how to go on.
fn ends_interrupted(child: Child) -> String {
    let asked = Instant::now();
    let ran = Ran::of(child);
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    assert_eq!((ran.code, ran.out.as_str()), (Some(130), ""), "{}", ran.err);
    let last = ran.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("fanorona: interrupted; the same command continues"), "{}", ran.err);
    last.to_owned()
}

/// Starts the long solve and interrupts it in the midst of its search.
fn solve_and_interrupt(place: &Place) {
    for tries in 1.. {
        let child = place.command(&LONG).spawn().expect("the program");
        std::thread::sleep(Duration::from_millis(500 * tries));
        interrupt(&child);
        let last = ends_interrupted(child);
        // On a busy machine it may not have come to its search.
        if place.has(STATE) {
            assert!(last.ends_with(STATE), "{last}");
            return;
        }
        assert!(tries < 8, "no checkpoint");
    }
}

/// Starts the long solve, which has a checkpoint, waits until it continues, and returns from how many nodes.
fn go_on(place: &Place) -> (Child, u64) {
    let mut child = place.command(&LONG).spawn().expect("the program");
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    err.read_line(&mut line).expect("a line");
    let nodes =
        line.strip_prefix(&format!("continuing from {STATE}: ")).and_then(|rest| rest.strip_suffix(" nodes so far\n"));
    let nodes = nodes.unwrap_or_else(|| panic!("{line}")).replace(' ', "").parse().expect("a number");
    child.stderr = Some(err.into_inner());
    (child, nodes)
}

#[test]
fn an_interrupted_solve_goes_on_and_on() {
    let place = Place::new();
    solve_and_interrupt(&place);
    let mut before = 0;
    for _ in 0..3 {
        let (child, nodes) = go_on(&place);
        assert!(nodes > before, "{before} nodes, then {nodes}");
        before = nodes;
        std::thread::sleep(Duration::from_millis(700));
        interrupt(&child);
        assert!(ends_interrupted(child).ends_with(STATE));
    }
    assert!(place.files().iter().all(|file| file.extension().is_none_or(|extension| extension != "tmp")));
    // It is of no use to another board, rule set or reader.
    let state = fs::read(place.path().join(STATE)).expect("a checkpoint");
    place.run("build 5x5 --stones 2").done();
    fs::write(place.path().join("db/5x5/start.checkpoint"), &state).expect("a file");
    place.run("solve 5x5 --stones 2").fails_silently(&[
        "db/5x5/start.checkpoint",
        "another board or rule set",
        "delete it",
    ]);
    fs::write(place.path().join(STATE), &state[..state.len() / 2]).expect("a file");
    place.run_with(&LONG).fails_silently(&[STATE, "damaged", "delete it"]);
}

#[test]
fn two_solves_do_not_share_a_checkpoint() {
    let place = Place::new();
    solve_and_interrupt(&place);
    let (child, _) = go_on(&place);
    place.run_with(&LONG).fails_silently(&[STATE, "in use", "--checkpoint"]);
    // Other positions, other files, builds and readers do not mind.
    place.run("solve 7x7 --stones 2 --position 7/7/7/7/7/7/W5B_w").done();
    place.run("build 7x7 --stones 3").done();
    place.run("query 7/7/7/7/7/7/W5B_w").done();
    let elsewhere = [&LONG[..], &["--checkpoint", "state", "--certificate", "p"]].concat();
    let mut elsewhere = place.command(&elsewhere).spawn().expect("the program");
    std::thread::sleep(Duration::from_millis(300));
    assert!(elsewhere.try_wait().expect("a child").is_none(), "another checkpoint, and yet it ended");
    for child in [elsewhere, child] {
        interrupt(&child);
        ends_interrupted(child);
    }
    // The end of a process frees its checkpoint.
    let (mut child, _) = go_on(&place);
    child.kill().expect("a running program");
    child.wait().expect("the program ends");
    let (child, _) = go_on(&place);
    interrupt(&child);
    ends_interrupted(child);
}

/// Far too much work to end: only an interrupt ends it.
#[test]
fn the_value_is_printed_before_the_moves() {
    let place = Place::new();
    let solve = ["solve", "5x7", "--stones", "5", "--moves", "--memory", "1G"];
    let mut child = place.command(&solve).spawn().expect("the program");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    assert!(line.starts_with("5x7") && line.ends_with(": White wins\n"), "{line}");
    assert!(child.try_wait().expect("a child").is_none(), "the moves are known at once");
    interrupt(&child);
    let ran = Ran::of(child);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.err.trim_end().ends_with("continues from db/5x7/start.checkpoint"), "{}", ran.err);
    // Without the moves it ends.
    let text = place.run_with(&["solve", "5x7", "--stones", "5", "--memory", "1G"]).done();
    assert!(text.contains(": White wins\n") && !text.contains("First moves"), "{text}");
}

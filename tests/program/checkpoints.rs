//! Checkpoints of `fanorona solve`: what is given up continues from them, and those that do not fit are refused.

use std::fs;

use serde_json::Value;

use crate::program::Place;

#[test]
fn what_is_given_up_can_be_gone_on_with() {
    let place = Place::new();
    let command = "solve 7x7 --stones 2 --memory 1G --limit";
    let ran = place.run(&format!("{command} 0s --moves --certificate p"));
    let text = ran.done();
    assert!(text.starts_with("7x7, diagonals corner, continuation optional, stalemate loss: unknown\n"), "{text}");
    assert!(
        text.contains("force a win? open") && !text.contains("Main line") && !text.contains("Certificate"),
        "{text}"
    );
    assert!(!place.has("p") && place.has("db/7x7/start.checkpoint"));
    let ran = place.run(&format!("{command} 100ms --json"));
    assert!(ran.err.contains("continuing from") && ran.err.contains("stopped at the time limit"), "{}", ran.err);
    let report = ran.json();
    assert_eq!((&report["value"], &report["line"]), (&"unknown".into(), &Value::Array(Vec::new())));
    assert_eq!(report["questions"]["white_wins"]["answer"], Value::Null);
    place.run(&format!("{command} soon")).misused(&["--limit", "soon"]);
    // Where nothing is given up, nothing is left over.
    let report = place.run("solve 3x3 --limit 1h --json").json();
    assert_eq!(report["value"], "white wins");
    assert!(!place.has("db/3x3/start.checkpoint"));
}

#[test]
fn the_state_of_a_wider_search_is_left_for_it() {
    let place = Place::new();
    let state = |arguments: &str| {
        place.run(&format!("{arguments} --threads 1 --no-proofs --certificate p --checkpoint state --json"))
    };
    let narrow = ["solve 5x5 --stones 3", "solve 5x5 --stones 3 --position 1B1B1/2B2/5/1W1W1/2W2_w"];
    for solve in narrow {
        state(solve).done();
        assert!(!place.has("state"));
    }
    state("solve 5x5 --stones 3 --moves --limit 1ms").done();
    let bytes = || fs::read(place.path().join("state")).expect("a file");
    let wide = bytes();
    for solve in narrow {
        let ran = state(solve);
        let before = ran.err.split_once("continuing from state: ").and_then(|(_, rest)| rest.split_once(" nodes"));
        let before: u64 = before.expect("a state").0.replace(' ', "").parse().expect("a number");
        // All but a little of the work is that of the questions, which are of this run.
        let report = ran.json();
        let nodes = |of: &Value| of["nodes"].as_u64().expect("a number");
        let asked: u64 = ["white_wins", "black_wins"].iter().map(|side| nodes(&report["questions"][side])).sum();
        assert!(
            nodes(&report) - asked < before / 2,
            "{} nodes, {asked} for the questions, {before} before",
            nodes(&report)
        );
        assert_eq!(bytes(), wide, "{solve}");
    }
    state("solve 5x5 --stones 3 --moves").done();
    assert!(!place.has("state"));
}

#[test]
fn a_checkpoint_that_does_not_fit_is_refused() {
    let place = Place::new();
    let path = place.path().join("db/3x3/start.checkpoint");
    place.run("build 3x3 --stones 2").done();
    let foreign = "something else that is not a checkpoint";
    for (content, remedy) in [("", "delete it"), ("FANOSAVE", "delete it"), (foreign, "move it away")] {
        fs::write(&path, content).expect("a file");
        place.run("solve 3x3 --stones 2").fails_silently(&["db/3x3/start.checkpoint", remedy]);
        // It is not ours to remove.
        assert_eq!(fs::read(&path).expect("a file"), content.as_bytes());
    }
    fs::remove_file(&path).expect("a file");
    place.run("solve 3x3 --stones 2").done();
    // Before tables are built, which may take long.
    place.run("solve 5x3 --stones 4 --checkpoint nowhere/state").fails_silently(&["nowhere/state", "--checkpoint"]);
    assert!(!place.has("db/5x3/1v1.wdl"));
}

//! `fanorona solve` from outside: values of starts and other positions, with and without tables, and refusals.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};

use crate::program::{Place, keys};

pub fn has_keys(value: &Value, names: &[&str]) {
    assert_eq!(keys(value), names.iter().copied().collect::<BTreeSet<_>>());
}

/// A certificate as `solve` and `reproduce` report it.
pub fn is_certificate(certificate: &Value) {
    has_keys(certificate, &["file", "bytes", "safe", "won", "positions", "tables", "verdict"]);
    let positions = ["safe", "won"].iter().map(|set| certificate[set].as_u64().expect("a number")).sum::<u64>();
    assert!(certificate["positions"] == positions && certificate["verdict"] == "proved", "{certificate}");
}

fn word(value: &Value) -> &str {
    value.as_str().expect("a word")
}

/// The moves of a report and their values.
fn moves(report: &Value) -> BTreeMap<&str, &str> {
    let moves = report["moves"].as_array().expect("a list").iter();
    moves
        .inspect(|one| has_keys(one, &["move", "value"]))
        .map(|one| (word(&one["move"]), word(&one["value"])))
        .collect()
}

/// A drawn position of the ICGA page.
const DRAWN: &str = "1B1/1W1/1W1 w";

// Values

#[test]
fn json_has_exactly_its_fields() {
    let place = Place::new();
    let report = place.run("solve 3x3 --moves --json").json();
    let fields = [
        "board",
        "rules",
        "position",
        "value",
        "questions",
        "tables",
        "line",
        "nodes",
        "probes",
        "closure",
        "seconds",
        "build_seconds",
    ];
    has_keys(&report, &[&fields[..], &["moves", "certificate"]].concat());
    assert_eq!(report["board"], "3x3");
    assert_eq!(report["position"], "BBB/B1W/WWW w");
    assert_eq!(report["value"], "white wins");
    has_keys(&report["rules"], &["diagonals", "continuation", "directions", "stalemate"]);
    has_keys(&report["questions"], &["white_wins", "black_wins"]);
    for (question, answer) in [("white_wins", true), ("black_wins", false)] {
        let question = &report["questions"][question];
        has_keys(question, &["answer", "nodes", "seconds"]);
        assert_eq!(question["answer"], answer);
        assert!(question["nodes"].is_u64() && question["seconds"].is_f64());
    }
    has_keys(&report["tables"], &["stones"]);
    assert_eq!(report["tables"]["stones"], 8);
    has_keys(&report["closure"], &["safe", "won", "searched_again", "refuted", "reopened", "asked_again", "seconds"]);
    assert!(moves(&report).values().any(|value| *value == "white wins"));
    assert!(report["line"].as_array().is_some_and(|line| line.iter().all(Value::is_string)));
    for number in ["nodes", "probes"] {
        assert!(report[number].is_u64(), "{number}");
    }
    for seconds in ["seconds", "build_seconds"] {
        assert!(report[seconds].as_f64().is_some_and(|seconds| seconds >= 0.0), "{seconds}");
    }
    // Nothing is left to continue from.
    assert!(!place.has("db/3x3/start.checkpoint"));
    let certified = place.run("solve 3x3 --json --certificate start.proof").json();
    has_keys(&certified, &[&fields[..], &["certificate"]].concat());
    is_certificate(&certified["certificate"]);
    assert_eq!(certified["certificate"]["file"], "start.proof");
    let length = fs::metadata(place.path().join("start.proof")).expect("a certificate").len();
    assert_eq!(certified["certificate"]["bytes"], length);
}

#[test]
fn the_start_of_5x5_is_a_draw() {
    let place = Place::new();
    let report = place.run("solve 5x5 --stones 6 --moves --json --certificate draw.proof").json();
    assert_eq!((&report["value"], &report["tables"]["stones"]), (&"draw".into(), &6.into()));
    assert_eq!(
        (&report["questions"]["white_wins"]["answer"], &report["questions"]["black_wins"]["answer"]),
        (&false.into(), &false.into())
    );
    let moves = moves(&report);
    assert!(moves.values().any(|&value| value == "draw") && !moves.values().any(|&value| value == "white wins"));
    let proof = place.run("check draw.proof --json").json();
    assert_eq!(proof["verdict"], "proved");
    assert_eq!(proof["tables"]["stones"], 6);
    let claims = proof["claims"].as_array().expect("a list");
    assert_eq!((claims.len(), &claims[0]["value"]), (1 + moves.len(), &"draw".into()));
    assert_eq!(claims[0]["position"], report["position"]);
    assert!(moves.values().all(|&value| value == "draw" || value == "black wins"), "{moves:?}");
    for (claim, one) in claims[1..].iter().zip(report["moves"].as_array().expect("a list")) {
        assert_eq!(claim["value"], one["value"], "{one}");
    }
    // Larger tables that came later do not matter to it; fewer do.
    place.run("build 5x5 --stones 7").done();
    place.run("check draw.proof").done();
    fs::remove_file(place.path().join("db/5x5/3v3.wdl")).expect("a table");
    let ran = place.run("check draw.proof");
    ran.fails(&["3v3"]);
    assert_eq!(ran.out, "");
}

#[test]
fn other_positions_and_rules() {
    let place = Place::new();
    let report = place.run_with(&["solve", "3x3", "--stones", "2", "--position", DRAWN, "--moves", "--json"]).json();
    assert_eq!((&report["value"], &report["position"]), (&"draw".into(), &DRAWN.into()));
    let expected = [("b2-a3", "black wins"), ("b2-a2", "black wins"), ("b2-a1", "black wins"), ("b1-a1", "draw")];
    assert_eq!(moves(&report), BTreeMap::from(expected));
    // Black to move, and a position that the tables settle.
    let black = place.run_with(&["solve", "3x3", "--stones", "2", "--position", "WB1/3/1W1_b", "--json"]).json();
    assert_eq!(black["value"], "black wins");
    let settled = place.run("solve 3x3 --position 1B1/1W1/1W1_w --json --certificate p").json();
    assert_eq!((&settled["value"], &settled["nodes"]), (&"draw".into(), &0.into()));
    assert_eq!(settled["tables"], json!({"stones": 3}));
    place.run("check p").done();
    // Rules have folders of their own.
    let other = "--diagonals centre --continuation obligatory --directions once --stalemate draw --certificate q";
    let report = place.run(&format!("solve 3x3 --stones 4 --json {other}")).json();
    assert_eq!((&report["rules"]["diagonals"], &report["rules"]["stalemate"]), (&"centre".into(), &"draw".into()));
    assert!(place.has("db/3x3-centre-obligatory-once-draw/2v2.wdl"));
    place.run("check q").done();
}

#[test]
fn a_question_has_the_answer_to_the_other_where_that_is_proved() {
    let place = Place::new();
    let ask = |side: &str| place.run(&format!("solve 5x5 --stones 4 --json --question {side}")).json();
    assert_eq!(ask("white")["value"], "black does not lose");
    let report = ask("black");
    assert_eq!((&report["value"], &report["questions"]["white_wins"]["answer"]), (&json!("draw"), &json!(false)));
}

#[test]
fn without_tables_a_proof_goes_down_to_the_last_stone() {
    let place = Place::new();
    for (board, value) in [("3x3", "white wins"), ("3x5", "white wins"), ("5x3", "white wins")] {
        let report = place.run(&format!("solve {board} --stones 0 --certificate {board}.proof --json")).json();
        assert_eq!((word(&report["value"]), &report["tables"]["stones"]), (value, &json!(0)), "{board}");
        assert!(!place.files().iter().any(|file| file.extension().is_some_and(|extension| extension == "wdl")));
        let ran = place.run(&format!("check {board}.proof --db nowhere"));
        assert!(ran.out.contains(": proved, without tables. "), "{}{}", ran.out, ran.err);
    }
    // What is taken from a certificate that relies on tables relies on them too.
    place.run("solve 3x3 --stones 4 --db tables").done();
    let again = place.run("solve 3x3 --stones 0 --db tables").done();
    assert!(again.contains("proved, given tables to 4 stones"), "{again}");
}

/// Where a certificate has the value, the search has no set in which the winner has a reply.
#[test]
fn a_line_begins_with_a_move_that_keeps_the_value() {
    let place = Place::new();
    for board in ["3x3", "3x5", "5x3", "7x3"] {
        place.run(&format!("solve {board} --stones 6")).done();
        for (options, has_line) in [("", false), (" --no-proofs", true)] {
            let report = place.run(&format!("solve {board} --stones 6 --moves --json{options}")).json();
            let (value, line) = (word(&report["value"]), report["line"].as_array().expect("a list"));
            let known = moves(&report);
            assert_eq!(line.first().map(|first| known[word(first)]), has_line.then_some(value), "{board}: {report}");
        }
    }
}

#[test]
fn slices_are_used_beside_the_tables_of_few_stones() {
    let place = Place::new();
    let solve = |tables: &str| place.run(&format!("solve 5x5 {tables} --certificate p --no-proofs --json")).json();
    let few = solve("--stones 4");
    let report = solve("--stones 4 --slice 4v2");
    assert_eq!(report["tables"], json!({"stones": 5, "slices": [{"mover": 4, "opponent": 2}]}));
    assert_eq!((&report["value"], &few["value"]), (&json!("draw"), &json!("draw")));
    assert_ne!(report["probes"], few["probes"]);
    // Six slices of up to four stones, and 4v2, 4v1 and 3v2 with their twins.
    let checked = place.run("check p --json").json();
    assert_eq!((&checked["verdict"], &checked["tables"]["slices"]), (&json!("proved"), &json!(12)));
    assert!(place.run("check p").done().contains("given tables to 5 stones and of 4v2 ("));
    place.run("check p --db elsewhere").fails_silently(&["fanorona build 5x5 --stones 5 --slice 4v2 --db elsewhere"]);
    let text = place.run("solve 5x5 --stones 0 --slice 2v2 --certificate q --no-proofs").done();
    assert!(text.contains("tables to 3 stones and of 2v2"), "{text}");
    let text = place.run("solve 5x5 --stones 3 --slice 2v2 --slice 5v1 --question black --no-proofs").done();
    assert!(text.contains("tables to 4 stones and of 5v1"), "{text}");
    // What is open may be decided by one slice more.
    for (options, next) in [
        ("--stones 3", Some(("3v1", "--stones 3 --slice 3v1"))),
        ("--stones 4", Some(("3v2", "--stones 4 --slice 3v2"))),
        ("--stones 4 --slice 3v2", Some(("4v1", "--stones 5"))),
        ("--stones 3 --slice 3v1", Some(("2v2", "--stones 4"))),
        ("--stones 0", None),
    ] {
        let ran = place.run(&format!("solve 7x5 --stalemate draw --limit 0s {options}"));
        assert_eq!(ran.err.contains("one more slice"), next.is_some(), "{options}: {}", ran.err);
        if let Some((slice, tables)) = next {
            let command = format!("--slice {slice} (its cost: fanorona build 7x5 {tables} --stalemate draw --dry-run");
            assert!(ran.err.contains(&command), "{options}: {}", ran.err);
        }
        assert!(ran.done().contains("Can White force a win? open"));
    }
    place.run("solve 5x5 --slice 20v6").fails_silently(&["20v6", "5x5", "25 points"]);
}

#[test]
fn games_that_are_over() {
    let place = Place::new();
    for (position, value) in [("3/1W1/3 w", "white wins"), ("3/1W1/3 b", "white wins"), ("3/1B1/3 w", "black wins")] {
        let ran = place.run_with(&["solve", "3x3", "--position", position, "--certificate", "p", "--moves", "--json"]);
        let report = ran.json();
        assert_eq!((&report["value"], moves(&report).len()), (&value.into(), 0), "{position}");
        place.run("check p").done();
    }
}

#[test]
fn the_text_says_what_the_json_says() {
    let place = Place::new();
    let text = place.run("solve 3x3 --stones 4 --moves --certificate start.proof").done();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "3x3, diagonals corner, continuation optional, stalemate loss: White wins");
    assert_eq!(lines[1], "BBB/B1W/WWW w");
    assert!(lines[2].starts_with("Can White force a win? yes ") && lines[3].starts_with("Can Black force a win? no "));
    assert_eq!(lines[4], "First moves, up to symmetry:");
    assert!(text.contains("\nMain line: ") && text.contains("tables to 4 stones"), "{text}");
    assert!(
        lines.last().is_some_and(|line| line.starts_with("Certificate: start.proof, ")
            && line.ends_with(": proved, given tables to 4 stones")),
        "{text}"
    );
    let text = place.run("solve 3x3 --stones 0 --certificate alone.proof").done();
    assert!(text.trim_end().ends_with(": proved, without tables"), "{text}");
    let text = place.run("solve 3x3 --stones 4").done();
    assert!(!text.contains("First moves") && text.contains("White wins"), "{text}");
    let report = place.run("solve 3x3 --stones 4 --json").json();
    assert_eq!((&report["moves"], &report["value"]), (&Value::Null, &"white wins".into()));
}

#[test]
fn one_question_about_each_move() {
    let place = Place::new();
    let black_to_move = "BBBBB/BBB1B/BWW1W/WWWWW/WWWWW b";
    for position in [&[][..], &["--position", black_to_move]] {
        let solve = ["solve", "5x5", "--stones", "5", "--no-proofs", "--json", "--moves"];
        let ask = |more: &[&str]| place.run_with(&[&solve, more, position].concat()).json();
        let all = ask(&[]);
        for (side, other) in [("white", "black"), ("black", "white")] {
            let report = ask(&["--question", side]);
            let (exact, asked) = (moves(&all), moves(&report));
            assert_eq!(exact.keys().collect::<Vec<_>>(), asked.keys().collect::<Vec<_>>());
            let (wins, holds) = (format!("{side} wins"), format!("{other} does not lose"));
            for (turn, value) in asked {
                let is_right = value == exact[turn] || value == holds && exact[turn] != wins;
                assert!(is_right, "{turn}: {value}, not {}", exact[turn]);
            }
        }
    }
    let ran = place.run("solve 5x5 --stones 5 --no-proofs --moves --question black");
    assert!(ran.err.contains("answered; without --question the same command continues from"), "{}", ran.err);
    let text = ran.done();
    assert!(text.contains("First moves, up to symmetry:\n") && text.contains("  White does not lose\n"), "{text}");
}

#[test]
fn one_question_alone() {
    let place = Place::new();
    let ran = place.run("solve 5x5 --stones 5 --question black --certificate p");
    let said = ran.err.clone();
    let text = ran.done();
    assert!(text.contains(": White does not lose\n") && text.contains("Can White force a win? not asked\n"), "{text}");
    assert!(text.contains("Can Black force a win? no ") && !text.contains("First moves"), "{text}");
    place.run("check p").done();
    // The other question continues from what was learnt.
    assert!(said.contains("answered; without --question the same command continues from"), "{said}");
    assert!(place.has("db/5x5/start.checkpoint"));
    let ran = place.run("solve 5x5 --stones 5 --question white --json");
    assert!(ran.err.contains("continuing from"), "{}", ran.err);
    let report = ran.json();
    assert_eq!((&report["value"], &report["moves"]), (&"black does not lose".into(), &Value::Null));
    let report = place.run("solve 5x5 --stones 5 --json").json();
    assert_eq!(report["value"], "draw");
    // A win leaves nothing open.
    let text = place.run("solve 3x3 --question white").done();
    assert!(text.contains("White wins") && text.contains("Can Black force a win? no "), "{text}");
    assert!(!place.has("db/5x5/start.checkpoint") && !place.has("db/3x3/start.checkpoint"));
    place.run("solve 3x3 --question red").misused(&["--question", "red"]);
}

// What cannot be done

#[test]
fn boards_and_positions_that_make_no_sense() {
    let place = Place::new();
    place.run("solve 13x13").fails_silently(&["13x13", "64 points"]);
    place.run("solve 9x9 --stones 2").fails_silently(&["9x9", "64 points"]);
    place.run("solve 3x3 --stones 1").fails_silently(&["--stones", "2 stones or more"]);
    for arguments in ["solve", "solve 4x5", "solve 3x3 --threads 0", "solve 3x3 --memory much", "solve 3x3 --stones -1"]
    {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments}: {}", ran.err);
    }
    for (position, word) in [("BBX/3/WWW w", "X"), ("BBB/3/WWW", "to move"), ("BBB/WWW w", "2"), ("", "")] {
        place.run_with(&["solve", "3x3", "--position", position]).fails_silently(&[word]);
    }
    place.run_with(&["solve", "3x3", "--position", "5/5/5/5/W3B w"]).fails_silently(&["5x5", "3x3"]);
    assert!(place.files().is_empty(), "{:?}", place.files());
}

#[test]
fn little_memory_is_enough_or_refused() {
    let place = Place::new();
    for memory in ["1M", "100K"] {
        let report = place.run(&format!("solve 3x3 --memory {memory} --json --certificate p")).json();
        assert_eq!(report["value"], "white wins");
        place.run("check p").done();
    }
    let ran = place.run("solve 5x5 --stones 8 --memory 1M");
    ran.fails(&["memory", "--memory"]);
    assert_eq!(ran.out, "");
}

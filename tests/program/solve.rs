//! `fanorona solve` from outside: values, certificates, refusals, interruptions. And `reproduce`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::docs::{blocks, page};
use crate::oracle;
#[cfg(unix)]
use crate::program::make_pipe;
use crate::program::{Place, Ran, keys};

fn has_keys(value: &Value, names: &[&str]) {
    assert_eq!(keys(value), names.iter().copied().collect::<BTreeSet<_>>());
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
    has_keys(&certified["certificate"], &["file", "bytes", "safe", "won", "verdict"]);
    assert_eq!(certified["certificate"]["verdict"], "proved");
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
    let settled = place.run("solve 3x3 --stones 3 --position 1B1/1W1/1W1_w --json --certificate p").json();
    assert_eq!((&settled["value"], &settled["nodes"]), (&"draw".into(), &0.into()));
    place.run("check p").done();
    // Rules have folders of their own.
    let other = "--diagonals centre --continuation obligatory --directions once --stalemate draw --certificate q";
    let report = place.run(&format!("solve 3x3 --stones 4 --json {other}")).json();
    assert_eq!((&report["rules"]["diagonals"], &report["rules"]["stalemate"]), (&"centre".into(), &"draw".into()));
    assert!(place.has("db/3x3-centre-obligatory-once-draw/2v2.wdl"));
    place.run("check q").done();
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
}

#[test]
fn a_slice_is_used_beside_the_tables_of_few_stones() {
    let place = Place::new();
    let solve = |tables: &str| place.run(&format!("solve 5x5 {tables} --certificate p --no-proofs --json")).json();
    let few = solve("--stones 4");
    let report = solve("--stones 4 --slice 4v2");
    assert_eq!(report["tables"], json!({"stones": 4, "slice": {"mover": 4, "opponent": 2}}));
    assert_eq!((&report["value"], &few["value"]), (&json!("draw"), &json!("draw")));
    assert_ne!(report["probes"], few["probes"]);
    // Six slices of up to four stones, and 4v2, 4v1 and 3v2 with their twins.
    let checked = place.run("check p --json").json();
    assert_eq!((&checked["verdict"], &checked["tables"]["slices"]), (&json!("proved"), &json!(12)));
    let text = place.run("solve 5x5 --stones 0 --slice 2v2 --certificate q --no-proofs").done();
    assert!(text.contains("the table of 2v2 and those that it needs"), "{text}");
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
        lines.last().is_some_and(
            |line| line.starts_with("Certificate: start.proof, ") && line.ends_with(": proved, given the tables")
        ),
        "{text}"
    );
    let text = place.run("solve 3x3 --stones 4").done();
    assert!(!text.contains("First moves") && text.contains("White wins"), "{text}");
    let report = place.run("solve 3x3 --stones 4 --json").json();
    assert_eq!((&report["moves"], &report["value"]), (&Value::Null, &"white wins".into()));
    place.run("solve 3x3 --moves --question white").misused(&["--moves", "--question"]);
}

#[test]
fn a_certificate_in_use_is_never_replaced_by_one_that_proves_less() {
    let place = Place::new();
    let claims = |file: &str| {
        let checked = place.run(&format!("check db/certificates/{file} --json")).json();
        let claims = checked["claims"].as_array().expect("a list").iter();
        claims.map(|claim| (claim["position"].to_string(), claim["value"].to_string())).collect::<Vec<_>>()
    };
    place.run("solve 3x3 --stones 8 --moves").done();
    let all = claims("3x3.proof");
    assert!(all.len() > 3);
    // With fewer tables, for one question, within no time: what was claimed stays claimed, and proved.
    for options in ["--stones 4", "--stones 4 --question black", "--stones 2 --limit 0s"] {
        place.run(&format!("solve 3x3 {options}")).done();
        let now = claims("3x3.proof");
        assert!(all.iter().all(|claim| now.contains(claim)), "{options}: {now:?}");
        assert!(place.has("db/certificates/3x3.proof.checked") && !place.has("db/certificates/3x3.2.proof"));
    }
    // One that cannot be used now, because a table is missing, is left alone.
    let path = place.path().join("db/certificates/3x3.proof");
    let bytes = fs::read(&path).expect("a certificate");
    for slice in ["3v5", "4v4", "5v3"] {
        fs::remove_file(place.path().join(format!("db/3x3/{slice}.wdl"))).expect("a table");
    }
    place.run("solve 3x3 --stones 4 --question black").done();
    assert!(fs::read(&path).expect("a certificate") == bytes && place.has("db/certificates/3x3.2.proof"));
    place.run("solve 3x3 --stones 8 --no-proofs").done();
    assert!(place.run("query BBB/B1W/WWW_w --no-build").done().contains("White to move wins"));
}

#[test]
fn a_certificate_whose_check_was_cut_short_is_checked_by_the_next_solve() {
    let place = Place::new();
    place.run("solve 5x5 --stones 6").done();
    // As a kill during the check leaves it.
    let file = |name: &str| place.path().join("db/certificates").join(name);
    fs::rename(file("5x5.proof"), file("5x5.proof.unchecked")).expect("a certificate");
    fs::remove_file(file("5x5.proof.checked")).expect("a record");
    let ran = place.run("solve 5x5 --stones 6 --json");
    assert!(ran.err.contains("5x5.proof: the certificate of an earlier solve is proved"), "{}", ran.err);
    let report = ran.json();
    assert!(report["value"] == "draw" && report["nodes"].as_u64() < Some(10), "{report}");
    assert!(!file("5x5.proof.unchecked").exists() && file("5x5.proof.checked").exists());
    // A damaged one is searched for again.
    fs::write(file("5x5.proof"), "damaged").expect("a file");
    let report = place.run("solve 5x5 --stones 6 --json").json();
    assert!(report["value"] == "draw" && report["nodes"].as_u64() > Some(100), "{report}");
    assert!(place.run("query BBBBB/BBBBB/BW1BW/WWWWW/WWWWW_w").done().contains("proved by 5x5.2.proof"));
    assert_eq!(fs::read(file("5x5.proof")).expect("a file"), b"damaged");
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

// What cannot be done

#[test]
fn boards_and_positions_that_make_no_sense() {
    let place = Place::new();
    place.run("solve 13x13").fails_silently(&["13x13", "64 points"]);
    place.run("solve 9x9 --stones 2").fails_silently(&["9x9", "64 points"]);
    place.run("solve 3x3 --stones 1").fails_silently(&["--stones", "2 or more"]);
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
fn a_certificate_that_cannot_be_written_is_said_before_the_search() {
    let place = Place::new();
    fs::create_dir(place.path().join("folder")).expect("a folder");
    fs::write(place.path().join("file"), "not a folder").expect("a file");
    for path in ["nowhere/start.proof", "folder", "file/start.proof"] {
        place.run(&format!("solve 3x3 --certificate {path}")).fails_silently(&[path, "--certificate"]);
    }
    assert_eq!(place.files(), BTreeSet::from([PathBuf::from("file")]));
    // What is there already is replaced in the end, not before.
    place.run("solve 3x3 --certificate file --position BBB/3/WW_w").fails_silently(&[]);
    assert_eq!(fs::read(place.path().join("file")).expect("a file"), b"not a folder");
    place.run("solve 3x3 --certificate file").done();
    place.run("check file").done();
    assert!(place.files().iter().all(|file| file.extension().is_none_or(|extension| extension != "tmp")));
}

#[cfg(unix)]
#[test]
fn outputs_follow_links_and_replace_files_alone() {
    let place = Place::new();
    let path = |name: &str| place.path().join(name);
    let kind = |name: &str| fs::symlink_metadata(path(name)).expect("something").file_type();
    make_pipe(&path("pipe"));
    place.run("build 3x3 --stones 3").done();
    for (link, file) in [("null", "/dev/null"), ("one", "two"), ("two", "real"), ("round", "round"), ("other", "pipe")]
    {
        std::os::unix::fs::symlink(file, path(link)).expect("a link");
    }
    for output in ["solve 3x3 --certificate", "report --html"] {
        for name in ["null", "pipe", "other", "round", "db"] {
            place.run(&format!("{output} {name}")).fails(&[name]);
        }
        place.run(&format!("{output} one")).done();
        assert!(kind("real").is_file() && fs::remove_file(path("real")).is_ok());
    }
    // The name that a file has until it is complete may be taken too.
    fs::write(path("kept"), "kept").expect("a file");
    for taken in ["kept", "pipe"] {
        std::os::unix::fs::symlink(taken, path("new.tmp")).expect("a link");
        for output in ["solve 3x3 --certificate", "report --html"] {
            place.run(&format!("{output} new")).fails(&["new", "remove it"]);
        }
        assert!(kind("new.tmp").is_symlink() && !path("new").exists());
        fs::remove_file(path("new.tmp")).expect("a link");
    }
    // The state of a search is an output as well, and nothing comes to lie beside a device.
    for name in ["null", "pipe", "other", "round", "db", "/dev/null"] {
        place.run(&format!("solve 3x3 --checkpoint {name}")).fails_at_once(&[name]);
    }
    std::os::unix::fs::symlink("nowhere/state", path("nowhere")).expect("a link");
    place.run("solve 3x3 --checkpoint nowhere").fails_at_once(&["nowhere"]);
    assert!(!Path::new("/dev/null.lock").exists() && !path("null.lock").exists());
    // So may that of a lock, where a pipe would be waited for.
    make_pipe(&path("state.lock"));
    place.run("solve 3x3 --checkpoint state").fails_at_once(&["state.lock", "a device or a pipe"]);
    assert_eq!(fs::read(path("kept")).expect("a file"), b"kept");
    fs::write(path("new.tmp"), "left by a process that was killed").expect("a file");
    place.run("report --html new").done();
    assert!(kind("new").is_file() && !path("new.tmp").exists());
    let mut game =
        place.command(&["play", "3x3"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a game");
    let commands = b"save pipe\nsave null\nsave one\nquit\n";
    game.stdin.take().expect("a pipe").write_all(commands).expect("a reader");
    let said = String::from_utf8(game.wait_with_output().expect("an end").stdout).expect("text");
    assert!(said.matches("a device or a pipe").count() == 2 && said.contains("Saved as one"), "{said}");
    assert!(kind("real").is_file() && ["null", "one", "two", "round"].iter().all(|link| kind(link).is_symlink()));
    assert!(!kind("pipe").is_file() && !fs::metadata("/dev/null").expect("a device").is_file());
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

#[test]
fn a_checkpoint_that_does_not_fit_is_refused() {
    let place = Place::new();
    let path = place.path().join("db/3x3/start.checkpoint");
    place.run("build 3x3 --stones 2").done();
    for content in ["", "FANOSAVE", "something else that is not a checkpoint"] {
        fs::write(&path, content).expect("a file");
        place.run("solve 3x3 --stones 2").fails_silently(&["db/3x3/start.checkpoint", "delete it"]);
        // It is not ours to remove.
        assert_eq!(fs::read(&path).expect("a file"), content.as_bytes());
    }
    fs::remove_file(&path).expect("a file");
    place.run("solve 3x3 --stones 2").done();
    // Before tables are built, which may take long.
    place.run("solve 5x3 --stones 4 --checkpoint nowhere/state").fails_silently(&["nowhere/state", "--checkpoint"]);
    assert!(!place.has("db/5x3/1v1.wdl"));
}

// Interruptions

const LONG: [&str; 9] = ["solve", "7x7", "--stones", "2", "--memory", "200M", "--threads", "1", "--no-proofs"];
const STATE: &str = "db/7x7/start.checkpoint";

#[cfg(unix)]
fn interrupt(child: &Child) {
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
}

/// Asserts that an interrupted solve ends soon and says how to go on.
#[cfg(unix)]
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
#[cfg(unix)]
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
#[cfg(unix)]
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

#[cfg(unix)]
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

#[cfg(unix)]
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
    let mut elsewhere = place.command(&[&LONG[..], &["--checkpoint", "state"]].concat()).spawn().expect("the program");
    std::thread::sleep(Duration::from_millis(300));
    assert!(elsewhere.try_wait().expect("a child").is_none(), "a checkpoint of its own, and yet it ended");
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
#[cfg(unix)]
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

// All results

/// A row of `reproduce` has all its fields, and a certificate that is there and proved.
fn is_proved(place: &Place, row: &Value) {
    let fields = [
        "board",
        "rules",
        "position",
        "value",
        "published",
        "agrees",
        "nodes",
        "stones",
        "seconds",
        "closure",
        "certificate",
        "moves",
    ];
    has_keys(row, &fields);
    has_keys(&row["seconds"], &["tables", "search", "check"]);
    has_keys(&row["certificate"], &["file", "bytes", "positions", "verdict"]);
    assert_eq!(row["certificate"]["verdict"], "proved");
    let file = row["certificate"]["file"].as_str().expect("a path");
    assert!(place.has(file), "{file}");
}

#[test]
fn reproduce_finds_the_published_values_and_proves_them() {
    let place = Place::new();
    let report = place.run("reproduce --json").json();
    has_keys(&report, &["results", "seconds"]);
    let results = report["results"].as_array().expect("a list");
    let mut found = BTreeMap::new();
    for row in results {
        is_proved(&place, row);
        assert_eq!(row["agrees"].as_bool(), row["published"].is_string().then_some(true), "{row}");
        found.insert(row["board"].as_str().expect("a board"), row["value"].as_str().expect("a word"));
    }
    let published = ["3x3", "3x5", "5x3", "3x7", "7x3", "3x9", "9x3"].map(|board| (board, "white wins"));
    for (board, value) in published.into_iter().chain([("5x5", "draw"), ("5x7", "white wins"), ("7x5", "draw")]) {
        assert_eq!(found.get(board), Some(&value), "{board}");
    }
    assert_eq!(found.len(), 10);
    // The README shows them in this order, and 9x5 after them.
    let readme = blocks(&page("README.md")).into_iter().find(|block| block.starts_with(" board ")).expect("a table");
    for (shown, row) in readme.lines().skip(1).zip(results) {
        let field = |name: &str, or: &str| row[name].as_str().unwrap_or(or).to_owned();
        let expected = [&field("board", ""), "default", &field("value", ""), &field("published", "ours")].join(" ");
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        assert!(shown.starts_with(&expected), "{shown}, not {expected}");
    }
    place.run("check db/certificates/3x5.proof").done();
}

/// What the oracle says of a position, as the colours see it.
fn oracle_value(position: &str) -> &'static str {
    match (oracle::solve_after(position, oracle::Rules::DEFAULT)[position].0, position.ends_with('w')) {
        (oracle::Value::Draw, _) => "draw",
        (oracle::Value::Win, true) | (oracle::Value::Loss, false) => "white wins",
        (oracle::Value::Win, false) | (oracle::Value::Loss, true) => "black wins",
    }
}

#[test]
fn reproduce_proves_the_starts_with_palindromes() {
    let place = Place::new();
    let report = place.run("reproduce --starts --json").json();
    let results = report["results"].as_array().expect("a list");
    let text = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
    let mut found = BTreeMap::new();
    for row in results {
        is_proved(&place, row);
        let (board, position) = (text(row, "board"), text(row, "position"));
        assert_eq!(row["published"], Value::Null, "{row}");
        // All ranks but the middle one are the standard start's; the middle one is a palindrome that alternates.
        let (columns, rows) = board.split_once('x').expect("a size");
        let standard = oracle::start(columns.parse().expect("a number"), rows.parse().expect("a number"));
        let half = rows.parse::<usize>().expect("a number") / 2;
        let (ranks, others) = (position.split('/').collect::<Vec<_>>(), standard.split('/').collect::<Vec<_>>());
        let alone = |ranks: &[&str]| (ranks[..half].join("/"), ranks[half + 1..].join("/"));
        assert_eq!(alone(&ranks), alone(&others), "{position}");
        let (left, right) = ranks[half].split_once('1').expect("an empty middle");
        assert_eq!(left.chars().rev().collect::<String>(), right, "{position}");
        assert!(right.as_bytes().windows(2).all(|pair| pair[0] != pair[1]), "{position}");
        if ["3x3", "3x5", "5x3"].contains(&&*board) {
            assert_eq!(text(row, "value"), oracle_value(&position), "{position}");
        }
        found.insert((board, ranks[half].to_owned()), text(row, "value"));
    }
    assert_eq!(found.len(), 20);
    // The page of results has these values, and those of 9x5 after them.
    let shown: BTreeMap<_, _> = (page("docs/results.md").lines())
        .skip_while(|line| !line.starts_with("| board | middle row |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches(['`', '*'])).collect();
            (cells[1] != "9x5").then(|| ((cells[1].to_owned(), cells[2].to_owned()), cells[3].to_lowercase()))
        })
        .collect();
    assert_eq!(shown, found);
    place.run("reproduce --starts --further").misused(&["--starts", "--further"]);
}

#[test]
fn one_first_move_wins_5x5_with_a_palindrome() {
    let place = Place::new();
    let position = "BBBBB/BBBBB/BW1WB/WWWWW/WWWWW w";
    let report = place.run_with(&["solve", "5x5", "--position", position, "--stones", "6", "--moves", "--json"]).json();
    assert_eq!(report["value"], "white wins");
    let moves = report["moves"].as_array().expect("a list");
    let winning: Vec<&Value> = moves.iter().filter(|m| m["value"] == "white wins").map(|m| &m["move"]).collect();
    // Its mirror image is the same move.
    assert_eq!(winning, ["c2-c3A"]);
    assert!(moves.iter().all(|m| m["value"] != "unknown"), "{moves:?}");
}

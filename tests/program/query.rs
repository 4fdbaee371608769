//! `fanorona query` with one position: its value and moves, what is not known, and positions that are refused.

use std::fs;

use serde_json::Value;

use crate::program::{Place, keys};
use crate::tables::{value_of, with_tables};

#[test]
fn the_start_of_a_large_board_is_unknown_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |arguments: &[&str]| {
        let program = std::process::Command::new(env!("CARGO_BIN_EXE_fanorona"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("the program runs");
        assert!(program.status.success(), "{}", String::from_utf8_lossy(&program.stderr));
        String::from_utf8_lossy(&program.stdout).into_owned()
    };
    run(&["build", "9x5", "--stones", "3"]);
    // Its captures go on for dozens of stones, and none of them may be followed without tables.
    let text = run(&["query", "9x5", "--search", "0"]);
    assert!(text.starts_with("BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w\n"), "{text}");
    assert!(text.contains("Value: unknown"), "{text}");
    assert_eq!(text.matches("  unknown  ").count(), 5, "{text}");
}

#[test]
fn a_query_shows_the_board_the_value_and_the_moves() {
    let place = with_tables();
    let text = place.run_with(&["query", "5/5/5/5/W3B w"]).done();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "5/5/5/5/W3B w");
    assert!(lines.contains(&"  1 W---·---+---·---B") && lines.contains(&"    a   b   c   d   e"), "{text}");
    assert!(lines.contains(&"    White to move") && lines.contains(&"Value: White to move wins, by tables"), "{text}");
    let moves = &lines[lines.len() - 3..];
    let words: Vec<Vec<&str>> = moves.iter().map(|line| line.split_whitespace().take(2).collect()).collect();
    assert_eq!(words, [["a1-b2", "win"], ["a1-a2", "draw"], ["a1-b1", "loss"]], "{text}");
    // The space may be written as an underscore, and empty points as dots.
    assert_eq!(place.run("query W3B/5/...../5/5_b").code, Some(0));
}

#[test]
fn a_query_in_json_has_exactly_its_fields() {
    const BEST_FIRST: [&str; 3] = ["win", "draw", "loss"];
    let place = with_tables();
    for position in ["5/5/5/5/W3B w", "W4/5/2B2/5/1W2B b", "5/1BB2/5/5/W4 w", "5/5/2W2/5/1B1B1 b", "BB3/W4/5/5/5 w"] {
        let answer = place.run_with(&["query", position, "--json"]).json();
        assert_eq!(keys(&answer), ["position", "board", "rules", "value", "dtw", "source", "proof", "moves"].into());
        assert_eq!((&answer["position"], &answer["board"]), (&position.into(), &"5x5".into()));
        let moves = answer["moves"].as_array().expect("a list");
        let mut ranks = Vec::new();
        for one in moves {
            assert_eq!(keys(one), ["move", "position", "value", "dtw", "source", "proof"].into());
            let rank = |word: &str| BEST_FIRST.iter().position(|&known| known == word).expect("a value");
            // The opponent is to move in the position after it.
            let after = value_of(&place, one["position"].as_str().unwrap());
            ranks.push(rank(one["value"].as_str().unwrap()));
            assert_eq!(ranks.last(), Some(&(2 - rank(&after))));
        }
        assert!(ranks.is_sorted(), "{answer}");
        // With a move, a position is worth what the best one is.
        assert_eq!(answer["value"], moves.first().expect("a move")["value"]);
    }
}

#[test]
fn what_a_search_finds_holds_for_every_move() {
    let (place, larger) = (with_tables(), Place::new());
    larger.run("build 5x5 --stones 6").done();
    // Least and most, for the player who makes the move.
    let bounds = |word: &str, mover: &str| match word {
        "win" => (2, 2),
        "draw" => (1, 1),
        "loss" => (0, 0),
        "unknown" => (0, 2),
        bound => {
            if bound.starts_with(mover) {
                (1, 2)
            } else {
                (0, 1)
            }
        }
    };
    let mut values = [0; 3];
    for position in [
        "5/5/5/BBB2/WWW2 w",
        "5/BBBB1/5/5/3WW w",
        "4W/BBBB1/5/5/W4 w",
        "BB2B/5/5/5/W3W w",
        "WW3/5/5/2B2/B2BB b",
        "BB3/5/2B2/5/W2WW w",
    ] {
        let mover = if position.ends_with('w') { "white" } else { "black" };
        let answer = place.run_with(&["query", position, "--no-build", "--search", "20s", "--json"]).json();
        assert_eq!(answer["source"], "search", "{answer}");
        let value = bounds(answer["value"].as_str().expect("a word"), mover);
        values[value.0] += 1;
        let mut all = Vec::new();
        for one in answer["moves"].as_array().expect("a list") {
            let found = bounds(one["value"].as_str().expect("a word"), mover);
            let after = value_of(&larger, one["position"].as_str().expect("a position"));
            let (truth, _) = bounds(&after, "");
            assert!(found.0 <= 2 - truth && 2 - truth <= found.1, "{one}: {after}");
            all.push(found);
        }
        assert!(all.is_sorted_by(|one, other| one >= other), "{answer}");
        assert_eq!(all[0], value, "{answer}");
    }
    assert!(values.iter().all(|&count| count > 0), "{values:?}");
}

/// The example of the ICGA page, with the lines given there.
#[test]
fn the_published_3x3_example() {
    let place = Place::new();
    place.run("build 3x3 --stones 3").done();
    let answer = place.run_with(&["query", "1B1/1W1/1W1 w", "--json"]).json();
    assert_eq!(answer["value"], "draw");
    let outcome = |text: &str| {
        let moves = answer["moves"].as_array().expect("a list").iter();
        moves.clone().find(|one| one["move"] == text).expect("a move")["value"].clone()
    };
    assert_eq!(["b2-a3", "b2-a2", "b2-a1", "b1-a1"].map(outcome), ["loss", "loss", "loss", "draw"]);
    assert_eq!(value_of(&place, "1B1/2W/1W1 b"), "win");
    assert_eq!(value_of(&place, "WB1/3/1W1 b"), "win");
}

#[test]
fn endings_and_large_boards_need_no_tables() {
    let place = Place::new();
    assert_eq!(value_of(&place, "5/5/5/5/W4 w"), "win");
    assert_eq!(value_of(&place, "5/5/5/5/W4 b"), "loss");
    assert_eq!(value_of(&place, "13/13/13/13/13/13/13/13/13/13/13/13/W12 w"), "win");
    assert_eq!(value_of(&place, "13/13/13/13/13/13/13/13/13/13/13/13/WB11 w"), "unknown");
    // White cannot move: a loss, or a draw where the rules say so.
    assert_eq!(value_of(&place, "1/B/W w"), "loss");
    let drawn = place.run_with(&["query", "1/B/W w", "--stalemate", "draw", "--json"]).json();
    assert_eq!((&drawn["value"], &drawn["moves"]), (&"draw".into(), &Value::Array(Vec::new())));
}

#[test]
fn what_no_table_covers_is_unknown() {
    let place = with_tables();
    let ran = place.run_with(&["query", "5/5/5/BBB2/WWW2 w", "--no-build", "--search", "0"]);
    assert_eq!((ran.code, ran.err.lines().count()), (Some(0), 1), "{}", ran.err);
    assert!(ran.out.contains("Value: unknown"), "{}", ran.out);
    let hint = [
        "the position has 6 stones",
        "build tables to 6 stones, about ",
        " s and ",
        ": fanorona build 5x5 --stones 6\n",
    ];
    assert!(hint.iter().all(|word| ran.err.contains(word)), "{}", ran.err);
    // Nobody builds tables for so many.
    let start = "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w";
    let ran = place.run_with(&["query", start, "--search", "0", "--db", "elsewhere", "--stalemate", "draw"]);
    let hint = "the position has 44 stones; solve it: \
                fanorona solve 9x5 --stalemate draw --db elsewhere\n";
    assert!(ran.err.ends_with(hint) && !ran.err.contains("build"), "{}", ran.err);
    let crowded = "BBBBBBBBB/9/9/WWWWWWWWW/9 b";
    let ran = place.run_with(&["query", crowded, "--search", "10ms"]);
    assert!(ran.err.ends_with(&format!("fanorona solve 9x5 --position \"{crowded}\"\n")), "{}", ran.err);
    let ran = place.run_with(&["query", "5/5/5/BBB2/WWW2 w", "--no-build", "--search", "0", "--json"]);
    assert!(ran.err.is_empty(), "{}", ran.err);
    assert_eq!(ran.json()["value"], "unknown");
    // Another board and other rules have no tables yet.
    let no_build = |position: &str, more: &[&str]| {
        let arguments = [&["query", position, "--json", "--no-build", "--search", "0"], more].concat();
        place.run_with(&arguments).json()["value"].clone()
    };
    assert_eq!(no_build("3/2B/W2 w", &[]), "unknown");
    let other = no_build("5/5/5/5/W3B w", &["--continuation", "obligatory"]);
    assert_eq!(other, "unknown");
    assert_eq!(no_build("5/5/5/5/W3B w", &["--db", "nowhere"]), "unknown");
    assert!(!place.path().join("nowhere").exists());
}

#[test]
fn a_query_builds_small_tables_that_it_needs() {
    let place = Place::new();
    let position = "5/5/5/BB3/WW2W w";
    let ran = place.run_with(&["query", position, "--json"]);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    assert!(ran.err.starts_with("Building in db/5x5: tables to 5 stones, about "), "{}", ran.err);
    let answer = ran.json();
    assert_ne!(answer["value"], "unknown");
    // They are the tables of an ordinary build.
    place.run("build 5x5 --stones 5 --db built").done();
    assert!(place.run("build 5x5 --stones 5").done().contains("already"));
    for name in ["3v2.wdl", "1v1.wdl", "XXH128SUMS"] {
        let read = |database: &str| std::fs::read(place.path().join(database).join("5x5").join(name)).expect("a file");
        assert!(read("db") == read("built"), "{name}");
    }
    let again = place.run_with(&["query", position, "--json"]);
    assert_eq!((again.err.clone(), again.json()), (String::new(), answer));
    // A stream builds nothing.
    let ran = place.run_on("query --stdin --db stream", b"5/5/5/BB3/WW2W w");
    assert!(ran.err.starts_with("there are no tables or certificates of 5x5 in stream; build "), "{}", ran.err);
    assert_eq!(ran.done(), "5/5/5/BB3/WW2W w,unknown\n");
    assert!(!place.path().join("stream").exists());
    // While another build has the folder, the position is unknown.
    let folder = place.path().join("db/3x5");
    std::fs::create_dir_all(&folder).expect("a folder");
    let lock = std::fs::File::create(folder.join(".lock")).expect("a file");
    lock.lock().expect("a lock");
    let ran = place.run_with(&["query", "3/3/3/2B/W2 w", "--search", "0", "--json"]);
    assert!(ran.err.lines().count() == 2 && ran.err.contains("in use by another build"), "{}", ran.err);
    assert_eq!(ran.json()["value"], "unknown");
}

#[test]
fn what_only_an_unchecked_certificate_says_is_claimed() {
    let place = Place::new();
    let start = "BBB/B1W/WWW w";
    let folder = place.path().join("x/certificates");
    fs::create_dir_all(&folder).expect("a folder");
    place.run("solve 3x3 --stones 0 --db x --certificate x/certificates/3x3.proof").done();
    fs::rename(folder.join("3x3.proof.checked"), folder.join("record")).expect("a record");
    let query =
        |more: &[&str]| place.run_with(&[&["query", start, "--no-build", "--search", "0", "--db", "x"], more].concat());
    // The remedy is a command that can be typed as it is.
    let ran = query(&[]);
    let help = "it has not been checked; to check it: fanorona check x/certificates/3x3.proof --db x\n";
    assert!(ran.out.contains("Value: unknown") && ran.err.contains(help), "{}{}", ran.out, ran.err);
    let text = query(&["--trust-certificates"]).done();
    assert!(text.contains("wins, claimed by 3x3.proof (unchecked)\n") && text.contains(", claimed  "), "{text}");
    assert!(!text.contains("proved"), "{text}");
    let json = query(&["--trust-certificates", "--json"]).json();
    assert_eq!((&json["value"], &json["proof"]), (&"win".into(), &"3x3.proof (unchecked)".into()));
    place.run("check x/certificates/3x3.proof --db x").done();
    for trust in [&[][..], &["--trust-certificates"]] {
        let text = query(trust).done();
        assert!(text.contains("wins, proved by 3x3.proof\n") && !text.contains("claimed"), "{text}");
    }
    // Of no use to other rules, which is said where nothing else explains.
    let other = query(&["--stalemate", "draw"]);
    assert!(other.err.contains("3x3.proof is not used: it is for other rules"), "{}", other.err);
    fs::write(folder.join("bad.proof"), "nothing").expect("a file");
    let other = query(&["--stalemate", "draw"]);
    assert!(!other.err.contains("other rules") && other.err.contains("bad.proof is refused"), "{}", other.err);
}

#[test]
fn malformed_positions_are_refused() {
    let place = with_tables();
    let malformed = [
        ("", "must end in"),
        ("4x", "a board such as 9x5"),
        ("4x4", "columns and rows must be odd numbers"),
        ("5/5/5/5/W3B", "must end in"),
        ("5/5/5/5/W3B x", "must end in"),
        ("5/5/5/5/W3B w w", "must end in"),
        ("5/5/5/5/W3 w", "rank 5"),
        ("5/5/5/5/W3X w", "'X'"),
        ("5/5/5//W3B w", "rank 4"),
        ("5/5/5/0/W3B w", "rank 4"),
        ("5/5/5/99999999999999999999/W3B w", "rank 4"),
        ("4/4/4/4 w", "4x4"),
        ("5/5/5/5 w", "5x4"),
        ("14/14/14 w", "rank 1"),
        ("ẞ/5/5/5/5 w", "'ẞ'"),
        (" w", "must end in"),
        ("/ w", "rank 1"),
    ];
    for (position, word) in malformed {
        place.run_with(&["query", position]).fails_at_once(&[word]);
    }
}

#[test]
fn on_a_board_too_large_for_tables_a_query_says_so() {
    let place = Place::new();
    let (open, over) = ("9/9/9/9/9/9/9/9/W6BB w", "9/9/9/9/9/9/9/9/W8 b");
    let ran = place.run_with(&["query", open]);
    assert!(ran.err.contains("The value is unknown") && ran.err.contains("up to 64 points"), "{}", ran.err);
    assert!(ran.done().contains("Value: unknown"));
    place.run_with(&["query", open, "--line"]).fails_at_once(&["9x9", "64 points"]);
    let ran = place.run_with(&["query", over]);
    assert!(ran.err.is_empty(), "{}", ran.err);
    assert!(ran.done().contains("Black to move loses in 0 plies"));
    for option in ["--csv", "--best"] {
        place.run_with(&["query", open, option]).misused(&[option]);
    }
}

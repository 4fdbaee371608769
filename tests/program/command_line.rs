//! The program from outside: its commands, their output, their errors.

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::process::{Command, Stdio};

use fanorona::board::BoardSize;
use fanorona::index::{self, Slice, binomial};
use fanorona::retro::{Slices, decode};
use fanorona::rules::{Outcome, RuleSet};
use fanorona::table::{DEFAULT_CACHE_BYTES, SliceValues, Tables, lock_folder, save_table};
use serde_json::Value;

#[cfg(unix)]
use crate::program::make_pipe;
use crate::program::{Place, Ran, assert_same_files, files, keys};

/// A folder with tables of 5x5 to four stones.
fn with_tables() -> Place {
    let place = Place::new();
    place.run("build 5x5 --stones 4").done();
    place
}

/// The value of a position, in one word.
fn value_of(place: &Place, position: &str) -> String {
    let answer = place.run_with(&["query", position, "--no-build", "--search", "0", "--json"]).json();
    answer["value"].as_str().expect("a word").to_owned()
}

fn placements(points: usize, mover: usize, opponent: usize) -> u64 {
    binomial(points, mover) * binomial(points - mover, opponent)
}

fn placements_to(points: usize, stones: usize) -> u64 {
    let slices = (1..stones).flat_map(|mover| (1..=stones - mover).map(move |opponent| (mover, opponent)));
    slices.map(|(mover, opponent)| placements(points, mover, opponent)).sum()
}

// Query

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
    let text = run(&["query", "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w", "--search", "0"]);
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
        assert_eq!(keys(&answer), ["position", "board", "value", "dtw", "source", "proof", "moves"].into());
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
    let hint = "the position has 44 stones, too many for tables on this machine; solve it: \
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
    assert_eq!(place.run_on("query --stdin --db stream", b"5/5/5/BB3/WW2W w").done(), "5/5/5/BB3/WW2W w,unknown\n");
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

const LINES: &str =
    "5/5/5/5/W3B w\nrubbish\n\n5/5/5/5/W3B_b\r\n5/5/5/BBB2/WWW2 w\n  5/5/5/5/4B w \n\"x,y\"\n3/3/3\n5/5/5/5/W2B1 w";

#[test]
fn a_stream_is_answered_line_by_line_in_order() {
    let place = with_tables();
    let ran = place.run_on("query --stdin --csv", LINES.as_bytes());
    let expected = "position,value\n5/5/5/5/W3B w,win\nrubbish,error\n,error\n5/5/5/5/W3B_b,win\n\
        5/5/5/BBB2/WWW2 w,unknown\n5/5/5/5/4B w,loss\n\"\"\"x,y\"\"\",error\n3/3/3,error\n5/5/5/5/W2B1 w,";
    assert!(ran.out.starts_with(expected) && ran.out.lines().count() == 10, "{}", ran.out);
    ran.fails(&["4 of 9 lines"]);
    let numbers: Vec<&str> = ran.err.lines().filter_map(|line| line.split_once(':')).map(|(start, _)| start).collect();
    assert_eq!(numbers, ["line 2", "line 3", "line 7", "line 8", "fanorona"]);
    // Without --csv there is no line of names.
    let plain = place.run_on("query --stdin", LINES.as_bytes());
    assert_eq!(format!("position,value\n{}", plain.out), ran.out);
    // As JSON, an object a line.
    let ran = place.run_on("query --stdin --json", LINES.as_bytes());
    ran.fails(&["4 of 9 lines"]);
    let objects: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(objects[3], serde_json::json!({ "position": "5/5/5/5/W3B_b", "value": "win" }));
    let refused = &objects[6];
    assert_eq!((&refused["position"], &refused["value"]), (&"\"x,y\"".into(), &"error".into()));
    let why = ran.err.lines().find_map(|line| line.strip_prefix("line 7: ")).expect("a reason");
    assert_eq!(refused["error"], why);
    let with_errors = objects.iter().filter(|object| keys(object) == ["position", "value", "error"].into()).count();
    let without = objects.iter().filter(|object| keys(object) == ["position", "value"].into()).count();
    assert_eq!((with_errors, without), (4, 5));
}

#[test]
fn a_stream_gives_depths_and_best_moves() {
    let place = Place::new();
    place.run("build 3x3 --stones 5").done();
    place.run("build 3x3 --stones 5 --metric dtw").done();
    let positions = ["1B1/1B1/WWW w", "BB1/1B1/WW1 b", "1B1/1W1/3 w", "B2/3/2W w", "BBB/B1W/WWW w", "3/1B1/3 w"];
    let input = positions.join("\n") + "\nrubbish\n";
    let ran = place.run_on("query --stdin --best --json", input.as_bytes());
    let objects: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    for (position, object) in positions.iter().zip(&objects) {
        let answer = place.run_with(&["query", position, "--no-build", "--search", "0", "--json"]).json();
        let known = answer["value"] != "unknown";
        let best = if known { answer["moves"][0]["move"].clone() } else { Value::Null };
        let expected = [&answer["value"], &answer["dtw"], &best];
        assert_eq!([&object["value"], &object["dtw"], &object["best"]], expected, "{position}");
    }
    assert!(objects[0]["dtw"].is_u64() && objects[0]["best"].is_string() && objects[4]["best"].is_null());
    assert!(objects[6]["value"] == "error" && objects[6]["best"].is_null() && objects[6]["error"].is_string());
    let rows = place.run_on("query --stdin --best --csv", input.as_bytes());
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string().replace("null", ""), str::to_owned);
    let row = |object: &Value| ["position", "value", "dtw", "best"].map(|name| text(&object[name])).join(",");
    let expected: Vec<String> = objects.iter().map(row).collect();
    assert_eq!(rows.out, format!("position,value,dtw,best\n{}\n", expected.join("\n")));
}

#[test]
fn a_line_without_end_costs_only_itself() {
    let place = with_tables();
    let long = "5".repeat(1 << 24);
    let input = format!("5/5/5/5/W3B w\n{long}\n5/5/5/5/4B w\n{long}");
    let ran = place.run_on("query --stdin", input.as_bytes());
    assert_eq!(ran.out, "5/5/5/5/W3B w,win\n,error\n5/5/5/5/4B w,loss\n,error\n");
    let why = "the line has more than 65536 bytes and is left out";
    assert!(ran.err.starts_with(&format!("line 2: {why}\nline 4: {why}\n")), "{}", ran.err);
    ran.fails(&["2 of 4"]);
    let talk = place.run_on("uci", format!("{long}\nisready\n").as_bytes());
    assert_eq!(talk.done(), format!("info string error: {why}\nreadyok\n"));
    let game = place.run_on("play 3x3 --white person --black person", format!("{long}\nquit\n").as_bytes());
    assert!(game.done().contains(why));
}

#[test]
fn a_stream_agrees_with_single_queries() {
    let place = Place::new();
    place.run("build 3x3 --stones 4").done();
    // The value of this follows from values two moves away.
    let positions = ["1B1/1B1/WWW w", "BB1/1B1/WW1 b", "BBB/B1W/WWW w", "BB1/B1W/1WW b", "5/5/2B2/5/WW3 w"];
    let ran = place.run_on("query --stdin", positions.join("\n").as_bytes()).done();
    let single = |position: &&str| {
        let answer = place.run_with(&["query", position, "--no-build", "--search", "0", "--json"]).json();
        format!("{position},{}\n", answer["value"].as_str().expect("a word"))
    };
    assert_eq!(ran, positions.iter().map(single).collect::<String>());
    assert!(ran.starts_with("1B1/1B1/WWW w,win\n"), "{ran}");
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
fn a_stream_without_bad_lines_succeeds() {
    let place = with_tables();
    assert_eq!(place.run_on("query --stdin", b"").done(), "");
    assert_eq!(place.run_on("query --stdin --csv", b"").done(), "position,value\n");
    assert_eq!(place.run_on("query --stdin", b"5/5/5/5/W3B w").done(), "5/5/5/5/W3B w,win\n");
    // Boards may change from line to line.
    let mixed = place.run_on("query --stdin", b"3/2B/W2 w\n5/5/5/5/W3B w\n1/1/W w\n");
    assert_eq!(mixed.done(), "3/2B/W2 w,unknown\n5/5/5/5/W3B w,win\n1/1/W w,win\n");
}

#[test]
fn a_long_stream_keeps_its_order_and_its_line_numbers() {
    let place = with_tables();
    let (mut input, mut expected) = (String::new(), String::new());
    for number in 1..=40_000 {
        let (line, word) = match number {
            16_390 | 39_999 => ("what?", "error"),
            _ if number % 3 == 0 => ("5/5/5/5/W3B w", "win"),
            _ if number % 3 == 1 => ("5/5/5/5/4B w", "loss"),
            _ => ("5/5/5/BBB2/WWW2 w", "unknown"),
        };
        writeln!(input, "{line}").expect("strings take everything");
        writeln!(expected, "{line},{word}").expect("strings take everything");
    }
    let ran = place.run_on("query --stdin", input.as_bytes());
    assert!(ran.out == expected, "lines are out of order");
    ran.fails(&["2 of 40000"]);
    assert!(ran.err.starts_with("line 16390: ") && ran.err.contains("\nline 39999: "), "{}", ran.err);
}

#[test]
fn bytes_that_are_no_text_are_a_bad_line() {
    let place = with_tables();
    let ran = place.run_on("query --stdin", b"\xff\xfe\x00\n5/5/5/5/W3B w\n");
    ran.fails(&["1 of 2"]);
    assert!(ran.out.ends_with("\n5/5/5/5/W3B w,win\n"), "{}", ran.out);
}

#[test]
fn malformed_positions_are_refused() {
    let place = with_tables();
    let malformed = [
        ("", "must end in"),
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

// Stats, verify, info, perft

#[test]
fn stats_add_up_to_all_placements() {
    let place = with_tables();
    let stats = place.run("stats 5x5 --json").json();
    assert_eq!(keys(&stats), ["board", "rules", "slices", "totals"].into());
    assert_eq!(stats["board"], "5x5");
    let rules = serde_json::json!({ "diagonals": "corner", "continuation": "optional", "directions": "not-repeated", "stalemate": "loss" });
    assert_eq!(stats["rules"], rules);
    let slices = stats["slices"].as_array().expect("a list");
    let number = |object: &Value, key: &str| object[key].as_u64().expect("a number");
    let names: Vec<(u64, u64)> = slices.iter().map(|s| (number(s, "mover"), number(s, "opponent"))).collect();
    assert_eq!(names, [(1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (2, 2)]);
    let counts = ["positions", "wins", "draws", "losses", "quiet", "bytes"];
    for slice in slices {
        assert!(keys(slice).is_superset(&counts.into()));
        let (mover, opponent) = (number(slice, "mover"), number(slice, "opponent"));
        let formula = placements(25, usize::try_from(mover).unwrap(), usize::try_from(opponent).unwrap());
        assert_eq!(number(slice, "positions"), formula);
        assert_eq!(["wins", "draws", "losses"].map(|key| number(slice, key)).iter().sum::<u64>(), formula);
        assert!(number(slice, "quiet") < formula);
        let file = place.path().join(format!("db/5x5/{mover}v{opponent}.wdl"));
        assert_eq!(number(slice, "bytes"), fs::metadata(file).expect("a table").len());
    }
    assert_eq!(keys(&stats["totals"]), [&counts[..], &["depth_bytes"]].concat().into_iter().collect());
    for key in counts {
        assert_eq!(number(&stats["totals"], key), slices.iter().map(|slice| number(slice, key)).sum::<u64>());
    }
    assert_eq!(number(&stats["totals"], "positions"), placements_to(25, 4));
    let text = place.run("stats 5x5").done();
    assert!(text.lines().last().is_some_and(|line| line.contains("191 500")), "{text}");
}

#[test]
fn sound_tables_pass_every_check() {
    let place = with_tables();
    for options in ["", "--full", "--sample 500", "--sample 500 --seed 7 --threads 1", "--sample 1000000"] {
        let text = place.run(&format!("verify 5x5 {options}")).done();
        assert!(text.contains("6 files: every checksum is correct") && text.contains("all consistent"), "{text}");
    }
    assert!(place.run("verify 5x5 --full").done().contains("191 500 positions checked"));
    // The set without its largest slice is still checked as far as it goes.
    fs::remove_file(place.path().join("db/5x5/2v2.wdl")).unwrap();
    assert!(place.run("verify 5x5 --full").done().contains("to 3 stones and 3v1, 1v3: 115 600 positions"));
    place.run("verify 5x5 --full --sample 5").misused(&["--sample"]);
}

/// Changes the value of one quiet position from `before` to `after`, in a table whose checksums fit.
fn tamper(place: &Place, slice: Slice, before: Outcome, after: Outcome) {
    let size: BoardSize = "5x5".parse().expect("a board");
    let (database, rules) = (place.path().join("db"), RuleSet::default());
    let tables = Tables::open(&database, size, rules, DEFAULT_CACHE_BYTES).expect("tables");
    let space = tables.space();
    let mut slices = Slices::new();
    for slice in Slice::up_to(4, 25) {
        let table = tables.folder().get(slice).expect("a table");
        let values = decode(space, rules, table, &slices).expect("undamaged tables");
        slices.insert(slice, values);
    }
    let values = &slices[&slice];
    let sets = |stones: usize| (0..1u64 << 12).filter(move |set| set.count_ones() as usize == stones);
    let (mover, opponent) = sets(slice.mover)
        .flat_map(|mover| sets(slice.opponent).map(move |opponent| (mover, opponent << 13)))
        .filter(|&(mover, opponent)| {
            tables.rules().for_each_capture(mover, opponent, |_, _| ControlFlow::Break(())).is_continue()
        })
        .find(|&(mover, opponent)| values.value(space, mover, opponent) == before)
        .expect("a quiet position of that value");
    let index::Place { row, column, .. } = space.locate(slice, mover, opponent);
    let mut planes = values.planes(space).into_owned();
    for (plane, bit) in [(&mut planes.not_win, after != Outcome::Win), (&mut planes.loss, after == Outcome::Loss)] {
        let at = row * plane.stride() + column / 64;
        let word = &mut plane.words_mut()[at];
        *word = *word & !(1 << (column % 64)) | u64::from(bit) << (column % 64);
    }
    let changed = SliceValues::new(slice, planes.loss, planes.not_win);
    save_table(&database.join("5x5"), space, rules, &changed).expect("a table");
    let tables = Tables::open(&database, size, rules, DEFAULT_CACHE_BYTES).expect("tables");
    assert_eq!(tables.probe(mover, opponent).expect("checksums that fit"), Some(after));
}

#[test]
fn a_proof_over_tables_with_a_wrong_value_says_that_they_are_not_the_published_ones() {
    let place = with_tables();
    let proof = || {
        let said = place.run("solve 5x5 --stones 4 --no-proofs --certificate proof").done();
        assert!(said.contains("proved, given the tables"), "{said}");
        place.run("check proof").done()
    };
    assert!(proof().contains("proved, given tables to 4 stones (the published ones, not verified)"));
    tamper(&place, Slice::new(2, 2), Outcome::Draw, Outcome::Win);
    let said = proof();
    assert!(said.contains("proved, given tables to 4 stones (other than the published ones, not verified)"), "{said}");
}

#[test]
fn a_single_wrong_value_is_found() {
    use Outcome::{Draw, Loss, Win};
    let cases = [
        (Slice::new(2, 2), Draw, Win),
        (Slice::new(2, 2), Draw, Loss),
        (Slice::new(2, 2), Win, Draw),
        (Slice::new(1, 3), Loss, Draw),
        (Slice::new(1, 1), Win, Loss),
        (Slice::new(1, 2), Draw, Loss),
    ];
    for (slice, before, after) in cases {
        let place = with_tables();
        tamper(&place, slice, before, after);
        for options in ["--full", "--sample 200000", "--full --threads 1"] {
            let ran = place.run(&format!("verify 5x5 {options}"));
            ran.fails_at_once(&["is stored as", "build again"]);
            // The checksums fit: it takes the values to notice.
            assert!(ran.out.contains("every checksum is correct"), "{}", ran.out);
        }
    }
}

#[test]
fn damaged_tables_are_named_by_every_command() {
    let place = with_tables();
    let file = place.path().join("db/5x5/2v2.wdl");
    let good = fs::read(&file).expect("a table");
    let mut block = good.clone();
    *block.last_mut().expect("bytes") ^= 1;
    fs::write(&file, &block).unwrap();
    place.run("verify 5x5").fails_at_once(&["2v2.wdl", "damaged", "build again"]);
    place.run("verify 5x5 --full").fails_at_once(&["2v2.wdl", "damaged", "build again"]);
    // A build that needs its values says so, and leaves no part of a file.
    place.run("build 5x5 --stones 5").fails(&["2v2.wdl", "damaged", "build again"]);
    assert!(files(&place.path().join("db/5x5")).keys().all(|name| !name.contains(".tmp")));
    fs::write(&file, &good[..good.len() / 2]).unwrap();
    for command in ["verify 5x5", "stats 5x5", "stats 5x5 --json", "info", "query 5/5/5/5/W3B_w"] {
        place.run(command).fails_at_once(&["2v2.wdl", "build again"]);
    }
    // The remedy helps.
    fs::remove_file(&file).unwrap();
    place.run("build 5x5 --stones 4").done();
    assert!(fs::read(&file).expect("a table") == good);
}

#[test]
fn a_build_replaces_tables_that_cannot_be_used_and_keeps_the_old_files() {
    let place = Place::new();
    let folder = place.path().join("db/3x3");
    place.run("build 3x3 --stones 4 --metric both").done();
    place.run("build 3x3 --stones 4 --db other --continuation obligatory").done();
    let (table, foreign) = (folder.join("2v2.wdl"), place.path().join("other/3x3-obligatory/2v2.wdl"));
    let sound = fs::read(&table).expect("a table");
    let files = [Vec::new(), b"noise".to_vec(), sound[..sound.len() - 1].to_vec(), fs::read(foreign).expect("a table")];
    let one = fs::read(folder.join("3v1.wdl")).expect("a table");
    for (number, broken) in (1..).zip(files.into_iter().chain([one])) {
        fs::write(&table, &broken).expect("a file");
        place.run("info").fails(&["2v2.wdl"]);
        assert!(!place.run("build 3x3 --stones 4 --metric both").done().contains("already has"));
        assert_eq!(fs::read(&table).expect("a table"), sound);
        let aside = if number == 1 { "2v2.wdl.unusable".to_owned() } else { format!("2v2.wdl.unusable-{number}") };
        assert_eq!(fs::read(folder.join(aside)).expect("the old file"), broken);
        place.run("info").done();
    }
    // Depths that rest on values need sound ones.
    fs::write(&table, "noise").expect("a file");
    fs::remove_file(folder.join("2v2.dtw")).expect("a table");
    place.run("build 3x3 --stones 4 --metric dtw").fails(&["2v2.wdl", "build"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let place = Place::new();
    let folder = place.path().join("db/3x3");
    place.run("build 3x3 --stones 4").done();
    let table = folder.join("2v2.wdl");
    let sound = fs::read(&table).expect("a table");
    fs::remove_file(&table).expect("a table");
    make_pipe(&table);
    for command in ["info", "verify 3x3", "stats 3x3", "query 3/WB1/1WB_w"] {
        place.run(command).fails(&["2v2.wdl"]);
    }
    place.run("build 3x3 --stones 4").done();
    assert_eq!(fs::read(&table).expect("a table"), sound);
    place.run("solve 3x3 --stones 4").done();
    for file in ["VERIFIED", "../certificates/3x3.proof.checked", "../certificates/3x3.proof"] {
        let file = folder.join(file);
        let _ = fs::remove_file(&file);
        make_pipe(&file);
        for command in ["query 3/WB1/1WB_w", "report", "stats 3x3"] {
            place.run(command).done();
        }
        fs::remove_file(file).expect("a pipe");
    }
    make_pipe(&folder.join("VERIFIED"));
    let verified = place.run("verify 3x3");
    for word in ["not recorded", "VERIFIED", "a device or a pipe"] {
        assert!(verified.err.contains(word), "{}", verified.err);
    }
    verified.done();
}

#[test]
fn info_lists_every_board_and_rule_set() {
    let place = Place::new();
    fs::create_dir(place.path().join("db")).unwrap();
    assert!(place.run("info").done().contains("no tables"));
    assert_eq!(place.run("info --json").json(), Value::Array(Vec::new()));
    place.run("build 5x5 --stones 3").done();
    place.run("build 3x5 --stones 2 --diagonals centre --stalemate draw").done();
    // Folders of other kinds are not looked at.
    for name in ["notes", "4x4", "5x5-other", "05x5"] {
        fs::create_dir(place.path().join("db").join(name)).unwrap();
    }
    let info = place.run("info --json").json();
    let found: Vec<_> = info.as_array().expect("a list").iter().map(|one| (&one["board"], &one["positions"])).collect();
    assert_eq!(found, [(&"3x5".into(), &placements_to(15, 2).into()), (&"5x5".into(), &placements_to(25, 3).into())]);
    assert_eq!(info[0]["rules"]["diagonals"], "centre");
    assert_eq!((&info[1]["stones"], &info[1]["slices"]), (&3.into(), &3.into()));
    let text = place.run("info").done();
    assert!(text.contains("5x5") && text.contains("centre, optional, not-repeated, draw"), "{text}");
}

#[test]
fn perft_numbers() {
    let place = Place::new();
    assert_eq!(place.run("perft 9x5 5").done(), "1 5\n2 39\n3 724\n4 18026\n5 431830\n");
    assert_eq!(place.run("perft 5x5 5").done(), "1 5\n2 21\n3 202\n4 3469\n5 34608\n");
    assert_eq!(place.run("perft 5x5 5 --directions once").done(), "1 5\n2 21\n3 180\n4 2506\n5 24071\n");
    assert_eq!(place.run("perft 5x5 3 --directions turning").done(), "1 5\n2 21\n3 202\n");
    place.run("perft 5x5 3 --directions twice").misused(&["--directions", "not-repeated, once"]);
    let from = place.run_with(&["perft", "5x5", "1", "--position", "5/5/5/5/W3B w"]);
    assert_eq!(from.done(), "1 3\n");
    assert_eq!(place.run("perft 13x13 1").done().lines().count(), 1);
    place.run_with(&["perft", "3x3", "2", "--position", "5/5/5/5/W3B w"]).fails_at_once(&["5x5", "3x3"]);
    place.run("perft 9x5 many").misused(&["many"]);
}

// What cannot be done

#[test]
fn impossible_boards_and_stones_are_refused() {
    let place = Place::new();
    for command in ["build 4x5 --stones 4", "stats 4x5", "verify 5x4", "perft 15x5 1", "build 5 --stones 4"] {
        place.run(command).misused(&["board size"]);
    }
    for command in ["build 13x13 --stones 4", "stats 13x13", "verify 13x13", "build 9x9 --stones 2 --dry-run"] {
        place.run(command).fails_at_once(&["64 points"]);
    }
    for stones in ["0", "1"] {
        place.run(&format!("build 5x5 --stones {stones}")).fails_at_once(&["--stones", "2 or more"]);
    }
    place.run("build 7x7 --stones 40").fails_at_once(&["7x7", "40 stones", "at most"]);
    for command in ["build 5x5", "build 5x5 --stones -3", "build 5x5 --stones 4 --threads 0", "query", "dance"] {
        place.run(command).misused(&[]);
    }
    assert!(!place.path().join("db").exists());
}

#[test]
fn too_little_memory_is_said_before_starting() {
    let place = Place::new();
    let ran = place.run("build 5x5 --stones 4 --memory 1K");
    ran.fails_at_once(&["memory", "--memory"]);
    let ran = place.run("build 5x5 --stones 25 --memory 1M");
    ran.fails_at_once(&["memory", "build to 4 stones"]);
    let folder = place.path().join("db/5x5");
    assert!(!folder.exists() || files(&folder).keys().all(|name| name == ".lock"));
    // What is there already needs none.
    place.run("build 5x5 --stones 3").done();
    assert!(place.run("build 5x5 --stones 3 --memory 1K").done().contains("already"));
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = Place::new();
    let plan = place.run("build 5x5 --stones 4 --dry-run --json").json();
    for key in ["board", "rules", "threads", "pairs", "totals", "memory_allowed", "fits"] {
        assert!(keys(&plan).contains(key), "{key}");
    }
    assert_eq!((&plan["board"], &plan["fits"]), (&"5x5".into(), &true.into()));
    assert_eq!(plan["totals"]["positions"], placements_to(25, 4));
    let forms = |plan: &Value| -> Vec<(String, bool)> {
        let pairs = plan["pairs"].as_array().expect("pairs").iter();
        pairs.map(|pair| (pair["form"].as_str().expect("a form").to_owned(), pair["built"] == true)).collect()
    };
    assert_eq!(forms(&plan), vec![("planes".to_owned(), false); 4]);
    for key in ["positions", "memory", "disk", "seconds"] {
        assert!(plan["totals"][key].as_f64().is_some_and(|number| number > 0.0), "{key}");
    }
    let with_depths = place.run("build 5x5 --stones 4 --dry-run --json --metric both").json();
    assert!(with_depths["totals"]["disk"].as_u64() > plan["totals"]["disk"].as_u64());
    let text = place.run("build 5x5 --stones 4 --dry-run --threads 1").done();
    assert!(text.contains("191 500") && text.contains("1 thread:"), "{text}");
    place.run("build 5x5 --stones 8 --dry-run --memory 1M").fails(&["memory"]);
    // Every position, in the order that needs least.
    place.run("build 5x5 --stones 24 --dry-run --memory 16G").done();
    place.run("build 5x5 --stones 24 --dry-run --memory 8G").fails(&["memory"]);
    // Depths that do not fit have their layers in a scratch file.
    let text = place.run("build 9x5 --stones 6 --dry-run --memory 150M --metric both").done();
    assert!(text.contains("4v2 and twin: depths from layers, "), "{text}");
    place.run("build 9x5 --stones 6 --dry-run --memory 70M --metric both").fails(&["memory"]);
    // Depths are planned without values, and built with them only.
    place.run("build 5x5 --stones 3 --dry-run --metric dtw").done();
    place.run("build 5x5 --stones 3 --metric dtw").fails(&["no table 1v1", "fanorona build 5x5 --stones 2"]);
    assert_eq!(place.files().len(), 0, "the folder is empty");
    // What is there already is marked and not counted.
    place.run("build 5x5 --stones 3").done();
    let rest = place.run("build 5x5 --stones 4 --dry-run --json").json();
    assert_eq!(forms(&rest).into_iter().map(|(_, built)| built).collect::<Vec<_>>(), [true, true, false, false]);
    assert_eq!(rest["totals"]["positions"], placements_to(25, 4) - placements_to(25, 3));
}

#[test]
fn two_builds_do_not_share_a_folder() {
    let place = Place::new();
    let folder = place.path().join("db/5x5");
    let lock = lock_folder(&folder).expect("a free folder");
    place.run("build 5x5 --stones 3").fails_at_once(&["db/5x5", "in use"]);
    // Other boards and readers do not mind.
    place.run("build 3x3 --stones 3").done();
    assert_eq!(value_of(&place, "5/5/5/5/W3B w"), "unknown");
    drop(lock);
    place.run("build 5x5 --stones 3").done();
}

#[test]
fn a_database_that_cannot_be_used_is_named() {
    let place = Place::new();
    for command in ["stats 5x5 --db nowhere", "verify 5x5 --db nowhere", "info --db nowhere"] {
        place.run(command).fails_at_once(&["nowhere"]);
        assert!(!place.path().join("nowhere").exists());
    }
    fs::write(place.path().join("file"), "not a folder").unwrap();
    for command in ["build 5x5 --stones 3 --db file", "stats 5x5 --db file", "info --db file", "verify 5x5 --db file"] {
        place.run(command).fails_at_once(&["file"]);
    }
    place.run_with(&["query", "5/5/5/5/W3B w", "--db", "file"]).fails_at_once(&["file"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let folder = place.path().join("locked");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write everywhere.
    if fs::write(folder.join("probe"), "").is_err() {
        place.run("build 5x5 --stones 3 --db locked").fails_at_once(&["locked", "--db"]);
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn without_a_standard_output_nothing_is_begun() {
    let place = with_tables();
    let before = place.files();
    let commands = [
        "query 5/5/5/5/W3B_w",
        "query --stdin",
        "line 5/5/5/5/W3B_w",
        "stats 5x5",
        "verify 5x5 --full",
        "build 5x5 --stones 5",
        "solve 3x3 --stones 4 --certificate p",
        "check p",
        "reproduce",
        "info",
        "report --html page.html",
        "perft 3x3 2",
        "play 3x3",
        "review game",
        "uci",
        "match a b",
        "--help",
    ];
    for arguments in commands.into_iter().chain(cfg!(feature = "server").then_some("serve --bind 127.0.0.1:0")) {
        let mut command = Command::new("sh");
        let script = format!("exec {} {arguments} >&-", env!("CARGO_BIN_EXE_fanorona"));
        command.args(["-c", &script]).current_dir(place.path()).stdin(Stdio::null()).stderr(Stdio::piped());
        let ran = Ran::of(command.spawn().expect("a shell"));
        ran.fails_at_once(&["standard output", "closed", "/dev/null"]);
        assert_eq!(place.files(), before, "{arguments}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_goes_nowhere_is_reported_or_ends_quietly() {
    let place = with_tables();
    for arguments in [&["perft", "5x5", "2"][..], &["--help"], &["--version"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("the full device");
        let mut command = place.command(arguments);
        let child = command.stdout(full).stderr(Stdio::piped()).spawn().expect("the program");
        Ran::of(child).fails_at_once(&["standard output"]);
    }
    // A reader that has seen enough, such as `head`.
    let mut command = place.command(&["query", "--stdin"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    // The program may be gone before it has read everything.
    let _ = stdin.write_all("5/5/5/5/W3B w\n".repeat(20_000).as_bytes());
    drop(stdin);
    let ran = Ran::of(child);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

// Builds

#[test]
fn a_build_reports_what_it_has_built() {
    let place = Place::new();
    let report = place.run("build 5x5 --stones 4 --json").json();
    assert_eq!(report["board"], "5x5");
    let slices = report["slices"].as_array().expect("a list");
    let positions: u64 = slices.iter().map(|slice| slice["positions"].as_u64().expect("a number")).sum();
    assert_eq!((slices.len(), positions), (6, placements_to(25, 4)));
    // Once more there is nothing to do, and with more stones only the rest is built.
    assert!(place.run("build 5x5 --stones 4").done().contains("already"));
    let more = place.run("build 5x5 --stones 5 --json").json();
    assert_eq!(more["slices"].as_array().map(Vec::len), Some(4));
    // A board that cannot hold that many stones is built to the last.
    assert!(place.run("build 1x5 --stones 100").done().contains("10 tables"));
    assert!(place.run("verify 1x5 --full").done().contains("to 5 stones"));
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    // The crowded boards are solved in compact form where the others are solved in planes.
    for (board, stones) in [("5x5", 5), ("3x3", 9), ("3x5", 8), ("9x5", 4)] {
        let folders = [1, 2, 3].map(|threads| {
            let place = Place::new();
            place.run(&format!("build {board} --stones {stones} --threads {threads}")).done();
            files(&place.path().join("db").join(board))
        });
        assert!(folders[0].len() > 4);
        assert_same_files(&folders[0], &folders[1]);
        assert_same_files(&folders[0], &folders[2]);
    }
}

#[test]
fn leftovers_are_removed_and_deleted_files_come_back() {
    let place = with_tables();
    let folder = place.path().join("db/5x5");
    let expected = files(&folder);
    for name in ["2v2.wdl.tmp", "XXH128SUMS.tmp", "5v5.wdl.tmp"] {
        fs::write(folder.join(name), "half a file").unwrap();
    }
    for name in ["1v1.wdl", "1v3.wdl", "2v2.wdl", "XXH128SUMS"] {
        fs::remove_file(folder.join(name)).unwrap();
    }
    place.run("build 5x5 --stones 4").done();
    assert_same_files(&files(&folder), &expected);
}

//! `fanorona query --stdin`: lines are answered in order, as single queries are, and bad lines cost only themselves.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::program::{Place, keys};
use crate::tables::with_tables;

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
    assert_eq!(
        objects[3],
        serde_json::json!({ "position": "5/5/5/5/W3B_b", "value": "win", "source": "table", "proof": null })
    );
    let refused = &objects[6];
    assert_eq!((&refused["position"], &refused["value"]), (&"\"x,y\"".into(), &"error".into()));
    let why = ran.err.lines().find_map(|line| line.strip_prefix("line 7: ")).expect("a reason");
    assert_eq!(refused["error"], why);
    let fields = ["position", "value", "source", "proof"];
    let with_errors =
        objects.iter().filter(|object| keys(object) == [&fields[..], &["error"]].concat().into_iter().collect());
    let without = objects.iter().filter(|object| keys(object) == fields.into());
    assert_eq!((with_errors.count(), without.count()), (4, 5));
}

#[test]
fn a_program_may_wait_for_each_answer() {
    let place = with_tables();
    let mut child = place.command(&["query", "--stdin"]).stdin(Stdio::piped()).spawn().expect("the program");
    let (mut input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let (send, answers) = mpsc::channel();
    std::thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
    });
    for (lines, expected) in [
        ("5/5/5/5/W3B w\n", &["5/5/5/5/W3B w,win"][..]),
        ("5/5/5/5/W3B b\n5/5/5/5/4B w\n", &["5/5/5/5/W3B b,win", "5/5/5/5/4B w,loss"]),
    ] {
        input.write_all(lines.as_bytes()).expect("the program reads");
        for line in expected {
            assert_eq!(answers.recv_timeout(Duration::from_secs(60)).as_deref(), Ok(*line));
        }
    }
    drop(input);
    assert!(child.wait().expect("the program ends").success());
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
        for (field, expected) in
            ["value", "source", "proof", "dtw"].map(|name| (name, &answer[name])).iter().chain(&[("best", &best)])
        {
            assert_eq!(&object[field], *expected, "{field} of {position}");
        }
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
    let talk = place.run_on("uci", format!("setoption name Board value 5x5\n{long}\nisready\n").as_bytes());
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

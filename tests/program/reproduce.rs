//! `fanorona reproduce`: the published values, and those of the starts with palindromes, are found and proved.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::docs::{blocks, page};
use crate::json::assert_documented;
use crate::oracle;
use crate::program::Place;
use crate::solve::{has_keys, is_certificate};

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
    is_certificate(&row["certificate"]);
    let file = row["certificate"]["file"].as_str().expect("a path");
    assert!(place.has(file), "{file}");
}

#[test]
fn reproduce_finds_the_published_values_and_proves_them() {
    let place = Place::new();
    // What proves more than the start alone stays.
    place.run("solve 3x3 --stones 8 --moves").done();
    let file = place.path().join("db/certificates/3x3.proof");
    let moves = fs::read(&file).expect("a certificate");
    let report = place.run("reproduce --json").json();
    assert!(fs::read(&file).expect("a certificate") == moves && place.has("db/certificates/3x3.2.proof.checked"));
    has_keys(&report, &["results", "seconds"]);
    assert_documented("reproduce", &report);
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
    the_starts_with_palindromes_are_proved(&place);
}

/// What the oracle says of a position, as the colours see it.
fn oracle_value(position: &str) -> &'static str {
    match (oracle::solve_after(position, oracle::Rules::DEFAULT)[position].0, position.ends_with('w')) {
        (oracle::Value::Draw, _) => "draw",
        (oracle::Value::Win, true) | (oracle::Value::Loss, false) => "white wins",
        (oracle::Value::Win, false) | (oracle::Value::Loss, true) => "black wins",
    }
}

/// The tables are there already.
fn the_starts_with_palindromes_are_proved(place: &Place) {
    let report = place.run("reproduce --starts --json").json();
    let results = report["results"].as_array().expect("a list");
    let text = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
    let mut found = BTreeMap::new();
    for row in results {
        is_proved(place, row);
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
    place.run("reproduce --starts --variants").misused(&["--starts", "--variants"]);
    place.run("reproduce --limit 10s").misused(&["--starts"]);
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

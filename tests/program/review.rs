//! `fanorona review`: games in files and on standard input, as text, JSON and records.

use crate::program::{Place, keys};

/// A game on 3x3; tables of all positions know every value.
const GAME: &str = "3x3 c2-b2A c3-c2A b2-c1W";

fn place() -> Place {
    let place = Place::new();
    place.run("build 3x3 --stones 9 --metric both").done();
    std::fs::write(place.path().join("game.txt"), GAME).unwrap();
    place
}

#[test]
fn a_game_is_reviewed_for_people_and_for_programs() {
    let place = place();
    let out = place.run("review game.txt").done();
    for words in ["3x3: diagonals corner", "c2-b2A", "b2-c1W  ??", "by tables", "White: 2 moves, ", "Black: 1 move, "] {
        assert!(out.contains(words), "{words}\n{out}");
    }
    let review = place.run("review game.txt --json").json();
    assert_eq!((review["board"].as_str(), review["complete"].as_bool()), (Some("3x3"), Some(true)));
    let turns = review["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 3);
    let expected = ["after", "before", "better", "fact", "holding", "loss", "mark", "move", "ply", "position", "side"];
    assert_eq!(keys(&turns[0]).into_iter().collect::<Vec<_>>(), expected);
    for turn in turns {
        assert_eq!((turn["fact"].as_bool(), turn["before"]["source"].as_str()), (Some(true), Some("table")));
    }
    let piped = place.run_on("review - --json", GAME.as_bytes()).json();
    assert_eq!(piped, review);
}

#[cfg(unix)]
#[test]
fn a_text_without_end_is_refused() {
    let place = Place::new();
    place.run("review /dev/zero").fails_silently(&["/dev/zero", "more than 16777216 bytes"]);
    place.run("match --nodes 100 --openings /dev/zero a b").fails_silently(&["/dev/zero", "more than 16777216 bytes"]);
    let played = place.run_on("play", b"load /dev/zero\nquit\n").done();
    assert!(played.contains("more than 16777216 bytes"), "{played}");
}

#[test]
fn the_record_of_a_review_can_be_reviewed() {
    let place = place();
    place.run("review game.txt --record reviewed.txt").done();
    let record = std::fs::read_to_string(place.path().join("reviewed.txt")).unwrap();
    assert!(record.contains("2. b2-c1W?? {") && record.contains("by tables}"), "{record}");
    place.run("review reviewed.txt --record again.txt").done();
    assert_eq!(std::fs::read_to_string(place.path().join("again.txt")).unwrap(), record);
}

#[test]
fn one_of_several_games_is_chosen() {
    let place = place();
    let game = |moves: &str| format!("[Board \"3x3\"]\n\n{moves} *\n\n");
    let games = [game("1. c2-b2A c3-c2A 2. b2-c1W"), game("1. c2-b2A"), game("1. c1-c2")].concat();
    std::fs::write(place.path().join("games.txt"), &games).unwrap();
    place.run("review games.txt").fails(&["games.txt, line 5 of the record", "with --game N"]);
    for (number, count) in [("1", 3), ("2", 1)] {
        let review = place.run(&format!("review games.txt --game {number} --json")).json();
        assert_eq!(review["turns"].as_array().unwrap().len(), count);
        assert_eq!(place.run_on(&format!("review - --game {number} --json"), games.as_bytes()).json(), review);
    }
    // A search without a result replaces a record all the same.
    std::fs::write(place.path().join("short.txt"), "9x5\nd3-e3A c3-d3A\n").expect("a file");
    std::fs::write(place.path().join("out.txt"), "another").expect("a file");
    place.run("review short.txt --nodes 50 --record out.txt").done();
    assert!(std::fs::read_to_string(place.path().join("out.txt")).expect("a file").contains("d3-e3A"));
    // The record of one game does not replace all of them.
    place.run("review games.txt --game 2 --record ./games.txt").fails(&["games.txt", "several games", "another file"]);
    assert_eq!(std::fs::read_to_string(place.path().join("games.txt")).expect("a file"), games);
    place.run("review games.txt --game 3").fails(&["games.txt, game 3 of the file, line 3 of the record", "c1-c2"]);
    place.run("review games.txt --game 4").fails(&["games.txt has 3 games, so none has the number 4"]);
    place.run("review game.txt --game 2").fails(&["game.txt has 1 game,"]);
    place.run("review games.txt --game 0").misused(&["--game"]);
}

#[test]
fn without_tables_positions_are_searched() {
    let place = Place::new();
    let first = place.run_on("review - --nodes 300 --json", b"5x5 b2-c3A c5-d4A").json();
    assert_eq!(first["complete"], true);
    assert!(first["turns"][0]["after"]["depth"].as_u64() > Some(0), "{first}");
    assert_eq!(place.run_on("review - --nodes 300 --json", b"5x5 b2-c3A c5-d4A").json(), first);
}

#[test]
fn bad_input_is_refused_in_a_line() {
    let place = Place::new();
    place.run("review missing.txt").fails(&["cannot read missing.txt"]);
    place.run_on("review -", b"hello").fails(&["standard input, line 1 of the record", "BoardSpace", "Abstract Play"]);
    place.run_on("review -", b"d3-e3A a1-a2").fails(&["standard input", "move 2 of the game: a1-a2 is not legal"]);
    let unsaved = place.run_on("review - --record no/such/file", b"3x3 b1-b2A");
    unsaved.fails(&["cannot write no/such/file"]);
    assert!(unsaved.out.contains("b1-b2A"), "the review is printed: {}", unsaved.out);
    place.run("review game.txt --nodes 5 --time 1s").misused(&["--nodes"]);
}

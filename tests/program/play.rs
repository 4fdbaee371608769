//! `fanorona play`: games at the terminal, with typed input.

use crate::program::Place;

/// What a game prints.
fn played(place: &Place, arguments: &str, lines: &[&str]) -> String {
    place.run_on(arguments, (lines.join("\n") + "\n").as_bytes()).done()
}

const TWO: &str = "play 3x3 --black person";

/// The last board that was shown, its ranks without lines and numbers.
fn last_board(out: &str) -> String {
    let from = out.rfind("\n\n").map_or(0, |at| at + 2);
    let ranks = out[from..].lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    ranks.map(|rank| rank.chars().skip(4).step_by(4).collect::<String>()).take(3).collect::<Vec<_>>().join("/")
}

#[test]
fn two_people_play_a_game_to_its_end() {
    let place = Place::new();
    let out = played(&place, &format!("{TWO} --position 2B/3/W2_w"), &["a1-b2A", "quit"]);
    assert!(out.contains("White to move, and must capture"), "{out}");
    assert!(out.contains("White plays a1-b2A"), "{out}");
    assert!(out.contains("1-0  White wins: Black has no stones left"), "{out}");
}

#[test]
fn the_end_of_the_input_is_no_error() {
    let place = Place::new();
    let ran = place.run_on(TWO, b"");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("White to move"), "{}", ran.out);
}

#[test]
fn refused_moves_say_why() {
    let place = Place::new();
    let out = played(&place, TWO, &["b3-b2", "a1-a2", "a1", "why a1-a2", "why b1b2a", "dance", "moves", "quit"]);
    for words in [
        "the stone on b3 is Black's, and White is to move",
        "a1-a2 is not legal: a2 is occupied",
        "\"a1\" is not a move",
        "b1-b2A is allowed",
        "\"dance\" is not a move",
        "b1-b2A",
    ] {
        assert!(out.to_lowercase().contains(&words.to_lowercase()), "{words}\n{out}");
    }
}

#[test]
fn turns_are_undone_and_made_again() {
    let place = Place::new();
    let start = played(&place, TWO, &["board", "quit"]);
    let lines = ["b1-b2A", "undo", "redo", "undo", "undo", "redo", "redo", "undo", "board", "quit"];
    let out = played(&place, TWO, &lines);
    assert_eq!(last_board(&out), last_board(&start), "{out}");
    assert!(out.contains("There is nothing to undo") && out.contains("There is nothing to redo"), "{out}");
    let forth = played(&place, TWO, &["b1-b2A", "undo", "redo", "quit"]);
    assert_eq!(last_board(&forth), last_board(&played(&place, TWO, &["b1-b2A", "quit"])));
    assert_ne!(last_board(&forth), last_board(&start));
}

#[test]
fn games_are_saved_and_loaded() {
    let place = Place::new();
    let out = played(&place, &format!("{TWO} --sacrifice --move-limit"), &["a1x", "save game.txt", "quit"]);
    assert!(
        out.contains("The stone on a1 is sacrificed: a block for this turn") && out.contains("29 turns left"),
        "{out}"
    );
    let record = std::fs::read_to_string(place.path().join("game.txt")).unwrap();
    assert!(record.contains(
        "[Rules \"diagonals corner, continuation optional, stalemate loss, sacrifice, move-limit 30, repetition\"]"
    ));
    assert!(record.contains("[White \"Person\"]") && record.contains("1. a1x *"), "{record}");
    let loaded = played(&place, "play 9x5 --black person", &["load game.txt", "save again.txt", "quit"]);
    assert!(
        loaded.contains("Loaded game.txt, 1 turn\n") && loaded.contains("The stone on a1 is sacrificed"),
        "{loaded}"
    );
    assert_eq!(std::fs::read_to_string(place.path().join("again.txt")).unwrap(), record);
    std::fs::write(place.path().join("bad.txt"), "[Board \"3x3\"]\n\n1. a1-a3 *").unwrap();
    let bad =
        played(&place, TWO, &["load bad.txt", "load nowhere.txt", "save nowhere/game.txt", "load", "save", "quit"]);
    for words in [
        "bad.txt, line 3 of the record: move 1 of the game: a1-a3 is not legal",
        "cannot read nowhere.txt",
        "cannot write nowhere/game.txt",
        "load needs the name of a file",
        "save needs the name of a file",
    ] {
        assert!(bad.contains(words), "{words}\n{bad}");
    }
}

#[test]
fn draws_are_offered_and_games_given_up() {
    let place = Place::new();
    let agreed = played(&place, TWO, &["draw", "yes", "quit"]);
    assert!(agreed.contains("White offers a draw. Does Black agree?") && agreed.contains("1/2-1/2  Draw"), "{agreed}");
    let refused = played(&place, TWO, &["draw", "no", "resign", "b1-b2A", "undo", "b1-b2A", "quit"]);
    assert!(
        refused.contains("The game goes on") && refused.contains("0-1  Black wins: White has resigned"),
        "{refused}"
    );
    assert!(
        refused.contains("the game is over: Black wins: White has resigned; undo a turn or begin a new game"),
        "{refused}"
    );
    assert!(refused.contains("White plays b1-b2A"), "{refused}");
    let computer = played(&place, "play 5x5 --time 100ms", &["draw", "quit"]);
    assert!(computer.contains("too early for a draw") && computer.contains("The game goes on"), "{computer}");
}

#[test]
fn the_computer_answers_and_undo_takes_back_its_turn_too() {
    let place = Place::new();
    let out = played(&place, "play 5x5 --time 100ms --seed 1", &["hint", "b2-c3A", "undo", "moves", "quit"]);
    assert!(out.contains("Hint: ") && out.contains("Black plays "), "{out}");
    // After the undo White is to move again, with the same five moves as at the start.
    let after = out.split("Black plays ").nth(1).unwrap();
    assert!(after.contains("White to move, and must capture") && after.contains("b2-c3A"), "{out}");
    let black = played(&place, "play 3x3 --white computer --black person --time 50ms", &["quit"]);
    assert!(black.contains("White plays ") && black.contains("Black to move"), "{black}");
}

#[test]
fn the_computer_plays_itself_by_the_tables() {
    let place = Place::new();
    let without = place.run_on("play 3x3 --db nowhere", b"quit\n");
    assert!(
        without.err.starts_with("there are no tables or certificates of 3x3 in nowhere; build "),
        "{}",
        without.err
    );
    place.run("build 3x3 --stones 8 --metric both").done();
    let both = "play 3x3 --white computer --black computer";
    let out = place.run(both).done();
    assert!(out.contains("tables: win in ") && out.contains("1-0  White wins"), "{out}");
    // A drawn game is not played for ever.
    let out = place.run(&format!("{both} --position 1B1/1W1/1W1_w")).done();
    assert!(out.lines().last().unwrap().starts_with("1/2-1/2  Draw: agreed by the players"), "{out}");
    let first = |seed: u32| place.run(&format!("{both} --level 1 --move-limit 20 --seed {seed} --time 9s")).done();
    assert_eq!(first(3), first(3));
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let place = Place::new();
    place.run("play 4x4").misused(&["4x4"]);
    place.run("play 5x5 --level 10").misused(&["10", "1 to 9"]);
    place.run("play 5x5 --white cat").misused(&["person", "computer"]);
    place.run("play 5x5 --position 3/3/3_w").fails(&["3x3", "5x5"]);
}

#[test]
fn draws_are_agreed_on_by_draw_or_yes() {
    let place = Place::new();
    let game = "play 3x3 --white person --black person";
    for (input, agreed) in
        [("draw\ndraw\n", true), ("draw\nwell\nYES\n", true), ("draw\nno\n", false), ("draw\n", false)]
    {
        let out = place.run_on(game, input.as_bytes()).done();
        assert_eq!(out.contains("1/2-1/2"), agreed, "{input:?}: {out}");
        assert_eq!(out.contains("yes or no?"), input.contains("well"), "{input:?}: {out}");
    }
}

#[test]
fn what_is_not_text_is_a_word_like_any_other() {
    let place = Place::new();
    let out = place.run_on("play 3x3 --white person --black person", b"\xff\xfe\nb1-b2A\n").done();
    assert!(out.contains("White plays b1-b2A"), "{out}");
    let out = place.run_on("uci", b"d\xff\r\nisready\r\n").done();
    assert!(out.contains("info string ignored") && out.ends_with("readyok\n"), "{out}");
}

#[test]
fn a_move_limit_is_a_number_of_turns() {
    let place = Place::new();
    place.run("play 3x3 --move-limit 0").misused(&["--move-limit"]);
    // The board is that of the position.
    let ran = place.run_with(&["play", "--white", "person", "--black", "person", "--position", "1B1/1W1/1W1 w"]);
    assert!(ran.done().starts_with("Fanorona on 3x3: "));
    place.run("play 3x3 --move-time 400us").misused(&["--move-time", "the least is 1ms"]);
    let out = place.run_on("play 3x3 --white person --black person --move-limit", b"").done();
    assert!(out.contains("30 turns left"), "{out}");
    let out = played(&place, &format!("{TWO} --move-limit 1"), &["b1-b2A", "quit"]);
    assert!(out.contains("    1 turn left\n") && !out.contains("0 turns left"), "{out}");
}

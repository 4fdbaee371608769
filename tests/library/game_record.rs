//! Game records by hand: what is written, what may be left out, and which line is blamed for what is wrong.

use fanorona::game::{GameRequest, parse_record};
use fanorona::rules::Directions;
use serde_json::{Value, json};

const RECORD: &str = r#"[Event "Club \"C\""]
[Date "2024.05.01"]
[White "Rakoto"]
[Black "?"]
[Board "9x5"]
[Rules "diagonals corner, continuation optional, stalemate loss, sacrifice, move-limit 50"]
[FEN "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w"]
[Result "0-1"]
[Termination "resignation"]

1. d3-e3A {[%emt 1.500]} e5-d4x
0-1
"#;

/// A record with the game of which the form is.
fn game(form: &Value) -> (GameRequest, String) {
    let request: GameRequest = serde_json::from_value(form.clone()).unwrap();
    let record = request.replay().unwrap().record();
    (request, record)
}

fn wrong(record: &str) -> String {
    parse_record(record).expect_err("no such record").to_string()
}

#[test]
fn a_record_is_written_like_this() {
    let form = json!({"board": "9x5", "rules": {"sacrifice": true, "move_limit": 50, "repetition": false}, "moves": ["d3-e3A", "a5x"], "times": [1500],
        "end": {"by": "resignation", "side": "white"}, "tags": {"Event": "Club \"C\"", "Date": "2024.05.01", "White": "Rakoto"}});
    let (request, record) = game(&form);
    let expected = RECORD.replace("e5-d4x\n", "a5x ");
    assert_eq!(record, expected);
    let read = parse_record(&record).unwrap();
    // The start position is written out, and so read as a position.
    let replayed = read.game.replay().unwrap();
    assert_eq!(replayed.to_request(), request.replay().unwrap().to_request());
    assert_eq!((read.tags["Event"].as_str(), read.tags["Black"].as_str(), read.tags.len()), ("Club \"C\"", "?", 9));
    assert!(!read.game.tags.contains_key("Black"));
    let with_directions = |word| record.replace("stalemate", &format!("directions {word}, stalemate"));
    let once = parse_record(&with_directions("once")).unwrap().game;
    assert_eq!(once.rules.directions, Directions::Once);
    assert_eq!(once.replay().unwrap().record(), with_directions("once"));
    for same in ["not-repeated", "turning"] {
        assert_eq!(parse_record(&with_directions(same)).unwrap().game, read.game);
    }
}

#[test]
fn what_a_record_says_is_written_in_one_way() {
    let (_, record) =
        game(&json!({"board": "3x3", "tags": {"White": "", "Event": "...", "Date": "??", "Black": "a\tb\u{1b}"}}));
    assert!(record.contains("[Event \"?\"]\n[Date \"????.??.??\"]\n[White \"?\"]\n[Black \"a b \"]\n"), "{record}");
    assert_eq!(parse_record("[Board \"9X5\"]\nd3e3A *").unwrap().game.board, "9x5");
    assert_eq!(parse_record("[Board \"3x3\"]\n[White \"a\tb\"]\n*").unwrap().game.tags["White"], "a b");
}

#[test]
fn black_may_begin_and_lines_are_broken() {
    let position = "4B/5/5/5/W4 b";
    let moves: Vec<&str> = ["e5-e4", "a1-a2", "e4-e5", "a2-a1"].into_iter().cycle().take(41).collect();
    let (request, record) =
        game(&json!({"board": "5x5", "rules": {"repetition": false}, "position": position, "moves": moves}));
    assert!(record.contains("\n\n1... e5-e4 2. a1-a2 e4-e5 3. "), "{record}");
    assert!(record.lines().all(|line| line.len() <= 80) && record.ends_with(" *\n"), "{record}");
    assert_eq!(parse_record(&record).unwrap().game, request);
}

#[test]
fn much_may_be_left_out() {
    let read = |record: &str| parse_record(record).unwrap_or_else(|error| panic!("{error}"));
    let short = read("[Board \"9x5\"]\nd3e3A *");
    assert_eq!(short.game.moves, ["d3-e3A"]);
    assert_eq!(short.game.end, None);
    let other = read("[FEN \"3/2B/W2 w\"] {a comment\nof two lines} 1.a1-b1; and another\n1...c2-c3 2.b1-a1 1/2-1/2");
    assert_eq!((other.game.board.as_str(), other.game.moves.len()), ("3x3", 3));
    assert_eq!(serde_json::to_value(other.game.end).unwrap(), json!({"by": "agreement"}));
    let resigned = read("[FEN \"3/3/W1B w\"] 1-0");
    assert_eq!(serde_json::to_value(resigned.game.end).unwrap(), json!({"by": "resignation", "side": "black"}));
    let late = read("[FEN \"3/3/W1B w\"][Rules \"move-time 100\"][Termination \"time\"] 0-1");
    assert_eq!(serde_json::to_value(late.game.end).unwrap(), json!({"by": "time", "side": "white"}));
    for (termination, score, end) in [
        ("adjudication", "1-0", json!({"by": "adjudication", "winner": "white"})),
        ("adjudication", "1/2-1/2", json!({"by": "adjudication", "winner": null})),
        ("forfeit", "0-1", json!({"by": "forfeit", "side": "white"})),
    ] {
        let record = format!("[FEN \"3/3/W1B w\"][Termination \"{termination}\"] {score}");
        let game = read(&record).game;
        assert_eq!(serde_json::to_value(game.end).unwrap(), end);
        assert_eq!(read(&game.replay().unwrap().record()).game, game);
    }
    let windows = read("\u{feff}[Board \"3x3\"]\r\n\r\n*\r\n");
    assert_eq!(windows.tags["Board"], "3x3");
}

#[test]
fn the_line_is_named() {
    let board = "[Board \"9x5\"]\n\n";
    let cases = [
        ("[Board 9x5]", "line 1 of the record: a tag looks like"),
        ("[Board \"9x5\"]\n[Board \"5x5\"]\n*", "line 2 of the record: the tag Board is given twice"),
        ("[White \"A\"]\n*", "line 1 of the record: no tag names the board"),
        ("[White \"A\"]\n[Board \"4x4\"]\n*", "line 2 of the record: \"4x4\" is not a board size"),
        ("[Board \"3x3\"]\n[FEN \"0/9/9 w\"]\n*", "line 2 of the record: rank"),
        ("[FEN \"3/3/3\"]\n*", "line 1 of the record: position"),
        ("[Board \"3x3\"]\n[FEN \"5/5/5 w\"]\n*", "line 2 of the record: the position is on a 5x3 board"),
        ("[Board \"3x3\"]\n[Rules \"vela\"]\n*", "line 2 of the record: \"vela\" is not a rule"),
        (
            &format!("{board}1. d3-e3A\na1-a2 *"),
            "line 4 of the record: move 2 of the game: a1-a2 is not legal: the stone on a1 is White's",
        ),
        (&format!("{board}1. d3-e3A\n3. a1-a2 *"), "line 4 of the record: move 2"),
        (&format!("{board}1. d3-e3A\n2... e5-d4 *"), "line 4 of the record: move 2"),
        (&format!("{board}1. hello *"), "line 3 of the record: move 1 of the game: \"hello\" is not a move"),
        (&format!("{board}1. d3-e3A\n\n"), "the record ends without a score"),
        (&format!("{board}* *"), "line 3 of the record: \"*\" follows the score"),
        (&format!("{board}*\n[White \"A\"]"), "line 4 of the record: a tag after the first move"),
        (&format!("{board}1. d3-e3A (1. f2-e3A\n*"), "line 3 of the record: the variation that begins here has no end"),
        (&format!("{board}1. d3-e3A\n) *"), "line 4 of the record: no variation begins"),
        (&format!("{board}(1. d3-e3A) *"), "line 3 of the record: a variation follows the move"),
        (&format!("{board}1. d3-e3A (\n(1. f2-e3A)) *"), "line 4 of the record: a variation follows the move"),
        (
            &format!("{board}1. d3-e3A (1. f2-e3A\na1-a2) *"),
            "line 4 of the record: variation 1 of the game: move 2 of the game: a1-a2 is not legal",
        ),
        (&format!("{board}1. d3-e3A (1. f2-e3A\n2... b1) *"), "line 4 of the record: variation 1"),
        (
            &format!("{board}1. d3-e3A (1. f2-e3A 2.) *"),
            "line 3 of the record: 2. is not the number of this move; expected 1...",
        ),
        (&format!("{board}1. d3-e3A (1. f2-e3A *) *"), "line 3 of the record: variation 1 of the game: move 2"),
        (&format!("{board}{{ *"), "line 3 of the record: the comment"),
        (
            "[Board \"9x5\"]\n[Result \"1-0\"]\n0-1",
            "line 3 of the record: the score is 0-1, but the tag Result says 1-0",
        ),
        (
            "[FEN \"3/3/WB1 w\"]\n[Rules \"move-limit 1\"]\n1. a1-a2\n1-0",
            "line 4 of the record: the score is 1-0, but the moves lead to 1/2-1/2",
        ),
        (
            "[FEN \"3/3/WB1 w\"]\n[Termination \"boredom\"]\n1. a1-a2\n1-0",
            "line 2 of the record: the termination \"boredom\" is wrong",
        ),
        (
            "[FEN \"3/3/WB1 w\"]\n[Termination \"resignation\"]\n*",
            "line 2 of the record: the termination \"resignation\" is wrong",
        ),
        (
            "[FEN \"3/3/WB1 w\"]\n[Termination \"forfeit\"]\n1/2-1/2",
            "line 2 of the record: the termination \"forfeit\" is wrong: the moves do not end the game; expected agreement",
        ),
        ("[FEN \"3/3/WB1 w\"]\n[Termination \"time\"]\n1-0", "line 2 of the record: no side can exceed its time"),
        (
            "[Board \"3x3\"]\n[FEN \"3/2B/W2 w\"]\n1. a1-b1\n3. c2-c3 *",
            "line 4 of the record: 3. is not the number of this move; expected 1...",
        ),
    ];
    for (record, expected) in cases {
        let error = wrong(record);
        assert!(error.contains(expected), "{record}\n{error}\n{expected}");
        assert!(error.starts_with("line "), "{error}");
    }
    let long = format!("[Board \"3x3\"]\n[White \"{}\"]\n*", "x".repeat(201));
    assert!(wrong(&long).starts_with("line 2 of the record: \"White\" is not a tag"), "{}", wrong(&long));
}

#[test]
fn variations_are_kept_and_nested() {
    let board = "[Board \"3x3\"]\n\n";
    let moves = "1. c2b2A (1. a1b2A b3c3) (1. b1b2A {a comment} a3b3 {[%emt 1.0]}(1... c3b3!)) c3c2A? \
                 (1...a3a2A) 2. b2c1W ( 2. a1a2A )(2. b2a2W) () *";
    let read = parse_record(&format!("{board}{moves}")).unwrap_or_else(|error| panic!("{error}")).game;
    assert_eq!((read.moves.join(" ").as_str(), read.times.len()), ("c2-b2A c3-c2A b2-c1W", 0));
    let variations: Vec<(usize, String)> = read.variations.iter().map(|it| (it.ply, it.moves.join(" "))).collect();
    let expected =
        [(0, "a1-b2A b3-c3"), (0, "b1-b2A a3-b3"), (0, "b1-b2A c3-b3"), (1, "a3-a2A"), (2, "a1-a2A"), (2, "b2-a2W")];
    assert_eq!(variations, expected.map(|(ply, moves)| (ply, moves.to_owned())));
    let record = read.replay().unwrap().record();
    let expected = "\n\n1. c2-b2A (1. a1-b2A b3-c3) (1. b1-b2A a3-b3 (1... c3-b3)) 1... c3-c2A (1...\n\
                    a3-a2A) 2. b2-c1W (2. a1-a2A) (2. b2-a2W) *\n";
    assert!(record.ends_with(expected), "{record}");
    assert_eq!(parse_record(&record).unwrap().game.variations, read.variations);
    // What goes on after the end of the game repeats its last move; what is in the game already is left out.
    let (request, record) = game(
        &json!({"board": "3x3", "moves": ["c2-b2A", "c3-c2A"], "end": {"by": "resignation", "side": "white"},
        "variations": [{"ply": 2, "moves": ["b2c1W"]}, {"ply": 0, "moves": ["c2b2A", "c3c2A"]}, {"ply": 2, "moves": []}]}),
    );
    assert!(record.ends_with("1. c2-b2A c3-c2A (1... c3-c2A 2. b2-c1W) 0-1\n"), "{record}");
    let read = parse_record(&record).unwrap().game;
    assert_eq!((read.variations.len(), &read.variations[0].moves[..]), (1, &["b2-c1W".to_owned()][..]));
    assert_eq!((read.variations[0].ply, &read.end), (2, &request.end));
    for (variation, why) in [
        (
            json!({"ply": 3, "moves": ["b2-c1W"]}),
            "variation 1 of the game: it begins after turn 3, but the game ends after turn 2",
        ),
        (json!({"ply": 1, "moves": ["a3-a2A", "a1-a3"]}), "variation 1 of the game: move 3 of the game: "),
    ] {
        let form = json!({"board": "3x3", "moves": ["c2-b2A", "c3-c2A"], "variations": [variation]});
        let request: GameRequest = serde_json::from_value(form).unwrap();
        let error = request.replay().unwrap_err().to_string();
        assert!(error.starts_with(why), "{error}");
    }
    let many = vec![json!({"ply": 0, "moves": ["a1-b2A"]}); 501];
    let request: GameRequest = serde_json::from_value(json!({"board": "3x3", "variations": many})).unwrap();
    assert!(request.replay().unwrap_err().to_string().contains("more than 500 variations"));
}

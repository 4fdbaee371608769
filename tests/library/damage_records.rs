//! Damaged records of games, in both forms: they are refused with one short line, or are valid games.

use fanorona::board::BoardSize;
use fanorona::game::{GameRequest, PlayRules, Referee, parse_action, parse_record};
use fanorona::index::Slice;
use fanorona::rules::{Position, PositionText};
use serde_json::{Value, json};

/// The longest message that a damaged record gets.
const LONGEST: usize = 2_000;

fn request() -> GameRequest {
    let form = json!({"board": "5x5", "rules": {"sacrifice": true, "move_limit": 50, "move_time": 9000, "repetition": true},
        "moves": ["b2-c3A", "a3x"], "times": [1500, 20], "end": {"by": "resignation", "side": "white"},
        "tags": {"Event": "Club \"C\"", "White": "Rakoto"}});
    serde_json::from_value(form).expect("a game")
}

fn check_message(message: &str) {
    assert!(!message.is_empty() && message.chars().count() <= LONGEST, "{} characters", message.len());
    assert!(!message.contains(char::is_control), "{message:?}");
}

/// Whatever a record reads as can be replayed, and is what its own record reads as.
fn refused_or_valid(record: &str) {
    match parse_record(record) {
        Err(error) => check_message(&error.to_string()),
        Ok(read) => {
            let game = read.game.replay().expect("a game that can be replayed");
            let again = parse_record(&game.record()).expect("a record").game;
            assert_eq!(again.replay().expect("a game").to_request(), game.to_request());
        }
    }
}

fn refused_or_valid_as_json(text: &str) {
    let Ok(request) = serde_json::from_str::<GameRequest>(text) else { return };
    match request.replay() {
        Err(error) => check_message(&error.to_string()),
        Ok(game) => assert_eq!(game.to_request().replay().expect("a game").to_request(), game.to_request()),
    }
}

/// Every byte changed in several ways, every length, and every byte left out, as far as text comes of it.
fn damaged(text: &str) -> impl Iterator<Item = String> {
    let bytes = text.as_bytes();
    let changed = (0..bytes.len()).flat_map(move |at| {
        let others = [bytes[at] ^ 1, bytes[at] ^ 0x20, b'0', b'"', b']', b'\n', b' ', b'9', 0];
        others.into_iter().map(move |byte| [&bytes[..at], &[byte], &bytes[at + 1..]].concat())
    });
    let cut = (0..bytes.len()).map(|length| bytes[..length].to_vec());
    let without = (0..bytes.len()).map(|at| [&bytes[..at], &bytes[at + 1..]].concat());
    changed.chain(cut).chain(without).filter_map(|bytes| String::from_utf8(bytes).ok())
}

#[test]
fn every_changed_byte_and_every_length_of_a_record_is_refused_or_a_game() {
    let record = request().replay().expect("a game").record();
    let (mut all, mut refused) = (0, 0);
    for text in damaged(&record) {
        refused_or_valid(&text);
        all += 1;
        refused += u32::from(parse_record(&text).is_err());
    }
    assert!(all > 3000 && refused > all / 4, "{refused} of {all}");
}

/// A record without a whole score at its end has lost something, and says so.
#[test]
fn a_record_that_was_cut_off_is_refused() {
    let record = request().replay().expect("a game").record();
    assert!(record.ends_with(" 0-1\n"));
    for length in 0..record.len() - 1 {
        let error = parse_record(&record[..length]).expect_err("a part of a record").to_string();
        assert!(error.starts_with("line "), "{error}");
    }
}

#[test]
fn every_changed_byte_and_every_length_of_a_game_as_json_is_refused_or_a_game() {
    let text = serde_json::to_string(&request()).expect("JSON");
    damaged(&text).for_each(|text| refused_or_valid_as_json(&text));
    for length in 0..text.len() {
        assert!(serde_json::from_str::<GameRequest>(&text[..length]).is_err(), "{length} bytes");
    }
}

/// What belongs to another board or to other rules does not pass for a game of these.
#[test]
fn a_record_of_another_board_or_rule_set_is_refused() {
    let record = request().replay().expect("a game").record();
    let refused = |from: &str, to: &str, words: &str| {
        assert!(record.contains(from), "{record}");
        let error = parse_record(&record.replacen(from, to, 1)).expect_err("another game").to_string();
        assert!(error.contains(words), "{error}");
    };
    refused("[Board \"5x5\"]", "[Board \"9x5\"]", "the position is on a 5x5 board; 9x5 is expected");
    refused("BW1BW", "WB1BW", "is not legal");
    refused(", sacrifice", "", "sacrifices are not part of the rules");
    refused("move-limit 50", "move-limit 1", "the game is over");
    refused("move-time 9000", "move-time 1000", "the game is over");
    refused("move-limit 50", "move-limit 0", "is not a rule");
    refused("[White ", "[Event ", "the tag Event is given twice");
}

/// What is unbounded in a record is quoted in part.
#[test]
fn long_texts_get_short_messages() {
    let long = "é\u{1b}[31m".repeat(20_000);
    let moves = "a1-b1-".repeat(20_000) + "a1";
    let game = |board: &str, moves: &str| format!("[Board \"{board}\"]\n1. {moves} *");
    let tags = |name: &str, text: &str| format!("[Board \"3x3\"]\n[{name} \"{text}\"]\n*");
    let name = "N".repeat(100_000);
    let records = [
        game("9x5", &long.replace('[', "")),
        game("9x5", &moves),
        game("9x5", &format!("{}.", "1".repeat(100_000))),
        game("9x5", &format!("* {moves}")),
        game(&long, "*"),
        tags("FEN", &long),
        tags("FEN", &format!("{} w", "9".repeat(100_000))),
        tags("FEN", &format!("{}3 w", "3/".repeat(50_000))),
        tags("Rules", &long),
        tags("Result", &long),
        tags("Termination", &long),
        tags("White", &long),
        format!("[Board \"3x3\"]\n[{name} \"\"]\n[{name} \"\"]\n*"),
    ];
    for record in records {
        check_message(&parse_record(&record).expect_err("no game").to_string());
    }
    let form = |field: &str, value: Value| {
        let mut form = json!({"board": "9x5"});
        form[field] = value;
        serde_json::from_value::<GameRequest>(form).expect("a form")
    };
    let forms = [
        form("board", json!(long)),
        form("position", json!(long)),
        form("moves", json!([long])),
        form("moves", json!([moves])),
        form("tags", json!({ &name: "x" })),
        form("tags", json!({ "White": long })),
    ];
    for request in forms {
        check_message(&request.replay().expect_err("no game").to_string());
    }
    check_message(&long.parse::<BoardSize>().expect_err("no board").to_string());
    check_message(&long.parse::<Slice>().expect_err("no slice").to_string());
    check_message(&PlayRules::from_text(&long).expect_err("no rules"));
    check_message(&PositionText::parse(&long).expect_err("no position").to_string());
    let size: BoardSize = "9x5".parse().expect("a board");
    let (referee, start) = (Referee::<u64>::new(size, PlayRules::default()), Position::start(size).into());
    for text in [&long, &moves] {
        check_message(&parse_action(&referee, &start, text).expect_err("no move").to_string());
    }
}

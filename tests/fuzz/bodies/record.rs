//! Records and games as JSON: what is read can be replayed, and comes back the same by way of its record and of its JSON.

use std::collections::BTreeMap;

use fanorona::game::{Game, GameRequest, parse_game, parse_record};

use super::check_message;

pub fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "[Event \"Club \\\"C\\\"\"]\n[Date \"2024.05.01\"]\n[White \"Rakoto\"]\n[Black \"?\"]\n[Board \"9x5\"]\n[Rules \"diagonals corner, \
         continuation optional, stalemate loss, sacrifice, move-limit 50\"]\n[Result \"0-1\"]\n[Termination \"resignation\"]\n\n\
         1. d3-e3A {[%emt 1.500]} a5x 0-1\n",
        "[Board \"9x5\"]\nd3e3A *",
        "[FEN \"3/2B/W2 w\"] {a comment\nof two lines} 1.a1-b1; and another\n1...c2-c3 2.b1-a1 1/2-1/2",
        "[FEN \"3/3/W1B w\"][Rules \"move-time 100\"][Termination \"time\"] 0-1",
        "[FEN \"3/3/WB1 w\"]\n[Rules \"move-limit 1\"]\n1. a1-a2\n1/2-1/2",
        "[Board \"3x3\"] 1. c2b2A (1. a1b2A b3c3) (1. b1b2A a3b3 (1... c3b3)) c3c2A (1... a3a2A) 2. b2c1W (2. a1a2A) *",
        "[Board \"13x13\"][Rules \"vela white, repetition, diagonals centre, continuation obligatory, stalemate draw\"] *",
        "[FEN \"4B/5/5/5/W4 b\"] 1... e5-e4 2. a1-a2 e4-e5 *",
        "{\"board\": \"9x5\", \"rules\": {\"sacrifice\": true, \"move_limit\": 50}, \"moves\": [\"d3-e3A\", \"a5x\"], \"times\": [1500],
        \"variations\": [{\"ply\": 0, \"moves\": [\"f2e3A\"]}, {\"ply\": 2, \"moves\": [\"a1a2\"]}],
        \"end\": {\"by\": \"resignation\", \"side\": \"white\"}, \"tags\": {\"Event\": \"C\", \"White\": \"R\"}}",
        "{\"board\": \"3x3\", \"position\": \"3/2B/W2 w\", \"rules\": {\"vela\": \"black\", \"move_time\": 9}, \"moves\": [\"a1b1\"],
        \"times\": [10], \"end\": {\"by\": \"agreement\"}}",
        "(; SU[fanorona] P0[id \"R\"] ; P0[0 Start P0] ; P0[1 Capture A F 2 E 3] ; P0[2 done] ; P1[3 Pickb D 5 0] ; P1[4 Dropb D 4])",
        "[Variant \"Fanorona\"]\n[Fen \"ppppppppp/ppppppppp/pPpP1pPpP/PPPPPPPPP/PPPPPPPPP w 0\"]\n\n1.f2e3X,stop d5d4X\n\n1.w f2e3X",
        "5x5 1. b2c3+, c5d4+!? 2. c3-b2W 1-0",
        "{\"header\": {\"game\": {\"name\": \"Fanorona\"}, \"players\": [{\"name\": \"R\", \"result\": 1}, {\"name\": \"S\", \"result\": 0}]},
        \"moves\": [[\"f2e3+\", {\"move\": \"d5d4+\"}], [\"resign\", null]]}",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match parse_game(&text) {
        Err(error) => {
            assert!((1..=text.lines().count().max(1)).contains(&error.line), "{error}");
            check_message(&error.to_string());
        }
        Ok(read) => comes_back(&read.game.replay().expect("what is read can be replayed")),
    }
    if text.starts_with('{') {
        let Ok(request) = serde_json::from_str::<GameRequest>(&text) else { return };
        match request.replay() {
            Err(error) => check_message(&error.to_string()),
            Ok(game) => comes_back(&game),
        }
        return;
    }
    match parse_record(&text) {
        Err(error) => {
            assert!((1..=text.lines().count().max(1)).contains(&error.line), "{error}");
            check_message(&error.to_string());
        }
        Ok(read) => {
            let game = read.game.replay().expect("what is read can be replayed");
            assert_eq!(game.to_request().moves, read.game.moves);
            comes_back(&game);
        }
    }
}

fn comes_back(game: &Game) {
    let request = game.to_request();
    let json = serde_json::to_string(&request).expect("JSON");
    let read: GameRequest = serde_json::from_str(&json).expect("what is written reads back");
    assert_eq!(read, request);
    assert_eq!(read.replay().expect("a game").to_request(), request);

    let record = game.record();
    let read = parse_record(&record).unwrap_or_else(|error| panic!("{error}\n{record}"));
    let again = read.game.replay().expect("what is read can be replayed");
    let expected = GameRequest { tags: recorded(&request.tags), ..request };
    assert_eq!(again.to_request(), expected);
    assert_eq!(parse_record(&again.record()).expect("a record"), read);
}

/// The tags that a record contains: those that are not empty, on one line.
fn recorded(tags: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let line = tags.iter().map(|(name, text)| (name.clone(), text.replace(char::is_control, " ")));
    line.filter(|(_, text)| !text.chars().all(|c| c == '?' || c == '.')).collect()
}

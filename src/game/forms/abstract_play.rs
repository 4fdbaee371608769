//! Games in JSON: records of Abstract Play, and games as this program sends them.

use serde::Deserialize;
use serde_json::Value;

use super::super::raw_record::{ParsedRecord, RawRecord, fault, short};
use super::super::record_error::{RecordError, RecordFault};
use super::super::request::GameRequest;
use super::list::BOARD;
use super::replay::replayed;
use super::written::{Turns, Word};

/// A record of Abstract Play, as far as it is used.
#[derive(Deserialize)]
struct Record {
    header: Header,
    /// Rounds of one move for each player.
    moves: Vec<Vec<Option<Move>>>,
}

#[derive(Deserialize)]
struct Header {
    game: Named,
    #[serde(default)]
    event: String,
    #[serde(default, rename = "date-end")]
    date_end: String,
    players: [Player; 2],
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Player {
    name: String,
    /// The larger one has won.
    result: f64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Move {
    Text(String),
    Object {
        #[serde(rename = "move")]
        text: String,
    },
}

/// The text as a JSON object, if it is one.
pub fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(Value::is_object)
}

/// Parses a game in JSON.
pub fn parse(text: &str, value: Value) -> Result<ParsedRecord, RecordError> {
    let wrong = |error: serde_json::Error| fault(1, RecordFault::Json(short(&error.to_string())));
    let mut raw = RawRecord::of(text);
    if value.get("header").is_none() {
        let game: GameRequest = serde_json::from_value(value).map_err(wrong)?;
        let replayed = game.replay().map_err(|error| raw.at_line(error))?;
        return Ok(ParsedRecord { game: replayed.to_request(), tags: game.tags });
    }
    let Record { header, moves } = serde_json::from_value(value).map_err(wrong)?;
    if !header.game.name.eq_ignore_ascii_case("fanorona") {
        return Err(fault(1, RecordFault::OtherGame(short(&header.game.name))));
    }
    let [first, second] = &header.players;
    let date = header.date_end.get(..10).unwrap_or_default().replace('-', ".");
    for (tag, value) in [("Event", &header.event), ("Date", &date), ("White", &first.name), ("Black", &second.name)] {
        raw.set(1, tag, value);
    }
    raw.set(1, "Board", BOARD);
    let size = raw.size()?;
    let (mut turns, mut line, mut rest) = (Turns::new(size), 1, text);
    let texts = moves.into_iter().flatten().flatten().map(|entry| match entry {
        Move::Text(text) | Move::Object { text } => text,
    });
    let texts: Vec<String> = texts.collect();
    for (number, turn) in (1..).zip(&texts) {
        // A move that is written with escapes is not found; it and those after it count as on the line of the last that was.
        let found = rest.split_once(&format!("\"{turn}\""));
        line += found.map_or(0, |(before, _)| before.matches('\n').count());
        rest = found.map_or("", |(_, after)| after);
        let words: String = turn.split_whitespace().collect();
        let is_move = words.split(',').next().is_some_and(|first| Word::parse(size, first).is_some());
        // The last entry may say how the game ended, such as "resign".
        if is_move || number < texts.len() {
            turns.add(&mut raw, line, &words);
            turns.end(&mut raw);
        }
    }
    let score = match first.result.total_cmp(&second.result) {
        std::cmp::Ordering::Greater => "1-0",
        std::cmp::Ordering::Less => "0-1",
        std::cmp::Ordering::Equal => "1/2-1/2",
    };
    raw.score = Some((line, score.to_owned()));
    replayed(raw)
}

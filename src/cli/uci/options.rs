//! Options of the text protocol.

use std::path::PathBuf;
use std::str::FromStr;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::board::{BoardSize, excerpt};
use crate::game::engine::Level;
use crate::game::{GameRequest, PlayRules};
use crate::table::Database;

use super::super::output::{CliResult, Failure};

/// The values of the options.
#[derive(Clone, Debug)]
pub struct Settings {
    pub board: BoardSize,
    pub rules: PlayRules,
    pub database: Database,
    pub level: Level,
    /// Size of the transposition table in megabytes.
    pub hash: usize,
    pub seed: u64,
}

/// The largest transposition table in megabytes.
const MAX_HASH: usize = 4096;

const NAMES: &str = "Board, Diagonals, Continuation, Stalemate, Sacrifice, Vela, MoveLimit, Repetition, Database, Level, \
                     Hash, Seed";

impl Settings {
    pub fn new(database: Database) -> Self {
        let board = "9x5".parse().unwrap_or_else(|error| unreachable!("{error}"));
        Self { board, rules: PlayRules::default(), database, level: Level::BEST, hash: 16, seed: 0 }
    }

    /// A new game.
    pub fn start(&self) -> GameRequest {
        GameRequest { board: self.board.to_string(), rules: self.rules, ..GameRequest::default() }
    }

    /// The options in the format of the protocol, with the present values as defaults.
    pub fn describe(&self) -> String {
        let rules = &self.rules;
        let combo = |name: &str, value: String, all: &[&str]| {
            format!("option name {name} type combo default {value} var {}", all.join(" var "))
        };
        let vela = rules.vela.map_or("none".to_owned(), |side| word(&side));
        [
            format!("option name Board type string default {}", self.board),
            combo("Diagonals", word(&rules.diagonals), &["corner", "centre"]),
            combo("Continuation", word(&rules.continuation), &["optional", "obligatory"]),
            combo("Stalemate", word(&rules.stalemate), &["loss", "draw"]),
            format!("option name Sacrifice type check default {}", rules.sacrifice),
            combo("Vela", vela, &["none", "white", "black"]),
            format!("option name MoveLimit type spin default {} min 0 max 100000", rules.move_limit.unwrap_or(0)),
            format!("option name Repetition type check default {}", rules.repetition),
            format!("option name Database type string default {}", self.database.folder.display()),
            format!("option name Level type spin default {} min 1 max 5", self.level.number()),
            format!("option name Hash type spin default {} min 1 max {MAX_HASH}", self.hash),
            format!("option name Seed type spin default {} min 0 max {}", self.seed, u32::MAX),
        ]
        .join("\n")
    }

    /// Sets an option from `name X value Y`.
    pub fn set(&mut self, words: &[&str]) -> CliResult {
        let ["name", name, "value", value @ ..] = words else {
            return Err(Failure::Text("setoption is followed by name, an option, value, and its value".to_owned()));
        };
        let value = value.join(" ");
        let rules = &mut self.rules;
        match name.to_ascii_lowercase().as_str() {
            "board" => self.board = value.parse()?,
            "diagonals" => rules.diagonals = choice(name, &value, "corner or centre")?,
            "continuation" => rules.continuation = choice(name, &value, "optional or obligatory")?,
            "stalemate" => rules.stalemate = choice(name, &value, "loss or draw")?,
            "sacrifice" => rules.sacrifice = number(name, &value, "true or false")?,
            "vela" if value == "none" => rules.vela = None,
            "vela" => rules.vela = Some(choice(name, &value, "none, white or black")?),
            "movelimit" => {
                let turns: u32 = number(name, &value, "a number of turns, 0 for none")?;
                rules.move_limit = (turns > 0).then_some(turns);
            }
            "repetition" => rules.repetition = number(name, &value, "true or false")?,
            "database" => self.database.folder = PathBuf::from(value),
            "level" => self.level = value.parse()?,
            "hash" => {
                let hash = number(name, &value, "a number of megabytes")?;
                if !(1..=MAX_HASH).contains(&hash) {
                    return Err(Failure::Text(format!("Hash {hash} is not one of 1 to {MAX_HASH} megabytes")));
                }
                self.hash = hash;
            }
            "seed" => self.seed = number(name, &value, "a whole number")?,
            _ => return Err(Failure::Text(format!("{:?} is not an option; options are {NAMES}", excerpt(name)))),
        }
        Ok(())
    }
}

/// Parses the word of a rule.
fn choice<T: DeserializeOwned>(name: &str, value: &str, expected: &str) -> CliResult<T> {
    serde_json::from_value(value.into())
        .map_err(|_| Failure::Text(format!("{name} is {expected}, not {:?}", excerpt(value))))
}

fn number<T: FromStr>(name: &str, value: &str, expected: &str) -> CliResult<T> {
    value.parse().map_err(|_| Failure::Text(format!("{name} is {expected}, not {:?}", excerpt(value))))
}

/// The word of a rule.
fn word(rule: &impl Serialize) -> String {
    serde_json::to_value(rule).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

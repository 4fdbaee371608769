//! Options of the text protocol.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::board::{BoardSize, excerpt};
use crate::game::engine::{Level, MAX_THREADS};
use crate::game::{GameRequest, PlayRules};
use crate::rules::{RuleSet, Side};
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
    pub seed: u32,
    pub threads: usize,
    /// The number of best moves that are reported.
    pub lines: usize,
    /// What is kept on a clock, because a move takes time to arrive.
    pub overhead: Duration,
}

/// What is set besides values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Values.
    Values,
    /// The transposition table is to be cleared.
    ClearHash,
    /// Nothing: there is no such option.
    Unknown,
}

/// The largest transposition table in megabytes.
const MAX_HASH: usize = 4096;

/// The most lines.
const MAX_LINES: usize = 500;

/// The most milliseconds that are kept on a clock.
const MAX_OVERHEAD: u64 = 10_000;

/// The most turns of a game.
const MAX_MOVE_LIMIT: u32 = 100_000;

impl Settings {
    pub fn new(database: Database) -> Self {
        let overhead = Duration::from_millis(30);
        let (level, hash, seed, threads, lines) = (Level::BEST, 16, 0, 1, 1);
        Self {
            board: BoardSize::STANDARD,
            rules: PlayRules::default(),
            database,
            level,
            hash,
            seed,
            threads,
            lines,
            overhead,
        }
    }

    /// A new game.
    pub fn start(&self) -> GameRequest {
        GameRequest { board: self.board.to_string(), rules: self.rules, ..GameRequest::default() }
    }

    /// The options in the format of the protocol, with the present values as defaults.
    pub fn describe(&self) -> String {
        let rules = &self.rules;
        let combo = |name: &str, value: &str, all: &[&str]| {
            let (first, rest) = name.split_at(1);
            let name = first.to_ascii_uppercase() + rest;
            format!("option name {name} type combo default {value} var {}", all.join(" var "))
        };
        let table_rules = RuleSet::OPTIONS.into_iter().zip(rules.table_rules().words());
        let table_rules: Vec<_> = table_rules.map(|((name, words), word)| combo(name, word, &words)).collect();
        let vela = rules.vela.map_or("none".to_owned(), |side| side.name().to_lowercase());
        [
            format!("option name Board type string default {}", self.board),
            table_rules.join("\n"),
            format!("option name Sacrifice type check default {}", rules.sacrifice),
            combo("vela", &vela, &["none", "white", "black"]),
            format!(
                "option name MoveLimit type spin default {} min 0 max {MAX_MOVE_LIMIT}",
                rules.move_limit.unwrap_or(0)
            ),
            format!("option name Repetition type check default {}", rules.repetition),
            format!("option name Database type string default {}", self.database.folder.display()),
            format!("option name Level type spin default {} min 1 max {}", self.level.number(), Level::BEST.number()),
            format!("option name Hash type spin default {} min 1 max {MAX_HASH}", self.hash),
            "option name Clear Hash type button".to_owned(),
            format!("option name Threads type spin default {} min 1 max {MAX_THREADS}", self.threads),
            format!("option name MultiPV type spin default {} min 1 max {MAX_LINES}", self.lines),
            "option name Ponder type check default false".to_owned(),
            format!(
                "option name Move Overhead type spin default {} min 0 max {MAX_OVERHEAD}",
                self.overhead.as_millis()
            ),
            format!("option name Seed type spin default {} min 0 max {}", self.seed, u32::MAX),
        ]
        .join("\n")
    }

    /// Sets an option from `name X value Y`; names may have several words, and buttons have no value.
    pub fn set(&mut self, words: &[&str]) -> CliResult<Effect> {
        let ["name", words @ ..] = words else {
            return Err(Failure::Text("write setoption name NAME value VALUE".to_owned()));
        };
        let value_at = words.iter().position(|&word| word == "value").unwrap_or(words.len());
        let (name, value) = (words[..value_at].join(" "), words[(value_at + 1).min(words.len())..].join(" "));
        let rules = &mut self.rules;
        let name = &name[..];
        match name.to_ascii_lowercase().as_str() {
            "board" => self.board = value.parse()?,
            option if rules.set(option, &value) => {}
            "sacrifice" => rules.sacrifice = number(name, &value, "true or false")?,
            "vela" if value == "none" => rules.vela = None,
            "vela" if value == "white" => rules.vela = Some(Side::White),
            "vela" if value == "black" => rules.vela = Some(Side::Black),
            "vela" => return Err(refused(name, &value, "none, white or black")),
            "movelimit" => {
                let turns = within(name, &value, 0..=MAX_MOVE_LIMIT, "turns")?;
                rules.move_limit = (turns > 0).then_some(turns);
            }
            "repetition" => rules.repetition = number(name, &value, "true or false")?,
            "database" => self.database.folder = PathBuf::from(value),
            "level" => self.level = value.parse()?,
            "hash" => self.hash = within(name, &value, 1..=MAX_HASH, "megabytes")?,
            "clear hash" => return Ok(Effect::ClearHash),
            "threads" => self.threads = within(name, &value, 1..=MAX_THREADS, "threads")?,
            "multipv" => self.lines = within(name, &value, 1..=MAX_LINES, "lines")?,
            // It searches on the time of the other side when `go ponder` says so.
            "ponder" => drop(number::<bool>(name, &value, "true or false")?),
            "move overhead" => {
                self.overhead = Duration::from_millis(within(name, &value, 0..=MAX_OVERHEAD, "milliseconds")?);
            }
            "seed" => self.seed = number(name, &value, &format!("a number from 0 to {}", u32::MAX))?,
            option => match RuleSet::OPTIONS.into_iter().find(|(known, _)| *known == option) {
                Some((_, words)) => return Err(refused(name, &value, &words.join(" or "))),
                None => return Ok(Effect::Unknown),
            },
        }
        Ok(Effect::Values)
    }
}

/// Parses a number of a range.
fn within<T: FromStr + PartialOrd + Display>(
    name: &str,
    value: &str,
    range: RangeInclusive<T>,
    unit: &str,
) -> CliResult<T> {
    let found = number(name, value, &format!("a number of {unit}"))?;
    if range.contains(&found) {
        return Ok(found);
    }
    Err(Failure::Text(format!("{name} {found} is not one of {} to {} {unit}", range.start(), range.end())))
}

fn number<T: FromStr>(name: &str, value: &str, expected: &str) -> CliResult<T> {
    value.parse().map_err(|_| refused(name, value, expected))
}

fn refused(name: &str, value: &str, expected: &str) -> Failure {
    Failure::Text(format!("{name} is {expected}, not {:?}", excerpt(value)))
}

//! Options of `fanorona match`: the engines, their limits, the openings.

use std::num::NonZero;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{ArgGroup, Args as ClapArgs};

use crate::board::BoardSize;
use crate::files::read_text;
use crate::game::PlayRules;
use crate::matches::{Engine, Limit, Openings, RandomOpenings, Sprt};

use super::super::options::{KnowledgeOptions, RuleOptions};
use super::super::output::{CliResult, Failure};
use super::super::values::{read_number, read_positive_time, read_time};

/// Games of a match that only its test ends.
pub const UNLIMITED: u64 = u64::MAX / 2;

/// The longest name of an engine, in characters; records have tags of up to 200.
const MAX_NAME: usize = 190;

/// Play a match between two engines, and estimate how much stronger one of them is
///
/// An engine is a command that speaks uci, such as "fanorona uci". Two games in a row have the same opening with the
/// colours exchanged. This program is the referee: an engine that makes an illegal move, ends, or does not answer in time
/// loses the game and is started again for the next.
#[derive(ClapArgs, Debug)]
#[command(group = ArgGroup::new("limit").required(true))]
pub struct Arguments {
    /// The first engine, a command line
    #[arg(value_parser = command_line)]
    engine1: CommandLine,
    /// The second engine
    #[arg(value_parser = command_line)]
    engine2: CommandLine,
    /// The board, columns x rows
    #[arg(long, default_value_t = BoardSize::STANDARD, value_name = "SIZE")]
    pub board: BoardSize,
    /// Nodes for each move, or for the first engine and the second: 2000,1500
    #[arg(long, group = "limit", value_name = "N[,N]", value_parser = nodes)]
    nodes: Option<[Limit; 2]>,
    /// Time for each move, such as 300ms, or for the first engine and the second
    #[arg(long, group = "limit", value_name = "TIME[,TIME]", value_parser = time)]
    time: Option<[Limit; 2]>,
    /// Time for the game and for each move in addition, such as 60s+600ms
    #[arg(long, group = "limit", value_name = "TIME+TIME[,...]", value_parser = clock)]
    clock: Option<[Limit; 2]>,
    /// An option of both engines, such as Hash=64
    #[arg(long, value_name = "NAME=VALUE", value_parser = named, help_heading = "Engines")]
    option: Vec<(String, String)>,
    /// An option of the first engine
    #[arg(long, value_name = "NAME=VALUE", value_parser = named, help_heading = "Engines")]
    option1: Vec<(String, String)>,
    /// An option of the second engine
    #[arg(long, value_name = "NAME=VALUE", value_parser = named, help_heading = "Engines")]
    option2: Vec<(String, String)>,
    /// The name of the first engine in records [default: its command and options]
    #[arg(long, value_name = "NAME", help_heading = "Engines")]
    name1: Option<String>,
    /// The name of the second engine in records
    #[arg(long, value_name = "NAME", help_heading = "Engines")]
    name2: Option<String>,
    /// How late an answer may be before the engine loses the game [default: 1s; 60s with --nodes]
    #[arg(long, value_name = "TIME", value_parser = read_time, help_heading = "Engines")]
    timeout: Option<Duration>,
    /// Number of games, an even one [default: all openings of a list, with --sprt until it decides, otherwise 100]
    #[arg(long, value_parser = read_number::<u64>, value_name = "N")]
    games: Option<u64>,
    /// How many games are played at the same time
    #[arg(long, value_parser = read_number::<NonZero<u16>>, value_name = "N", default_value = "1")]
    pub concurrency: NonZero<u16>,
    /// End the match when a sequential probability ratio test decides whether the first engine is stronger by ELO1 or only
    /// by ELO0; ALPHA and BETA are its error rates, by default 0.05
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", allow_hyphen_values = true)]
    pub sprt: Option<Sprt>,
    /// Openings from a file: a position or moves from the start on each line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plies", "balance", "seed"], help_heading = "Openings")]
    openings: Option<PathBuf>,
    /// Random openings of that many turns
    #[arg(long, value_parser = read_number::<u32>, value_name = "N", default_value = "4", help_heading = "Openings")]
    plies: u32,
    /// Only random openings in which a search of six turns puts no side ahead by more stones than this
    #[arg(long, value_parser = read_number::<u32>, value_name = "STONES", default_value = "1", help_heading = "Openings")]
    balance: u32,
    /// Random seed of the openings
    #[arg(long, value_parser = read_number::<u64>, value_name = "N", default_value = "1", help_heading = "Openings")]
    seed: u64,
    #[command(flatten)]
    pub rules: RuleOptions,
    /// After this many turns of both sides together a game is a draw
    #[arg(long, value_parser = read_number::<NonZero<u32>>, value_name = "TURNS", default_value = "300", help_heading = "Rules")]
    pub move_limit: NonZero<u32>,
    /// Do not call the third occurrence of a position a draw
    #[arg(long, help_heading = "Rules")]
    pub no_repetition: bool,
    /// End games whose value is known by tables or certificates
    #[arg(long)]
    pub adjudicate: bool,
    #[command(flatten)]
    pub knowledge: KnowledgeOptions,
    /// Append the records of all games to a file; the same command continues from it
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// A program and its arguments.
type CommandLine = Vec<String>;

fn command_line(text: &str) -> Result<CommandLine, String> {
    match shlex::split(text) {
        Some(words) if !words.is_empty() => Ok(words),
        _ => Err("expected a command; quotes must be closed".to_owned()),
    }
}

fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err("expected NAME=VALUE, such as Level=3".to_owned()),
    }
}

/// One limit for both engines, or one for each.
fn limits(text: &str, limit: impl Fn(&str) -> Option<Limit>, expected: &str) -> Result<[Limit; 2], String> {
    let limits: Option<Vec<Limit>> = text.split(',').map(|part| limit(part.trim())).collect();
    match limits.as_deref() {
        Some(&[both]) => Ok([both, both]),
        Some(&[first, second]) => Ok([first, second]),
        _ => Err(format!("expected {expected}")),
    }
}

fn nodes(text: &str) -> Result<[Limit; 2], String> {
    let limit = |text: &str| u64::from_str(text).ok().filter(|&nodes| nodes > 0).map(Limit::Nodes);
    limits(text, limit, "a number of nodes such as 2000, or two: 2000,1500")
}

fn time(text: &str) -> Result<[Limit; 2], String> {
    limits(text, |text| read_positive_time(text).ok().map(Limit::Time), "a time such as 300ms, or two: 300ms,1s")
}

fn clock(text: &str) -> Result<[Limit; 2], String> {
    let limit = |text: &str| {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0s"));
        Some(Limit::Clock { base: read_positive_time(base).ok()?, increment: read_time(increment).ok()? })
    };
    limits(text, limit, "a time for the game and one for each move, such as 60s+600ms")
}

impl Arguments {
    pub fn open_openings(&self, rules: PlayRules) -> CliResult<Openings> {
        let Some(path) = &self.openings else {
            let by = RandomOpenings { plies: self.plies, balance: self.balance, seed: self.seed };
            return Ok(Openings::random(by, self.board, rules));
        };
        let text = read_text(path).map_err(|error| {
            Failure::Text(format!("cannot read {}: {error}; give a file of openings (--openings)", path.display()))
        })?;
        Openings::list(&text, self.board, rules).map_err(|error| Failure::Text(format!("{}: {error}", path.display())))
    }

    pub fn games(&self, openings: &Openings) -> CliResult<u64> {
        let listed = openings.listed().map(|openings| 2 * openings as u64);
        match (self.games, listed) {
            (Some(games), _) if games == 0 || !games.is_multiple_of(2) => Err(Failure::Text(format!(
                "the number of games must be even and at least 2, because each opening is played with both colours (--games {})",
                (games - games % 2).max(2)
            ))),
            (Some(games), Some(listed)) if games > listed => Err(Failure::Text(format!(
                "{} for {listed} games, not for {games} (--games, --openings)",
                if listed == 2 {
                    "1 opening is enough".to_owned()
                } else {
                    format!("{} openings are enough", listed / 2)
                }
            ))),
            (Some(games), _) | (None, Some(games)) => Ok(games),
            (None, None) if self.sprt.is_some() => Ok(UNLIMITED),
            (None, None) => Ok(100),
        }
    }

    pub fn timeout(&self) -> Duration {
        let usual = if self.nodes.is_some() { 60 } else { 1 };
        self.timeout.unwrap_or(Duration::from_secs(usual))
    }

    pub fn engines(&self) -> CliResult<[Engine; 2]> {
        let limits = self.nodes.or(self.time).or(self.clock);
        let [limit_of_first, limit_of_second] =
            limits.ok_or_else(|| Failure::Text("there is no limit (--nodes)".to_owned()))?;
        let engine = |command: &CommandLine, options: &[(String, String)], name: &Option<String>, limit| {
            let options: Vec<(String, String)> = self.option.iter().chain(options).cloned().collect();
            let words = options.iter().map(|(name, value)| format!("{name}={value}"));
            let usual = || command.iter().cloned().chain(words).collect::<Vec<_>>().join(" ");
            Engine { name: name.clone().unwrap_or_else(usual), command: command.clone(), options, limit }
        };
        let first = engine(&self.engine1, &self.option1, &self.name1, limit_of_first);
        let mut second = engine(&self.engine2, &self.option2, &self.name2, limit_of_second);
        if first.name == second.name {
            second.name += " (2)";
        }
        for (name, number) in [(&first.name, 1), (&second.name, 2)] {
            // In a record, question marks and full stops alone stand for a player who is not known.
            let is_name = name.chars().any(char::is_alphanumeric) && !name.chars().any(char::is_control);
            if name.chars().count() > MAX_NAME || !is_name {
                return Err(Failure::Text(format!(
                    "the name of an engine is a line of up to {MAX_NAME} characters, with a letter or a digit (--name{number})"
                )));
            }
        }
        Ok([first, second])
    }
}

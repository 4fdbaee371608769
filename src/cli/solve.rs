//! `fanorona solve`: the value of a start position, or of any other, with a certificate.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::Args;
use serde::Serialize;

use crate::board::BoardSize;
use crate::report::{RuleNames, ValuedMove};
use crate::retro::check_size;
use crate::rules::{Position, PositionText, Side, turn_text};
use crate::search::{Answer, Extent, Repairs, Solution, Value};

use super::certified::{Certified, check_writable};
use super::interrupt::Interrupt;
use super::options::{SideOption, TableOptions, ThreadsOption, bytes, duration, free_memory, grouped};
use super::output::{CliResult, print, print_json};
use super::solving::{CHECKPOINT_INTERVAL, Solved, Task, cost, solve};

/// Solve the start position of a board, or another: who wins, and what each move is worth
///
/// Builds the tables it needs, then searches. With a certificate, the values can be checked by "fanorona check" without
/// trust in the search. An interrupted solve saves its state, and the same command goes on from there. A certificate of the
/// position is written as soon as that is settled, and again with its moves when they are.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    tables: TableOptions,
    /// The position, if not the start: ranks from the top, then the side to move
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// Tables of up to so many stones, or 0 for none: a search down to the last stone; if not given, 7 to 9 by the size of the
    /// board, as far as memory allows
    #[arg(long, value_name = "N")]
    stones: Option<usize>,
    /// Memory for the search and its tables, such as 12G; three quarters of what is free if not given
    #[arg(long, value_name = "SIZE")]
    memory: Option<ByteSize>,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Only whether that side can force a win: neither whether the other can, nor each of the moves
    #[arg(long, value_enum, value_name = "SIDE")]
    question: Option<SideOption>,
    /// Only the position itself, not each of its moves
    #[arg(long)]
    no_moves: bool,
    /// Give a question up after so long, such as 90s or 1h, and report what is known; the same command goes on from there. To
    /// make its set, an answer has as long again
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    limit: Option<Duration>,
    /// Write a certificate of the values to this file
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Where the state of the search is kept; next to the tables if not given
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Save it that often, such as 30s; every five minutes if not given
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    checkpoint_every: Option<Duration>,
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

/// The memory that a solve may use if nothing is said.
pub fn default_memory() -> u64 {
    free_memory() / 4 * 3
}

pub fn run(arguments: &Arguments) -> CliResult {
    check_size(arguments.tables.size, arguments.stones.filter(|&stones| stones > 0).unwrap_or(2))?;
    let position = read_position(arguments.tables.size, arguments.position.as_deref())?;
    arguments.certificate.as_deref().map_or(Ok(()), check_writable)?;
    let interrupt = Interrupt::new()?;
    arguments.threads.run(|| start(arguments, position, &interrupt))?
}

fn read_position(size: BoardSize, text: Option<&str>) -> CliResult<Position<u64>> {
    let Some(text) = text else { return Ok(Position::start(size)) };
    Ok(PositionText::parse(text)?.on(size)?)
}

fn start(arguments: &Arguments, position: Position<u64>, interrupt: &Interrupt) -> CliResult {
    let (size, rules) = (arguments.tables.size, arguments.tables.rules.rules());
    let task = Task {
        database: (&arguments.tables.database).into(),
        rules,
        size,
        position,
        extent: Extent {
            only: arguments.question.map(Side::from),
            with_moves: !arguments.no_moves,
            limit: arguments.limit,
        },
        stones: arguments.stones,
        memory: arguments.memory.map_or_else(default_memory, |memory| memory.as_u64()),
        certificate: arguments.certificate.clone(),
        checkpoint: arguments.checkpoint.clone(),
        checkpoint_every: arguments.checkpoint_every.unwrap_or(CHECKPOINT_INTERVAL),
    };
    let solved = solve(&task, interrupt)?;
    let report = Report::new(&task, &solved);
    if arguments.json { print_json(&report) } else { print(&report.text(task.extent, &solved)) }
}

#[derive(Serialize)]
struct Report {
    board: String,
    rules: RuleNames,
    #[serde(skip)]
    rules_text: String,
    position: String,
    value: Value,
    questions: Questions,
    tables: Stones,
    moves: Vec<ValuedMove>,
    line: Vec<String>,
    nodes: u64,
    probes: u64,
    closure: Closure,
    seconds: f64,
    build_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Certified>,
}

#[derive(Serialize)]
struct Questions {
    white_wins: Question,
    black_wins: Question,
}

#[derive(Serialize)]
struct Question {
    answer: Option<bool>,
    nodes: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct Stones {
    stones: usize,
}

/// What it took to close the sets.
#[derive(Clone, Debug, Serialize)]
pub struct Closure {
    pub safe: usize,
    pub won: usize,
    #[serde(flatten)]
    pub repairs: Repairs,
    pub asked_again: u64,
    pub seconds: f64,
}

impl Closure {
    /// Of the sets of a solution.
    pub fn of(solution: &Solution) -> Self {
        Self {
            safe: solution.safe.len(),
            won: solution.won.len(),
            repairs: solution.repairs,
            asked_again: solution.asked_again,
            seconds: solution.extraction_seconds,
        }
    }
}

impl From<Answer> for Question {
    fn from(Answer { wins, nodes, seconds }: Answer) -> Self {
        Self { answer: wins, nodes, seconds }
    }
}

/// Turns of the main line that are shown.
const LINE: usize = 60;

impl Report {
    fn new(task: &Task, solved: &Solved) -> Self {
        let solution = &solved.solution;
        let line = solution.main_line(&task.game(), LINE);
        Self {
            board: task.size.to_string(),
            rules: task.rules.into(),
            rules_text: task.rules.to_string(),
            position: task.position.to_text(task.size),
            value: solution.value,
            questions: Questions { white_wins: solution.white_wins.into(), black_wins: solution.black_wins.into() },
            tables: Stones { stones: solved.stones },
            moves: ValuedMove::all(task.size, &solution.moves),
            line: line.iter().map(|(turn, _)| turn_text(task.size, turn)).collect(),
            nodes: solved.nodes,
            probes: solved.probes,
            closure: Closure::of(solution),
            seconds: solved.search_seconds,
            build_seconds: solved.build_seconds,
            certificate: solved.certificate.clone(),
        }
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // for people
    fn text(&self, extent: Extent, solved: &Solved) -> String {
        let solution = &solved.solution;
        let mut text = format!("{}, {}: {}\n{}\n", self.board, self.rules_text, self.value, self.position);
        // Writing to a string cannot fail.
        for side in [Side::White, Side::Black] {
            let Answer { wins, nodes, seconds } = solution.answer(side);
            let answer = match wins {
                None if !extent.asks(side) => "not asked".to_owned(),
                wins => {
                    let word = wins.map_or("open", |wins| if wins { "yes" } else { "no" });
                    format!("{word:4} {}", cost(nodes, seconds))
                }
            };
            let _ = writeln!(text, "Can {} force a win? {answer}", side.name());
        }
        if !self.moves.is_empty() {
            let width = self.moves.iter().map(|m| m.text.len()).max().unwrap_or(0);
            text.push_str("First moves, up to symmetry:\n");
            for m in &self.moves {
                let _ = writeln!(text, "  {:width$}  {}", m.text, m.value);
            }
        }
        if !self.line.is_empty() {
            let _ = writeln!(text, "Main line: {}", self.line.join(" "));
        }
        let rate = if self.seconds > 0.0 { self.nodes as f64 / self.seconds } else { 0.0 };
        let _ = writeln!(
            text,
            "In all {} ({} nodes/s), {} probes, tables of up to {} stones (built in {}).",
            cost(self.nodes, self.seconds),
            grouped(rate as u64),
            grouped(self.probes),
            self.tables.stones,
            duration(self.build_seconds),
        );
        let _ = write!(
            text,
            "Closed sets: {} positions without loss, {} won, in {}; {} searched again, {} disproofs refuted and {} reopened, {} questions asked again.",
            grouped(self.closure.safe as u64),
            grouped(self.closure.won as u64),
            duration(self.closure.seconds),
            grouped(self.closure.repairs.searched),
            grouped(self.closure.repairs.refuted),
            grouped(self.closure.repairs.reopened),
            self.closure.asked_again,
        );
        if let Some(certificate) = &self.certificate {
            let size = bytes(certificate.bytes);
            let _ = write!(
                text,
                "\nCertificate: {}, {size}; check it with: fanorona check {}",
                certificate.file, certificate.file
            );
        }
        text
    }
}

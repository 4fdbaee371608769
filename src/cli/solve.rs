//! `fanorona solve`: the value of a start position, or of any other, with a certificate.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::Args;
use serde::Serialize;

use crate::board::BoardSize;
use crate::index::{Slice, SliceSet};
use crate::knowledge::Trust;
use crate::report::{build_command, tables_text};
use crate::retro::{Goal, check_size};
use crate::rules::{Position, PositionText, Side};
use crate::search::{Answer, CertificateFile, MoveValue, Problem, Solution, SolveEvent, SolveReport, SolveScope};
use crate::table::Database;

use super::interrupt::Interrupt;
use super::options::{SideOption, TableOptions, ThreadsOption, bytes, cost, duration, grouped, search_memory};
use super::output::{CliResult, print, print_json};
use super::session::{self, Proved, Task, note_result};
use super::values::{read_number, read_size, read_time};

/// Solve the start position of a board, or another: who wins under best play
///
/// Builds the tables it needs, then searches, and prints the value as soon as it is proved. Then it writes a certificate, checks
/// it, and records the check; from then on all commands know what it proves if it is in the database. What certificates prove
/// already is not searched again. An interrupted solve saves its state, and the same command continues from there.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    tables: TableOptions,
    /// The position, if not the start: ranks from the top, then the side to move
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// Use tables of up to this many stones, or 0 for none; if not given, 7 to 9 by the size of the board, as far as memory
    /// allows, and no more than the position has
    #[arg(long, value_parser = read_number::<usize>, value_name = "N")]
    stones: Option<usize>,
    /// Use this slice too, such as 5v4, with its twin and the slices they need; may be given several times
    #[arg(long = "slice", value_name = "SLICE")]
    slices: Vec<Slice>,
    /// Memory for the search and its tables, such as 12G; three quarters of what is free if not given
    #[arg(long, value_parser = read_size, value_name = "SIZE")]
    memory: Option<ByteSize>,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Find out only whether that side can force a win
    #[arg(long, value_enum, value_name = "SIDE")]
    question: Option<SideOption>,
    /// Find out the value of each first move too, or with --question only whether that side can force a win after it: many
    /// times the work
    #[arg(long)]
    moves: bool,
    /// Time limit for each question, such as 90s or 1h; what is known by then is printed, and the same command
    /// continues from there. Proving an answer may take as long again
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    limit: Option<Duration>,
    /// Write the certificate to this file; if not given, to the folder "certificates" of the database, where
    /// a certificate that proves more is kept
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Search everything again, even what certificates prove
    #[arg(long)]
    no_proofs: bool,
    /// Where the state of the search is kept; next to the tables if not given
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Time between saves of the state, such as 30s; five minutes if not given
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    checkpoint_every: Option<Duration>,
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> CliResult {
    let stones = arguments.stones.filter(|&stones| stones > 0).unwrap_or(2);
    check_size(arguments.tables.size, SliceSet::new(stones, arguments.slices.iter().copied()))?;
    let position = read_position(arguments.tables.size, arguments.position.as_deref())?;
    let interrupt = Interrupt::new()?;
    arguments.threads.run(|| solve(arguments, position, &interrupt))?
}

fn read_position(size: BoardSize, text: Option<&str>) -> CliResult<Position<u64>> {
    let Some(text) = text else { return Ok(Position::start(size)) };
    Ok(PositionText::parse(text)?.on(size)?)
}

fn solve(arguments: &Arguments, position: Position<u64>, interrupt: &Interrupt) -> CliResult {
    let (size, rules) = (arguments.tables.size, arguments.tables.rules.rule_set());
    let problem = Problem { size, rules, position };
    let memory = arguments.memory.map_or_else(search_memory, |memory| memory.as_u64());
    let database = Database::from(&arguments.tables.database);
    let (checkpoint, certificate) = (arguments.checkpoint.clone(), arguments.certificate.clone());
    let mut task = Task::new(problem, database, memory, checkpoint, certificate, interrupt)?;
    task.stones = arguments.stones;
    task.slices.clone_from(&arguments.slices);
    task.options.scope = SolveScope { only: arguments.question.map(Side::from), moves: arguments.moves };
    task.options.limit = arguments.limit;
    task.options.proofs = if arguments.no_proofs { Trust::None } else { Trust::Checked };
    if let (Some(checkpoint), Some(every)) = (&mut task.options.checkpoint, arguments.checkpoint_every) {
        checkpoint.every = every;
    }
    let scope = task.options.scope;
    let mut printed = false;
    let run = session::run(task, interrupt, &mut |event, progress| match event {
        _ if arguments.json => {
            note_result(size, event, progress);
            Ok(())
        }
        SolveEvent::Answered(solution) if !scope.moves || solution.value.is_exact() => {
            printed = true;
            progress.suspend(|| print(&value_text(&problem, scope, solution)))
        }
        SolveEvent::Move(entry) if printed => progress.suspend(|| print(&move_text(entry))),
        // The value may follow from the moves, and comes first in the result.
        SolveEvent::Move(_) => {
            note_result(size, event, progress);
            Ok(())
        }
        _ => Ok(()),
    })?;
    if !arguments.json && !printed {
        print(&value_text(&problem, scope, &run.solved.solution))?;
        run.solved.solution.moves.iter().try_for_each(|entry| print(&move_text(entry)))?;
    }
    let found = SolveReport::new(&problem, scope, &run.solved);
    let mut report = Report { found, tables: run.tables, build_seconds: run.build_seconds, certificate: None };
    if !arguments.json {
        print(&report.text())?;
    }
    let solution = &run.solved.solution;
    let reached = SliceSet::from(Slice::of(position.mover(), position.opponent()));
    if !solution.answers(scope)
        && let Some(slice) = run.tables.next_slice(reached)
    {
        let goal = Goal::values(size, rules, run.tables.with(slice));
        let build = build_command(&goal, &arguments.tables.database.folder);
        note!("{size}: one more slice may answer the open question: --slice {slice} (its cost: {build} --dry-run)");
    }
    report.certificate = run.prove()?;
    if let Some(Proved { file: CertificateFile { file, bytes: size, .. }, tables, seconds, .. }) = &report.certificate
        && !arguments.json
    {
        let (size, seconds) = (bytes(*size), duration(*seconds));
        let given = match tables.most_stones() {
            0 => "without tables".to_owned(),
            _ => format!("given {}", tables_text(*tables)),
        };
        print(&format!("Certificate: {file}, {size}, checked in {seconds}: proved, {given}"))?;
    }
    if arguments.json { print_json(&report) } else { Ok(()) }
}

/// The value of a position, and the answers that it follows from.
fn value_text(problem: &Problem, scope: SolveScope, solution: &Solution) -> String {
    let Problem { size, rules, position } = problem;
    let mut text = format!("{size}, {rules}: {}\n{}", solution.value, position.to_text(*size));
    for side in [Side::White, Side::Black] {
        let Answer { wins, nodes, seconds } = solution.answer(side);
        let answer = match wins {
            None if !scope.asks(side) => "not asked".to_owned(),
            wins => {
                let word = wins.map_or("open", |wins| if wins { "yes" } else { "no" });
                format!("{word:4} {}", cost(nodes, seconds))
            }
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "\nCan {} force a win? {answer}", side.name());
    }
    if scope.moves {
        text.push_str("\nFirst moves, up to symmetry:");
    }
    text
}

fn move_text(MoveValue { text, value, .. }: &MoveValue) -> String {
    format!("  {text:8}  {value}")
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    found: SolveReport,
    tables: SliceSet,
    build_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Proved>,
}

impl Report {
    /// The main line, and what it all took.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // for people
    fn text(&self) -> String {
        let SolveReport { line, nodes, probes, seconds, closure, .. } = &self.found;
        let line = if line.is_empty() { String::new() } else { format!("Main line: {}\n", line.join(" ")) };
        let rate = if *seconds > 0.0 { *nodes as f64 / seconds } else { 0.0 };
        format!(
            "{line}In all {} ({} nodes/s), {} probes, {} (built in {}).\n\
             Closed sets: {} positions without loss, {} won, in {}; {} searched again, {} disproofs refuted and {} reopened, {} questions asked again.",
            cost(*nodes, *seconds),
            grouped(rate as u64),
            grouped(*probes),
            tables_text(self.tables),
            duration(self.build_seconds),
            grouped(closure.safe as u64),
            grouped(closure.won as u64),
            duration(closure.seconds),
            grouped(closure.repairs.searched),
            grouped(closure.repairs.refuted),
            grouped(closure.repairs.reopened),
            closure.asked_again,
        )
    }
}

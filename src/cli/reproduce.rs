//! `fanorona reproduce`: the published results and more, solved, certified and checked.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use clap::Args;
use serde::Serialize;

use crate::board::{BoardSize, Diagonals};
use crate::files::make_folder;
use crate::knowledge::CERTIFICATES;
use crate::rules::{Continuation, Directions, Position, RuleSet, Side, Stalemate, Value};
use crate::search::{MoveValue, Problem, SolveScope, Solved};
use crate::table::Database;

use super::interrupt::Interrupt;
use super::options::{DatabaseOption, ThreadsOption, bytes, duration, free_memory, grouped, search_memory};
use super::output::{CliResult, Failure, print, print_json, table};
use super::proving::prove_file;
use super::session::{self, Closure, Run, Task, note_result};

/// Solve the small boards, and with --all 9x5: a table of results next to the published ones, each with a checked certificate
///
/// Builds the tables it needs, solves each board, writes a certificate to the database folder and checks it. Tables that
/// exist are reused; all else is done again.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // switches of the command line
pub struct Arguments {
    #[command(flatten)]
    database: DatabaseOption,
    /// The standard board too
    #[arg(long)]
    all: bool,
    /// With --all, every first move of the standard board as well: many times the work, see --limit
    #[arg(long, requires = "all")]
    moves: bool,
    /// The small boards under other rules too
    #[arg(long)]
    variants: bool,
    /// Larger boards too, new results and open ones, within the time limit: see --limit
    #[arg(long)]
    further: bool,
    /// Other starts instead: with a palindrome as the middle row, a table of its own
    #[arg(long, conflicts_with_all = ["moves", "variants", "further"])]
    starts: bool,
    /// With --variants, --further, --moves or --starts, the time limit for each question, such as 90s or 1h; what is known by then is
    /// reported
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = humantime::parse_duration)]
    limit: Duration,
    /// Memory for searches and tables, such as 12G; three quarters of what is free if not given
    #[arg(long, value_name = "SIZE")]
    memory: Option<ByteSize>,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

/// Columns, rows, and the published value: Schadd and others, *Best Play in Fanorona Leads to Draw* (2008), who write
/// rows x columns. No value is published for the boards without one.
const BOARDS: [(usize, usize, Option<Value>); 10] = [
    (3, 3, Some(Value::WhiteWins)),
    (3, 5, Some(Value::WhiteWins)),
    (5, 3, Some(Value::WhiteWins)),
    (3, 7, Some(Value::WhiteWins)),
    (7, 3, Some(Value::WhiteWins)),
    (3, 9, Some(Value::WhiteWins)),
    (9, 3, Some(Value::WhiteWins)),
    (5, 5, Some(Value::Draw)),
    (5, 7, None),
    (7, 5, None),
];

/// The standard board.
const STANDARD: (usize, usize, Option<Value>) = (9, 5, Some(Value::Draw));

/// What Schadd reports of every first move of the standard board.
const STANDARD_MOVES: Value = Value::Draw;

/// Larger boards of which no value is published, the easier ones first.
const FURTHER: [(usize, usize); 8] = [(11, 3), (13, 3), (3, 11), (3, 13), (7, 7), (5, 9), (9, 7), (11, 5)];

/// A result.
#[derive(Serialize)]
struct Row {
    board: String,
    rules: RuleSet,
    position: String,
    value: Value,
    published: Option<Value>,
    agrees: Option<bool>,
    nodes: u64,
    stones: usize,
    seconds: Seconds,
    closure: Closure,
    certificate: Option<Status>,
    moves: Vec<MoveValue>,
}

#[derive(Serialize)]
struct Seconds {
    tables: f64,
    search: f64,
    check: f64,
}

#[derive(Serialize)]
struct Status {
    file: String,
    bytes: u64,
    positions: u64,
    /// Always `proved`: a certificate that is rejected ends the command.
    verdict: &'static str,
}

#[derive(Serialize)]
struct Results {
    results: Vec<Row>,
    seconds: f64,
}

/// A position, the published value, how far to solve it, and the time limit for each question.
struct Case {
    problem: Problem,
    published: Option<Value>,
    scope: SolveScope,
    limit: Option<Duration>,
}

/// The starts with a palindrome as the middle row.
///
/// These are all the other questions that an alternating middle row poses: the standard row with its colours exchanged is its own
/// mirror image, and half a turn that exchanges the colours too takes one palindrome to the other with Black to move.
fn other_starts(arguments: &Arguments) -> CliResult<Vec<Case>> {
    let mut cases = Vec::new();
    for (columns, rows, _) in BOARDS.into_iter().chain(arguments.all.then_some(STANDARD)) {
        let size = BoardSize::new(columns, rows)?;
        for inner in [Side::White, Side::Black] {
            let position = Position::palindromic_start(size, inner);
            let problem = Problem { position, ..Problem::start(size, RuleSet::default()) };
            cases.push(Case { problem, published: None, scope: SolveScope::Position, limit: Some(arguments.limit) });
        }
    }
    Ok(cases)
}

fn cases(arguments: &Arguments) -> CliResult<Vec<Case>> {
    if arguments.starts {
        return other_starts(arguments);
    }
    let mut cases = Vec::new();
    let mut add = |(columns, rows): (usize, usize), rules, published, (scope, limit)| -> CliResult {
        let problem = Problem::start(BoardSize::new(columns, rows)?, rules);
        cases.push(Case { problem, published, scope, limit });
        Ok(())
    };
    let whole = (SolveScope::Position, None);
    let bounded = (SolveScope::Position, Some(arguments.limit));
    let defaults = RuleSet::default();
    for (columns, rows, published) in BOARDS {
        add((columns, rows), defaults, published, whole)?;
    }
    if arguments.variants {
        for (columns, rows, _) in BOARDS {
            // On some boards the two kinds of diagonals are the same.
            if (columns / 2 + rows / 2) % 2 == 1 {
                add((columns, rows), RuleSet { diagonals: Diagonals::Centre, ..defaults }, None, bounded)?;
            }
            add((columns, rows), RuleSet { continuation: Continuation::Obligatory, ..defaults }, None, bounded)?;
            add((columns, rows), RuleSet { directions: Directions::Once, ..defaults }, None, bounded)?;
            add((columns, rows), RuleSet { stalemate: Stalemate::Draw, ..defaults }, None, bounded)?;
        }
    }
    if arguments.all {
        let (columns, rows, published) = STANDARD;
        let moves = (SolveScope::Moves, Some(arguments.limit));
        add((columns, rows), defaults, published, if arguments.moves { moves } else { whole })?;
    }
    if arguments.further {
        for (columns, rows) in FURTHER {
            add((columns, rows), defaults, None, bounded)?;
        }
    }
    Ok(cases)
}

pub fn run(arguments: &Arguments) -> CliResult {
    let interrupt = Interrupt::new()?;
    arguments.threads.run(|| reproduce(arguments, &interrupt))?
}

fn reproduce(arguments: &Arguments, interrupt: &Interrupt) -> CliResult {
    let start = Instant::now();
    let folder = arguments.database.folder.join(CERTIFICATES);
    make_folder(&folder).map_err(|error| Failure::Text(format!("cannot make folder {}: {error}", folder.display())))?;
    let mut rows = Vec::new();
    for case in cases(arguments)? {
        rows.push(solved(arguments, &folder, &case, interrupt)?);
    }
    let seconds = start.elapsed().as_secs_f64();
    let moves = rows.iter().flat_map(|row| &row.moves);
    let moves_differ = moves.filter(|m| m.value.is_exact() && m.value != STANDARD_MOVES).count();
    let differs = rows.iter().filter(|row| row.agrees == Some(false)).count() + moves_differ;
    if arguments.json {
        print_json(&Results { results: rows, seconds })?;
    } else {
        print(&text(&rows, arguments.starts, seconds))?;
    }
    if differs > 0 {
        return Err(Failure::Text(format!("{differs} results differ from the published ones")));
    }
    Ok(())
}

fn solved(arguments: &Arguments, folder: &Path, case: &Case, interrupt: &Interrupt) -> CliResult<Row> {
    let &Case { problem, published, scope, limit } = case;
    let Problem { size, rules, position } = problem;
    let file = folder.join(problem.certificate_name());
    let memory = arguments.memory.map_or_else(search_memory, |memory| memory.as_u64());
    let database = Database::from(&arguments.database);
    let mut task = Task::new(problem, database.clone(), memory, None, interrupt)?;
    task.options.scope = scope;
    task.options.limit = limit;
    task.options.certificate = Some(file.clone());
    let Run { solved, tables, build_seconds } = session::run(task, interrupt, &mut |event, progress| {
        if scope == SolveScope::Moves {
            note_result(size, event, progress);
        }
        Ok(())
    })?;
    let Solved { solution, certificate: certified, totals } = solved;
    let closure = Closure::of(&solution);
    let value = solution.value;
    let moves = solution.moves;
    // The checker needs the memory of the search's sets.
    drop((solution.safe, solution.won));
    let start = Instant::now();
    let certificate = match certified {
        Some(certified) => {
            let memory = arguments.memory.map_or_else(free_memory, |memory| memory.as_u64());
            let certificate = prove_file(&file, &database, memory)?;
            note!("{size}, {rules}, {}: {value}, proved", position.to_text(size));
            let positions = certificate.positions();
            Some(Status { file: certified.file, bytes: certified.bytes, positions, verdict: "proved" })
        }
        None => None,
    };
    let check = start.elapsed().as_secs_f64();
    Ok(Row {
        board: size.to_string(),
        rules,
        position: position.to_text(size),
        value,
        published,
        agrees: published.map(|published| published == value),
        nodes: totals.nodes,
        stones: tables.most_stones(),
        seconds: Seconds { tables: build_seconds, search: totals.seconds, check },
        closure,
        certificate,
        moves,
    })
}

/// The table, and what is to be said of it; the columns between the board and the value depend on what the rows differ in.
fn text(rows: &[Row], starts: bool, seconds: f64) -> String {
    let own = if starts { ["middle row", "value"].as_slice() } else { &["rules", "value", "published"] };
    let header =
        ["board"].iter().chain(own).chain(&["nodes", "stones", "tables", "search", "certificate", "check"]).copied();
    let mut shown = table(header);
    for row in rows {
        let status = row.certificate.as_ref();
        let value = row.value.to_string();
        let own = if starts {
            vec![middle_row(&row.position).to_owned(), value]
        } else {
            let published = row.published.map_or("ours".to_owned(), |value| value.to_string());
            vec![options(row.rules), value, published]
        };
        let common = [
            grouped(row.nodes),
            row.stones.to_string(),
            duration(row.seconds.tables),
            duration(row.seconds.search),
            status
                .map_or(NOTHING.to_owned(), |status| format!("{}, {}", grouped(status.positions), bytes(status.bytes))),
            status.map_or(NOTHING.to_owned(), |status| format!("{} {}", status.verdict, duration(row.seconds.check))),
        ];
        shown.add_row([row.board.clone()].into_iter().chain(own).chain(common));
    }
    let mut text = format!(
        "{shown}\n\nBoards are columns x rows; Schadd's papers write rows x columns. Certificate: positions, bytes.\n\
         Disproofs that did not close and were searched again: {}.\n",
        searched_again(rows)
    );
    if starts {
        text.push_str("White moves first. The standard middle row with its colours exchanged is its mirror image, and has its value.\n");
    }
    for row in rows.iter().filter(|row| !row.moves.is_empty()) {
        let moves: Vec<String> = row.moves.iter().map(|m| format!("{} {}", m.text, m.value)).collect();
        // Writing to a string cannot fail.
        let published = format!("published: each a {STANDARD_MOVES}");
        let _ = writeln!(text, "First moves of {} ({published}): {}.", row.board, moves.join(", "));
    }
    let _ = write!(text, "All in {}.", duration(seconds));
    text
}

/// How many disproofs of each board depended on a path or were lost, so that their sets did not close at once.
fn searched_again(rows: &[Row]) -> String {
    let boards = rows.iter().map(|row| (row, row.closure.repairs.withdrawn()));
    let texts: Vec<String> = boards
        .filter(|(_, withdrawn)| *withdrawn > 0)
        .map(|(row, withdrawn)| {
            let again = row.closure.asked_again;
            format!("{} {} (questions asked again: {again})", row.board, grouped(withdrawn))
        })
        .collect();
    if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
}

/// Shown where there is nothing to certify.
const NOTHING: &str = "-";

/// The middle one of the ranks of a position text.
fn middle_row(position: &str) -> &str {
    let ranks: Vec<&str> = position.split('/').collect();
    ranks[ranks.len() / 2]
}

/// The rules that differ from the default.
fn options(rules: RuleSet) -> String {
    let names = ["centre diagonals", "obligatory continuation", "no direction twice", "stalemate drawn"];
    let differing = names.into_iter().zip(rules.options()).filter(|&(_, differs)| differs);
    let words: Vec<&str> = differing.map(|(name, _)| name).collect();
    if words.is_empty() { "default".to_owned() } else { words.join(", ") }
}

//! `fanorona reproduce`: the published results and more, solved, certified and checked.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use clap::{ArgGroup, Args};
use serde::Serialize;

use crate::board::{BoardSize, Diagonals};
use crate::rules::{Continuation, Directions, Position, RuleSet, Side, Stalemate, Value};
use crate::search::{Closure, MoveValue, Problem, SolveScope, Solved};
use crate::table::Database;

use super::interrupt::Interrupt;
use super::options::{DatabaseOption, ThreadsOption, bytes, duration, grouped, search_memory};
use super::output::{CliResult, Failure, print, print_json, table};
use super::session::{self, Proved, Task, note_result};
use super::values::{read_size, read_time};

/// Solve the small boards, and with --all 9x5: a table of results next to the published ones, each with a checked certificate
///
/// Builds the tables it needs, solves each board, writes a certificate to the database folder and checks it. Tables that
/// exist are reused, and a search that was stopped goes on; all else is done again.
#[derive(Args, Debug)]
#[command(group = ArgGroup::new("limited").args(["moves", "variants", "further", "starts"]).multiple(true))]
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
    /// Each of these boards under other rules too
    #[arg(long)]
    variants: bool,
    /// Larger boards too, new results and open ones, within the time limit: see --limit
    #[arg(long)]
    further: bool,
    /// Other starts of these boards instead, with a palindrome as the middle row, in a table of their own
    #[arg(long, conflicts_with_all = ["moves", "variants"])]
    starts: bool,
    /// With --variants, --further, --moves or --starts, the time limit for each question, such as 90s or 1h; what is known by then is
    /// reported
    #[arg(long, value_name = "TIME", default_value = "1h", requires = "limited", value_parser = read_time)]
    limit: Duration,
    /// Memory for searches and tables, such as 12G; three quarters of what is free if not given
    #[arg(long, value_parser = read_size, value_name = "SIZE")]
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
const FURTHER: [(usize, usize); 10] =
    [(11, 3), (13, 3), (3, 11), (3, 13), (7, 7), (5, 9), (9, 7), (7, 9), (11, 5), (5, 11)];

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
    certificate: Option<Proved>,
    moves: Vec<MoveValue>,
}

#[derive(Serialize)]
struct Seconds {
    tables: f64,
    search: f64,
    check: f64,
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

/// The standard starts of the boards that the options name.
fn standard_starts(arguments: &Arguments) -> CliResult<Vec<Case>> {
    let known = BOARDS.into_iter().chain(arguments.all.then_some(STANDARD));
    let known = known.map(|(columns, rows, published)| ((columns, rows), published, None));
    let further = FURTHER.into_iter().filter(|_| arguments.further);
    let boards = known.chain(further.map(|size| (size, None, Some(arguments.limit))));
    let cases = boards.map(|((columns, rows), published, limit)| {
        let problem = Problem::start(BoardSize::new(columns, rows)?, RuleSet::default());
        if arguments.moves && problem.size == BoardSize::STANDARD {
            return Ok(Case { problem, published, scope: SolveScope::MOVES, limit: Some(arguments.limit) });
        }
        Ok(Case { problem, published, scope: SolveScope::POSITION, limit })
    });
    cases.collect()
}

/// The starts of a board with a palindrome as the middle row.
///
/// These are all other starts with an alternating middle row: the standard row with its colours exchanged is its own mirror
/// image, and half a turn that exchanges the colours too takes one palindrome to the other with Black to move.
fn other_starts(size: BoardSize) -> [Problem; 2] {
    [Side::White, Side::Black].map(|inner| {
        let position = Position::palindromic_start(size, inner);
        Problem { position, ..Problem::start(size, RuleSet::default()) }
    })
}

/// The start of a board under each rule that differs from the default and changes the board.
fn variants(size: BoardSize) -> impl Iterator<Item = Problem> {
    let defaults = RuleSet::default();
    let differ = Diagonals::Centre.strong_parity(size) != Diagonals::Corner.strong_parity(size);
    let centre = differ.then_some(RuleSet { diagonals: Diagonals::Centre, ..defaults });
    let others = [
        RuleSet { continuation: Continuation::Obligatory, ..defaults },
        RuleSet { directions: Directions::Once, ..defaults },
        RuleSet { stalemate: Stalemate::Draw, ..defaults },
    ];
    centre.into_iter().chain(others).map(move |rules| Problem::start(size, rules))
}

fn cases(arguments: &Arguments) -> CliResult<Vec<Case>> {
    let case = |problem| Case { problem, published: None, scope: SolveScope::POSITION, limit: Some(arguments.limit) };
    let mut cases = standard_starts(arguments)?;
    let sizes: Vec<BoardSize> = cases.iter().map(|case| case.problem.size).collect();
    if arguments.starts {
        return Ok(sizes.into_iter().flat_map(other_starts).map(case).collect());
    }
    if arguments.variants {
        cases.extend(sizes.into_iter().flat_map(variants).map(case));
    }
    Ok(cases)
}

pub fn run(arguments: &Arguments) -> CliResult {
    let interrupt = Interrupt::new()?;
    arguments.threads.run(|| reproduce(arguments, &interrupt))?
}

fn reproduce(arguments: &Arguments, interrupt: &Interrupt) -> CliResult {
    let start = Instant::now();
    let mut rows = Vec::new();
    for case in cases(arguments)? {
        rows.push(solved(arguments, &case, interrupt)?);
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

fn solved(arguments: &Arguments, case: &Case, interrupt: &Interrupt) -> CliResult<Row> {
    let &Case { problem, published, scope, limit } = case;
    let Problem { size, rules, position } = problem;
    let memory = arguments.memory.map_or_else(search_memory, |memory| memory.as_u64());
    let mut task = Task::new(problem, Database::from(&arguments.database), memory, None, None, interrupt)?;
    task.options.scope = scope;
    task.options.limit = limit;
    let run = session::run(task, interrupt, &mut |event, progress| {
        if scope.moves {
            note_result(size, event, progress);
        }
        Ok(())
    })?;
    let Solved { solution, totals, .. } = &run.solved;
    let value = solution.value;
    let mut row = Row {
        board: size.to_string(),
        rules,
        position: position.to_text(size),
        value,
        published,
        agrees: published.and_then(|published| agrees(value, published)),
        nodes: totals.nodes,
        stones: run.tables.most_stones(),
        seconds: Seconds { tables: run.build_seconds, search: totals.seconds, check: 0.0 },
        closure: solution.into(),
        certificate: None,
        moves: solution.moves.clone(),
    };
    row.certificate = run.prove()?;
    if let Some(proved) = &row.certificate {
        row.seconds.check = proved.seconds;
        note!("{size}, {rules}, {}: {value}, proved by {}", row.position, proved.file.file);
    }
    Ok(row)
}

/// Whether what was found out is the published value, if it says so or rules it out.
fn agrees(found: Value, published: Value) -> Option<bool> {
    let (bounds, value) = (found.bounds(Side::White), published.bounds(Side::White));
    let is_possible = bounds.least <= value.most && value.least <= bounds.most;
    (found.is_exact() || !is_possible).then_some(is_possible)
}

/// The table with its notes; the columns after the board depend on what the rows differ in.
fn text(rows: &[Row], starts: bool, seconds: f64) -> String {
    let own = if starts { ["middle row", "value"].as_slice() } else { &["rules", "value", "published"] };
    let header =
        ["board"].iter().chain(own).chain(&["nodes", "stones", "tables", "search", "certificate", "check"]).copied();
    let mut shown = table(header);
    for row in rows {
        let certificate = row.certificate.as_ref();
        let value = row.value.to_string();
        let own = if starts {
            vec![middle_row(&row.position).to_owned(), value]
        } else {
            let ours = if row.value == Value::Unknown { NOTHING } else { "ours" };
            let published = row.published.map_or(ours.to_owned(), |value| value.to_string());
            vec![options(row.rules), value, published]
        };
        let common = [
            grouped(row.nodes),
            row.stones.to_string(),
            duration(row.seconds.tables),
            duration(row.seconds.search),
            certificate.map_or(NOTHING.to_owned(), |proved| {
                format!("{}, {}", grouped(proved.positions), bytes(proved.file.bytes))
            }),
            certificate.map_or(NOTHING.to_owned(), |proved| format!("proved {}", duration(proved.seconds))),
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

/// Shown in empty cells.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn options_name_boards_and_what_is_asked_of_each() {
        let case = |case: Case| {
            let Problem { size, rules, position } = case.problem;
            (size.to_string(), rules.words(), position.to_text(size))
        };
        for (line, expected) in [
            ("", 10),
            ("--all", 11),
            ("--all --further", 21),
            ("--starts", 20),
            ("--starts --all --further", 42),
            // Three other rules for each, and centre diagonals for the six boards where they differ.
            ("--variants", 10 + 3 * 10 + 6),
            ("--all --variants", 11 + 3 * 11 + 6),
        ] {
            let command = Command::parse_from(["reproduce"].into_iter().chain(line.split_whitespace()));
            let cases = cases(&command.arguments).expect("sizes");
            let apart: BTreeSet<_> = cases.into_iter().map(case).collect();
            assert_eq!(apart.len(), expected, "{line}");
        }
    }

    #[test]
    fn only_what_rules_the_published_value_out_differs_from_it() {
        for (found, expected) in [
            (Value::Draw, Some(true)),
            (Value::WhiteWins, Some(false)),
            (Value::BlackWins, Some(false)),
            (Value::WhiteDoesNotLose, None),
            (Value::BlackDoesNotLose, None),
            (Value::Unknown, None),
        ] {
            assert_eq!(agrees(found, Value::Draw), expected, "{found}");
        }
        assert_eq!(agrees(Value::BlackDoesNotLose, Value::WhiteWins), Some(false));
    }
}

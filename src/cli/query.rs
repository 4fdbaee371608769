//! `fanorona query`: the value of a position and of each of its moves.

use std::cell::LazyCell;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use crate::board::{Board, BoardSize, MAX_POINTS, PointSet, Wide};
use crate::index::Slice;
use crate::knowledge::Knowledge;
use crate::report::{Answer, Line, LineEnd, LineMove, SearchSummary, advice, answer, line, picture, proposal_text};
use crate::retro::{Alone, BuildError, Goal, ProposalLimits};
use crate::rules::{Bounds, Position, PositionText, RuleSet, Rules, Side};
use crate::search::{Searched, ShortSearch, search_value};
use crate::table::Source;

use super::advice::advice as error_advice;
use super::build_progress::execute_with_bar;
use super::options::{KnowledgeOptions, RuleOptions, cost, machine_reach, search_memory};
use super::output::{CliResult, print, print_json};
use super::stream::{Format, stream};
use super::values::read_time;
use super::wording::{move_value_text, moves_text, note_unused, value_text};

/// Print the value of a position and of each of its moves
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // switches of the command line
pub struct Arguments {
    /// The position: ranks from the top, then the side to move, such as "9/9/9/B6B1/B3WW2W w", or a board such as 9x5, for its start
    #[arg(required_unless_present = "stdin", conflicts_with = "stdin")]
    position: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    knowledge: KnowledgeOptions,
    /// Add best play to the end of the game
    #[arg(long, conflicts_with = "stdin")]
    line: bool,
    /// Build no tables; by default, missing tables that the position needs are built if that takes a few seconds
    #[arg(long)]
    no_build: bool,
    /// Where neither a table nor a proof has the value, search for it for this long at most, such as 10s; 0 for no search
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = read_time, conflicts_with = "stdin")]
    search: Duration,
    /// Read a position a line from standard input, and print position,value for each
    #[arg(long)]
    stdin: bool,
    /// With --stdin: add the plies to the end of the game, if they are known, and a best move
    #[arg(long, conflicts_with = "position")]
    best: bool,
    /// With --stdin: print a line of column names first
    #[arg(long, conflicts_with = "position")]
    csv: bool,
    /// Print JSON; with --stdin, an object a line
    #[arg(long, conflicts_with = "csv")]
    json: bool,
}

pub fn run(arguments: &Arguments) -> CliResult {
    if let Some(position) = &arguments.position {
        return single(arguments, position);
    }
    let format = match (arguments.csv, arguments.json) {
        (true, _) => Format::Csv,
        (_, true) => Format::Json,
        _ => Format::Lines,
    };
    stream(&arguments.knowledge, arguments.rules.rule_set(), format, arguments.best)
}

fn single(arguments: &Arguments, text: &str) -> CliResult {
    let rules = arguments.rules.rule_set();
    let parsed = PositionText::parse(text)?;
    if parsed.size().points() > MAX_POINTS {
        if arguments.line {
            return Err(BuildError::BoardTooLarge(parsed.size()).into());
        }
        let board = Board::<Wide>::new(parsed.size(), rules.diagonals);
        let rules = Rules::new(board, rules);
        let position = parsed.on(parsed.size())?;
        // Finished games are known by the rules.
        let Ok(answer) = answer(&rules, &position, |_, _| Ok::<_, std::convert::Infallible>(None));
        let is_open = answer.known.bounds.exact().is_none();
        show(arguments, &rules, &position, &QueryOutput { answer, line: None, search: None })?;
        if is_open && !arguments.json {
            note!(
                "The value is unknown: tables, proofs and searches for values work on boards of up to {MAX_POINTS} points"
            );
        }
        return Ok(());
    }
    let mut knowledge = arguments.knowledge.open(parsed.size(), rules)?;
    let position = parsed.on(parsed.size())?;
    let database = &arguments.knowledge.database.folder;
    let reach = LazyCell::new(machine_reach);
    let mut first = answer(knowledge.rules(), &position, |mover, opponent| knowledge.look_up(mover, opponent))?;
    if first.known.bounds.exact().is_none()
        && !arguments.no_build
        && built_for(&position, (parsed.size(), rules), database, &reach)
    {
        knowledge = arguments.knowledge.open(parsed.size(), rules)?;
        first = answer(knowledge.rules(), &position, |mover, opponent| knowledge.look_up(mover, opponent))?;
    }
    let (knowledge, mut answer) = (knowledge, first);
    let look_up = |mover, opponent| knowledge.look_up(mover, opponent);
    let open = answer.known.bounds.exact().is_none();
    let line = arguments.line.then(|| line(knowledge.rules(), &position, look_up)).transpose()?;
    let line = line.map(|line| Continued::new(line, position.to_move));
    let searches = open && !arguments.search.is_zero();
    let search = searches.then(|| searched(&knowledge, position, arguments.search)).transpose()?;
    if let Some(searched) = &search {
        answer.add_search(searched, parsed.size(), position.to_move);
    }
    let search = search.as_ref().map(SearchSummary::of);
    let output = QueryOutput { answer, line, search };
    show(arguments, knowledge.rules(), &position, &output)?;
    if output.answer.known.bounds.exact().is_none() {
        note_unused(knowledge.proofs(), database);
        if arguments.json {
            return Ok(());
        }
        let what = if output.answer.known.bounds == Bounds::UNKNOWN { "unknown" } else { "not known exactly" };
        note!("The value is {what}: {}", advice(Goal::values, (parsed.size(), rules), &position, database, &reach));
    }
    Ok(())
}

/// Builds the tables that have the value of a position if that takes a few seconds; returns whether it did. If it fails, the
/// position stays unknown.
fn built_for(
    position: &Position<u64>,
    (size, rules): (BoardSize, RuleSet),
    database: &Path,
    reach: &ProposalLimits,
) -> bool {
    let slice = Slice::of(position.mover(), position.opponent());
    let quick = reach.within(ProposalLimits::QUICK).propose(Goal::values(size, rules, slice), database);
    let Some(proposal) = quick else { return false };
    note!("Building in {}: {}", proposal.plan.folder.display(), proposal_text(&proposal));
    match execute_with_bar(&proposal.plan, &Alone, &|_| None) {
        Ok(_) => true,
        Err(error) => {
            note!("The tables are not built: {error}{}", error_advice(&error));
            false
        }
    }
}

/// The output for a position.
#[derive(Serialize)]
struct QueryOutput {
    #[serde(flatten)]
    answer: Answer,
    #[serde(flatten)]
    line: Option<Continued>,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<SearchSummary>,
}

/// Best play from the position.
#[derive(Serialize)]
struct Continued {
    line: Vec<LineMove>,
    end: LineEnd,
    #[serde(skip)]
    text: String,
}

impl Continued {
    fn new(line: Line, to_move: Side) -> Self {
        let text = moves_text(&line, to_move);
        Self { line: line.line, end: line.end, text }
    }
}

/// Searches for the value of a position that neither a table nor a proof has.
fn searched(knowledge: &Knowledge, position: Position<u64>, limit: Duration) -> CliResult<Searched> {
    let (memory, threads) = (search_memory() / 2, rayon::current_num_threads());
    let short = ShortSearch { memory, threads, limit, interrupt: Arc::default() };
    Ok(search_value(knowledge.rules(), &knowledge.complete(), position, &short)?)
}

fn show<P: PointSet>(
    arguments: &Arguments,
    rules: &Rules<P>,
    position: &Position<P>,
    output: &QueryOutput,
) -> CliResult {
    if arguments.json {
        return print_json(output);
    }
    let answer = &output.answer;
    let mut value = value_text(&answer.known, position.to_move);
    if let Some(SearchSummary { nodes, seconds, .. }) = &output.search {
        let cost = cost(*nodes, *seconds);
        // Writing to a string cannot fail.
        let _ = if answer.known.source == Some(Source::Search.word()) {
            write!(value, " of {cost}")
        } else if answer.known.bounds == Bounds::UNKNOWN {
            write!(value, " after a search of {cost}")
        } else {
            write!(value, "; a search of {cost} did not settle it")
        };
    }
    let mut text = format!("{}\n\n{}\nValue: {value}\n", answer.position, picture(rules.board(), position));
    if answer.moves.is_empty() {
        text.push_str("No legal moves.");
    } else {
        text.push_str("Moves, with their values for the player who makes them:");
        let values: Vec<String> = answer.moves.iter().map(|m| move_value_text(&m.known, position.to_move)).collect();
        let width = answer.moves.iter().map(|m| m.text.len()).max().unwrap_or(0);
        let value_width = values.iter().map(String::len).max().unwrap_or(0);
        for (m, value) in answer.moves.iter().zip(values) {
            let _ = write!(text, "\n  {:width$}  {value:value_width$}  {}", m.text, m.position);
        }
    }
    if let Some(line) = &output.line {
        let _ = write!(text, "\n{}", line.text);
    }
    print(&text)
}

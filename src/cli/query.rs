//! `fanorona query`: the value of a position and of each of its moves.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

use clap::Args;
use rayon::prelude::*;

use crate::board::{Board, BoardSize, PointSet, Wide};
use crate::report::{Answer, Category, answer, picture};
use crate::rules::{Game, Position, PositionText, RuleSet, Side};
use crate::table::{DEFAULT_CACHE_BYTES, TableError, Tables};

use super::options::{DatabaseOption, RuleOptions};
use super::{Done, Failure, print, print_json, printed};

/// Tell the value of a position, and of every move
#[derive(Args, Debug)]
pub struct Arguments {
    /// The position: ranks from the top, then the side to move, such as "9/9/9/B6B1/B3WW2W w"
    #[arg(required_unless_present = "stdin", conflicts_with = "stdin")]
    position: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    database: DatabaseOption,
    /// Read a position a line from standard input, and answer each with a line: position,category
    #[arg(long)]
    stdin: bool,
    /// With --stdin: begin with a line of column names
    #[arg(long, requires = "stdin")]
    csv: bool,
    /// Answer as JSON; with --stdin, an object a line
    #[arg(long, conflicts_with = "csv")]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Done {
    match &arguments.position {
        Some(position) => single(arguments, position),
        None => stream(arguments),
    }
}

fn single(arguments: &Arguments, text: &str) -> Done {
    let rules = arguments.rules.rules();
    let parsed = PositionText::parse(text)?;
    if parsed.size().points() > 64 {
        let board = Board::<Wide>::new(parsed.size(), rules.diagonals);
        let game = Game::new(board, rules);
        let position = parsed.on(parsed.size())?;
        // Tables end at 64 points; what the rules alone tell is still told.
        let Ok(answer) = answer(&game, &position, |_, _| Ok::<_, std::convert::Infallible>(None));
        return show(arguments, &game, &position, &answer);
    }
    let tables = Tables::open(&arguments.database.folder, parsed.size(), rules, DEFAULT_CACHE_BYTES)?;
    let position = parsed.on(parsed.size())?;
    let answer = answer(tables.game(), &position, |mover, opponent| tables.probe(mover, opponent))?;
    show(arguments, tables.game(), &position, &answer)?;
    if answer.category == Category::Unknown && !arguments.json {
        let stones = position.white.count() + position.black.count();
        let reach = tables.folder().complete_up_to(parsed.size().points());
        let path = tables.folder().path().display();
        eprintln!(
            "The value is unknown: the position has {stones} stones, and the tables in {path} {}. More: fanorona build {} --stones N",
            if reach == 0 { "hold none yet".to_owned() } else { format!("reach {reach}") },
            parsed.size(),
        );
    }
    Ok(())
}

fn show<P: PointSet>(arguments: &Arguments, game: &Game<P>, position: &Position<P>, answer: &Answer) -> Done {
    if arguments.json {
        return print_json(answer);
    }
    let side = if position.to_move == Side::White { "White" } else { "Black" };
    let value = match answer.category {
        Category::Win => format!("{side} to move wins"),
        Category::Draw => "draw".to_owned(),
        Category::Loss => format!("{side} to move loses"),
        Category::Unknown => "unknown".to_owned(),
    };
    let mut text = format!("{}\n\n{}\nValue: {value}\n", answer.position, picture(game.board(), position));
    if answer.moves.is_empty() {
        text.push_str("No legal moves.");
    } else {
        let width = answer.moves.iter().map(|m| m.text.len()).max().unwrap_or(0);
        text.push_str("Moves, and what they are for the player who makes them:");
        for m in &answer.moves {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n  {:width$}  {:7}  {}", m.text, m.outcome.word(), m.position);
        }
    }
    print(&text)
}

/// An answered line as JSON.
#[derive(serde::Serialize)]
struct Line<'a> {
    position: &'a str,
    category: &'a str,
}

/// Lines that are answered together, by all threads.
const BATCH: usize = 16 * 1024;

/// The tables of a board; `None` where it is too large for tables.
type Boards = HashMap<BoardSize, Option<Tables>>;

fn stream(arguments: &Arguments) -> Done {
    let rules = arguments.rules.rules();
    let mut boards = Boards::new();
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    if arguments.csv {
        printed(writeln!(output, "position,category"))?;
    }
    let (mut number, mut bad) = (0usize, 0usize);
    loop {
        let lines = read_lines(&mut input)?;
        if lines.is_empty() {
            break;
        }
        let parsed: Vec<_> = lines.par_iter().map(|line| PositionText::parse(line)).collect();
        for size in parsed.iter().filter_map(|parsed| parsed.as_ref().ok()).map(PositionText::size) {
            if let Entry::Vacant(board) = boards.entry(size) {
                board.insert(open(arguments, size, rules)?);
            }
        }
        let answers: Vec<Result<Category, String>> = parsed
            .into_par_iter()
            .map(|parsed| parsed.map_err(|error| error.to_string()).and_then(|parsed| value(&boards, &parsed, rules)))
            .collect();
        let mut written = csv::Writer::from_writer(Vec::new());
        let mut objects = String::new();
        for (line, answer) in lines.iter().zip(answers) {
            number += 1;
            let word = match &answer {
                Ok(category) => category.word(),
                Err(error) => {
                    bad += 1;
                    eprintln!("line {number}: {error}");
                    "error"
                }
            };
            let line = line.trim();
            if arguments.json {
                objects.push_str(&serde_json::to_string(&Line { position: line, category: word })?);
                objects.push('\n');
            } else {
                written.write_record([line, word])?;
            }
        }
        let text = if arguments.json { objects.into_bytes() } else { written.into_inner()? };
        printed(output.write_all(&text).and_then(|()| output.flush()))?;
    }
    if bad > 0 {
        return Err(Failure::Text(format!("{bad} of {number} lines could not be answered")));
    }
    Ok(())
}

fn open(arguments: &Arguments, size: BoardSize, rules: RuleSet) -> Result<Option<Tables>, TableError> {
    if size.points() > 64 {
        return Ok(None);
    }
    Tables::open(&arguments.database.folder, size, rules, DEFAULT_CACHE_BYTES).map(Some)
}

/// Up to [`BATCH`] lines, without their ends; none at the end of the input. What is no text is replaced, and refused later.
fn read_lines(input: &mut impl BufRead) -> Result<Vec<String>, Failure> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    while lines.len() < BATCH && input.read_until(b'\n', &mut line)? > 0 {
        lines.push(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned());
        line.clear();
    }
    Ok(lines)
}

fn value(boards: &Boards, parsed: &PositionText, rules: RuleSet) -> Result<Category, String> {
    let size = parsed.size();
    let Some(Some(tables)) = boards.get(&size) else {
        let game = Game::new(Board::<Wide>::new(size, rules.diagonals), rules);
        let position = parsed.on(size).map_err(|error| error.to_string())?;
        let Ok(answer) = answer(&game, &position, |_, _| Ok::<_, std::convert::Infallible>(None));
        return Ok(answer.category);
    };
    let position = parsed.on::<u64>(size).map_err(|error| error.to_string())?;
    let outcome = tables.probe(position.mover(), position.opponent()).map_err(|error| error.to_string())?;
    if outcome.is_some() {
        return Ok(outcome.into());
    }
    // Where no table tells, the moves may.
    let answer = answer(tables.game(), &position, |mover, opponent| tables.probe(mover, opponent));
    answer.map(|answer| answer.category).map_err(|error| error.to_string())
}

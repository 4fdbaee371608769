//! `fanorona query --stdin`: answers positions line by line.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, BufReader, Read, Write};

use rayon::prelude::*;
use serde::Serialize;

use crate::board::{Board, BoardSize, MAX_POINTS, PointSet, Wide};
use crate::files::{Line, next_line};
use crate::knowledge::Knowledge;
use crate::report::{Answer, ValueAnswer, answer};
use crate::rules::{Position, PositionText, RuleSet, Rules};
use crate::table::{Known, known, rate};

use super::options::{KnowledgeOptions, lacks_knowledge};
use super::output::{CliResult, Failure, printed};
use super::wording::note_unused;

/// What is known of a line's position.
#[derive(Serialize)]
struct Found {
    value: &'static str,
    source: Option<&'static str>,
    proof: Option<String>,
    /// If that was asked for.
    #[serde(flatten)]
    best: Option<Best>,
    /// Why the line could not be answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Plies to the end of the game, and a best move.
#[derive(Default, Serialize)]
struct Best {
    dtw: Option<u32>,
    best: Option<String>,
}

impl Found {
    fn new(known: ValueAnswer, best: Option<Best>) -> Self {
        Self { value: known.value, source: known.source, proof: known.proof, best, error: None }
    }

    fn error(error: String, best: bool) -> Self {
        Self { value: "error", source: None, proof: None, best: best.then(Best::default), error: Some(error) }
    }
}

/// An answer as JSON.
#[derive(Serialize)]
struct Answered<'a> {
    position: &'a str,
    #[serde(flatten)]
    found: &'a Found,
}

/// The number of lines that all threads answer together.
const BATCH: usize = 16 * 1024;

/// A batch ends after this many bytes of lines.
const BATCH_BYTES: usize = 4 << 20;

/// What answers are from.
enum Source {
    Knowledge(Box<Knowledge>),
    /// The board is too large for tables.
    Rules(Box<Rules<Wide>>),
}

/// The boards so far.
type Boards = HashMap<BoardSize, Source>;

/// How answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `position,value`.
    Lines,
    /// The same after a line of column names.
    Csv,
    /// An object a line.
    Json,
}

/// Answers the lines of standard input, with `best` also with depths and best moves.
pub fn stream(options: &KnowledgeOptions, rules: RuleSet, format: Format, best: bool) -> CliResult {
    let mut boards = Boards::new();
    let mut input = BufReader::with_capacity(BATCH_BYTES, io::stdin().lock());
    let mut output = io::stdout().lock();
    if format == Format::Csv {
        printed(writeln!(output, "position,value{}", if best { ",dtw,best" } else { "" }))?;
    }
    let (mut number, mut bad) = (0usize, 0usize);
    loop {
        let lines = batch(&mut input)?;
        if lines.is_empty() {
            break;
        }
        let parse = |line: &Line| {
            let line = line.as_ref().map_err(ToString::to_string)?;
            PositionText::parse(line).map_err(|error| error.to_string())
        };
        let parsed: Vec<_> = lines.par_iter().map(parse).collect();
        for size in parsed.iter().filter_map(|parsed| parsed.as_ref().ok()).map(PositionText::size) {
            if let Entry::Vacant(board) = boards.entry(size) {
                board.insert(open(options, size, rules)?);
            }
        }
        let answers: Vec<Found> = parsed
            .into_par_iter()
            .map(|parsed| parsed.and_then(|parsed| find(&boards[&parsed.size()], &parsed, best)))
            .map(|found| found.unwrap_or_else(|error| Found::error(error, best)))
            .collect();
        for (line, answer) in (number + 1..).zip(&answers) {
            if let Some(error) = &answer.error {
                note!("line {line}: {error}");
                bad += 1;
            }
        }
        number += lines.len();
        let text = if format == Format::Json { objects(&lines, &answers)? } else { rows(&lines, &answers)? };
        printed(output.write_all(&text).and_then(|()| output.flush()))?;
    }
    if bad > 0 {
        return Err(Failure::Text(format!("{bad} of {number} lines could not be answered")));
    }
    Ok(())
}

/// The position of a line as it was given; nothing of a line that is too long.
fn given(line: &Line) -> &str {
    line.as_ref().map_or("", |line| line.trim())
}

fn rows(lines: &[Line], answers: &[Found]) -> CliResult<Vec<u8>> {
    let mut written = csv::Writer::from_writer(Vec::new());
    for (line, found) in lines.iter().zip(answers) {
        written.write_field(given(line))?;
        written.write_field(found.value)?;
        if let Some(Best { dtw, best }) = &found.best {
            written.write_field(dtw.map_or_else(String::new, |plies| plies.to_string()))?;
            written.write_field(best.as_deref().unwrap_or_default())?;
        }
        written.write_record(None::<&[u8]>)?;
    }
    Ok(written.into_inner()?)
}

fn objects(lines: &[Line], answers: &[Found]) -> CliResult<Vec<u8>> {
    let mut text = Vec::new();
    for (line, found) in lines.iter().zip(answers) {
        serde_json::to_writer(&mut text, &Answered { position: given(line), found })?;
        text.push(b'\n');
    }
    Ok(text)
}

/// The next lines that are answered together: those that are there already, or else the next one; none at the end of the input.
/// So a program that waits for an answer before it writes the next line gets it.
fn batch(input: &mut BufReader<impl Read>) -> CliResult<Vec<Line>> {
    let (mut lines, mut bytes) = (Vec::new(), 0);
    while lines.is_empty() || (lines.len() < BATCH && bytes < BATCH_BYTES && input.buffer().contains(&b'\n')) {
        let Some(line) = next_line(input)? else { break };
        bytes += line.as_ref().map_or(0, String::len);
        lines.push(line);
    }
    Ok(lines)
}

/// What is known of a board. It is noted if that is nothing, and which certificates are not used.
fn open(options: &KnowledgeOptions, size: BoardSize, rules: RuleSet) -> CliResult<Source> {
    if size.points() > MAX_POINTS {
        let rules = Rules::new(Board::new(size, rules.diagonals), rules);
        return Ok(Source::Rules(Box::new(rules)));
    }
    let knowledge = options.open(size, rules)?;
    let database = &options.database.folder;
    note_unused(knowledge.proofs(), database);
    if knowledge.is_empty() {
        note!("{}; until then only what follows from the rules has a value", lacks_knowledge(database, size, rules));
    }
    Ok(Source::Knowledge(Box::new(knowledge)))
}

/// What is known of a position.
fn find(source: &Source, parsed: &PositionText, best: bool) -> Result<Found, String> {
    match source {
        Source::Rules(rules) => {
            let position = parsed.on(parsed.size()).map_err(|error| error.to_string())?;
            let Ok(found) = found(rules, &position, best, |_, _| Ok::<_, std::convert::Infallible>(None));
            Ok(found)
        }
        Source::Knowledge(knowledge) => {
            let position = parsed.on(parsed.size()).map_err(|error| error.to_string())?;
            // A value needs no depths.
            let look_up = if best { Knowledge::look_up } else { Knowledge::value };
            let look_up = |mover, opponent| look_up(knowledge, mover, opponent);
            found(knowledge.rules(), &position, best, look_up).map_err(|error| error.to_string())
        }
    }
}

fn found<P: PointSet, E>(
    rules: &Rules<P>,
    position: &Position<P>,
    best: bool,
    probe: impl FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Found, E> {
    if !best {
        return Ok(Found::new(value(rules, position, probe)?, None));
    }
    let Answer { known, moves, .. } = answer(rules, position, probe)?;
    let first = moves.into_iter().next().filter(|_| known.bounds.exact().is_some());
    let best = Best { dtw: known.dtw, best: first.map(|first| first.text) };
    Ok(Found::new(known, Some(best)))
}

/// The same value as [`answer`](crate::report::answer) gives. Moves are rated only if the position alone does not settle it.
fn value<P: PointSet, E>(
    rules: &Rules<P>,
    position: &Position<P>,
    mut probe: impl FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<ValueAnswer, E> {
    let mut found = known(rules, position, &mut probe)?;
    if found.as_ref().is_none_or(|found| found.outcome().is_none()) {
        found = rate(rules, position, &mut probe)?.known;
    }
    Ok(ValueAnswer::new(found.as_ref(), position.to_move))
}

//! `fanorona query --stdin`: answers positions line by line.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, BufRead, Write};

use rayon::prelude::*;
use serde::Serialize;

use crate::board::{Board, BoardSize, MAX_POINTS, PointSet, Wide};
use crate::knowledge::Knowledge;
use crate::rules::{Bounds, Position, PositionText, RuleSet, Rules};
use crate::table::{Known, known, rate};

use super::options::KnowledgeOptions;
use super::output::{CliResult, Failure, printed};

/// An answer as JSON.
#[derive(Serialize)]
struct Answered<'a> {
    position: &'a str,
    value: &'a str,
}

/// The number of lines that all threads answer together.
const BATCH: usize = 16 * 1024;

/// What is known of each board; `None` if it is too large for tables.
type Boards = HashMap<BoardSize, Option<Knowledge>>;

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

/// Answers the lines of standard input.
pub fn stream(options: &KnowledgeOptions, rules: RuleSet, format: Format) -> CliResult {
    let mut boards = Boards::new();
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    if format == Format::Csv {
        printed(writeln!(output, "position,value"))?;
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
                board.insert(open(options, size, rules)?);
            }
        }
        let answers: Vec<Result<&str, String>> = parsed
            .into_par_iter()
            .map(|parsed| parsed.map_err(|error| error.to_string()).and_then(|parsed| value(&boards, &parsed, rules)))
            .collect();
        let mut written = csv::Writer::from_writer(Vec::new());
        let mut objects = String::new();
        for (line, answer) in lines.iter().zip(answers) {
            number += 1;
            let word = match &answer {
                Ok(word) => *word,
                Err(error) => {
                    bad += 1;
                    note!("line {number}: {error}");
                    "error"
                }
            };
            let line = line.trim();
            if format == Format::Json {
                objects.push_str(&serde_json::to_string(&Answered { position: line, value: word })?);
                objects.push('\n');
            } else {
                written.write_record([line, word])?;
            }
        }
        let text = if format == Format::Json { objects.into_bytes() } else { written.into_inner()? };
        printed(output.write_all(&text).and_then(|()| output.flush()))?;
    }
    if bad > 0 {
        return Err(Failure::Text(format!("{bad} of {number} lines could not be answered")));
    }
    Ok(())
}

fn open(options: &KnowledgeOptions, size: BoardSize, rules: RuleSet) -> CliResult<Option<Knowledge>> {
    if size.points() > MAX_POINTS { Ok(None) } else { options.open(size, rules).map(Some) }
}

/// Up to [`BATCH`] lines, without their ends; none at the end of the input. Invalid UTF-8 is replaced, and refused later.
fn read_lines(input: &mut impl BufRead) -> CliResult<Vec<String>> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    while lines.len() < BATCH && input.read_until(b'\n', &mut line)? > 0 {
        lines.push(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned());
        line.clear();
    }
    Ok(lines)
}

/// The word for the value of a position.
fn value(boards: &Boards, parsed: &PositionText, rules: RuleSet) -> Result<&'static str, String> {
    let size = parsed.size();
    let Some(Some(knowledge)) = boards.get(&size) else {
        let rules = Rules::new(Board::<Wide>::new(size, rules.diagonals), rules);
        let position = parsed.on(size).map_err(|error| error.to_string())?;
        let Ok(word) = word(&rules, &position, |_, _| Ok::<_, std::convert::Infallible>(None));
        return Ok(word);
    };
    let position = parsed.on::<u64>(size).map_err(|error| error.to_string())?;
    // A value needs no depths.
    word(knowledge.rules(), &position, |mover, opponent| knowledge.value(mover, opponent))
        .map_err(|error| error.to_string())
}

/// The same value as [`answer`](crate::report::answer) gives. Its moves are rated only where less does not settle it.
fn word<P: PointSet, E>(
    rules: &Rules<P>,
    position: &Position<P>,
    mut probe: impl FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<&'static str, E> {
    let mut found = known(rules, position, &mut probe)?;
    if found.as_ref().is_none_or(|found| found.outcome().is_none()) {
        found = rate(rules, position, &mut probe)?.known;
    }
    Ok(found.map_or(Bounds::UNKNOWN, |found| found.bounds).word(position.to_move))
}

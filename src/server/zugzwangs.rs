//! Zugzwangs: counts and examples of the slices that can be counted while a client waits.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use crate::board::BoardSize;
use crate::index::Slice;
use crate::knowledge::Knowledge;
use crate::report::zugzwangs as count_zugzwangs;
use crate::retro::load_values;
use crate::rules::{Outcome, PositionText, RuleSet};
use crate::table::{Loaded, folder_name};

use super::Problem;
use super::library::{Stamp, stamp};
use super::response::json_text;

/// The most positions of the slices that are counted, which takes about a second on two cores.
const MAX_POSITIONS: u64 = 50_000_000;

/// Examples of each slice.
const EXAMPLES: usize = 3;

/// The zugzwangs of a board.
#[derive(Serialize)]
struct BoardZugzwangs {
    board: String,
    rules: RuleSet,
    /// Every slice up to this many stones is counted.
    stones: usize,
    slices: Vec<SliceZugzwangs>,
}

/// The zugzwangs of a slice; the fields are those of `stats --zugzwangs --json`, with the values of the examples.
#[derive(Serialize)]
struct SliceZugzwangs {
    mover: usize,
    opponent: usize,
    count: u64,
    full_point: u64,
    examples: Vec<Example>,
}

/// A zugzwang.
#[derive(Serialize)]
struct Example {
    /// The position, White to move.
    position: String,
    /// Its value.
    value: &'static str,
    /// What it would be worth for White if Black were to move.
    waiting: &'static str,
}

/// The answers for all boards that were asked about, with the stamps of their folders.
#[derive(Debug, Default)]
pub struct ZugzwangCache(Mutex<HashMap<Key, Counted>>);

/// A board with its rules.
type Key = (BoardSize, RuleSet);

/// The stamp of its folder then, and the answer.
type Counted = (Stamp, Arc<[u8]>);

impl ZugzwangCache {
    /// The answer for a board of a database, as JSON; `open` opens its tables. Counting takes a moment, and is repeated only after
    /// the board's folder has changed.
    ///
    /// # Errors
    /// Those of `open`; status 500 if a table cannot be used.
    pub fn get(
        &self,
        database: &Path,
        (size, rules): Key,
        open: impl FnOnce() -> Result<Arc<Knowledge>, Problem>,
    ) -> Result<Arc<[u8]>, Problem> {
        let stamp = stamp(database, &folder_name(size, rules))?;
        let knowledge = open()?;
        // Two counts at once would take twice the time and the memory.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = known.get(&(size, rules)).filter(|(then, _)| *then == stamp) {
            return Ok(text.clone());
        }
        let text: Arc<[u8]> = json_text(&counted(&knowledge, size, rules)?)?.into();
        known.insert((size, rules), (stamp, text.clone()));
        Ok(text)
    }
}

/// Counts the zugzwangs of all slices up to the most stones that are quick to count.
fn counted(knowledge: &Knowledge, size: BoardSize, rules: RuleSet) -> Result<BoardZugzwangs, Problem> {
    let (tables, points) = (knowledge.tables(), size.points());
    let positions = |stones| Slice::up_to(stones, points).map(|slice| tables.space().placements(slice)).sum::<u64>();
    let complete = tables.folder().complete_up_to(points);
    let stones = (2..=complete).take_while(|&stones| positions(stones) <= MAX_POSITIONS).last().unwrap_or(0);
    let slices = Slice::up_to(stones, points);
    let loaded = load_values(tables, slices.clone())?;
    let slices = slices.map(|slice| of_slice(&loaded, slice, size)).collect::<Result<_, _>>()?;
    Ok(BoardZugzwangs { board: size.to_string(), rules, stones, slices })
}

/// The zugzwangs of a slice, with the values of the examples.
fn of_slice(loaded: &Loaded, slice: Slice, size: BoardSize) -> Result<SliceZugzwangs, Problem> {
    let found = count_zugzwangs(loaded, slice, EXAMPLES, &|| ());
    let example = |position: String| {
        let stones = PositionText::parse(&position)?.on::<u64>(size)?;
        let (own, enemy) = (stones.mover(), stones.opponent());
        let value = Outcome::word(loaded.probe(own, enemy));
        let waiting = Outcome::word(loaded.probe(enemy, own).map(Outcome::reversed));
        Ok(Example { position, value, waiting })
    };
    Ok(SliceZugzwangs {
        mover: slice.mover,
        opponent: slice.opponent,
        count: found.count,
        full_point: found.full_point,
        examples: found.examples.into_iter().map(example).collect::<Result<_, Problem>>()?,
    })
}

//! Zugzwangs: counts and examples of the slices that can be counted while a client waits.

use serde::Serialize;

use crate::board::BoardSize;
use crate::index::Slice;
use crate::knowledge::Knowledge;
use crate::report::zugzwangs as count_zugzwangs;
use crate::retro::load_values;
use crate::rules::{Outcome, PositionText, RuleSet};
use crate::table::Loaded;

use super::Problem;

/// The most positions of the slices that are counted, which takes about a second on two cores.
const MAX_POSITIONS: u64 = 50_000_000;

/// Examples of each slice.
const EXAMPLES: usize = 3;

/// The zugzwangs of a board.
#[derive(Serialize)]
pub struct BoardZugzwangs {
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

/// Counts the zugzwangs of all slices up to the most stones that are quick to count, which takes a moment.
///
/// # Errors
/// Status 500 if a table cannot be used.
pub fn board_zugzwangs(knowledge: &Knowledge, size: BoardSize, rules: RuleSet) -> Result<BoardZugzwangs, Problem> {
    let (tables, points) = (knowledge.tables(), size.points());
    let positions = |stones| Slice::up_to(stones, points).map(|slice| tables.space().placements(slice)).sum::<u64>();
    let stones = (2..=knowledge.stones()).take_while(|&stones| positions(stones) <= MAX_POSITIONS).last().unwrap_or(0);
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

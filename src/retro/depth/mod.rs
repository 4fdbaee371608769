//! Retrograde analysis with depth: not only who wins, but in how many plies.
//!
//! The same plan as for plain values: a slice and its twin at a time, captures first, then paikas. A cell of 16 bits
//! takes the place of two bits, see [`Score`].

mod captures;
mod compact;
mod layers;
mod leaves;
mod load;

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::board::inverse;
use crate::index::{Cells, Slice, Space, padded_cells};
use crate::rules::RuleSet;
use crate::table::{Score, SliceDepths};

use self::captures::{capture_bytes, capture_depths};
use self::compact::CompactDepths;
use self::layers::decide_by_depth;
pub use self::load::decode_depths;
use super::pair::{Phase, prefers_compact};
use super::plan::with_twin;

/// Scores of slices in memory, by slice.
pub type DepthSlices = BTreeMap<Slice, SliceDepths>;

/// Computes the scores of a slice and, if it is another, its twin, in the form that suits them. `lookup` gives finished
/// slices with fewer stones.
pub fn solve_pair_depths<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths + Sync,
    report: &(dyn Fn(Phase) + Sync),
) -> Vec<SliceDepths> {
    if prefers_compact(space, slice) {
        solve_compact_depths(space, rules, slice, lookup, report)
    } else {
        solve_cells(space, rules, slice, lookup, report)
    }
}

/// The same position by position, whatever suits.
pub fn solve_compact_depths<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths + Sync,
    report: &(dyn Fn(Phase) + Sync),
) -> Vec<SliceDepths> {
    let side = |slice: Slice| CompactDepths::new(space, rules, slice, &lookup, report);
    let sides: Vec<CompactDepths<'_>> = with_twin(slice).map(side).collect();
    compact::decide(rules, &sides, report);
    sides.into_iter().map(CompactDepths::finish).collect()
}

/// The same by whole rows, whatever suits.
pub fn solve_cells<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths,
    report: &(dyn Fn(Phase) + Sync),
) -> Vec<SliceDepths> {
    let slices: Vec<Slice> = with_twin(slice).collect();
    let captures: Vec<Cells> = slices
        .iter()
        .map(|&slice| {
            let progress = |done, total| report(Phase::Captures { slice, done, total });
            capture_depths(space, rules, slice, &lookup, &progress)
        })
        .collect();
    let mut steps = 0;
    let quiet = decide_by_depth(space, rules, &slices, &captures, |found| {
        steps += 1;
        report(Phase::Paikas { steps, found });
    });
    report(Phase::Turning);
    let joined = slices.into_iter().zip(quiet).zip(captures);
    joined.map(|((slice, quiet), captures)| SliceDepths::new(slice, with_captures(space, quiet, &captures))).collect()
}

/// The scores of positions with a capture alone, from finished slices with fewer stones; quiet positions are drawn.
pub fn capture_scores<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths,
) -> Cells {
    let captures = capture_depths(space, rules, slice, lookup, &|_, _| ());
    let quiet = Cells::new(space.subsets(slice.mover), space.subsets(slice.opponent), Score::DRAW.cell());
    with_captures(space, quiet, &captures)
}

/// Puts the scores of positions with a capture, known by the opponent's orbits, to those of quiet ones, by the mover's.
fn with_captures(space: &Space, mut scores: Cells, captures: &Cells) -> Cells {
    /// Rows of scores that share a cache line of the captures.
    const ROWS: usize = 8;
    let order = space.symmetry().order();
    let (width, orbits) = (scores.stride(), captures.rows());
    scores.all_mut().par_chunks_mut(ROWS * width).enumerate().for_each(|(number, rows)| {
        for orbit in 0..orbits {
            let line = &captures.row(orbit)[order * ROWS * number..];
            for (row, scores) in rows.chunks_exact_mut(width).enumerate() {
                for element in 0..order {
                    let least = line[order * row + inverse(element)];
                    if least != Score::NONE {
                        scores[order * orbit + element] = Score::of_cell(least).before().cell();
                    }
                }
            }
        }
    });
    scores
}

/// Bytes of memory at the peak of the work on `slice` and its twin with every slice of fewer stones at hand; with a quarter
/// added as for plain values.
#[must_use]
pub fn depth_memory(space: &Space, slice: Slice) -> u64 {
    let points = space.board().points();
    let cells = |slice: Slice| {
        let row = usize::try_from(space.orbits(slice.opponent)).map_or(usize::MAX, |orbits| {
            padded_cells(orbits.saturating_mul(space.symmetry().order()).min(usize::MAX / 64))
        });
        2 * space.orbits(slice.mover).saturating_mul(row as u64)
    };
    let canonical = |slice: Slice| 2 * space.placements(slice) / space.symmetry().order() as u64;
    let form = |slice: Slice| if prefers_compact(space, slice) { canonical(slice) } else { cells(slice) };
    let finished: u64 = Slice::up_to(slice.stones() - 1, points).map(form).fold(0, u64::saturating_add);
    let solving = if prefers_compact(space, slice) {
        // A cell, and a share of the list of open positions.
        with_twin(slice).map(|slice| 3 * canonical(slice)).sum()
    } else {
        let planes: u64 = with_twin(slice).map(|slice| cells(slice) + cells(slice.twin())).sum();
        let capturing: u64 = with_twin(slice).map(|slice| capture_bytes(space, slice)).max().unwrap_or(0);
        let half = planes / 2;
        // Bits of five planes are five sixteenths of a plane of cells.
        (planes + half * 5 / 16).max(half + capturing)
    };
    let sum = finished.saturating_add(solving);
    sum.saturating_add(sum / 4)
}

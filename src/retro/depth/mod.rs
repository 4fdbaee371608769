//! Retrograde analysis with depth: not only who wins, but in how many plies.
//!
//! The same plan as for plain values: a slice and its twin at a time, captures first, then paikas. Cells of 8 bits
//! take the place of two bits, or of 16 where wins take more than 253 plies; see [`Cell`].

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
use crate::table::{Cell, SliceDepths, TableError};

use self::captures::{capture_bytes, capture_depths};
use self::compact::CompactDepths;
use self::layers::decide_by_depth;
pub use self::load::decode_depths;
use super::pair::{Phase, prefers_compact};
use super::plan::with_twin;

/// Scores of slices in memory, by slice.
pub type DepthSlices<C> = BTreeMap<Slice, SliceDepths<C>>;

/// Computes the scores of a slice and, if it is another, its twin, in the form that suits them. `lookup` gives finished
/// slices with fewer stones.
///
/// # Errors
/// [`TableError::TooDeep`] if cells of that width cannot hold them.
pub fn solve_pair_depths<'v, C: Cell>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths<C> + Sync,
    report: &(dyn Fn(Phase) + Sync),
) -> Result<Vec<SliceDepths<C>>, TableError> {
    if prefers_compact(space, slice) {
        solve_compact_depths(space, rules, slice, lookup, report)
    } else {
        solve_cells(space, rules, slice, lookup, report)
    }
}

/// The same position by position, whatever suits.
///
/// # Errors
/// [`TableError::TooDeep`].
pub fn solve_compact_depths<'v, C: Cell>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths<C> + Sync,
    report: &(dyn Fn(Phase) + Sync),
) -> Result<Vec<SliceDepths<C>>, TableError> {
    let side = |slice: Slice| CompactDepths::new(space, rules, slice, &lookup, report);
    let mut sides: Vec<CompactDepths<'_, C>> = with_twin(slice).map(side).collect::<Result<_, _>>()?;
    compact::decide(rules, &mut sides, report)?;
    Ok(sides.into_iter().map(CompactDepths::finish).collect())
}

/// The same by whole rows, whatever suits.
///
/// # Errors
/// [`TableError::TooDeep`].
pub fn solve_cells<'v, C: Cell>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths<C>,
    report: &(dyn Fn(Phase) + Sync),
) -> Result<Vec<SliceDepths<C>>, TableError> {
    let slices: Vec<Slice> = with_twin(slice).collect();
    let mut cells: Vec<Cells<C>> = slices
        .iter()
        .map(|&slice| {
            let progress = |done, total| report(Phase::Captures { slice, done, total });
            capture_depths(space, rules, slice, &lookup, &progress)
        })
        .collect();
    let mut steps = 0;
    decide_by_depth(space, rules, &slices, &mut cells, |found| {
        steps += 1;
        report(Phase::Paikas { steps, found });
    })?;
    report(Phase::Turning);
    Ok(slices
        .into_iter()
        .zip(cells)
        .map(|(slice, cells)| SliceDepths::new(slice, turned(space, slice, cells)))
        .collect())
}

/// The scores of positions with a capture alone, from finished slices with fewer stones; quiet positions are drawn.
pub fn capture_scores<'v, C: Cell>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths<C>,
) -> Cells<C> {
    turned(space, slice, capture_depths(space, rules, slice, lookup, &|_, _| ()))
}

/// From the least that every position leaves to the opponent, by the opponent's orbits, to scores by the mover's.
#[allow(clippy::needless_pass_by_value)] // one of the two planes is to be gone afterwards
fn turned<C: Cell>(space: &Space, slice: Slice, least: Cells<C>) -> Cells<C> {
    let order = space.symmetry().order();
    // Rows that share a cache line of the source.
    let group = 64 / (order * size_of::<C>());
    let mut scores = Cells::new(space.subsets(slice.mover), space.subsets(slice.opponent), C::DRAW);
    let width = scores.stride();
    scores.all_mut().par_chunks_mut(group * width).enumerate().for_each(|(number, rows)| {
        for orbit in 0..least.rows() {
            let line = &least.row(orbit)[order * group * number..];
            for (row, scores) in rows.chunks_exact_mut(width).enumerate() {
                for element in 0..order {
                    scores[order * orbit + element] = line[order * row + inverse(element)].before();
                }
            }
        }
    });
    scores
}

/// Bytes of memory at the peak of the work on `slice` and its twin with every slice of fewer stones at hand, in cells of
/// that width; with a quarter added as for plain values.
#[must_use]
pub fn depth_memory<C: Cell>(space: &Space, slice: Slice) -> u64 {
    let (points, width) = (space.board().points(), size_of::<C>() as u64);
    let cells = |slice: Slice| {
        let row = usize::try_from(space.orbits(slice.opponent)).map_or(usize::MAX, |orbits| {
            padded_cells(orbits.saturating_mul(space.symmetry().order()).min(usize::MAX / 64))
        });
        width * space.orbits(slice.mover).saturating_mul(row as u64)
    };
    let canonical = |slice: Slice| width * space.placements(slice) / space.symmetry().order() as u64;
    let form = |slice: Slice| if prefers_compact(space, slice) { canonical(slice) } else { cells(slice) };
    let finished: u64 = Slice::up_to(slice.stones() - 1, points).map(form).fold(0, u64::saturating_add);
    let solving = if prefers_compact(space, slice) {
        // A cell, and a share of the list of open positions.
        with_twin(slice).map(|slice| canonical(slice) + 2 * canonical(slice) / width).sum()
    } else {
        let planes: u64 = with_twin(slice).map(|slice| cells(slice.twin())).sum();
        let capturing: u64 = with_twin(slice).map(|slice| capture_bytes::<C>(space, slice)).max().unwrap_or(0);
        // Beside the cells there are the trees of captures, then five planes of bits, then the scores of a slice in the
        // order of tables.
        let turning = with_twin(slice).map(cells).max().unwrap_or(0);
        planes + capturing.max(planes * 5 / (8 * width)).max(turning)
    };
    let sum = finished.saturating_add(solving);
    sum.saturating_add(sum / 4)
}

//! Values with depth by whole rows: not only who wins, but in how many plies.
//!
//! The way is that of plain values, with cells of 8 bits in place of two bits, or of 16 where wins take more than 253 plies;
//! see [`Cell`](crate::table::Cell). `captures` gives the least score that a capture leads to, `lone` the same where one side has a lone stone, `layers` follows paikas step by step,
//! and [`solve_cells`] does both for a pair and puts the scores into the order of tables.

mod captures;
mod layers;
mod lone;

pub use captures::capture_bytes;

use rayon::prelude::*;

use crate::board::inverse;
use crate::index::{Cells, Slice, Space};
use crate::rules::RuleSet;
use crate::simd;
use crate::table::{Cell, SliceDepths, TableError};

use super::slices::{Phase, with_twin};

use captures::capture_depths;
use layers::decide_by_depth;
use lone::{lone_mover_depths, lone_opponent_depths};

/// Computes the scores of a slice and, if it is another, its twin. `lookup` gives finished slices with fewer stones.
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
            captured(space, rules, slice, &lookup, &progress)
        })
        .collect();
    let mut steps = 0;
    decide_by_depth(space, rules, &slices, &mut cells, |found| {
        steps += 1;
        report(Phase::Paikas { steps, found });
    })?;
    report(Phase::Transposing);
    Ok(slices
        .into_iter()
        .zip(cells)
        .map(|(slice, cells)| SliceDepths::new(slice, transposed(space, slice, cells)))
        .collect())
}

/// The scores of positions with a capture alone, from finished slices with fewer stones; quiet positions are drawn.
pub fn capture_scores<'v, C: Cell>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths<C>,
) -> Cells<C> {
    transposed(space, slice, captured(space, rules, slice, lookup, &|_, _| ()))
}

/// The least that captures leave to the opponent, in the form that suits the slice.
fn captured<'v, C: Cell>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths<C>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Cells<C> {
    match (slice.mover, slice.opponent) {
        (_, 1) => lone_opponent_depths(space, rules, slice),
        (1, _) => lone_mover_depths(space, rules, slice, lookup, progress),
        _ => capture_depths(space, rules, slice, lookup, progress),
    }
}

/// Orbits of either side in a tile.
const TILE: usize = 16;

/// From the least that every position leaves to the opponent, by the opponent's orbits, to scores by the mover's.
#[allow(clippy::needless_pass_by_value)] // one of the two planes is to be gone afterwards
fn transposed<C: Cell>(space: &Space, slice: Slice, least: Cells<C>) -> Cells<C> {
    let mut scores = Cells::new(space.subsets(slice.mover), space.subsets(slice.opponent), C::DRAW);
    match space.symmetry().order() {
        4 => transpose_tiles::<C, 4>(&least, &mut scores),
        _ => transpose_tiles::<C, 8>(&least, &mut scores),
    }
    scores
}

/// Moves the cells of two orbits together, one for each element: each takes a cache line of the source once, and of the target.
fn transpose_tiles<C: Cell, const ORDER: usize>(least: &Cells<C>, scores: &mut Cells<C>) {
    let width = scores.stride();
    scores.all_mut().par_chunks_mut(TILE * width).enumerate().for_each(|(number, rows)| {
        simd::run(
            #[inline(always)]
            || {
                let mut tile = [[[C::DRAW; ORDER]; TILE]; TILE];
                for first in (0..least.rows()).step_by(TILE) {
                    let orbits = TILE.min(least.rows() - first);
                    for orbit in 0..orbits {
                        let line = least.row(first + orbit)[ORDER * TILE * number..].as_chunks::<ORDER>().0;
                        for (tile, cells) in tile.iter_mut().zip(line) {
                            tile[orbit] = *cells;
                        }
                    }
                    for (row, tile) in rows.chunks_exact_mut(width).zip(&mut tile) {
                        for cell in tile.as_flattened_mut() {
                            *cell = cell.before();
                        }
                        if ORDER == 8 {
                            for cells in &mut *tile {
                                *cells = std::array::from_fn(|element| cells[inverse(element)]);
                            }
                        }
                        let there = &mut row[ORDER * first..][..ORDER * orbits];
                        there.copy_from_slice(&tile.as_flattened()[..ORDER * orbits]);
                    }
                }
            },
        );
    });
}

//! Retrograde analysis of crowded slices, a row of many positions at a time.
//!
//! A row has given empty points, its columns are all the ways to split the occupied ones between the sides
//! ([`Crowded`]). `chains` walks the captures of a row, `paikas` follows the other turns until nothing new is decided, and `pass`
//! looks up what a turn of many columns leads to. Values and depths differ in what a grid holds.

mod chains;
mod paikas;
mod pass;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::index::{CaptureMask, Crowded, Slice, Space};
use crate::rules::RuleSet;
use crate::table::{Held, Rows};

use super::slices::{Phase, with_twin};
use chains::Chains;
use pass::{Pass, Row};

/// Words of a row that are worked on at a time, so that the masks of a chain stay in the nearest caches.
const STRETCH: usize = 256;

/// A value that what is held cannot hold: a win or a loss of too many plies.
#[derive(Debug)]
pub struct TooDeep;

/// Computes a slice and, if it is another, its twin. `lookup` gives finished slices with fewer stones.
///
/// # Errors
/// [`TooDeep`].
pub fn solve_grids<'v, V: Held>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v Rows<V>,
    report: &(dyn Fn(Phase) + Sync),
) -> Result<Vec<Rows<V>>, TooDeep> {
    let slices: Vec<Slice> = with_twin(slice).collect();
    let grids = slices.iter().map(|&slice| captures(space, rules, slice, &lookup, report));
    let mut grids = grids.collect::<Result<Vec<_>, _>>()?;
    paikas::decide(space, rules, &slices, &mut grids, report)?;
    Ok(grids)
}

/// Resolves all captures of a slice; quiet positions are drawn.
///
/// # Errors
/// [`TooDeep`].
pub fn captures<'v, V: Held>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v Rows<V>,
    report: &(dyn Fn(Phase) + Sync),
) -> Result<Rows<V>, TooDeep> {
    let crowded = Crowded::new(space, slice);
    let sets: Vec<u64> = crowded.splits().sets(0).collect();
    let pass = Pass::new(space, rules, slice, &sets, |target| (target.mover < slice.opponent).then(|| lookup(target)));
    let mut grid = Rows::new(crowded, V::DRAW);
    let (stride, total) = (grid.stride(), crowded.empties().orbits());
    let done = AtomicUsize::new(0);
    report(Phase::Captures { slice, done: 0, total });
    let empties = crowded.empties().representatives();
    let rows = grid.units_mut().par_chunks_mut(stride * BATCH).zip(empties.par_chunks(BATCH));
    rows.try_for_each_init(
        || (Row::new(), Vec::new()),
        |(row, masks), (units, empties)| {
            for (units, &empty) in units.chunks_mut(stride).zip(empties) {
                for start in (0..pass.splits.words()).step_by(STRETCH) {
                    resolve(&pass, row, masks, (empty, start), units)?;
                }
            }
            let done = done.fetch_add(empties.len(), Ordering::Relaxed) + empties.len();
            report(Phase::Captures { slice, done, total });
            Ok(())
        },
    )?;
    Ok(grid)
}

/// Rows that a thread takes at a time.
const BATCH: usize = 16;

/// Resolves the captures of a stretch of a row.
fn resolve<V: Held>(
    pass: &Pass<'_, V>,
    row: &mut Row<V>,
    masks: &mut Vec<u64>,
    (empty, start): (u64, usize),
    units: &mut [V::Unit],
) -> Result<(), TooDeep> {
    row.begin(pass.board(), empty, start);
    let words = STRETCH.min(pass.splits.words() - start);
    row.open.resize(words, 0);
    row.least.clear();
    row.least.resize(64 * words, V::NONE);
    let mask = CaptureMask::new(pass.board(), empty);
    let Row { open, .. } = row;
    crate::simd::run(
        #[inline(always)]
        || mask.fill(pass.splits, start, open),
    );
    let capturing = row.open.clone();
    *masks = Chains::follow(pass, row, std::mem::take(masks));
    for (word, &capturing) in capturing.iter().enumerate() {
        let mut bits = capturing;
        while bits != 0 {
            let column = 64 * word + bits.trailing_zeros() as usize;
            let least = row.least[column];
            let value = least.before();
            if value == V::DRAW && least != V::DRAW {
                return Err(TooDeep);
            }
            V::set(units, 64 * start + column, value);
            bits &= bits - 1;
        }
    }
    Ok(())
}

//! Values with depth by whole rows: not only who wins, but in how many plies.
//!
//! The method is that of plain values, with scores in place of outcomes. `captures` gives the least score that a capture leads to, in cells of
//! 8 bits, or of 16 where wins take more than 253 plies (see [`Cell`](crate::table::Cell)); `lone` does the same where one side has a lone stone;
//! `pass` chooses. Scores do not stay in cells: a position is decided in some number of plies, by a capture or by a paika, and that number is its
//! *layer*. `log` keeps layers as bits, compressed, in a store: in memory, or in a scratch file if memory is short.
//! `layers` follows paikas step by step over planes of bits; each step reads the captures of its layer and adds what it finds.
//! `scores` puts the cells of a slice together at the end, a band of columns at a time. `work` is the pair and its state.
//!
//! **Cost.** For each slice there are four planes of a bit for each pair of sets while paikas are followed, nothing else of the pair. Layers
//! take six to seven bits for each cell of the planes; they are written once, and read when they enter the state and when scores are put together.

mod captures;
mod layers;
mod log;
mod lone;
mod memory;
mod pass;
mod scores;
mod work;

pub use captures::capture_bytes;
pub use memory::MemoryStore;
pub use scores::LayeredScores;
pub use work::{DepthJob, LayeredPair, LayeredWork, band_bytes};

use crate::index::{Cells, Slice, Space};
use crate::rules::RuleSet;
use crate::table::{Cell, SliceDepths, TableError};

use super::parallel::{counting, for_each_with_scratch};
use super::slices::Phase;
use super::tiles::Store;

use pass::{CaptureDepths, CaptureDepthsScratch};
use scores::transpose_scores;

/// Computes the scores of a slice and, if it is another, its twin. `lookup` gives finished slices with fewer stones.
///
/// # Errors
/// [`TableError::TooDeep`].
pub fn solve_cells<'v, C: Cell>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: &dyn Fn(Slice) -> &'v SliceDepths<C>,
    report: &(dyn Fn(Phase) + Sync),
) -> Result<Vec<SliceDepths<C>>, TableError> {
    solve_layers(&DepthJob::new(space, rules, slice, u64::MAX), &MemoryStore::default(), lookup, report)
}

/// As [`solve_cells`], from layers in any store; continues from the state there, if there is one.
///
/// # Errors
/// Those of the store; [`TableError::ScratchDamaged`] if it does not return what was written to it; [`TableError::TooDeep`].
pub fn solve_layers<'v, C: Cell>(
    job: &DepthJob<'_>,
    store: &dyn Store,
    lookup: &dyn Fn(Slice) -> &'v SliceDepths<C>,
    report: &(dyn Fn(Phase) + Sync),
) -> Result<Vec<SliceDepths<C>>, TableError> {
    let mut work = LayeredWork::begin(job, store)?;
    work.capture(lookup, report)?;
    work.decide::<C>(report)?;
    report(Phase::Transposing);
    (0..work.slices().len()).map(|side| LayeredScores::new(&work, side).in_memory(job.space)).collect()
}

/// The scores of the positions with a capture, from finished slices with fewer stones; quiet positions count as drawn. `progress` gets the
/// rows that are done, and how many there are.
pub fn capture_scores<'v, C: Cell>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: &dyn Fn(Slice) -> &'v SliceDepths<C>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Cells<C> {
    let (opponents, movers) = (space.subsets(slice.opponent), space.subsets(slice.mover));
    let pass = CaptureDepths::new(space, rules, slice, lookup);
    let mut least = Cells::new(opponents, movers, C::DRAW);
    let width = least.stride();
    let advance = counting(opponents.orbits(), progress);
    let rows = least.all_mut().chunks_mut(width).enumerate();
    for_each_with_scratch(rows, CaptureDepthsScratch::default, |scratch, (row, cells)| {
        pass.fill(row, cells, scratch);
        advance(1);
    });
    let mut scores = Cells::new(movers, opponents, C::DRAW);
    transpose_scores(space, &least, &mut scores);
    scores
}

//! Puts the finished scores of a slice together from its layers, a band at a time, in the order of tables.

use std::ops::Range;

use rayon::prelude::*;

use crate::board::inverse;
use crate::index::{Cells, Slice, Space};
use crate::simd;
use crate::table::{Cell, Counts, Depths, Metric, SliceData, SliceDepths, TableError, encode_depths};

use super::super::window::Window;
use super::log::left_by;
use super::work::LayeredWork;

/// The scores of a slice of a pair that is decided.
pub struct LayeredScores<'a, C> {
    work: &'a LayeredWork<'a>,
    side: usize,
    slice: Slice,
    window: Window<Cells<C>>,
}

impl<'a, C: Cell> LayeredScores<'a, C> {
    /// The scores of one of the slices.
    pub fn new(work: &'a LayeredWork<'a>, side: usize) -> Self {
        Self { work, side, slice: work.slices[side], window: Window::default() }
    }

    /// All of them in memory.
    ///
    /// # Errors
    /// Those of the store.
    pub fn in_memory(&self, space: &Space) -> Result<SliceDepths<C>, TableError> {
        let bands = self.work.bands(self.side).count();
        if bands == 1 {
            return Ok(SliceDepths::new(self.slice, self.rows(space, 0)?.1));
        }
        let mut all = Cells::new(space.subsets(self.slice.mover), space.subsets(self.slice.opponent), C::DRAW);
        let stride = all.stride();
        for band in 0..bands {
            let (range, scores) = self.rows(space, band)?;
            all.all_mut()[range.start * stride..range.end * stride].copy_from_slice(scores.all());
        }
        Ok(SliceDepths::new(self.slice, all))
    }

    /// Orbits of the mover in a word of a band.
    fn orbits_in_word(space: &Space) -> usize {
        64 / space.symmetry().order()
    }

    /// Puts a band of columns together from all layers, and transposes it to rows.
    fn rows(&self, space: &Space, band: usize) -> Result<(Range<usize>, Cells<C>), TableError> {
        let (movers, opponents) = (space.subsets(self.slice.mover), space.subsets(self.slice.opponent));
        let words = self.work.bands(self.side).of(band);
        let mut least = Cells::sized(opponents.orbits(), 64 * words.len(), C::DRAW);
        let stride = least.stride();
        let cells = C::shared(least.all_mut());
        for (plies, bands) in self.work.state.layers[self.side].iter().enumerate() {
            let left = left_by::<C>(plies);
            self.work.log.read(self.work.bands(self.side), &bands[band], |row, word, mut bits| {
                let cells = &cells[row * stride + 64 * (word - words.start)..][..64];
                while bits != 0 {
                    C::put(&cells[bits.trailing_zeros() as usize], left);
                    bits &= bits - 1;
                }
            })?;
        }
        let range =
            words.start * Self::orbits_in_word(space)..movers.orbits().min(words.end * Self::orbits_in_word(space));
        let mut scores = Cells::sized(range.len(), opponents.slots(), C::DRAW);
        transpose_scores(space, &least, &mut scores);
        Ok((range, scores))
    }
}

impl<C: Cell> SliceData for LayeredScores<'_, C> {
    const METRIC: Metric = Metric::Dtw;
    const PER_BYTE: u64 = SliceDepths::<C>::PER_BYTE;

    fn slice(&self) -> Slice {
        self.slice
    }

    fn prepare(&self, space: &Space, first: u64, count: u64) -> Result<(), TableError> {
        let width = self.work.bands(self.side).width * Self::orbits_in_word(space);
        self.window.prepare((space, self.slice), (first, count), width, |band| self.rows(space, band))
    }

    fn encode(&self, space: &Space, first: u64, count: u64) -> (Vec<u8>, Counts, Depths) {
        let window = self.window.read();
        let row = |row: usize| {
            let (scores, row) = window.find(row);
            scores.row(row)
        };
        encode_depths(space, self.slice, row, first, count)
    }
}

/// Orbits of either side in a tile.
const TILE: usize = 16;

/// Transposes the least scores that positions leave the opponent with, by the opponent's orbits, to scores by the mover's orbits: all
/// of them, or a band of columns.
pub fn transpose_scores<C: Cell>(space: &Space, least: &Cells<C>, scores: &mut Cells<C>) {
    match space.symmetry().order() {
        4 => transpose_tiles::<C, 4>(least, scores),
        _ => transpose_tiles::<C, 8>(least, scores),
    }
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

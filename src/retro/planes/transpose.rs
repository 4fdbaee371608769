//! Moving a plane between its two forms: rows by the mover's orbits, and rows by the opponent's.
//!
//! The bit of `(g_e S, T)` in one form is the bit of `(S, g_e⁻¹ T)` in the other: a transposition of cells of |G| bits.

use rayon::prelude::*;

use crate::index::{Plane, Slice, Space, invert_elements};
use crate::simd;

use super::lanes::transpose_cells;
use super::sizes::{group_rows, with_block, with_group};

/// What happens to the bits that arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Merge {
    /// They are written over what was there.
    Copy,
    /// They are added.
    Set,
    /// They are taken away.
    Clear,
}

/// Which stretches of a plane hold bits: a byte for each group of rows that fill one word of the transposed form, and block.
pub type GroupFlags = Vec<u8>;

/// Moves `source` transposed into `target`. With flags, only flagged stretches are read. For each piece of the work, `arrived`
/// makes a function that is called with the row and the word of the target at which bits arrive, and the bits.
pub fn transpose<A: FnMut(usize, usize, u64)>(
    order: usize,
    source: &Plane,
    flags: Option<&GroupFlags>,
    target: &mut Plane,
    merge: Merge,
    arrived: impl Fn() -> A + Sync,
) {
    Job { order, source, at: 0, flags, merge, arrived }.carry_out(target);
}

/// Copies `source` transposed into the rows of `target` from word `at` on.
pub fn copy_transposed(order: usize, source: &Plane, target: &mut Plane, at: usize) {
    Job { order, source, at, flags: None, merge: Merge::Copy, arrived: || |_, _, _| () }.carry_out(target);
}

/// A plane by the opponent's orbits, transposed to one by the mover's.
pub fn transposed(space: &Space, slice: Slice, plane: &Plane) -> Plane {
    let mut transposed = Plane::new(space.subsets(slice.mover), space.subsets(slice.opponent));
    copy_transposed(space.symmetry().order(), plane, &mut transposed, 0);
    transposed
}

struct Job<'a, F> {
    order: usize,
    source: &'a Plane,
    /// The word of the target's rows at which the source begins.
    at: usize,
    flags: Option<&'a GroupFlags>,
    merge: Merge,
    arrived: F,
}

impl<A: FnMut(usize, usize, u64), F: Fn() -> A + Sync> Job<'_, F> {
    fn carry_out(&self, target: &mut Plane) {
        with_group!(self.order, C => with_block!(self.source.block(), B => self.carry_out_in::<C, B>(target)));
    }

    fn carry_out_in<const C: usize, const B: usize>(&self, target: &mut Plane) {
        share_out(target, B * C, &|band, first, rows| {
            simd::run(
                #[inline(always)]
                || self.fill_band::<C, B>(band, first, rows),
            );
        });
    }

    /// Fills a band of target rows, those of one block of source columns, from word `first` on.
    #[inline(always)]
    fn fill_band<const C: usize, const B: usize>(&self, band: usize, first: usize, rows: &mut [&mut [u64]]) {
        let mut arrived = (self.arrived)();
        let groups = self.source.rows().div_ceil(C);
        let blocks = self.source.blocks();
        let width = rows.first().map_or(0, |row| row.len());
        for word in first.max(self.at)..(first + width).min(self.at + groups) {
            let group = word - self.at;
            if self.flags.is_some_and(|flags| flags[group * blocks + band] == 0) {
                continue;
            }
            let mut tile = [[0u64; B]; C];
            let present = C.min(self.source.rows() - group * C);
            for (row, tile) in tile.iter_mut().enumerate().take(present) {
                *tile = *self.source.block_at::<B>(group * C + row, band);
            }
            transpose_cells(&mut tile);
            if self.order == 8 {
                for word in tile.as_flattened_mut() {
                    *word = invert_elements(*word);
                }
            }
            for part in 0..B {
                for cell in 0..C {
                    let Some(row) = rows.get_mut(part * C + cell) else { continue };
                    let (bits, there) = (tile[cell][part], &mut row[word - first]);
                    match self.merge {
                        Merge::Copy => *there = bits,
                        Merge::Set => *there |= bits,
                        Merge::Clear => *there &= !bits,
                    }
                    if bits != 0 {
                        arrived(band * B * C + part * C + cell, word, bits);
                    }
                }
            }
        }
    }
}

/// Fills a part of a target; called with the number of a band, a word, and the band's rows from that word on.
type Fill<'f> = dyn Fn(usize, usize, &mut [&mut [u64]]) + Sync + 'f;

/// Fills the target in parallel, in bands of `band` rows.
fn share_out(target: &mut Plane, band: usize, fill: &Fill<'_>) {
    let stride = target.stride();
    let bands = target.rows().div_ceil(band);
    // A plane of few rows is cut along its rows too, in whole words of marks (64 blocks).
    let pieces = (4 * rayon::current_num_threads()).div_ceil(bands);
    let piece = stride.div_ceil(pieces).next_multiple_of(64 * target.block());
    target.words_mut().par_chunks_mut(band * stride).enumerate().for_each(|(number, rows)| {
        let pieces = stride.div_ceil(piece);
        if pieces == 1 {
            fill(number, 0, &mut rows.chunks_mut(stride).collect::<Vec<_>>());
            return;
        }
        let mut cut: Vec<Vec<&mut [u64]>> = (0..pieces).map(|_| Vec::with_capacity(band)).collect();
        for row in rows.chunks_mut(stride) {
            for (cut, part) in cut.iter_mut().zip(row.chunks_mut(piece)) {
                cut.push(part);
            }
        }
        cut.par_iter_mut().enumerate().for_each(|(part, rows)| fill(number, part * piece, rows));
    });
}

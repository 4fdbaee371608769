//! Planes of a finished slice with one stone of the opponent singled out: the leaves of capture trees.
//!
//! A chain moves one stone `x` of S to `y`, and the rest S0 = S - x stays. Its outcome is looked up in the slice of
//! fewer opponents at (T', S0 + y). With a row over S0 for every T' and `y`, that look-up is one row read for all S0.

use crate::index::{Plane, Space, block_words, padded_words, zeroed};
use crate::table::ValuePlanes;

use super::lanes::{Extensions, LanePair, transpose_cells};
use super::parallel::for_each_with_scratch;
use crate::simd;

/// For every orbit of T' and every point `y`: two rows over the slots of S0, "the side to move loses" and "does not
/// win". Bits of S0 that contain `y` or meet T' are zero.
pub struct ExtendedPlanes {
    words: usize,
    bits: Vec<u64>,
}

/// Bytes that the extended planes of a slice of `orbits` mover sets take, for rest rows of `words` words.
#[must_use]
pub fn extended_bytes(orbits: u64, points: usize, words: usize) -> u64 {
    orbits * points as u64 * 16 * padded_words(words) as u64
}

impl ExtendedPlanes {
    /// Takes a finished slice in which the opponent has `opponent` stones apart; `extensions` are those of sets of that
    /// many stones.
    #[must_use]
    pub fn new(space: &Space, opponent: usize, planes: &ValuePlanes, extensions: &Extensions) -> Self {
        let points = space.board().points();
        let batch = Batch { space, opponent, planes, extensions };
        let rest_words = space.subsets(opponent - 1).words();
        let words = padded_words(rest_words);
        let mut bits = zeroed(planes.loss.rows() * points * 2 * words);
        let batches = bits.chunks_mut(64 * points * 2 * words).enumerate();
        let scratch = || Scratch::new(space, opponent, block_words(rest_words));
        for_each_with_scratch(batches, scratch, |scratch, (number, out)| {
            simd::run(
                #[inline(always)]
                || match block_words(rest_words) {
                    1 => batch.extend::<1>(number, out, scratch),
                    2 => batch.extend::<2>(number, out, scratch),
                    4 => batch.extend::<4>(number, out, scratch),
                    _ => batch.extend::<8>(number, out, scratch),
                },
            );
        });
        Self { words, bits }
    }

    /// A block of both rows of a leaf, numbered `orbit * points + point`: "loses" and "does not win".
    #[inline(always)]
    #[must_use]
    pub fn blocks<const B: usize>(&self, leaf: usize, word: usize) -> [[u64; B]; 2] {
        let (loss, not_win) = self.bits[leaf * 2 * self.words..][..2 * self.words].split_at(self.words);
        let block = |row: &[u64]| *row[word..word + B].first_chunk().expect("B words");
        [block(loss), block(not_win)]
    }
}

struct Scratch {
    /// The slice's bits of 64 rows, by slot of the opponent's sets.
    lanes: Vec<LanePair>,
    /// For each point and plane, 64 slots of a block of words each.
    tiles: Vec<u64>,
}

impl Scratch {
    fn new(space: &Space, opponent: usize, block: usize) -> Self {
        let slots = 64 * space.subsets(opponent).words();
        Self { lanes: zeroed(slots), tiles: zeroed(space.board().points() * 2 * 64 * block) }
    }
}

/// What the batches of one slice have in common.
struct Batch<'a> {
    space: &'a Space,
    opponent: usize,
    planes: &'a ValuePlanes,
    extensions: &'a Extensions,
}

impl Batch<'_> {
    /// Fills the rows of 64 orbits.
    #[inline(always)]
    fn extend<const B: usize>(&self, number: usize, out: &mut [u64], scratch: &mut Scratch) {
        let Self { space, opponent, planes, extensions } = *self;
        let points = space.board().points();
        for (which, plane) in [&planes.loss, &planes.not_win].into_iter().enumerate() {
            rows_to_lanes(plane, number * 64, which, &mut scratch.lanes);
        }
        let rows = out.len() / (points * 2);
        let words = padded_words(space.subsets(opponent - 1).words());
        let lanes_used = rows / words;
        let (tiles, _) = scratch.tiles.as_chunks_mut::<B>();
        for first in (0..words).step_by(B) {
            tiles.fill([0; B]);
            for word in 0..B {
                extensions.for_each(space, first + word, |point, smaller, larger| {
                    let [loss, not_win] = scratch.lanes[larger];
                    tiles[point * 128 + smaller][word] = loss;
                    tiles[point * 128 + 64 + smaller][word] = not_win;
                });
            }
            for (row, tile) in tiles.chunks_exact_mut(64).enumerate() {
                let tile: &mut [[u64; B]; 64] = tile.first_chunk_mut().expect("64 rows");
                transpose_cells(tile);
                for (lane, block) in tile.iter().enumerate().take(lanes_used) {
                    out[(lane * points * 2 + row) * words + first..][..B].copy_from_slice(block);
                }
            }
        }
    }
}

/// Turns 64 rows of a plane, from row `first` on, into lanes; missing rows are zero.
#[inline(always)]
pub fn rows_to_lanes(plane: &Plane, first: usize, number: usize, lanes: &mut [LanePair]) {
    let rows = 64.min(plane.rows() - first);
    for (word, lanes) in lanes.chunks_exact_mut(64).enumerate() {
        let mut tile = [[0u64; 1]; 64];
        for (lane, tile) in tile.iter_mut().enumerate().take(rows) {
            tile[0] = plane.row(first + lane)[word];
        }
        transpose_cells(&mut tile);
        for (lane, bits) in lanes.iter_mut().zip(&tile) {
            lane[number] = bits[0];
        }
    }
}

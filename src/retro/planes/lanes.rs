//! Moving between rows of bits and "lanes" (words that hold one bit of each of 64 rows), and the leaves of capture trees made that way.
//!
//! A set of m stones is a set of m - 1 stones and one more point, in m ways. Both directions of that are one random
//! access for each bit if done row by row; done for 64 rows at a time they are one access for 64 bits. The points of
//! an orbit's cell share the access: `g(S0 + x) = g(S0) + g(x)`.
//!
//! A chain moves one stone `x` of S to `y`, and the rest S0 = S - x stays. Its outcome is looked up in the slice of
//! fewer opponents at (T', S0 + y). With a row over S0 for every T' and `y`, that look-up is one row read for all S0.

use rayon::prelude::*;

use crate::board::{PointSet, compose};
use crate::index::{Plane, Space, Subsets, block_words, padded_words, zeroed};
use crate::simd;
use crate::table::ValuePlanes;

use super::super::parallel::for_each_with_scratch;
use super::sizes::with_block;

/// Transposes a square of `C` x `C` cells of 64 / C bits, for each of the `B` word columns at once. Row `r` is
/// `tile[r]`; cell `c` of a word is its bits from `c * 64 / C`. (Hacker's Delight, 7-3.)
#[inline(always)]
pub fn transpose_cells<const C: usize, const B: usize>(tile: &mut [[u64; B]; C]) {
    let cell = 64 / C;
    let mut distance = C / 2;
    let mut mask = u64::MAX >> 32;
    while distance > 0 {
        let shift = distance * cell;
        for start in (0..C).step_by(2 * distance) {
            let (upper, lower) = tile[start..start + 2 * distance].split_at_mut(distance);
            for (a, b) in upper.iter_mut().zip(lower) {
                for (a, b) in a.iter_mut().zip(b) {
                    let differ = (*a >> shift ^ *b) & mask;
                    *b ^= differ;
                    *a ^= differ << shift;
                }
            }
        }
        distance /= 2;
        mask ^= mask << (distance * cell);
    }
}

/// For each orbit of the sets of m - 1 points and each further point, the slot of the set of m points they make.
pub struct Extensions {
    points: usize,
    order: usize,
    slots: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Extensions {
    /// Extensions of the sets of `size - 1` points to sets of `size` points; 4 bytes for each orbit and point.
    #[must_use]
    pub fn new(space: &Space, size: usize) -> Self {
        let (smaller, larger) = (space.subsets(size - 1), space.subsets(size));
        let points = space.board().points();
        let mut slots = vec![NONE; smaller.orbits() * points];
        slots.par_chunks_mut(points).zip(smaller.representatives()).for_each(|(slots, &set)| {
            for (point, slot) in slots.iter_mut().enumerate().filter(|&(point, _)| !set.contains(point)) {
                #[allow(clippy::cast_possible_truncation)] // slots are below 2^32, see Subsets::MAX
                let larger = larger.slot(set | 1 << point) as u32;
                *slot = larger;
            }
        });
        Self { points, order: space.symmetry().order(), slots }
    }

    /// Calls `visit(point, smaller, larger)` for every set in the 64 slots of one word of the smaller sets' rows and
    /// every further point: the slot of the smaller set within the word, and the slot of the larger set.
    #[inline(always)]
    pub fn for_each(&self, space: &Space, word: usize, mut visit: impl FnMut(usize, usize, usize)) {
        let cells = 64 / self.order;
        let orbits = self.slots.len() / self.points;
        for cell in 0..cells.min(orbits.saturating_sub(word * cells)) {
            let extensions = &self.slots[(word * cells + cell) * self.points..][..self.points];
            for (point, &slot) in extensions.iter().enumerate().filter(|&(_, &slot)| slot != NONE) {
                let (orbit, first) = (slot as usize / self.order, slot as usize % self.order);
                for element in 0..self.order {
                    let larger = orbit * self.order + compose(element, first);
                    visit(space.symmetry().point(element, point), cell * self.order + element, larger);
                }
            }
        }
    }
}

/// A bit of each of 64 rows, of two planes.
pub type LanePair = [u64; 2];

/// Makes all slots of one subset hold what any of them holds.
pub fn join_equal_slots(subsets: &Subsets, lanes: &mut [LanePair]) {
    for (slot, first) in subsets.equal_slots() {
        let [a, b] = lanes[slot];
        lanes[first][0] |= a;
        lanes[first][1] |= b;
    }
    for (slot, first) in subsets.equal_slots() {
        lanes[slot] = lanes[first];
    }
}

/// For every orbit of T' and every point `y`: two rows over the slots of S0, "the side to move loses" and "does not
/// win". Bits of S0 that contain `y` or meet T' are zero.
pub struct ExtendedPlanes {
    words: usize,
    bits: Vec<u64>,
}

/// An orbit, and the points of which its extended planes are to have rows.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The orbit.
    pub orbit: usize,
    /// The points, a bit for each.
    pub points: u64,
}

/// Bytes that the extended planes of a slice of `orbits` mover sets take, for rest rows of `words` words.
#[must_use]
pub fn extended_bytes(orbits: u64, points: usize, words: usize) -> u64 {
    orbits * points as u64 * 16 * padded_words(words) as u64
}

impl ExtendedPlanes {
    /// Takes apart a finished slice in which the opponent has `opponent` stones; `extensions` are those to sets of that many
    /// stones.
    #[must_use]
    pub fn new(space: &Space, opponent: usize, planes: &ValuePlanes, extensions: &Extensions) -> Self {
        let mut all = Self::empty(space, opponent);
        let orbits: Vec<Wanted> = (0..planes.loss.rows()).map(|orbit| Wanted { orbit, points: u64::MAX }).collect();
        let row = all.words_of_orbit(space);
        all.bits = zeroed(orbits.len() * row);
        let batches = all.bits.chunks_mut(64 * row).zip(orbits.chunks(64));
        let scratch = || Scratch::new(space, opponent);
        for_each_with_scratch(batches, scratch, |scratch, (out, orbits)| {
            Batch { space, opponent, planes, extensions, orbits }.extend(out, scratch);
        });
        all
    }

    /// Planes of no orbit, of a slice in which the opponent has that many stones.
    #[must_use]
    pub fn empty(space: &Space, opponent: usize) -> Self {
        Self { words: padded_words(space.subsets(opponent - 1).words()), bits: Vec::new() }
    }

    fn words_of_orbit(&self, space: &Space) -> usize {
        space.board().points() * 2 * self.words
    }

    /// Replaces the planes by those of some orbits, which are numbered as they are listed. Rows of points that are not wanted are arbitrary.
    pub fn replace(
        &mut self,
        (space, opponent): (&Space, usize),
        planes: &ValuePlanes,
        extensions: &Extensions,
        orbits: &[Wanted],
        scratch: &mut Scratch,
    ) {
        let row = self.words_of_orbit(space);
        // Every word that is wanted is written.
        self.bits.resize(orbits.len() * row, 0);
        for (out, orbits) in self.bits.chunks_mut(64 * row).zip(orbits.chunks(64)) {
            Batch { space, opponent, planes, extensions, orbits }.extend(out, scratch);
        }
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

/// The memory of a thread that takes slices apart.
pub struct Scratch {
    /// The slice's bits of 64 rows, by slot of the opponent's sets.
    lanes: Vec<LanePair>,
    /// For each point and plane, 64 slots of a block of words each.
    tiles: Vec<u64>,
}

impl Scratch {
    /// For slices in which the opponent has that many stones.
    #[must_use]
    pub fn new(space: &Space, opponent: usize) -> Self {
        let (slots, block) = (64 * space.subsets(opponent).words(), block_words(space.subsets(opponent - 1).words()));
        Self { lanes: zeroed(slots), tiles: zeroed(space.board().points() * 2 * 64 * block) }
    }
}

/// At most 64 orbits of one slice.
struct Batch<'a> {
    space: &'a Space,
    opponent: usize,
    planes: &'a ValuePlanes,
    extensions: &'a Extensions,
    orbits: &'a [Wanted],
}

impl Batch<'_> {
    /// Fills the rows of the orbits.
    fn extend(&self, out: &mut [u64], scratch: &mut Scratch) {
        simd::run(
            #[inline(always)]
            || {
                let block = block_words(self.space.subsets(self.opponent - 1).words());
                with_block!(block, B => self.extend_in::<B>(out, scratch));
            },
        );
    }

    #[inline(always)]
    fn extend_in<const B: usize>(&self, out: &mut [u64], scratch: &mut Scratch) {
        let Self { space, opponent, planes, extensions, orbits } = *self;
        let points = space.board().points();
        let wanted = orbits.iter().fold(0, |all, orbit| all | orbit.points);
        let is_wanted = |point: usize| wanted >> point & 1 == 1;
        for (which, plane) in [&planes.loss, &planes.not_win].into_iter().enumerate() {
            rows_to_lanes(plane, orbits, which, &mut scratch.lanes);
        }
        let words = padded_words(space.subsets(opponent - 1).words());
        let (tiles, _) = scratch.tiles.as_chunks_mut::<B>();
        for first in (0..words).step_by(B) {
            for (_, tiles) in tiles.chunks_exact_mut(128).enumerate().filter(|&(point, _)| is_wanted(point)) {
                tiles.fill([0; B]);
            }
            for word in 0..B {
                extensions.for_each(space, first + word, |point, smaller, larger| {
                    if is_wanted(point) {
                        let [loss, not_win] = scratch.lanes[larger];
                        tiles[point * 128 + smaller][word] = loss;
                        tiles[point * 128 + 64 + smaller][word] = not_win;
                    }
                });
            }
            for (row, tile) in tiles.chunks_exact_mut(64).enumerate().filter(|(row, _)| is_wanted(row / 2)) {
                let tile: &mut [[u64; B]; 64] = tile.first_chunk_mut().expect("64 rows");
                transpose_cells(tile);
                for (lane, block) in tile.iter().enumerate().take(orbits.len()) {
                    out[(lane * points * 2 + row) * words + first..][..B].copy_from_slice(block);
                }
            }
        }
    }
}

/// Transposes at most 64 rows of a plane into lanes; missing rows are zero.
#[inline(always)]
fn rows_to_lanes(plane: &Plane, rows: &[Wanted], number: usize, lanes: &mut [LanePair]) {
    for (word, lanes) in lanes.chunks_exact_mut(64).enumerate() {
        let mut tile = [[0u64; 1]; 64];
        for (tile, row) in tile.iter_mut().zip(rows) {
            tile[0] = plane.row(row.orbit)[word];
        }
        transpose_cells(&mut tile);
        for (lane, bits) in lanes.iter_mut().zip(&tile) {
            lane[number] = bits[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposition_moves_cells() {
        check::<64>();
        check::<16>();
        check::<8>();
    }

    fn check<const C: usize>() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed ^ seed >> 29
        };
        let tile: [[u64; 2]; C] = std::array::from_fn(|_| [random(), random()]);
        let mut transposed = tile;
        transpose_cells(&mut transposed);
        let cell = |word: u64, number: usize| word >> (number * (64 / C)) & (u64::MAX >> (64 - 64 / C));
        for row in 0..C {
            for column in 0..C {
                for word in 0..2 {
                    assert_eq!(cell(transposed[column][word], row), cell(tile[row][word], column));
                }
            }
        }
    }
}

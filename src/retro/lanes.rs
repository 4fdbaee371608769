//! Moving between rows of bits and "lanes": words that hold one bit of each of 64 rows.
//!
//! A set of m stones is a set of m - 1 stones and one more point, in m ways. Both directions of that are one random
//! access for each bit if done row by row; done for 64 rows at a time they are one access for 64 bits. The points of
//! an orbit's cell share the access: `g(S0 + x) = g(S0) + g(x)`.

use rayon::prelude::*;

use crate::board::{PointSet, compose};
use crate::index::{Space, Subsets};

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
        let mut turned = tile;
        transpose_cells(&mut turned);
        let cell = |word: u64, number: usize| word >> (number * (64 / C)) & (u64::MAX >> (64 - 64 / C));
        for row in 0..C {
            for column in 0..C {
                for word in 0..2 {
                    assert_eq!(cell(turned[column][word], row), cell(tile[row][word], column));
                }
            }
        }
    }
}

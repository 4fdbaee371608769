//! Bit rows over slots: which subsets contain a point, and how a symmetry acts on a row.

use super::memory::zeroed;
use super::share::share;
use super::subsets::Subsets;

/// Words of each row in a piece of work.
const PART: usize = 1 << 10;

/// For every point, the row of the subsets that contain it.
#[derive(Debug)]
pub struct Occupancy {
    words: usize,
    bits: Vec<u64>,
}

impl Occupancy {
    /// Builds the rows: points times slots, in bits.
    ///
    /// # Panics
    /// With [`OutOfMemory`](super::OutOfMemory) if the system has no memory for it.
    #[must_use]
    pub fn new(subsets: &Subsets, points: usize) -> Self {
        let words = subsets.words();
        let mut bits = zeroed(points * words);
        let mut rows: Vec<_> = bits.chunks_mut(words).map(|row| row.chunks_mut(PART)).collect();
        let part = |number| (number * PART * 64, rows.iter_mut().filter_map(Iterator::next).collect());
        let parts = (0..words.div_ceil(PART)).map(part).collect();
        share(parts, |(first, mut rows): (usize, Vec<&mut [u64]>)| {
            for slot in first..subsets.slots().min(first + PART * 64) {
                let mut set = subsets.subset(slot);
                while set != 0 {
                    rows[set.trailing_zeros() as usize][(slot - first) / 64] |= 1 << (slot % 64);
                    set &= set - 1;
                }
            }
        });
        Self { words, bits }
    }

    /// The row of subsets that contain the point.
    #[inline]
    #[must_use]
    pub fn of(&self, point: usize) -> &[u64] {
        &self.bits[point * self.words..][..self.words]
    }

    /// Number of words in a row.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }
}

/// Lets a group element act on a stretch of a row: the bit of subset `T` moves to the bit of `g(T)`.
///
/// Slots of one orbit are neighbours, so the bits move within cells of 4 (or 8) bits; see [`crate::board::Symmetry`]
/// for the numbering of elements.
#[inline(always)]
pub fn act(element: usize, words: &mut [u64]) {
    if element & 4 != 0 {
        for word in &mut *words {
            *word = act_transposed(*word);
        }
    }
    if element & 1 != 0 {
        for word in &mut *words {
            *word = (*word >> 1 & 0x5555_5555_5555_5555) | (*word & 0x5555_5555_5555_5555) << 1;
        }
    }
    if element & 2 != 0 {
        for word in &mut *words {
            *word = (*word >> 2 & 0x3333_3333_3333_3333) | (*word & 0x3333_3333_3333_3333) << 2;
        }
    }
}

/// Bit `e` becomes what was bit `transpose⁻¹ · e`: flips change places, and the transposed half of the cell with the other.
#[inline(always)]
fn act_transposed(word: u64) -> u64 {
    let halves = (word >> 4 & 0x0f0f_0f0f_0f0f_0f0f) | (word & 0x0f0f_0f0f_0f0f_0f0f) << 4;
    swap_flips(halves, 0x2222_2222_2222_2222)
}

/// Swaps bits 1 and 2 of the nibbles whose bit 1 is in the mask.
#[inline(always)]
fn swap_flips(word: u64, mask: u64) -> u64 {
    let differ = (word ^ word >> 1) & mask;
    word ^ differ ^ differ << 1
}

/// Turns cells of |G| = 8 bits from "bit `e` is `(rep, g_e other)`" to "bit `e` is `(g_e rep, other)`": each element changes
/// places with its inverse. With |G| = 4 every element is its own inverse.
#[inline(always)]
#[must_use]
pub fn invert_elements(word: u64) -> u64 {
    swap_flips(word, 0x2020_2020_2020_2020)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{BoardSize, Symmetry, compose, inverse};

    #[test]
    fn acting_on_rows_is_acting_on_subsets() {
        for (columns, rows) in [(9, 5), (5, 5)] {
            let size = BoardSize::new(columns, rows).unwrap();
            let symmetry = Symmetry::new(size);
            let subsets = Subsets::new(&symmetry, size.points(), 3);
            let occupancy = Occupancy::new(&subsets, size.points());
            for element in 0..symmetry.order() {
                for point in 0..size.points() {
                    let mut row = occupancy.of(point).to_vec();
                    act(element, &mut row);
                    assert_eq!(row, occupancy.of(symmetry.point(element, point)), "element {element} point {point}");
                }
            }
        }
    }

    #[test]
    fn inverted_elements_and_actions_follow_the_group() {
        for element in 0..8 {
            assert_eq!(invert_elements(1 << element), 1 << inverse(element));
            for by in 0..8 {
                let mut word = [1u64 << element];
                act(by, &mut word);
                assert_eq!(word[0], 1 << compose(by, element));
            }
        }
    }
}

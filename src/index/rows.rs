//! Bit rows over slots: the subsets that contain a point, those that leave the mover without a capture, and how a symmetry acts on a row.

use crate::board::{Board, DIRECTIONS, PointSet};

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

/// The masks of one mover set: valid opponent sets (none on the mover's points) and quiet ones (nothing to capture).
///
/// A step from `x` to `y` captures if no enemy is on `y` and one is on the next point after `y` (approach) or on the point
/// behind `x` (withdrawal). For each target `y` the mask keeps the points of which one must hold an enemy.
#[derive(Clone, Debug, Default)]
pub struct QuietMask {
    mover: u64,
    targets: Vec<(usize, u64)>,
}

/// Words that [`QuietMask::stretch`] computes at once.
pub const STRETCH: usize = 8;

#[inline(always)]
fn zip(a: [u64; STRETCH], b: [u64; STRETCH], both: impl Fn(u64, u64) -> u64) -> [u64; STRETCH] {
    std::array::from_fn(|word| both(a[word], b[word]))
}

impl QuietMask {
    /// The masks of a mover set.
    #[must_use]
    pub fn new(board: &Board<u64>, mover: u64) -> Self {
        let mut victims = [0u64; 64];
        let mut reached = 0u64;
        for from in mover.iter() {
            for direction in 0..DIRECTIONS {
                let Some(to) = board.next(from, direction).filter(|&to| !mover.contains(to)) else { continue };
                reached |= u64::point(to);
                for victim in [board.next(to, direction), board.next(from, direction ^ 1)].into_iter().flatten() {
                    victims[to] |= u64::point(victim);
                }
            }
        }
        // With short rows this runs once for each word of a table, and growing the list would dominate.
        let mut targets = Vec::with_capacity(reached.count());
        targets.extend(reached.iter().map(|to| (to, victims[to].without(mover))).filter(|(_, victims)| *victims != 0));
        Self { mover, targets }
    }

    /// Writes the masks of a stretch of words, from word `first` of the row: valid sets, and those of them that are quiet.
    #[inline(always)]
    pub fn fill(&self, opponents: &Occupancy, first: usize, valid: &mut [u64], quiet: &mut [u64]) {
        let stretch = |point: usize| &opponents.of(point)[first..][..valid.len()];
        quiet.fill(u64::MAX);
        for &(target, victims) in &self.targets {
            const CHUNK: usize = 64;
            for start in (0..quiet.len()).step_by(CHUNK) {
                let length = CHUNK.min(quiet.len() - start);
                let mut enemy = [0u64; CHUNK];
                for victim in victims.iter() {
                    for (word, row) in enemy.iter_mut().zip(&stretch(victim)[start..start + length]) {
                        *word |= row;
                    }
                }
                let out = &mut quiet[start..start + length];
                for ((quiet, blocked), enemy) in out.iter_mut().zip(&stretch(target)[start..]).zip(&enemy) {
                    *quiet &= blocked | !enemy;
                }
            }
        }
        self.fill_valid(opponents, first, valid);
        for (quiet, valid) in quiet.iter_mut().zip(&*valid) {
            *quiet &= valid;
        }
    }

    /// The quiet sets in [`STRETCH`] words from word `first` of the row; words beyond its end are arbitrary.
    #[inline(always)]
    #[must_use]
    pub fn stretch(&self, opponents: &Occupancy, first: usize) -> [u64; STRETCH] {
        let words = |point: usize| {
            let row = &opponents.of(point)[first..];
            row.first_chunk()
                .copied()
                .unwrap_or_else(|| std::array::from_fn(|word| row.get(word).copied().unwrap_or(0)))
        };
        let mut quiet = [u64::MAX; STRETCH];
        for &(target, victims) in &self.targets {
            let enemy = victims.iter().fold([0u64; STRETCH], |enemy, victim| zip(enemy, words(victim), |a, b| a | b));
            let calm = zip(words(target), enemy, |blocked, enemy| blocked | !enemy);
            quiet = zip(quiet, calm, |a, b| a & b);
        }
        self.mover.iter().fold(quiet, |quiet, point| zip(quiet, words(point), |quiet, blocked| quiet & !blocked))
    }

    /// Writes only the mask of valid sets. Padding past the last slot counts as valid here; callers mask it.
    #[inline(always)]
    pub fn fill_valid(&self, opponents: &Occupancy, first: usize, valid: &mut [u64]) {
        valid.fill(u64::MAX);
        for point in self.mover.iter() {
            let row = &opponents.of(point)[first..][..valid.len()];
            for (valid, row) in valid.iter_mut().zip(row) {
                *valid &= !row;
            }
        }
    }
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

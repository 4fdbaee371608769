//! Bit rows over slots: the subsets that leave the mover without a capture, and how a symmetry acts on a row.

use std::ops::Range;

use crate::board::{Board, DIRECTIONS, PointSet};

use super::occupancy::{STRETCH, Stretch};
use super::subsets::Subsets;

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

/// Bit `e` becomes what was bit `transpose⁻¹ · e`: the two flips trade places, and so do the two halves of the cell.
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

/// Turns cells of |G| = 8 bits from "bit `e` is `(rep, g_e other)`" to "bit `e` is `(g_e rep, other)`": each element trades
/// places with its inverse. With |G| = 4 every element is its own inverse.
#[inline(always)]
#[must_use]
pub fn invert_elements(word: u64) -> u64 {
    swap_flips(word, 0x2020_2020_2020_2020)
}

/// The masks of one mover set: valid opponent sets (none on the mover's points) and quiet ones (nothing to capture).
///
/// A step from `x` to `y` captures if no enemy is on `y` and one is on the next point after `y` (approach) or on the point
/// behind `x` (withdrawal). For each target `y` the mask keeps the points of which at least one must hold an enemy. A lone
/// enemy cannot block its own capture, so the points where it can be captured are enough, found for all stones at once.
#[derive(Clone, Debug, Default)]
pub struct QuietMask {
    mover: u64,
    targets: Vec<(usize, u64)>,
    /// The points on which a lone enemy can be captured; nothing if the opponent has more stones.
    lone_victims: u64,
}

impl QuietMask {
    /// The masks of a mover set against sets of `opponents` stones.
    #[must_use]
    pub fn new(board: &Board<u64>, mover: u64, opponents: usize) -> Self {
        if opponents == 1 {
            return Self { mover, targets: Vec::new(), lone_victims: board.lone_victims(mover) };
        }
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
        Self { mover, targets, lone_victims: 0 }
    }

    /// Writes the masks of words from word `first` of the row on: valid sets, and those of them that are quiet.
    #[inline(always)]
    pub fn fill(&self, opponents: &Subsets, first: usize, valid: &mut [u64], quiet: &mut [u64]) {
        for_each_stretch(opponents, first, valid.len(), |stretch, words, place| {
            let all = self.stretch(stretch);
            valid[place.clone()].copy_from_slice(&all[0][words.clone()]);
            quiet[place].copy_from_slice(&all[1][words]);
        });
    }

    /// Writes only the mask of valid sets. Padding past the last slot counts as valid here; callers mask it.
    #[inline(always)]
    pub fn fill_valid(&self, opponents: &Subsets, first: usize, valid: &mut [u64]) {
        for_each_stretch(opponents, first, valid.len(), |stretch, words, place| {
            valid[place].copy_from_slice(&self.valid(stretch)[words]);
        });
    }

    /// The masks of one stretch: valid sets, and those of them that are quiet. Padding past the last slot counts as both here;
    /// callers mask it.
    #[inline(always)]
    #[must_use]
    pub fn stretch(&self, opponents: Stretch<'_>) -> [[u64; STRETCH]; 2] {
        let valid = self.valid(opponents);
        [valid, self.quiet(opponents, valid)]
    }

    #[inline(always)]
    fn valid(&self, opponents: Stretch<'_>) -> [u64; STRETCH] {
        let mut valid = [u64::MAX; STRETCH];
        for point in self.mover.iter() {
            let blocked = opponents.with(point);
            for word in 0..STRETCH {
                valid[word] &= !blocked[word];
            }
        }
        valid
    }

    /// The quiet ones of these sets.
    #[inline(always)]
    fn quiet(&self, opponents: Stretch<'_>, mut quiet: [u64; STRETCH]) -> [u64; STRETCH] {
        for &(target, victims) in &self.targets {
            let mut enemy = [0; STRETCH];
            for victim in victims.iter() {
                let there = opponents.with(victim);
                for word in 0..STRETCH {
                    enemy[word] |= there[word];
                }
            }
            let blocked = opponents.with(target);
            for word in 0..STRETCH {
                quiet[word] &= blocked[word] | !enemy[word];
            }
        }
        for victim in self.lone_victims.iter() {
            let there = opponents.with(victim);
            for word in 0..STRETCH {
                quiet[word] &= !there[word];
            }
        }
        quiet
    }
}

/// Calls `visit(stretch, which of its words, their places)` for the stretches of `count` words from word `first` on.
#[inline(always)]
fn for_each_stretch(
    subsets: &Subsets,
    first: usize,
    count: usize,
    mut visit: impl FnMut(Stretch<'_>, Range<usize>, Range<usize>),
) {
    let mut place = 0;
    while place < count {
        let (number, start) = ((first + place) / STRETCH, (first + place) % STRETCH);
        let length = (STRETCH - start).min(count - place);
        visit(subsets.stretch(number), start..start + length, place..place + length);
        place += length;
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
            let with = |point: usize| -> Vec<u64> {
                let word = |word: usize| subsets.stretch(word / STRETCH).with(point)[word % STRETCH];
                (0..subsets.words()).map(word).collect()
            };
            for element in 0..symmetry.order() {
                for point in 0..size.points() {
                    let mut row = with(point);
                    act(element, &mut row);
                    assert_eq!(row, with(symmetry.point(element, point)), "element {element} point {point}");
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

//! Which opponent sets leave the mover without a capture, as a bit row.

use crate::board::{Board, DIRECTIONS, PointSet};

use super::rows::Occupancy;

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

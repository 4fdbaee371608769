//! The ways to split the occupied points of a crowded board between the two sides.

use crate::board::PointSet;

use super::colex::{Colex, binomial, next_set};
use super::memory::zeroed;
use super::slice::Slice;

/// A slice is crowded if fewer than one in this many pairs of sets of its two sizes do not overlap.
const CROWDED: u128 = 8;

/// The most stones of a crowded slice: ranks are looked up by half the labels.
pub const MAX_STONES: usize = 40;

/// Whether positions of the slice are numbered by their empty points. A slice is crowded if its twin is, and captures from a
/// slice that is not crowded never lead to a crowded one.
#[must_use]
pub fn is_crowded(points: usize, slice: Slice) -> bool {
    let Slice { mover, opponent } = slice;
    let apart = u128::from(binomial(points.saturating_sub(mover), opponent));
    apart * CROWDED < u128::from(binomial(points, opponent))
}

/// The ways to split a number of stones between the two sides: the sets of the mover's labels.
#[derive(Debug)]
pub struct Splits {
    count: usize,
    words: usize,
    /// Labels below this are looked up in `low`, the others in `high`.
    half: usize,
    /// By the lower labels of a set: their rank among the sets of as many lower labels.
    low: Vec<u32>,
    /// By the upper labels: the rank of the first set with them.
    high: Vec<u32>,
    ranks: Colex,
    /// For each label a row that marks the columns in which it is the mover's.
    rows: Vec<u64>,
}

impl Splits {
    /// The splits of `stones` stones of which `mover` are the mover's. Takes about `stones` bits for each split.
    ///
    /// # Panics
    /// If there are 2^32 or more of them, or more than 40 stones; with [`OutOfMemory`](super::OutOfMemory) if the system has no memory for them.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // ranks are below the count, which is checked
    pub fn new(stones: usize, mover: usize) -> Self {
        let count = binomial(stones, mover);
        assert!(u32::try_from(count).is_ok() && stones <= MAX_STONES, "too many ways to split {stones} stones");
        let (count, half) = (count as usize, stones / 2);
        let mut seen = vec![0u32; half + 1];
        let low = (0u64..1 << half).map(|set| {
            let seen = &mut seen[set.count()];
            *seen += 1;
            *seen - 1
        });
        let low = low.collect();
        let mut sum = 0u32;
        let high = (0u64..1 << (stones - half)).map(|set| {
            let start = sum;
            sum += mover.checked_sub(set.count()).map_or(0, |rest| binomial(half, rest) as u32);
            start
        });
        let high = high.collect();
        let words = count.div_ceil(64);
        let ranks = Colex::new(stones, mover);
        let mut splits = Self { count, words, half, low, high, ranks, rows: zeroed(stones * words) };
        for (column, set) in splits.sets().enumerate() {
            for label in set.iter() {
                splits.rows[label * words + column / 64] |= 1 << (column % 64);
            }
        }
        splits
    }

    /// Number of splits: the columns of a row.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Words of a row with a bit for each column.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// The column of a set of labels.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // at most MAX_STONES bits, half of them each
    pub fn rank(&self, set: u64) -> usize {
        self.high[(set >> self.half) as usize] as usize + self.low[(set & ((1 << self.half) - 1)) as usize] as usize
    }

    /// The set of labels of a column.
    #[must_use]
    pub fn set(&self, column: usize) -> u64 {
        self.ranks.set(column)
    }

    /// The sets of labels, by column.
    pub fn sets(&self) -> impl Iterator<Item = u64> + use<> {
        std::iter::successors(Some(self.set(0)), |&set| Some(next_set(set))).take(self.count)
    }

    /// The row that marks the columns in which a label is the mover's. Bits past the last column are zero.
    #[inline(always)]
    #[must_use]
    pub fn with(&self, label: usize) -> &[u64] {
        &self.rows[label * self.words..][..self.words]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_numbered_in_ascending_order() {
        for (stones, mover) in [(9, 4), (16, 8), (5, 5), (7, 1), (1, 1), (24, 3)] {
            let splits = Splits::new(stones, mover);
            let sets: Vec<u64> = splits.sets().collect();
            assert_eq!(sets.len() as u64, binomial(stones, mover));
            assert!(sets.is_sorted());
            let turned = Splits::new(stones, stones - mover);
            for (column, &set) in sets.iter().enumerate() {
                assert_eq!((splits.rank(set), splits.set(column)), (column, set));
                assert_eq!((set.count(), set >> stones), (mover, 0));
                let marked = (0..stones).filter(|&label| splits.with(label)[column / 64] >> (column % 64) & 1 == 1);
                assert_eq!(marked.fold(0, |set, label| set | 1 << label), set);
                let complement = !set & ((1 << stones) - 1);
                assert_eq!(turned.rank(complement), turned.count() - 1 - column, "the other side's count from the end");
            }
        }
    }

    #[test]
    fn crowded_is_a_matter_of_pairs_and_of_all_that_follows() {
        for points in [9, 15, 21, 25, 35, 45, 63] {
            for slice in Slice::up_to(points, points) {
                assert_eq!(is_crowded(points, slice), is_crowded(points, slice.twin()));
                let mut left = (1..slice.opponent).map(|left| Slice::new(left, slice.mover));
                let below = left.any(|left| is_crowded(points, left));
                assert!(is_crowded(points, slice) || !below, "{slice} of {points}");
            }
        }
        assert!(is_crowded(25, Slice::new(8, 8)) && !is_crowded(25, Slice::new(5, 5)));
    }
}

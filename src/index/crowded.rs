//! Numbering of crowded slices: rows by the empty points, columns by which of the occupied points are the mover's.
//!
//! On a crowded board most pairs of two sets of points overlap: rows by one side's sets and columns by the other's would be
//! mostly padding. Here a row is an orbit of the *empty* points, and its columns number the ways to split the occupied points
//! between the two sides, so that every bit of a row is a position. The occupied points, in ascending order, have the *labels*
//! 0, 1, …; a column is the rank of the set of the mover's labels among the sets of that many labels, in ascending order.
//! The same labels from the other side are the complement, whose rank counts from the end.

use crate::board::{Board, DIRECTIONS, PointSet, inverse};

use super::colex::{Colex, binomial};
use super::memory::zeroed;
use super::occupancy::STRETCH;
use super::slice::Slice;
use super::space::{Place, Space};
use super::subsets::Subsets;

/// A slice is crowded if fewer than one in this many pairs of sets of its two sizes do not overlap.
const CROWDED: u128 = 8;

/// Stones of a crowded slice, at most: ranks are looked up by half the labels.
pub(super) const MOST_STONES: usize = 40;

/// Whether positions of the slice are numbered by their empty points. A slice and its twin are so together, and what captures
/// from a slice that is not crowded lead to is not crowded either.
#[must_use]
pub fn is_crowded(points: usize, slice: Slice) -> bool {
    let Slice { mover, opponent } = slice;
    let apart = u128::from(binomial(points.saturating_sub(mover), opponent));
    apart * CROWDED < u128::from(binomial(points, opponent))
}

/// The ways to split a number of stones between the two sides: the sets of the mover's labels.
#[derive(Debug)]
pub struct Splits {
    stones: usize,
    count: usize,
    words: usize,
    /// Labels below this are looked up in `low`, the others in `high`.
    half: usize,
    /// By the lower labels of a set, its rank among the sets of as many lower labels.
    low: Vec<u32>,
    /// By the upper labels, the rank of the first set with them.
    high: Vec<u32>,
    ranks: Colex,
    /// For each label a row that marks the columns in which it is the mover's.
    rows: Vec<u64>,
}

impl Splits {
    /// The splits of `stones` stones of which `mover` are the mover's; about `stones` bits for each of them.
    ///
    /// # Panics
    /// If there are 2^32 or more of them, or more than 40 stones; with [`OutOfMemory`](super::OutOfMemory) if the system has no memory for them.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // ranks are below the count, which is checked
    pub fn new(stones: usize, mover: usize) -> Self {
        let count = binomial(stones, mover);
        assert!(u32::try_from(count).is_ok() && stones <= MOST_STONES, "too many ways to split {stones} stones");
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
        let mut splits = Self { stones, count, words, half, low, high, ranks, rows: zeroed(stones * words) };
        let mut rows = std::mem::take(&mut splits.rows);
        for (column, set) in splits.sets(0).enumerate() {
            for label in set.iter() {
                rows[label * words + column / 64] |= 1 << (column % 64);
            }
        }
        splits.rows = rows;
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

    /// Number of labels.
    #[must_use]
    pub fn stones(&self) -> usize {
        self.stones
    }

    /// The column of a set of labels.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // at most MOST_STONES bits, half of them each
    pub fn rank(&self, set: u64) -> usize {
        self.high[(set >> self.half) as usize] as usize + self.low[(set & ((1 << self.half) - 1)) as usize] as usize
    }

    /// The set of labels of a column.
    #[must_use]
    pub fn set(&self, column: usize) -> u64 {
        self.ranks.set(column)
    }

    /// The sets of labels from a column on, in order.
    pub fn sets(&self, column: usize) -> impl Iterator<Item = u64> + use<> {
        let first = if column < self.count { self.set(column) } else { 0 };
        let rest = self.count.saturating_sub(column);
        std::iter::successors(Some(first), |&set| Some(super::colex::next_set(set))).take(rest)
    }

    /// The row that marks the columns in which a label is the mover's. Bits past the last column are zero.
    #[inline(always)]
    #[must_use]
    pub fn with(&self, label: usize) -> &[u64] {
        &self.rows[label * self.words..][..self.words]
    }
}

/// How one crowded slice is numbered.
#[derive(Clone, Copy, Debug)]
pub struct Crowded<'a> {
    space: &'a Space,
    slice: Slice,
    empties: &'a Subsets,
    splits: &'a Splits,
}

impl<'a> Crowded<'a> {
    /// The numbering of a slice; it need not be crowded.
    #[must_use]
    pub fn new(space: &'a Space, slice: Slice) -> Self {
        let empties = space.subsets(space.board().points() - slice.stones());
        Self { space, slice, empties, splits: space.splits(slice) }
    }

    /// The slice.
    #[must_use]
    pub fn slice(&self) -> Slice {
        self.slice
    }

    /// The sets of empty points; their orbits are the rows.
    #[must_use]
    pub fn empties(&self) -> &'a Subsets {
        self.empties
    }

    /// The columns.
    #[must_use]
    pub fn splits(&self) -> &'a Splits {
        self.splits
    }

    /// Where a position of the slice is.
    #[inline]
    #[must_use]
    pub fn locate(&self, mover: u64, opponent: u64) -> Place {
        let (symmetry, all) = (self.space.symmetry(), self.space.board().all());
        let (representative, element) = symmetry.smallest(all.without(mover | opponent));
        let row = self.empties.orbit_of(representative);
        let column = self.splits.rank(labels(symmetry.set(inverse(element), mover), all.without(representative)));
        Place { representative, row, column }
    }

    /// The stones of the mover and of the opponent in a column of the row of these empty points, which are a representative.
    #[must_use]
    pub fn position(&self, empty: u64, column: usize) -> (u64, u64) {
        let occupied = self.space.board().all().without(empty);
        let mover = points(self.splits.set(column), occupied);
        (mover, occupied.without(mover))
    }

    /// What decides which positions of the row of these empty points have a capture.
    #[must_use]
    pub fn mask(&self, empty: u64) -> CaptureMask {
        CaptureMask::new(self.space.board(), empty)
    }

    /// Of one stretch of a row, by its number: which columns there are, and which of them are quiet.
    #[must_use]
    pub fn stretch(&self, mask: &CaptureMask, number: usize) -> [[u64; STRETCH]; 2] {
        let (splits, first) = (self.splits, number * STRETCH);
        let (mut valid, mut quiet) = ([0; STRETCH], [0; STRETCH]);
        let words = STRETCH.min(splits.words() - first);
        valid[..words].fill(u64::MAX);
        if first + words == splits.words() {
            valid[words - 1] = u64::MAX >> (64 * splits.words() - splits.count());
        }
        crate::simd::run(
            #[inline(always)]
            || mask.fill(splits, first, &mut quiet[..words]),
        );
        for (quiet, valid) in quiet.iter_mut().zip(valid) {
            *quiet = valid & !*quiet;
        }
        [valid, quiet]
    }

    /// The same as [`position`](Self::position) for all columns, in order.
    pub fn positions(self, empty: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
        let occupied = self.space.board().all().without(empty);
        self.splits.sets(0).map(move |set| {
            let mover = points(set, occupied);
            (mover, occupied.without(mover))
        })
    }
}

/// The labels of points of `set` among those of `occupied`, which contains them.
#[inline]
#[must_use]
pub fn labels(set: u64, occupied: u64) -> u64 {
    set.iter().fold(0, |labels, point| labels | 1 << (occupied & ((1 << point) - 1)).count_ones())
}

/// The points of `occupied` with labels in `set`.
#[inline]
#[must_use]
pub fn points(set: u64, occupied: u64) -> u64 {
    occupied.iter().enumerate().fold(0, |points, (label, point)| points | (set >> label & 1) << point)
}

/// The columns of a row in which the mover can capture, found for all of them at once.
///
/// A stone on x captures if some neighbour y is empty and an enemy stands on the point after y (approach) or behind x
/// (withdrawal). So for each label the mask keeps the labels of which one must be the enemy's.
#[derive(Clone, Debug, Default)]
pub struct CaptureMask(Vec<(usize, u64)>);

impl CaptureMask {
    /// The mask for a set of empty points.
    #[must_use]
    pub fn new(board: &Board<u64>, empty: u64) -> Self {
        let occupied = board.all().without(empty);
        let victims = |from: usize| {
            let steps = (0..DIRECTIONS).filter_map(|direction| Some((direction, board.next(from, direction)?)));
            let steps = steps.filter(|&(_, to)| empty.contains(to));
            let victims =
                steps.flat_map(|(direction, to)| [board.next(to, direction), board.next(from, direction ^ 1)]);
            victims.flatten().fold(0, |victims, victim| victims | u64::point(victim)) & occupied
        };
        let all = occupied.iter().enumerate().map(|(label, from)| (label, labels(victims(from), occupied)));
        Self(all.filter(|&(_, victims)| victims != 0).collect())
    }

    /// Writes the words from `first` on.
    #[inline(always)]
    pub fn fill(&self, splits: &Splits, first: usize, capturing: &mut [u64]) {
        capturing.fill(0);
        let (chunks, end) = (capturing.len() / CHUNK * CHUNK, first + capturing.len());
        for (number, words) in capturing.chunks_mut(CHUNK).enumerate() {
            let start = first + number * CHUNK;
            if number * CHUNK < chunks {
                self.fill_chunk::<CHUNK>(splits, start, words);
            } else {
                (start..end)
                    .zip(words.chunks_mut(1))
                    .for_each(|(word, words)| self.fill_chunk::<1>(splits, word, words));
            }
        }
    }

    #[inline(always)]
    fn fill_chunk<const N: usize>(&self, splits: &Splits, first: usize, capturing: &mut [u64]) {
        for &(label, victims) in &self.0 {
            let mut own = [u64::MAX; N];
            for victim in victims.iter() {
                for (own, with) in own.iter_mut().zip(&splits.with(victim)[first..first + N]) {
                    *own &= with;
                }
            }
            for (capturing, (own, with)) in
                capturing.iter_mut().zip(own.iter().zip(&splits.with(label)[first..first + N]))
            {
                *capturing |= with & !own;
            }
        }
    }
}

/// Words that are worked on at a time.
const CHUNK: usize = STRETCH;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Diagonals;

    #[test]
    fn splits_are_numbered_in_ascending_order() {
        for (stones, mover) in [(9, 4), (16, 8), (5, 5), (7, 1), (1, 1), (24, 3)] {
            let splits = Splits::new(stones, mover);
            let sets: Vec<u64> = splits.sets(0).collect();
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
    fn rows_and_columns_number_all_positions_and_mark_their_captures() {
        for (board, slice) in [("3x3", (4, 3)), ("5x3", (6, 5)), ("3x5", (7, 7)), ("3x3", (1, 8))] {
            let space = Space::new(board.parse().expect("a board"), Diagonals::Corner);
            let crowded = Crowded::new(&space, Slice::new(slice.0, slice.1));
            let mut placements = 0;
            for (row, &empty) in crowded.empties().representatives().iter().enumerate() {
                let mut capturing = vec![0; crowded.splits().words()];
                CaptureMask::new(space.board(), empty).fill(crowded.splits(), 0, &mut capturing);
                for column in 0..crowded.splits().count() {
                    let (mover, opponent) = crowded.position(empty, column);
                    assert_eq!((mover.count(), opponent.count(), mover & opponent), (slice.0, slice.1, 0));
                    // A set of empty points that is symmetric has each of its positions in several columns.
                    let place = crowded.locate(mover, opponent);
                    assert_eq!((place.row, place.representative), (row, empty));
                    let image = crowded.position(empty, place.column);
                    let same = |element: usize| [mover, opponent].map(|set| space.symmetry().set(element, set));
                    assert!((0..space.symmetry().order()).any(|element| same(element) == [image.0, image.1]));
                    let captures = space.board().capturing_stones(mover, opponent) != 0;
                    assert_eq!(capturing[column / 64] >> (column % 64) & 1 == 1, captures);
                }
                placements += crowded.empties().orbit_size(empty) as u64 * crowded.splits().count() as u64;
            }
            assert_eq!(placements, space.placements(crowded.slice()));
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

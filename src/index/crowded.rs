//! Numbering of crowded slices: rows by the empty points, columns by which of the occupied points are the mover's.
//!
//! On a crowded board most pairs of two sets of points overlap: rows by one side's sets and columns by the other's would be
//! mostly padding. Here a row is an orbit of the *empty* points, and its columns number the ways to split the occupied points
//! between the two sides, so that every bit of a row is a position. The occupied points, in ascending order, have the *labels*
//! 0, 1, …; a column is the rank of the set of the mover's labels among the sets of that many labels, in ascending order.
//! The same labels from the other side are the complement, whose rank counts from the end.

use crate::board::{Board, DIRECTIONS, PointSet, inverse};

use super::occupancy::STRETCH;
use super::slice::Slice;
use super::space::{Place, Space};
use super::splits::Splits;
use super::subsets::Subsets;

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

    /// The stones of the mover and of the opponent in a column of the row of `empty`, a representative.
    #[must_use]
    pub fn position(&self, empty: u64, column: usize) -> (u64, u64) {
        split(self.splits.set(column), self.space.board().all().without(empty))
    }

    /// What decides which positions of the row of these empty points have a capture.
    #[must_use]
    pub fn mask(&self, empty: u64) -> CaptureMask {
        CaptureMask::new(self.space.board(), empty)
    }

    /// For stretch `number` of a row: which bits are columns, and which of these are quiet.
    #[must_use]
    pub fn stretch(&self, mask: &CaptureMask, number: usize) -> [[u64; STRETCH]; 2] {
        let (splits, first) = (self.splits, number * STRETCH);
        let (mut valid, mut quiet) = ([0; STRETCH], [0; STRETCH]);
        let words = STRETCH.min(splits.words() - first);
        valid[..words].fill(u64::MAX);
        if first + words == splits.words() {
            valid[words - 1] = u64::MAX >> (64 * splits.words() - splits.count());
        }
        self.fill_quiet(mask, first, &mut quiet[..words]);
        [valid, quiet]
    }

    /// Marks the columns with a capture, from word `first` of a row on.
    pub fn mark_capturing(&self, empty: u64, first: usize, words: &mut [u64]) {
        self.fill_capturing(&self.mask(empty), first, words);
    }

    /// Marks the columns without a capture.
    pub fn mark_quiet(&self, empty: u64, first: usize, words: &mut [u64]) {
        self.fill_quiet(&self.mask(empty), first, words);
    }

    fn fill_capturing(&self, mask: &CaptureMask, first: usize, words: &mut [u64]) {
        crate::simd::run(
            #[inline(always)]
            || mask.fill(self.splits, first, words),
        );
    }

    fn fill_quiet(&self, mask: &CaptureMask, first: usize, words: &mut [u64]) {
        self.fill_capturing(mask, first, words);
        let past = (64 * (first + words.len())).saturating_sub(self.splits.count());
        for word in &mut *words {
            *word = !*word;
        }
        if let Some(last) = words.last_mut() {
            *last &= u64::MAX >> past;
        }
    }

    /// As [`position`](Self::position), for all columns in order.
    pub fn positions(self, empty: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
        let occupied = self.space.board().all().without(empty);
        self.splits.sets().map(move |set| split(set, occupied))
    }
}

/// The stones of both sides on `occupied`, those of the mover with labels in `set`.
fn split(set: u64, occupied: u64) -> (u64, u64) {
    let mover = points(set, occupied);
    (mover, occupied.without(mover))
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
/// (withdrawal). So the mask keeps, for each label, those labels of which at least one must be the enemy's.
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
        let (chunks, rest) = capturing.as_chunks_mut::<CHUNK>();
        let rest_first = first + CHUNK * chunks.len();
        (first..).step_by(CHUNK).zip(chunks).for_each(|(start, words)| self.fill_chunk(splits, start, words));
        (rest_first..).zip(rest).for_each(|(word, at)| self.fill_chunk(splits, word, std::array::from_mut(at)));
    }

    #[inline(always)]
    fn fill_chunk<const N: usize>(&self, splits: &Splits, first: usize, capturing: &mut [u64; N]) {
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

/// Words processed at a time.
const CHUNK: usize = STRETCH;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Diagonals;

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
}

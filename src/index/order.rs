//! The order of a slice: what its rows and columns are.

use super::colex::binomial;
use super::crowded::{CaptureMask, Crowded};
use super::marks::Representatives;
use super::occupancy::STRETCH;
use super::rows::QuietMask;
use super::slice::Slice;
use super::space::{Place, Space};
use super::splits::{MAX_STONES, is_crowded};
use super::subsets::Subsets;

/// The order of a slice's positions, in its table and in memory. Each row belongs to a *base*: a representative of sets of points.
#[derive(Clone, Copy, Debug)]
pub enum Order<'a> {
    /// Rows by orbits of the mover's sets, columns by slots of the opponent's.
    Slots(Slots<'a>),
    /// Rows by orbits of the sets of empty points, columns by the mover's set among the occupied ones.
    Splits(Crowded<'a>),
}

/// The order of a slice that is not crowded.
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a> {
    space: &'a Space,
    slice: Slice,
    movers: &'a Subsets,
    opponents: &'a Subsets,
}

/// What decides which positions of a row are quiet.
pub enum Mask {
    /// Of a mover's set.
    Slots(QuietMask),
    /// Of a set of empty points.
    Splits(CaptureMask),
}

impl<'a> Order<'a> {
    /// The order of a slice.
    #[must_use]
    pub fn new(space: &'a Space, slice: Slice) -> Self {
        if is_crowded(space.board().points(), slice) {
            return Self::Splits(Crowded::new(space, slice));
        }
        let (movers, opponents) = (space.subsets(slice.mover), space.subsets(slice.opponent));
        Self::Slots(Slots { space, slice, movers, opponents })
    }

    /// The number of the order in tables.
    #[must_use]
    pub fn scheme(points: usize, slice: Slice) -> u8 {
        if is_crowded(points, slice) { 2 } else { 1 }
    }

    /// Whether the positions of a slice can be numbered at all: a precondition of [`new`](Self::new).
    #[must_use]
    pub fn exists(points: usize, slice: Slice) -> bool {
        let Slice { mover, opponent } = slice;
        let listed = |size: usize| binomial(points, size) <= Subsets::MAX;
        if mover == 0 || opponent == 0 || slice.stones() > points {
            return false;
        }
        if !is_crowded(points, slice) {
            return listed(mover) && listed(opponent);
        }
        let splits = binomial(slice.stones(), mover);
        listed(slice.stones()) && slice.stones() <= MAX_STONES && u32::try_from(splits).is_ok()
    }

    /// Rows of a slice and words of a row, without listing anything.
    #[must_use]
    pub fn shape(space: &Space, slice: Slice) -> (u64, u64) {
        if is_crowded(space.board().points(), slice) {
            let columns = binomial(slice.stones(), slice.mover);
            return (space.orbits(space.board().points() - slice.stones()), columns.div_ceil(64));
        }
        (space.orbits(slice.mover), space.words(slice.opponent))
    }

    /// Words of a row.
    #[inline]
    #[must_use]
    pub fn row_words(self) -> usize {
        match self {
            Self::Slots(slots) => slots.opponents.words(),
            Self::Splits(crowded) => crowded.splits().words(),
        }
    }

    /// The sets whose orbits are the rows.
    fn sets(self) -> &'a Subsets {
        match self {
            Self::Slots(slots) => slots.movers,
            Self::Splits(crowded) => crowded.empties(),
        }
    }

    /// The bases of the rows from some row on.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn bases_from(self, row: usize) -> Representatives<'a> {
        self.sets().representatives_from(row)
    }

    /// How many placements each position of a row stands for.
    #[must_use]
    pub fn weight(self, base: u64) -> u64 {
        self.sets().orbit_size(base) as u64
    }

    /// Where a position of the slice is.
    #[inline]
    #[must_use]
    pub fn locate(self, mover: u64, opponent: u64) -> Place {
        match self {
            Self::Slots(slots) => slots.space.locate(slots.slice, mover, opponent),
            Self::Splits(crowded) => crowded.locate(mover, opponent),
        }
    }

    /// The stones of the mover and of the opponent in a column of a row, where there is a position.
    #[must_use]
    pub fn position(self, base: u64, column: usize) -> (u64, u64) {
        match self {
            Self::Slots(slots) => (base, slots.opponents.subset(column)),
            Self::Splits(crowded) => crowded.position(base, column),
        }
    }

    /// What decides which positions of a row are quiet.
    #[must_use]
    pub fn mask(self, base: u64) -> Mask {
        match self {
            Self::Slots(slots) => Mask::Slots(QuietMask::new(slots.space.board(), base, slots.slice.opponent)),
            Self::Splits(crowded) => Mask::Splits(crowded.mask(base)),
        }
    }

    /// For stretch `number` of a row: which columns are positions, and which of these are quiet. Of several columns with the same set,
    /// only the first is a position.
    ///
    /// # Panics
    /// If the mask is of another order.
    #[must_use]
    pub fn stretch(self, mask: &Mask, number: usize) -> [[u64; STRETCH]; 2] {
        match (self, mask) {
            (Self::Slots(slots), Mask::Slots(mask)) => {
                let stretch = slots.opponents.stretch(number);
                let mut found = crate::simd::run(
                    #[inline(always)]
                    || mask.stretch(stretch),
                );
                for words in &mut found {
                    words.iter_mut().zip(stretch.distinct()).for_each(|(word, distinct)| *word &= distinct);
                }
                found
            }
            (Self::Splits(crowded), Mask::Splits(mask)) => crowded.stretch(mask, number),
            _ => panic!("a mask of another order"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Diagonals, PointSet};

    #[test]
    fn every_order_finds_its_positions_and_those_that_are_quiet() {
        for (board, slice) in
            [("3x3", (4, 3)), ("3x3", (2, 2)), ("5x3", (6, 5)), ("3x5", (3, 2)), ("3x5", (13, 1)), ("5x5", (2, 2))]
        {
            let (space, slice) =
                (Space::new(board.parse().expect("a board"), Diagonals::Corner), Slice::new(slice.0, slice.1));
            let order = Order::new(&space, slice);
            let (rows, words) = Order::shape(&space, slice);
            assert_eq!(order.row_words() as u64, words);
            let mut placements = 0;
            for (row, base) in order.bases_from(0).enumerate() {
                assert!((row as u64) < rows);
                let mask = order.mask(base);
                for number in 0..order.row_words().div_ceil(STRETCH) {
                    let [valid, quiet] = order.stretch(&mask, number);
                    for (word, (valid, quiet)) in (number * STRETCH..).zip(valid.into_iter().zip(quiet)) {
                        assert!(word < order.row_words() || valid == 0, "beyond the row");
                        assert_eq!(quiet & !valid, 0);
                        for bit in valid.iter() {
                            placements += order.weight(base);
                            let (mover, opponent) = order.position(base, 64 * word + bit);
                            assert_eq!(
                                (mover.count(), opponent.count(), mover & opponent),
                                (slice.mover, slice.opponent, 0)
                            );
                            let is_quiet = space.board().capturing_stones(mover, opponent) == 0;
                            assert_eq!(quiet >> bit & 1 == 1, is_quiet);
                            let place = order.locate(mover, opponent);
                            assert_eq!((place.representative, place.row), (base, row));
                            if order.weight(base) == space.symmetry().order() as u64 {
                                assert_eq!(place.column, 64 * word + bit);
                            }
                        }
                    }
                }
            }
            assert_eq!(placements, space.placements(slice), "{board} {slice}");
        }
    }

    #[test]
    fn slices_that_cannot_be_numbered_are_known() {
        let exists = |points, mover, opponent| Order::exists(points, Slice::new(mover, opponent));
        assert!(exists(25, 12, 12) && exists(25, 24, 1) && exists(45, 8, 8) && exists(39, 38, 1));
        // Too many sets, too many stones, too many splits, none to number.
        assert!(!exists(45, 9, 9) && !exists(45, 10, 1) && !exists(63, 41, 1) && !exists(39, 20, 17));
        assert!(!exists(9, 5, 5) && !exists(9, 0, 5) && !exists(9, 5, 0));
    }
}

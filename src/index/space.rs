//! The indexing of one board: how its positions are numbered. Each part is made on first use.

use std::sync::OnceLock;

use crate::board::{Board, BoardSize, Diagonals, Symmetry, inverse};

use super::colex::binomial;
use super::slice::Slice;
use super::splits::Splits;
use super::subsets::Subsets;

/// The indexing of one board of up to 64 points. Shared by threads; its parts are built on first use.
#[derive(Debug)]
pub struct Space {
    board: Board<u64>,
    symmetry: Symmetry,
    subsets: Vec<OnceLock<Subsets>>,
    /// By the number of stones, then by that of the mover.
    splits: Vec<Vec<OnceLock<Splits>>>,
}

impl Space {
    /// The indexing of that board.
    ///
    /// # Panics
    /// If the board has more than 64 points.
    #[must_use]
    pub fn new(size: BoardSize, diagonals: Diagonals) -> Self {
        let lazy = size.points() + 1;
        Self {
            board: Board::new(size, diagonals),
            symmetry: Symmetry::new(size),
            subsets: (0..lazy).map(|_| OnceLock::new()).collect(),
            splits: (0..lazy).map(|stones| (0..=stones).map(|_| OnceLock::new()).collect()).collect(),
        }
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> &Board<u64> {
        &self.board
    }

    /// Its symmetries.
    #[must_use]
    pub fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }

    /// The subsets of `size` points.
    ///
    /// # Panics
    /// If there are more than [`Subsets::MAX`].
    #[inline]
    #[must_use]
    pub fn subsets(&self, size: usize) -> &Subsets {
        self.subsets[size].get_or_init(|| Subsets::new(&self.symmetry, self.board.points(), size))
    }

    /// The ways to split the stones of a slice between its sides.
    ///
    /// # Panics
    /// If there are too many of them.
    #[inline]
    #[must_use]
    pub fn splits(&self, slice: Slice) -> &Splits {
        self.splits[slice.stones()][slice.mover].get_or_init(|| Splits::new(slice.stones(), slice.mover))
    }

    /// The share of the bits of a slice's planes that are positions, rather than overlapping sets.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // a share
    pub fn fill(&self, slice: Slice) -> f64 {
        let bits = self.orbits(slice.mover) as f64 * 64.0 * self.words(slice.opponent) as f64;
        (self.placements(slice) as f64 / self.symmetry.order() as f64 / bits).min(1.0)
    }

    /// Number of orbits of the subsets of `size` points, without listing them.
    #[must_use]
    pub fn orbits(&self, size: usize) -> u64 {
        self.symmetry.orbits(size)
    }

    /// Number of words in a row with a bit for each slot of the subsets of `size` points, without listing them.
    #[must_use]
    pub fn words(&self, size: usize) -> u64 {
        self.orbits(size).saturating_mul(self.symmetry.order() as u64).div_ceil(64)
    }

    /// Number of placements in a slice, symmetric ones counted each: C(N, mover) · C(N - mover, opponent).
    #[must_use]
    pub fn placements(&self, slice: Slice) -> u64 {
        placements(self.board.points(), slice)
    }

    /// Where a placement of a slice is stored. The slice is given, because counting stones is a large part of the cost.
    #[inline]
    #[must_use]
    pub fn locate(&self, slice: Slice, mover: u64, opponent: u64) -> Place {
        let (representative, element) = self.symmetry.smallest(mover);
        let row = self.subsets(slice.mover).orbit_of(representative);
        let column = self.subsets(slice.opponent).slot(self.symmetry.set(inverse(element), opponent));
        Place { representative, row, column }
    }
}

/// Where a placement is stored.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The representative of the row: of the mover's set, or on a crowded board of the set of empty points.
    pub representative: u64,
    /// The number of its orbit.
    pub row: usize,
    /// The column after the symmetry that takes that set to its representative: the slot of the opponent's set, or the rank of the
    /// mover's among the occupied points.
    pub column: usize,
}

/// Number of placements of a slice on a board with `points` points, saturating.
#[must_use]
pub fn placements(points: usize, slice: Slice) -> u64 {
    binomial(points, slice.mover).saturating_mul(binomial(points.saturating_sub(slice.mover), slice.opponent))
}

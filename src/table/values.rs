//! A whole slice in memory, as two bit planes.

use crate::index::{Plane, Slice, Space};
use crate::rules::Outcome;

/// The values of every position of a slice: rows are orbits of the mover's sets, columns slots of the opponent's. Bits
/// of overlapping sets are zero in both planes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceValues {
    slice: Slice,
    loss: Plane,
    not_win: Plane,
}

/// Unreduced counts of a slice: symmetric placements count each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// All placements.
    pub positions: u64,
    /// Won by the side to move.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the side to move.
    pub losses: u64,
    /// Those in which the side to move cannot capture.
    pub quiet: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.positions += other.positions;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.quiet += other.quiet;
    }
}

impl SliceValues {
    /// Values from their planes.
    #[must_use]
    pub fn new(slice: Slice, loss: Plane, not_win: Plane) -> Self {
        Self { slice, loss, not_win }
    }

    /// The slice in which the mover has no stones and has lost.
    #[must_use]
    pub fn extinct(space: &Space, opponent: usize) -> Self {
        let subsets = space.subsets(opponent);
        let mut plane = Plane::new(space.subsets(0), subsets);
        for slot in 0..subsets.slots() {
            plane.words_mut()[slot / 64] |= 1 << (slot % 64);
        }
        Self { slice: Slice::new(0, opponent), loss: plane.clone(), not_win: plane }
    }

    /// Which slice it is.
    #[must_use]
    pub fn slice(&self) -> Slice {
        self.slice
    }

    /// Positions that the side to move loses.
    #[must_use]
    pub fn loss(&self) -> &Plane {
        &self.loss
    }

    /// Positions that the side to move does not win.
    #[must_use]
    pub fn not_win(&self) -> &Plane {
        &self.not_win
    }

    /// The value at a place that [`Space::locate`] gives.
    #[inline]
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> Outcome {
        match (self.not_win.get(row, column), self.loss.get(row, column)) {
            (false, _) => Outcome::Win,
            (true, false) => Outcome::Draw,
            (true, true) => Outcome::Loss,
        }
    }
}

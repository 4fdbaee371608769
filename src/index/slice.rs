//! Slices: all positions with given numbers of stones.

use std::fmt;

/// The positions in which the side to move has `mover` stones and the other side `opponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slice {
    /// Stones of the side to move.
    pub mover: usize,
    /// Stones of the other side.
    pub opponent: usize,
}

impl Slice {
    /// The slice of those numbers of stones.
    #[must_use]
    pub const fn new(mover: usize, opponent: usize) -> Self {
        Self { mover, opponent }
    }

    /// Stones on the board.
    #[must_use]
    pub const fn stones(self) -> usize {
        self.mover + self.opponent
    }

    /// The slice that a paika leads to: the same stones, the other side to move.
    #[must_use]
    pub const fn twin(self) -> Self {
        Self { mover: self.opponent, opponent: self.mover }
    }

    /// Every slice with both colours and at most that many stones on a board of so many points, in the order in which
    /// they can be built: a slice comes with its twin, after all that captures can lead to.
    pub fn up_to(stones: usize, points: usize) -> impl Iterator<Item = Self> {
        (2..=stones.min(points)).flat_map(|total| {
            (1..=total / 2).flat_map(move |opponent| {
                let slice = Self::new(total - opponent, opponent);
                let twin = (slice != slice.twin()).then_some(slice.twin());
                std::iter::once(slice).chain(twin)
            })
        })
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.mover, self.opponent)
    }
}

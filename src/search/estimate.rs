//! What a search takes a position for that it has not looked at yet, and how it weighs what it knows.

use crate::board::Board;

use super::mirror::Canonical;
use super::numbers::{INFINITE, Numbers};

/// How the disproof number of a position follows from the proof numbers of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gather {
    /// Their sum. What is reached in several ways is counted several times, which can stop a search from ever ending.
    Sum,
    /// The largest, and one for each other open child (Ueda, Hashimoto, Hashimoto, Iida: *Weak Proof-Number Search*, 2008).
    WeakSum,
}

/// The parameters of a search. They change how long it takes, never the answer. `experiments/02-search` compares values.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// How disproof numbers are gathered.
    pub gather: Gather,
    /// A child is searched until its number exceeds the second best by one part in this many.
    pub patience: u32,
    /// What a stone more than the other side has is worth, in sixteenths of a leaf.
    pub stone: u32,
    /// What it is worth to be able to capture, in quarters of a stone.
    pub capture: u32,
    /// What it costs to have no capture, in quarters of a stone.
    pub quiet: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { gather: Gather::WeakSum, patience: 4, stone: 48, capture: 8, quiet: 4 }
    }
}

impl Tuning {
    /// The first numbers of a position: the side that is behind in stones, or cannot capture, has more left to do
    /// (material: Schadd and others, *Best Play in Fanorona Leads to Draw*, 2008).
    #[inline]
    pub(super) fn estimate(&self, board: &Board<u64>, position: Canonical) -> Numbers {
        let Canonical { mover, opponent } = position;
        let tempo =
            if board.capturing_stones(mover, opponent) == 0 { -i64::from(self.quiet) } else { i64::from(self.capture) };
        let ahead = 4 * (i64::from(mover.count_ones()) - i64::from(opponent.count_ones())) + tempo;
        let leaves = |quarters: i64| {
            let weight = 1 + quarters.max(0).unsigned_abs() * u64::from(self.stone) / 64;
            #[allow(clippy::cast_possible_truncation)] // bounded
            let weight = weight.min(u64::from(INFINITE / 2)) as u32;
            weight
        };
        Numbers { phi: leaves(-ahead), delta: leaves(ahead) }
    }

    /// The disproof number of a position with `open` children that are not proved, the largest of whose numbers is
    /// `largest` and whose sum is `sum`.
    #[inline]
    pub(super) fn gathered(&self, largest: u32, sum: u64, open: u32) -> u32 {
        use super::numbers::MOST;
        if largest == INFINITE {
            return INFINITE;
        }
        #[allow(clippy::cast_possible_truncation)] // bounded
        match self.gather {
            Gather::Sum => sum.min(u64::from(MOST)) as u32,
            Gather::WeakSum => (largest + open.saturating_sub(1)).min(MOST),
        }
    }

    /// How much of the disproof number of a position comes from other children than one with the number `own`.
    #[inline]
    pub(super) fn others(&self, own: u32, sum: u64, open: u32) -> u32 {
        #[allow(clippy::cast_possible_truncation)] // bounded
        match self.gather {
            Gather::Sum => (sum - u64::from(own)).min(u64::from(INFINITE)) as u32,
            Gather::WeakSum => open.saturating_sub(1),
        }
    }
}

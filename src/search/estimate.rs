//! What a search takes a position for that it has not looked at yet, and how it weighs what it knows.

use crate::board::{Board, DIRECTIONS};

use super::mirror::Canonical;
use super::numbers::{INFINITE, MOST, Numbers};

/// The parameters of a search. They change how long it takes, never the answer. `experiments/02-search` compares values.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// A child is searched until its number exceeds the second best by one part in this many.
    pub patience: u32,
    /// What a stone more than the other side has is worth, in sixteenths of a leaf.
    pub stone: u32,
    /// What it is worth to be able to capture, in quarters of a stone.
    pub capture: u32,
    /// What it costs to have no capture, in quarters of a stone.
    pub quiet: u32,
    /// What a step to an empty point more than the other side has is worth, in parts of a stone of which 32 make one.
    pub mobility: u32,
    /// How much of the numbers of the other children is added to the largest, in sixteenths. 0 takes the largest alone, 16
    /// the sum.
    pub share: u32,
    /// The most that a child counts for where another one is the largest.
    pub most: u32,
    /// Nodes that a position of a closed set may take to be searched again, at first; four times as many each time that a
    /// question has to be asked again, so that there is an end to it.
    pub repair: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { patience: 4, stone: 64, capture: 8, quiet: 4, mobility: 8, share: 8, most: 64, repair: 2048 }
    }
}

impl Tuning {
    /// The first numbers of a position: the side that is behind in stones (Schadd and others, *Best Play in Fanorona Leads to
    /// Draw*, 2008) or in mobility, or cannot capture, has more left to do.
    #[inline(always)]
    pub(super) fn estimate(&self, board: &Board<u64>, position: Canonical) -> Numbers {
        let Canonical { mover, opponent } = position;
        let tempo =
            if board.capturing_stones(mover, opponent) == 0 { -i64::from(self.quiet) } else { i64::from(self.capture) };
        let stones = i64::from(mover.count_ones()) - i64::from(opponent.count_ones());
        let empty = board.all() & !(mover | opponent);
        let steps: i64 = (0..DIRECTIONS)
            .map(|direction| board.points_before(empty, direction))
            .map(|before| i64::from((before & mover).count_ones()) - i64::from((before & opponent).count_ones()))
            .sum();
        // In 32nds of a stone.
        let ahead = 32 * stones + 8 * tempo + steps * i64::from(self.mobility);
        let leaves =
            |parts: i64| bounded(1 + parts.max(0).unsigned_abs() * u64::from(self.stone) / (32 * 16), INFINITE / 2);
        Numbers { phi: leaves(-ahead), delta: leaves(ahead) }
    }

    /// What an open child with that number adds to the disproof number of its parent where another one is the largest.
    #[inline]
    pub(super) fn part(&self, number: u32) -> u64 {
        u64::from(number.min(self.most))
    }

    /// The disproof number of a position from the largest of its children's proof numbers and the sum of what
    /// [`Tuning::part`] makes of each.
    ///
    /// The sum of the numbers themselves would count what is reached in several ways several times, and grows without
    /// bounds with the depth; the largest alone, with one for each other child (Ueda, Hashimoto, Hashimoto, Iida: *Weak
    /// Proof-Number Search*, 2008), does not tell a child that is nearly settled from one that is not. Half the sum of
    /// the others, each within bounds, needs about a tenth fewer nodes than either (`experiments/02-search`).
    #[inline]
    pub(super) fn gathered(&self, largest: u32, parts: u64) -> u32 {
        if largest == INFINITE { INFINITE } else { bounded(u64::from(largest) + self.others(largest, parts), MOST) }
    }

    /// How much of the disproof number of a position comes from other children than one with the number `own`.
    #[inline]
    pub(super) fn others(&self, own: u32, parts: u64) -> u64 {
        (parts - self.part(own)) * u64::from(self.share) / 16
    }
}

/// A number that fits, no larger than `most`.
#[inline]
pub(super) fn bounded(number: u64, most: u32) -> u32 {
    u32::try_from(number).map_or(most, |number| number.min(most))
}

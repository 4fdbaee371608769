//! Estimates of positions that a search has not expanded yet, and the parameters of a search.

use crate::board::{Board, DIRECTIONS, PointSet};

use super::canonical::Canonical;
use super::numbers::{INFINITE, MAX_FINITE, Numbers};

/// The parameters of a search. They change how long it takes, never the answer. `experiments/02-search` compares values.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// A child is searched until its number exceeds the second best by one part in this many.
    pub patience: u32,
    /// Parts that make a leaf, at least 1: what follows is counted in such parts.
    pub leaf: u32,
    /// Worth of a stone on a weak point.
    pub weak: u32,
    /// Worth of a stone on a strong point, one with diagonal lines.
    pub strong: u32,
    /// Worth of a step to an empty point for the side to move.
    pub step: u32,
    /// The same for the other side.
    pub their_step: u32,
    /// Worth of a capturing step for the side to move.
    pub capture: u32,
    /// The same for the other side.
    pub their_capture: u32,
    /// How much of the numbers of the other children is added to the largest, in sixteenths. 0 takes the largest alone, 16
    /// the sum.
    pub share: u32,
    /// The most that a child counts for where another one is the largest; [`INFINITE`] for no bound.
    pub most: u32,
    /// Nodes that a position of a closed set may take to be searched again, at first; four times as many each time that a
    /// question has to be asked again, so that there is an end to it.
    pub repair: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            patience: 4,
            leaf: 8,
            weak: 26,
            strong: 13,
            step: 6,
            their_step: 3,
            capture: 16,
            their_capture: 8,
            share: 8,
            most: INFINITE,
            repair: 2048,
        }
    }
}

impl Tuning {
    /// The first numbers of a position: the side that is behind has more left to do, in stones (Schadd and others, *Best Play
    /// in Fanorona Leads to Draw*, 2008), in steps to empty points and in captures. Steps and captures count twice for the
    /// side to move, since it makes one of them first, and stones half on strong points, from where they have their steps
    /// already: so say regressions of settled positions of 9x5 on these counts.
    #[inline(always)]
    pub(super) fn estimate(&self, board: &Board<u64>, position: Canonical) -> Numbers {
        let Canonical { mover, opponent } = position;
        let empty = board.all() & !(mover | opponent);
        let (mut steps, mut their_steps) = (0, 0);
        for direction in 0..DIRECTIONS {
            let before = board.points_before(empty, direction);
            steps += (before & mover).count();
            their_steps += (before & opponent).count();
        }
        #[allow(clippy::cast_possible_wrap)] // hundreds
        let worth = |count: usize, each: u32| count as i64 * i64::from(each);
        let strong = board.diagonal_points();
        let stones = |set: u64| worth((set & !strong).count(), self.weak) + worth((set & strong).count(), self.strong);
        let ahead = stones(mover) - stones(opponent) + worth(steps, self.step) - worth(their_steps, self.their_step)
            + worth(board.capturing_steps(mover, opponent), self.capture)
            - worth(board.capturing_steps(opponent, mover), self.their_capture);
        let leaves = bounded(1 + ahead.unsigned_abs() / u64::from(self.leaf), INFINITE / 2);
        if ahead < 0 { Numbers { phi: leaves, delta: 1 } } else { Numbers { phi: 1, delta: leaves } }
    }

    /// The numbers of a position by those of its children.
    #[inline]
    pub(super) fn parent(&self, children: impl Iterator<Item = Numbers>) -> Numbers {
        let (mut phi, mut largest, mut parts) = (INFINITE, 0, 0);
        for child in children {
            phi = phi.min(child.delta);
            largest = largest.max(child.phi);
            parts += self.part(child.phi);
        }
        match (phi, self.gathered(largest, parts)) {
            (0, _) => Numbers::REACHED,
            (_, 0) => Numbers::MISSED,
            (phi, delta) => Numbers { phi, delta },
        }
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
    /// the others lies between them (`experiments/02-search`).
    #[inline]
    fn gathered(&self, largest: u32, parts: u64) -> u32 {
        if largest == INFINITE {
            INFINITE
        } else {
            bounded(u64::from(largest) + self.others(largest, parts), MAX_FINITE)
        }
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

//! Certificates in memory: sets of positions with a reply for each, and claims.

use std::cmp::Ordering;

use rayon::slice::ParallelSliceMut;

use crate::board::{Board, BoardSize, Symmetry};
use crate::index::Slice;
use crate::rules::RuleSet;
use crate::verify::{Stones, for_each_turn};

use super::claim::Claim;
use super::code::order;

/// Bytes of a position in memory.
pub(super) const POSITION_BYTES: u64 = 24;

const _: () = assert!(size_of::<Member>() as u64 == POSITION_BYTES);

/// A set of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// Positions that their mover does not lose.
    Safe,
    /// Positions that their mover wins.
    Won,
}

impl Set {
    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Won => "won",
        }
    }
}

/// A position of a set: its canonical image, and the mover's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Stones of the side to move.
    pub mover: u64,
    /// Stones of the other side.
    pub opponent: u64,
    /// Index of the mover's turn in [`replies`]; in the safe set 0 if there is none and stalemate is a draw.
    pub reply: u32,
    /// In the won set, every position of the set that can follow two turns later has a smaller rank, unless a listed table has it as a win;
    /// only the order matters. In the safe set 0.
    pub rank: u32,
}

impl Member {
    /// The mover's stones and the opponent's.
    #[must_use]
    pub fn sides(&self) -> (u64, u64) {
        (self.mover, self.opponent)
    }
}

/// A table that a certificate relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableUse {
    /// The slice.
    pub slice: Slice,
    /// The identity in the header of its table.
    pub identity: u128,
}

/// Claims about positions of one board under one rule set, and the sets that prove them.
///
/// The checker requires tables in the order of slices and positions in the order of codes: [`Certificate::sort`] and
/// [`Certificate::write`] put them in that order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The board, of at most 64 points.
    pub size: BoardSize,
    /// The rules.
    pub rules: RuleSet,
    /// The tables that the proof uses. With a slice *m*v*n* come all that its captures can lead to: *k*v*m* for each *k* from 1
    /// to *n* - 1.
    pub tables: Vec<TableUse>,
    /// The claims; the first is the main one.
    pub claims: Vec<Claim>,
    /// Positions that their mover does not lose.
    pub safe: Vec<Member>,
    /// Positions that their mover wins.
    pub won: Vec<Member>,
}

impl Certificate {
    /// The number of positions in both sets.
    #[must_use]
    pub fn positions(&self) -> u64 {
        (self.safe.len() + self.won.len()) as u64
    }

    /// Bytes of memory of the positions.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        POSITION_BYTES * self.positions()
    }

    /// Stones of the largest slice among the tables; 0 if there is none.
    #[must_use]
    pub fn tables_reach(&self) -> usize {
        self.tables.iter().map(|table| table.slice.stones()).max().unwrap_or(0)
    }

    /// The positions of a set.
    pub(super) fn set(&self, set: Set) -> &[Member] {
        match set {
            Set::Safe => &self.safe,
            Set::Won => &self.won,
        }
    }

    /// Finds a canonical position in the sets, `None` if it is in neither.
    #[must_use]
    pub fn find(&self, sides: (u64, u64)) -> Option<(Set, Member)> {
        [Set::Safe, Set::Won].into_iter().find_map(|set| Some((set, *find(self.set(set), sides)?)))
    }

    /// Sorts tables and positions.
    pub fn sort(&mut self) {
        self.tables.sort_unstable_by_key(|table| table.slice);
        self.safe.par_sort_unstable_by(|left, right| order(left.sides(), right.sides()));
        self.won.par_sort_unstable_by(|left, right| order(left.sides(), right.sides()));
    }
}

/// The canonical image of a position: of its images under all symmetries, the one with the smallest code. The code has a
/// digit in base 3 for each point, point 0 in the lowest place: 0 empty, 1 the mover's, 2 the opponent's.
#[must_use]
pub fn canonical(symmetry: &Symmetry, mover: u64, opponent: u64) -> (u64, u64) {
    let images = (0..symmetry.order()).map(|e| (symmetry.set(e, mover), symmetry.set(e, opponent)));
    images.min_by(|&left, &right| order(left, right)).unwrap_or((mover, opponent))
}

/// The distinct boards after each turn of the mover, as the mover's stones and the opponent's, in ascending order. A reply is
/// an index into this list.
#[must_use]
pub fn replies(board: &Board<u64>, rules: RuleSet, mover: u64, opponent: u64) -> Vec<(u64, u64)> {
    let mut boards = Vec::new();
    for_each_turn(board, rules.into(), Stones { own: mover, enemy: opponent }, &mut |after| {
        boards.push((after.own, after.enemy));
        true
    });
    boards.sort_unstable();
    boards.dedup();
    boards
}

/// Looks a canonical position up in a sorted set.
pub(super) fn find(set: &[Member], sides: (u64, u64)) -> Option<&Member> {
    let found = set.binary_search_by(|member| order(member.sides(), sides));
    found.ok().map(|index| &set[index])
}

/// The first index at which a set is not strictly ascending.
pub(super) fn disorder(set: &[Member]) -> Option<usize> {
    set.windows(2).position(|pair| order(pair[0].sides(), pair[1].sides()) != Ordering::Less).map(|place| place + 1)
}

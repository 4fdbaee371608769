//! A whole slice in memory: as bit planes, or crowded where planes would be mostly padding.

use std::borrow::Cow;

use crate::index::{ComplementRank, Crowded, Place, Plane, Slice, Space, zeroed};
use crate::rules::Outcome;

use super::rows::ValueRows;

/// Rows by orbits of the mover's sets, columns by slots of the opponent's. Bits of overlapping sets are zero in both planes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuePlanes {
    /// Positions that the side to move loses.
    pub loss: Plane,
    /// Positions that the side to move does not win.
    pub not_win: Plane,
}

/// Two bits a position, without columns for overlapping sets; see [`ComplementRank`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct Compact {
    row: usize,
    ranks_left: usize,
    bits: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Planes(ValuePlanes),
    Crowded(Compact),
}

/// The values of every position of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceValues {
    slice: Slice,
    form: Form,
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

impl Counts {
    /// Whether they can be those of a slice with that many placements.
    #[must_use]
    pub fn are_of(&self, placements: u64) -> bool {
        let decided = self.wins.checked_add(self.draws).and_then(|sum| sum.checked_add(self.losses));
        self.positions == placements && decided == Some(placements) && self.quiet <= placements
    }
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

impl ValuePlanes {
    /// The slice in which the mover has no stones and has lost.
    #[must_use]
    pub fn extinct(space: &Space, opponent: usize) -> Self {
        let subsets = space.subsets(opponent);
        let mut plane = Plane::new(space.subsets(0), subsets);
        for slot in 0..subsets.slots() {
            plane.words_mut()[slot / 64] |= 1 << (slot % 64);
        }
        Self { loss: plane.clone(), not_win: plane }
    }

    /// The value at a place that [`Space::locate`] gives.
    #[inline]
    fn at(&self, row: usize, column: usize) -> Outcome {
        match (self.not_win.get(row, column), self.loss.get(row, column)) {
            (false, _) => Outcome::Win,
            (true, false) => Outcome::Draw,
            (true, true) => Outcome::Loss,
        }
    }
}

impl SliceValues {
    /// Values from their planes.
    #[must_use]
    pub fn new(slice: Slice, loss: Plane, not_win: Plane) -> Self {
        Self { slice, form: Form::Planes(ValuePlanes { loss, not_win }) }
    }

    /// Values in crowded form: for each orbit of the mover's sets a row of outcomes, by [`ComplementRank`].
    #[must_use]
    pub fn crowded(space: &Space, slice: Slice, outcomes: impl Iterator<Item = Outcome>) -> Self {
        let ranks_left = space.board().points() - slice.mover;
        let row = ComplementRank::new(ranks_left, slice.opponent).count();
        let mut bits: Vec<u8> = zeroed((row * space.subsets(slice.mover).orbits()).div_ceil(4));
        for (number, outcome) in outcomes.enumerate() {
            bits[number / 4] |= (outcome as u8) << (2 * (number % 4));
        }
        Self { slice, form: Form::Crowded(Compact { row, ranks_left, bits }) }
    }

    /// The same values in crowded form.
    #[must_use]
    pub fn into_crowded(self, space: &Space) -> Self {
        let Form::Planes(planes) = &self.form else { return self };
        let ranks = ComplementRank::new(space.board().points() - self.slice.mover, self.slice.opponent);
        let opponents = space.subsets(self.slice.opponent);
        let outcomes =
            space.subsets(self.slice.mover).representatives().iter().enumerate().flat_map(|(row, &mover)| {
                let sets = ranks.sets(mover, space.board().points());
                sets.map(move |set| planes.at(row, opponents.slot(set)))
            });
        Self::crowded(space, self.slice, outcomes)
    }

    /// Bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let bytes = match &self.form {
            Form::Planes(planes) => 8 * (planes.loss.words().len() + planes.not_win.words().len()),
            Form::Crowded(crowded) => crowded.bits.len(),
        };
        bytes as u64
    }

    /// Which slice it is.
    #[must_use]
    pub fn slice(&self) -> Slice {
        self.slice
    }

    /// The values as planes; converted if they are in crowded form.
    #[must_use]
    pub fn planes(&self, space: &Space) -> Cow<'_, ValuePlanes> {
        let Form::Crowded(crowded) = &self.form else {
            let Form::Planes(planes) = &self.form else { unreachable!("there are two forms") };
            return Cow::Borrowed(planes);
        };
        let (movers, opponents) = (space.subsets(self.slice.mover), space.subsets(self.slice.opponent));
        let mut loss = Plane::new(movers, opponents);
        let mut not_win = Plane::new(movers, opponents);
        let stride = loss.stride();
        for row in 0..movers.orbits() {
            for word in 0..opponents.words() {
                [not_win.words_mut()[row * stride + word], loss.words_mut()[row * stride + word]] =
                    crowded.word(space, self.slice, row, word);
            }
        }
        Cow::Owned(ValuePlanes { loss, not_win })
    }

    /// The values by rows of the same empty points; converted.
    #[must_use]
    pub fn rows(&self, space: &Space) -> Cow<'_, ValueRows> {
        Cow::Owned(ValueRows::of(Crowded::new(space, self.slice), |mover, opponent| self.value(space, mover, opponent)))
    }

    /// "Not won" and "lost" of the positions in one word of a row.
    #[must_use]
    pub fn word(&self, space: &Space, row: usize, word: usize) -> [u64; 2] {
        match &self.form {
            Form::Planes(planes) => [planes.not_win.row(row)[word], planes.loss.row(row)[word]],
            Form::Crowded(crowded) => crowded.word(space, self.slice, row, word),
        }
    }

    /// The value of a position of the slice.
    #[inline]
    #[must_use]
    pub fn value(&self, space: &Space, mover: u64, opponent: u64) -> Outcome {
        match &self.form {
            Form::Planes(planes) => {
                let Place { row, column, .. } = space.locate(self.slice, mover, opponent);
                planes.at(row, column)
            }
            Form::Crowded(crowded) => {
                let (mover, element) = space.symmetry().smallest(mover);
                let row = space.subsets(self.slice.mover).orbit_of(mover);
                let image = space.symmetry().set(crate::board::inverse(element), opponent);
                let ranks = space.complement_rank(crowded.ranks_left, self.slice.opponent);
                crowded.at(row * crowded.row + ranks.rank(mover, image))
            }
        }
    }
}

impl Compact {
    #[inline]
    fn at(&self, number: usize) -> Outcome {
        match self.bits[number / 4] >> (2 * (number % 4)) & 3 {
            0 => Outcome::Loss,
            1 => Outcome::Draw,
            _ => Outcome::Win,
        }
    }

    fn word(&self, space: &Space, slice: Slice, row: usize, word: usize) -> [u64; 2] {
        let opponents = space.subsets(slice.opponent);
        let mover = space.subsets(slice.mover).representatives()[row];
        let ranks = space.complement_rank(self.ranks_left, slice.opponent);
        let [mut not_win, mut loss] = [0; 2];
        for slot in 64 * word..opponents.slots().min(64 * (word + 1)) {
            let set = opponents.subset(slot);
            if set & mover == 0 {
                let outcome = self.at(row * self.row + ranks.rank(mover, set));
                not_win |= u64::from(outcome != Outcome::Win) << (slot % 64);
                loss |= u64::from(outcome == Outcome::Loss) << (slot % 64);
            }
        }
        [not_win, loss]
    }
}

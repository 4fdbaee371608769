//! A whole slice in memory: as bit planes, or on crowded boards by rows of empty points.

use std::borrow::Cow;

use crate::index::{Crowded, Place, Plane, Slice, Space};
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

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Planes(ValuePlanes),
    Rows(ValueRows),
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
    /// Whether these can be the counts of a slice with that many placements.
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

    /// Values in rows by empty points: those of a crowded slice, or of one that only crowded slices need.
    #[must_use]
    pub fn from_rows(slice: Slice, rows: ValueRows) -> Self {
        Self { slice, form: Form::Rows(rows) }
    }

    /// Bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let bytes = match &self.form {
            Form::Planes(planes) => 8 * (planes.loss.words().len() + planes.not_win.words().len()),
            Form::Rows(rows) => rows.units().len(),
        };
        bytes as u64
    }

    /// Which slice it is.
    #[must_use]
    pub fn slice(&self) -> Slice {
        self.slice
    }

    /// The values as planes; converted from rows, position by position.
    #[must_use]
    pub fn planes(&self, space: &Space) -> Cow<'_, ValuePlanes> {
        if let Form::Planes(planes) = &self.form {
            return Cow::Borrowed(planes);
        }
        let (movers, opponents) = (space.subsets(self.slice.mover), space.subsets(self.slice.opponent));
        let (mut loss, mut not_win) = (Plane::new(movers, opponents), Plane::new(movers, opponents));
        let stride = loss.stride();
        for (row, &mover) in movers.representatives().iter().enumerate() {
            let sets = (0..opponents.slots()).map(|slot| (slot, opponents.subset(slot)));
            for (slot, opponent) in sets.filter(|(_, opponent)| opponent & mover == 0) {
                let value = self.value(space, mover, opponent);
                let (word, bit) = (row * stride + slot / 64, slot % 64);
                not_win.words_mut()[word] |= u64::from(value != Outcome::Win) << bit;
                loss.words_mut()[word] |= u64::from(value == Outcome::Loss) << bit;
            }
        }
        Cow::Owned(ValuePlanes { loss, not_win })
    }

    /// The same values, in rows by empty points.
    #[must_use]
    pub fn into_rows(self, space: &Space) -> Self {
        match self.form {
            Form::Rows(_) => self,
            Form::Planes(_) => Self::from_rows(self.slice, self.rows(space).into_owned()),
        }
    }

    /// The rows, if that is how the values are held.
    #[must_use]
    pub fn as_rows(&self) -> Option<&ValueRows> {
        if let Form::Rows(rows) = &self.form { Some(rows) } else { None }
    }

    /// The values in rows by empty points; converted from planes, position by position.
    #[must_use]
    pub fn rows(&self, space: &Space) -> Cow<'_, ValueRows> {
        match &self.form {
            Form::Rows(rows) => Cow::Borrowed(rows),
            Form::Planes(_) => {
                let value = |mover, opponent| self.value(space, mover, opponent);
                Cow::Owned(ValueRows::of(Crowded::new(space, self.slice), value))
            }
        }
    }

    /// "Not won" and "lost" of the positions in one word of a row, in the order of tables.
    #[must_use]
    pub fn word(&self, row: usize, word: usize) -> [u64; 2] {
        match &self.form {
            Form::Planes(planes) => [planes.not_win.row(row)[word], planes.loss.row(row)[word]],
            Form::Rows(rows) => rows.word(row, word),
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
            Form::Rows(rows) => {
                let Place { row, column, .. } = Crowded::new(space, self.slice).locate(mover, opponent);
                rows.at(row, column)
            }
        }
    }
}

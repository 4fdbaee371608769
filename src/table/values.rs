//! A whole slice in memory: as planes, or on crowded boards by rows of empty points.

use std::borrow::Cow;
use std::fmt::Debug;

use crate::index::{Cells, Crowded, Place, Plane, Slice, Space, Subsets};
use crate::rules::Outcome;

use super::cell::Cell;
use super::rows::{RowValue, Rows};

/// A value that slices in memory hold for each position: an outcome, or a score in a [`Cell`].
pub trait SliceValue: RowValue {
    /// Planes of them: rows by orbits of the mover's sets, columns by slots of the opponent's.
    type Planes: Clone + Debug + Eq + Send + Sync;

    /// Planes into which values are to be [put](SliceValue::put).
    fn planes(movers: &Subsets, opponents: &Subsets) -> Self::Planes;

    /// The value at a place that [`Space::locate`] gives.
    fn at(planes: &Self::Planes, row: usize, column: usize) -> Self;

    /// Puts the value at a place that has none yet.
    fn put(self, planes: &mut Self::Planes, row: usize, column: usize);
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form<V: SliceValue> {
    Planes(V::Planes),
    Rows(Rows<V>),
}

/// The value of every position of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceOf<V: SliceValue> {
    slice: Slice,
    form: Form<V>,
}

/// The outcome of every position of a slice.
pub type SliceValues = SliceOf<Outcome>;

impl<V: SliceValue> SliceOf<V> {
    /// Values from their planes.
    #[must_use]
    pub fn new(slice: Slice, planes: V::Planes) -> Self {
        Self { slice, form: Form::Planes(planes) }
    }

    /// Values in rows by empty points: those of a crowded slice, or of one that only crowded slices need.
    #[must_use]
    pub fn from_rows(slice: Slice, rows: Rows<V>) -> Self {
        Self { slice, form: Form::Rows(rows) }
    }

    /// Which slice it is.
    #[must_use]
    pub fn slice(&self) -> Slice {
        self.slice
    }

    /// The values as planes; converted from rows, position by position.
    #[must_use]
    pub fn planes(&self, space: &Space) -> Cow<'_, V::Planes> {
        if let Form::Planes(planes) = &self.form {
            return Cow::Borrowed(planes);
        }
        let (movers, opponents) = (space.subsets(self.slice.mover), space.subsets(self.slice.opponent));
        let mut planes = V::planes(movers, opponents);
        for (row, &mover) in movers.representatives().iter().enumerate() {
            let sets = (0..opponents.slots()).map(|slot| (slot, opponents.subset(slot)));
            for (slot, opponent) in sets.filter(|(_, opponent)| opponent & mover == 0) {
                self.value(space, mover, opponent).put(&mut planes, row, slot);
            }
        }
        Cow::Owned(planes)
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
    pub fn as_rows(&self) -> Option<&Rows<V>> {
        if let Form::Rows(rows) = &self.form { Some(rows) } else { None }
    }

    /// The values in rows by empty points; converted from planes, position by position.
    #[must_use]
    pub fn rows(&self, space: &Space) -> Cow<'_, Rows<V>> {
        match &self.form {
            Form::Rows(rows) => Cow::Borrowed(rows),
            Form::Planes(_) => {
                let value = |mover, opponent| self.value(space, mover, opponent);
                Cow::Owned(Rows::of(Crowded::new(space, self.slice), value))
            }
        }
    }

    /// The value of a position of the slice.
    #[inline]
    #[must_use]
    pub fn value(&self, space: &Space, mover: u64, opponent: u64) -> V {
        match &self.form {
            Form::Planes(planes) => {
                let Place { row, column, .. } = space.locate(self.slice, mover, opponent);
                V::at(planes, row, column)
            }
            Form::Rows(rows) => {
                let Place { row, column, .. } = Crowded::new(space, self.slice).locate(mover, opponent);
                rows.at(row, column)
            }
        }
    }
}

/// Outcomes in planes. Bits of overlapping sets are zero in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuePlanes {
    /// Positions that the side to move loses.
    pub loss: Plane,
    /// Positions that the side to move does not win.
    pub not_win: Plane,
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
}

impl SliceValue for Outcome {
    type Planes = ValuePlanes;

    fn planes(movers: &Subsets, opponents: &Subsets) -> ValuePlanes {
        ValuePlanes { loss: Plane::new(movers, opponents), not_win: Plane::new(movers, opponents) }
    }

    #[inline]
    fn at(planes: &ValuePlanes, row: usize, column: usize) -> Self {
        match (planes.not_win.get(row, column), planes.loss.get(row, column)) {
            (false, _) => Self::Win,
            (true, false) => Self::Draw,
            (true, true) => Self::Loss,
        }
    }

    fn put(self, planes: &mut ValuePlanes, row: usize, column: usize) {
        let (word, bit) = (row * planes.loss.stride() + column / 64, column % 64);
        planes.not_win.words_mut()[word] |= u64::from(self != Self::Win) << bit;
        planes.loss.words_mut()[word] |= u64::from(self == Self::Loss) << bit;
    }
}

impl SliceValues {
    /// Bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let bytes = match &self.form {
            Form::Planes(planes) => 8 * (planes.loss.words().len() + planes.not_win.words().len()),
            Form::Rows(rows) => rows.units().len(),
        };
        bytes as u64
    }

    /// "Not won" and "lost" of the positions in one word of a row, in the order of tables.
    #[must_use]
    pub fn word(&self, row: usize, word: usize) -> [u64; 2] {
        match &self.form {
            Form::Planes(planes) => [planes.not_win.row(row)[word], planes.loss.row(row)[word]],
            Form::Rows(rows) => rows.word(row, word),
        }
    }
}

impl<C: Cell> SliceValue for C {
    /// Cells of overlapping sets are meaningless.
    type Planes = Cells<C>;

    fn planes(movers: &Subsets, opponents: &Subsets) -> Cells<C> {
        Cells::new(movers, opponents, C::DRAW)
    }

    #[inline]
    fn at(cells: &Cells<C>, row: usize, column: usize) -> C {
        cells.row(row)[column]
    }

    fn put(self, cells: &mut Cells<C>, row: usize, column: usize) {
        let stride = cells.stride();
        cells.all_mut()[row * stride + column] = self;
    }
}

/// The score of every position of a slice, in cells of a width that holds them all.
pub type SliceDepths<C> = SliceOf<C>;

impl<C: Cell> SliceDepths<C> {
    /// The cells of a row, in the order of tables.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &[C] {
        match &self.form {
            Form::Planes(cells) => cells.row(row),
            Form::Rows(rows) => rows.row(row),
        }
    }
}

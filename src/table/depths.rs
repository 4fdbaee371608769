//! The scores of a whole slice in memory: as planes of cells, or on crowded boards by rows of empty points.

use std::borrow::Cow;

use crate::index::{Cells, Crowded, Place, Slice, Space};

use super::cell::Cell;
use super::rows::CellRows;
use super::score::Score;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form<C: Cell> {
    /// Rows by orbits of the mover's sets, columns by slots of the opponent's. Cells of overlapping sets are meaningless.
    Planes(Cells<C>),
    Rows(CellRows<C>),
}

/// The score of every position of a slice, in cells of a width that holds them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceDepths<C: Cell> {
    slice: Slice,
    form: Form<C>,
}

impl<C: Cell> SliceDepths<C> {
    /// Scores from their plane.
    #[must_use]
    pub fn new(slice: Slice, cells: Cells<C>) -> Self {
        Self { slice, form: Form::Planes(cells) }
    }

    /// Scores in rows by empty points: those of a crowded slice, or of one that only crowded slices need.
    #[must_use]
    pub fn from_rows(slice: Slice, rows: CellRows<C>) -> Self {
        Self { slice, form: Form::Rows(rows) }
    }

    /// Which slice it is.
    #[must_use]
    pub fn slice(&self) -> Slice {
        self.slice
    }

    /// The score of a position of the slice.
    #[inline]
    #[must_use]
    pub fn score(&self, space: &Space, mover: u64, opponent: u64) -> Score {
        let Place { row, column, .. } = match &self.form {
            Form::Planes(_) => space.locate(self.slice, mover, opponent),
            Form::Rows(_) => Crowded::new(space, self.slice).locate(mover, opponent),
        };
        self.row(row)[column].score()
    }

    /// The cells of a row, in the order of tables.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &[C] {
        match &self.form {
            Form::Planes(cells) => cells.row(row),
            Form::Rows(rows) => rows.row(row),
        }
    }

    /// The scores as a plane; converted from rows, position by position.
    #[must_use]
    pub fn plane(&self, space: &Space) -> Cow<'_, Cells<C>> {
        if let Form::Planes(cells) = &self.form {
            return Cow::Borrowed(cells);
        }
        let (movers, opponents) = (space.subsets(self.slice.mover), space.subsets(self.slice.opponent));
        let mut plane = Cells::new(movers, opponents, C::DRAW);
        let stride = plane.stride();
        for (row, &mover) in movers.representatives().iter().enumerate() {
            let sets = (0..opponents.slots()).map(|slot| (slot, opponents.subset(slot)));
            for (slot, opponent) in sets.filter(|(_, opponent)| opponent & mover == 0) {
                plane.all_mut()[row * stride + slot] = C::of(self.score(space, mover, opponent));
            }
        }
        Cow::Owned(plane)
    }

    /// The same scores, in rows by empty points.
    #[must_use]
    pub fn into_rows(self, space: &Space) -> Self {
        match self.form {
            Form::Rows(_) => self,
            Form::Planes(_) => Self::from_rows(self.slice, self.rows(space).into_owned()),
        }
    }

    /// The rows, if that is how the scores are held.
    #[must_use]
    pub fn as_rows(&self) -> Option<&CellRows<C>> {
        if let Form::Rows(rows) = &self.form { Some(rows) } else { None }
    }

    /// The scores in rows by empty points; converted from a plane, position by position.
    #[must_use]
    pub fn rows(&self, space: &Space) -> Cow<'_, CellRows<C>> {
        match &self.form {
            Form::Rows(rows) => Cow::Borrowed(rows),
            Form::Planes(_) => {
                let cell = |mover, opponent| C::of(self.score(space, mover, opponent));
                Cow::Owned(CellRows::of(Crowded::new(space, self.slice), cell))
            }
        }
    }
}

//! The scores of a whole slice in memory: as planes of cells, or crowded where planes would be mostly padding.

use std::borrow::Cow;

use crate::board::inverse;
use crate::index::{self, Cells, ComplementRank, Place, Slice, Space};

use super::cell::Cell;
use super::rows::CellRows;
use super::score::Score;

/// Scores without columns for overlapping sets; see [`ComplementRank`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct Crowded<C> {
    row: usize,
    cells: Vec<C>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form<C> {
    /// Rows by orbits of the mover's sets, columns by slots of the opponent's. Cells of overlapping sets say nothing.
    Planes(Cells<C>),
    Crowded(Crowded<C>),
}

/// The score of every position of a slice, in cells of a width that holds them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceDepths<C> {
    slice: Slice,
    form: Form<C>,
}

impl<C: Cell> SliceDepths<C> {
    /// Scores from their plane.
    #[must_use]
    pub fn new(slice: Slice, cells: Cells<C>) -> Self {
        Self { slice, form: Form::Planes(cells) }
    }

    /// Scores in crowded form: for each orbit of the mover's sets a row of cells, by [`ComplementRank`].
    #[must_use]
    pub fn crowded(space: &Space, slice: Slice, cells: Vec<C>) -> Self {
        let row = ranks(space, slice).count();
        debug_assert_eq!(cells.len(), row * space.subsets(slice.mover).orbits());
        Self { slice, form: Form::Crowded(Crowded { row, cells }) }
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
        match &self.form {
            Form::Planes(cells) => {
                let Place { row, column, .. } = space.locate(self.slice, mover, opponent);
                cells.row(row)[column].score()
            }
            Form::Crowded(crowded) => {
                let (mover, element) = space.symmetry().smallest(mover);
                let row = space.subsets(self.slice.mover).orbit_of(mover);
                crowded.at(space, self.slice, (row, mover), space.symmetry().set(inverse(element), opponent)).score()
            }
        }
    }

    /// The score of the position in a row and slot, which exists.
    #[inline]
    #[must_use]
    pub fn at(&self, space: &Space, row: usize, slot: usize) -> Score {
        match &self.form {
            Form::Planes(cells) => cells.row(row)[slot].score(),
            Form::Crowded(crowded) => {
                let mover = space.subsets(self.slice.mover).representatives()[row];
                let opponent = space.subsets(self.slice.opponent).subset(slot);
                crowded.at(space, self.slice, (row, mover), opponent).score()
            }
        }
    }

    /// The scores by rows of the same empty points; converted.
    #[must_use]
    pub fn rows(&self, space: &Space) -> Cow<'_, CellRows<C>> {
        let crowded = index::Crowded::new(space, self.slice);
        Cow::Owned(CellRows::of(crowded, |mover, opponent| C::of(self.score(space, mover, opponent))))
    }

    /// The scores as a plane; converted if they are in crowded form.
    #[must_use]
    pub fn plane(&self, space: &Space) -> Cow<'_, Cells<C>> {
        let crowded = match &self.form {
            Form::Planes(cells) => return Cow::Borrowed(cells),
            Form::Crowded(crowded) => crowded,
        };
        let (movers, opponents) = (space.subsets(self.slice.mover), space.subsets(self.slice.opponent));
        let mut plane = Cells::new(movers, opponents, C::DRAW);
        let stride = plane.stride();
        for (row, &mover) in movers.representatives().iter().enumerate() {
            let sets = (0..opponents.slots()).map(|slot| (slot, opponents.subset(slot)));
            for (slot, opponent) in sets.filter(|(_, opponent)| opponent & mover == 0) {
                plane.all_mut()[row * stride + slot] = crowded.at(space, self.slice, (row, mover), opponent);
            }
        }
        Cow::Owned(plane)
    }
}

impl<C: Cell> Crowded<C> {
    #[inline]
    fn at(&self, space: &Space, slice: Slice, (row, mover): (usize, u64), opponent: u64) -> C {
        self.cells[row * self.row + ranks(space, slice).rank(mover, opponent)]
    }
}

/// The ranks of the opponent's sets in crowded form.
#[must_use]
pub fn ranks(space: &Space, slice: Slice) -> &ComplementRank {
    space.complement_rank(space.board().points() - slice.mover, slice.opponent)
}

//! The scores of a whole slice in memory: as planes of cells, or compact where planes would be mostly padding.

use std::borrow::Cow;

use crate::board::inverse;
use crate::index::{Cells, ComplementRank, Slice, Space};

use super::score::Score;

/// Scores without columns for overlapping sets; see [`ComplementRank`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct Compact {
    row: usize,
    cells: Vec<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// Rows by orbits of the mover's sets, columns by slots of the opponent's. Cells of overlapping sets say nothing.
    Planes(Cells),
    Compact(Compact),
}

/// The score of every position of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceDepths {
    slice: Slice,
    form: Form,
}

impl SliceDepths {
    /// Scores from their plane.
    #[must_use]
    pub fn new(slice: Slice, cells: Cells) -> Self {
        Self { slice, form: Form::Planes(cells) }
    }

    /// Scores in compact form: for each orbit of the mover's sets a row of cells, by [`ComplementRank`].
    #[must_use]
    pub fn compact(space: &Space, slice: Slice, cells: Vec<u16>) -> Self {
        let row = ranks(space, slice).count();
        debug_assert_eq!(cells.len(), row * space.subsets(slice.mover).orbits());
        Self { slice, form: Form::Compact(Compact { row, cells }) }
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
                let (row, column) = space.locate(mover, opponent);
                Score::of_cell(cells.row(row)[column])
            }
            Form::Compact(compact) => {
                let (row, element) = space.subsets(self.slice.mover).orbit(mover);
                let turned = space.symmetry().set(inverse(element), opponent);
                compact.at(space, self.slice, row, turned)
            }
        }
    }

    /// The score of the position in a row and slot, which exists.
    #[inline]
    #[must_use]
    pub fn at(&self, space: &Space, row: usize, slot: usize) -> Score {
        match &self.form {
            Form::Planes(cells) => Score::of_cell(cells.row(row)[slot]),
            Form::Compact(compact) => {
                compact.at(space, self.slice, row, space.subsets(self.slice.opponent).subset(slot))
            }
        }
    }

    /// The scores as a plane; made anew if they are in compact form.
    #[must_use]
    pub fn plane(&self, space: &Space) -> Cow<'_, Cells> {
        if let Form::Planes(cells) = &self.form {
            return Cow::Borrowed(cells);
        }
        let (movers, opponents) = (space.subsets(self.slice.mover), space.subsets(self.slice.opponent));
        let mut plane = Cells::new(movers, opponents, Score::DRAW.cell());
        let stride = plane.stride();
        for (row, &mover) in movers.representatives().iter().enumerate() {
            for slot in (0..opponents.slots()).filter(|&slot| opponents.subset(slot) & mover == 0) {
                plane.all_mut()[row * stride + slot] = self.at(space, row, slot).cell();
            }
        }
        Cow::Owned(plane)
    }
}

impl Compact {
    #[inline]
    fn at(&self, space: &Space, slice: Slice, row: usize, opponent: u64) -> Score {
        let mover = space.subsets(slice.mover).representatives()[row];
        Score::of_cell(self.cells[row * self.row + ranks(space, slice).rank(mover, opponent)])
    }
}

/// The ranks of the opponent's sets in compact form.
#[must_use]
pub fn ranks(space: &Space, slice: Slice) -> &ComplementRank {
    space.complement_rank(space.board().points() - slice.mover, slice.opponent)
}

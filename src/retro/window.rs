//! The finished rows of a slice that a writer of tables needs next, made a band at a time.

use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::index::{Slice, Space};
use crate::table::TableError;

/// Bands of finished rows, in order.
pub struct Window<R>(RwLock<Vec<(Range<usize>, R)>>);

impl<R> Default for Window<R> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<R> Window<R> {
    /// Prepares the rows that `count` words from `first` on belong to, and drops those before them. `make` makes a band by its number;
    /// all but the last have `width` rows.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn prepare(
        &self,
        (space, slice): (&Space, Slice),
        (first, count): (u64, u64),
        width: usize,
        make: impl Fn(usize) -> Result<(Range<usize>, R), TableError>,
    ) -> Result<(), TableError> {
        let words = space.words(slice.opponent);
        #[allow(clippy::cast_possible_truncation)] // rows are numbered in memory
        let needed = (first / words) as usize..(first + count).div_ceil(words) as usize;
        let mut bands = self.0.write().unwrap_or_else(PoisonError::into_inner);
        bands.retain(|(range, _)| range.end > needed.start);
        let mut next = bands.last().map_or(needed.start / width * width, |(range, _)| range.end);
        while next < needed.end {
            let band = make(next / width)?;
            next = band.0.end;
            bands.push(band);
        }
        Ok(())
    }

    /// The rows that are prepared.
    pub fn read(&self) -> Reading<'_, R> {
        Reading(self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The rows of a [`Window`] while they are read.
pub struct Reading<'w, R>(RwLockReadGuard<'w, Vec<(Range<usize>, R)>>);

impl<R> Reading<'_, R> {
    /// The band of a row, and its number there.
    ///
    /// # Panics
    /// If it has not been prepared.
    pub fn find(&self, row: usize) -> (&R, usize) {
        let (range, band) =
            self.0.iter().find(|(range, _)| range.contains(&row)).expect("the writer asks for what it had prepared");
        (band, row - range.start)
    }
}

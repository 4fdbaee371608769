//! The finished values of a slice out of its tiles, a band at a time, as the writer of tables asks for them.

use std::ops::Range;
use std::sync::{Mutex, PoisonError, RwLock};

use crate::index::{Plane, Slice, Space, block_words, padded_words};
use crate::table::{Content, Counts, Depths, Metric, SliceValues, TableError, encode_block};

use super::super::transpose::{Merge, group_rows, transpose};
use super::work::Tiles;

/// The values of a slice of a pair that is decided.
pub struct TiledValues<'a> {
    tiles: &'a Tiles<'a>,
    /// The number of the form in which the slice's values are, by the opponent's orbits: that of its twin.
    form: usize,
    slice: Slice,
    /// Rows that the writer needs at present, in order.
    window: RwLock<Vec<Rows>>,
    /// Bands that the writer has had.
    given: Mutex<usize>,
}

/// Some rows of the finished values.
struct Rows {
    range: Range<usize>,
    loss: Plane,
    not_win: Plane,
}

impl<'a> TiledValues<'a> {
    /// The values of the twin of a form's slice.
    pub fn new(tiles: &'a Tiles<'a>, form: usize) -> Self {
        let slice = tiles.layout().forms[form].slice.twin();
        Self { tiles, form, slice, window: RwLock::default(), given: Mutex::default() }
    }

    /// All of them in memory, on every rank.
    ///
    /// # Errors
    /// As [`Tiles::decide`].
    pub fn everywhere(&self, space: &Space) -> Result<SliceValues, TableError> {
        let (movers, opponents) = (space.subsets(self.slice.mover), space.subsets(self.slice.opponent));
        let [mut loss, mut not_win] = [(); 2].map(|()| Plane::new(movers, opponents));
        for band in 0..self.tiles.layout().forms[self.form].bands() {
            let rows = self.rows(space, band, true)?.expect("every rank gets it");
            let first = rows.range.start * loss.stride();
            loss.words_mut()[first..][..rows.loss.words().len()].copy_from_slice(rows.loss.words());
            not_win.words_mut()[first..][..rows.not_win.words().len()].copy_from_slice(rows.not_win.words());
        }
        Ok(SliceValues::new(self.slice, loss, not_win))
    }

    /// Does something with them on the first rank, to which the others give their bands.
    ///
    /// # Errors
    /// As [`Tiles::decide`], and those of `work`.
    pub fn on_first<R>(
        &self,
        space: &Space,
        work: impl FnOnce() -> Result<R, TableError>,
    ) -> Result<Option<R>, TableError> {
        let done = if self.tiles.ranks().rank() == 0 { Some(work()?) } else { None };
        if self.tiles.ranks().size() == 1 {
            return Ok(done);
        }
        // The others give all bands, also those of padding that the writer does not ask for.
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        for band in *given..self.tiles.layout().forms[self.form].bands() {
            self.rows(space, band, false)?;
        }
        *given = self.tiles.layout().forms[self.form].bands();
        Ok(done)
    }

    /// Turns a band of columns to rows.
    fn rows(&self, space: &Space, band: usize, all: bool) -> Result<Option<Rows>, TableError> {
        let (form, order) = (&self.tiles.layout().forms[self.form], space.symmetry().order());
        let cells = group_rows(order);
        let first = form.start(band) * cells;
        let rows = first..space.subsets(self.slice.mover).orbits().min(first + form.width_of(band) * cells);
        let words = space.subsets(self.slice.opponent).words();
        self.tiles.with_band(self.form, band, all, |[loss, not_win]| {
            let turned = |plane: &Plane| {
                let mut turned = Plane::sized(rows.len(), padded_words(words), block_words(words));
                transpose(order, plane, None, &mut turned, Merge::Copy, |_, _, _| ());
                turned
            };
            Rows { loss: turned(loss), not_win: turned(not_win), range: rows.clone() }
        })
    }
}

impl Content for TiledValues<'_> {
    const METRIC: Metric = Metric::Wdl;
    const PER_BYTE: u64 = SliceValues::PER_BYTE;

    fn slice(&self) -> Slice {
        self.slice
    }

    fn prepare(&self, space: &Space, first: u64, count: u64) -> Result<(), TableError> {
        let words = space.words(self.slice.opponent);
        #[allow(clippy::cast_possible_truncation)] // rows are numbered in memory
        let needed = (first / words) as usize..(first + count).div_ceil(words) as usize;
        let width = self.tiles.layout().forms[self.form].width * group_rows(space.symmetry().order());
        let mut window = self.window.write().unwrap_or_else(PoisonError::into_inner);
        window.retain(|rows| rows.range.end > needed.start);
        let mut next = window.last().map_or(needed.start / width * width, |rows| rows.range.end);
        while next < needed.end {
            let band = next / width;
            *self.given.lock().unwrap_or_else(PoisonError::into_inner) = band + 1;
            let rows = self.rows(space, band, false)?.expect("the first rank writes");
            next = rows.range.end;
            window.push(rows);
        }
        Ok(())
    }

    fn encode(&self, space: &Space, first: u64, count: u64) -> (Vec<u8>, Counts, Depths) {
        let window = self.window.read().unwrap_or_else(PoisonError::into_inner);
        let values = |row: usize, word: usize| {
            let rows =
                window.iter().find(|rows| rows.range.contains(&row)).expect("the writer asks for what it had prepared");
            let row = row - rows.range.start;
            [rows.not_win.row(row)[word], rows.loss.row(row)[word]]
        };
        let (packed, counts) = encode_block(space, self.slice, values, first, count);
        (packed, counts, Depths::default())
    }
}

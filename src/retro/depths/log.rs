//! Layers: for each number of plies the positions that are decided in that many, in segments of a store.
//!
//! An entry is a word of a plane by the opponent's orbits: its place, and the bits in it that are decided. A segment has entries of one layer and
//! one band of columns.

use bincode::{Decode, Encode};
use rayon::prelude::*;

use crate::index::Slice;
use crate::table::{Cell, TableError};

use super::super::tiles::{Entries, Segment, Segments, Store};

/// Bytes of a segment, about: a disk takes longer to read a segment than to seek it.
const SEGMENT: usize = 1 << 16;

/// The segments of a slice, by number of plies and band.
pub type Layers = Vec<Vec<Vec<Segment>>>;

/// How the rows of a slice are cut into bands of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Bands {
    /// Words of a row.
    pub words: usize,
    /// Words of a band, the last excepted.
    pub width: usize,
}

impl Bands {
    /// Number of bands.
    pub fn count(self) -> usize {
        self.words.div_ceil(self.width)
    }

    /// The words of a band.
    pub fn of(self, band: usize) -> std::ops::Range<usize> {
        band * self.width..self.words.min((band + 1) * self.width)
    }
}

/// The layers of a pair in a store. The key of a segment says for which of the two slices it is, its layer and its band.
pub struct Log<'a> {
    segments: Segments<'a, (usize, usize, usize)>,
    slice: Slice,
}

impl<'a> Log<'a> {
    /// The log of a pair, which has that many words so far.
    pub fn new(store: &'a dyn Store, slice: Slice, words: u64) -> Self {
        Self { segments: Segments::new(store, 0, words), slice }
    }

    /// Number of words.
    pub fn words(&self) -> u64 {
        self.segments.words()
    }

    /// Adds the segments written since the last call to the layers of both slices, in that many bands.
    pub fn note_written(&self, layers: &mut [Layers], bands: &[Bands]) {
        for ((side, plies, band), segment) in self.segments.take() {
            let (layers, bands) = (&mut layers[side], bands[side].count());
            if layers.len() <= plies {
                layers.resize(plies + 1, vec![Vec::new(); bands]);
            }
            layers[plies][band].push(segment);
        }
    }

    /// Passes on the row, the word and the bits of all entries of some segments, with all threads.
    ///
    /// # Errors
    /// Those of the store; [`TableError::ScratchDamaged`] if it does not return what was written to it.
    pub fn read<'s>(
        &self,
        bands: Bands,
        segments: impl IntoIterator<Item = &'s Segment>,
        take: impl Fn(usize, usize, u64) + Sync,
    ) -> Result<(), TableError> {
        let segments: Vec<Segment> = segments.into_iter().copied().collect();
        segments.into_par_iter().try_for_each_init(Vec::new, |words, segment| {
            let whole = self.segments.read(&segment, words, bands.words, &take)?;
            if whole { Ok(()) } else { Err(TableError::ScratchDamaged(self.slice)) }
        })
    }
}

/// The entries of one thread before they are written.
pub struct Outbox<'l> {
    log: &'l Log<'l>,
    side: usize,
    bands: Bands,
    /// Number of bands.
    count: usize,
    /// By layer, then band.
    gathered: Vec<Entries>,
    bytes: usize,
    /// Bytes that are gathered, at most.
    most: usize,
    failed: Option<TableError>,
}

impl<'l> Outbox<'l> {
    /// An empty outbox for one of the slices, which takes about `bytes` bytes.
    pub fn new(log: &'l Log<'l>, (side, bands): (usize, Bands), bytes: u64) -> Self {
        // Lists grow in powers of two.
        let most = usize::try_from(bytes / 2).unwrap_or(usize::MAX);
        Self { log, side, bands, count: bands.count(), gathered: Vec::new(), bytes: 0, most, failed: None }
    }

    /// Adds the bits of a word that are decided in so many plies. A failure is kept until [`Outbox::finish`].
    #[inline]
    pub fn push(&mut self, plies: usize, row: usize, word: usize, bits: u64) {
        let list = plies * self.count + if self.count == 1 { 0 } else { word / self.bands.width };
        if list >= self.gathered.len() {
            self.gathered.resize_with((plies + 1) * self.count, Entries::default);
        }
        let entries = &mut self.gathered[list];
        let before = entries.len();
        entries.push((row * self.bands.words + word) as u64, bits);
        self.bytes += entries.len() - before;
        if entries.len() >= SEGMENT {
            self.write(list);
        }
        if self.bytes >= self.most {
            self.make_room();
        }
    }

    /// Adds a row of scores that captures lead to.
    pub fn push_row<C: Cell>(&mut self, row: usize, cells: &[C]) {
        for (word, cells) in cells.chunks(64).enumerate() {
            let halves = cells.as_chunks::<HALF>().0;
            let mut left = !equal(halves, C::DRAW) & (u64::MAX >> (64 - cells.len()));
            while left != 0 {
                let cell = cells[left.trailing_zeros() as usize];
                let bits = equal(halves, cell);
                left &= !bits;
                self.push(plies(cell), row, word, bits);
            }
        }
    }

    /// Writes the longer lists: at least half of all.
    #[cold]
    fn make_room(&mut self) {
        let filled = self.gathered.iter().filter(|entries| !entries.is_empty()).count();
        let least = self.bytes / filled.max(1) / 2;
        for list in 0..self.gathered.len() {
            if self.gathered[list].len() > least {
                self.write(list);
            }
        }
    }

    /// Writes a list.
    fn write(&mut self, list: usize) {
        let entries = &mut self.gathered[list];
        self.bytes -= entries.len();
        let packed = entries.take();
        if self.failed.is_none() {
            let key = (self.side, list / self.count, list % self.count);
            self.failed = self.log.segments.write(key, &packed).err();
        }
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// The first failure of the store.
    pub fn finish(mut self) -> Result<(), TableError> {
        for list in 0..self.gathered.len() {
            if !self.gathered[list].is_empty() {
                self.write(list);
            }
        }
        self.failed.map_or(Ok(()), Err)
    }
}

/// The number of plies in which a position is decided whose best turn leaves the opponent with `left`, which is not a draw.
#[inline(always)]
fn plies<C: Cell>(left: C) -> usize {
    // A loss of the opponent in n steps makes a win in n, and a win in n a loss in n + 1.
    if left < C::DRAW { 2 * usize::from(left.number()) + 1 } else { 2 * usize::from((!left).number()) }
}

/// What the best turn in a position that is decided in `plies` plies leaves the opponent with.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // as many steps as fit
pub fn left_by<C: Cell>(plies: usize) -> C {
    let cell = C::loss((plies / 2) as u16);
    if plies % 2 == 1 { cell } else { !cell }
}

/// Cells that are compared together: rows are padded to whole multiples of them.
const HALF: usize = 32;

/// A bit for each of up to 64 cells that has that value.
#[inline(always)]
fn equal<C: Cell>(halves: &[[C; HALF]], cell: C) -> u64 {
    halves.iter().enumerate().fold(0, |bits, (half, cells)| {
        let mut bytes = [0u8; HALF];
        for place in 0..HALF {
            bytes[place] = u8::from(cells[place] == cell);
        }
        bits | gather(&bytes) << (half * HALF)
    })
}

/// A bit for each byte, of bytes that are 0 or 1.
#[inline(always)]
fn gather(bytes: &[u8; HALF]) -> u64 {
    let mut bits = 0;
    for (number, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // Byte n adds its bit at 56 + n, and none of the other sums of places meets another.
        bits |= (u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * number);
    }
    bits
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::memory::MemoryStore;
    use super::*;
    use crate::table::RowValue as _;

    fn plies_are_those_of_the_score_in<C: Cell>() {
        for step in [0, 1, 5, C::MAX_STEPS - 1] {
            for left in [C::loss(step), C::win(step)] {
                assert_eq!(left.before().score().plies(), u32::try_from(plies(left)).ok());
                assert_eq!(left_by::<C>(plies(left)), left);
            }
        }
        assert_eq!(plies(C::NONE), 0);
    }

    #[test]
    fn plies_are_those_of_the_score() {
        plies_are_those_of_the_score_in::<u8>();
        plies_are_those_of_the_score_in::<u16>();
    }

    #[test]
    fn rows_come_back_from_their_layers() {
        let mut random = fastrand::Rng::with_seed(5);
        let bands = Bands { words: 5, width: 2 };
        let values = [u8::DRAW, u8::loss(0), u8::loss(3), u8::win(2), u8::win(100)];
        let rows: Vec<Vec<u8>> =
            (0..700).map(|_| (0..288).map(|_| *random.choice(&values).expect("one")).collect()).collect();
        // Segments of any length, and such as are written because there is no more room.
        for bytes in [100, 5_000, 1 << 20] {
            let store = MemoryStore::default();
            let log = Log::new(&store, Slice::new(3, 2), 0);
            let mut outbox = Outbox::new(&log, (0, bands), bytes);
            for (row, cells) in rows.iter().enumerate() {
                outbox.push_row(row, cells);
            }
            outbox.finish().expect("memory");
            let mut layers = [Layers::new()];
            log.note_written(&mut layers, &[bands]);
            let found = Mutex::new(vec![vec![u8::DRAW; 288]; rows.len()]);
            for (plies, by_band) in layers[0].iter().enumerate() {
                for (band, segments) in by_band.iter().enumerate() {
                    let take = |row: usize, word, bits: u64| {
                        assert!(bands.of(band).contains(&word));
                        for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
                            let cell = &mut found.lock().expect("rows")[row][64 * word + bit];
                            assert_eq!(std::mem::replace(cell, left_by(plies)), u8::DRAW);
                        }
                    };
                    log.read(bands, segments, take).expect("whole");
                }
            }
            assert!(found.into_inner().expect("rows") == rows, "{bytes} bytes");
        }
    }
}

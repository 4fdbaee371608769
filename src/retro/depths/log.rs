//! Layers: for each number of plies the positions that are decided in that many, in segments of a store.
//!
//! An entry is a word of a plane by the opponent's orbits: its place, and the bits in it that are decided. A segment has entries of one layer and
//! one band of columns, three to ten bytes each. It has the place as the difference to the one before, seven bits a byte; a byte that says
//! which bytes of the word are not zero; and these. (zstd makes it a third smaller, in ten times the time.)

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bincode::{Decode, Encode};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::IntoBytes;

use crate::index::Slice;
use crate::table::{Cell, TableError};

use super::super::tiles::Store;

/// Bytes of a segment, about: a disk takes longer to read a segment than to seek it.
const SEGMENT: usize = 1 << 16;

/// A stretch of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Segment {
    at: u64,
    bytes: u64,
    /// The xxh3 of the bytes.
    sum: u64,
}

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

/// A segment that was written: of which of the two slices, its layer and its band.
type Written = (usize, usize, usize, Segment);

/// The part of a store that is in use, while several threads add segments.
pub struct Log<'a> {
    store: &'a dyn Store,
    slice: Slice,
    end: AtomicU64,
    written: Mutex<Vec<Written>>,
}

impl<'a> Log<'a> {
    /// The log of a pair, which has that many words so far.
    pub fn new(store: &'a dyn Store, slice: Slice, words: u64) -> Self {
        Self { store, slice, end: words.into(), written: Mutex::default() }
    }

    /// Number of words.
    pub fn words(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    /// Adds the segments written since the last call to the layers of both slices, in that many bands.
    pub fn note_written(&self, layers: &mut [Layers], bands: &[Bands]) {
        for (side, plies, band, segment) in self.written.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
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
            #[allow(clippy::cast_possible_truncation)] // as they were in memory before
            let bytes = segment.bytes as usize;
            words.resize(bytes.div_ceil(8), 0u64);
            self.store.read(segment.at, words)?;
            let bytes = &words.as_bytes()[..bytes];
            let whole = xxh3_64(bytes) == segment.sum && each_entry(bytes, bands.words, &take).is_some();
            if whole { Ok(()) } else { Err(TableError::ScratchDamaged(self.slice)) }
        })
    }
}

/// Entries of a layer and a band that are gathered.
#[derive(Default)]
struct Gathered {
    bytes: Vec<u8>,
    last: u64,
}

/// The entries of one thread before they are written.
pub struct Outbox<'l> {
    log: &'l Log<'l>,
    side: usize,
    bands: Bands,
    /// Number of bands.
    count: usize,
    /// By layer, then band.
    gathered: Vec<Gathered>,
    bytes: usize,
    /// Bytes that are gathered, at most.
    most: usize,
    words: Vec<u64>,
    failed: Option<TableError>,
}

impl<'l> Outbox<'l> {
    /// An empty outbox for one of the slices, which takes about `bytes` bytes.
    pub fn new(log: &'l Log<'l>, (side, bands): (usize, Bands), bytes: u64) -> Self {
        // Lists grow in powers of two.
        let most = usize::try_from(bytes / 2).unwrap_or(usize::MAX);
        Self {
            log,
            side,
            bands,
            count: bands.count(),
            gathered: Vec::new(),
            bytes: 0,
            most,
            words: Vec::new(),
            failed: None,
        }
    }

    /// Adds the bits of a word that are decided in so many plies. A failure is kept until [`Outbox::finish`].
    #[inline]
    pub fn push(&mut self, plies: usize, row: usize, word: usize, bits: u64) {
        let list = plies * self.count + if self.count == 1 { 0 } else { word / self.bands.width };
        if list >= self.gathered.len() {
            self.gathered.resize_with((plies + 1) * self.count, Gathered::default);
        }
        let Gathered { bytes, last } = &mut self.gathered[list];
        let (place, before) = ((row * self.bands.words + word) as u64, bytes.len());
        put(bytes, place.wrapping_sub(*last), bits);
        *last = place;
        self.bytes += bytes.len() - before;
        if bytes.len() >= SEGMENT {
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
        let filled = self.gathered.iter().filter(|gathered| !gathered.bytes.is_empty()).count();
        let least = self.bytes / filled.max(1) / 2;
        for list in 0..self.gathered.len() {
            if self.gathered[list].bytes.len() > least {
                self.write(list);
            }
        }
    }

    /// Writes a list.
    fn write(&mut self, list: usize) {
        let Gathered { bytes, last } = &mut self.gathered[list];
        if self.failed.is_none() {
            self.words.resize(bytes.len().div_ceil(8), 0);
            self.words.as_mut_bytes()[..bytes.len()].copy_from_slice(bytes);
            let at = self.log.end.fetch_add(self.words.len() as u64, Ordering::Relaxed);
            let (plies, band) = (list / self.count, list % self.count);
            let segment = Segment { at, bytes: bytes.len() as u64, sum: xxh3_64(bytes) };
            self.failed = self.log.store.write(at, &self.words).err();
            self.log.written.lock().unwrap_or_else(PoisonError::into_inner).push((self.side, plies, band, segment));
        }
        self.bytes -= bytes.len();
        bytes.clear();
        *last = 0;
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// The first failure of the store.
    pub fn finish(mut self) -> Result<(), TableError> {
        for list in 0..self.gathered.len() {
            if !self.gathered[list].bytes.is_empty() {
                self.write(list);
            }
        }
        self.failed.map_or(Ok(()), Err)
    }
}

/// Set in all bytes of a number but the last.
const MORE: u8 = 0x80;

/// Adds an entry: the difference of its place to the one before, which may be negative, and its bits.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // seven bits at a time
fn put(bytes: &mut Vec<u8>, difference: u64, bits: u64) {
    // Small differences of either sign are small numbers.
    let mut number = difference << 1 ^ 0u64.wrapping_sub(difference >> 63);
    while number >= u64::from(MORE) {
        bytes.push(number as u8 | MORE);
        number >>= 7;
    }
    let (mut filled, mut kept, mut count) = (0, [0; 8], 0);
    for (place, byte) in bits.to_le_bytes().into_iter().enumerate() {
        kept[count % 8] = byte;
        count += usize::from(byte != 0);
        filled |= u8::from(byte != 0) << place;
    }
    bytes.extend_from_slice(&[number as u8, filled]);
    bytes.extend_from_slice(&kept);
    bytes.truncate(bytes.len() - 8 + count);
}

/// Passes on the row, the word and the bits of all entries, in rows of `words` words; `None` if they do not end where the bytes end.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)] // places of words in memory
fn each_entry(mut bytes: &[u8], words: usize, take: impl Fn(usize, usize, u64)) -> Option<()> {
    let (words, mut row, mut word) = (words as i64, 0, 0);
    while !bytes.is_empty() {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let (&byte, rest) = bytes.split_first()?;
            bytes = rest;
            number |= u64::from(byte & !MORE).checked_shl(shift)?;
            shift += 7;
            if byte & MORE == 0 {
                break;
            }
        }
        // Most entries are in the same row as the one before.
        word += (number >> 1) as i64 ^ -((number & 1) as i64);
        if !(0..words).contains(&word) {
            row += word.div_euclid(words);
            word = word.rem_euclid(words);
        }
        let (&(mut filled), rest) = bytes.split_first()?;
        let (kept, rest) = rest.split_at_checked(filled.count_ones() as usize)?;
        bytes = rest;
        let mut bits = 0;
        for &byte in kept {
            bits |= u64::from(byte) << (8 * filled.trailing_zeros());
            filled &= filled - 1;
        }
        take(row as usize, word as usize, bits);
    }
    Some(())
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

//! Entries of a log in few bytes, and stretches of a store that are full of them.
//!
//! An entry is a word of a plane: its place, and the bits in it that something has been found out about. It takes three to ten bytes: the difference of
//! its place to the one before, seven bits a byte; a byte that says which bytes of the word are not zero; and these. (zstd makes it a third
//! smaller, in ten times the time.)

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bincode::{Decode, Encode};
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::IntoBytes;

use crate::table::TableError;

use super::store::Store;

/// Entries that are gathered.
#[derive(Debug, Default)]
pub struct Entries {
    bytes: Vec<u8>,
    count: u64,
    last: u64,
}

impl Entries {
    /// Adds the bits of the word at a place.
    #[inline(always)]
    pub fn push(&mut self, place: u64, bits: u64) {
        put(&mut self.bytes, place.wrapping_sub(self.last), bits);
        (self.count, self.last) = (self.count + 1, place);
    }

    /// Number of bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// All of them; none are left.
    pub fn take(&mut self) -> Packed {
        let mut words = vec![0u64; self.bytes.len().div_ceil(8)];
        words.as_mut_bytes()[..self.bytes.len()].copy_from_slice(&self.bytes);
        let packed = Packed { words, bytes: self.bytes.len() as u64, count: self.count };
        self.bytes.clear();
        (self.count, self.last) = (0, 0);
        packed
    }
}

/// Entries as they are stored and sent.
pub struct Packed {
    /// Their bytes.
    pub words: Vec<u64>,
    /// How many bytes there are.
    pub bytes: u64,
    /// How many entries there are.
    pub count: u64,
}

/// Packed entries in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Segment {
    /// The word of the store at which they begin.
    at: u64,
    bytes: u64,
    /// The xxh3 of the bytes.
    sum: u64,
    /// How many entries there are.
    pub count: u64,
}

/// The part of a store that a log takes, while several threads add segments. Each segment has a key that says what it is for.
pub struct Segments<'a, K> {
    store: &'a dyn Store,
    first: u64,
    end: AtomicU64,
    written: Mutex<Vec<(K, Segment)>>,
}

impl<'a, K> Segments<'a, K> {
    /// Segments from word `first` of a store on, which take that many words so far.
    pub fn new(store: &'a dyn Store, first: u64, words: u64) -> Self {
        Self { store, first, end: words.into(), written: Mutex::default() }
    }

    /// Number of words.
    pub fn words(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    /// Adds a segment.
    ///
    /// # Errors
    /// Errors of the store.
    #[allow(clippy::cast_possible_truncation)] // they are in memory
    pub fn write(&self, key: K, packed: &Packed) -> Result<(), TableError> {
        let &Packed { ref words, bytes, count } = packed;
        let at = self.first + self.end.fetch_add(words.len() as u64, Ordering::Relaxed);
        self.store.write(at, words)?;
        let segment = Segment { at, bytes, sum: xxh3_64(&words.as_bytes()[..bytes as usize]), count };
        self.written.lock().unwrap_or_else(PoisonError::into_inner).push((key, segment));
        Ok(())
    }

    /// The segments written since the last call.
    pub fn take(&self) -> Vec<(K, Segment)> {
        std::mem::take(&mut self.written.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads a segment and passes on the row, the column and the bits of each entry, in rows of `columns` places. `false` if it is damaged.
    ///
    /// # Errors
    /// Errors of the store.
    #[allow(clippy::cast_possible_truncation)] // as they were in memory before
    pub fn read(
        &self,
        segment: &Segment,
        words: &mut Vec<u64>,
        columns: usize,
        take: impl FnMut(usize, usize, u64),
    ) -> Result<bool, TableError> {
        let bytes = segment.bytes as usize;
        words.resize(bytes.div_ceil(8), 0);
        self.store.read(segment.at, words)?;
        let bytes = &words.as_bytes()[..bytes];
        Ok(xxh3_64(bytes) == segment.sum && each_entry(bytes, columns, take).is_some())
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

/// Passes on the row, the column and the bits of all entries, in rows of `columns` places; `None` if they do not end where the bytes end.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)] // places of words in memory
fn each_entry(mut bytes: &[u8], columns: usize, mut take: impl FnMut(usize, usize, u64)) -> Option<()> {
    let (columns, mut row, mut column) = (columns as i64, 0, 0);
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
        column += (number >> 1) as i64 ^ -((number & 1) as i64);
        if !(0..columns).contains(&column) {
            row += column.div_euclid(columns);
            column = column.rem_euclid(columns);
        }
        let (&(mut filled), rest) = bytes.split_first()?;
        let (kept, rest) = rest.split_at_checked(filled.count_ones() as usize)?;
        bytes = rest;
        let mut bits = 0;
        for &byte in kept {
            bits |= u64::from(byte) << (8 * filled.trailing_zeros());
            filled &= filled - 1;
        }
        take(row as usize, column as usize, bits);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back() {
        let mut random = fastrand::Rng::with_seed(1);
        for columns in [1, 7, 1 << 20] {
            let mut entry = || (random.usize(..1 << 20), random.usize(..columns), random.u64(..) & random.u64(..));
            let expected: Vec<(usize, usize, u64)> = (0..1000).map(|_| entry()).collect();
            let mut entries = Entries::default();
            for &(row, column, bits) in &expected {
                entries.push((row * columns + column) as u64, bits);
            }
            let (Packed { words, bytes, count }, mut found) = (entries.take(), Vec::new());
            let bytes = &words.as_bytes()[..usize::try_from(bytes).expect("in memory")];
            each_entry(bytes, columns, |row, column, bits| found.push((row, column, bits))).expect("whole");
            assert_eq!((found, count), (expected, 1000));
            assert!(each_entry(&bytes[..bytes.len() - 1], columns, |_, _, _| ()).is_none());
        }
    }
}

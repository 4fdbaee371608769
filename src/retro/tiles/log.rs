//! The log: what a step finds for other bands, as words to merge into their planes when these are next worked on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bincode::{Decode, Encode};
use rayon::prelude::*;

use crate::table::TableError;

use super::super::communicator::Communicator;
use super::super::planes::Marks;
use super::layout::{Form, LOSS, NOT_WIN, OPEN, Planes};
use super::store::Store;

/// Words of a log entry: the place of its bits, and the bits.
const ENTRY: usize = 2;

/// The largest number of words collected for a band before they are written.
const GATHERED: usize = 1 << 15;

/// How many of `memory` bytes the outboxes of all threads may take, and also what is merged at a time.
pub fn outbox_bytes(memory: u64) -> u64 {
    (memory / 64).clamp(4 << 20, 32 << 20)
}

/// How many of `memory` bytes a log takes: outboxes, and what is merged, in a list that grows.
pub fn log_bytes(memory: u64) -> u64 {
    3 * outbox_bytes(memory)
}

/// The largest number of words of a log that are merged at a time.
const MERGED: u64 = 1 << 21;

/// A stretch of the log: entries for one band.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Segment {
    /// The word of the log at which it begins.
    pub at: u64,
    /// Its words.
    pub words: u64,
    /// The checksum of its words, see [`sum`].
    pub sum: u64,
}

/// What the word at place `at` adds to a checksum. So checksums of parts add up, and a changed word changes the sum by a difference.
#[inline(always)]
pub fn summand(at: usize, word: u64) -> u64 {
    let mixed = (word ^ (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (mixed ^ mixed >> 32).wrapping_mul(0xc4ce_b9fe_1a85_ec53)
}

/// The checksum of words, the first of which is at place `first`.
pub fn sum(first: usize, words: &[u64]) -> u64 {
    words.iter().enumerate().fold(0, |sum: u64, (at, &word)| sum.wrapping_add(summand(first + at, word)))
}

/// The checksum of many words, with all threads.
pub fn sum_of_plane(words: &[u64]) -> u64 {
    const PIECE: usize = 1 << 16;
    let pieces = words.par_chunks(PIECE).enumerate().map(|(number, words)| sum(number * PIECE, words));
    pieces.reduce(|| 0, u64::wrapping_add)
}

/// The log while several threads add entries; entries for bands of other ranks are collected until they are sent.
pub struct Log<'a> {
    store: &'a dyn Store,
    first: u64,
    end: AtomicU64,
    written: Mutex<Vec<Written>>,
    rank: usize,
    /// Bytes for the outboxes of all threads, and for what is merged at a time.
    outboxes: u64,
    /// By rank: frames of a form, a band, a number of words, and the words of entries.
    outgoing: Mutex<Vec<Vec<u64>>>,
}

/// Words before the entries of a frame.
const FRAME: usize = 3;

/// A segment that was written: its form and band, and whether it comes from the band itself.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// The form.
    pub form: usize,
    /// The band.
    pub band: usize,
    /// The band itself has closed these open positions.
    pub own: bool,
    /// Where it is.
    pub segment: Segment,
}

impl<'a> Log<'a> {
    /// A log that begins at word `first` of a store and has `words` words so far. Outboxes take `outboxes` bytes.
    pub fn new(store: &'a dyn Store, communicator: &dyn Communicator, first: u64, words: u64, outboxes: u64) -> Self {
        let outgoing = Mutex::new(vec![Vec::new(); communicator.size()]);
        Self {
            store,
            first,
            end: words.into(),
            written: Mutex::default(),
            rank: communicator.rank(),
            outboxes,
            outgoing,
        }
    }

    /// Adds entries for a band, to the log if this rank has the band.
    fn append(&self, (form, band, own): (usize, usize, bool), owner: usize, entries: &[u64]) -> Result<(), TableError> {
        if owner == self.rank {
            return self.write((form, band, own), entries);
        }
        let outgoing = &mut self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)[owner];
        outgoing.extend([form as u64, band as u64, entries.len() as u64]);
        outgoing.extend(entries);
        Ok(())
    }

    /// The entries for each rank since the last call.
    pub fn outgoing(&self) -> Vec<Vec<u64>> {
        let outgoing = &mut *self.outgoing.lock().unwrap_or_else(PoisonError::into_inner);
        let nothing = vec![Vec::new(); outgoing.len()];
        std::mem::replace(outgoing, nothing)
    }

    /// Writes the entries that a rank has sent.
    ///
    /// # Errors
    /// Errors of the store.
    #[allow(clippy::cast_possible_truncation)] // as they were in memory before
    pub fn receive(&self, mut words: &[u64]) -> Result<(), TableError> {
        while let Some((&[form, band, length], rest)) = words.split_first_chunk::<FRAME>() {
            let (entries, rest) = rest.split_at(length as usize);
            self.write((form as usize, band as usize, false), entries)?;
            words = rest;
        }
        Ok(())
    }

    /// Number of words.
    pub fn words(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    fn write(&self, (form, band, own): (usize, usize, bool), entries: &[u64]) -> Result<(), TableError> {
        let words = entries.len() as u64;
        let at = self.end.fetch_add(words, Ordering::Relaxed);
        self.store.write(self.first + at, entries)?;
        let segment = Segment { at, words, sum: sum(0, entries) };
        self.written.lock().unwrap_or_else(PoisonError::into_inner).push(Written { form, band, own, segment });
        Ok(())
    }

    /// The segments written since the last call.
    pub fn take(&self) -> Vec<Written> {
        std::mem::take(&mut self.written.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads segments and passes on their entries in large pieces. `false` if one is damaged.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn read(&self, segments: &[Segment], mut merge: impl FnMut(&[u64])) -> Result<bool, TableError> {
        let mut words = Vec::new();
        let mut segments = segments.iter().peekable();
        while let Some(segment) = segments.next() {
            let before = words.len();
            #[allow(clippy::cast_possible_truncation)] // as they were in memory before
            words.resize(before + segment.words as usize, 0);
            self.store.read(self.first + segment.at, &mut words[before..])?;
            if sum(0, &words[before..]) != segment.sum {
                return Ok(false);
            }
            if words.len() as u64 >= MERGED.min(self.outboxes / 8) || segments.peek().is_none() {
                merge(&words);
                words.clear();
            }
        }
        Ok(true)
    }
}

/// The entries of one thread before they are added to the log.
pub struct Outbox<'l> {
    log: &'l Log<'l>,
    forms: &'l [Form],
    /// By form, then band: those from other bands, and its own.
    entries: Vec<Vec<[Vec<u64>; 2]>>,
    /// Words that are gathered for a band before they are written.
    gathered: usize,
}

impl<'l> Outbox<'l> {
    /// An empty outbox for bands of these forms; entries are for bands of form `target`, and for one other band at a time.
    pub fn new(log: &'l Log<'l>, forms: &'l [Form], target: usize) -> Self {
        let entries: Vec<_> = forms.iter().map(|form| vec![[Vec::new(), Vec::new()]; form.bands()]).collect();
        let lists = (forms[target].bands() + 1) * rayon::current_num_threads();
        // Lists grow in powers of two.
        let words = (log.outboxes / 8 / lists as u64).max(ENTRY as u64);
        Self { log, forms, entries, gathered: GATHERED.min(1 << words.ilog2()) }
    }

    /// Adds bits for a plane, at a row and a word of it.
    ///
    /// # Errors
    /// Errors of the store.
    #[inline]
    pub fn push(
        &mut self,
        (form, band): (usize, usize),
        plane: usize,
        (row, word): (usize, usize),
        bits: u64,
    ) -> Result<(), TableError> {
        let own = plane == OPEN;
        let entries = &mut self.entries[form][band][usize::from(own)];
        entries.extend([(row as u64) << 32 | (word as u64) << 2 | plane as u64, bits]);
        if entries.len() >= self.gathered {
            self.log.append((form, band, own), self.forms[form].owner(band), entries)?;
            entries.clear();
        }
        Ok(())
    }

    /// Writes the remaining entries.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn finish(self) -> Result<(), TableError> {
        for (form, bands) in self.entries.iter().enumerate() {
            for (band, both) in bands.iter().enumerate() {
                for (own, entries) in [false, true].into_iter().zip(both).filter(|(_, entries)| !entries.is_empty()) {
                    self.log.append((form, band, own), self.forms[form].owner(band), entries)?;
                }
            }
        }
        Ok(())
    }
}

/// Merges entries into the planes of a band that begins at word `start` of a row, and returns the change of each plane's checksum.
/// `changed` are marks for new losses and for new wins. Merging an entry twice changes nothing.
pub fn merge(planes: &mut Planes, start: usize, entries: &[u64], changed: Option<&[Marks; 2]>) -> [u64; 3] {
    let (rows, width, block) = (planes[OPEN].rows(), planes[OPEN].stride(), planes[OPEN].block());
    let share = rows.div_ceil(rayon::current_num_threads());
    let [open, loss, not_win] = planes.each_mut().map(|plane| plane.words_mut().par_chunks_mut(share * width));
    let parts = open.zip(loss).zip(not_win).enumerate().map(|(number, ((open, loss), not_win))| {
        let parts = [open, loss, not_win];
        let (first, mut sums) = (number * share, [0u64; 3]);
        let rows = first..first + parts[OPEN].len() / width;
        for entry in entries.chunks_exact(ENTRY) {
            #[allow(clippy::cast_possible_truncation)] // rows and words are below 2^32
            let (row, word, plane) =
                ((entry[0] >> 32) as usize, (entry[0] as u32 >> 2) as usize - start, entry[0] as usize & 3);
            if !rows.contains(&row) {
                continue;
            }
            let there = &mut parts[plane][(row - first) * width + word];
            let merged = if plane == LOSS { *there | entry[1] } else { *there & !entry[1] };
            if merged != *there {
                let at = row * width + word;
                sums[plane] = sums[plane].wrapping_add(summand(at, merged)).wrapping_sub(summand(at, *there));
                *there = merged;
                match (changed, plane) {
                    (Some([losses, _]), LOSS) => losses.mark(row, word / block),
                    (Some([_, wins]), NOT_WIN) => wins.mark(row, word / block),
                    _ => {}
                }
            }
        }
        sums
    });
    parts.reduce(|| [0; 3], |a, b| std::array::from_fn(|plane| a[plane].wrapping_add(b[plane])))
}

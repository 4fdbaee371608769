//! The log: what a step finds for other bands, as words to merge into their planes when these are next worked on.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::table::TableError;

use super::super::communicator::Communicator;
use super::super::planes::Marks;
use super::entries::{Entries, Packed, Segment, Segments};
use super::layout::{Form, LOSS, NOT_WIN, OPEN, Planes};
use super::store::Store;

/// The largest number of bytes collected for a band before they are written.
const GATHERED: usize = 1 << 17;

/// How many of `memory` bytes the outboxes of all threads may take, and also what is merged at a time.
pub fn outbox_bytes(memory: u64) -> u64 {
    (memory / 64).clamp(4 << 20, 32 << 20)
}

/// How many of `memory` bytes a log takes: outboxes, and what is merged, in a list that grows.
pub fn log_bytes(memory: u64) -> u64 {
    3 * outbox_bytes(memory)
}

/// The largest number of bytes of entries that are merged at a time.
const MERGED: u64 = 1 << 24;

/// Bits for a plane that it lacks.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The row.
    row: usize,
    /// The word of a row of all bands.
    word: usize,
    /// The plane.
    plane: usize,
    /// The bits.
    bits: u64,
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
    segments: Segments<'a, Key>,
    rank: usize,
    /// Bytes for the outboxes of all threads, and for what is merged at a time.
    outboxes: u64,
    /// By rank: frames of a form, a band, a number of entries and of their bytes, and these.
    outgoing: Mutex<Vec<Vec<u64>>>,
}

/// Words before the entries of a frame.
const FRAME: usize = 4;

/// The form and the band that a segment is for, and whether it comes from that band itself: open positions that it has closed.
pub type Key = (usize, usize, bool);

impl<'a> Log<'a> {
    /// A log that begins at word `first` of a store and has `words` words so far. Outboxes take `outboxes` bytes.
    pub fn new(store: &'a dyn Store, communicator: &dyn Communicator, first: u64, words: u64, outboxes: u64) -> Self {
        let outgoing = Mutex::new(vec![Vec::new(); communicator.size()]);
        Self { segments: Segments::new(store, first, words), rank: communicator.rank(), outboxes, outgoing }
    }

    /// Adds entries for a band, to the log if this rank has the band.
    fn append(&self, key: Key, owner: usize, packed: &Packed) -> Result<(), TableError> {
        if owner == self.rank {
            return self.segments.write(key, packed);
        }
        let (form, band, _) = key;
        let outgoing = &mut self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)[owner];
        outgoing.extend([form as u64, band as u64, packed.count, packed.bytes]);
        outgoing.extend(&packed.words);
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
        while let Some((&[form, band, count, bytes], rest)) = words.split_first_chunk::<FRAME>() {
            let (entries, rest) = rest.split_at(bytes.div_ceil(8) as usize);
            let packed = Packed { words: entries.to_vec(), bytes, count };
            self.segments.write((form as usize, band as usize, false), &packed)?;
            words = rest;
        }
        Ok(())
    }

    /// Number of words.
    pub fn words(&self) -> u64 {
        self.segments.words()
    }

    /// The segments written since the last call.
    pub fn take(&self) -> Vec<(Key, Segment)> {
        self.segments.take()
    }

    /// Reads segments for a band of a form, those from itself or those from others, with all threads, and passes on their entries, many at a time.
    /// `false` if one is damaged.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn read(
        &self,
        form: &Form,
        own: bool,
        mut segments: &[Segment],
        mut merge: impl FnMut(&[Vec<Entry>]),
    ) -> Result<bool, TableError> {
        let most = MERGED.min(self.outboxes) / size_of::<Entry>() as u64;
        while !segments.is_empty() {
            let mut count = 0;
            let fits = |segment: &&Segment| {
                count += segment.count;
                count <= most
            };
            let together = segments.iter().take_while(fits).count().max(1);
            let (now, later) = segments.split_at(together);
            let read = |words: &mut Vec<u64>, segment: &Segment| self.entries(form, own, segment, words);
            let parts: Option<Vec<_>> = now.par_iter().map_init(Vec::new, read).collect::<Result<_, _>>()?;
            let Some(parts) = parts else { return Ok(false) };
            merge(&parts);
            segments = later;
        }
        Ok(true)
    }

    /// The entries of a segment; `None` if it is damaged.
    #[allow(clippy::cast_possible_truncation)] // as they were in memory before
    fn entries(
        &self,
        form: &Form,
        own: bool,
        segment: &Segment,
        words: &mut Vec<u64>,
    ) -> Result<Option<Vec<Entry>>, TableError> {
        let mut entries = Vec::with_capacity(segment.count as usize);
        let whole = if own {
            let take = |row, word, bits| entries.push(Entry { row, word, plane: OPEN, bits });
            self.segments.read(segment, words, form.stride, take)?
        } else {
            let take = |word, cell, bits| entries.push(Entry { row: cell / 2, word, plane: LOSS + cell % 2, bits });
            self.segments.read(segment, words, 2 * form.rows, take)?
        };
        Ok(whole.then_some(entries))
    }
}

/// Where an entry is among those for a form. What a band finds in itself it finds by rows, what it finds for others by columns: so places
/// that follow each other are near.
fn place(form: &Form, plane: usize, row: usize, word: usize) -> u64 {
    let number = if plane == OPEN { row * form.stride + word } else { 2 * (word * form.rows + row) + (plane - LOSS) };
    number as u64
}

/// The entries of one thread before they are added to the log.
pub struct Outbox<'l> {
    log: &'l Log<'l>,
    forms: &'l [Form],
    /// By form, then band: those from other bands, and its own.
    entries: Vec<Vec<[Entries; 2]>>,
    /// Bytes that are gathered for a band before they are written.
    gathered: usize,
}

impl<'l> Outbox<'l> {
    /// An empty outbox for bands of these forms; entries are for bands of form `target`, and for one other band at a time.
    pub fn new(log: &'l Log<'l>, forms: &'l [Form], target: usize) -> Self {
        let lists = |form: &Form| (0..form.bands()).map(|_| <[Entries; 2]>::default()).collect();
        let count = (forms[target].bands() + 1) * rayon::current_num_threads();
        // Lists grow in powers of two.
        let bytes = (log.outboxes / count as u64).max(1);
        Self { log, forms, entries: forms.iter().map(lists).collect(), gathered: GATHERED.min(1 << bytes.ilog2()) }
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
        let (own, shape) = (plane == OPEN, &self.forms[form]);
        let entries = &mut self.entries[form][band][usize::from(own)];
        entries.push(place(shape, plane, row, word), bits);
        if entries.len() >= self.gathered {
            self.log.append((form, band, own), shape.owner(band), &entries.take())?;
        }
        Ok(())
    }

    /// Writes the remaining entries.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn finish(self) -> Result<(), TableError> {
        for (form, (shape, bands)) in self.forms.iter().zip(self.entries).enumerate() {
            for (band, both) in bands.into_iter().enumerate() {
                for (own, mut entries) in [false, true].into_iter().zip(both).filter(|(_, entries)| !entries.is_empty())
                {
                    self.log.append((form, band, own), shape.owner(band), &entries.take())?;
                }
            }
        }
        Ok(())
    }
}

/// Merges entries into the planes of a band that begins at word `start` of a row, and returns the change of each plane's checksum.
/// `changed` are marks for new losses and for new wins. Merging an entry twice changes nothing.
pub fn merge(planes: &mut Planes, start: usize, entries: &[Vec<Entry>], changed: Option<&[Marks; 2]>) -> [u64; 3] {
    let (rows, width, block) = (planes[OPEN].rows(), planes[OPEN].stride(), planes[OPEN].block());
    let share = rows.div_ceil(rayon::current_num_threads());
    let [open, loss, not_win] = planes.each_mut().map(|plane| plane.words_mut().par_chunks_mut(share * width));
    let parts = open.zip(loss).zip(not_win).enumerate().map(|(number, ((open, loss), not_win))| {
        let parts = [open, loss, not_win];
        let (first, mut sums) = (number * share, [0u64; 3]);
        let rows = first..first + parts[OPEN].len() / width;
        for &Entry { row, word, plane, bits } in entries.iter().flatten().filter(|entry| rows.contains(&entry.row)) {
            let word = word - start;
            let there = &mut parts[plane][(row - first) * width + word];
            let merged = if plane == LOSS { *there | bits } else { *there & !bits };
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

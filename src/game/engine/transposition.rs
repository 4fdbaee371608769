//! The transposition table: positions already searched.

use std::hash::{Hash, Hasher};

/// The kind of a stored score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The exact score.
    Exact,
    /// A lower bound.
    Lower,
    /// An upper bound.
    Upper,
}

/// An entry of the transposition table.
#[derive(Clone, Copy, Debug)]
pub struct TtEntry {
    key: u64,
    /// A part of the key of the state after the best turn; 0 for none.
    pub best: u32,
    /// The score, for the side to move.
    pub score: i16,
    /// The search depth.
    pub depth: i8,
    /// The kind of the score.
    pub bound: Bound,
}

const EMPTY: TtEntry = TtEntry { key: 0, best: 0, score: 0, depth: i8::MIN, bound: Bound::Upper };

/// Entries in pairs: the first slot prefers deep entries of the present search, the second takes every other.
pub struct TranspositionTable {
    entries: Vec<[TtEntry; 2]>,
}

impl TranspositionTable {
    /// A table for this many positions, rounded down to a power of two.
    #[must_use]
    pub fn new(entries: usize) -> Self {
        Self { entries: vec![[EMPTY; 2]; 1 << (entries / 2).max(1).ilog2()] }
    }

    /// The number of positions that fit in this many bytes.
    #[must_use]
    pub const fn entries_in(bytes: usize) -> usize {
        bytes / size_of::<TtEntry>()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.fill([EMPTY; 2]);
    }

    #[allow(clippy::cast_possible_truncation)] // the low bits are the place
    fn place(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    /// The entry of a position.
    #[inline]
    #[must_use]
    pub fn get(&self, key: u64) -> Option<TtEntry> {
        self.entries[self.place(key)].iter().copied().find(|entry| entry.key == key && entry.depth != i8::MIN)
    }

    /// Stores a position: deep entries in the first slot of a pair, others in the second.
    #[inline]
    pub fn put(&mut self, key: u64, best: u32, score: i32, depth: i32, bound: Bound) {
        #[allow(clippy::cast_possible_truncation)] // scores and depths are small
        let entry = TtEntry { key, best, score: score as i16, depth: depth.clamp(-100, 100) as i8, bound };
        let place = self.place(key);
        let [deep, new] = &mut self.entries[place];
        if deep.key == key || entry.depth >= deep.depth {
            if deep.key != key {
                *new = *deep;
            }
            *deep = entry;
        } else {
            *new = entry;
        }
    }

    /// Halves the depths of stored entries, so that those of earlier searches are replaced.
    pub fn age(&mut self) {
        for [deep, _] in &mut self.entries {
            deep.depth = deep.depth.max(i8::MIN + 1) / 2;
        }
    }
}

/// A fast hash for positions, which are a few words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixer(u64);

impl Mixer {
    /// The key of a value.
    #[inline]
    pub fn key(value: &impl Hash) -> u64 {
        let mut mixer = Self(0);
        value.hash(&mut mixer);
        mixer.finish()
    }
}

impl Hasher for Mixer {
    #[inline]
    fn finish(&self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ (mixed >> 32)
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 29;
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_isize(&mut self, word: isize) {
        self.write_u64(word.cast_unsigned() as u64);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

//! The transposition table: positions already searched, shared by the threads of a search.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::index::OutOfMemory;

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
    /// A part of the key of the state after the best turn; 0 for none.
    pub best: u32,
    /// The score, for the side to move.
    pub score: i16,
    /// The search depth.
    pub depth: i8,
    /// The kind of the score.
    pub bound: Bound,
    /// The search that stored it, modulo [`AGES`].
    age: u8,
}

/// The number of different ages of searches.
const AGES: u8 = 64;

/// Pairs of entries that are counted to estimate how full a table is.
const SAMPLE: usize = 2_000;

impl TtEntry {
    /// The entry as a word, which is never 0.
    fn to_word(self) -> u64 {
        let bound = match self.bound {
            Bound::Exact => 1,
            Bound::Lower => 2,
            Bound::Upper => 3,
        };
        let [low, high] = self.score.to_le_bytes();
        let [a, b, c, d] = self.best.to_le_bytes();
        u64::from_le_bytes([a, b, c, d, low, high, self.depth.to_le_bytes()[0], self.age << 2 | bound])
    }

    /// The entry of a word; `None` if it is empty.
    fn from_word(word: u64) -> Option<Self> {
        let [a, b, c, d, low, high, depth, rest] = word.to_le_bytes();
        let bound = match rest & 3 {
            0 => return None,
            1 => Bound::Exact,
            2 => Bound::Lower,
            _ => Bound::Upper,
        };
        Some(Self {
            best: u32::from_le_bytes([a, b, c, d]),
            score: i16::from_le_bytes([low, high]),
            depth: i8::from_le_bytes([depth]),
            bound,
            age: rest >> 2,
        })
    }
}

/// An entry in memory: its key xored with its word, and the word. If two threads write at the same time, the key no longer
/// fits.
#[derive(Default)]
struct Slot([AtomicU64; 2]);

impl Slot {
    #[inline]
    fn load(&self) -> (u64, u64) {
        let [key, word] = &self.0;
        let (key, word) = (key.load(Ordering::Relaxed), word.load(Ordering::Relaxed));
        (key ^ word, word)
    }

    fn store(&self, key: u64, word: u64) {
        self.0[0].store(key ^ word, Ordering::Relaxed);
        self.0[1].store(word, Ordering::Relaxed);
    }
}

/// Entries in pairs: the first slot prefers deep entries of the present search, the second takes every other.
pub struct TranspositionTable {
    entries: Vec<[Slot; 2]>,
    age: AtomicU8,
}

impl TranspositionTable {
    /// A table for this many positions, rounded down to a power of two.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system has no memory for it.
    pub fn new(entries: usize) -> Result<Self, OutOfMemory> {
        let pairs = 1 << (entries / 2).max(1).ilog2();
        let mut entries = Vec::new();
        let refused = |_| OutOfMemory { bytes: (pairs as u64).saturating_mul(size_of::<[Slot; 2]>() as u64) };
        entries.try_reserve_exact(pairs).map_err(refused)?;
        entries.resize_with(pairs, Default::default);
        Ok(Self { entries, age: AtomicU8::new(0) })
    }

    /// The number of positions that fit in this many bytes.
    #[must_use]
    pub const fn entries_in(bytes: usize) -> usize {
        bytes / size_of::<Slot>()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.iter_mut().for_each(|pair| *pair = Default::default());
    }

    #[allow(clippy::cast_possible_truncation)] // the low bits are the place
    fn place(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    /// The entry of a position.
    #[inline]
    #[must_use]
    pub fn get(&self, key: u64) -> Option<TtEntry> {
        let [deep, new] = &self.entries[self.place(key)];
        let [(deep_key, deep), (new_key, new)] = [deep.load(), new.load()];
        let word = if deep_key == key { deep } else { new };
        (deep_key == key || new_key == key).then(|| TtEntry::from_word(word))?
    }

    /// Stores a position: in the first slot of a pair if that has the same one, a less deep one, or one of an earlier search,
    /// otherwise in the second.
    #[inline]
    pub fn put(&self, key: u64, best: u32, score: i32, depth: i32, bound: Bound) {
        let age = self.age.load(Ordering::Relaxed);
        #[allow(clippy::cast_possible_truncation)] // scores and depths are small
        let entry = TtEntry { best, score: score as i16, depth: depth.clamp(-100, 100) as i8, bound, age };
        let [deep, new] = &self.entries[self.place(key)];
        let (old_key, old) = deep.load();
        let replaced = TtEntry::from_word(old).is_none_or(|old| old.age != age || entry.depth >= old.depth);
        if old_key == key || replaced {
            if old_key != key {
                new.store(old_key, old);
            }
            deep.store(key, entry.to_word());
        } else {
            new.store(key, entry.to_word());
        }
    }

    /// How many entries are of the present search, in thousandths, by a sample of the table.
    #[must_use]
    pub fn fill(&self) -> u32 {
        let age = self.age.load(Ordering::Relaxed);
        let sample = self.entries.iter().take(SAMPLE).flatten();
        let of_search = |slot: &&Slot| TtEntry::from_word(slot.load().1).is_some_and(|entry| entry.age == age);
        let (used, all) = (sample.clone().filter(of_search).count(), sample.count());
        u32::try_from(1000 * used / all.max(1)).unwrap_or(u32::MAX)
    }

    /// Begins another search, whose entries replace those of earlier ones.
    pub fn age(&self) {
        let age = self.age.load(Ordering::Relaxed);
        self.age.store((age + 1) % AGES, Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_were_stored() {
        let table = TranspositionTable::new(64).expect("memory");
        let all = [Bound::Exact, Bound::Lower, Bound::Upper];
        for (number, bound) in (1_u64..).zip(all) {
            table.put(number << 32, 7 | 1 << 31, -29_999, -3, bound);
            let entry = table.get(number << 32).unwrap();
            assert_eq!((entry.best, entry.score, entry.depth, entry.bound), (7 | 1 << 31, -29_999, -3, bound));
        }
        assert!(table.get(9 << 32).is_none());
    }

    #[test]
    fn deep_entries_stay_until_another_search_begins() {
        let table = TranspositionTable::new(2).expect("memory");
        let depth_of = |key| table.get(key).map(|entry| entry.depth);
        table.put(1, 1, 0, 9, Bound::Exact);
        table.put(2, 1, 0, 3, Bound::Exact);
        table.put(3, 1, 0, 4, Bound::Exact);
        assert_eq!([1, 2, 3].map(depth_of), [Some(9), None, Some(4)]);
        assert_eq!(table.fill(), 1000);
        table.age();
        assert_eq!(table.fill(), 0);
        table.put(4, 1, 0, 1, Bound::Exact);
        assert_eq!([1, 3, 4].map(depth_of), [Some(9), None, Some(1)]);
    }
}

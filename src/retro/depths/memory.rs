//! A store in memory, for layers that need no scratch file.

use std::sync::{PoisonError, RwLock};

use crate::index::zeroed;
use crate::table::TableError;

use super::super::tiles::Store;

/// Words of the first part of a store, and of each other one: enough for the allocator to return them to the system.
const FIRST: usize = 1 << 17;
const PART: usize = 1 << 22;

/// A store in memory that grows. It keeps no record: nothing continues from it.
#[derive(Default)]
pub struct MemoryStore(RwLock<Vec<Vec<u64>>>);

/// The parts that `words` words from word `at` on are in: the number of the part, where they begin there, and how many they are.
#[allow(clippy::cast_possible_truncation)] // words in memory
fn parts(at: u64, words: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let (mut at, end) = (at as usize, at as usize + words);
    std::iter::from_fn(move || {
        let (part, start, size) = match at.checked_sub(FIRST) {
            None => (0, at, FIRST),
            Some(after) => (1 + after / PART, after % PART, PART),
        };
        let length = (size - start).min(end - at);
        at += length;
        (length > 0).then_some((part, start, length))
    })
}

impl Store for MemoryStore {
    fn read(&self, at: u64, mut words: &mut [u64]) -> Result<(), TableError> {
        let store = self.0.read().unwrap_or_else(PoisonError::into_inner);
        for (part, start, length) in parts(at, words.len()) {
            let (there, rest) = words.split_at_mut(length);
            there.copy_from_slice(&store[part][start..][..length]);
            words = rest;
        }
        Ok(())
    }

    fn write(&self, at: u64, mut words: &[u64]) -> Result<(), TableError> {
        let mut store = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (part, start, length) in parts(at, words.len()) {
            while store.len() <= part {
                let size = if store.is_empty() { FIRST } else { PART };
                store.push(zeroed(size));
            }
            let (there, rest) = words.split_at(length);
            store[part][start..][..length].copy_from_slice(there);
            words = rest;
        }
        Ok(())
    }

    fn commit(&self, _: &[u8]) -> Result<(), TableError> {
        Ok(())
    }

    fn records(&self) -> Result<Vec<Vec<u8>>, TableError> {
        Ok(Vec::new())
    }

    fn forget(&self) -> Result<(), TableError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_wherever_parts_end() {
        let store = MemoryStore::default();
        let words: Vec<u64> = (0..1000).collect();
        let places = [0, FIRST - 500, FIRST + 3000, FIRST + PART - 1, FIRST + 2 * PART - 999, FIRST + 4 * PART];
        for at in places {
            store.write(at as u64, &words).expect("memory");
        }
        for at in places {
            let mut found = vec![7; words.len()];
            store.read(at as u64, &mut found).expect("memory");
            assert_eq!(found, words, "{at}");
        }
    }
}

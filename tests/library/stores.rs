//! Stores for tests: in memory, and one that fails.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use fanorona::retro::{Store, Traffic};
use fanorona::table::TableError;

/// A store in memory.
#[derive(Default)]
pub struct MemoryStore {
    words: RwLock<Vec<u64>>,
    records: RwLock<Vec<Vec<u8>>>,
    /// Words read and written.
    counters: [AtomicU64; 2],
}

impl MemoryStore {
    pub fn words(&self) -> u64 {
        self.words.read().unwrap_or_else(PoisonError::into_inner).len() as u64
    }

    /// Changes a word.
    pub fn change(&self, at: u64, change: impl Fn(u64) -> u64) {
        let word = &mut self.words.write().unwrap_or_else(PoisonError::into_inner)[range(at, 1)][0];
        *word = change(*word);
    }
}

fn range(at: u64, words: usize) -> std::ops::Range<usize> {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    at..at + words
}

impl Store for MemoryStore {
    fn read(&self, at: u64, words: &mut [u64]) -> Result<(), TableError> {
        self.counters[0].fetch_add(words.len() as u64, Ordering::SeqCst);
        words.copy_from_slice(&self.words.read().unwrap_or_else(PoisonError::into_inner)[range(at, words.len())]);
        Ok(())
    }

    fn write(&self, at: u64, words: &[u64]) -> Result<(), TableError> {
        self.counters[1].fetch_add(words.len() as u64, Ordering::SeqCst);
        let (mut all, range) = (self.words.write().unwrap_or_else(PoisonError::into_inner), range(at, words.len()));
        if all.len() < range.end {
            all.resize(range.end, 0);
        }
        all[range].copy_from_slice(words);
        Ok(())
    }

    fn commit(&self, record: &[u8]) -> Result<(), TableError> {
        let mut records = self.records.write().unwrap_or_else(PoisonError::into_inner);
        records.insert(0, record.to_vec());
        records.truncate(2);
        Ok(())
    }

    fn records(&self) -> Result<Vec<Vec<u8>>, TableError> {
        Ok(self.records.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn traffic(&self) -> Traffic {
        let [read, written] = [0, 1].map(|which| 8 * self.counters[which].load(Ordering::SeqCst));
        Traffic { read, written, sent: 0 }
    }
}

/// A store that fails after a number of writes. If it forgets, every other write since the last commit is then undone, as when power fails.
pub struct Failing {
    store: MemoryStore,
    left: AtomicU64,
    forgets: bool,
    /// What was there before each write since the last commit.
    before: Mutex<Vec<(u64, Vec<u64>)>>,
    highest: AtomicU64,
}

impl Failing {
    pub fn new(forgets: bool) -> Self {
        let (left, highest) = (AtomicU64::new(u64::MAX), AtomicU64::new(0));
        Self { store: MemoryStore::default(), left, forgets, before: Mutex::default(), highest }
    }

    pub fn fail_after(&self, writes: u64) {
        self.left.store(writes, Ordering::SeqCst);
    }

    fn spend(&self) -> Result<(), TableError> {
        let spent = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        let failure = || TableError::io("write", "scratch".as_ref())(std::io::ErrorKind::StorageFull.into());
        spent.map(|_| ()).map_err(|_| failure())
    }

    /// What a crash leaves.
    pub fn crash(&self) {
        let before: Vec<_> = std::mem::take(&mut *self.before.lock().expect("no panic"));
        for (number, (at, words)) in before.into_iter().enumerate().rev() {
            if self.forgets && number % 2 == 0 {
                self.store.write(at, &words).expect("memory does not fail");
            }
        }
    }
}

impl Store for Failing {
    fn read(&self, at: u64, words: &mut [u64]) -> Result<(), TableError> {
        self.store.read(at, words)
    }

    fn write(&self, at: u64, words: &[u64]) -> Result<(), TableError> {
        self.spend()?;
        let mut journal = self.before.lock().expect("no panic");
        let end = at + words.len() as u64;
        let highest = self.highest.fetch_max(end, Ordering::SeqCst);
        if highest < end {
            self.store.write(highest, &vec![0; usize::try_from(end - highest).expect("small")])?;
        }
        let mut before = vec![0; words.len()];
        self.store.read(at, &mut before)?;
        journal.push((at, before));
        self.store.write(at, words)
    }

    fn commit(&self, record: &[u8]) -> Result<(), TableError> {
        self.spend()?;
        self.before.lock().expect("no panic").clear();
        self.store.commit(record)
    }

    fn records(&self) -> Result<Vec<Vec<u8>>, TableError> {
        self.store.records()
    }

    fn traffic(&self) -> Traffic {
        self.store.traffic()
    }
}

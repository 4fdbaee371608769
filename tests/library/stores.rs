//! Stores for tests: in memory, and one that fails.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use fanorona::retro::Store;
use fanorona::table::TableError;

/// A store in memory.
#[derive(Default)]
pub struct MemoryStore {
    words: RwLock<Vec<u64>>,
    records: RwLock<Vec<Vec<u8>>>,
    /// Words written.
    written: AtomicU64,
}

impl MemoryStore {
    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        8 * self.written.load(Ordering::SeqCst)
    }

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
        words.copy_from_slice(&self.words.read().unwrap_or_else(PoisonError::into_inner)[range(at, words.len())]);
        Ok(())
    }

    fn write(&self, at: u64, words: &[u64]) -> Result<(), TableError> {
        self.written.fetch_add(words.len() as u64, Ordering::SeqCst);
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

    fn forget(&self) -> Result<(), TableError> {
        self.words.write().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }
}

/// A store that fails after a number of writes, or of commits. If it forgets, every other write since the last commit is then undone, as when power fails.
pub struct Failing {
    store: MemoryStore,
    left: AtomicU64,
    commits_left: AtomicU64,
    forgets: bool,
    /// What was there before each write since the last commit.
    before: Mutex<Vec<(u64, Vec<u64>)>>,
    highest: AtomicU64,
}

impl Failing {
    pub fn new(forgets: bool) -> Self {
        let [left, commits_left] = [(); 2].map(|()| AtomicU64::new(u64::MAX));
        let (store, before, highest) = (MemoryStore::default(), Mutex::default(), AtomicU64::new(0));
        Self { store, left, commits_left, forgets, before, highest }
    }

    pub fn fail_after(&self, writes: u64) {
        self.left.store(writes, Ordering::SeqCst);
    }

    pub fn fail_after_commits(&self, commits: u64) {
        self.commits_left.store(commits, Ordering::SeqCst);
    }

    /// How many commits are left before it fails.
    pub fn commits_left(&self) -> u64 {
        self.commits_left.load(Ordering::SeqCst)
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.store.written()
    }

    fn spend(left: &AtomicU64) -> Result<(), TableError> {
        let spent = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
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
        Self::spend(&self.left)?;
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
        Self::spend(&self.left)?;
        Self::spend(&self.commits_left)?;
        self.before.lock().expect("no panic").clear();
        self.store.commit(record)
    }

    fn records(&self) -> Result<Vec<Vec<u8>>, TableError> {
        self.store.records()
    }

    fn forget(&self) -> Result<(), TableError> {
        Self::spend(&self.left)?;
        self.before.lock().expect("no panic").clear();
        self.highest.store(0, Ordering::SeqCst);
        self.store.forget()
    }
}

//! A transposition table that grows as it fills.

use super::canonical::Key;
use super::error::SolveError;
use super::numbers::Effort;
use super::transposition::{BUCKET_BYTES, Memory, TranspositionTable, TtEntry};

/// The table begins with at least this many bytes, or what is allowed if that is less.
pub const FIRST_BYTES: u64 = 16 << 20;

/// By how much the table grows.
pub const GROWTH: u64 = 4;

/// It grows when this share of it is in use.
const FULL: f64 = 0.6;

/// Entries too few to judge how dense a table is.
const FEW: f64 = 256.0;

/// The table, with the memory it lies in.
pub struct GrowingTable {
    pub memory: Memory,
    /// Bytes that it may grow to.
    pub max_bytes: u64,
}

impl GrowingTable {
    /// An empty table.
    ///
    /// # Errors
    /// [`SolveError::Memory`].
    pub fn new(max_bytes: u64) -> Result<Self, SolveError> {
        let max_bytes = max_bytes.max(BUCKET_BYTES) / 8 * 8;
        let mut bytes = max_bytes;
        while bytes / GROWTH >= FIRST_BYTES {
            bytes /= GROWTH;
        }
        Ok(Self { memory: reserve(bytes)?, max_bytes })
    }

    /// Its entries.
    pub fn entries(&mut self) -> TranspositionTable<'_> {
        TranspositionTable::new(&mut self.memory)
    }

    /// Bytes that it has now.
    pub fn bytes(&self) -> u64 {
        self.memory.bytes()
    }

    /// Whether it is smaller than it may be.
    pub fn may_grow(&self) -> bool {
        self.bytes() < self.max_bytes
    }

    /// Puts entries into the table, which grows for them as far as it may.
    pub fn restore(&mut self, found: &[(Key, TtEntry)]) {
        // Entries in table order fill one stretch of the table while the rest is still empty, so only that density counts.
        let checks = || found.iter().map(|(key, _)| key.check);
        let stretch = checks().max().unwrap_or_default() - checks().min().unwrap_or_default();
        #[allow(clippy::cast_precision_loss)] // shares
        let (stretch, count) = (stretch as f64 / u64::MAX as f64, found.len() as f64 - FEW);
        #[allow(clippy::cast_precision_loss)] // a share
        loop {
            let entries = self.entries();
            let full = count > FULL * stretch * entries.capacity() as f64 || is_full(&entries);
            if !full || !self.may_grow() {
                break;
            }
            self.grow();
        }
        let entries = self.entries();
        for &(key, found) in found {
            entries.put(key, found);
        }
    }

    /// Makes the table larger. If the system has no memory for that, it stays as it is: a smaller table costs time, while
    /// ending the search would lose everything.
    pub fn grow(&mut self) {
        let bytes = self.bytes().saturating_mul(GROWTH).min(self.max_bytes);
        let Ok(mut memory) = reserve(bytes) else {
            self.max_bytes = self.bytes();
            return;
        };
        let larger = TranspositionTable::new(&mut memory);
        self.entries().list(Effort::default()).for_each(|(key, found)| larger.put(key, found));
        self.memory = memory;
    }
}

/// Whether a table should grow.
pub fn is_full(entries: &TranspositionTable<'_>) -> bool {
    entries.fill() > FULL
}

/// Zeroed memory for a table of that many bytes.
pub fn reserve(bytes: u64) -> Result<Memory, SolveError> {
    let words = usize::try_from(bytes / 8).unwrap_or(usize::MAX);
    Memory::words(words).map_err(|reason| SolveError::Memory { bytes, reason })
}

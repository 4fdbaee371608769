//! Which blocks of a plane have changed, or need another look.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::index::zeroed;

/// A bit for each row and block. All methods may be called from several threads; they meet at the end of a pass, so
/// relaxed order is enough.
pub struct Marks {
    stride: usize,
    bits: Vec<AtomicU64>,
}

impl Marks {
    /// Marks for rows of blocks, none set.
    pub fn new(rows: usize, blocks: usize) -> Self {
        let stride = blocks.div_ceil(64);
        Self { stride, bits: zeroed(rows * stride) }
    }

    /// Bytes that the marks of a plane take.
    pub fn bytes(rows: u64, blocks: u64) -> u64 {
        rows * blocks.div_ceil(64) * 8
    }

    /// Number of rows with a mark.
    pub fn marked_rows(&self) -> usize {
        let marked = |row: &&[AtomicU64]| row.iter().any(|bits| bits.load(Ordering::Relaxed) != 0);
        self.bits.chunks(self.stride).filter(marked).count()
    }

    /// Clears all marks.
    pub fn clear(&self) {
        self.bits.iter().for_each(|bits| bits.store(0, Ordering::Relaxed));
    }

    /// Words of marks in a row.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.bits.len() / self.stride
    }

    /// Sets a mark.
    #[inline(always)]
    pub fn mark(&self, row: usize, block: usize) {
        self.mark_word(row, block / 64, 1 << (block % 64));
    }

    /// Sets the marks of 64 blocks of a row.
    #[inline(always)]
    pub fn mark_word(&self, row: usize, word: usize, marks: u64) {
        let bits = &self.bits[row * self.stride + word];
        // Looking first keeps the cache line shared where nothing is new.
        if marks & !bits.load(Ordering::Relaxed) != 0 {
            bits.fetch_or(marks, Ordering::Relaxed);
        }
    }

    /// Sets every mark of blocks below `blocks`.
    pub fn mark_all(&self, blocks: usize) {
        for (index, bits) in self.bits.iter().enumerate() {
            let rest = blocks - 64 * (index % self.stride);
            bits.store(if rest >= 64 { u64::MAX } else { (1 << rest) - 1 }, Ordering::Relaxed);
        }
    }

    /// The marks of 64 blocks of a row.
    #[inline(always)]
    pub fn word(&self, row: usize, word: usize) -> u64 {
        self.bits[row * self.stride + word].load(Ordering::Relaxed)
    }

    /// Clears the marks of 64 blocks of a row, and returns them.
    #[inline(always)]
    pub fn take_word(&self, row: usize, word: usize) -> u64 {
        let bits = &self.bits[row * self.stride + word];
        let marks = bits.load(Ordering::Relaxed);
        if marks != 0 {
            bits.store(0, Ordering::Relaxed);
        }
        marks
    }
}

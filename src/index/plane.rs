//! Bit planes: a bit for every orbit of one side's sets and every slot of the other's.

use super::memory::zeroed;
use super::subsets::Subsets;

/// A matrix of bits. Rows are padded to whole blocks of words, so that kernels can work on arrays of a fixed length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plane {
    rows: usize,
    stride: usize,
    block: usize,
    bits: Vec<u64>,
}

/// The number of words that kernels process at a time in rows of `words` words: 8 (one cache line), or a smaller power of
/// two where padding to 8 would cost more than a tenth.
#[must_use]
pub fn block_words(words: usize) -> usize {
    let padded = |block: usize| words.next_multiple_of(block);
    [8, 4, 2].into_iter().find(|&block| padded(block) * 10 <= words * 11 && block <= words).unwrap_or(1)
}

/// Words in a row after padding.
#[must_use]
pub fn padded_words(words: usize) -> usize {
    words.next_multiple_of(block_words(words))
}

impl Plane {
    /// A plane of zeros, with a row for each orbit of `rows` and a column for each slot of `columns`.
    ///
    /// # Panics
    /// With [`OutOfMemory`](super::OutOfMemory) if the system has no memory for it.
    #[must_use]
    pub fn new(rows: &Subsets, columns: &Subsets) -> Self {
        let words = columns.words();
        Self::sized(rows.orbits(), padded_words(words), block_words(words))
    }

    /// A plane of zeros with `rows` rows of `stride` words, in blocks of `block` words; the stride is a multiple of the block.
    /// So a band of columns of a larger plane is a plane too.
    #[must_use]
    pub fn sized(rows: usize, stride: usize, block: usize) -> Self {
        Self { rows, stride, block, bits: zeroed(rows * stride) }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Words in a row, padding included.
    #[inline]
    #[must_use]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Words in a block; the stride is a multiple of it.
    #[inline]
    #[must_use]
    pub fn block(&self) -> usize {
        self.block
    }

    /// Blocks in a row.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.stride / self.block
    }

    /// One row.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.stride..][..self.stride]
    }

    /// One bit.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.stride + column / 64] >> (column % 64) & 1 == 1
    }

    /// Copies the bits of one column to another, in every row.
    pub fn copy_column(&mut self, from: usize, to: usize) {
        for row in self.bits.chunks_exact_mut(self.stride) {
            let bit = row[from / 64] >> (from % 64) & 1;
            row[to / 64] = row[to / 64] & !(1 << (to % 64)) | bit << (to % 64);
        }
    }

    /// All words, row after row.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.bits
    }

    /// All words, to change.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.bits
    }

    /// Block number `block` of a row.
    ///
    /// # Panics
    /// If the row has no such block of `B` words.
    #[inline(always)]
    #[must_use]
    pub fn block_at<const B: usize>(&self, row: usize, block: usize) -> &[u64; B] {
        let start = row * self.stride + block * B;
        self.bits[start..start + B].first_chunk().expect("B words")
    }
}

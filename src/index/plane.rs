//! Planes: a bit, or a cell of some bits, for every orbit of one side's sets and every slot of the other's.

use crate::board::{compose, inverse};

use super::memory::{filled, zeroed};
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

/// Rows are padded to a multiple of this, so that kernels work on arrays of a fixed length.
const PADDING: usize = 32;

/// A matrix of cells. Rows are padded; padding keeps what the plane was filled with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells<C> {
    rows: usize,
    stride: usize,
    all: Vec<C>,
}

/// Cells in a row of `slots` slots, padding included.
#[must_use]
pub fn padded_cells(slots: usize) -> usize {
    slots.next_multiple_of(PADDING)
}

impl<C: Copy> Cells<C> {
    /// A plane full of `cell`, with a row for each orbit of `rows` and a column for each slot of `columns`.
    ///
    /// # Panics
    /// With [`OutOfMemory`](super::OutOfMemory) if the system has no memory for it.
    #[must_use]
    pub fn new(rows: &Subsets, columns: &Subsets, cell: C) -> Self {
        Self::sized(rows.orbits(), columns.slots(), cell)
    }

    /// As [`new`](Self::new), with the numbers of rows and slots.
    ///
    /// # Panics
    /// With [`OutOfMemory`](super::OutOfMemory) if the system has no memory for it.
    #[must_use]
    pub fn sized(rows: usize, slots: usize, cell: C) -> Self {
        let stride = padded_cells(slots);
        Self { rows, stride, all: filled(cell, rows * stride) }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Cells in a row, padding included.
    #[inline]
    #[must_use]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// One row.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &[C] {
        &self.all[row * self.stride..][..self.stride]
    }

    /// All cells, row after row.
    #[must_use]
    pub fn all(&self) -> &[C] {
        &self.all
    }

    /// All cells, to change.
    pub fn all_mut(&mut self) -> &mut [C] {
        &mut self.all
    }
}

/// Lets a group element act on a stretch of a row of cells, from `source` to `target`: the cell of subset `T` moves to the
/// cell of `g(T)`. Both are whole multiples of 32 cells.
#[inline(always)]
pub fn act_on_cells<C: Copy>(order: usize, element: usize, source: &[C], target: &mut [C]) {
    match (order, element) {
        (_, 0) => target.copy_from_slice(source),
        (4, 1) => act::<C, 4, 1>(source, target),
        (4, 2) => act::<C, 4, 2>(source, target),
        (4, _) => act::<C, 4, 3>(source, target),
        (_, 1) => act::<C, 8, 1>(source, target),
        (_, 2) => act::<C, 8, 2>(source, target),
        (_, 3) => act::<C, 8, 3>(source, target),
        (_, 4) => act::<C, 8, 4>(source, target),
        (_, 5) => act::<C, 8, 5>(source, target),
        (_, 6) => act::<C, 8, 6>(source, target),
        _ => act::<C, 8, 7>(source, target),
    }
}

#[inline(always)]
fn act<C: Copy, const ORDER: usize, const ELEMENT: usize>(source: &[C], target: &mut [C]) {
    let ((source, _), (target, _)) = (source.as_chunks::<PADDING>(), target.as_chunks_mut::<PADDING>());
    for (target, source) in target.iter_mut().zip(source) {
        for cell in 0..PADDING {
            let (orbit, element) = (cell / ORDER, cell % ORDER);
            target[cell] = source[orbit * ORDER + compose(inverse(ELEMENT), element)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{BoardSize, Symmetry};

    #[test]
    fn acting_on_cells_is_acting_on_subsets() {
        for (columns, rows) in [(9, 5), (5, 5)] {
            let size = BoardSize::new(columns, rows).unwrap();
            let symmetry = Symmetry::new(size);
            let subsets = Subsets::new(&symmetry, size.points(), 2);
            // Symmetric subsets fill several slots; each slot holds what its subset is.
            let cell_of = |set: u64| {
                let points = set.trailing_zeros() * 64 + (set & (set - 1)).trailing_zeros();
                u16::try_from(points).unwrap()
            };
            let cells = |image: &dyn Fn(u64) -> u64| {
                let mut row = vec![0u16; padded_cells(subsets.slots())];
                for slot in 0..subsets.slots() {
                    row[slot] = cell_of(image(subsets.subset(slot)));
                }
                row
            };
            let row = cells(&|set| set);
            for element in 0..symmetry.order() {
                let mut images = vec![0; row.len()];
                act_on_cells(symmetry.order(), element, &row, &mut images);
                assert_eq!(images, cells(&|set| symmetry.set(inverse(element), set)), "element {element}");
            }
        }
    }
}

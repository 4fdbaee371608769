//! Crowded slices in memory: two bits or a cell for each position, in the order of [`Crowded`].

use rayon::prelude::*;

use crate::index::{Crowded, filled, zeroed};
use crate::rules::Outcome;

/// Values by rows: two bits a position, four to a byte, the first in the lowest bits. A row begins with a new byte, so that threads
/// write rows apart. The two bits are the outcome as a number: 0 loss, 1 draw, 2 win. Bits past the last column are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueRows {
    columns: usize,
    bytes: Vec<u8>,
}

/// Positions in a byte of [`ValueRows`].
pub const PER_BYTE: usize = 4;

impl ValueRows {
    /// Rows for a slice in which every position is lost so far.
    ///
    /// # Panics
    /// With [`OutOfMemory`](crate::index::OutOfMemory) if the system has no memory for them.
    #[must_use]
    pub fn new(crowded: Crowded<'_>) -> Self {
        let columns = crowded.splits().count();
        Self { columns, bytes: zeroed(crowded.empties().orbits() * columns.div_ceil(PER_BYTE)) }
    }

    /// Rows of the values of all positions, given as the stones of the mover and of the opponent.
    ///
    /// # Panics
    /// As [`ValueRows::new`].
    #[must_use]
    pub fn of(crowded: Crowded<'_>, value: impl Fn(u64, u64) -> Outcome + Sync) -> Self {
        let mut rows = Self::new(crowded);
        let bytes = rows.row_bytes();
        rows.bytes.par_chunks_exact_mut(bytes).zip(crowded.empties().representatives()).for_each(|(row, &empty)| {
            for (column, (mover, opponent)) in crowded.positions(empty).enumerate() {
                put(row, column, value(mover, opponent));
            }
        });
        rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Bytes of a row.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.columns.div_ceil(PER_BYTE)
    }

    /// The bytes of a row.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, row: usize) -> &[u8] {
        let bytes = self.row_bytes();
        &self.bytes[row * bytes..][..bytes]
    }

    /// The bytes of all rows.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, to be written.
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The value of a position.
    #[inline(always)]
    #[must_use]
    pub fn outcome(&self, row: usize, column: usize) -> Outcome {
        match self.bytes[row * self.row_bytes() + column / PER_BYTE] >> (2 * (column % PER_BYTE)) & 3 {
            0 => Outcome::Loss,
            1 => Outcome::Draw,
            _ => Outcome::Win,
        }
    }

    /// "Not won" and "lost" of 64 columns of a row; zero past the last.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, row: usize, word: usize) -> [u64; 2] {
        let bytes = &self.row(row)[64 / PER_BYTE * word..];
        let bytes = &bytes[..bytes.len().min(64 / PER_BYTE)];
        let [mut low, mut high] = [0; 2];
        for (place, half) in bytes.chunks(8).enumerate() {
            let half = half.iter().rev().fold(0u64, |all, &byte| all << 8 | u64::from(byte));
            low |= even_bits(half) << (32 * place);
            high |= even_bits(half >> 1) << (32 * place);
        }
        let valid = u64::MAX >> (64 * (word + 1)).saturating_sub(self.columns).min(63);
        [!high & valid, !(low | high) & valid]
    }
}

/// Writes an outcome into a row whose two bits are zero there.
#[inline(always)]
pub fn put(row: &mut [u8], column: usize, outcome: Outcome) {
    row[column / PER_BYTE] |= (outcome as u8) << (2 * (column % PER_BYTE));
}

/// The bits with even numbers, together in the lower half.
#[inline(always)]
fn even_bits(mut word: u64) -> u64 {
    word &= 0x5555_5555_5555_5555;
    word = (word | word >> 1) & 0x3333_3333_3333_3333;
    word = (word | word >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    word = (word | word >> 4) & 0x00ff_00ff_00ff_00ff;
    word = (word | word >> 8) & 0x0000_ffff_0000_ffff;
    (word | word >> 16) & 0xffff_ffff
}

/// Scores by rows: a cell for each position, without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellRows<C> {
    columns: usize,
    cells: Vec<C>,
}

impl<C: Copy> CellRows<C> {
    /// Rows for a slice with the same cell everywhere.
    ///
    /// # Panics
    /// With [`OutOfMemory`](crate::index::OutOfMemory) if the system has no memory for them.
    #[must_use]
    pub fn new(crowded: Crowded<'_>, cell: C) -> Self {
        let columns = crowded.splits().count();
        Self { columns, cells: filled(cell, crowded.empties().orbits() * columns) }
    }

    /// Rows of the cells of all positions, given as the stones of the mover and of the opponent.
    ///
    /// # Panics
    /// As [`CellRows::new`].
    #[must_use]
    pub fn of(crowded: Crowded<'_>, cell: impl Fn(u64, u64) -> C + Sync) -> Self
    where
        C: Default + Send + Sync,
    {
        let mut rows = Self::new(crowded, C::default());
        let columns = rows.columns;
        rows.cells.par_chunks_exact_mut(columns).zip(crowded.empties().representatives()).for_each(|(row, &empty)| {
            for (there, (mover, opponent)) in row.iter_mut().zip(crowded.positions(empty)) {
                *there = cell(mover, opponent);
            }
        });
        rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The cells of a row.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, row: usize) -> &[C] {
        &self.cells[row * self.columns..][..self.columns]
    }

    /// The cells of all rows.
    #[must_use]
    pub fn cells(&self) -> &[C] {
        &self.cells
    }

    /// The same, to be written.
    #[must_use]
    pub fn cells_mut(&mut self) -> &mut [C] {
        &mut self.cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Diagonals;
    use crate::index::{Slice, Space};

    #[test]
    fn rows_return_what_was_put_there() {
        let mut random = fastrand::Rng::with_seed(1);
        for (board, slice) in [("3x3", (4, 3)), ("3x5", (5, 7)), ("3x5", (1, 13)), ("3x3", (8, 1))] {
            let space = Space::new(board.parse().expect("a board"), Diagonals::Corner);
            let crowded = Crowded::new(&space, Slice::new(slice.0, slice.1));
            let (mut rows, mut expected) = (ValueRows::new(crowded), Vec::new());
            let (columns, bytes) = (rows.columns(), rows.row_bytes());
            for row in rows.bytes_mut().chunks_exact_mut(bytes) {
                for column in 0..columns {
                    expected.push(*random.choice(&[Outcome::Loss, Outcome::Draw, Outcome::Win]).expect("one of three"));
                    put(row, column, expected[expected.len() - 1]);
                }
            }
            for (row, expected) in expected.chunks_exact(columns).enumerate() {
                for (word, expected) in expected.chunks(64).enumerate() {
                    let marked = |is: fn(Outcome) -> bool| {
                        expected.iter().rev().fold(0u64, |bits, &outcome| bits << 1 | u64::from(is(outcome)))
                    };
                    let words = [marked(|outcome| outcome != Outcome::Win), marked(|outcome| outcome == Outcome::Loss)];
                    assert_eq!(rows.word(row, word), words, "{board} row {row} word {word}");
                }
                for (column, &expected) in expected.iter().enumerate() {
                    assert_eq!(rows.outcome(row, column), expected);
                }
            }
        }
    }
}

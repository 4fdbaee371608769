//! Crowded slices in memory: an outcome in two bits, or a score in a cell, for each position in the order of [`Crowded`].

use std::fmt::Debug;

use rayon::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::index::{Crowded, filled};
use crate::rules::Outcome;

/// What rows hold for a position: an outcome in two bits, or a score in a [`Cell`](super::cell::Cell). The order is that of scores: losses, the
/// draw, wins, and above all [`RowValue::NONE`].
pub trait RowValue: Copy + Ord + Debug + Send + Sync + 'static {
    /// The integer in which one or several are stored.
    type Unit: Copy + Debug + Eq + FromBytes + Immutable + IntoBytes + Send + Sync;

    /// How many a unit stores.
    const PER_UNIT: usize;

    /// Neither side can force a win.
    const DRAW: Self;

    /// No position.
    const NONE: Self;

    /// The largest number of steps that a value can hold.
    const MAX_STEPS: u16;

    /// A loss in 2 · step plies, for at most [`RowValue::MAX_STEPS`] steps; of outcomes just a loss.
    #[must_use]
    fn loss(step: u16) -> Self;

    /// The number that represents a cell, for a loss its steps; 0 for outcomes.
    #[must_use]
    fn number(self) -> u16;

    /// The value of a position whose best turn leaves the opponent with this value. The result has to fit.
    #[must_use]
    fn before(self) -> Self;

    /// A unit full of copies.
    #[must_use]
    fn unit(self) -> Self::Unit;

    /// What a row holds in a column.
    #[must_use]
    fn get(row: &[Self::Unit], column: usize) -> Self;

    /// Changes what a row holds in a column.
    fn set(row: &mut [Self::Unit], column: usize, value: Self);
}

impl RowValue for Outcome {
    type Unit = u8;

    const PER_UNIT: usize = 4;
    const DRAW: Self = Self::Draw;
    /// There is no value above a win; where the difference matters, columns have a bit for it.
    const NONE: Self = Self::Win;
    /// Steps are left out, so that any number of them fits.
    const MAX_STEPS: u16 = u16::MAX;

    #[inline(always)]
    fn loss(_: u16) -> Self {
        Self::Loss
    }

    #[inline(always)]
    fn number(self) -> u16 {
        0
    }

    #[inline(always)]
    fn before(self) -> Self {
        self.reversed()
    }

    fn unit(self) -> u8 {
        self as u8 * 0b0101_0101
    }

    #[inline(always)]
    fn get(row: &[u8], column: usize) -> Self {
        match row[column / 4] >> (2 * (column % 4)) & 3 {
            0 => Self::Loss,
            1 => Self::Draw,
            _ => Self::Win,
        }
    }

    #[inline(always)]
    fn set(row: &mut [u8], column: usize, value: Self) {
        let shift = 2 * (column % 4);
        row[column / 4] = row[column / 4] & !(3 << shift) | (value as u8) << shift;
    }
}

/// A value for each position of a slice: rows by orbits of the empty points, columns by splits. Rows share no unit, so that
/// threads can write different rows at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows<V: RowValue> {
    columns: usize,
    units: Vec<V::Unit>,
}

/// Outcomes: four to a byte, the first in the lowest bits; 0 loss, 1 draw, 2 win.
pub type ValueRows = Rows<Outcome>;

impl<V: RowValue> Rows<V> {
    /// Rows for a slice in which every position has the same value.
    ///
    /// # Panics
    /// With [`OutOfMemory`](crate::index::OutOfMemory) if the system has no memory for them.
    #[must_use]
    pub fn new(crowded: Crowded<'_>, value: V) -> Self {
        let columns = crowded.splits().count();
        Self { columns, units: filled(value.unit(), crowded.empties().orbits() * columns.div_ceil(V::PER_UNIT)) }
    }

    /// Rows of the values of all positions, given as the stones of the mover and of the opponent.
    ///
    /// # Panics
    /// As [`Rows::new`].
    #[must_use]
    pub fn of(crowded: Crowded<'_>, value: impl Fn(u64, u64) -> V + Sync) -> Self {
        let mut rows = Self::new(crowded, V::DRAW);
        let stride = rows.stride();
        rows.units.par_chunks_exact_mut(stride).zip(crowded.empties().representatives()).for_each(|(row, &empty)| {
            for (column, (mover, opponent)) in crowded.positions(empty).enumerate() {
                V::set(row, column, value(mover, opponent));
            }
        });
        rows
    }

    /// Units of a row.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.columns.div_ceil(V::PER_UNIT)
    }

    /// The units of a row.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, row: usize) -> &[V::Unit] {
        let stride = self.stride();
        &self.units[row * stride..][..stride]
    }

    /// The units of all rows.
    #[must_use]
    pub fn units(&self) -> &[V::Unit] {
        &self.units
    }

    /// The units of all rows, to change.
    #[must_use]
    pub fn units_mut(&mut self) -> &mut [V::Unit] {
        &mut self.units
    }

    /// The value of a position.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> V {
        V::get(self.row(row), column)
    }
}

impl ValueRows {
    /// "Not won" and "lost" of 64 columns of a row; zero past the last.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, row: usize, word: usize) -> [u64; 2] {
        let bytes = &self.row(row)[64 / Outcome::PER_UNIT * word..];
        let bytes = &bytes[..bytes.len().min(64 / Outcome::PER_UNIT)];
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
            let (mut rows, mut expected) = (ValueRows::new(crowded, Outcome::Draw), Vec::new());
            let (columns, stride) = (rows.columns, rows.stride());
            for row in rows.units_mut().chunks_exact_mut(stride) {
                for column in 0..columns {
                    expected.push(*random.choice(&[Outcome::Loss, Outcome::Draw, Outcome::Win]).expect("one of three"));
                    Outcome::set(row, column, expected[expected.len() - 1]);
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
                    assert_eq!(rows.at(row, column), expected);
                }
            }
        }
    }
}

//! Cells: scores of 8 or 16 bits in memory.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::ops::{BitOr, BitOrAssign, Not};
use std::sync::atomic::{AtomicU8, AtomicU16, Ordering};

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::rules::Outcome;

use super::rows::RowValue;
use super::score::Score;

/// A score in 8 or 16 bits. Cells have the order of scores: losses from the quickest on, draws in the middle, wins up to the
/// quickest. The largest cell stands for "no score". A byte holds wins and losses of up to 253 plies.
///
/// Changing sides is one operation on all bits of a cell: the complement of a loss in n steps is one above a win in n, and
/// that of a win in n is a loss in n + 1.
pub trait Cell:
    RowValue<Unit = Self>
    + Default
    + BitOr<Output = Self>
    + BitOrAssign
    + Not<Output = Self>
    + FromBytes
    + Immutable
    + IntoBytes
{
    /// The atomic integer of the same width.
    type Atomic: Sync;

    /// Views cells as atomics, so that several threads can write.
    fn shared(cells: &mut [Self]) -> &[Self::Atomic];

    /// Writes a cell that other threads may write to as well.
    fn put(there: &Self::Atomic, cell: Self);

    /// A win in 2 · step + 1 plies, for at most [`RowValue::MAX_STEPS`] steps.
    #[inline]
    #[must_use]
    fn win(step: u16) -> Self {
        !Self::loss(step + 1)
    }

    /// The cell of a score with at most [`RowValue::MAX_STEPS`] steps.
    #[inline]
    #[must_use]
    fn of(score: Score) -> Self {
        match (score.outcome(), score.step()) {
            (Outcome::Loss, Some(step)) => Self::loss(step),
            (Outcome::Win, Some(step)) => Self::win(step),
            _ => Self::DRAW,
        }
    }

    /// The score in a cell.
    #[inline]
    #[must_use]
    fn score(self) -> Score {
        match self.cmp(&Self::DRAW) {
            Less => Score::loss(self.number()),
            Equal => Score::DRAW,
            Greater => Score::win((!self).number().wrapping_sub(1)),
        }
    }
}

macro_rules! cell {
    ($cell:ty, $atomic:ty) => {
        impl RowValue for $cell {
            type Unit = Self;

            const PER_UNIT: usize = 1;
            const DRAW: Self = Self::MAX / 2;
            const NONE: Self = Self::MAX;
            #[allow(clippy::cast_lossless)] // of both widths
            const MAX_STEPS: u16 = Self::DRAW as u16 - 1;

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation)] // as many steps as fit
            fn loss(step: u16) -> Self {
                step as Self
            }

            #[inline(always)]
            fn number(self) -> u16 {
                self.into()
            }

            #[inline(always)]
            fn before(self) -> Self {
                (!self).wrapping_sub(Self::from(self <= Self::DRAW))
            }

            fn unit(self) -> Self {
                self
            }

            #[inline(always)]
            fn get(row: &[Self], column: usize) -> Self {
                row[column]
            }

            #[inline(always)]
            fn set(row: &mut [Self], column: usize, value: Self) {
                row[column] = value;
            }
        }

        impl Cell for $cell {
            type Atomic = $atomic;

            fn shared(cells: &mut [Self]) -> &[$atomic] {
                // Cells and atomic cells are the same bytes.
                <[$atomic]>::mut_from_bytes(zerocopy::IntoBytes::as_mut_bytes(cells)).expect("whole cells")
            }

            #[inline(always)]
            fn put(there: &$atomic, cell: Self) {
                there.store(cell, Ordering::Relaxed);
            }
        }
    };
}

cell!(u8, AtomicU8);
cell!(u16, AtomicU16);

#[cfg(test)]
mod tests {
    use super::*;

    fn hold_what_scores_are<C: Cell>() {
        let most = C::MAX_STEPS;
        let losses = (0..=most).map(Score::loss);
        let scores: Vec<Score> = losses.chain([Score::DRAW]).chain((0..=most).rev().map(Score::win)).collect();
        let cells: Vec<C> = scores.iter().map(|&score| C::of(score)).collect();
        assert!(cells.is_sorted_by(|a, b| a < b) && cells.iter().all(|&cell| cell < C::NONE));
        for (&score, &cell) in scores.iter().zip(&cells) {
            assert_eq!(cell.score(), score);
            if score != Score::win(most) {
                assert_eq!(Some(cell.before().score()), score.before());
            }
        }
        assert_eq!((!C::loss(0), C::default(), !C::default()), (C::NONE, C::loss(0), C::NONE));
        // Without any turn the position is lost at once.
        assert_eq!(C::NONE.before(), C::loss(0));
    }

    #[test]
    fn cells_of_both_widths_hold_what_scores_are() {
        hold_what_scores_are::<u8>();
        hold_what_scores_are::<u16>();
        assert_eq!(Score::win(u8::MAX_STEPS).plies(), Some(253));
    }

    #[test]
    fn masks_keep_or_take() {
        let cell = u8::win(5);
        assert_eq!((cell | u8::default(), cell | u8::NONE), (cell, u8::NONE));
    }

    #[test]
    fn shared_cells_are_the_cells() {
        let mut cells = [1u16, 2, 3];
        u16::put(&u16::shared(&mut cells)[1], 700);
        assert_eq!(cells, [1, 700, 3]);
    }
}

//! Slices: all positions with given numbers of stones.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::{MAX_POINTS, excerpt};

/// The positions in which the side to move has `mover` stones and the other side `opponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct Slice {
    /// Stones of the side to move.
    pub mover: usize,
    /// Stones of the other side.
    pub opponent: usize,
}

impl Slice {
    /// The slice with these numbers of stones.
    #[must_use]
    pub const fn new(mover: usize, opponent: usize) -> Self {
        Self { mover, opponent }
    }

    /// The slice of a position.
    #[inline]
    #[must_use]
    pub const fn of(mover: u64, opponent: u64) -> Self {
        Self { mover: mover.count_ones() as usize, opponent: opponent.count_ones() as usize }
    }

    /// Stones on the board.
    #[must_use]
    pub const fn stones(self) -> usize {
        self.mover + self.opponent
    }

    /// Stones of the side with more of them, and of the other.
    #[must_use]
    pub const fn sides(self) -> (usize, usize) {
        if self.mover < self.opponent { (self.opponent, self.mover) } else { (self.mover, self.opponent) }
    }

    /// The slice that a paika leads to: the same stones, the other side to move.
    #[must_use]
    pub const fn twin(self) -> Self {
        Self { mover: self.opponent, opponent: self.mover }
    }

    /// The sort key of the building order: a slice is followed by its twin, and both come after every slice that captures can
    /// lead to.
    #[must_use]
    pub const fn building_order(self) -> (usize, usize, usize) {
        (self.stones(), self.sides().1, self.opponent)
    }

    /// Every slice with both colours and at most `stones` stones on a board with `points` points, in building order.
    pub fn up_to(stones: usize, points: usize) -> impl Iterator<Item = Self> + Clone {
        (2..=stones.min(points)).flat_map(Self::with_stones)
    }

    /// Every slice with both colours and so many stones, in building order.
    fn with_stones(stones: usize) -> impl Iterator<Item = Self> + Clone {
        (1..=stones / 2).flat_map(move |opponent| {
            let slice = Self::new(stones - opponent, opponent);
            let twin = (slice != slice.twin()).then_some(slice.twin());
            std::iter::once(slice).chain(twin)
        })
    }

    /// The largest number of stones, at most `most`, up to which every slice is there; 0 if there is none.
    pub fn complete_up_to(most: usize, is_there: impl Fn(Self) -> bool) -> usize {
        (2..=most).take_while(|&stones| Self::with_stones(stones).all(&is_there)).last().unwrap_or(0)
    }
}

/// The text is not a slice.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is not a slice; write the mover's stones, v and the opponent's stones, at least one each, such as 5v3")]
pub struct SliceError(String);

impl FromStr for Slice {
    type Err = SliceError;

    fn from_str(text: &str) -> Result<Self, SliceError> {
        let digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        let number = |text| Some(text).filter(digits)?.parse().ok().filter(|number| (1..=MAX_POINTS).contains(number));
        let numbers = text.split_once('v').and_then(|(mover, opponent)| Some((number(mover)?, number(opponent)?)));
        numbers
            .map(|(mover, opponent)| Self::new(mover, opponent))
            .ok_or_else(|| SliceError(excerpt(text).into_owned()))
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.mover, self.opponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_read_as_they_are_written() {
        for slice in [Slice::new(5, 3), Slice::new(1, 44)] {
            assert_eq!(slice.to_string().parse(), Ok(slice));
        }
        for wrong in ["", "5", "5v", "v3", "0v3", "3v0", "5 v 3", "5x3", "-1v3", "+1v3", "5v3v1", "99v1"] {
            let error = wrong.parse::<Slice>().unwrap_err().to_string();
            assert!(error.contains(&format!("{wrong:?}")) && error.contains("such as 5v3"), "{error}");
        }
    }
}

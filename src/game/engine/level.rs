//! Levels: the playing strength of the computer.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::deepening::MAX_DEPTH;

/// Playing strength, from 1 to 5. Level 5 is perfect where tables reach, and does not lose where proofs do; the others search less deep, and now and then play a
/// random turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Level(u8);

/// The best.
impl Default for Level {
    fn default() -> Self {
        Self::BEST
    }
}

/// Not one of the levels.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("level {0} is not one of 1 to 5")]
pub struct LevelError(String);

impl Level {
    /// The best.
    pub const BEST: Self = Self(5);

    /// The level as a number.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// The search depth.
    pub(super) fn depth(self) -> i32 {
        match self.0 {
            1 => 1,
            2 => 2,
            3 => 4,
            4 => 7,
            _ => MAX_DEPTH,
        }
    }

    /// The probability of a random turn.
    pub(super) fn chance(self) -> f64 {
        match self.0 {
            1 => 0.4,
            2 => 0.25,
            3 => 0.12,
            4 => 0.04,
            _ => 0.0,
        }
    }

    /// Whether its searches use tables.
    pub(super) fn knows_tables(self) -> bool {
        self.0 >= 4
    }

    /// Whether it plays perfectly where tables reach.
    pub(super) fn is_perfect(self) -> bool {
        self == Self::BEST
    }
}

impl TryFrom<u8> for Level {
    type Error = LevelError;

    fn try_from(number: u8) -> Result<Self, LevelError> {
        if (1..=5).contains(&number) { Ok(Self(number)) } else { Err(LevelError(number.to_string())) }
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> Self {
        level.0
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Self, LevelError> {
        text.parse::<u8>().ok().and_then(|number| number.try_into().ok()).ok_or_else(|| LevelError(text.to_owned()))
    }
}

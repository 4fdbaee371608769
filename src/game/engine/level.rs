//! Levels: the playing strength of the computer.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::deepening::MAX_DEPTH;
use super::sight::Sight;

/// Playing strength, from 1 to 9. Each level searches deeper, follows captures further or judges positions better than the
/// one below. No level plays random turns. Level 9 sees all it can; it is perfect where tables reach, and does
/// not lose where proofs do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Level(u8);

/// A level: its name, its depth, how many plies captures are followed beyond, and the largest error of judgement in hundredths
/// of a stone. `experiments/26-levels` measures them.
type Ability = (&'static str, i32, i32, i32);

const ABILITIES: [Ability; 9] = [
    ("newcomer", 1, 0, 2400),
    ("beginner", 1, 0, 600),
    ("learner", 1, 0, 60),
    ("casual", 1, 1, 900),
    ("regular", 2, 4, 600),
    ("skilled", 2, 6, 330),
    ("strong", 3, 8, 340),
    ("expert", 4, 8, 260),
    ("full strength", MAX_DEPTH, 8, 0),
];

/// The best.
impl Default for Level {
    fn default() -> Self {
        Self::BEST
    }
}

/// A level that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("level {0} is not one of 1 to {last}", last = Level::BEST.0)]
pub struct LevelError(String);

impl Level {
    /// The best.
    #[allow(clippy::cast_possible_truncation)] // a few
    pub const BEST: Self = Self(ABILITIES.len() as u8);

    /// All levels, the weakest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=Self::BEST.0).map(Self)
    }

    /// The level as a number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.ability().0
    }

    fn ability(self) -> Ability {
        ABILITIES[usize::from(self.0) - 1]
    }

    /// What it sees. With another seed it misjudges other positions.
    pub(super) fn sight(self, seed: u64) -> Sight {
        let (_, depth, captures, error) = self.ability();
        Sight { depth, captures, error, seed }
    }

    /// Whether its searches use tables.
    pub(super) fn knows_tables(self) -> bool {
        self.0 + 1 >= Self::BEST.0
    }

    /// Whether it plays perfectly where tables reach.
    pub(super) fn is_perfect(self) -> bool {
        self == Self::BEST
    }
}

/// As in "5, regular".
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.0, self.name())
    }
}

impl TryFrom<u8> for Level {
    type Error = LevelError;

    fn try_from(number: u8) -> Result<Self, LevelError> {
        let level = Self::all().find(|level| level.0 == number);
        level.ok_or_else(|| LevelError(number.to_string()))
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> Self {
        level.0
    }
}

/// By number.
impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Self, LevelError> {
        text.parse::<u8>().ok().and_then(|number| number.try_into().ok()).ok_or_else(|| LevelError(text.to_owned()))
    }
}

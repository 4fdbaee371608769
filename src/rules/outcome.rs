//! The value of a position in the infinite game.

use std::fmt;

use serde::Serializer;

/// The result of perfect play for the side to move, in the order of the mover's preference, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The side to move loses.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move wins.
    Win,
}

impl Outcome {
    /// The same outcome for the other side.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// The word for a value that may be unknown.
    #[must_use]
    pub const fn word(value: Option<Self>) -> &'static str {
        match value {
            Some(Self::Loss) => "loss",
            Some(Self::Draw) => "draw",
            Some(Self::Win) => "win",
            None => "unknown",
        }
    }

    /// Serializes a value that may be unknown as its word.
    ///
    /// # Errors
    /// Those of the serializer.
    #[allow(clippy::ref_option)] // as serde calls it
    pub fn serialize_word<S: Serializer>(value: &Option<Self>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(Self::word(*value))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::word(Some(*self)))
    }
}

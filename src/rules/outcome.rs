//! The value of a position in the infinite game, for its side to move: the outcome, or bounds on it.

use std::fmt;

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
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::word(Some(*self)))
    }
}

/// What is known of an outcome: it is not worse than `least` and not better than `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The worst outcome that is possible.
    pub least: Outcome,
    /// The best outcome that is possible.
    pub most: Outcome,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { least: Outcome::Loss, most: Outcome::Win };

    /// The outcome, if it is known.
    #[must_use]
    pub fn exact(self) -> Option<Outcome> {
        (self.least == self.most).then_some(self.least)
    }

    /// Whether it is known if the outcome is a win.
    #[must_use]
    pub fn settle_win(self) -> bool {
        self.least == Outcome::Win || self.most < Outcome::Win
    }

    /// The same bounds for the other side.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { least: self.most.reversed(), most: self.least.reversed() }
    }

    /// What is known if both hold; nothing if they contradict each other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let both = Self { least: self.least.max(other.least), most: self.most.min(other.most) };
        if both.least <= both.most { both } else { Self::UNKNOWN }
    }
}

impl From<Outcome> for Bounds {
    fn from(outcome: Outcome) -> Self {
        Self { least: outcome, most: outcome }
    }
}

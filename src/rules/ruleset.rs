//! The rule options that change the value of a position.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::board::Diagonals;

/// Whether a capturing chain may stop while it could continue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Continuation {
    /// The player may stop after any capturing step (Schadd, Wikipedia).
    #[default]
    Optional,
    /// The chain continues while it can.
    Obligatory,
}

/// The result for a side to move that has stones but no legal move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stalemate {
    /// The side to move has lost.
    #[default]
    Loss,
    /// The game is a draw.
    Draw,
}

/// The rules that the value of a position depends on. The published results use the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct RuleSet {
    /// Which points are strong.
    pub diagonals: Diagonals,
    /// Whether chains may stop early.
    pub continuation: Continuation,
    /// The result of a stalemate.
    pub stalemate: Stalemate,
}

impl RuleSet {
    /// Every combination of the options, the default first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..8).map(|bits| Self::from_options([bits & 1, bits & 2, bits & 4].map(|bit| bit != 0)))
    }

    /// For each option, in the order of the fields, whether it differs from the default. Files store the rules like this.
    #[must_use]
    pub fn options(self) -> [bool; 3] {
        [
            self.diagonals == Diagonals::Centre,
            self.continuation == Continuation::Obligatory,
            self.stalemate == Stalemate::Draw,
        ]
    }

    /// The words of the options, in the order of the fields.
    #[must_use]
    pub const fn words(self) -> [&'static str; 3] {
        [
            match self.diagonals {
                Diagonals::Corner => "corner",
                Diagonals::Centre => "centre",
            },
            match self.continuation {
                Continuation::Optional => "optional",
                Continuation::Obligatory => "obligatory",
            },
            match self.stalemate {
                Stalemate::Loss => "loss",
                Stalemate::Draw => "draw",
            },
        ]
    }

    /// The rule set with those [`options`](Self::options).
    #[must_use]
    pub fn from_options([centre, obligatory, draw]: [bool; 3]) -> Self {
        Self {
            diagonals: if centre { Diagonals::Centre } else { Diagonals::Corner },
            continuation: if obligatory { Continuation::Obligatory } else { Continuation::Optional },
            stalemate: if draw { Stalemate::Draw } else { Stalemate::Loss },
        }
    }
}

/// Written as on the command line: `corner, optional, loss`.
impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [diagonals, continuation, stalemate] = self.words();
        write!(f, "diagonals {diagonals}, continuation {continuation}, stalemate {stalemate}")
    }
}

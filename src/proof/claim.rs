//! The claims of a certificate.

use std::fmt;

use crate::rules::{Position, Side};

/// A position and its claimed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The position, with its side to move.
    pub position: Position<u64>,
    /// Its value.
    pub value: Claimed,
}

/// A value or a bound on it, seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claimed {
    /// White wins.
    WhiteWins,
    /// Black wins.
    BlackWins,
    /// Neither can force a win.
    Draw,
    /// Black cannot force a win.
    WhiteDoesNotLose,
    /// White cannot force a win.
    BlackDoesNotLose,
}

impl Claimed {
    /// Every value, in the order of their numbers in files.
    pub(super) const ALL: [Self; 5] =
        [Self::WhiteWins, Self::BlackWins, Self::Draw, Self::WhiteDoesNotLose, Self::BlackDoesNotLose];

    /// What has to be proved: for each of these sides, that it wins, or else that it does not lose.
    pub(super) fn parts(self) -> &'static [(Side, bool)] {
        const WINS: bool = true;
        const HOLDS: bool = false;
        match self {
            Self::WhiteWins => &[(Side::White, WINS)],
            Self::BlackWins => &[(Side::Black, WINS)],
            Self::Draw => &[(Side::White, HOLDS), (Side::Black, HOLDS)],
            Self::WhiteDoesNotLose => &[(Side::White, HOLDS)],
            Self::BlackDoesNotLose => &[(Side::Black, HOLDS)],
        }
    }

    /// The words for programs: `white wins`, `draw`, `white does not lose` and so on.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::WhiteWins => "white wins",
            Self::BlackWins => "black wins",
            Self::Draw => "draw",
            Self::WhiteDoesNotLose => "white does not lose",
            Self::BlackDoesNotLose => "black does not lose",
        }
    }
}

/// What the position is: `a draw`, `a win for White`, `no loss for White` and so on.
impl fmt::Display for Claimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WhiteWins => "a win for White",
            Self::BlackWins => "a win for Black",
            Self::Draw => "a draw",
            Self::WhiteDoesNotLose => "no loss for White",
            Self::BlackDoesNotLose => "no loss for Black",
        })
    }
}

//! The value of a position, seen from outside.

use std::fmt;

use serde::{Serialize, Serializer};

use super::outcome::{Bounds, Outcome};
use super::position::Side;

/// Who wins under best play, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// White can force a win.
    WhiteWins,
    /// Black can force a win.
    BlackWins,
    /// Neither can.
    Draw,
    /// Black cannot force a win; whether White can is open.
    WhiteDoesNotLose,
    /// White cannot force a win; whether Black can is open.
    BlackDoesNotLose,
    /// Nothing is known.
    Unknown,
}

impl Value {
    /// The value that follows from the answers to the two questions, as far as they are known.
    #[must_use]
    pub fn of(white_wins: Option<bool>, black_wins: Option<bool>) -> Self {
        match (white_wins, black_wins) {
            (Some(true), _) => Self::WhiteWins,
            (_, Some(true)) => Self::BlackWins,
            (Some(false), Some(false)) => Self::Draw,
            (None, Some(false)) => Self::WhiteDoesNotLose,
            (Some(false), None) => Self::BlackDoesNotLose,
            (None, None) => Self::Unknown,
        }
    }

    /// The value of a position with these bounds for the side to move.
    #[must_use]
    pub fn of_bounds(bounds: Bounds, to_move: Side) -> Self {
        let white = if to_move == Side::White { bounds } else { bounds.reversed() };
        match (white.least, white.most) {
            (Outcome::Win, _) => Self::WhiteWins,
            (_, Outcome::Loss) => Self::BlackWins,
            (Outcome::Draw, Outcome::Draw) => Self::Draw,
            (Outcome::Draw, Outcome::Win) => Self::WhiteDoesNotLose,
            (Outcome::Loss, Outcome::Draw) => Self::BlackDoesNotLose,
            (Outcome::Loss, Outcome::Win) => Self::Unknown,
        }
    }

    /// The bounds on the outcome for a side.
    #[must_use]
    pub fn bounds(self, side: Side) -> Bounds {
        let white = match self {
            Self::WhiteWins => Outcome::Win.into(),
            Self::BlackWins => Outcome::Loss.into(),
            Self::Draw => Outcome::Draw.into(),
            Self::WhiteDoesNotLose => Bounds { least: Outcome::Draw, most: Outcome::Win },
            Self::BlackDoesNotLose => Bounds { least: Outcome::Loss, most: Outcome::Draw },
            Self::Unknown => Bounds::UNKNOWN,
        };
        if side == Side::White { white } else { white.reversed() }
    }

    /// Whether the value is fully known.
    #[must_use]
    pub fn is_exact(self) -> bool {
        matches!(self, Self::WhiteWins | Self::BlackWins | Self::Draw)
    }

    /// The words for programs: `white wins`, `draw`, `white does not lose` and so on.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::WhiteWins => "white wins",
            Self::BlackWins => "black wins",
            Self::Draw => "draw",
            Self::WhiteDoesNotLose => "white does not lose",
            Self::BlackDoesNotLose => "black does not lose",
            Self::Unknown => "unknown",
        }
    }

    /// The value as a noun: `a draw`, `a win for White`, `no loss for White`.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::WhiteWins => "a win for White",
            Self::BlackWins => "a win for Black",
            Self::Draw => "a draw",
            Self::WhiteDoesNotLose => "no loss for White",
            Self::BlackDoesNotLose => "no loss for Black",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::WhiteWins => "White wins",
            Self::BlackWins => "Black wins",
            Self::WhiteDoesNotLose => "White does not lose",
            Self::BlackDoesNotLose => "Black does not lose",
            Self::Draw | Self::Unknown => self.words(),
        })
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.words())
    }
}

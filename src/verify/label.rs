//! Labels of positions: values, with or without depths, in the order of the mover's preference.

use std::cmp::Ordering;
use std::fmt;

use crate::rules::Outcome;
use crate::table::Score;

/// The value of a position for its side to move; better values compare as greater.
pub trait Label: Copy + Ord + fmt::Display + Send + Sync {
    /// A game that is over and lost.
    const LOST: Self;
    /// A draw.
    const DRAWN: Self;
    /// Better than or equal to every other.
    const BEST: Self;

    /// The label of a turn that leads to a position with this label, for the side that makes the turn.
    #[must_use]
    fn before(self) -> Self;

    /// The value alone.
    fn outcome(self) -> Outcome;

    /// Plies to the end of the game, if they are known and there is an end.
    fn plies(self) -> Option<usize>;
}

impl Label for Outcome {
    const LOST: Self = Self::Loss;
    const DRAWN: Self = Self::Draw;
    const BEST: Self = Self::Win;

    fn before(self) -> Self {
        self.reversed()
    }

    fn outcome(self) -> Outcome {
        self
    }

    fn plies(self) -> Option<usize> {
        None
    }
}

/// An outcome with its depth in plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timed {
    /// Lost in this many plies; more are better.
    Loss(u32),
    /// Drawn.
    Draw,
    /// Won in this many plies; fewer are better.
    Win(u32),
}

impl Ord for Timed {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Loss(a), Self::Loss(b)) => a.cmp(b),
            (Self::Win(a), Self::Win(b)) => b.cmp(a),
            _ => self.outcome().cmp(&other.outcome()),
        }
    }
}

impl PartialOrd for Timed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Label for Timed {
    const LOST: Self = Self::Loss(0);
    const DRAWN: Self = Self::Draw;
    const BEST: Self = Self::Win(1);

    fn before(self) -> Self {
        match self {
            Self::Loss(plies) => Self::Win(plies + 1),
            Self::Draw => Self::Draw,
            Self::Win(plies) => Self::Loss(plies + 1),
        }
    }

    fn outcome(self) -> Outcome {
        match self {
            Self::Loss(_) => Outcome::Loss,
            Self::Draw => Outcome::Draw,
            Self::Win(_) => Outcome::Win,
        }
    }

    fn plies(self) -> Option<usize> {
        match self {
            Self::Loss(plies) | Self::Win(plies) => Some(plies as usize),
            Self::Draw => None,
        }
    }
}

impl From<Score> for Timed {
    fn from(score: Score) -> Self {
        match (score.outcome(), score.plies()) {
            (Outcome::Loss, Some(plies)) => Self::Loss(plies),
            (Outcome::Win, Some(plies)) => Self::Win(plies),
            _ => Self::Draw,
        }
    }
}

impl fmt::Display for Timed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loss(plies) => write!(f, "loss in {plies} plies"),
            Self::Draw => f.write_str("draw"),
            Self::Win(plies) => write!(f, "win in {plies} plies"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_in_the_order_of_preference() {
        let ascending = [Timed::LOST, Timed::Loss(2), Timed::Loss(40), Timed::Draw, Timed::Win(39), Timed::BEST];
        assert!(ascending.is_sorted());
        let before = ascending.map(Label::before);
        assert_eq!(before[0], Timed::BEST);
        assert!(before.iter().rev().is_sorted());
        assert_eq!(Timed::from(Score::win(4)), Timed::Win(9));
        assert_eq!(Timed::from(Score::loss(4)), Timed::Loss(8));
        assert_eq!(Timed::from(Score::DRAW), Timed::Draw);
    }
}

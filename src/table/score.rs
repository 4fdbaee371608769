//! Scores: who wins a position and how soon, in one number.

use crate::rules::Outcome;

/// The value of a position for its side to move, with its depth: plies to the end of the game when the winner shortens it
/// and the loser lengthens it. Scores are ordered from the quickest loss to the quickest win: for the side to move later
/// losses are better, later wins worse, and draws lie in between.
///
/// A game ends with a turn of the winner, so a win takes an odd number of plies, 2 · step + 1, and a loss an even one,
/// 2 · step. A loss in 0 plies is a game that is over: no stones left, or no legal turn under rules that count that as a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Score(u16);

impl Score {
    /// Neither side can force a win.
    pub const DRAW: Self = Self(0x7fff);

    /// The largest number of steps of a score.
    pub const MAX_STEPS: u16 = Self::DRAW.0 - 1;

    /// A win in 2 · step + 1 plies; `step` is at most [`MAX_STEPS`](Self::MAX_STEPS).
    #[inline]
    #[must_use]
    pub const fn win(step: u16) -> Self {
        Self(2 * Self::DRAW.0 - step)
    }

    /// A loss in 2 · step plies; `step` is at most [`MAX_STEPS`](Self::MAX_STEPS).
    #[inline]
    #[must_use]
    pub const fn loss(step: u16) -> Self {
        Self(step)
    }

    /// The value alone.
    #[inline]
    #[must_use]
    pub fn outcome(self) -> Outcome {
        match self.cmp(&Self::DRAW) {
            std::cmp::Ordering::Less => Outcome::Loss,
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Greater => Outcome::Win,
        }
    }

    /// The number of steps of a win or a loss.
    #[inline]
    #[must_use]
    pub fn step(self) -> Option<u16> {
        match self.outcome() {
            Outcome::Loss => Some(self.0),
            Outcome::Draw => None,
            Outcome::Win => Some(2 * Self::DRAW.0 - self.0),
        }
    }

    /// Plies to the end; `None` for a draw.
    #[must_use]
    pub fn plies(self) -> Option<u32> {
        let step = u32::from(self.step()?);
        Some(if self.outcome() == Outcome::Win { 2 * step + 1 } else { 2 * step })
    }

    /// The score of a position whose best turn leaves the opponent with this score. `None` if the result is a loss of more than
    /// [`Score::MAX_STEPS`] steps.
    #[inline]
    #[must_use]
    pub fn before(self) -> Option<Self> {
        let mirrored = 2 * Self::DRAW.0 - self.0;
        if mirrored >= Self::DRAW.0 {
            return Some(Self(mirrored));
        }
        (mirrored < Self::MAX_STEPS).then_some(Self(mirrored + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Outcome::{Draw, Loss, Win};

    #[test]
    fn scores_are_in_the_order_of_preference() {
        let ascending =
            [Score::loss(0), Score::loss(1), Score::loss(Score::MAX_STEPS), Score::DRAW, Score::win(9), Score::win(0)];
        assert!(ascending.is_sorted());
        let outcomes = ascending.map(Score::outcome);
        assert_eq!(outcomes, [Loss, Loss, Loss, Draw, Win, Win]);
        assert_eq!(ascending.map(Score::plies), [Some(0), Some(2), Some(65532), None, Some(19), Some(1)]);
        assert_eq!(Score::win(Score::MAX_STEPS).plies(), Some(65533));
    }

    #[test]
    fn the_position_before_takes_one_ply_more() {
        for step in [0, 1, 77, Score::MAX_STEPS - 1] {
            assert_eq!(Score::loss(step).before(), Some(Score::win(step)));
            assert_eq!(Score::win(step).before(), Some(Score::loss(step + 1)));
        }
        assert_eq!(Score::DRAW.before(), Some(Score::DRAW));
        assert_eq!(Score::loss(Score::MAX_STEPS).before(), Some(Score::win(Score::MAX_STEPS)));
    }

    #[test]
    fn what_is_too_deep_is_not_cut_short() {
        assert_eq!(Score::win(Score::MAX_STEPS).before(), None);
    }
}

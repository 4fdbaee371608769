//! What a side did in a game.

use serde::Serialize;

use crate::rules::Side;

use super::assess::{Mark, TurnReview};

/// What a side did in a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Its turns.
    pub moves: usize,
    /// Those of which it is known, or judged, what they lost.
    pub reviewed: usize,
    /// Turns marked `?!`.
    pub inaccuracies: usize,
    /// Turns marked `?`.
    pub mistakes: usize,
    /// Turns marked `??`.
    pub blunders: usize,
    /// Turns that were the only ones to keep a win or a draw.
    pub only_moves: usize,
    /// What a reviewed turn lost on average, in points.
    pub average_loss: Option<f64>,
}

impl Summary {
    /// Of one of the sides.
    #[must_use]
    pub fn of(turns: &[TurnReview], side: Side) -> Self {
        let own = || turns.iter().filter(|turn| turn.side == side);
        let marked = |mark| own().filter(|turn| turn.mark == Some(mark)).count();
        let losses: Vec<f64> = own().filter_map(|turn| turn.loss).collect();
        #[allow(clippy::cast_precision_loss)] // few
        let average_loss = (!losses.is_empty()).then(|| losses.iter().sum::<f64>() / losses.len() as f64);
        Self {
            moves: own().count(),
            reviewed: losses.len(),
            inaccuracies: marked(Mark::Inaccuracy),
            mistakes: marked(Mark::Mistake),
            blunders: marked(Mark::Blunder),
            only_moves: marked(Mark::OnlyMove),
            average_loss,
        }
    }
}

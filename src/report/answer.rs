//! What is known of a position and of each of its moves.

use serde::Serialize;

use crate::board::PointSet;
use crate::rules::{Ending, Game, Outcome, Position, turn_text};

/// Win, draw, loss or unknown, for a side that the field says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// That side wins.
    Win,
    /// Nobody can force a win.
    Draw,
    /// That side loses.
    Loss,
    /// Nothing here tells.
    Unknown,
}

impl Category {
    /// The category as the other side sees it.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Loss => Self::Win,
            other => other,
        }
    }

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::Loss => "loss",
            Self::Unknown => "unknown",
        }
    }

    /// Order of moves, best first; what is unknown comes before what is lost.
    fn rank(self) -> usize {
        self as usize ^ usize::from(matches!(self, Self::Loss | Self::Unknown))
    }
}

impl From<Option<Outcome>> for Category {
    fn from(outcome: Option<Outcome>) -> Self {
        match outcome {
            Some(Outcome::Win) => Self::Win,
            Some(Outcome::Draw) => Self::Draw,
            Some(Outcome::Loss) => Self::Loss,
            None => Self::Unknown,
        }
    }
}

/// One move of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MoveAnswer {
    /// The move, in Schadd's notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The position after it.
    pub position: String,
    /// What the position after it is for the opponent, who is to move there.
    pub category: Category,
    /// What the move is for the player who makes it.
    pub outcome: Category,
}

/// What is known of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The position.
    pub position: String,
    /// The board.
    pub board: String,
    /// What it is for the side to move.
    pub category: Category,
    /// Every legal move, best first; moves to the same board are one.
    pub moves: Vec<MoveAnswer>,
}

/// Answers a position with the values that `probe` knows. Where it does not know a position itself, its moves may still tell.
///
/// # Errors
/// Those of `probe`.
pub fn answer<P: PointSet, E>(
    game: &Game<P>,
    position: &Position<P>,
    mut probe: impl FnMut(P, P) -> Result<Option<Outcome>, E>,
) -> Result<Answer, E> {
    let size = game.board().size();
    let mut known = |position: &Position<P>| -> Result<Category, E> {
        Ok(match game.ending(position.mover(), position.opponent()) {
            Some(Ending::Won) => Category::Win,
            Some(Ending::Lost) => Category::Loss,
            Some(Ending::Drawn) => Category::Draw,
            None => probe(position.mover(), position.opponent())?.into(),
        })
    };
    let mut category = known(position)?;
    let mut moves = Vec::new();
    for (turn, after) in game.turns(position) {
        let category = known(&after)?;
        moves.push(MoveAnswer {
            text: turn_text(size, &turn),
            position: after.to_text(size),
            category,
            outcome: category.reversed(),
        });
    }
    moves.sort_by(|a, b| (a.outcome.rank(), &a.text).cmp(&(b.outcome.rank(), &b.text)));
    if category == Category::Unknown
        && let Some(best) = moves.first()
    {
        let all_known = moves.iter().all(|m| m.outcome != Category::Unknown);
        if best.outcome == Category::Win || all_known {
            category = best.outcome;
        }
    }
    Ok(Answer { position: position.to_text(size), board: size.to_string(), category, moves })
}

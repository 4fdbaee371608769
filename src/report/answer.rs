//! What is known of a position and of each of its moves, as text.

use serde::Serialize;

use crate::board::PointSet;
use crate::rules::{Outcome, Position, Rules, turn_text};
use crate::table::{Known, rate};

/// One move of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MoveAnswer {
    /// The move, in Schadd's notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The position after it.
    pub position: String,
    /// The value for the player who makes the move, `None` if it is unknown.
    #[serde(serialize_with = "Outcome::serialize_word")]
    pub value: Option<Outcome>,
    /// Plies from the position after it to the end of the game, if they are known.
    pub dtw: Option<u32>,
}

/// What is known of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The position.
    pub position: String,
    /// The board.
    pub board: String,
    /// The value for the side to move, `None` if it is unknown.
    #[serde(serialize_with = "Outcome::serialize_word")]
    pub value: Option<Outcome>,
    /// Plies to the end of the game, if they are known.
    pub dtw: Option<u32>,
    /// Every legal move, best first; of moves to the same position only one.
    pub moves: Vec<MoveAnswer>,
}

/// Answers a position with what `probe` knows of it and of the positions after its moves.
///
/// # Errors
/// Those of `probe`.
pub fn answer<P: PointSet, E>(
    rules: &Rules<P>,
    position: &Position<P>,
    mut probe: impl FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Answer, E> {
    let size = rules.board().size();
    let rating = rate(rules, position, &mut probe)?;
    let moves = rating.moves.iter().map(|rated| MoveAnswer {
        text: turn_text(size, &rated.turn),
        position: rated.after.to_text(size),
        value: rated.value(),
        dtw: rated.plies(),
    });
    Ok(Answer {
        position: position.to_text(size),
        board: size.to_string(),
        value: rating.known.map(|known| known.outcome),
        dtw: rating.known.and_then(|known| known.plies),
        moves: moves.collect(),
    })
}

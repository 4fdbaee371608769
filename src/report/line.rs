//! Lines of best play as tables have it.

use serde::Serialize;

use crate::board::PointSet;
use crate::rules::{Outcome, Position, Rules, turn_text};
use crate::table::Known;

use super::answer::{Category, known, rated_moves};

/// A move of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineMove {
    /// The move, in Schadd's notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The position after it.
    pub position: String,
}

/// Why a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LineEnd {
    /// The game is over.
    Over,
    /// A position has come back: play may go round for ever.
    Repetition,
    /// Nothing tells which move is best.
    Unknown,
}

/// Best play from a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The position that it begins with.
    pub position: String,
    /// The board.
    pub board: String,
    /// What the position is for the side to move.
    pub category: Category,
    /// Plies to the end of the game, where they are known.
    pub dtw: Option<u32>,
    /// The moves, in turn by both sides.
    pub line: Vec<LineMove>,
    /// Why it ends.
    pub end: LineEnd,
}

/// Follows best play to the end of the game: the winner takes the shortest way, the loser the longest, and both the first in
/// the order of notation where several are equal. A drawn game ends when a position comes back. A won game whose depth
/// is unknown is not followed: moves that keep a win need not come nearer to its end.
///
/// # Errors
/// Those of `probe`.
pub fn line<P: PointSet, E>(
    game: &Rules<P>,
    position: &Position<P>,
    mut probe: impl FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Line, E> {
    let size = game.board().size();
    let first = known(game, position, &mut probe)?;
    let mut seen = vec![*position];
    let mut moves = Vec::new();
    let mut here = first;
    let end = loop {
        let current = seen[seen.len() - 1];
        if game.ending(current.mover(), current.opponent()).is_some() {
            break LineEnd::Over;
        }
        if !here.is_some_and(|here| here.outcome == Outcome::Draw || here.plies.is_some()) {
            break LineEnd::Unknown;
        }
        let best = rated_moves(game, &current, &mut probe)?.into_iter().next();
        let Some((turn, after, known)) = best else { break LineEnd::Unknown };
        moves.push(LineMove { text: turn_text(size, &turn), position: after.to_text(size) });
        if seen.contains(&after) {
            break LineEnd::Repetition;
        }
        seen.push(after);
        here = known;
    };
    Ok(Line {
        position: position.to_text(size),
        board: size.to_string(),
        category: first.map(|first| first.outcome).into(),
        dtw: first.and_then(|first| first.plies),
        line: moves,
        end,
    })
}

//! Lines of best play by tables.

use serde::Serialize;

use crate::board::PointSet;
use crate::rules::{Outcome, Position, Rules, turn_text};
use crate::table::{Known, rate};

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
    /// The position repeats: play may go on for ever.
    Repetition,
    /// Which move is best is unknown.
    Unknown,
}

/// Best play from a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The position that it begins from.
    pub position: String,
    /// The board.
    pub board: String,
    /// The value for the side to move, `None` if it is unknown.
    #[serde(serialize_with = "Outcome::serialize_word")]
    pub value: Option<Outcome>,
    /// Plies to the end of the game, if they are known.
    pub dtw: Option<u32>,
    /// The moves, in turn by both sides.
    pub line: Vec<LineMove>,
    /// Why it ends.
    pub end: LineEnd,
}

/// Follows best play to the end of the game: the winner takes the shortest way, the loser the longest, and of equal moves both
/// take the first in the order of notation. A drawn game ends when a position repeats. A won game whose depth
/// is unknown is not followed: moves that keep a win need not come nearer to its end.
///
/// # Errors
/// Those of `probe`.
pub fn line<P: PointSet, E>(
    rules: &Rules<P>,
    position: &Position<P>,
    mut probe: impl FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Line, E> {
    let size = rules.board().size();
    let mut rating = rate(rules, position, &mut probe)?;
    let first = rating.known;
    let mut seen = vec![*position];
    let mut moves = Vec::new();
    let end = loop {
        let current = seen[seen.len() - 1];
        if rules.ending(current.mover(), current.opponent()).is_some() {
            break LineEnd::Over;
        }
        if !rating.known.is_some_and(|here| here.outcome == Outcome::Draw || here.plies.is_some()) {
            break LineEnd::Unknown;
        }
        let Some(best) = rating.moves.first() else { break LineEnd::Unknown };
        let after = best.after;
        moves.push(LineMove { text: turn_text(size, &best.turn), position: after.to_text(size) });
        if seen.contains(&after) {
            break LineEnd::Repetition;
        }
        seen.push(after);
        rating = rate(rules, &after, &mut probe)?;
    };
    Ok(Line {
        position: position.to_text(size),
        board: size.to_string(),
        value: first.map(|first| first.outcome),
        dtw: first.and_then(|first| first.plies),
        line: moves,
        end,
    })
}

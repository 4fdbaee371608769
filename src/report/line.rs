//! Lines of best play by tables and proofs.

use serde::Serialize;

use crate::board::PointSet;
use crate::rules::{Outcome, Position, RuleSet, Rules, turn_text};
use crate::table::{Known, rate};

use super::answer::ValueAnswer;

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
    /// The rules.
    pub rules: RuleSet,
    /// The value for the side to move.
    #[serde(flatten)]
    pub known: ValueAnswer,
    /// The moves, in turn by both sides.
    pub line: Vec<LineMove>,
    /// Why it ends.
    pub end: LineEnd,
}

/// Follows best play. With depths the winner takes the shortest way and the loser the longest; among equal moves, the first in the order
/// of notation. In a proved win the winner lowers the rank and the loser keeps it high. A drawn line ends when a position repeats. A win
/// with neither depth nor rank is not followed, because moves that keep a win need not bring it nearer.
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
    let first = rating.known.clone();
    let mut seen = vec![*position];
    let mut moves = Vec::new();
    let end = loop {
        let current = seen[seen.len() - 1];
        if rules.ending(current.mover(), current.opponent()).is_some() {
            break LineEnd::Over;
        }
        let leads_on = |here: &Known| here.outcome() == Some(Outcome::Draw) || here.plies.is_some() || here.rank > 0;
        if !rating.known.as_ref().is_some_and(leads_on) {
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
        rules: rules.rule_set(),
        known: ValueAnswer::new(first.as_ref(), position.to_move),
        line: moves,
        end,
    })
}

//! Turns as text, in Schadd's notation: `d3-e3A`, `b2-c2A-c3A`, `a1-b2`.

use std::ops::ControlFlow;

use thiserror::Error;

use crate::board::{BoardSize, PointSet, excerpt, point_name, read_point};

use super::position::Position;
use super::turns::{After, Capture, Rules, Turn};

/// How many candidates an error lists at most.
const MAX_CANDIDATES: usize = 24;

/// Why a move text was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The text is not a move. Long texts are quoted in part, here and below.
    #[error(
        "{text:?} is not a move: at {rest:?} a point of the {size} board is expected; moves look like d3-e3A or a1-b2"
    )]
    Syntax {
        /// The whole text.
        text: String,
        /// The part that could not be parsed.
        rest: String,
        /// The board.
        size: BoardSize,
    },
    /// No legal move matches the text.
    #[error("{text} is not legal here; {}", list(candidates, stone))]
    Illegal {
        /// The whole text.
        text: String,
        /// The point the move starts from.
        stone: String,
        /// Legal moves of that stone, some of them if there are many.
        candidates: Vec<String>,
    },
    /// Several legal moves with different results match the text.
    #[error("{text} is ambiguous: it could be {}; add A (approach) or W (withdrawal) to each step", candidates.join(", "))]
    Ambiguous {
        /// The whole text.
        text: String,
        /// The moves it could mean.
        candidates: Vec<String>,
    },
}

fn list(candidates: &[String], stone: &str) -> String {
    if candidates.is_empty() {
        format!("the stone on {stone} has no legal move, or there is none of the side to move")
    } else {
        format!("legal from {stone}: {}", candidates.join(", "))
    }
}

/// A turn in dashed notation with all letters: `b2-c2A-c3A`.
#[must_use]
pub fn turn_text(size: BoardSize, turn: &Turn) -> String {
    let mut text = point_name(size, turn.from);
    for step in &turn.steps {
        text.push('-');
        text.push_str(&point_name(size, step.to));
        match step.capture {
            Some(Capture::Approach) => text.push('A'),
            Some(Capture::Withdrawal) => text.push('W'),
            None => {}
        }
    }
    text
}

/// Finds the legal turn that a text describes, and the position after it. Dashes may be left out, and so may letters
/// that are not needed.
///
/// # Errors
/// [`MoveError`]: not a move, not legal, or ambiguous; the latter two list legal candidates.
pub fn read_turn<P: PointSet>(
    rules: &Rules<P>,
    position: &Position<P>,
    text: &str,
) -> Result<(Turn, Position<P>), MoveError> {
    let size = rules.board().size();
    let (from, wanted) = read_path(size, text)?;
    let mut found: Vec<(After<P>, Turn)> = Vec::new();
    let mut others = Vec::new();
    let _ = rules.for_each_turn(position.mover(), position.opponent(), |path, after| {
        let turn = path.to_turn();
        let fits = turn.steps.len() == wanted.len()
            && turn
                .steps
                .iter()
                .zip(&wanted)
                .all(|(step, (to, capture))| step.to == *to && (capture.is_none() || *capture == step.capture));
        if turn.from == from && fits {
            found.push((after, turn));
        } else if turn.from == from && others.len() < MAX_CANDIDATES {
            others.push(turn_text(size, &turn));
        }
        ControlFlow::<()>::Continue(())
    });
    let text = excerpt(text.trim()).into_owned();
    match found.as_slice() {
        [] => Err(MoveError::Illegal { text, stone: point_name(size, from), candidates: others }),
        [(after, turn), rest @ ..] if rest.iter().all(|(other, _)| other == after) => {
            let next = Position::of_sides(position.to_move.other(), after.next, after.moved);
            Ok((turn.clone(), next))
        }
        several => {
            let candidates = several.iter().take(MAX_CANDIDATES).map(|(_, turn)| turn_text(size, turn)).collect();
            Err(MoveError::Ambiguous { text, candidates })
        }
    }
}

/// A path as it is written: the origin, and for each step its target and its letter if one is given.
pub type WrittenPath = (usize, Vec<(usize, Option<Capture>)>);

/// Parses the text of a move, without checking that the move is legal.
///
/// # Errors
/// [`MoveError::Syntax`] with the part that could not be parsed.
pub fn read_path(size: BoardSize, text: &str) -> Result<WrittenPath, MoveError> {
    let syntax = |rest: &str| {
        let [text, rest] = [text, rest].map(|text| excerpt(text).into_owned());
        MoveError::Syntax { text, rest, size }
    };
    let trimmed = text.trim();
    let (from, mut rest) = read_point(size, trimmed).ok_or_else(|| syntax(trimmed))?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let step = rest.strip_prefix('-').unwrap_or(rest);
        let (to, after) = read_point(size, step).ok_or_else(|| syntax(step))?;
        // Column letters are lower case, so a capital A can only be an approach. Some programs write moves in lower case: then
        // a is a column if a row follows it.
        let capture = match after.as_bytes() {
            [b'A', ..] => Some(Capture::Approach),
            [b'a', rest @ ..] if !rest.first().is_some_and(u8::is_ascii_digit) => Some(Capture::Approach),
            [b'W' | b'w', ..] => Some(Capture::Withdrawal),
            _ => None,
        };
        rest = if capture.is_some() { &after[1..] } else { after };
        steps.push((to, capture));
    }
    if steps.is_empty() { Err(syntax("")) } else { Ok((from, steps)) }
}

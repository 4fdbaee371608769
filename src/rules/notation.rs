//! Turns as text, in Schadd's notation: `d3-e3A`, `b2-c2A-c3A`, `a1-b2`.

use thiserror::Error;

use crate::board::{BoardSize, excerpt, point_name, read_point};

use super::turns::{Capture, Turn};

/// The error for a text that cannot be parsed as a move.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text:?} is not a move: at {rest:?} a point of the {size} board is expected; moves look like d3-e3A or a1-b2")]
pub struct MoveError {
    /// The text, shortened if it is long.
    pub text: String,
    /// The rest that could not be parsed, shortened if it is long.
    pub rest: String,
    /// The board.
    pub size: BoardSize,
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

/// A path as it is written: the origin, and for each step its target and its letter if one is given.
pub type WrittenPath = (usize, Vec<(usize, Option<Capture>)>);

/// Parses the text of a move, without checking that the move is legal.
///
/// # Errors
/// [`MoveError`] with the part that could not be parsed.
pub fn read_path(size: BoardSize, text: &str) -> Result<WrittenPath, MoveError> {
    let syntax = |rest: &str| {
        let [text, rest] = [text, rest].map(|text| excerpt(text).into_owned());
        MoveError { text, rest, size }
    };
    let trimmed = text.trim();
    let (from, mut rest) = read_point(size, trimmed).ok_or_else(|| syntax(trimmed))?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let step = rest.strip_prefix('-').unwrap_or(rest);
        let (to, after) = read_point(size, step).ok_or_else(|| syntax(step))?;
        let (capture, after) = read_capture(after);
        rest = after;
        steps.push((to, capture));
    }
    if steps.is_empty() { Err(syntax("")) } else { Ok((from, steps)) }
}

/// Parses the letter of a capture, if the text begins with one, and returns the rest of the text.
pub fn read_capture(text: &str) -> (Option<Capture>, &str) {
    // Column letters are lower case, so a capital A can only be an approach. Some programs write moves in lower case: then a is
    // a column if a row follows it.
    let capture = match text.as_bytes() {
        [b'A', ..] => Some(Capture::Approach),
        [b'a', rest @ ..] if !rest.first().is_some_and(u8::is_ascii_digit) => Some(Capture::Approach),
        [b'W' | b'w', ..] => Some(Capture::Withdrawal),
        _ => None,
    };
    (capture, if capture.is_some() { &text[1..] } else { text })
}

//! Why an attempt of a player is refused.

use serde::{Deserialize, Serialize};

use crate::board::{BoardSize, PointSet, read_point};
use crate::rules::read_capture;

use super::error::GameError;
use super::history::GameHistory;
use super::refusal::{Wanted, refused_path};

/// An attempt: a stone, its steps in this turn so far, and the next point. Without `to` the question is whether the turn may
/// end there, or, if there are no steps either, whether the stone may move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The point the turn begins on.
    pub from: String,
    /// The points of the steps so far, each with or without A or W after it.
    #[serde(default)]
    pub path: Vec<String>,
    /// The next point.
    #[serde(default)]
    pub to: Option<String>,
}

/// Why an attempt is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusalText {
    /// A sentence; `null` if it is allowed.
    pub why: Option<String>,
}

impl<P: PointSet> GameHistory<P> {
    /// Why an attempt is refused.
    ///
    /// # Errors
    /// [`GameError::Point`] if a text is not a point of the board.
    pub fn why(&self, tried: &Attempt) -> Result<RefusalText, GameError> {
        let size = self.size();
        let (from, _) = point(size, &tried.from)?;
        let steps = tried.path.iter().chain(&tried.to).map(|text| point(size, text));
        let wanted: Vec<Wanted> = steps.collect::<Result<_, _>>()?;
        let ends = tried.to.is_none() && !wanted.is_empty();
        let refusal = self.over().or_else(|| refused_path(self.referee(), self.state(), from, &wanted, ends));
        Ok(RefusalText { why: refusal.map(|refusal| sentence(&refusal.to_string())) })
    }
}

/// A text as a sentence: with a capital, unless it begins with the name of a point, and a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next();
    let is_name = chars.clone().next().is_some_and(|second| second.is_ascii_digit());
    match first {
        Some(first) if !is_name => format!("{}{}.", first.to_uppercase(), chars.as_str()),
        _ => format!("{text}."),
    }
}

/// Parses the name of a point, with or without the letter of a capture.
fn point(size: BoardSize, text: &str) -> Result<Wanted, GameError> {
    let read = read_point(size, text.trim()).map(|(point, after)| (point, read_capture(after)));
    match read {
        Some((point, (capture, ""))) => Ok((point, capture)),
        _ => Err(GameError::Point { text: text.chars().take(40).collect(), size }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::point_name;
    use crate::rules::Capture;

    #[test]
    fn points_are_read_with_their_letters() {
        let size = BoardSize::new(9, 5).unwrap();
        for index in 0..size.points() {
            let name = point_name(size, index);
            assert_eq!(point(size, &name), Ok((index, None)));
            assert_eq!(point(size, &format!(" {name}A ")), Ok((index, Some(Capture::Approach))));
            assert_eq!(point(size, &format!("{name}W")), Ok((index, Some(Capture::Withdrawal))));
        }
        for bad in ["", "c", "j1", "a6", "c3x", "c3-d3", "c3AA"] {
            assert!(matches!(point(size, bad), Err(GameError::Point { .. })), "{bad}");
        }
    }
}

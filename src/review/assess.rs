//! What each turn of a game lost, and how it is marked.

use serde::{Serialize, Serializer};

use crate::game::Reason;
use crate::rules::{Bounds, Outcome, Side};

use super::evaluation::{Evaluation, Judged, points};

/// How a turn is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It lost a little, about what a stone is worth, as a search sees it.
    Inaccuracy,
    /// It lost half a point.
    Mistake,
    /// It lost a whole point.
    Blunder,
    /// No other turn would have kept the win or the draw.
    OnlyMove,
}

impl Mark {
    /// Whether the turn lost something.
    #[must_use]
    pub const fn is_error(self) -> bool {
        matches!(self, Self::Inaccuracy | Self::Mistake | Self::Blunder)
    }

    /// The mark as text.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
            Self::OnlyMove => "only move",
        }
    }
}

impl Serialize for Mark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}

/// A better turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Better {
    /// The turn, in notation.
    #[serde(rename = "move")]
    pub text: String,
    /// Play from there on, this turn first, as far as it is known.
    pub line: Vec<String>,
}

/// A turn with its values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnReview {
    /// Number of turns made, this one included.
    pub ply: usize,
    /// Who made it.
    pub side: Side,
    /// The turn, in notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The position after it.
    pub position: String,
    /// The value before it, for the side that made it.
    pub before: Evaluation,
    /// The value after it, for the side that made it.
    pub after: Evaluation,
    /// The points that it lost, from 0 to 1; `None` as long as a value is missing.
    pub loss: Option<f64>,
    /// Whether the loss follows from exact values.
    #[serde(rename = "fact")]
    pub is_fact: bool,
    /// The mark.
    pub mark: Option<Mark>,
    /// How many turns keep the win or the draw; `None` if that is not known of all, or nothing is to be kept.
    pub holding: Option<usize>,
    /// A better turn, where this one lost something.
    pub better: Option<Better>,
}

/// A turn that has been made, and the state of the game around it.
pub struct Made<'a> {
    /// Number of turns made, this one included.
    pub ply: usize,
    /// Who made it.
    pub side: Side,
    /// The turn, in notation.
    pub text: &'a str,
    /// The position after it.
    pub position: &'a str,
    /// What is known of the position before it.
    pub before: &'a Judged,
    /// What is known of the position after it.
    pub after: &'a Judged,
    /// What tables and proofs know after each turn that was possible, for the side that made this one.
    pub choices: &'a [Bounds],
    /// What ended the game after it, if that was repetition or the move limit, which values do not know.
    pub cut: Option<Reason>,
    /// Whether the search before it preferred a turn to the same position.
    pub is_preferred: bool,
    /// Best play instead, as far as it is known.
    pub better: Option<&'a [String]>,
}

/// Reviews a turn.
pub fn assess(made: &Made<'_>) -> TurnReview {
    let &Made { before, after, .. } = made;
    let (start, end) = (before.exact(), after.exact().map(Outcome::reversed));
    let both_exact = start.is_some() && end.is_some();
    let loss = match (before.expected(), after.expected()) {
        _ if made.is_preferred && !both_exact => Some(0.0),
        // What it led to was there to be had.
        (Some(before), Some(after)) => Some((before - (1.0 - after)).max(0.0)),
        _ => None,
    };
    // At the limit other turns may lose as much.
    let loss = loss.filter(|&loss| loss == 0.0 || made.cut != Some(Reason::MoveLimit));
    let is_fact = both_exact && loss.is_some();
    let kept = start.filter(|&start| start != Outcome::Loss && made.cut.is_none());
    let holding = kept.and_then(|kept| holding(made.choices, kept));
    let is_only = holding == Some(1) && made.choices.len() > 1 && kept.is_some() && kept == end;
    let mark = match loss {
        Some(loss) if loss >= 0.75 => Some(Mark::Blunder),
        Some(loss) if loss >= 0.25 => Some(Mark::Mistake),
        Some(loss) if loss >= 0.12 => Some(Mark::Inaccuracy),
        _ if is_only => Some(Mark::OnlyMove),
        _ => None,
    };
    // Where a repetition draws, the values may still call the same turn best.
    let is_better = |line: &&[String]| line.first().is_some_and(|first| first != made.text);
    let line = made.better.filter(|line| mark.is_some_and(Mark::is_error) && is_better(line));
    let better = line.and_then(|line| Some(Better { text: line.first()?.clone(), line: line.to_vec() }));
    TurnReview {
        ply: made.ply,
        side: made.side,
        text: made.text.to_owned(),
        position: made.position.to_owned(),
        before: Evaluation::new(before, made.side, made.side),
        after: Evaluation::new(after, made.side.other(), made.side),
        loss,
        is_fact,
        mark,
        holding,
        better,
    }
}

/// How many of the turns keep an outcome, if that is known of all.
fn holding(choices: &[Bounds], kept: Outcome) -> Option<usize> {
    let holds = choices.iter().filter(|bounds| bounds.least >= kept).count();
    let fails = choices.iter().filter(|bounds| points(bounds.most) < points(kept)).count();
    (holds + fails == choices.len() && holds > 0).then_some(holds)
}

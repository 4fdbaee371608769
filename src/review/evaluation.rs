//! What a position of a game is worth, and how that is known.

use serde::Serialize;

use crate::game::engine::expected_score;
use crate::report::ValueAnswer;
use crate::rules::{Bounds, Outcome, Side};
use crate::table::{Known, Source};

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Hundredths of a stone, for the side to move.
    pub score: Option<i32>,
    /// The completed depth.
    pub depth: u32,
    /// The expected line; its first turn is the best.
    pub line: Vec<String>,
}

/// What is known of a position, for its side to move.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// By the rules, tables, proofs, or a search that proved it.
    pub known: Option<Known>,
    /// By a search.
    pub found: Option<Found>,
}

impl Judged {
    /// What is known of the outcome.
    pub fn bounds(&self) -> Bounds {
        self.known.as_ref().map_or(Bounds::UNKNOWN, |known| known.bounds)
    }

    /// The outcome, if it is known exactly.
    pub fn exact(&self) -> Option<Outcome> {
        self.bounds().exact()
    }

    /// The expected score of the side to move.
    pub fn expected(&self) -> Option<f64> {
        let Bounds { least, most } = self.bounds();
        let (least, most) = (points(least), points(most));
        let found = self.found.as_ref().and_then(|found| found.score).map(expected_score);
        if self.exact().is_some() { Some(least) } else { found.map(|expected| expected.clamp(least, most)) }
    }

    /// Adds bounds that are known from that source, with plies to the end if it has them.
    pub fn learn(&mut self, bounds: Bounds, source: &Source, plies: Option<u32>) {
        let both = self.bounds().and(bounds);
        // A rule of play can contradict tables: they do not know how often a position has occurred.
        if both != self.bounds() && both != Bounds::UNKNOWN {
            self.known = Some(Known { plies, ..Known::new(both, source.clone()) });
        }
    }

    /// Learns from the position one turn later, or one turn earlier: a side can choose that turn, and no turn gives more than
    /// there was, so either way the side to move here has at least what the other side leaves it there.
    pub fn learn_from(&mut self, neighbour: &Self) {
        if let Some(known) = &neighbour.known {
            let bounds = Bounds { least: known.bounds.reversed().least, most: Outcome::Win };
            // Another turn may be quicker.
            self.learn(bounds, &known.source, None);
        }
    }
}

/// The points that an outcome is worth.
pub fn points(outcome: Outcome) -> f64 {
    match outcome {
        Outcome::Loss => 0.0,
        Outcome::Draw => 0.5,
        Outcome::Win => 1.0,
    }
}

/// The value of a position for one of the sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// The value, as far as it is known; plies are those from the position.
    #[serde(flatten)]
    pub known: ValueAnswer,
    /// Hundredths of a stone by a search; `None` where the value is exact, or nothing has been searched.
    pub score: Option<i32>,
    /// The depth of the search.
    pub depth: Option<u32>,
    /// The expected score, from 0 to 1; `None` if the position has not been judged.
    pub expected: Option<f64>,
}

impl Evaluation {
    /// The value of a position with that side to move, for one of the sides.
    pub(super) fn new(judged: &Judged, to_move: Side, side: Side) -> Self {
        let known = ValueAnswer::new(judged.known.as_ref(), to_move);
        let found = judged.found.as_ref().filter(|found| judged.exact().is_none() && found.score.is_some());
        let (score, depth) = (found.and_then(|found| found.score), found.map(|found| found.depth));
        let expected = judged.expected();
        if side == to_move {
            Self { known, score, depth, expected }
        } else {
            let expected = expected.map(|expected| 1.0 - expected);
            Self { known: known.reversed(to_move), score: score.map(|score| -score), depth, expected }
        }
    }

    /// The value in words: `win in 11, by tables`, `+0.85 at depth 9`, or `not reviewed`.
    #[must_use]
    pub fn words(&self) -> String {
        let score =
            |score: i32| format!("{:+.2} at depth {}", f64::from(score) / 100.0, self.depth.unwrap_or_default());
        let plies = self.known.dtw.filter(|&plies| plies > 0).map_or(String::new(), |plies| format!(" in {plies}"));
        match (self.known.how(), self.score) {
            (None, None) => "not reviewed".to_owned(),
            (None, Some(found)) => score(found),
            (Some(how), None) => format!("{}{plies}, {how}", self.known.value),
            (Some(how), Some(found)) => format!("{}, {how}; {}", self.known.value, score(found)),
        }
    }
}

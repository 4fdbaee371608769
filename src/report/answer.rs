//! What is known of a position and of each of its moves, as text.

use std::cmp::Reverse;

use serde::Serialize;

use crate::board::{BoardSize, PointSet};
use crate::knowledge::UNCHECKED_SUFFIX;
use crate::rules::{Bounds, Outcome, Position, RuleSet, Rules, Side, Value, turn_text};
use crate::search::Searched;
use crate::table::{Known, Source, rate};

/// What is known of a value, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueAnswer {
    /// `win`, `draw`, `loss` or `unknown` for one player; if only a bound is known, the side that does not lose.
    pub value: &'static str,
    /// Plies to the end of the game, if they are known.
    pub dtw: Option<u32>,
    /// `table`, `proof`, `search` or `rules`; `None` if the value is unknown.
    pub source: Option<&'static str>,
    /// The name of the certificate, if the source is a proof; where the value rests on several, their names, joined by ` and `.
    pub proof: Option<String>,
    /// The value as bounds on the outcome, for the same player.
    #[serde(skip)]
    pub bounds: Bounds,
}

impl ValueAnswer {
    /// The answer for the side to move, from what is known of the position.
    #[must_use]
    pub fn new(known: Option<&Known>, to_move: Side) -> Self {
        let bounds = known.map_or(Bounds::UNKNOWN, |known| known.bounds);
        Self {
            value: word(bounds, to_move),
            dtw: known.and_then(|known| known.plies),
            source: known.map(|known| known.source.word()),
            proof: known.and_then(|known| known.source.proof()).map(str::to_owned),
            bounds,
        }
    }

    /// `proved` or `claimed`, if the source is a proof: a certificate that is not checked only claims.
    #[must_use]
    pub fn proved(&self) -> Option<&'static str> {
        let name = self.proof.as_ref()?;
        Some(if name.contains(UNCHECKED_SUFFIX) { "claimed" } else { "proved" })
    }

    /// How it is known, as in `by tables` or `proved by 9x5.proof`.
    #[must_use]
    pub fn how(&self) -> Option<String> {
        let by = |source| match source {
            "table" => "by tables".to_owned(),
            "search" => "by a search".to_owned(),
            other => format!("by the {other}"),
        };
        let proof = self.proved().zip(self.proof.as_ref()).map(|(word, name)| format!("{word} by {name}"));
        proof.or_else(|| self.source.map(by))
    }

    /// Adds bounds that a search has found.
    fn add(&mut self, found: Bounds, side: Side) {
        let bounds = self.bounds.and(found);
        if bounds != self.bounds {
            *self = Self::new(Some(&Known::new(bounds, Source::Search)), side);
        }
    }

    /// The same value for the other side; `to_move` is the side to move in the position.
    #[must_use]
    pub fn reversed(self, to_move: Side) -> Self {
        let bounds = self.bounds.reversed();
        Self { value: word(bounds, to_move.other()), bounds, ..self }
    }
}

/// `win`, `draw`, `loss` or `unknown` for the side to move; or if only a bound is known, the side that does not lose.
fn word(bounds: Bounds, to_move: Side) -> &'static str {
    bounds.exact().map_or_else(|| Value::of_bounds(bounds, to_move).words(), |exact| Outcome::word(Some(exact)))
}

/// One move of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MoveAnswer {
    /// The move, in Schadd's notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The position after it.
    pub position: String,
    /// The value for the player who makes the move; plies are those from the position after it.
    #[serde(flatten)]
    pub known: ValueAnswer,
}

/// What is known of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The position.
    pub position: String,
    /// The board.
    pub board: String,
    /// The rules.
    pub rules: RuleSet,
    /// The value for the side to move.
    #[serde(flatten)]
    pub known: ValueAnswer,
    /// Every legal move, best first; of moves to the same position only one.
    pub moves: Vec<MoveAnswer>,
}

/// The work of a search for a value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SearchSummary {
    /// What was found.
    pub value: Value,
    /// Positions expanded.
    pub nodes: u64,
    /// Seconds.
    pub seconds: f64,
}

impl SearchSummary {
    /// Summarises a search.
    #[must_use]
    pub fn of(searched: &Searched) -> Self {
        let &Searched { value, nodes, seconds, .. } = searched;
        Self { value, nodes, seconds }
    }
}

impl Answer {
    /// Adds what a search has found to what is known of the position and of its moves.
    pub fn add_search(&mut self, searched: &Searched, size: BoardSize, to_move: Side) {
        let found = searched.value.bounds(to_move);
        self.known.add(found, to_move);
        // No move gives more than the position has, and one keeps what is proved for its player.
        let every = Bounds { least: Outcome::Loss, most: self.known.bounds.most };
        let best = searched.turn.as_ref().map(|(_, after)| after.to_text(size));
        for one in &mut self.moves {
            let keeps = best.as_ref() == Some(&one.position);
            one.known.add(if keeps { found } else { every }, to_move);
        }
        self.moves.sort_by_key(|one| Reverse((one.known.bounds.least, one.known.bounds.most)));
    }
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
        known: ValueAnswer::new(rated.known.as_ref(), rated.after.to_move).reversed(rated.after.to_move),
    });
    Ok(Answer {
        position: position.to_text(size),
        board: size.to_string(),
        rules: rules.rule_set(),
        known: ValueAnswer::new(rating.known.as_ref(), position.to_move),
        moves: moves.collect(),
    })
}

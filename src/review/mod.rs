//! Reviews of games: what every move was worth, the mistakes, and what would have been better.
//!
//! [`review`] judges the positions of a game: first all of them by the rules, tables and proofs, then from the last to the
//! first by searches where those have no exact value. All searches share one transposition table, so that what
//! was found in a later position helps in an earlier one. It compares the values before and after each turn, marks
//! mistakes, and sums up. [`annotated_record`] is the game as a record with comments.
//!
//! **Expected score.** An exact value is worth 1, 1/2 or 0 points. The score of a search of *s* stones is worth
//! 1 / (1 + exp(-*s* / 2)): that is what a stone means in the [evaluation](crate::game::engine::expected_score). What a turn
//! loses is the difference between the expected scores before it and after it, for the side that makes it.
//!
//! **Marks.** A loss of a point is a blunder, `??`, of half a point a mistake, `?`. With exact values this is a fact
//! ([`TurnReview::is_fact`]). With searches it is an opinion: `??` from a loss of 3/4, `?` from 1/4, and from 0.12, what a stone is worth
//! when the sides are equal, an inaccuracy, `?!`. A turn that the search would have made itself is worth what it led to, and never
//! marked. An *only move* is one that alone keeps a win or a draw, which is always a fact.

mod analysis;
mod annotate;
mod assess;
mod evaluation;
mod summary;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;

use crate::game::engine::EngineError;
use crate::game::{GameError, GameResult, PlayRules};
use crate::table::TableError;

pub use analysis::review;
pub use annotate::annotated_record;
pub use assess::{Better, Mark, TurnReview};
pub use evaluation::Evaluation;
pub use summary::Summary;

/// How much work a review may do, and what stops it.
#[derive(Clone, Copy, Debug)]
pub struct ReviewOptions<'a> {
    /// The longest time of the search of a position.
    pub time: Option<Duration>,
    /// The most positions of the search of a position.
    pub nodes: Option<u64>,
    /// Ends the review when set; what is done by then remains.
    pub stop: &'a AtomicBool,
}

/// A review of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Review {
    /// The board, columns x rows.
    pub board: String,
    /// The rules.
    pub rules: PlayRules,
    /// Tags of the record: Event, Date, White, Black.
    pub tags: BTreeMap<String, String>,
    /// The position that the game began from.
    pub start: String,
    /// The result, if the game is over.
    pub result: Option<GameResult>,
    /// The turns.
    pub turns: Vec<TurnReview>,
    /// What White did.
    pub white: Summary,
    /// What Black did.
    pub black: Summary,
    /// Whether every position has been judged.
    pub complete: bool,
}

/// How far a review is.
#[derive(Clone, Copy, Debug)]
pub struct ReviewProgress<'a> {
    /// The review so far.
    pub review: &'a Review,
    /// The turns that have changed since the last call, by their places.
    pub changed: &'a [usize],
    /// Positions that have been searched.
    pub searched: usize,
    /// Positions to search in all.
    pub to_search: usize,
    /// Seconds that the rest will take, as estimated.
    pub seconds_left: Option<f64>,
}

/// Why there is no review.
#[derive(Debug, Error)]
pub enum ReviewError {
    /// The game is invalid.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A position cannot be searched.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

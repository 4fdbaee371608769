//! The computer's reply, how it was chosen, and within which limits.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;

use crate::report::ValueAnswer;
use crate::table::{Source, TableError};

use super::super::refusal::Refusal;
use super::level::Level;

/// Why no turn is chosen.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The game is over.
    #[error("{0}; there is no turn to choose")]
    Over(Refusal),
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// How a turn was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// By tables.
    Table,
    /// By a proof, and by a search among the turns that it allows.
    Proof,
    /// By a search.
    Search,
    /// It was the only one that is legal.
    #[serde(rename = "only move")]
    OnlyMove,
}

impl From<&Source> for How {
    fn from(source: &Source) -> Self {
        match source {
            Source::Rules | Source::Table => Self::Table,
            Source::Proof(_) => Self::Proof,
            Source::Search => Self::Search,
        }
    }
}

/// The computer's turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reply {
    /// The turn, in notation.
    #[serde(rename = "move")]
    pub text: String,
    /// How it was chosen.
    pub how: How,
    /// The value for the side that moves, with the plies to the end of the game, this turn included.
    #[serde(flatten)]
    pub known: ValueAnswer,
    /// The score of the search in hundredths of a stone, for the side that moves; `None` without a search.
    pub score: Option<i32>,
    /// The depth of the search.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
    /// Milliseconds it took.
    pub ms: u64,
    /// Whether the side that moves would agree to a draw after it.
    pub offers_draw: bool,
}

/// The most threads of a search for people to choose; more only wait for each other.
pub const MAX_THREADS: usize = 256;

/// The playing strength, and the limits of one search.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits<'a> {
    /// The level.
    pub level: Level,
    /// The longest time.
    pub time: Option<Duration>,
    /// The greatest depth.
    pub depth: Option<u32>,
    /// The most positions.
    pub nodes: Option<u64>,
    /// Random seed. With the same seed, one thread and no time limit the reply of a new engine is the same.
    pub seed: u64,
    /// Ends the search when set.
    pub stop: &'a AtomicBool,
    /// The number of threads that search, from 1 to [`MAX_THREADS`]; a larger one counts as that.
    pub threads: usize,
    /// The number of best turns that are reported with a line each, at least 1.
    pub lines: usize,
    /// The turns to choose from, in notation; if none of these is legal, all.
    pub among: &'a [String],
}

impl<'a> SearchLimits<'a> {
    /// No limit but `stop`; one thread, one line, all turns.
    #[must_use]
    pub const fn new(level: Level, seed: u64, stop: &'a AtomicBool) -> Self {
        Self { level, time: None, depth: None, nodes: None, seed, stop, threads: 1, lines: 1, among: &[] }
    }
}

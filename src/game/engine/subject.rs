//! What a search is given: a position with what is known, and when to stop.

use std::sync::atomic::AtomicBool;

use web_time::Instant;

use crate::board::PointSet;
use crate::table::Probe;

use super::super::history::GameHistory;
use super::super::referee::State;
use super::sight::Sight;
use super::transposition::TranspositionTable;

/// The present position of a game, and what its searches use.
#[derive(Clone, Copy)]
pub struct Subject<'a, P: PointSet> {
    /// The game.
    pub game: &'a GameHistory<P>,
    /// The states that count as repetitions, the present one last.
    pub past: &'a [State<P>],
    /// Tables and proofs.
    pub values: &'a dyn Probe<P>,
    /// How much the player sees.
    pub sight: Sight,
    /// What has been searched.
    pub table: &'a TranspositionTable,
}

/// When a search ends early.
pub struct StopConditions<'a> {
    /// At this time.
    pub deadline: Option<Instant>,
    /// After this many nodes.
    pub nodes: u64,
    /// When this is set.
    pub stop: &'a AtomicBool,
}

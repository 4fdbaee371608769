//! What is known of positions, and how: values that searches and answers take as given.

use std::sync::Arc;

use crate::board::PointSet;
use crate::rules::{Bounds, Outcome};

use super::error::TableError;
use super::score::Score;

/// How a value is known, in the order of the work it takes to trust it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// By the rules: the game is over.
    Rules,
    /// By a table.
    Table,
    /// By a checked certificate of this name, or several whose names are joined by " and ".
    Proof(Arc<str>),
    /// By a search that proved it.
    Search,
}

impl Source {
    /// The word for programs: `rules`, `table`, `proof` or `search`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Table => "table",
            Self::Proof(_) => "proof",
            Self::Search => "search",
        }
    }

    /// The name of the certificate, or the names, if it is a proof.
    #[must_use]
    pub fn proof(&self) -> Option<&str> {
        if let Self::Proof(name) = self { Some(name) } else { None }
    }
}

/// What is known of a position, for its side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The outcome, or bounds on it; never [`Bounds::UNKNOWN`].
    pub bounds: Bounds,
    /// Plies to the end, if a depth table has them; `None` for draws.
    pub plies: Option<u32>,
    /// In a win by a certificate, the rank of the position, from 1: the winner can make it fall with every move, until tables or
    /// the rules take over. 0 elsewhere.
    pub rank: u64,
    /// How it is known.
    pub source: Source,
}

impl Known {
    /// Bounds without a depth.
    #[must_use]
    pub fn new(bounds: Bounds, source: Source) -> Self {
        Self { bounds, plies: None, rank: 0, source }
    }

    /// The outcome, if it is known exactly.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.bounds.exact()
    }
}

impl From<Outcome> for Known {
    fn from(outcome: Outcome) -> Self {
        Self::new(outcome.into(), Source::Table)
    }
}

impl From<Score> for Known {
    fn from(score: Score) -> Self {
        Self { plies: score.plies(), ..score.outcome().into() }
    }
}

/// Values that a search takes as given. Positions are disjoint sets of points of the board.
pub trait Probe<P: PointSet = u64>: Sync {
    /// Positions of up to this many stones may have a value.
    fn stones(&self) -> usize;

    /// Stones of the largest tables.
    fn table_stones(&self) -> usize {
        self.stones()
    }

    /// What is known of the outcome for the side to move. Called for positions of up to [`Probe::stones`] stones.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    fn probe(&self, mover: P, opponent: P) -> Result<Bounds, TableError>;

    /// As [`probe`](Self::probe), for any position, with its depth and how it is known; `None` if nothing is known.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    fn look_up(&self, mover: P, opponent: P) -> Result<Option<Known>, TableError> {
        if mover.count() + opponent.count() > self.stones() {
            return Ok(None);
        }
        let bounds = self.probe(mover, opponent)?;
        Ok((bounds != Bounds::UNKNOWN).then(|| Known::new(bounds, Source::Table)))
    }
}

/// No values: a search down to the last stone.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoValues;

impl<P: PointSet> Probe<P> for NoValues {
    fn stones(&self) -> usize {
        0
    }

    fn probe(&self, _: P, _: P) -> Result<Bounds, TableError> {
        Ok(Bounds::UNKNOWN)
    }
}

//! What searches look up: values that are taken as given, from tables or from nowhere.

use crate::board::PointSet;
use crate::rules::Outcome;

use super::error::TableError;
use super::score::Score;

/// What tables know of a position, for its side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Who wins.
    pub outcome: Outcome,
    /// Plies to the end, if a depth table has them; `None` for draws.
    pub plies: Option<u32>,
}

impl From<Outcome> for Known {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, plies: None }
    }
}

impl From<Score> for Known {
    fn from(score: Score) -> Self {
        Self { outcome: score.outcome(), plies: score.plies() }
    }
}

/// Values that a search takes as given.
pub trait Probe<P: PointSet = u64>: Sync {
    /// Positions of up to this many stones may have a value.
    fn stones(&self) -> usize;

    /// The value for the side to move, where it is known. Called for positions of up to [`Probe::stones`] stones.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    fn probe(&self, mover: P, opponent: P) -> Result<Option<Outcome>, TableError>;

    /// The value with its depth, where that is known. Called for any position.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    fn look_up(&self, mover: P, opponent: P) -> Result<Option<Known>, TableError> {
        let covered = mover.count() + opponent.count() <= self.stones();
        if covered { Ok(self.probe(mover, opponent)?.map(Known::from)) } else { Ok(None) }
    }
}

/// No values: a search down to the last stone.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoValues;

impl<P: PointSet> Probe<P> for NoValues {
    fn stones(&self) -> usize {
        0
    }

    fn probe(&self, _: P, _: P) -> Result<Option<Outcome>, TableError> {
        Ok(None)
    }
}

//! Values of positions with few stones for the engine: tables or none.

use crate::board::PointSet;
use crate::index::{Slice, binomial};
use crate::rules::Outcome;
use crate::table::{Known, TableError, Tables};

/// Values of positions under the table rules.
pub trait Values<P> {
    /// Positions of up to this many stones have values.
    fn reach(&self) -> usize;

    /// The value for the side to move, if it is known and quick to look up.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    fn outcome(&self, own: P, enemy: P) -> Result<Option<Outcome>, TableError>;

    /// The value, with its depth if known.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    fn known(&self, own: P, enemy: P) -> Result<Option<Known>, TableError>;

    /// The same, `None` beyond the reach.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    fn known_in_reach(&self, own: P, enemy: P) -> Result<Option<Known>, TableError>
    where
        P: PointSet,
    {
        if own.count() + enemy.count() <= self.reach() { self.known(own, enemy) } else { Ok(None) }
    }
}

/// No values at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoValues;

impl<P: PointSet> Values<P> for NoValues {
    fn reach(&self) -> usize {
        0
    }

    fn outcome(&self, _: P, _: P) -> Result<Option<Outcome>, TableError> {
        Ok(None)
    }

    fn known(&self, _: P, _: P) -> Result<Option<Known>, TableError> {
        Ok(None)
    }
}

/// Tables, with the number of stones they reach.
#[derive(Clone, Copy)]
pub struct Reaching<'a> {
    tables: &'a Tables,
    reach: usize,
}

impl<'a> Reaching<'a> {
    /// These tables.
    #[must_use]
    pub fn new(tables: &'a Tables) -> Self {
        Self { tables, reach: tables.folder().complete_up_to(tables.space().board().points()) }
    }
}

impl Values<u64> for Reaching<'_> {
    fn reach(&self) -> usize {
        self.reach
    }

    fn outcome(&self, own: u64, enemy: u64) -> Result<Option<Outcome>, TableError> {
        let points = self.tables.space().board().points();
        if !is_light(points, own.count()) || !is_light(points, enemy.count()) {
            return Ok(None);
        }
        self.tables.probe(own, enemy)
    }

    fn known(&self, own: u64, enemy: u64) -> Result<Option<Known>, TableError> {
        self.tables.look_up(own, enemy)
    }
}

/// Sets of points are numbered when first needed. A search numbers at most this many, which takes tenths of a second.
const MAX_SETS: u64 = 10_000_000;

/// Whether the sets of this many stones are numbered quickly.
fn is_light(points: usize, stones: usize) -> bool {
    binomial(points, stones) <= MAX_SETS
}

/// Numbers the sets that searches need, so that no search spends its time on it.
///
/// # Errors
/// [`TableError`] if a table cannot be read.
pub fn prepare(tables: &Tables) -> Result<(), TableError> {
    let points = tables.space().board().points();
    for slice in Slice::up_to(Reaching::new(tables).reach, points) {
        if !is_light(points, slice.mover) || !is_light(points, slice.opponent) {
            continue;
        }
        // Any position of the slice does.
        let own = (1 << slice.mover) - 1;
        let enemy = ((1 << slice.opponent) - 1) << (points - slice.opponent);
        tables.probe(own, enemy)?;
    }
    Ok(())
}

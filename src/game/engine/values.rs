//! Tables as the engine uses them: look-ups that take little time beside its search.

use crate::board::PointSet;
use crate::index::{Slice, binomial};
use crate::rules::Bounds;
use crate::table::{Known, Probe, TableError, Tables, TablesUpTo};

/// Tables for a search that has to look values up quickly.
#[derive(Clone, Copy)]
pub struct QuickTables<'a>(TablesUpTo<'a>);

impl<'a> QuickTables<'a> {
    /// These tables, up to the number of stones for which all are there.
    #[must_use]
    pub fn new(tables: &'a Tables) -> Self {
        Self(TablesUpTo { tables, stones: tables.folder().complete_up_to(tables.space().board().points()) })
    }
}

impl Probe for QuickTables<'_> {
    fn stones(&self) -> usize {
        self.0.stones
    }

    fn probe(&self, mover: u64, opponent: u64) -> Result<Bounds, TableError> {
        let points = self.0.tables.space().board().points();
        if !is_light(points, mover.count()) || !is_light(points, opponent.count()) {
            return Ok(Bounds::UNKNOWN);
        }
        self.0.probe(mover, opponent)
    }

    fn look_up(&self, mover: u64, opponent: u64) -> Result<Option<Known>, TableError> {
        self.0.look_up(mover, opponent)
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
    for slice in Slice::up_to(QuickTables::new(tables).stones(), points) {
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

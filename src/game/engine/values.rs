//! Tables and proofs as the engine uses them: look-ups that take little time beside its search.

use crate::knowledge::{Knowledge, Selection};
use crate::rules::Bounds;
use crate::table::{Known, Probe, TableError};

/// What is known of a board, for a search that needs quick look-ups: it probes tables alone. Proofs cover few of the
/// positions that a search meets, so only the root and proof-number search look them up.
#[derive(Clone, Copy)]
pub struct QuickValues<'a> {
    knowledge: &'a Knowledge,
    all: Selection<'a>,
}

impl<'a> QuickValues<'a> {
    /// All proofs, and the tables up to the number of stones for which none is missing.
    #[must_use]
    pub fn new(knowledge: &'a Knowledge) -> Self {
        Self { knowledge, all: knowledge.complete() }
    }
}

impl Probe for QuickValues<'_> {
    fn stones(&self) -> usize {
        self.knowledge.stones()
    }

    fn probe(&self, mover: u64, opponent: u64) -> Result<Bounds, TableError> {
        Ok(self.knowledge.tables().probe(mover, opponent)?.map_or(Bounds::UNKNOWN, Bounds::from))
    }

    fn look_up(&self, mover: u64, opponent: u64) -> Result<Option<Known>, TableError> {
        self.all.look_up(mover, opponent)
    }
}

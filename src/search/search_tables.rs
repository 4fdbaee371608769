//! The table of a search; or those of two, of which one continues from a checkpoint and the other begins afresh.

use super::error::SolveError;
use super::growing::{GROWTH, GrowingTable};
use super::shares::{Shares, Stint};
use super::transposition::{BUCKET_BYTES, TranspositionTable};

/// The part of the memory that the table of a fresh search beside another one may have.
const FRESH_SHARE: u64 = 10;

/// The tables, and which is at work.
pub struct SearchTables {
    /// Bytes for all of them.
    memory: u64,
    /// That of the search that continues, or of the only one.
    pub main: GrowingTable,
    fresh: Option<(GrowingTable, Shares)>,
    stint: Stint,
}

impl SearchTables {
    /// An empty one that grows to four fifths of the memory: while it grows, the smaller one is still there.
    ///
    /// # Errors
    /// [`SolveError::Memory`].
    pub fn new(memory: u64) -> Result<Self, SolveError> {
        Ok(Self { memory, main: GrowingTable::new(alone(memory))?, fresh: None, stint: Stint::Continued })
    }

    /// Adds the table of a fresh search. If there is no memory for it, the search that continues has all of the time.
    pub fn add_fresh(&mut self, nodes_before: u64) {
        let Ok(fresh) = GrowingTable::new(self.memory / FRESH_SHARE) else { return };
        let left = self.main.max_bytes.saturating_sub(fresh.max_bytes);
        self.main.max_bytes = left.max(self.main.bytes());
        self.fresh = Some((fresh, Shares::new(nodes_before)));
    }

    /// Begins the next stint, and returns the number of nodes it has.
    pub fn next_stint(&mut self) -> u64 {
        let Some((_, shares)) = &mut self.fresh else { return u64::MAX };
        let (stint, nodes) = shares.next();
        self.stint = stint;
        nodes
    }

    /// Begins a stint of the search that continues, out of turn, and as long as it takes: what was found before may have the
    /// answer.
    pub fn last_stint(&mut self) -> u64 {
        self.stint = Stint::Continued;
        u64::MAX
    }

    /// Ends a stint that had so many nodes.
    pub fn end_stint(&mut self, nodes: u64) {
        if let Some((_, shares)) = &mut self.fresh {
            shares.count(self.stint, nodes);
        }
    }

    /// Whether the search at work is the one that continues, or the only one.
    pub fn continues(&self) -> bool {
        self.stint == Stint::Continued
    }

    /// The table of the search that is at work.
    pub fn current(&mut self) -> &mut GrowingTable {
        match &mut self.fresh {
            Some((fresh, _)) if self.stint == Stint::Fresh => fresh,
            _ => &mut self.main,
        }
    }

    /// The entries of the search that is at work, and those that a checkpoint is to hold.
    pub fn entries(&mut self) -> (TranspositionTable<'_>, TranspositionTable<'_>) {
        let main = self.main.entries();
        match &mut self.fresh {
            Some((fresh, _)) if self.stint == Stint::Fresh => (fresh.entries(), main),
            _ => (main, main),
        }
    }

    /// Bytes of the memory that no table takes, but not more than the table at work.
    pub fn spare_bytes(&mut self) -> u64 {
        let fresh = self.fresh.as_ref().map_or(0, |(fresh, _)| fresh.max_bytes);
        let spare = self.memory.saturating_sub(self.main.max_bytes).saturating_sub(fresh);
        self.current().bytes().min(spare).max(BUCKET_BYTES)
    }
}

/// What the only table may grow to.
fn alone(memory: u64) -> u64 {
    memory / (GROWTH + 1) * GROWTH
}

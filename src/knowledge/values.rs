//! Tables and certificates as one source of values.

use crate::board::BoardSize;
use crate::index::{Slice, SliceSet};
use crate::rules::{Bounds, RuleSet, Rules};
use crate::table::{Database, Known, Probe, TableError, Tables};

use super::proofs::{Proofs, Trust};

/// The tables and certificates of a board and rule set.
pub struct Knowledge {
    tables: Tables,
    proofs: Proofs,
    stones: usize,
}

impl Knowledge {
    /// Opens the tables and the checked certificates that a database has for the board and rules, possibly none. `cache_bytes`
    /// are for blocks of tables ([`Tables::open`]); certificates are read into memory, at 24 bytes a position.
    ///
    /// # Errors
    /// [`TableError`]. A certificate that cannot be used is no error: see [`Proofs::unused`].
    ///
    /// # Panics
    /// If the board has more than 64 points, the limit of tables.
    pub fn open(
        database: impl Into<Database>,
        size: BoardSize,
        rules: RuleSet,
        cache_bytes: u64,
        trust: Trust,
    ) -> Result<Self, TableError> {
        let database = database.into();
        let tables = Tables::open(&database, size, rules, cache_bytes)?;
        let proofs = Proofs::open(&database, tables.folder(), size, rules, trust)?;
        let stones = tables.folder().complete_up_to(size.points());
        Ok(Self { tables, proofs, stones })
    }

    /// The rules on the board.
    #[must_use]
    pub fn rules(&self) -> &Rules<u64> {
        self.tables.rules()
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The certificates.
    #[must_use]
    pub fn proofs(&self) -> &Proofs {
        &self.proofs
    }

    /// Every slice up to this many stones has a table.
    #[must_use]
    pub fn stones(&self) -> usize {
        self.stones
    }

    /// Whether there is neither a table nor a certificate.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.proofs.proofs().is_empty() && self.tables.folder().tables().next().is_none()
    }

    /// What tables or certificates know of a position, for its side to move. What follows from its moves is not part of it.
    ///
    /// # Errors
    /// Those of [`Tables::look_up`].
    pub fn look_up(&self, mover: u64, opponent: u64) -> Result<Option<Known>, TableError> {
        Ok(self.tables.look_up(mover, opponent)?.or_else(|| self.proofs.look_up(mover, opponent)))
    }

    /// As [`look_up`](Self::look_up), without depths, which takes less time.
    ///
    /// # Errors
    /// Those of [`Tables::probe`].
    pub fn value(&self, mover: u64, opponent: u64) -> Result<Option<Known>, TableError> {
        let known = self.tables.probe(mover, opponent)?.map(Known::from);
        Ok(known.or_else(|| self.proofs.look_up(mover, opponent)))
    }

    /// A source of values for searches: the tables of these slices, as far as there are any, and all certificates.
    #[must_use]
    pub fn select(&self, slices: impl Into<SliceSet>) -> Selection<'_> {
        let slices = slices.into();
        let points = self.tables.space().board().points();
        let stones = if self.proofs.proofs().is_empty() { slices.most_stones() } else { points };
        Selection { knowledge: self, slices, stones }
    }

    /// As [`select`](Self::select), with all tables of up to [`stones`](Self::stones) stones.
    #[must_use]
    pub fn complete(&self) -> Selection<'_> {
        self.select(self.stones)
    }
}

/// What a search uses: tables of some slices, and certificates.
#[derive(Clone, Copy)]
pub struct Selection<'a> {
    knowledge: &'a Knowledge,
    slices: SliceSet,
    /// Positions of up to this many stones may have a value.
    stones: usize,
}

impl Selection<'_> {
    fn has_table(&self, mover: u64, opponent: u64) -> bool {
        self.slices.contains(Slice::of(mover, opponent))
    }
}

impl Probe for Selection<'_> {
    fn stones(&self) -> usize {
        self.stones
    }

    fn table_stones(&self) -> usize {
        self.slices.most_stones()
    }

    fn probe(&self, mover: u64, opponent: u64) -> Result<Bounds, TableError> {
        let Knowledge { tables, proofs, .. } = self.knowledge;
        if self.has_table(mover, opponent)
            && let Some(outcome) = tables.probe(mover, opponent)?
        {
            return Ok(outcome.into());
        }
        Ok(proofs.bounds(mover, opponent))
    }

    fn look_up(&self, mover: u64, opponent: u64) -> Result<Option<Known>, TableError> {
        if self.has_table(mover, opponent) {
            return self.knowledge.look_up(mover, opponent);
        }
        Ok(self.knowledge.proofs.look_up(mover, opponent))
    }
}

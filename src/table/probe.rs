//! Probing: the value of any position whose stones the tables cover.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::board::{Board, BoardSize};
use crate::index::{Slice, Space};
use crate::rules::{Game, Outcome, RuleSet};

use super::block::DecodedBlock;
use super::error::TableError;
use super::reader::Table;
use super::store::Folder;

/// Bytes of decoded blocks that are kept if nothing else is said.
pub const DEFAULT_CACHE_BYTES: u64 = 256 << 20;

#[derive(Clone)]
struct ByBytes;

impl Weighter<(Slice, u64), Arc<DecodedBlock>> for ByBytes {
    fn weight(&self, _: &(Slice, u64), block: &Arc<DecodedBlock>) -> u64 {
        block.bytes().max(1)
    }
}

/// The mapped tables of a board and rule set, with a bounded cache of decoded blocks that all threads share.
pub struct Tables {
    space: Space,
    game: Game<u64>,
    folder: Folder,
    cache: Cache<(Slice, u64), Arc<DecodedBlock>, ByBytes>,
}

impl Tables {
    /// Opens what a database has for the board and rules; there may be nothing.
    ///
    /// # Errors
    /// [`TableError`] for the first file that cannot be used.
    ///
    /// # Panics
    /// If the board has more than 64 points; tables end there.
    pub fn open(database: &Path, size: BoardSize, rules: RuleSet, cache_bytes: u64) -> Result<Self, TableError> {
        let space = Space::new(size, rules.diagonals);
        let folder = Folder::open(database, &space, rules)?;
        let game = Game::new(Board::new(size, rules.diagonals), rules);
        let cache = Cache::with_weighter(1024, cache_bytes, ByBytes);
        Ok(Self { space, game, folder, cache })
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &Game<u64> {
        &self.game
    }

    /// The indexing.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The files.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The value for the side to move, or `None` where the table of the position, or one that its captures lead to, is
    /// missing.
    ///
    /// Captures are followed to quiet positions, whose values the tables hold; so a probe costs one look-up for a quiet
    /// position and several for others.
    ///
    /// # Errors
    /// [`TableError::Damaged`] if a block that was needed does not fit its checksum.
    pub fn probe(&self, mover: u64, opponent: u64) -> Result<Option<Outcome>, TableError> {
        if mover == 0 {
            return Ok(Some(Outcome::Loss));
        }
        if opponent == 0 {
            return Ok(Some(Outcome::Win));
        }
        let slice = Slice::new(mover.count_ones() as usize, opponent.count_ones() as usize);
        // Without this, captures of a crowded position would be followed all the way down, which has no end in practice.
        let Some(table) = self.folder.get(slice) else { return Ok(None) };
        let mut best = None;
        let mut unknown = false;
        let visited = self.game.for_each_capture(mover, opponent, |_, after| {
            match self.probe(after.next, after.moved) {
                Ok(Some(outcome)) => best = best.max(Some(outcome.reversed())),
                Ok(None) => unknown = true,
                Err(error) => return ControlFlow::Break(Err(error)),
            }
            if best == Some(Outcome::Win) { ControlFlow::Break(Ok(())) } else { ControlFlow::Continue(()) }
        });
        if let ControlFlow::Break(Err(error)) = visited {
            return Err(error);
        }
        match best {
            Some(Outcome::Win) => Ok(best),
            _ if unknown => Ok(None),
            Some(_) => Ok(best),
            None => self.probe_quiet(table, slice, mover, opponent).map(Some),
        }
    }

    fn probe_quiet(&self, table: &Table<Mmap>, slice: Slice, mover: u64, opponent: u64) -> Result<Outcome, TableError> {
        let (row, column) = self.space.locate(mover, opponent);
        let word = row as u64 * table.header().row_words + column as u64 / 64;
        let number = table.block_of(word);
        let decode = || table.block(&self.space, number).map(Arc::new);
        let block = self.cache.get_or_insert_with(&(slice, number), decode)?;
        Ok(block.outcome(word, column % 64))
    }
}

//! The tables of a board: the value of any position whose stones they cover.

use std::ops::ControlFlow;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::board::{Board, BoardSize};
use crate::index::{Order, Place, Slice, Space};
use crate::rules::{Outcome, RuleSet, Rules};

use super::block::{BlockPlace, PackedBlock};
use super::depth_block::DecodedDepths;
use super::error::{Damage, TableError};
use super::probe::Known;
use super::reader::Table;
use super::score::Score;
use super::seen::Seen;
use super::source::{Database, TableFile};
use super::store::Folder;

/// Default size of the block cache, in bytes.
pub const DEFAULT_CACHE_BYTES: u64 = 256 << 20;

/// Typical size in memory of a block of values and of one of depths; caches are laid out for these.
const USUAL_BYTES: [u64; 2] = [8 << 10, 64 << 10];

#[derive(Clone)]
struct ByBytes;

impl Weighter<(Slice, u64), Arc<PackedBlock>> for ByBytes {
    fn weight(&self, _: &(Slice, u64), block: &Arc<PackedBlock>) -> u64 {
        block.bytes().max(1)
    }
}

impl Weighter<(Slice, u64), Arc<DecodedDepths>> for ByBytes {
    fn weight(&self, _: &(Slice, u64), block: &Arc<DecodedDepths>) -> u64 {
        block.bytes().max(1)
    }
}

/// The tables of a board and rule set, with a bounded cache of blocks that all threads share. Positions are disjoint sets of points of the
/// board; with others a look-up has any result, or panics.
pub struct Tables {
    space: Space,
    rules: Rules<u64>,
    folder: Folder,
    cache: Cache<(Slice, u64), Arc<PackedBlock>, ByBytes>,
    depth_cache: Cache<(Slice, u64), Arc<DecodedDepths>, ByBytes>,
}

impl Tables {
    /// Opens the tables that a database has for the board and rules, possibly none. Caches up to `cache_bytes` of value
    /// blocks, and up to half as much of depth blocks once depths are asked for.
    ///
    /// # Errors
    /// [`TableError`] for the first file that cannot be used.
    ///
    /// # Panics
    /// If the board has more than 64 points, the limit of tables.
    pub fn open(
        database: impl Into<Database>,
        size: BoardSize,
        rules: RuleSet,
        cache_bytes: u64,
    ) -> Result<Self, TableError> {
        let space = Space::new(size, rules.diagonals);
        let folder = Folder::open(database, &space, rules)?;
        let rules = Rules::new(Board::new(size, rules.diagonals), rules);
        let items = |bytes: u64, usual: u64| usize::try_from(bytes / usual).unwrap_or(usize::MAX).max(1024);
        let (depth_bytes, [usual, usual_depths]) = (cache_bytes / 2, USUAL_BYTES);
        let cache = Cache::with_weighter(items(cache_bytes, usual), cache_bytes, ByBytes);
        let depth_cache = Cache::with_weighter(items(depth_bytes, usual_depths), depth_bytes, ByBytes);
        Ok(Self { space, rules, folder, cache, depth_cache })
    }

    /// The rules on the board.
    #[must_use]
    pub fn rules(&self) -> &Rules<u64> {
        &self.rules
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
    /// [`TableError::Io`], or [`TableError::Damaged`] if a block that is needed does not match its checksum.
    pub fn probe(&self, mover: u64, opponent: u64) -> Result<Option<Outcome>, TableError> {
        self.probe_after(&mut Seen::of(mover | opponent), mover, opponent)
    }

    fn probe_after(
        &self,
        seen: &mut Seen<Option<Outcome>>,
        mover: u64,
        opponent: u64,
    ) -> Result<Option<Outcome>, TableError> {
        if mover == 0 {
            return Ok(Some(Outcome::Loss));
        }
        if opponent == 0 {
            return Ok(Some(Outcome::Win));
        }
        let slice = Slice::of(mover, opponent);
        // Without this early return, captures in a crowded position would be followed all the way down, which takes too long.
        let Some(table) = self.folder.get(slice) else { return Ok(None) };
        if let Some(known) = seen.get(mover, opponent) {
            return Ok(known);
        }
        let mut best = None;
        let mut unknown = false;
        let visited = seen.for_each_capture(&self.rules, mover, opponent, |seen, next, moved| {
            match self.probe_after(seen, next, moved) {
                Ok(Some(outcome)) => best = best.max(Some(outcome.reversed())),
                Ok(None) => unknown = true,
                Err(error) => return ControlFlow::Break(Err(error)),
            }
            if best == Some(Outcome::Win) { ControlFlow::Break(Ok(())) } else { ControlFlow::Continue(()) }
        });
        if let ControlFlow::Break(Err(error)) = visited {
            return Err(error);
        }
        let known = match best {
            Some(Outcome::Win) => best,
            _ if unknown => None,
            Some(_) => best,
            None => Some(self.probe_quiet(table, slice, mover, opponent)?),
        };
        seen.put(mover, opponent, known);
        Ok(known)
    }

    /// The stored value of a quiet position with stones of both sides, or `None` without its table. For a position with a
    /// capture the result is arbitrary.
    ///
    /// # Errors
    /// [`TableError::Io`], or [`TableError::Damaged`] if the block that is needed does not match its checksum.
    pub fn stored(&self, mover: u64, opponent: u64) -> Result<Option<Outcome>, TableError> {
        let slice = Slice::of(mover, opponent);
        self.folder.get(slice).map(|table| self.probe_quiet(table, slice, mover, opponent)).transpose()
    }

    fn probe_quiet(
        &self,
        table: &Table<TableFile>,
        slice: Slice,
        mover: u64,
        opponent: u64,
    ) -> Result<Outcome, TableError> {
        let place = self.place(table, slice, mover, opponent);
        Ok(self.block(table, slice, place.word)?.outcome(&self.space, slice, place))
    }

    /// The place of a quiet position.
    fn place(&self, table: &Table<TableFile>, slice: Slice, mover: u64, opponent: u64) -> BlockPlace {
        let Place { representative, row, column } = Order::new(&self.space, slice).locate(mover, opponent);
        let word = row as u64 * table.header().row_words + column as u64 / 64;
        BlockPlace { base: representative, word, bit: column % 64 }
    }

    fn block(&self, table: &Table<TableFile>, slice: Slice, word: u64) -> Result<Arc<PackedBlock>, TableError> {
        let number = table.block_of(word);
        let decode = || table.packed_block(&self.space, number).map(Arc::new);
        self.cache.get_or_insert_with(&(slice, number), decode)
    }

    /// The value with its depth for the side to move, or `None` if a depth table it needs is missing. A game that the
    /// opponent has already lost has no score either.
    ///
    /// Unlike for a value alone, every capture has to be followed.
    ///
    /// # Errors
    /// [`TableError::Io`], or [`TableError::Damaged`] if a block that is needed does not match its checksum, or depths do not match their values.
    pub fn score(&self, mover: u64, opponent: u64) -> Result<Option<Score>, TableError> {
        self.score_after(&mut Seen::of(mover | opponent), mover, opponent)
    }

    fn score_after(
        &self,
        seen: &mut Seen<Option<Score>>,
        mover: u64,
        opponent: u64,
    ) -> Result<Option<Score>, TableError> {
        if mover == 0 {
            return Ok(Some(Score::loss(0)));
        }
        if opponent == 0 {
            return Ok(None);
        }
        let slice = Slice::of(mover, opponent);
        let (Some(values), Some(depths)) = (self.folder.get(slice), self.folder.depths(slice)) else { return Ok(None) };
        if let Some(known) = seen.get(mover, opponent) {
            return Ok(known);
        }
        let (mut least, mut unknown) = (None::<Score>, false);
        let visited = seen.for_each_capture(&self.rules, mover, opponent, |seen, next, moved| {
            match self.score_after(seen, next, moved) {
                Ok(Some(score)) => least = Some(least.map_or(score, |least| least.min(score))),
                Ok(None) => unknown = true,
                Err(error) => return ControlFlow::Break(Err(error)),
            }
            // Nothing is better than capturing the last stone.
            if least == Some(Score::loss(0)) { ControlFlow::Break(Ok(())) } else { ControlFlow::Continue(()) }
        });
        if let ControlFlow::Break(Err(error)) = visited {
            return Err(error);
        }
        let known = if least.is_some() || unknown {
            let sure = !unknown || least == Some(Score::loss(0));
            // No game is that long, whatever a file contains.
            let before = |least: Score| least.before().ok_or_else(|| depths.damaged(Damage::Values));
            least.filter(|_| sure).map(before).transpose()?
        } else {
            Some(self.score_quiet((values, depths), slice, mover, opponent)?)
        };
        seen.put(mover, opponent, known);
        Ok(known)
    }

    fn score_quiet(
        &self,
        (values, depths): (&Table<TableFile>, &Table<TableFile>),
        slice: Slice,
        mover: u64,
        opponent: u64,
    ) -> Result<Score, TableError> {
        let place = self.place(values, slice, mover, opponent);
        let block = self.block(values, slice, place.word)?;
        let outcome = block.outcome(&self.space, slice, place);
        if outcome == Outcome::Draw {
            return Ok(Score::DRAW);
        }
        let number = depths.block_of(place.word);
        let (first, count) = depths.stretch(number);
        let decode = || {
            let values = block.decoded(&self.space, slice, first, count);
            let values = values.ok_or_else(|| depths.damaged(Damage::Block(number)))?;
            depths.depth_block(number, &values).map(Arc::new)
        };
        let decoded = self.depth_cache.get_or_insert_with(&(slice, number), decode)?;
        let step = decoded.step(place.word, place.bit).ok_or_else(|| depths.damaged(Damage::Block(number)))?;
        Ok(if outcome == Outcome::Win { Score::win(step) } else { Score::loss(step) })
    }

    /// The value of a position, with its depth if there are depth tables.
    ///
    /// # Errors
    /// Those of [`Tables::probe`] and [`Tables::score`].
    pub fn look_up(&self, mover: u64, opponent: u64) -> Result<Option<Known>, TableError> {
        if let Some(score) = self.score(mover, opponent)? {
            return Ok(Some(score.into()));
        }
        Ok(self.probe(mover, opponent)?.map(Known::from))
    }
}

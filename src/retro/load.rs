//! Whole slices from tables into memory: what searches probe, and what a resumed build starts from.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::index::{Plane, Slice, Space};
use crate::rules::{Outcome, RuleSet};
use crate::table::{Cell, DecodedBlock, Score, SliceDepths, SliceValues, Source, Table, TableError, Tables};

use super::capture::capture_pass;
use super::compact::CompactSide;
use super::depth::decode_depths;
use super::pair::{prefers_compact, turned};
use super::plan::with_twin;

/// Slices in memory, by slice.
pub type Slices = BTreeMap<Slice, SliceValues>;

/// The slices that captures from `slice` lead to directly, the mover's stones being the opponent's there.
pub fn after_captures(slice: Slice) -> impl Iterator<Item = Slice> {
    (1..slice.opponent).map(move |left| Slice::new(left, slice.mover))
}

/// Of slices that are there, those of which the twin is there too, and all that captures lead to; in building order.
#[must_use]
pub fn closed(there: &BTreeSet<Slice>) -> Vec<Slice> {
    let stones = there.iter().map(|slice| slice.stones()).max().unwrap_or(0);
    let mut closed = BTreeSet::new();
    let all = Slice::up_to(stones, stones);
    all.filter(|&slice| {
        let mut pair = with_twin(slice);
        let ready = pair.all(|slice| there.contains(&slice) && after_captures(slice).all(|s| closed.contains(&s)));
        if ready {
            closed.insert(slice);
        }
        ready
    })
    .collect()
}

/// Decodes a table to planes. Positions with a capture are resolved by a capture pass, from the slices in `lower`.
///
/// # Errors
/// [`TableError::Damaged`].
///
/// # Panics
/// If `lower` lacks one of [`after_captures`].
pub fn decode<D: Source>(
    space: &Space,
    rules: RuleSet,
    table: &Table<D>,
    lower: &Slices,
) -> Result<SliceValues, TableError> {
    let slice = table.header().slice;
    if prefers_compact(space, slice) {
        return decode_compact(space, rules, table, lower);
    }
    let planes = capture_pass(space, rules, slice, |slice| &lower[&slice], &|_, _| ());
    let mut loss = turned(space, slice, &planes.loss);
    let mut not_win = turned(space, slice, &planes.not_win);
    fill_quiet(space, table, &mut loss, &mut not_win)?;
    Ok(SliceValues::new(slice, loss, not_win))
}

fn decode_compact<D: Source>(
    space: &Space,
    rules: RuleSet,
    table: &Table<D>,
    lower: &Slices,
) -> Result<SliceValues, TableError> {
    let header = table.header();
    let side = CompactSide::new(space, rules, header.slice, |slice| &lower[&slice], &|_| ());
    let blocks: Vec<DecodedBlock> =
        (0..header.blocks()).into_par_iter().map(|block| table.block(space, block)).collect::<Result<_, _>>()?;
    let opponents = space.subsets(header.slice.opponent);
    side.fill(|row, enemy| {
        let slot = opponents.slot(enemy);
        let word = row as u64 * header.row_words + slot as u64 / 64;
        #[allow(clippy::cast_possible_truncation)] // blocks are in memory
        let block = &blocks[table.block_of(word) as usize];
        block.outcome(word, slot % 64)
    });
    Ok(side.finish())
}

/// Puts the values of quiet positions into planes in which they count as drawn so far.
fn fill_quiet<D: Source>(
    space: &Space,
    table: &Table<D>,
    loss: &mut Plane,
    not_win: &mut Plane,
) -> Result<(), TableError> {
    const BATCH: usize = 256;
    let header = table.header();
    let stride = loss.stride();
    let subsets = space.subsets(header.slice.opponent);
    let quiet = super::quiet::quiet_plane(space, header.slice);
    for batch in (0..header.blocks()).step_by(BATCH) {
        let blocks = (batch..header.blocks().min(batch + BATCH as u64)).into_par_iter();
        let decoded: Vec<DecodedBlock> = blocks.map(|block| table.block(space, block)).collect::<Result<_, _>>()?;
        #[allow(clippy::cast_possible_truncation)] // planes of this size are addressed in memory
        let (mut word, row_words) = ((batch * header.block_words) as usize, header.row_words as usize);
        for [undecided, lost] in decoded.iter().flat_map(DecodedBlock::words) {
            let at = word / row_words * stride + word % row_words;
            not_win.words_mut()[at] &= !quiet.words()[at] | undecided;
            loss.words_mut()[at] |= lost;
            word += 1;
        }
    }
    // Tables hold the first of equal slots; the others follow it.
    for (slot, first) in subsets.equal_slots() {
        loss.copy_column(first, slot);
        not_win.copy_column(first, slot);
    }
    Ok(())
}

/// Slices in memory, to be probed without files. `T` holds what is known of a slice.
pub struct InMemory<T> {
    space: Space,
    /// By the mover's stones, then the opponent's; a probe finds its slice without a search.
    slices: Vec<Vec<Option<T>>>,
}

/// Values in memory.
pub type Loaded = InMemory<SliceValues>;

/// Depths in memory: in cells of 8 bits if all of them fit.
pub enum LoadedDepths {
    /// Wins and losses take up to 253 plies.
    Bytes(InMemory<SliceDepths<u8>>),
    /// Some take more.
    Words(InMemory<SliceDepths<u16>>),
}

impl<T> InMemory<T> {
    /// Decodes slices with `decode`, which gets those before; captures may lead to nothing else.
    fn load_with(
        tables: &Tables,
        slices: &[Slice],
        decode: impl Fn(&Space, Slice, &BTreeMap<Slice, T>) -> Result<T, TableError>,
    ) -> Result<Self, TableError> {
        let size = tables.space().board().size();
        let space = Space::new(size, tables.game().rules().diagonals);
        let mut decoded = BTreeMap::new();
        for &slice in slices {
            let values = decode(&space, slice, &decoded)?;
            decoded.insert(slice, values);
        }
        let most = slices.iter().map(|slice| slice.stones()).max().unwrap_or(0);
        let mut by_stones: Vec<Vec<Option<T>>> = Vec::new();
        by_stones.resize_with(most + 1, || std::iter::repeat_with(|| None).take(most + 1).collect());
        for (slice, values) in decoded {
            by_stones[slice.mover][slice.opponent] = Some(values);
        }
        Ok(Self { space, slices: by_stones })
    }

    /// The indexing.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    #[inline]
    fn slice(&self, mover: u64, opponent: u64) -> Option<&T> {
        self.slices.get(mover.count_ones() as usize)?.get(opponent.count_ones() as usize)?.as_ref()
    }
}

fn up_to(tables: &Tables, stones: usize) -> Vec<Slice> {
    Slice::up_to(stones, tables.space().board().points()).collect()
}

/// The error that a slice has no table in the folder.
fn missing(tables: &Tables, slice: Slice) -> TableError {
    let board = tables.space().board().size().to_string();
    TableError::Missing { slice, folder: tables.folder().path().to_owned(), board }
}

impl Loaded {
    /// Decodes the values of every slice of up to `stones` stones that a folder has all of.
    ///
    /// # Errors
    /// [`TableError`]; [`TableError::Missing`] if a slice is not there.
    pub fn load(tables: &Tables, stones: usize) -> Result<Self, TableError> {
        Self::load_slices(tables, &up_to(tables, stones))
    }

    /// The same for slices as [`closed`] gives them.
    ///
    /// # Errors
    /// As [`Loaded::load`].
    pub fn load_slices(tables: &Tables, slices: &[Slice]) -> Result<Self, TableError> {
        let rules = tables.game().rules();
        Self::load_with(tables, slices, |space, slice, slices| {
            let table = tables.folder().get(slice).ok_or_else(|| missing(tables, slice))?;
            decode(space, rules, table, slices)
        })
    }

    /// The value for the side to move, or `None` in a slice that is not loaded. One or two memory accesses.
    #[inline]
    #[must_use]
    pub fn probe(&self, mover: u64, opponent: u64) -> Option<Outcome> {
        if mover == 0 {
            return Some(Outcome::Loss);
        }
        if opponent == 0 {
            return Some(Outcome::Win);
        }
        Some(self.slice(mover, opponent)?.value(&self.space, mover, opponent))
    }
}

impl LoadedDepths {
    /// Decodes the depths of every slice of up to `stones` stones that a folder has all of.
    ///
    /// # Errors
    /// [`TableError`]; [`TableError::Missing`] if a slice is not there.
    pub fn load(tables: &Tables, stones: usize) -> Result<Self, TableError> {
        Self::load_slices(tables, &up_to(tables, stones))
    }

    /// The same for slices as [`closed`] gives them.
    ///
    /// # Errors
    /// As [`LoadedDepths::load`].
    pub fn load_slices(tables: &Tables, slices: &[Slice]) -> Result<Self, TableError> {
        match InMemory::load_depths(tables, slices) {
            Err(TableError::TooDeep { .. }) => InMemory::load_depths(tables, slices).map(Self::Words),
            other => other.map(Self::Bytes),
        }
    }

    /// The score for the side to move, or `None` in a slice that is not loaded; a game that the opponent has
    /// lost already has no score. One or two memory accesses.
    #[inline]
    #[must_use]
    pub fn probe(&self, mover: u64, opponent: u64) -> Option<Score> {
        match self {
            Self::Bytes(slices) => slices.score(mover, opponent),
            Self::Words(slices) => slices.score(mover, opponent),
        }
    }
}

impl<C: Cell> InMemory<SliceDepths<C>> {
    fn load_depths(tables: &Tables, slices: &[Slice]) -> Result<Self, TableError> {
        let rules = tables.game().rules();
        Self::load_with(tables, slices, |space, slice, slices| {
            let folder = tables.folder();
            let [values, depths] = [folder.get(slice), folder.depths(slice)];
            let [values, depths] = [values, depths].map(|table| table.ok_or_else(|| missing(tables, slice)));
            decode_depths(space, rules, values?, depths?, slices)
        })
    }

    #[inline]
    fn score(&self, mover: u64, opponent: u64) -> Option<Score> {
        if mover == 0 {
            return Some(Score::loss(0));
        }
        if opponent == 0 {
            return None;
        }
        Some(self.slice(mover, opponent)?.score(&self.space, mover, opponent))
    }
}

//! The work on one pair: how it is cut for the memory there is, what it takes, and where it goes on.

use crate::index::{Slice, Space};
use crate::rules::RuleSet;
use crate::table::{SliceValues, TableError};

use super::super::communicator::Ranks;
use super::super::plan::{capture_memory, index_memory, lower_memory};
use super::super::slices::with_twin;
use super::layout::{Layout, Shares, least_working};
use super::log::{log_bytes, outbox_bytes};
use super::pieces::PIECE_WORDS;
use super::state::State;
use super::store::Store;
use super::values::TiledValues;
use super::work::Tiles;

/// What a process takes beside what is counted: stacks, compressors.
const FIXED: u64 = 24 << 20;

/// How a pair is cut, if not as memory suggests. For tests, which want many bands on small boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Words in a row of a band.
    pub width: usize,
    /// Bytes of bands that stay in memory.
    pub resident: u64,
    /// Words in a piece of a plane, about.
    pub piece: usize,
}

/// A pair to be solved from tiles.
pub struct Job<'a> {
    /// The indexing.
    pub space: &'a Space,
    /// The rules.
    pub rules: RuleSet,
    /// The slice with more stones to move.
    pub slice: Slice,
    /// Bytes of memory for everything, the same for all ranks.
    pub memory: u64,
    /// How to cut the pair.
    pub tiling: Option<Tiling>,
    /// Stands for all that the values depend on beside the slice: the tables of fewer stones.
    pub relies_on: u128,
}

/// The least memory in which a pair can be solved from tiles.
pub fn least_memory(space: &Space, slice: Slice, threads: usize) -> u64 {
    // Each thread has the rows of a batch beside what it resolves them with.
    let workers = threads as u64;
    let rows = |slice: Slice| {
        let batch = space.orbits(slice.opponent).div_ceil(workers).min(64);
        workers * 16 * batch * space.words(slice.mover)
    };
    let rows = with_twin(slice).map(rows).max().unwrap_or(0);
    let captures =
        capture_memory(space, slice, threads).saturating_add(rows).saturating_add(lower_memory(space, slice));
    FIXED + index_memory(space, slice) + captures.max(log_bytes(0) + least_working(space, slice))
}

/// Bytes of that much memory for planes while paikas are followed: a quarter is left to finished slices that wait, to pieces on their way
/// from and to the store, what is remembered of them, and to the allocator.
pub fn bytes_for_planes(space: &Space, slice: Slice, memory: u64) -> u64 {
    (memory / 4 * 3).saturating_sub(FIXED + log_bytes(memory) + index_memory(space, slice))
}

/// Takes up the work on a pair where its store says it was, or begins it. [`Tiles::capture`] for each form and [`Tiles::decide`] do the rest.
///
/// # Errors
/// Those of the store.
pub fn begin<'a>(job: &Job<'a>, store: &'a dyn Store, ranks: &'a dyn Ranks) -> Result<Tiles<'a>, TableError> {
    let Job { space, rules, slice, memory, tiling, relies_on } = *job;
    let size = ranks.size();
    let bytes = bytes_for_planes(space, slice, memory);
    let fresh = Shares::of(space, slice, bytes, size);
    let shares = |widths: &[u64]| {
        let widths: Vec<usize> = widths.iter().map(|&width| usize::try_from(width).unwrap_or(0)).collect();
        if widths == fresh.widths { Some(fresh.clone()) } else { Shares::with_widths(space, slice, widths, bytes) }
    };
    let piece = tiling.map_or(PIECE_WORDS, |tiling| tiling.piece);
    let records = store.records()?.into_iter().filter_map(|bytes| State::from_bytes(&bytes));
    // Bands that were cut for more memory than there is now are of no use.
    let of_use = |state: &State| {
        state.relies_on == relies_on
            && state.ranks == size as u64
            && state.piece == piece as u64
            && (tiling.is_some() || shares(&state.widths).is_some())
    };
    let known: Vec<State> = records.filter(of_use).collect();
    // Where a crash came between, some ranks have written down one state more than others.
    let common = ranks.gather(known.iter().map(|state| state.commits).max().unwrap_or(0)).into_iter().min();
    let state = known.into_iter().find(|state| Some(state.commits) == common);
    let state = if ranks.count(state.is_none()) == 0 { state } else { None };
    let Shares { widths, resident } = match (tiling, state.as_ref().and_then(|state| shares(&state.widths))) {
        (Some(Tiling { width, resident, .. }), _) => {
            Shares { widths: with_twin(slice).map(|_| width).collect(), resident }
        }
        (None, Some(shares)) => shares,
        (None, None) => fresh,
    };
    let layout = Layout::new(space, slice, &widths, piece, size);
    let state = state.unwrap_or_else(|| State::new(relies_on, &layout, size));
    Ok(Tiles::new(space, rules, layout, state, (resident, outbox_bytes(memory)), (store, ranks)))
}

/// Solves a pair from tiles in any store, going on where the store says the work was, with all its values in memory in the end, on every rank. `lookup`
/// gives finished slices with fewer stones; `relies_on` stands for them and the pair.
///
/// # Errors
/// Those of the store; [`TableError::ScratchDamaged`] if it does not give back what was given to it.
pub fn solve_tiles<'v>(
    (space, rules, slice): (&Space, RuleSet, Slice),
    lookup: impl Fn(Slice) -> &'v SliceValues,
    tiling: Tiling,
    relies_on: u128,
    store: &dyn Store,
    ranks: &dyn Ranks,
) -> Result<Vec<SliceValues>, TableError> {
    let job = Job { space, rules, slice, memory: u64::MAX, tiling: Some(tiling), relies_on };
    let mut tiles = begin(&job, store, ranks)?;
    for form in 0..tiles.layout().forms.len() {
        tiles.capture(form, &lookup, &|_| ())?;
    }
    tiles.decide(&|_| ())?;
    (0..tiles.layout().forms.len()).rev().map(|form| TiledValues::new(&tiles, form).everywhere(space)).collect()
}

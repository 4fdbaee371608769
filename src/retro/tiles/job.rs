//! The work on one pair: how it is cut for the memory there is, what it takes, and where it goes on.

use crate::index::{Slice, Space};
use crate::rules::RuleSet;
use crate::table::{SliceValues, TableError};

use super::super::plan::{capture_memory, index_memory, with_twin};
use super::layout::{Layout, Shares, least_working};
use super::state::State;
use super::store::Store;
use super::values::TiledValues;
use super::work::Tiles;

/// What a process takes beside what is counted: stacks, buffers of entries, the compressor.
const FIXED: u64 = 24 << 20;

/// How a pair is cut, if not as memory suggests. For tests, which want many bands on small boards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tiling {
    /// Words in a row of a band.
    pub width: usize,
    /// Bytes of bands that stay in memory.
    pub resident: u64,
}

/// A pair to be solved from tiles.
pub struct Job<'a> {
    /// The indexing.
    pub space: &'a Space,
    /// The rules.
    pub rules: RuleSet,
    /// The slice with more stones to move.
    pub slice: Slice,
    /// Bytes of memory for everything.
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
    let captures = capture_memory(space, slice, threads).saturating_add(rows);
    FIXED + index_memory(space, slice) + captures.max(least_working(space, slice))
}

/// Bytes of that much memory for planes while paikas are followed: a quarter is left to finished slices that wait, and to the
/// allocator.
pub fn bytes_for_planes(space: &Space, slice: Slice, memory: u64) -> u64 {
    (memory / 4 * 3).saturating_sub(FIXED + index_memory(space, slice))
}

/// Takes up the work on a pair where its store says it was, or begins it. [`Tiles::capture`] for each form and [`Tiles::decide`] do the rest.
///
/// # Errors
/// Those of the store.
pub fn begin<'a>(job: &Job<'a>, store: &'a dyn Store) -> Result<Tiles<'a>, TableError> {
    let Job { space, rules, slice, memory, .. } = *job;
    let bytes = bytes_for_planes(space, slice, memory);
    let known = store.record()?.and_then(|bytes| State::from_bytes(&bytes));
    if let Some(state) = known.filter(|state| state.relies_on == job.relies_on) {
        // Bands that were cut for more memory than there is now are of no use.
        let widths: Vec<usize> = state.widths.iter().map(|&width| usize::try_from(width).unwrap_or(0)).collect();
        let shares = Shares::with_widths(space, slice, widths, bytes);
        let resident = job.tiling.map_or(shares.as_ref().map(|shares| shares.resident), |tiling| Some(tiling.resident));
        if let (Some(shares), Some(resident)) = (shares, resident) {
            let layout = Layout::new(space, slice, &shares.widths);
            return Ok(Tiles::new(space, rules, layout, state, resident, store));
        }
    }
    let Shares { widths, resident } = match job.tiling {
        Some(Tiling { width, resident }) => Shares { widths: with_twin(slice).map(|_| width).collect(), resident },
        None => Shares::of(space, slice, bytes),
    };
    let layout = Layout::new(space, slice, &widths);
    let state = State::new(job.relies_on, &layout);
    Ok(Tiles::new(space, rules, layout, state, resident, store))
}

/// Solves a pair from tiles in any store, going on where the store says the work was, with all its values in memory in the end. `lookup`
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
) -> Result<Vec<SliceValues>, TableError> {
    let job = Job { space, rules, slice, memory: u64::MAX, tiling: Some(tiling), relies_on };
    let mut tiles = begin(&job, store)?;
    for form in 0..tiles.layout().forms.len() {
        tiles.capture(form, &lookup, &|_| ())?;
    }
    tiles.decide(&|_| ())?;
    (0..tiles.layout().forms.len()).rev().map(|form| TiledValues::new(&tiles, form).all(space)).collect()
}

//! The work on one pair: how it is cut for the memory there is, what it takes, and where it continues.

use crate::index::{Slice, Space};
use crate::rules::RuleSet;
use crate::table::{SliceValues, TableError};

use super::super::communicator::Communicator;
use super::super::planes::Leaves;
use super::super::slices::with_twin;
use super::layout::{Layout, Shares};
use super::log::outbox_bytes;
use super::pieces::PIECE_WORDS;
use super::store::Store;
use super::values::TiledValues;
use super::work::{State, Tiles};

/// How a pair is cut, whatever the memory. For tests, which need many bands on small boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Words in a row of a band.
    pub width: usize,
    /// Bytes of bands that stay in memory.
    pub resident: u64,
    /// Approximate number of words in a piece of a plane.
    pub piece: usize,
}

/// The memory that a pair from tiles may take in each process, as planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileBudget {
    /// Bytes for planes while paikas are followed.
    pub planes: u64,
    /// Bytes for entries on their way to the log, of all threads.
    pub outboxes: u64,
    /// How the pair is cut; if not given, that follows from the memory.
    pub tiling: Option<Tiling>,
    /// Which leaves of chains are kept.
    pub leaves: Leaves,
}

impl TileBudget {
    /// `planes` bytes for planes, out of `memory` bytes for everything.
    #[must_use]
    pub fn new(planes: u64, memory: u64, tiling: Option<Tiling>, leaves: Leaves) -> Self {
        Self { planes, outboxes: outbox_bytes(memory), tiling, leaves }
    }
}

/// A pair to be solved from tiles.
pub struct Job<'a> {
    /// The indexing.
    pub space: &'a Space,
    /// The rules.
    pub rules: RuleSet,
    /// The slice with more stones to move.
    pub slice: Slice,
    /// Its memory, the same for all processes.
    pub budget: TileBudget,
    /// Identifies the tables of fewer stones, on which the values depend.
    pub relies_on: u128,
}

/// Begins the work on a pair, or continues it from the state in its store. [`Tiles::capture`] for each form and [`Tiles::decide`] do the rest.
///
/// # Errors
/// Errors of the store.
pub fn begin<'a>(
    job: &Job<'a>,
    store: &'a dyn Store,
    communicator: &'a dyn Communicator,
) -> Result<Tiles<'a>, TableError> {
    let Job { space, rules, slice, budget: TileBudget { planes: bytes, outboxes, tiling, leaves }, relies_on } = *job;
    let size = communicator.size();
    let fresh = Shares::of(space, slice, bytes, size);
    let shares = |widths: &[u64]| {
        let widths: Vec<usize> = widths.iter().map(|&width| usize::try_from(width).unwrap_or(0)).collect();
        if widths == fresh.widths { Some(fresh.clone()) } else { Shares::with_widths(space, slice, widths, bytes) }
    };
    let piece = tiling.map_or(PIECE_WORDS, |tiling| tiling.piece);
    let records = store.records()?;
    // A state whose bands were cut for more memory than there is now is of no use.
    let of_use = |state: &State| {
        state.relies_on == relies_on
            && state.ranks == size as u64
            && state.piece == piece as u64
            && (tiling.is_some() || shares(&state.widths).is_some())
    };
    let known: Vec<State> = records.iter().filter_map(|bytes| State::from_bytes(bytes)).filter(of_use).collect();
    // After a crash, some processes may have written one state more than others.
    let common = communicator.gather(known.iter().map(|state| state.commits).max().unwrap_or(0)).into_iter().min();
    let state = known.into_iter().find(|state| Some(state.commits) == common);
    let state = if communicator.count(state.is_none()) == 0 { state } else { None };
    let Shares { widths, resident } = match (tiling, state.as_ref().and_then(|state| shares(&state.widths))) {
        (Some(Tiling { width, resident, .. }), _) => {
            Shares { widths: with_twin(slice).map(|_| width).collect(), resident }
        }
        (None, Some(shares)) => shares,
        (None, None) => fresh,
    };
    let layout = Layout::new(space, slice, &widths, piece, size);
    let begins = state.is_none();
    let state = state.unwrap_or_else(|| State::new(relies_on, &layout, size));
    let bytes = state.to_bytes();
    if records.first() != Some(&bytes) {
        // What this process alone has written must not be taken for what all of them write later, under the same number.
        store.keep_only(&bytes)?;
    }
    communicator.barrier();
    if begins {
        store.forget()?;
    }
    let (memory, timed) = ((resident, outboxes), tiling.is_none());
    Ok(Tiles::new((space, rules, leaves), layout, state, memory, timed, (store, communicator)))
}

/// Solves a pair from tiles in any store, from the state there if there is one; every process gets all values. `lookup` gives finished slices
/// with fewer stones; `relies_on` identifies them and the pair.
///
/// # Errors
/// Those of the store; [`TableError::ScratchDamaged`] if it does not return what was written to it.
pub fn solve_tiles<'v>(
    (space, rules, slice): (&Space, RuleSet, Slice),
    lookup: &dyn Fn(Slice) -> &'v SliceValues,
    tiling: Tiling,
    relies_on: u128,
    store: &dyn Store,
    communicator: &dyn Communicator,
) -> Result<Vec<SliceValues>, TableError> {
    let budget = TileBudget::new(u64::MAX, u64::MAX, Some(tiling), Leaves::OfBatch);
    let job = Job { space, rules, slice, budget, relies_on };
    let mut tiles = begin(&job, store, communicator)?;
    for form in 0..tiles.layout().forms.len() {
        tiles.capture(form, lookup, &|_| ())?;
    }
    tiles.decide(&|_| ())?;
    (0..tiles.layout().forms.len()).rev().map(|form| TiledValues::new(&tiles, form).everywhere(space)).collect()
}

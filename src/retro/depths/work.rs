//! A pair that is being worked on: its layers, and the state from which the work can continue.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bincode::{Decode, Encode};

use crate::index::{Slice, Space, padded_cells};
use crate::rules::RuleSet;
use crate::table::{Cell, SliceDepths, TableError};

use super::super::parallel::try_for_each_with_scratch;
use super::super::slices::{Phase, with_twin};
use super::super::tiles::{Captured, Store, from_record, outbox_bytes, to_record};
use super::log::{Bands, Layers, Log, Outbox};
use super::pass::{CaptureDepths, CaptureDepthsScratch};

/// Version of scratch files and their records; others are discarded.
const VERSION: u64 = 2;

/// Bytes of scores that need no bands.
const SMALL: u64 = 16 << 20;

/// Bands of a slice, at most.
const MAX_BANDS: u64 = 8;

/// Cells of a batch of rows.
const BATCH: usize = 1 << 16;

/// A pair whose depths are to be solved.
pub struct DepthJob<'a> {
    /// The indexing.
    pub space: &'a Space,
    /// The rules.
    pub rules: RuleSet,
    /// The slice with more stones to move.
    pub slice: Slice,
    /// Bytes for entries on their way to the store, of all threads.
    pub outboxes: u64,
    /// Identifies the tables of fewer stones, on which the depths depend.
    pub relies_on: u128,
    /// Time after which the state is written again.
    pub interval: Duration,
    /// Words of a band; by default they follow from the size of the slice. For tests.
    pub width: Option<usize>,
}

impl<'a> DepthJob<'a> {
    /// The work on a pair in that much memory.
    #[must_use]
    pub fn new(space: &'a Space, rules: RuleSet, slice: Slice, memory: u64) -> Self {
        let outboxes = outbox_bytes(memory);
        Self { space, rules, slice, outboxes, relies_on: 0, interval: Duration::from_secs(1), width: None }
    }
}

/// The state of the work on a pair.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct State {
    relies_on: u128,
    bands: Vec<Bands>,
    captured: Vec<Captured>,
    /// By slice.
    pub layers: Vec<Layers>,
    /// Words in the log.
    log: u64,
    /// Steps that are done; the next one finds what is decided in so many plies.
    pub steps: usize,
    /// Whether no later step finds anything.
    pub decided: bool,
}

/// The work on the depths of a pair.
pub struct LayeredWork<'a> {
    pub(super) space: &'a Space,
    pub(super) rules: RuleSet,
    pub(super) slices: Vec<Slice>,
    pub(super) log: Log<'a>,
    pub(super) state: State,
    store: &'a dyn Store,
    outboxes: u64,
    interval: Duration,
    committed: Instant,
}

/// Where the work on depths begins.
#[derive(Clone, Copy, Debug)]
pub struct LayeredPair {
    /// The slice with more stones to move.
    pub slice: Slice,
    /// Approximate bytes of the scratch file.
    pub scratch: u64,
    /// Steps that were done before.
    pub steps: u64,
    /// The share of captures that were resolved before.
    pub captures: f64,
}

/// The bands of a slice: few, as each is read from all layers when scores are put together.
fn bands(space: &Space, slice: Slice, width: Option<usize>) -> Bands {
    let (rows, slots) = (space.subsets(slice.opponent).orbits(), space.subsets(slice.mover).slots());
    let words = padded_cells(slots).div_ceil(64);
    #[allow(clippy::cast_possible_truncation)] // a small number
    let count = band_count(64 * (rows as u64).saturating_mul(words as u64)) as usize;
    // Tiles of cells are moved together; see `scores`.
    Bands { words, width: width.unwrap_or(words.div_ceil(count)).clamp(1, words).next_multiple_of(2) }
}

/// Bands of a slice of so many bytes.
fn band_count(bytes: u64) -> u64 {
    bytes.div_ceil(SMALL).min(MAX_BANDS)
}

/// Bytes of a band of a slice of so many bytes, about.
pub fn band_bytes(bytes: u64) -> u64 {
    bytes / band_count(bytes.max(1))
}

impl<'a> LayeredWork<'a> {
    /// Begins the work on a pair, or continues it from the state in its store.
    ///
    /// # Errors
    /// Those of the store.
    pub fn begin(job: &DepthJob<'a>, store: &'a dyn Store) -> Result<Self, TableError> {
        let DepthJob { space, rules, slice, outboxes, relies_on, interval, width } = *job;
        let slices: Vec<Slice> = with_twin(slice).collect();
        let bands: Vec<Bands> = slices.iter().map(|&slice| bands(space, slice, width)).collect();
        let records = store.records()?;
        let known = records.iter().filter_map(|record| from_record::<State>(VERSION, record));
        let state = known.into_iter().find(|state| state.relies_on == relies_on && state.bands == bands);
        let state = if let Some(state) = state {
            state
        } else {
            let (captured, layers) = (vec![Captured::default(); slices.len()], vec![Layers::new(); slices.len()]);
            let state = State { relies_on, captured, layers, bands, log: 0, steps: 0, decided: false };
            store.keep_only(&to_record(VERSION, &state))?;
            store.forget()?;
            state
        };
        let log = Log::new(store, slice, state.log);
        Ok(Self { space, rules, slices, log, state, store, outboxes, interval, committed: Instant::now() })
    }

    /// What is known of the work before it continues; the store will take up to `scratch` bytes.
    pub fn describe(&self, scratch: u64) -> LayeredPair {
        let captures = self.state.captured.iter().map(Captured::share).sum::<f64>();
        #[allow(clippy::cast_precision_loss)] // one or two
        let captures = captures / self.slices.len() as f64;
        LayeredPair { slice: self.slices[0], scratch, steps: self.state.steps as u64, captures }
    }

    /// The slice, and its twin if that is another.
    pub fn slices(&self) -> &[Slice] {
        &self.slices
    }

    /// Whether there are captures left to resolve.
    pub fn captures(&self) -> bool {
        !self.state.captured.iter().all(Captured::is_complete)
    }

    /// The bands of one of the slices.
    pub fn bands(&self, side: usize) -> Bands {
        self.state.bands[side]
    }

    /// An outbox for one of the threads.
    pub(super) fn outbox(&self, side: usize) -> Outbox<'_> {
        Outbox::new(&self.log, (side, self.bands(side)), self.outboxes / rayon::current_num_threads() as u64)
    }

    /// Resolves the captures that are left.
    ///
    /// # Errors
    /// Those of the store.
    pub fn capture<'v, C: Cell>(
        &mut self,
        lookup: &dyn Fn(Slice) -> &'v SliceDepths<C>,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<(), TableError> {
        for side in 0..self.slices.len() {
            self.capture_side(side, lookup, report)?;
        }
        Ok(())
    }

    fn capture_side<'v, C: Cell>(
        &mut self,
        side: usize,
        lookup: &dyn Fn(Slice) -> &'v SliceDepths<C>,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<(), TableError> {
        let (space, slice) = (self.space, self.slices[side]);
        let (rows, width) = (space.subsets(slice.opponent).orbits(), padded_cells(space.subsets(slice.mover).slots()));
        let batch = (BATCH / width).clamp(1, rows);
        let captured = &mut self.state.captured[side];
        captured.begin(batch, rows);
        let (before, missing) = (captured.resolved(), captured.missing());
        report(Phase::Captures { slice, done: (before * batch).min(rows), total: rows });
        if missing.is_empty() {
            return Ok(());
        }
        let pass = CaptureDepths::new(space, self.rules, slice, lookup);
        let done = AtomicUsize::new(before);
        let round = (missing.len() / 64).max(4 * rayon::current_num_threads());
        for numbers in missing.chunks(round) {
            let scratch = || (CaptureDepthsScratch::default(), vec![C::DRAW; width], self.outbox(side));
            let fill = |(scratch, cells, outbox): &mut (_, Vec<C>, Outbox<'_>), number: usize| {
                for row in number * batch..rows.min((number + 1) * batch) {
                    pass.fill(row, cells, scratch);
                    outbox.push_row(row, cells);
                }
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                report(Phase::Captures { slice, done: (done * batch).min(rows), total: rows });
                Ok(())
            };
            try_for_each_with_scratch(numbers.iter().copied(), scratch, fill, |(.., outbox)| outbox.finish())?;
            self.note_written();
            for &number in numbers {
                self.state.captured[side].done[number] = true;
            }
            self.commit_after(5)?;
        }
        self.commit()
    }

    /// Adds the segments that have been written to the layers.
    pub(super) fn note_written(&mut self) {
        self.log.note_written(&mut self.state.layers, &self.state.bands);
    }

    /// Writes the state to the store if that has not been done for so many intervals.
    pub(super) fn commit_after(&mut self, intervals: u32) -> Result<(), TableError> {
        if self.committed.elapsed() >= intervals * self.interval { self.commit() } else { Ok(()) }
    }

    /// Writes the state to the store, so that the work can continue from here.
    pub(super) fn commit(&mut self) -> Result<(), TableError> {
        self.state.log = self.log.words();
        self.store.commit(&to_record(VERSION, &self.state))?;
        self.committed = Instant::now();
        Ok(())
    }
}

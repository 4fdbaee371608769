//! A pair that is being solved from tiles, and the state from which the work can continue, small enough to be written every few seconds.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bincode::{Decode, Encode};

use crate::index::{Slice, Space};
use crate::rules::RuleSet;
use crate::table::TableError;

use super::super::communicator::Communicator;
use super::super::planes::Leaves;
use super::entries::Segment;
use super::layout::{Form, Layout, OPEN, Planes};
use super::log::Log;
use super::pieces::PieceStore;
use super::store::{Store, from_record, to_record};

/// Version of scratch files and their records; others are discarded.
const VERSION: u64 = 7;

/// A band: which part of the log is in its planes, and their checksums with that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct BandState {
    /// Paikas have been followed in it; before that, its open positions are all quiet ones and are not in the store.
    pub visited: bool,
    /// How often the band was rewritten.
    pub generation: u64,
    /// Checksums of the planes with everything merged that is known to be in them.
    pub sums: [u64; 3],
    /// Entries from other bands.
    pub mail: Vec<Segment>,
    /// How many segments of `mail` are in the planes.
    pub seen: u64,
    /// Entries for the open positions from the band itself, which are all in the planes.
    pub own: Vec<Segment>,
}

impl BandState {
    /// Segments of mail that are not in the planes.
    pub fn unseen(&self) -> &[Segment] {
        #[allow(clippy::cast_possible_truncation)] // an index into the list
        &self.mail[self.seen as usize..]
    }

    /// Segments of mail that the planes in the store may lack, as they may lack `own`, though all is known to be in the planes.
    pub fn behind(&self) -> &[Segment] {
        #[allow(clippy::cast_possible_truncation)] // an index into the list
        &self.mail[..self.seen as usize]
    }

    /// The band was rewritten, and the entries of the log are in the store's planes as well.
    pub fn folded(&mut self) {
        self.generation += 1;
        self.own.clear();
        #[allow(clippy::cast_possible_truncation)] // an index into the list
        self.mail.drain(..self.seen as usize);
        self.seen = 0;
    }

    /// Adds to the checksums.
    pub fn add(&mut self, sums: [u64; 3]) {
        for (sum, more) in self.sums.iter_mut().zip(sums) {
            *sum = sum.wrapping_add(more);
        }
    }

    /// The planes whose checksums are known.
    pub fn checked(&self) -> std::ops::Range<usize> {
        if self.visited { OPEN..3 } else { OPEN + 1..3 }
    }
}

/// Captures into a form that are resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Captured {
    /// Rows in a batch.
    pub batch: u64,
    /// A flag for each batch.
    pub done: Vec<bool>,
}

impl Captured {
    /// Begins with batches of that many rows, unless it has begun with them before; returns whether it does.
    pub fn begin(&mut self, batch: usize, rows: usize) -> bool {
        let begins = self.batch != batch as u64 || self.done.is_empty();
        if begins {
            *self = Self { batch: batch as u64, done: vec![false; rows.div_ceil(batch)] };
        }
        begins
    }

    /// The number of batches that are resolved.
    pub fn resolved(&self) -> usize {
        self.done.iter().filter(|&&done| done).count()
    }

    /// The numbers of the other batches.
    pub fn missing(&self) -> Vec<usize> {
        (0..self.done.len()).filter(|&number| !self.done[number]).collect()
    }

    /// Whether there is nothing left to resolve.
    pub fn is_complete(&self) -> bool {
        !self.done.is_empty() && !self.done.contains(&false)
    }

    /// The share that is resolved.
    #[allow(clippy::cast_precision_loss)] // a share
    pub fn share(&self) -> f64 {
        self.resolved() as f64 / self.done.len().max(1) as f64
    }
}

/// The state of the work on a pair.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct State {
    /// Identifies what it relies on, see [`super::Job`].
    pub relies_on: u128,
    /// For each form, words in a row of a band.
    pub widths: Vec<u64>,
    /// Approximate number of words in a piece of a plane.
    pub piece: u64,
    /// Captures, by form.
    pub captured: Vec<Captured>,
    /// Bands, by form.
    pub bands: Vec<Vec<BandState>>,
    /// Words in the log.
    pub log: u64,
    /// Rounds that are done, in each of which every process visits one band at most.
    pub visits: u64,
    /// Processes that share the work. The state of bands of others is not used.
    pub ranks: u64,
    /// How often the state has been saved.
    pub commits: u64,
}

impl State {
    /// Nothing is done yet.
    pub fn new(relies_on: u128, layout: &Layout, ranks: usize) -> Self {
        let forms = &layout.forms;
        Self {
            relies_on,
            widths: forms.iter().map(|form| form.width as u64).collect(),
            piece: forms[0].piece as u64,
            captured: vec![Captured::default(); forms.len()],
            bands: forms.iter().map(|form| vec![BandState::default(); form.bands()]).collect(),
            log: 0,
            visits: 0,
            ranks: ranks as u64,
            commits: 0,
        }
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_record(VERSION, self)
    }

    /// The state in those bytes, if they are whole and of this version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        from_record(VERSION, bytes)
    }
}

/// Time after which the state is written again, and where bands are cut for tests, visits to bands.
const INTERVAL: Duration = Duration::from_secs(5);
const VISITS: u64 = 3;

/// A pair that is solved from tiles.
#[derive(Clone, Copy, Debug)]
pub struct TiledPair {
    /// The slice with more stones to move.
    pub slice: Slice,
    /// Bands of its planes, and of those of the twin if it is another.
    pub bands: (usize, usize),
    /// How many of them stay in memory.
    pub resident: usize,
    /// Approximate bytes of the scratch file.
    pub scratch: u64,
    /// Rounds that were done before, in each of which every process visits one band at most.
    pub visits: u64,
    /// The share of captures that were resolved before.
    pub captures: f64,
}

/// A pair that is being worked on: the part of this rank, of which the state of its own bands is kept.
pub struct Tiles<'a> {
    pub(super) space: &'a Space,
    pub(super) rules: RuleSet,
    pub(super) leaves: Leaves,
    pub(super) layout: Layout,
    pub(super) store: &'a dyn Store,
    pub(super) pieces: Arc<PieceStore<'a>>,
    pub(super) communicator: &'a dyn Communicator,
    pub(super) log: Log<'a>,
    pub(super) state: State,
    /// By form and band: whether it stays in memory, and its planes if it is there.
    pub(super) stays: Vec<Vec<bool>>,
    pub(super) resident: Vec<Vec<Option<Planes>>>,
    /// When the state was written; `None` if it is written after every few visits.
    committed: Option<Instant>,
    /// Bands that were rewritten since the state was written.
    pub(super) rewritten: BTreeSet<(usize, usize)>,
}

impl<'a> Tiles<'a> {
    /// Takes up the work in a store, or begins it. Bands stay in memory if they fit in `resident` bytes; entries on their way to the log take
    /// `outboxes` bytes. The state is written by the clock if it is `timed`, otherwise after every few visits.
    pub fn new(
        (space, rules, leaves): (&'a Space, RuleSet, Leaves),
        layout: Layout,
        state: State,
        (resident, outboxes): (u64, u64),
        timed: bool,
        (store, communicator): (&'a dyn Store, &'a dyn Communicator),
    ) -> Self {
        let stays = layout.residents(resident, communicator.rank());
        let nothing = |bands: &Vec<bool>| bands.iter().map(|_| None).collect();
        let log = Log::new(store, communicator, layout.log, state.log, outboxes);
        let resident = stays.iter().map(nothing).collect();
        Self {
            space,
            rules,
            leaves,
            layout,
            store,
            pieces: Arc::new(PieceStore::new(store)),
            communicator,
            log,
            state,
            stays,
            resident,
            committed: timed.then(Instant::now),
            rewritten: BTreeSet::new(),
        }
    }

    /// Writes the state to the store, so that the work can continue from here. No process continues before all have done so: each keeps this
    /// state and the one before.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn commit(&mut self) -> Result<(), TableError> {
        self.state.log = self.log.words();
        self.state.commits += 1;
        self.store.commit(&self.state.to_bytes())?;
        self.communicator.barrier();
        self.committed = self.committed.map(|_| Instant::now());
        self.rewritten.clear();
        Ok(())
    }

    /// Whether the state is to be written again.
    pub(super) fn is_late(&self) -> bool {
        match self.committed {
            Some(committed) => committed.elapsed() >= INTERVAL,
            None => self.state.visits.is_multiple_of(VISITS),
        }
    }

    /// The bands that belong to this process, by form and number.
    pub(super) fn own_bands(&self) -> impl Iterator<Item = (usize, usize)> {
        let rank = self.communicator.rank();
        self.layout.forms.iter().enumerate().flat_map(move |(form, shape)| {
            (0..shape.bands()).filter(move |&band| shape.owner(band) == rank).map(move |band| (form, band))
        })
    }

    /// What is known of the work before it continues; the store will take up to `scratch` bytes.
    #[allow(clippy::cast_precision_loss)] // a share
    pub fn describe(&self, scratch: u64) -> TiledPair {
        let captures: f64 = self.state.captured.iter().map(Captured::share).sum();
        let forms = &self.layout.forms;
        TiledPair {
            slice: forms[0].slice,
            bands: (forms[0].bands(), forms.get(1).map_or(0, Form::bands)),
            resident: self.stays.iter().flatten().filter(|&&stays| stays).count(),
            scratch,
            visits: self.state.visits,
            captures: captures / forms.len() as f64,
        }
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

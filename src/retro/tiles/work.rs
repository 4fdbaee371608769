//! A pair that is being worked on from its tiles, and the state from which the work can go on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::index::{Slice, Space};
use crate::rules::RuleSet;
use crate::table::TableError;

use super::super::communicator::Communicator;
use super::layout::{Form, Layout, Planes};
use super::log::Log;
use super::pieces::PieceStore;
use super::state::{BandState, State};
use super::store::Store;

/// Time after which the state is written again.
pub const INTERVAL: Duration = Duration::from_secs(1);

/// A pair that is solved from tiles.
#[derive(Clone, Copy, Debug)]
pub struct TiledPair {
    /// The slice with more stones to move.
    pub slice: Slice,
    /// Bands of its planes, and of those of the twin if it is another.
    pub bands: (usize, usize),
    /// How many of them stay in memory.
    pub resident: usize,
    /// Bytes of the scratch file, about.
    pub scratch: u64,
    /// Half passes that were done before.
    pub steps: u64,
    /// The share of captures that were resolved before.
    pub captures: f64,
}

/// A pair that is being worked on: the part of this rank, of which the state of its own bands is kept.
pub struct Tiles<'a> {
    pub(super) space: &'a Space,
    pub(super) rules: RuleSet,
    pub(super) layout: Layout,
    pub(super) store: &'a dyn Store,
    pub(super) pieces: Arc<PieceStore<'a>>,
    pub(super) communicator: &'a dyn Communicator,
    pub(super) log: Log<'a>,
    pub(super) state: State,
    /// By form and band: whether it stays in memory, and its planes if it is there.
    pub(super) stays: Vec<Vec<bool>>,
    pub(super) resident: Vec<Vec<Option<Planes>>>,
    pub(super) committed: Instant,
    /// The store's record is that of the present state.
    pub(super) is_committed: bool,
}

impl<'a> Tiles<'a> {
    /// Takes up the work in a store, or begins it. Bands stay in memory as far as they fit in `resident` bytes; entries on their way to the log take
    /// `outboxes` bytes.
    pub fn new(
        space: &'a Space,
        rules: RuleSet,
        layout: Layout,
        state: State,
        (resident, outboxes): (u64, u64),
        (store, communicator): (&'a dyn Store, &'a dyn Communicator),
    ) -> Self {
        let stays = layout.residents(resident, communicator.rank());
        let nothing = |bands: &Vec<bool>| bands.iter().map(|_| None).collect();
        let log = Log::new(store, communicator, layout.log, state.log, outboxes);
        let resident = stays.iter().map(nothing).collect();
        Self {
            space,
            rules,
            layout,
            store,
            pieces: Arc::new(PieceStore::new(store)),
            communicator,
            log,
            state,
            stays,
            resident,
            committed: Instant::now(),
            is_committed: false,
        }
    }

    /// Writes the state to the store, so that the work can continue from here. No process goes on before all have done so: each keeps this
    /// state and the one before.
    ///
    /// # Errors
    /// Those of the store.
    pub fn commit(&mut self) -> Result<(), TableError> {
        self.state.log = self.log.words();
        self.state.commits += 1;
        self.store.commit(&self.state.to_bytes())?;
        self.communicator.count(false);
        (self.committed, self.is_committed) = (Instant::now(), true);
        Ok(())
    }

    /// The bands of a form that belong to this process, with their state.
    pub(super) fn own(&self, form: usize) -> impl Iterator<Item = (usize, &BandState)> {
        let (shape, rank) = (&self.layout.forms[form], self.communicator.rank());
        self.state.bands[form].iter().enumerate().filter(move |&(band, _)| shape.owner(band) == rank)
    }

    /// What is known of the work before it continues; the store will take up to `scratch` bytes.
    #[allow(clippy::cast_precision_loss)] // a share
    pub fn describe(&self, scratch: u64) -> TiledPair {
        let share = |done: &Vec<bool>| done.iter().filter(|&&done| done).count() as f64 / done.len().max(1) as f64;
        let captures: f64 = self.state.captured.iter().map(|captured| share(&captured.done)).sum();
        let forms = &self.layout.forms;
        TiledPair {
            slice: forms[0].slice,
            bands: (forms[0].bands(), forms.get(1).map_or(0, Form::bands)),
            resident: self.stays.iter().flatten().filter(|&&stays| stays).count(),
            scratch,
            steps: self.state.steps,
            captures: captures / forms.len() as f64,
        }
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

//! The work on a pair from its tiles: half passes over bands, and the state from which it can go on.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use crate::index::Space;
use crate::rules::RuleSet;
use crate::table::TableError;

use super::super::build::TiledPair;
use super::super::communicator::Ranks;
use super::super::planes::Marks;
use super::super::planes::{Search, Step, spread};
use super::super::slices::Phase;
use super::bands::{Ahead, read_ahead};
use super::layout::{Form, Layout, OPEN, Planes};
use super::log::{Log, merge, sum_of_plane};
use super::pieces::{PieceStore, write};
use super::state::{BandState, State};
use super::store::Store;
use super::visit::{Visit, Visited};

/// Time after which the state is written again.
pub const INTERVAL: Duration = Duration::from_secs(1);

/// A pair that is being worked on: the part of this rank, of which the state of its own bands is kept.
pub struct Tiles<'a> {
    pub(super) space: &'a Space,
    pub(super) rules: RuleSet,
    pub(super) layout: Layout,
    pub(super) store: &'a dyn Store,
    pub(super) pieces: Arc<PieceStore<'a>>,
    pub(super) ranks: &'a dyn Ranks,
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
        (store, ranks): (&'a dyn Store, &'a dyn Ranks),
    ) -> Self {
        let stays = layout.residents(resident, ranks.rank());
        let nothing = |bands: &Vec<bool>| bands.iter().map(|_| None).collect();
        let log = Log::new(store, ranks, layout.log, state.log, outboxes);
        let resident = stays.iter().map(nothing).collect();
        Self {
            space,
            rules,
            layout,
            store,
            pieces: Arc::new(PieceStore::new(store)),
            ranks,
            log,
            state,
            stays,
            resident,
            committed: Instant::now(),
            is_committed: false,
        }
    }

    /// Writes the state down, so that the work can go on from here. No rank goes on before all have done so: what each keeps is this
    /// state or the one before.
    ///
    /// # Errors
    /// Those of the store.
    pub fn commit(&mut self) -> Result<(), TableError> {
        self.state.log = self.log.words();
        self.state.commits += 1;
        self.store.commit(&self.state.to_bytes())?;
        self.ranks.count(false);
        (self.committed, self.is_committed) = (Instant::now(), true);
        Ok(())
    }

    /// The bands of a form that are this rank's, and whether there is something to do in them.
    fn own(&self, form: usize) -> impl Iterator<Item = (usize, &BandState)> {
        let (shape, rank) = (&self.layout.forms[form], self.ranks.rank());
        self.state.bands[form].iter().enumerate().filter(move |&(band, _)| shape.owner(band) == rank)
    }

    /// What is known of the work before it goes on; the store will take up to so many bytes.
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

    /// Follows paikas until nothing more is decided. `report` hears after each half pass how many there were and how many slots the last one decided.
    ///
    /// # Errors
    /// Those of the store; [`TableError::Damaged`] if it does not give back what was given to it.
    pub fn decide(&mut self, report: &(dyn Fn(Phase) + Sync)) -> Result<(), TableError> {
        let mut found = 0;
        loop {
            let due = (0..self.layout.forms.len()).any(|form| self.own(form).any(|(_, state)| state.is_due()));
            let late = !self.is_committed && self.committed.elapsed() >= INTERVAL;
            let mut sums = [found, due.into(), late.into()];
            self.ranks.sum(&mut sums);
            let [found_by_all, due, late] = sums;
            #[allow(clippy::cast_possible_truncation)] // numbers of steps and of slots
            if self.state.steps > 0 {
                report(Phase::Paikas { steps: self.state.steps as usize, found: found_by_all as usize });
            }
            if due == 0 {
                return self.commit();
            }
            if late > 0 {
                self.commit()?;
            }
            #[allow(clippy::cast_possible_truncation)] // a number of steps
            let form = self.state.steps as usize % self.layout.forms.len();
            found = self.half_pass(form)?;
            self.state.steps += 1;
            self.is_committed = false;
        }
    }

    /// Visits every band of a form in which something has changed. Bands see what was found before the half pass.
    fn half_pass(&mut self, form: usize) -> Result<u64, TableError> {
        let mut due: Vec<(usize, usize)> = self
            .own(form)
            .filter(|(_, state)| state.is_due())
            .map(|(band, state)| (band, state.unseen().len()))
            .collect();
        // There and back: what was read last is the likeliest to be in a cache still.
        if self.state.steps / self.layout.forms.len() as u64 % 2 == 1 {
            due.reverse();
        }
        let absent: Vec<usize> =
            due.iter().map(|due| due.0).filter(|&band| self.resident[form][band].is_none()).collect();
        // What is merged into the store has to be known after a crash as well.
        let folds = !self.is_committed && absent.iter().any(|&band| self.wants_folding(form, band));
        if self.ranks.count(folds) > 0 {
            self.commit()?;
        }
        let aheads: Vec<Ahead> = absent.iter().map(|&band| self.ahead(form, band)).collect();
        let rounds = self.ranks.gather(due.len() as u64).into_iter().max().unwrap_or(0);
        std::thread::scope(|scope| {
            let (send, receive) = sync_channel(0);
            if !aheads.is_empty() {
                let pieces = Arc::clone(&self.pieces);
                scope.spawn(move || read_ahead(&pieces, &aheads, &send));
            }
            let (mut found, mut due) = (0, due.into_iter());
            for _ in 0..rounds {
                if let Some((band, new)) = due.next() {
                    let mut planes = match self.resident[form][band].take() {
                        Some(planes) => planes,
                        None => self.bring(form, band, &receive)?,
                    };
                    found += self.visit(form, band, new, &mut planes)?;
                    if self.stays[form][band] {
                        self.resident[form][band] = Some(planes);
                    }
                }
                for part in self.ranks.exchange(self.log.outgoing()) {
                    self.log.receive(&part)?;
                }
                self.note_written();
            }
            Ok(found)
        })
    }

    /// Tells bands what has been written to the log for them.
    fn note_written(&mut self) {
        for written in self.log.take() {
            let state = &mut self.state.bands[written.form][written.band];
            if written.own { &mut state.own } else { &mut state.mail }.push(written.segment);
        }
    }

    /// Decides what can be decided in a band, with the first `new` segments of its mail that are not in its planes.
    fn visit(&mut self, form: usize, band: usize, new: usize, planes: &mut Planes) -> Result<u64, TableError> {
        let (shape, target) = (&self.layout.forms[form], self.layout.twin(form));
        let (rows, blocks) = (shape.rows, shape.width_of(band) / shape.block);
        let state = &mut self.state.bands[form][band];
        let first = !state.visited;
        let [changed, due] = [(); 2].map(|()| [(); 2].map(|()| Marks::new(rows, blocks)));
        let mail = &state.unseen()[..new];
        let mut sums = [0u64; 3];
        let whole = self.log.read(mail, |entries| {
            let more = merge(planes, shape.start(band), entries, Some(&changed));
            sums = std::array::from_fn(|plane| sums[plane].wrapping_add(more[plane]));
        })?;
        if !whole {
            return Err(TableError::ScratchDamaged(shape.slice));
        }
        state.add(sums);
        state.seen += new as u64;
        let [due_wins, due_losses] = &due;
        for (changed, due) in changed.iter().zip(&due) {
            if first {
                due.mark_all(blocks);
            } else {
                spread(self.space, self.space.subsets(shape.slice.mover), changed, due);
            }
        }
        let [open, loss, not_win] = planes;
        let search = |step, rows, due| Search {
            space: self.space,
            rules: self.rules,
            step,
            slice: shape.slice,
            rows,
            due,
            first_block: shape.start(band) / shape.block,
        };
        let visit = Visit {
            losses: search(Step::Losses, &*not_win, due_losses),
            wins: search(Step::Wins, &*loss, due_wins),
            at: (form, band),
            forms: &self.layout.forms,
            target,
            tells_own: !first,
            log: &self.log,
        };
        let Visited { found, sum } = visit.run(open)?;
        if first {
            // Until the state is written down, they count as not there.
            write(&self.pieces, shape.place_of_whole(OPEN, band, state.turn), open)?;
            state.visited = true;
            state.sums[OPEN] = sum_of_plane(open.words());
        } else {
            state.add([sum, 0, 0]);
        }
        Ok(found)
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

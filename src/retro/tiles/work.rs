//! The work on a pair from its tiles: captures into bands, half passes over bands, and the state from which it can go on.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::index::{Plane, QuietMask, Slice, Space};
use crate::rules::RuleSet;
use crate::simd;
use crate::table::{SliceValues, TableError};

use super::super::build::TiledPair;
use super::super::capture::{CapturePass, slot_mask};
use super::super::marks::Marks;
use super::super::pair::Phase;
use super::super::parallel::try_for_each_with_scratch;
use super::super::quiet::{Search, Step, spread};
use super::layout::{Form, LOSS, Layout, NOT_WIN, OPEN, Planes};
use super::log::{Log, merge, sum, sum_of_plane};
use super::state::{BandState, Captured, State};
use super::store::Store;
use super::visit::Visit;

/// Time after which the state is written again.
const INTERVAL: Duration = Duration::from_secs(1);

/// A band is written anew when what its planes in the store lack is more than this part of them.
const FOLD: u64 = 4;

/// A pair that is being worked on.
pub struct Tiles<'a> {
    space: &'a Space,
    rules: RuleSet,
    layout: Layout,
    store: &'a dyn Store,
    log: Log<'a>,
    state: State,
    /// By form and band: whether it stays in memory, and its planes if it is there.
    stays: Vec<Vec<bool>>,
    resident: Vec<Vec<Option<Planes>>>,
    committed: Instant,
    /// The store's record is that of the present state.
    is_committed: bool,
}

/// A band that is read while another is worked on.
struct Ahead {
    form: usize,
    band: usize,
    reads_open: bool,
}

impl<'a> Tiles<'a> {
    /// Takes up the work in a store, or begins it. Bands stay in memory as far as they fit in `resident` bytes.
    pub fn new(
        space: &'a Space,
        rules: RuleSet,
        layout: Layout,
        state: State,
        resident: u64,
        store: &'a dyn Store,
    ) -> Self {
        let stays = layout.residents(resident);
        let nothing = |bands: &Vec<bool>| bands.iter().map(|_| None).collect();
        let log = Log::new(store, layout.log, state.log);
        let resident = stays.iter().map(nothing).collect();
        Self {
            space,
            rules,
            layout,
            store,
            log,
            state,
            stays,
            resident,
            committed: Instant::now(),
            is_committed: false,
        }
    }

    /// Writes the state down, so that the work can go on from here.
    ///
    /// # Errors
    /// Those of the store.
    pub fn commit(&mut self) -> Result<(), TableError> {
        self.state.log = self.log.words();
        self.store.commit(&self.state.to_bytes())?;
        (self.committed, self.is_committed) = (Instant::now(), true);
        Ok(())
    }

    /// What is known of the work before it goes on; the store will take about so many bytes.
    #[allow(clippy::cast_precision_loss)] // a share
    pub fn describe(&self, scratch: u64) -> TiledPair {
        let captures = self.state.captured.iter().flat_map(|captured| &captured.done);
        let (done, all) = (captures.clone().filter(|&&done| done).count(), captures.count());
        let forms = &self.layout.forms;
        TiledPair {
            slice: forms[0].slice,
            bands: (forms[0].bands(), forms.get(1).map_or(0, Form::bands)),
            resident: self.stays.iter().flatten().filter(|&&stays| stays).count(),
            scratch,
            steps: self.state.steps,
            captures: done as f64 / all.max(1) as f64,
        }
    }

    /// Whether there are captures left to resolve.
    pub fn captures(&self) -> bool {
        self.state.captured.iter().any(|captured| captured.done.is_empty() || captured.done.contains(&false))
    }

    /// Resolves the captures whose values go into a form, those of the twin of its slice, as far as they are not resolved yet.
    ///
    /// # Errors
    /// Those of the store.
    pub fn capture<'v>(
        &mut self,
        form: usize,
        lookup: impl Fn(Slice) -> &'v SliceValues,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<(), TableError> {
        let shape = &self.layout.forms[form];
        let (slice, rows) = (shape.slice.twin(), shape.rows);
        let captured = &self.state.captured[form];
        if !captured.done.is_empty() && !captured.done.contains(&false) {
            return Ok(());
        }
        report(Phase::Captures { slice, done: 0, total: rows });
        let pass = CapturePass::new(self.space, self.rules, slice, lookup, rayon::current_num_threads());
        let batch = pass.batch();
        if captured.batch != batch as u64 || captured.done.is_empty() {
            self.state.captured[form] = Captured { batch: batch as u64, done: vec![false; rows.div_ceil(batch)] };
            self.state.bands[form] = vec![BandState::default(); shape.bands()];
        }
        let done = &self.state.captured[form].done;
        let missing: Vec<usize> = (0..done.len()).filter(|&number| !done[number]).collect();
        let (store, shape, words) = (self.store, shape.clone(), self.log.words());
        let state = Mutex::new((&mut self.state, &mut self.committed));
        let scratch = || (pass.scratch(), vec![0; 2 * batch * shape.stride], Vec::new());
        let body = |(scratch, rows_of_both, piece): &mut (_, Vec<u64>, Vec<u64>), number: usize| {
            let (first, rows) = (number * batch, batch.min(shape.rows - number * batch));
            let (loss, not_win) = rows_of_both[..2 * rows * shape.stride].split_at_mut(rows * shape.stride);
            pass.fill(first, loss, not_win, scratch);
            let mut sums = Vec::with_capacity(shape.bands());
            for band in 0..shape.bands() {
                let (start, width) = (shape.start(band), shape.width_of(band));
                let mut both = [0; 2];
                for (which, (plane, rows)) in [(LOSS, &*loss), (NOT_WIN, &*not_win)].into_iter().enumerate() {
                    piece.clear();
                    piece.extend(rows.chunks_exact(shape.stride).flat_map(|row| &row[start..start + width]));
                    store.write(shape.place(plane, band) + (first * width) as u64, piece)?;
                    both[which] = sum(first * width, piece);
                }
                sums.push(both);
            }
            let mut guard = state.lock().unwrap_or_else(PoisonError::into_inner);
            let (state, committed) = &mut *guard;
            for (band, [loss, not_win]) in state.bands[form].iter_mut().zip(sums) {
                band.add([0, loss, not_win]);
            }
            let captured = &mut state.captured[form].done;
            captured[number] = true;
            let done = captured.iter().filter(|&&done| done).count() * batch;
            report(Phase::Captures { slice, done: done.min(shape.rows), total: shape.rows });
            if committed.elapsed() >= 5 * INTERVAL {
                state.log = words;
                store.commit(&state.to_bytes())?;
                **committed = Instant::now();
            }
            Ok(())
        };
        try_for_each_with_scratch(missing.into_iter(), scratch, body, |_| Ok(()))?;
        self.commit()
    }

    /// Follows paikas until nothing more is decided. `report` hears after each half pass how many there were and how many slots the last one decided.
    ///
    /// # Errors
    /// Those of the store; [`TableError::Damaged`] if it does not give back what was given to it.
    pub fn decide(&mut self, report: &(dyn Fn(Phase) + Sync)) -> Result<(), TableError> {
        #[allow(clippy::cast_possible_truncation)] // a number of steps
        while self.state.bands.iter().flatten().any(BandState::is_due) {
            let form = self.state.steps as usize % self.layout.forms.len();
            let found = self.half_pass(form)?;
            self.state.steps += 1;
            self.is_committed = false;
            report(Phase::Paikas { steps: self.state.steps as usize, found: found as usize });
            if self.committed.elapsed() >= INTERVAL {
                self.commit()?;
            }
        }
        self.commit()
    }

    /// Visits every band of a form in which something has changed. Bands see what was found before the half pass.
    fn half_pass(&mut self, form: usize) -> Result<u64, TableError> {
        let bands = &self.state.bands[form];
        let due: Vec<usize> = (0..bands.len()).filter(|&band| bands[band].is_due()).collect();
        let new: Vec<usize> = due.iter().map(|&band| bands[band].unseen().len()).collect();
        let absent = |&&band: &&usize| self.resident[form][band].is_none();
        // What is merged into the store has to be known after a crash as well.
        if !self.is_committed && due.iter().filter(absent).any(|&band| self.wants_folding(form, band)) {
            self.commit()?;
        }
        let bands = &self.state.bands[form];
        let absent = |&&band: &&usize| self.resident[form][band].is_none();
        let ahead = |&band: &usize| Ahead { form, band, reads_open: bands[band].visited };
        let aheads: Vec<Ahead> = due.iter().filter(absent).map(ahead).collect();
        let (forms, store) = (self.layout.forms.clone(), self.store);
        std::thread::scope(|scope| {
            let (send, receive) = sync_channel(0);
            if !aheads.is_empty() {
                scope.spawn(move || read_ahead(store, &forms, &aheads, &send));
            }
            let mut found = 0;
            for (&band, &new) in due.iter().zip(&new) {
                let mut planes = match self.resident[form][band].take() {
                    Some(planes) => planes,
                    None => self.bring(form, band, &receive)?,
                };
                found += self.visit(form, band, new, &mut planes)?;
                if self.stays[form][band] {
                    self.resident[form][band] = Some(planes);
                }
            }
            Ok(found)
        })
    }

    fn wants_folding(&self, form: usize, band: usize) -> bool {
        let (state, shape) = (&self.state.bands[form][band], &self.layout.forms[form]);
        let words = 3 * shape.rows as u64 * shape.width_of(band) as u64;
        state.visited
            && !self.stays[form][band]
            && state.behind().map(|segment| segment.words).sum::<u64>() > words / FOLD
    }

    /// Takes planes that were read ahead and makes them what the state says, and the store's too if they lack much.
    fn bring(
        &mut self,
        form: usize,
        band: usize,
        read: &Receiver<Result<Planes, TableError>>,
    ) -> Result<Planes, TableError> {
        let damaged = || TableError::ScratchDamaged(self.layout.forms[0].slice);
        let mut planes = read.recv().map_err(|_| damaged())??;
        let folds = self.is_committed && self.wants_folding(form, band);
        self.complete(form, band, &mut planes)?;
        if folds {
            let shape = &self.layout.forms[form];
            for (number, plane) in planes.iter().enumerate() {
                self.store.write(shape.place(number, band), plane.words())?;
            }
            self.state.bands[form][band].folded();
        }
        Ok(planes)
    }

    /// Makes planes from the store what the state says.
    fn complete(&self, form: usize, band: usize, planes: &mut Planes) -> Result<(), TableError> {
        let (shape, state) = (&self.layout.forms[form], &self.state.bands[form][band]);
        if !state.visited {
            fill_quiet(self.space, shape, band, &mut planes[OPEN]);
        }
        let behind: Vec<_> = state.behind().copied().collect();
        let whole = self.log.read(&behind, |entries| {
            merge(planes, shape.start(band), entries, None);
        })?;
        if whole && state.checked().all(|plane| sum_of_plane(planes[plane].words()) == state.sums[plane]) {
            return Ok(());
        }
        Err(TableError::ScratchDamaged(self.layout.forms[0].slice))
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
        let visited = visit.run(open)?;
        if first {
            // Until the state is written down, they count as not there.
            self.store.write(shape.place(OPEN, band), open.words())?;
            state.visited = true;
            state.sums[OPEN] = sum_of_plane(open.words());
        } else {
            state.add([visited.sum, 0, 0]);
        }
        for written in self.log.take() {
            let state = &mut self.state.bands[written.form][written.band];
            if written.own { &mut state.own } else { &mut state.mail }.push(written.segment);
        }
        Ok(visited.found)
    }

    /// The planes of a band with everything merged.
    ///
    /// # Errors
    /// As [`Tiles::decide`].
    pub fn with_band<R>(&self, form: usize, band: usize, work: impl FnOnce(&Planes) -> R) -> Result<R, TableError> {
        if let Some(planes) = &self.resident[form][band] {
            return Ok(work(planes));
        }
        let ahead = Ahead { form, band, reads_open: true };
        let mut planes = read_band(self.store, &self.layout.forms[form], &ahead)?;
        self.complete(form, band, &mut planes)?;
        Ok(work(&planes))
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

fn read_ahead(store: &dyn Store, forms: &[Form], aheads: &[Ahead], send: &SyncSender<Result<Planes, TableError>>) {
    for ahead in aheads {
        let planes = read_band(store, &forms[ahead.form], ahead);
        // Nobody waits any more where the work has failed.
        if send.send(planes).is_err() {
            return;
        }
    }
}

fn read_band(store: &dyn Store, form: &Form, ahead: &Ahead) -> Result<Planes, TableError> {
    let mut planes: Planes = std::array::from_fn(|_| form.empty(ahead.band));
    for (number, plane) in planes.iter_mut().enumerate().filter(|&(number, _)| number != OPEN || ahead.reads_open) {
        store.read(form.place(number, ahead.band), plane.words_mut())?;
    }
    Ok(planes)
}

/// The quiet positions of a band.
fn fill_quiet(space: &Space, form: &Form, band: usize, plane: &mut Plane) {
    let opponents = space.subsets(form.slice.opponent);
    let (occupancy, start) = (space.occupancy(form.slice.opponent), form.start(band));
    // Padding at the end of rows has no words in the masks.
    let words = form.width_of(band).min(opponents.words() - start);
    let tail = slot_mask(opponents.slots(), start + words - 1);
    let sets = space.subsets(form.slice.mover).representatives();
    plane.words_mut().par_chunks_mut(form.width_of(band)).zip(sets).for_each_init(
        || vec![0; words],
        |valid, (row, &set)| {
            let row = &mut row[..words];
            simd::run(
                #[inline(always)]
                || QuietMask::new(space.board(), set).fill(occupancy, start, valid, row),
            );
            row[words - 1] &= tail;
        },
    );
}

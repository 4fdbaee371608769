//! The work on a pair from its tiles: captures into bands, half passes over bands, and the state from which it can go on.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
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
use super::pieces::{Fetched, Packer, Place, fetch, no_memory, rows_of_piece, write};
use super::ranks::Ranks;
use super::state::{BandState, Captured, State};
use super::store::Store;
use super::visit::{Visit, Visited};

/// Time after which the state is written again.
const INTERVAL: Duration = Duration::from_secs(1);

/// A band is written anew when what its planes in the store lack is more than this part of them.
const FOLD: u64 = 12;

/// Batches of captures that a thread resolves before what it has for other ranks is sent; a process alone has nothing to send, and only
/// writes down where it is.
const BATCHES: usize = 4;
const BATCHES_ALONE: usize = 16;

/// A pair that is being worked on: the part of this rank, of which the state of its own bands is kept.
pub struct Tiles<'a> {
    space: &'a Space,
    rules: RuleSet,
    layout: Layout,
    store: &'a dyn Store,
    ranks: &'a dyn Ranks,
    log: Log<'a>,
    state: State,
    /// By form and band: whether it stays in memory, and its planes if it is there.
    stays: Vec<Vec<bool>>,
    resident: Vec<Vec<Option<Planes>>>,
    committed: Instant,
    /// The store's record is that of the present state.
    is_committed: bool,
}

/// A band that is read while another is worked on: the places of its planes in the store, as far as they are there.
struct Ahead {
    rows: usize,
    places: [Option<Place>; 3],
}

/// The planes of a band as they are in the store.
type FetchedBand = [Option<Fetched>; 3];

impl<'a> Tiles<'a> {
    /// Takes up the work in a store, or begins it. Bands stay in memory as far as they fit in `resident` bytes.
    pub fn new(
        space: &'a Space,
        rules: RuleSet,
        layout: Layout,
        state: State,
        resident: u64,
        (store, ranks): (&'a dyn Store, &'a dyn Ranks),
    ) -> Self {
        let stays = layout.residents(resident, ranks.rank());
        let nothing = |bands: &Vec<bool>| bands.iter().map(|_| None).collect();
        let log = Log::new(store, ranks, layout.log, state.log);
        let resident = stays.iter().map(nothing).collect();
        Self {
            space,
            rules,
            layout,
            store,
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
        let (rank, size) = (self.ranks.rank(), self.ranks.size());
        let workers = self.ranks.gather(rayon::current_num_threads() as u64);
        #[allow(clippy::cast_possible_truncation)] // threads
        let (most, workers) = (*workers.iter().max().expect("a rank") as usize, workers.iter().sum::<u64>() as usize);
        let pass = CapturePass::new(self.space, self.rules, slice, lookup, workers);
        let batch = pass.batch();
        if captured.batch != batch as u64 || captured.done.is_empty() {
            self.state.captured[form] = Captured { batch: batch as u64, done: vec![false; rows.div_ceil(batch)] };
            self.state.bands[form] = vec![BandState::default(); shape.bands()];
        }
        let captured = &self.state.captured[form].done;
        let missing: Vec<usize> = (0..captured.len()).filter(|&number| !captured[number]).collect();
        let before = captured.len() - missing.len();
        let round = size * most * if size == 1 { BATCHES_ALONE } else { BATCHES };
        let done = AtomicUsize::new(0);
        let count = |batches: usize| before + size * batches;
        for numbers in missing.chunks(round) {
            let own = numbers.iter().copied().skip(rank).step_by(size);
            let said = |batches| {
                report(Phase::Captures { slice, done: (count(batches) * batch).min(rows), total: rows });
            };
            self.capture_batches(form, &pass, own, &|| said(done.fetch_add(1, Ordering::Relaxed) + 1))?;
            for &number in numbers {
                self.state.captured[form].done[number] = true;
            }
            if self.ranks.count(self.committed.elapsed() >= 5 * INTERVAL) > 0 {
                self.commit()?;
            }
        }
        self.commit()
    }

    /// Resolves some batches of captures, and gives every band its part, be it another rank's.
    fn capture_batches(
        &mut self,
        form: usize,
        pass: &CapturePass<'_>,
        numbers: impl Iterator<Item = usize> + Send,
        report: &(dyn Fn() + Sync),
    ) -> Result<(), TableError> {
        let (shape, store, rank, batch) = (&self.layout.forms[form], self.store, self.ranks.rank(), pass.batch());
        let bands = &mut self.state.bands[form];
        let shared = Mutex::new((&mut *bands, vec![Vec::new(); self.ranks.size()]));
        let scratch =
            || (pass.scratch(), vec![0; 2 * batch * shape.stride], Vec::new(), Packer::new().ok(), Vec::new());
        type Scratch<S> = (S, Vec<u64>, Vec<u64>, Option<Packer>, Vec<u64>);
        let body = |(scratch, rows_of_both, piece, packer, packed): &mut Scratch<_>, number: usize| {
            let packer = packer.as_mut().ok_or_else(no_memory)?;
            let (first, rows) = (number * batch, batch.min(shape.rows - number * batch));
            let (loss, not_win) = rows_of_both[..2 * rows * shape.stride].split_at_mut(rows * shape.stride);
            pass.fill(first, loss, not_win, scratch);
            for band in 0..shape.bands() {
                let (start, width, owner) = (shape.start(band), shape.width_of(band), shape.owner(band));
                let mut sums = [0; 3];
                for (plane, rows) in [(LOSS, &*loss), (NOT_WIN, &*not_win)] {
                    piece.clear();
                    piece.extend(rows.chunks_exact(shape.stride).flat_map(|row| &row[start..start + width]));
                    packer.pack(piece, packed)?;
                    let sum = sum(first * width, piece);
                    if owner == rank {
                        store.write(shape.place(plane, band, 0, batch).of_piece(number), packed)?;
                        sums[plane] = sum;
                    } else {
                        let outgoing = &mut shared.lock().unwrap_or_else(PoisonError::into_inner).1[owner];
                        outgoing.extend([band as u64, plane as u64, number as u64, sum, packed.len() as u64]);
                        outgoing.extend(&*packed);
                    }
                }
                if owner == rank {
                    shared.lock().unwrap_or_else(PoisonError::into_inner).0[band].add(sums);
                }
            }
            report();
            Ok(())
        };
        try_for_each_with_scratch(numbers, scratch, body, |_| Ok(()))?;
        let outgoing = shared.into_inner().unwrap_or_else(PoisonError::into_inner).1;
        for part in self.ranks.exchange(outgoing) {
            let mut words = &part[..];
            #[allow(clippy::cast_possible_truncation)] // as they were in memory before
            while let Some((&[band, plane, number, sum, length], rest)) = words.split_first_chunk::<5>() {
                let [band, plane, number, length] = [band, plane, number, length].map(|word| word as usize);
                let (packed, rest) = rest.split_at(length);
                store.write(shape.place(plane, band, 0, batch).of_piece(number), packed)?;
                let mut sums = [0; 3];
                sums[plane] = sum;
                bands[band].add(sums);
                words = rest;
            }
        }
        Ok(())
    }

    /// Where the planes of a band are in the store.
    fn ahead(&self, form: usize, band: usize) -> Ahead {
        let (shape, state) = (&self.layout.forms[form], &self.state.bands[form][band]);
        let places = std::array::from_fn(|plane| {
            let is_whole = plane == OPEN || state.turn > 0;
            #[allow(clippy::cast_possible_truncation)] // rows in memory
            let batch = self.state.captured[form].batch as usize;
            let rows = if is_whole { rows_of_piece(shape.width_of(band)) } else { batch };
            (plane != OPEN || state.visited).then(|| shape.place(plane, band, state.turn, rows))
        });
        Ahead { rows: shape.rows, places }
    }

    /// Writes a plane of a band as a whole.
    fn write_plane(&self, form: usize, band: usize, number: usize, turn: u64, plane: &Plane) -> Result<(), TableError> {
        let shape = &self.layout.forms[form];
        write(self.store, shape.place(number, band, turn, rows_of_piece(shape.width_of(band))), plane)
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
        let due: Vec<(usize, usize)> = self
            .own(form)
            .filter(|(_, state)| state.is_due())
            .map(|(band, state)| (band, state.unseen().len()))
            .collect();
        let absent: Vec<usize> =
            due.iter().map(|due| due.0).filter(|&band| self.resident[form][band].is_none()).collect();
        // What is merged into the store has to be known after a crash as well.
        let folds = !self.is_committed && absent.iter().any(|&band| self.wants_folding(form, band));
        if self.ranks.count(folds) > 0 {
            self.commit()?;
        }
        let aheads: Vec<Ahead> = absent.iter().map(|&band| self.ahead(form, band)).collect();
        let store = self.store;
        let rounds = self.ranks.gather(due.len() as u64).into_iter().max().unwrap_or(0);
        std::thread::scope(|scope| {
            let (send, receive) = sync_channel(0);
            if !aheads.is_empty() {
                scope.spawn(move || read_ahead(store, &aheads, &send));
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
        read: &Receiver<Result<FetchedBand, TableError>>,
    ) -> Result<Planes, TableError> {
        let damaged = || TableError::ScratchDamaged(self.layout.forms[0].slice);
        let fetched = read.recv().map_err(|_| damaged())??;
        let folds = self.is_committed && self.wants_folding(form, band);
        let planes = self.complete(form, band, fetched)?;
        if folds {
            // The record goes on meaning what it does, in the other place.
            let turn = self.state.bands[form][band].turn + 1;
            for (number, plane) in planes.iter().enumerate() {
                self.write_plane(form, band, number, turn, plane)?;
            }
            self.state.bands[form][band].folded();
        }
        Ok(planes)
    }

    /// Makes of what is in the store what the state says.
    fn complete(&self, form: usize, band: usize, fetched: FetchedBand) -> Result<Planes, TableError> {
        let (shape, state) = (&self.layout.forms[form], &self.state.bands[form][band]);
        let mut planes: Planes = std::array::from_fn(|_| shape.empty(band));
        let mut whole = true;
        for (plane, fetched) in planes.iter_mut().zip(fetched) {
            match fetched {
                Some(fetched) => whole &= fetched.unpack(plane),
                None => fill_quiet(self.space, shape, band, plane),
            }
        }
        let behind: Vec<_> = state.behind().copied().collect();
        whole &= self.log.read(&behind, |entries| {
            merge(&mut planes, shape.start(band), entries, None);
        })?;
        if whole && state.checked().all(|plane| sum_of_plane(planes[plane].words()) == state.sums[plane]) {
            return Ok(planes);
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
        let Visited { found, sum } = visit.run(open)?;
        if first {
            // Until the state is written down, they count as not there.
            let place = shape.place(OPEN, band, state.turn, rows_of_piece(shape.width_of(band)));
            write(self.store, place, open)?;
            state.visited = true;
            state.sums[OPEN] = sum_of_plane(open.words());
        } else {
            state.add([sum, 0, 0]);
        }
        Ok(found)
    }

    /// What the twin of a band's form loses and does not win, with everything merged. All ranks ask for the same band, and get it.
    ///
    /// # Errors
    /// As [`Tiles::decide`].
    pub fn with_band<R>(&self, form: usize, band: usize, work: impl FnOnce([&Plane; 2]) -> R) -> Result<R, TableError> {
        let (shape, ranks) = (&self.layout.forms[form], self.ranks);
        let (owner, rank) = (shape.owner(band), ranks.rank());
        let mine = match &self.resident[form][band] {
            _ if owner != rank => None,
            Some(planes) => Some(Cow::Borrowed(planes)),
            None => {
                let fetched = read_band(self.store, &self.ahead(form, band))?;
                Some(Cow::Owned(self.complete(form, band, fetched)?))
            }
        };
        if let (Some(planes), 1) = (&mine, ranks.size()) {
            return Ok(work([&planes[LOSS], &planes[NOT_WIN]]));
        }
        let words = mine.map_or(Vec::new(), |planes| [planes[LOSS].words(), planes[NOT_WIN].words()].concat());
        let words = ranks.broadcast(owner, words);
        let mut planes = [(); 2].map(|()| shape.empty(band));
        for (plane, words) in planes.iter_mut().zip(words.chunks_exact(words.len() / 2)) {
            plane.words_mut().copy_from_slice(words);
        }
        Ok(work([&planes[0], &planes[1]]))
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

fn read_ahead(store: &dyn Store, aheads: &[Ahead], send: &SyncSender<Result<FetchedBand, TableError>>) {
    for ahead in aheads {
        // Nobody waits any more where the work has failed.
        if send.send(read_band(store, ahead)).is_err() {
            return;
        }
    }
}

fn read_band(store: &dyn Store, ahead: &Ahead) -> Result<FetchedBand, TableError> {
    let mut band = [None, None, None];
    for (fetched, place) in band.iter_mut().zip(ahead.places) {
        *fetched = place.map(|place| fetch(store, place, ahead.rows)).transpose()?;
    }
    Ok(band)
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

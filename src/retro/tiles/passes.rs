//! The quiet pass over tiles: half passes over the bands of each form in turn, until nothing more is decided; each band is read from the
//! store, worked on, and written back when the store lacks much of it.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::index::Plane;
use crate::table::TableError;

use super::super::planes::{Marks, Positions, Search, Step, fill_plane, spread};
use super::super::slices::Phase;
use super::layout::{LOSS, NOT_WIN, OPEN, Planes};
use super::log::{merge, sum_of_plane};
use super::pieces::{Fetched, PieceStore, Place, fetch, pack_plane, unpack_plane, write};
use super::visit::{Visit, Visited};
use super::work::{INTERVAL, Tiles};

/// A band is rewritten when its planes in the store lack more than an entry of the log for this many of their words.
const FOLD: u64 = 8;

/// A band that is read while another is worked on: the places of those of its planes that are in the store.
pub struct Ahead {
    rows: usize,
    places: [Option<Place>; 3],
}

/// The planes of a band as they are in the store.
pub type FetchedBand = [Option<Fetched>; 3];

impl Tiles<'_> {
    /// Where the planes of a band are in the store.
    pub fn ahead(&self, form: usize, band: usize) -> Ahead {
        let (shape, state) = (&self.layout.forms[form], &self.state.bands[form][band]);
        #[allow(clippy::cast_possible_truncation)] // rows in memory
        let batch = self.state.captured[form].batch as usize;
        let places = std::array::from_fn(|plane| match plane {
            OPEN => state.visited.then(|| shape.place_of_whole(plane, band, state.generation)),
            _ if state.generation == 0 => Some(shape.place_of_captures(plane, band, batch)),
            _ => Some(shape.place_of_whole(plane, band, state.generation)),
        });
        Ahead { rows: shape.rows, places }
    }

    pub fn needs_folding(&self, form: usize, band: usize) -> bool {
        let (state, shape) = (&self.state.bands[form][band], &self.layout.forms[form]);
        let words = 3 * shape.rows as u64 * shape.width_of(band) as u64;
        let lacking: u64 = state.own.iter().chain(state.behind()).map(|segment| segment.count).sum();
        state.visited && !self.stays[form][band] && lacking > words / FOLD
    }

    /// Takes planes that were read ahead and merges what the state says they lack; if that is much, they are also written back.
    pub fn bring(
        &mut self,
        form: usize,
        band: usize,
        read: &Receiver<Result<FetchedBand, TableError>>,
    ) -> Result<Planes, TableError> {
        let damaged = || TableError::ScratchDamaged(self.layout.forms[0].slice);
        let fetched = read.recv().map_err(|_| damaged())??;
        let folds = self.is_committed && self.needs_folding(form, band);
        let planes = self.complete(form, band, fetched)?;
        if folds {
            // What the record refers to stays, in the other place.
            let generation = self.state.bands[form][band].generation + 1;
            for (number, plane) in planes.iter().enumerate() {
                write(&self.pieces, self.layout.forms[form].place_of_whole(number, band, generation), plane)?;
            }
            self.state.bands[form][band].folded();
        }
        Ok(planes)
    }

    /// Merges into planes from the store what they lack according to the state.
    fn complete(&self, form: usize, band: usize, fetched: FetchedBand) -> Result<Planes, TableError> {
        let (shape, state) = (&self.layout.forms[form], &self.state.bands[form][band]);
        let mut planes: Planes = std::array::from_fn(|_| shape.empty(band));
        let mut whole = true;
        for (plane, fetched) in planes.iter_mut().zip(fetched) {
            match fetched {
                Some(fetched) => whole &= fetched.unpack(plane)?,
                None => fill_plane(self.space, shape.slice, Positions::Quiet, shape.start(band), plane),
            }
        }
        for (own, segments) in [(true, &state.own[..]), (false, state.behind())] {
            whole &= self.log.read(shape, own, segments, |entries| {
                merge(&mut planes, shape.start(band), entries, None);
            })?;
        }
        if whole && state.checked().all(|plane| sum_of_plane(planes[plane].words()) == state.sums[plane]) {
            return Ok(planes);
        }
        Err(TableError::ScratchDamaged(self.layout.forms[0].slice))
    }

    /// Calls `work` with what the twin of a form's slice loses and does not win in a band, in all processes, which have to ask for the same band.
    ///
    /// # Errors
    /// As [`Tiles::decide`].
    pub fn with_band<R>(&self, form: usize, band: usize, work: impl FnOnce([&Plane; 2]) -> R) -> Result<R, TableError> {
        let (shape, communicator) = (&self.layout.forms[form], self.communicator);
        let (owner, rank) = (shape.owner(band), communicator.rank());
        let mine = match &self.resident[form][band] {
            _ if owner != rank => None,
            Some(planes) => Some(Cow::Borrowed(planes)),
            None => {
                let fetched = read_band(&self.pieces, &self.ahead(form, band))?;
                Some(Cow::Owned(self.complete(form, band, fetched)?))
            }
        };
        let (mut words, rows) = (Vec::new(), shape.rows_of_piece(band));
        if let Some(planes) = mine.as_ref().filter(|_| communicator.size() > 1) {
            words = pack_plane(&planes[LOSS], rows)?;
            words.extend(pack_plane(&planes[NOT_WIN], rows)?);
        }
        let words = communicator.broadcast(owner, words);
        if let Some(planes) = mine {
            return Ok(work([&planes[LOSS], &planes[NOT_WIN]]));
        }
        let mut planes = [(); 2].map(|()| shape.empty(band));
        let mut words = &words[..];
        for plane in &mut planes {
            if !unpack_plane(&mut words, plane, rows)? {
                return Err(TableError::ScratchDamaged(shape.slice));
            }
        }
        Ok(work([&planes[0], &planes[1]]))
    }
}

pub fn read_ahead(store: &PieceStore<'_>, aheads: &[Ahead], send: &SyncSender<Result<FetchedBand, TableError>>) {
    for ahead in aheads {
        // The receiver is dropped if the work has failed.
        if send.send(read_band(store, ahead)).is_err() {
            return;
        }
    }
}

fn read_band(store: &PieceStore<'_>, ahead: &Ahead) -> Result<FetchedBand, TableError> {
    let mut band = [None, None, None];
    for (fetched, place) in band.iter_mut().zip(ahead.places) {
        *fetched = place.map(|place| fetch(store, place, ahead.rows)).transpose()?;
    }
    Ok(band)
}

impl Tiles<'_> {
    /// Follows paikas until nothing more is decided. After each half pass, `report` gets their number and the slots that the last one decided.
    ///
    /// # Errors
    /// Those of the store; [`TableError::ScratchDamaged`] if it does not return what was written to it.
    pub fn decide(&mut self, report: &(dyn Fn(Phase) + Sync)) -> Result<(), TableError> {
        let mut found = 0;
        loop {
            let due = (0..self.layout.forms.len()).any(|form| self.own(form).any(|(_, state)| state.is_due()));
            let late = !self.is_committed && self.committed.elapsed() >= INTERVAL;
            let mut sums = [found, due.into(), late.into()];
            self.communicator.sum(&mut sums);
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
        // Back and forth: what was read last is most likely still in a cache.
        if self.state.steps / self.layout.forms.len() as u64 % 2 == 1 {
            due.reverse();
        }
        let absent: Vec<usize> =
            due.iter().map(|due| due.0).filter(|&band| self.resident[form][band].is_none()).collect();
        // After a crash the record has to say what is merged into the store.
        let folds = !self.is_committed && absent.iter().any(|&band| self.needs_folding(form, band));
        if self.communicator.count(folds) > 0 {
            self.commit()?;
        }
        let aheads: Vec<Ahead> = absent.iter().map(|&band| self.ahead(form, band)).collect();
        let rounds = self.communicator.gather(due.len() as u64).into_iter().max().unwrap_or(0);
        thread::scope(|scope| {
            let (send, receive) = sync_channel(0);
            if !aheads.is_empty() {
                let pieces = Arc::clone(&self.pieces);
                let read = move || read_ahead(&pieces, &aheads, &send);
                thread::Builder::new().spawn_scoped(scope, read).map_err(TableError::threads)?;
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
                for part in self.communicator.exchange(self.log.outgoing()) {
                    self.log.receive(&part)?;
                }
                self.note_written();
            }
            Ok(found)
        })
    }

    /// Notes for each band what has been written to the log for it.
    fn note_written(&mut self) {
        for ((form, band, own), segment) in self.log.take() {
            let state = &mut self.state.bands[form][band];
            if own { &mut state.own } else { &mut state.mail }.push(segment);
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
        let whole = self.log.read(shape, false, mail, |entries| {
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
            logs_own: !first,
            log: &self.log,
        };
        let Visited { found, sum } = visit.run(open)?;
        if first {
            // Until the state is saved, they count as not there.
            write(&self.pieces, shape.place_of_whole(OPEN, band, state.generation), open)?;
            state.visited = true;
            state.sums[OPEN] = sum_of_plane(open.words());
        } else {
            state.add([sum, 0, 0]);
        }
        Ok(found)
    }
}

//! The quiet pass over tiles: visits to bands that have something to look at, until none has; a band that is not in memory is read from the
//! store, and written back when the store lacks much of it.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::index::Plane;
use crate::table::TableError;

use super::super::planes::{Marks, Positions, Search, Step, fill_plane, spread};
use super::super::slices::Phase;
use super::layout::{LOSS, NOT_WIN, OPEN, Planes};
use super::log::{merge, sum_of_plane};
use super::pieces::{Fetched, PieceStore, Place, fetch, pack_plane, unpack_plane, write};
use super::visit::Visit;
use super::work::Tiles;

/// A band is rewritten when its planes in the store lack more than an entry of the log for this many of their words.
const FOLD: u64 = 8;

/// A band that is read while another is worked on: the places of those of its planes that are in the store.
struct Ahead {
    rows: usize,
    places: [Option<Place>; 3],
}

/// The thread that reads bands.
struct Reader {
    ask: Sender<Ahead>,
    read: Receiver<Result<FetchedBand, TableError>>,
    /// The form and the band that it was asked for last, until that is visited.
    band: Option<(usize, usize)>,
    /// The planes of a band that was visited, whose memory the next one takes: new memory would cost a fifth of the time.
    spare: Option<Planes>,
}

/// The planes of a band as they are in the store.
type FetchedBand = [Option<Fetched>; 3];

impl Tiles<'_> {
    /// Where the planes of a band are in the store.
    fn ahead(&self, form: usize, band: usize) -> Ahead {
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

    fn needs_folding(&self, form: usize, band: usize) -> bool {
        let (state, shape) = (&self.state.bands[form][band], &self.layout.forms[form]);
        let lacking: u64 = state.own.iter().chain(state.behind()).map(|segment| segment.count).sum();
        state.visited && !self.stays[form][band] && lacking > shape.words_of(band) / FOLD
    }

    /// Takes planes that were read ahead and merges what the state says they lack; if that is much, they are also written back.
    fn bring(&mut self, reader: &mut Reader, form: usize, band: usize) -> Result<Planes, TableError> {
        let damaged = || TableError::ScratchDamaged(self.layout.forms[0].slice);
        let fetched = reader.read.recv().map_err(|_| damaged())??;
        // Once between two records, so that what the last one refers to stays, in the other place.
        let folds = self.needs_folding(form, band) && self.rewritten.insert((form, band));
        let planes = self.complete(form, band, fetched, reader.spare.take())?;
        if folds {
            let generation = self.state.bands[form][band].generation + 1;
            for (number, plane) in planes.iter().enumerate() {
                write(&self.pieces, self.layout.forms[form].place_of_whole(number, band, generation), plane)?;
            }
            self.state.bands[form][band].folded();
        }
        Ok(planes)
    }

    /// Merges into planes from the store what they lack according to the state.
    fn complete(
        &self,
        form: usize,
        band: usize,
        fetched: FetchedBand,
        spare: Option<Planes>,
    ) -> Result<Planes, TableError> {
        let (shape, state) = (&self.layout.forms[form], &self.state.bands[form][band]);
        // What is unpacked replaces all that was there.
        let spare = spare.filter(|planes| state.visited && shape.fits(band, planes));
        let mut planes = spare.unwrap_or_else(|| std::array::from_fn(|_| shape.empty(band)));
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
                Some(Cow::Owned(self.complete(form, band, fetched, None)?))
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

fn read_ahead(store: &PieceStore<'_>, asked: &Receiver<Ahead>, send: &SyncSender<Result<FetchedBand, TableError>>) {
    for ahead in asked {
        // The receiver is dropped if the work has failed.
        if send.send(read_band(store, &ahead)).is_err() {
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
    /// Follows paikas until nothing more is decided. Bands of one form are visited, those with most to look at first, until that form has none;
    /// then those of the other. While a band is visited, another is read. `report` gets the number of visits so far and what is left, before each.
    ///
    /// # Errors
    /// Those of the store; [`TableError::ScratchDamaged`] if it does not return what was written to it.
    pub fn decide(&mut self, report: &(dyn Fn(Phase) + Sync)) -> Result<(), TableError> {
        let pieces = Arc::clone(&self.pieces);
        // The reader ends when the other ends of its channels are dropped.
        thread::scope(move |scope| {
            let ((ask, asked), (send, read)) = (channel(), sync_channel(0));
            let reader = move || read_ahead(&pieces, &asked, &send);
            thread::Builder::new().spawn_scoped(scope, reader).map_err(TableError::threads)?;
            self.visit_all(&mut Reader { ask, read, band: None, spare: None }, report)
        })
    }

    fn visit_all(&mut self, reader: &mut Reader, report: &(dyn Fn(Phase) + Sync)) -> Result<(), TableError> {
        let mut form = 0;
        loop {
            let mut sums = [self.due(0), self.due(1), self.is_late().into()];
            self.communicator.sum(&mut sums);
            let [due @ .., late] = sums;
            report(Phase::Paikas { steps: self.state.visits, due: due.iter().sum() });
            if due == [0, 0] {
                return self.commit();
            }
            if late > 0 {
                self.commit()?;
            }
            if due[form] == 0 {
                form = self.layout.twin(form);
            }
            self.read_next(reader, form, None);
            let here = self.most_due(form, |at| at.0 == form && self.is_in_memory(at));
            let there = reader.band.filter(|at| at.0 == form);
            if let Some(at) = here.into_iter().chain(there).max_by_key(|&at| self.due_in(at)) {
                self.visit_next(reader, at)?;
            }
            for part in self.communicator.exchange(self.log.outgoing()) {
                self.log.receive(&part)?;
            }
            self.note_written();
            self.state.visits += 1;
        }
    }

    /// Visits a band that is in memory, or else the one that the reader was asked for.
    fn visit_next(&mut self, reader: &mut Reader, (form, band): (usize, usize)) -> Result<(), TableError> {
        let mut planes = if let Some(planes) = self.resident[form][band].take() {
            planes
        } else {
            reader.band = None;
            self.read_next(reader, form, Some((form, band)));
            self.bring(reader, form, band)?
        };
        self.visit(form, band, &mut planes)?;
        let keep = if self.stays[form][band] { &mut self.resident[form][band] } else { &mut reader.spare };
        *keep = Some(planes);
        Ok(())
    }

    /// Has the band with most to look at read that is not in memory, unless one is being read; of another form than `form` only if that has
    /// none, and not the one that is `visited`.
    fn read_next(&self, reader: &mut Reader, form: usize, visited: Option<(usize, usize)>) {
        if reader.band.is_none() {
            reader.band = self.most_due(form, |at| !self.is_in_memory(at) && Some(at) != visited);
            if let Some((form, band)) = reader.band {
                // It ends only with the work.
                let _ = reader.ask.send(self.ahead(form, band));
            }
        }
    }

    fn is_in_memory(&self, (form, band): (usize, usize)) -> bool {
        self.resident[form][band].is_some()
    }

    /// What is left to look at in a band, see [`Phase::Paikas`].
    fn due_in(&self, (form, band): (usize, usize)) -> u64 {
        let (shape, state) = (&self.layout.forms[form], &self.state.bands[form][band]);
        if state.visited {
            state.unseen().iter().map(|segment| segment.count).sum()
        } else {
            64 * shape.rows as u64 * shape.width_of(band) as u64
        }
    }

    /// What is left to look at in the bands of a form that this process has.
    fn due(&self, form: usize) -> u64 {
        self.own_bands().filter(|at| at.0 == form).map(|at| self.due_in(at)).sum()
    }

    /// The band with most to look at, of those of this process that `are` so; of form `form` if it has any.
    fn most_due(&self, form: usize, are: impl Fn((usize, usize)) -> bool) -> Option<(usize, usize)> {
        let due = self.own_bands().filter(|&at| self.due_in(at) > 0 && are(at));
        due.max_by_key(|&at| (at.0 == form, self.due_in(at)))
    }

    /// Notes for each band what has been written to the log for it.
    fn note_written(&mut self) {
        for ((form, band, own), segment) in self.log.take() {
            let state = &mut self.state.bands[form][band];
            if own { &mut state.own } else { &mut state.mail }.push(segment);
        }
    }

    /// Decides what can be decided in a band, with the segments of its mail that are not in its planes.
    fn visit(&mut self, form: usize, band: usize, planes: &mut Planes) -> Result<(), TableError> {
        let (shape, target) = (&self.layout.forms[form], self.layout.twin(form));
        let (rows, blocks) = (shape.rows, shape.width_of(band) / shape.block);
        let state = &mut self.state.bands[form][band];
        let first = !state.visited;
        let [changed, due] = [(); 2].map(|()| [(); 2].map(|()| Marks::new(rows, blocks)));
        let mail = state.unseen();
        let mut sums = [0u64; 3];
        let whole = self.log.read(shape, false, mail, |entries| {
            let more = merge(planes, shape.start(band), entries, Some(&changed));
            sums = std::array::from_fn(|plane| sums[plane].wrapping_add(more[plane]));
        })?;
        if !whole {
            return Err(TableError::ScratchDamaged(shape.slice));
        }
        state.seen = state.mail.len() as u64;
        state.add(sums);
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
        let sum = visit.run(open)?;
        if first {
            // Until the state is saved, they count as not there.
            write(&self.pieces, shape.place_of_whole(OPEN, band, state.generation), open)?;
            state.visited = true;
            state.sums[OPEN] = sum_of_plane(open.words());
        } else {
            state.add([sum, 0, 0]);
        }
        Ok(())
    }
}

//! Bands on their way from the store and to it.

use std::borrow::Cow;
use std::sync::mpsc::{Receiver, SyncSender};

use rayon::prelude::*;

use crate::index::{Plane, QuietMask, Space};
use crate::simd;
use crate::table::TableError;

use super::super::planes::slot_mask;
use super::layout::{Form, LOSS, NOT_WIN, OPEN, Planes};
use super::log::{merge, sum_of_plane};
use super::pieces::{Fetched, PieceStore, Place, fetch, pack_plane, unpack_plane, write};
use super::work::Tiles;

/// A band is written anew when what its planes in the store lack is more than this part of them.
const FOLD: u64 = 12;

/// A band that is read while another is worked on: the places of its planes in the store, as far as they are there.
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
        state.visited
            && !self.stays[form][band]
            && state.behind().map(|segment| segment.words).sum::<u64>() > words / FOLD
    }

    /// Takes planes that were read ahead and merges what the state says they lack; if that is much, the store gets them as well.
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

    /// Merges into planes from the store what they lack by the state.
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

    /// What the twin of a band's form loses and does not win, with everything merged. All processes ask for the same band, and get it.
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
        let rest = planes.iter_mut().try_fold(&words[..], |words, plane| unpack_plane(words, plane, rows));
        rest.ok_or(TableError::ScratchDamaged(shape.slice))?;
        Ok(work([&planes[0], &planes[1]]))
    }
}

pub fn read_ahead(store: &PieceStore<'_>, aheads: &[Ahead], send: &SyncSender<Result<FetchedBand, TableError>>) {
    for ahead in aheads {
        // The receiver is gone if the work has failed.
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

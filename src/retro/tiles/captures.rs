//! The capture pass into the bands of all processes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::index::Slice;
use crate::table::{SliceValues, TableError};

use super::super::parallel::try_for_each_with_scratch;
use super::super::planes::{CapturePass, CaptureScratch};
use super::super::slices::Phase;
use super::layout::{LOSS, NOT_WIN};
use super::log::sum;
use super::pieces::{Packer, no_memory};
use super::work::{BandState, Captured, Tiles};

/// Batches of captures that a thread resolves before what it has for other ranks is sent; a process alone has nothing to send, and only
/// saves its state.
const BATCHES: usize = 4;
const BATCHES_ALONE: usize = 16;

/// The memory of a thread: what the pass needs, rows of both planes, a piece of them for a band, and that piece compressed.
type Scratch = (CaptureScratch, Vec<u64>, Vec<u64>, Option<Packer>, Vec<u64>);

impl Tiles<'_> {
    /// Whether there are captures left to resolve.
    pub fn captures(&self) -> bool {
        !self.state.captured.iter().all(Captured::is_complete)
    }

    /// Resolves the captures whose values go into a form, those of the twin of its slice, unless they are resolved already.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn capture<'v>(
        &mut self,
        form: usize,
        lookup: &dyn Fn(Slice) -> &'v SliceValues,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<(), TableError> {
        let shape = &self.layout.forms[form];
        let (slice, rows) = (shape.slice.twin(), shape.rows);
        let captured = &self.state.captured[form];
        #[allow(clippy::cast_possible_truncation)] // rows in memory
        let before = (captured.resolved() * captured.batch as usize).min(rows);
        report(Phase::Captures { slice, done: before, total: rows });
        if captured.is_complete() {
            return Ok(());
        }
        let (rank, size) = (self.communicator.rank(), self.communicator.size());
        let workers = self.communicator.gather(rayon::current_num_threads() as u64);
        #[allow(clippy::cast_possible_truncation)] // threads
        let (most, workers) = (*workers.iter().max().expect("a rank") as usize, workers.iter().sum::<u64>() as usize);
        let pass = CapturePass::new((self.space, self.rules, slice), lookup, workers, self.leaves);
        let batch = pass.batch();
        let captured = &mut self.state.captured[form];
        if captured.begin(batch, rows) {
            self.state.bands[form] = vec![BandState::default(); shape.bands()];
        }
        let (before, missing) = (captured.resolved(), captured.missing());
        let round = size * most * if size == 1 { BATCHES_ALONE } else { BATCHES };
        let done = AtomicUsize::new(0);
        let count = |batches: usize| before + size * batches;
        for numbers in missing.chunks(round) {
            let own = numbers.iter().copied().skip(rank).step_by(size);
            let resolved = |batches| {
                report(Phase::Captures { slice, done: (count(batches) * batch).min(rows), total: rows });
            };
            self.capture_batches(form, &pass, own, &|| resolved(done.fetch_add(1, Ordering::Relaxed) + 1))?;
            for &number in numbers {
                self.state.captured[form].done[number] = true;
            }
            if self.communicator.count(self.is_late()) > 0 {
                self.commit()?;
            }
        }
        self.commit()
    }

    /// Resolves some batches of captures, and gives every band its part, also those of other ranks.
    fn capture_batches(
        &mut self,
        form: usize,
        pass: &CapturePass<'_>,
        numbers: impl Iterator<Item = usize> + Send,
        report: &(dyn Fn() + Sync),
    ) -> Result<(), TableError> {
        let (shape, store, rank, batch) =
            (&self.layout.forms[form], &self.pieces, self.communicator.rank(), pass.batch());
        let bands = &mut self.state.bands[form];
        let shared = Mutex::new((&mut *bands, vec![Vec::new(); self.communicator.size()]));
        let scratch = || {
            (CaptureScratch::default(), vec![0; 2 * batch * shape.stride], Vec::new(), Packer::new().ok(), Vec::new())
        };
        let body = |(scratch, rows_of_both, piece, packer, packed): &mut Scratch, number: usize| {
            let packer = packer.as_mut().ok_or_else(no_memory)?;
            let (first, rows) = (number * batch, batch.min(shape.rows - number * batch));
            let (loss, not_win) = rows_of_both[..2 * rows * shape.stride].split_at_mut(rows * shape.stride);
            pass.fill(first, loss, not_win, scratch);
            for band in 0..shape.bands() {
                let (start, width, owner) = (shape.start(band), shape.width_of(band), shape.owner(band));
                let mut sums = [0; 3];
                for (plane, rows) in [(LOSS, &*loss), (NOT_WIN, &*not_win)] {
                    let place = shape.place_of_captures(plane, band, batch);
                    for (part, rows) in rows.chunks(place.rows * shape.stride).enumerate() {
                        let part = first / place.rows + part;
                        piece.clear();
                        piece.extend(rows.chunks_exact(shape.stride).flat_map(|row| &row[start..start + width]));
                        packer.pack(piece, packed)?;
                        let sum = sum(part * place.rows * width, piece);
                        if owner == rank {
                            store.put(place.of_piece(part), packed)?;
                            sums[plane] = sum.wrapping_add(sums[plane]);
                        } else {
                            let outgoing = &mut shared.lock().unwrap_or_else(PoisonError::into_inner).1[owner];
                            outgoing.extend([band as u64, plane as u64, part as u64, sum, packed.len() as u64]);
                            outgoing.extend(&*packed);
                        }
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
        for part in self.communicator.exchange(outgoing) {
            let mut words = &part[..];
            #[allow(clippy::cast_possible_truncation)] // as they were in memory before
            while let Some((&[band, plane, part, sum, length], rest)) = words.split_first_chunk::<5>() {
                let [band, plane, part, length] = [band, plane, part, length].map(|word| word as usize);
                let (packed, rest) = rest.split_at(length);
                store.put(shape.place_of_captures(plane, band, batch).of_piece(part), packed)?;
                let mut sums = [0; 3];
                sums[plane] = sum;
                bands[band].add(sums);
                words = rest;
            }
        }
        Ok(())
    }
}

//! The quiet pass over tiles: half passes over the bands of each form in turn, until nothing more is decided.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use crate::table::TableError;

use super::super::planes::{Marks, Search, Step, spread};
use super::super::slices::Phase;
use super::bands::{Ahead, read_ahead};
use super::layout::{OPEN, Planes};
use super::log::{merge, sum_of_plane};
use super::pieces::write;
use super::visit::{Visit, Visited};
use super::work::{INTERVAL, Tiles};

impl Tiles<'_> {
    /// Follows paikas until nothing more is decided. After each half pass `report` gets the number of half passes and of slots that the last one decided.
    ///
    /// # Errors
    /// Those of the store; [`TableError::Damaged`] if it does not give back what was given to it.
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
        // There and back: what was read last is the likeliest to be in a cache still.
        if self.state.steps / self.layout.forms.len() as u64 % 2 == 1 {
            due.reverse();
        }
        let absent: Vec<usize> =
            due.iter().map(|due| due.0).filter(|&band| self.resident[form][band].is_none()).collect();
        // What is merged into the store has to be known after a crash as well.
        let folds = !self.is_committed && absent.iter().any(|&band| self.needs_folding(form, band));
        if self.communicator.count(folds) > 0 {
            self.commit()?;
        }
        let aheads: Vec<Ahead> = absent.iter().map(|&band| self.ahead(form, band)).collect();
        let rounds = self.communicator.gather(due.len() as u64).into_iter().max().unwrap_or(0);
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
            logs_own: !first,
            log: &self.log,
        };
        let Visited { found, sum } = visit.run(open)?;
        if first {
            // Until the state is written down, they count as not there.
            write(&self.pieces, shape.place_of_whole(OPEN, band, state.generation), open)?;
            state.visited = true;
            state.sums[OPEN] = sum_of_plane(open.words());
        } else {
            state.add([sum, 0, 0]);
        }
        Ok(found)
    }
}

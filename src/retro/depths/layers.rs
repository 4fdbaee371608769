//! The quiet pass by depth: wins and losses layer by layer; those by captures enter at their own layer.
//!
//! The steps are those of the plain quiet pass, from a state in which nothing is decided yet. Step number n of losses finds
//! the quiet positions lost in 2n plies, step n of wins those won in 2n + 1; what captures decide enters the state at
//! the end of the step of its depth. So each step works on exactly the positions that are nearer to the end.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use zerocopy::{FromBytes, IntoBytes};

use crate::index::{Plane, Slice, Space};
use crate::table::{Cell, TableError};

use super::super::planes::{Marks, OpponentPlanes, Pair, Positions, Step, fill_plane};
use super::super::slices::Phase;
use super::super::tiles::Segment;
use super::log::Outbox;
use super::work::LayeredWork;

/// The kind of a step: positions are lost in an even number of plies, and won in an odd one.
fn step_of(plies: usize) -> Step {
    if plies.is_multiple_of(2) { Step::Losses } else { Step::Wins }
}

impl<'a> LayeredWork<'a> {
    /// Decides every position of the pair, after its captures.
    ///
    /// # Errors
    /// Those of the store; [`TableError::TooDeep`] if cells of that width cannot hold the depths.
    pub fn decide<C: Cell>(&mut self, report: &(dyn Fn(Phase) + Sync)) -> Result<(), TableError> {
        // A build with wider cells may have come further.
        let (steps, most) = (self.state.steps, 2 * usize::from(C::MAX_STEPS));
        if steps > most || (steps == most && !self.state.decided) {
            return Err(TableError::too_deep::<C>(self.slices[0]));
        }
        if self.state.decided {
            return Ok(());
        }
        let pair = &mut self.pair()?;
        let mut idle = 0;
        loop {
            let plies = self.state.steps;
            let captures: Vec<Vec<Segment>> = (0..self.slices.len()).map(|side| self.segments(side, plies)).collect();
            let found = pair.find(step_of(plies));
            self.merge(pair, plies)?;
            self.note_written();
            let mut entered = false;
            for (side, segments) in captures.iter().enumerate() {
                let (plane, changed) = pair.state(side, step_of(plies));
                entered |= self.enter(side, segments, step_of(plies), plane, Some(changed))?;
            }
            pair.spread(step_of(plies));
            self.state.steps += 1;
            report(Phase::Paikas { steps: self.state.steps as u64, due: found as u64 });
            idle = if found == 0 && !entered { idle + 1 } else { 0 };
            let waiting = || self.state.layers.iter().any(|layers| layers.len() > self.state.steps);
            if idle >= 2 && !waiting() {
                self.state.decided = true;
                return self.commit();
            }
            if self.state.steps == most {
                self.commit()?;
                return Err(TableError::too_deep::<C>(self.slices[0]));
            }
            self.commit_after(1)?;
        }
    }

    /// The pair as it is before the next step.
    fn pair(&self) -> Result<Pair<'a>, TableError> {
        let mut planes: Vec<OpponentPlanes> = self.slices.iter().map(|&slice| undecided(self.space, slice)).collect();
        for (side, planes) in planes.iter_mut().enumerate() {
            for plies in 0..self.state.steps {
                let step = step_of(plies);
                self.enter(side, &self.segments(side, plies), step, planes.changed_by(step), None)?;
            }
        }
        let mut pair = Pair::new(self.space, self.rules, self.slices.clone(), planes);
        if self.state.steps > 0 {
            pair.close_decided();
        }
        Ok(pair)
    }

    /// The segments of a layer so far.
    fn segments(&self, side: usize, plies: usize) -> Vec<Segment> {
        self.state.layers[side].get(plies).map_or_else(Vec::new, |bands| bands.concat())
    }

    /// Puts what a step has found into the state, and into the layers.
    fn merge(&self, pair: &mut Pair<'_>, plies: usize) -> Result<(), TableError> {
        let pools: Vec<_> = self.slices.iter().map(|_| Mutex::new(Vec::new())).collect();
        pair.merge(step_of(plies), |side| {
            let outbox = locked(&pools[side]).pop().unwrap_or_else(|| self.outbox(side));
            let mut outbox = Returned { outbox: Some(outbox), pool: &pools[side] };
            move |row, word, bits| {
                if let Some(outbox) = &mut outbox.outbox {
                    outbox.push(plies, row, word, bits);
                }
            }
        });
        let mut outboxes = pools.into_iter().map(|pool| pool.into_inner().unwrap_or_else(PoisonError::into_inner));
        outboxes.try_for_each(|outboxes| outboxes.into_iter().try_for_each(Outbox::finish))
    }

    /// Puts what a layer decides into a plane of the state, and marks it; true if there was anything new.
    fn enter(
        &self,
        side: usize,
        segments: &[Segment],
        step: Step,
        plane: &mut Plane,
        changed: Option<&Marks>,
    ) -> Result<bool, TableError> {
        let (stride, block) = (plane.stride(), plane.block());
        // Words and atomic words are the same bytes.
        let words = <[AtomicU64]>::mut_from_bytes(plane.words_mut().as_mut_bytes()).expect("whole words");
        let (words, entered) = (&*words, AtomicBool::new(false));
        self.log.read(self.bands(side), segments, |row, word, bits| {
            let there = &words[row * stride + word];
            let new = match step {
                Step::Wins => there.fetch_and(!bits, Ordering::Relaxed) & bits,
                Step::Losses => !there.fetch_or(bits, Ordering::Relaxed) & bits,
            };
            if new != 0 {
                if let Some(changed) = changed {
                    changed.mark(row, word / block);
                }
                if !entered.load(Ordering::Relaxed) {
                    entered.store(true, Ordering::Relaxed);
                }
            }
        })?;
        Ok(entered.into_inner())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An outbox that goes back to its pool when it is dropped.
struct Returned<'p, 'l> {
    outbox: Option<Outbox<'l>>,
    pool: &'p Mutex<Vec<Outbox<'l>>>,
}

impl Drop for Returned<'_, '_> {
    fn drop(&mut self) {
        locked(self.pool).extend(self.outbox.take());
    }
}

/// The state before anything is decided: no loss, and no win, of all positions.
fn undecided(space: &Space, slice: Slice) -> OpponentPlanes {
    let (opponents, movers) = (space.subsets(slice.opponent), space.subsets(slice.mover));
    let loss = Plane::new(opponents, movers);
    let mut not_win = Plane::new(opponents, movers);
    fill_plane(space, slice.twin(), Positions::All, 0, &mut not_win);
    OpponentPlanes { loss, not_win }
}

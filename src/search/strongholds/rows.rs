//! Makes the rows of one slice: the largest sets of positions that close.

use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use crate::board::PointSet;
use crate::index::{STRETCH, Subsets, act, with_room, zeroed};

use super::super::error::SolveError;
use super::captures::Captures;
use super::known::Rows;

/// What is needed to make rows.
pub struct Work<'a> {
    /// What holds after captures.
    pub captures: Captures<'a>,
    /// The placements of the attacker's stones.
    pub subsets: &'a Subsets,
    /// Ends the work.
    pub stop: &'a AtomicBool,
    /// Positions that have been looked at.
    pub done: &'a AtomicU64,
}

/// One row while it is made. Bits are only cleared.
struct Row {
    /// The defender's stones.
    placement: u64,
    /// The rows that the defender's paikas lead to, each with the element that takes its representative to where they lead.
    paikas: Vec<(usize, usize)>,
    /// Positions with the defender to move that may hold.
    holding: Vec<u64>,
    /// Positions in which the defender can capture, and the attacker. Whether these hold is known from the beginning.
    defender_captures: Vec<u64>,
    attacker_captures: Vec<u64>,
    /// No pass has cleared yet what leads to captures that lose.
    is_new: bool,
}

impl Work<'_> {
    /// Makes the rows of these placements.
    pub fn rows(&self, placements: &[u64]) -> Result<Rows, SolveError> {
        let words = self.subsets.words();
        let numbers: HashMap<_, _> = placements.iter().enumerate().map(|(row, &placement)| (placement, row)).collect();
        // Positions with the attacker to move that may hold: read by some rows while others change theirs.
        let mut shared = with_room(placements.len() * words);
        shared.resize_with(placements.len() * words, AtomicU64::default);
        let rows = placements.par_iter().zip(shared.par_chunks_mut(words));
        let rows = rows.map(|(&placement, shared)| self.row(placement, self.paikas(placement, &numbers), shared));
        let mut rows = rows.collect::<Result<Vec<Row>, SolveError>>()?;
        let due: Vec<_> = rows.iter().map(|_| AtomicBool::new(true)).collect();
        while due.iter().any(|due| due.load(Ordering::Relaxed)) {
            self.go_on()?;
            rows.par_iter_mut().enumerate().for_each(|(number, row)| {
                if due[number].swap(false, Ordering::AcqRel) && self.reconsider(row, number, &shared) {
                    row.paikas.iter().for_each(|&(other, _)| due[other].store(true, Ordering::Release));
                }
            });
        }
        // A pass that was stopped has not cleared all it should have.
        self.go_on()?;
        let attacker_moves = shared.into_iter().map(AtomicU64::into_inner).collect();
        let defender_moves = rows.into_iter().flat_map(|row| row.holding).collect();
        Ok(Rows { numbers, words, attacker_moves, defender_moves })
    }

    fn go_on(&self) -> Result<(), SolveError> {
        if self.stop.load(Ordering::Relaxed) { Err(SolveError::Stopped) } else { Ok(()) }
    }

    /// The rows that the defender's paikas lead to.
    fn paikas(&self, placement: u64, numbers: &HashMap<u64, usize>) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let ControlFlow::Continue(()) = self.captures.rules.for_each_paika(placement, 0, |_, after| {
            let (representative, element) = self.captures.strongholds.space.symmetry().smallest(after.moved);
            found.extend(numbers.get(&representative).map(|&number| (number, element)));
            ControlFlow::<Infallible>::Continue(())
        });
        found
    }

    /// The row as far as captures decide it: positions without captures may hold. `shared` is its part of the positions with the
    /// attacker to move.
    fn row(&self, placement: u64, paikas: Vec<(usize, usize)>, shared: &mut [AtomicU64]) -> Result<Row, SolveError> {
        let subsets = self.subsets;
        let words = || zeroed::<u64>(subsets.words());
        let (mut holding, mut captures) = ([words(), words()], [words(), words()]);
        for word in 0..subsets.words() {
            self.go_on()?;
            let stretch = subsets.stretch(word / STRETCH);
            let within = |row: &[u64; STRETCH]| row[word % STRETCH];
            let apart = |sets, point| sets & !within(stretch.with(point));
            let sets = placement.iter().fold(within(stretch.distinct()), apart);
            for bit in sets.iter() {
                let attacker = subsets.subset(64 * word + bit);
                for side in 0..2 {
                    let holds = self.captures.hold(placement, attacker, side == 1)?;
                    captures[side][word] |= u64::from(holds.is_some()) << bit;
                    holding[side][word] |= u64::from(holds != Some(false)) << bit;
                }
            }
            self.done.fetch_add(u64::from(sets.count_ones()), Ordering::Relaxed);
        }
        for (slot, first) in subsets.equal_slots() {
            for row in holding.iter_mut().chain(&mut captures) {
                row[slot / 64] |= (row[first / 64] >> (first % 64) & 1) << (slot % 64);
            }
        }
        let [holding, attacker_moves] = holding;
        let [defender_captures, attacker_captures] = captures;
        shared.iter_mut().zip(attacker_moves).for_each(|(word, bits)| *word.get_mut() = bits);
        Ok(Row { placement, paikas, holding, defender_captures, attacker_captures, is_new: true })
    }

    /// Clears the positions with the defender to move from which neither a capture nor a paika leads to one that may hold, and the
    /// positions from which a paika of the attacker leads to these. Returns whether there are any of the latter.
    fn reconsider(&self, row: &mut Row, number: usize, shared: &[AtomicU64]) -> bool {
        let words = self.subsets.words();
        let (mut reached, mut there) = (zeroed::<u64>(words), zeroed::<u64>(words));
        for &(other, element) in &row.paikas {
            let others = &shared[other * words..][..words];
            there.iter_mut().zip(others).for_each(|(there, word)| *there = word.load(Ordering::Relaxed));
            act(element, &mut there);
            reached.iter_mut().zip(&there).for_each(|(reached, there)| *reached |= there);
        }
        let own = &shared[number * words..][..words];
        let mut changed = false;
        for (word, reached) in reached.into_iter().enumerate() {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let before = if row.is_new { row.holding[word] | row.defender_captures[word] } else { row.holding[word] };
            row.holding[word] &= row.defender_captures[word] | reached;
            for bit in (before & !row.holding[word]).iter() {
                changed |= self.follow_back(row, self.subsets.subset(64 * word + bit), own);
            }
        }
        row.is_new = false;
        if changed {
            for (slot, first) in self.subsets.equal_slots() {
                if own[first / 64].load(Ordering::Relaxed) >> (first % 64) & 1 == 0 {
                    own[slot / 64].fetch_and(!(1 << (slot % 64)), Ordering::Relaxed);
                }
            }
        }
        changed
    }

    /// Clears the positions from which a paika of the attacker leads to that placement of its stones: paikas can be taken back, so
    /// these are the positions that its paikas lead to from there.
    fn follow_back(&self, row: &Row, attacker: u64, own: &[AtomicU64]) -> bool {
        let mut changed = false;
        let ControlFlow::Continue(()) = self.captures.rules.for_each_paika(attacker, row.placement, |_, before| {
            let slot = self.subsets.slot(before.moved);
            let (word, bit) = (slot / 64, 1 << (slot % 64));
            if own[word].load(Ordering::Relaxed) & !row.attacker_captures[word] & bit != 0 {
                own[word].fetch_and(!bit, Ordering::Relaxed);
                changed = true;
            }
            ControlFlow::<Infallible>::Continue(())
        });
        changed
    }
}

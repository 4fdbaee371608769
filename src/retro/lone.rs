//! The capture pass of a lone stone: no other stones of its side to mask by, so each position is one walk over its chains.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::board::{PointSet, inverse};
use crate::index::{Slice, Space};
use crate::rules::{RuleSet, Rules};
use crate::table::ValuePlanes;

use super::chains::OrbitCache;

/// What all threads read while the captures of a lone stone are resolved.
pub struct LonePass<'a> {
    space: &'a Space,
    slice: Slice,
    game: Rules<u64>,
    /// The finished slices by the number of stones that are left to the opponent.
    planes: Vec<Cow<'a, ValuePlanes>>,
    /// By point, the slot of the stone.
    slots: Vec<usize>,
    /// Every slot that is not the first of its set, with the one that is.
    equal: Vec<(usize, usize)>,
}

impl<'a> LonePass<'a> {
    /// A pass over a slice in which the mover has one stone; see [`super::capture::CapturePass`].
    pub fn new(space: &'a Space, rules: RuleSet, slice: Slice, planes: Vec<Cow<'a, ValuePlanes>>) -> Self {
        let slots = (0..space.board().points()).map(|point| space.subsets(1).slot(1 << point)).collect();
        Self {
            space,
            slice,
            game: Rules::new(space.board().clone(), rules),
            planes,
            slots,
            equal: space.subsets(1).equal_slots().collect(),
        }
    }

    /// Resolves the captures against the opponent orbits from `first` on, into rows of `stride` words.
    pub fn resolve(&self, first: usize, stride: usize, loss: &mut [u64], not_win: &mut [u64], cache: &mut OrbitCache) {
        let Self { space, slots, .. } = self;
        let sets = &self.space.subsets(self.slice.opponent).representatives()[first..];
        let rows = loss.chunks_exact_mut(stride).zip(not_win.chunks_exact_mut(stride));
        for ((loss, not_win), &enemy) in rows.zip(sets) {
            loss.fill(0);
            not_win.fill(0);
            for from in space.board().all().without(enemy).iter() {
                // A position without captures is neither lost nor won so far.
                let (mut captures, mut wins, mut holds) = (false, false, false);
                let _ = self.game.for_each_chain_of(from, enemy, |path, left| {
                    let (orbit, element) = cache.orbit(space, left);
                    let slot = slots[space.symmetry().point(inverse(element), path.last().to)];
                    let after = &self.planes[left.count()];
                    captures = true;
                    holds |= after.not_win.get(orbit, slot);
                    wins = after.loss.get(orbit, slot);
                    if wins { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                let slot = slots[from];
                loss[slot / 64] |= u64::from(captures && !wins && !holds) << (slot % 64);
                not_win[slot / 64] |= u64::from(!wins) << (slot % 64);
            }
            // So far only the first of equal slots has its bit.
            for &(slot, first) in &self.equal {
                for row in [&mut *loss, &mut *not_win] {
                    row[slot / 64] |= (row[first / 64] >> (first % 64) & 1) << (slot % 64);
                }
            }
        }
    }
}

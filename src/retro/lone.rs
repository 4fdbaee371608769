//! The capture pass of a lone stone: no other stones of its side to mask by, so each position is one walk over its chains.

use std::borrow::Cow;
use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::board::{PointSet, inverse};
use crate::index::{Plane, Slice, Space};
use crate::rules::{Game, RuleSet};
use crate::table::ValuePlanes;

use super::capture::OpponentPlanes;
use super::chains::OrbitCache;

/// Resolves all captures of a slice in which the mover has one stone; see [`super::capture::capture_pass`]. `planes` are
/// the finished slices by the number of stones that are left to the opponent.
pub fn lone_capture_pass(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    planes: &[Cow<'_, ValuePlanes>],
    progress: &(dyn Fn(usize) + Sync),
) -> OpponentPlanes {
    const PIECE: usize = 1024;
    let (opponents, movers) = (space.subsets(slice.opponent), space.subsets(1));
    let game = Game::new(space.board().clone(), rules);
    let slots: Vec<usize> = (0..space.board().points()).map(|point| movers.slot(1 << point)).collect();
    let mut loss = Plane::new(opponents, movers);
    let mut not_win = Plane::new(opponents, movers);
    let stride = loss.stride();
    let pieces =
        loss.words_mut().par_chunks_mut(PIECE * stride).zip(not_win.words_mut().par_chunks_mut(PIECE * stride));
    pieces.zip(opponents.representatives().par_chunks(PIECE)).for_each_init(
        OrbitCache::default,
        |cache, (rows, sets)| {
            let rows = rows.0.chunks_exact_mut(stride).zip(rows.1.chunks_exact_mut(stride));
            for ((loss, not_win), &enemy) in rows.zip(sets) {
                for from in space.board().all().without(enemy).iter() {
                    // A position without captures is neither lost nor won so far.
                    let (mut captures, mut wins, mut holds) = (false, false, false);
                    let _ = game.for_each_chain_of(from, enemy, |path, left| {
                        let (orbit, element) = cache.orbit(space, left);
                        let slot = slots[space.symmetry().point(inverse(element), path.last().to)];
                        let after = &planes[left.count()];
                        captures = true;
                        holds |= after.not_win.get(orbit, slot);
                        wins = after.loss.get(orbit, slot);
                        if wins { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                    });
                    let slot = slots[from];
                    loss[slot / 64] |= u64::from(captures && !wins && !holds) << (slot % 64);
                    not_win[slot / 64] |= u64::from(!wins) << (slot % 64);
                }
            }
            progress(sets.len());
        },
    );
    // So far only the first of equal slots has its bit.
    for (slot, first) in movers.equal_slots() {
        loss.copy_column(first, slot);
        not_win.copy_column(first, slot);
    }
    OpponentPlanes { loss, not_win }
}

//! Captures with depth where one side has a lone stone: no trees of chains, no rows of other stones.
//!
//! Trees pay where many sets of other stones share them. A lone stone has none: each of its positions is one walk over its
//! chains, a look-up for each of their ends. Against a lone stone every capture is the end of the game: the positions with a
//! capture are all there is to know, and they are found by masks over rows, 512 positions at a time.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::board::{PointSet, inverse};
use crate::index::{Cells, STRETCH, Slice, Space};
use crate::rules::{Continuation, RuleSet, Rules};
use crate::simd;
use crate::table::{Cell, SliceDepths};

use super::super::parallel::for_each_with_scratch;
use super::super::planes::{OrbitCache, Program, capturing_block, outside, slot_mask};

/// Sets of the opponent that a thread takes at a time.
const BATCH: usize = 256;

/// As [`super::captures::capture_depths`], for a lone stone of the mover.
pub fn lone_mover_depths<'v, C: Cell>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths<C>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Cells<C> {
    let (opponents, movers) = (space.subsets(slice.opponent), space.subsets(1));
    let rules = Rules::new(space.board().clone(), rules);
    let finished: Vec<_> = (1..slice.opponent).map(|left| lookup(Slice::new(left, 1)).plane(space)).collect();
    let slots: Vec<usize> = (0..space.board().points()).map(|point| movers.slot(1 << point)).collect();
    let equal: Vec<(usize, usize)> = movers.equal_slots().collect();
    let least = |from, enemy, cache: &mut OrbitCache| {
        let mut least = C::NONE;
        let std::ops::ControlFlow::Continue(()) = rules.for_each_chain_of(from, enemy, |path, left: u64| {
            let cell = if left == 0 {
                C::loss(0)
            } else {
                let (orbit, element) = cache.orbit(space, left);
                let slot = slots[space.symmetry().point(inverse(element), path.last().to)];
                finished[left.count() - 1].row(orbit)[slot]
            };
            least = least.min(cell);
            std::ops::ControlFlow::<Infallible>::Continue(())
        });
        if least == C::NONE { C::DRAW } else { least }
    };
    let mut plane = Cells::new(opponents, movers, C::DRAW);
    let (width, rows, done) = (plane.stride(), plane.rows(), AtomicUsize::new(0));
    progress(0, rows);
    let batches = plane.all_mut().chunks_mut(BATCH * width).enumerate();
    for_each_with_scratch(batches, OrbitCache::default, |cache, (number, out)| {
        let sets = &opponents.representatives()[number * BATCH..];
        for (row, &enemy) in out.chunks_exact_mut(width).zip(sets) {
            for from in space.board().all().without(enemy).iter() {
                row[slots[from]] = least(from, enemy, cache);
            }
            for &(slot, first) in &equal {
                row[slot] = row[first];
            }
        }
        let batch = out.len() / width;
        progress(done.fetch_add(batch, Ordering::Relaxed) + batch, rows);
    });
    plane
}

/// As [`super::captures::capture_depths`], against a lone stone.
pub fn lone_opponent_depths<C: Cell>(space: &Space, rules: RuleSet, slice: Slice) -> Cells<C> {
    let (opponents, movers) = (space.subsets(1), space.subsets(slice.mover));
    let any_stop = RuleSet { continuation: Continuation::Optional, ..rules };
    let rules = Rules::new(space.board().clone(), any_stop);
    let mut plane = Cells::new(opponents, movers, C::DRAW);
    let width = plane.stride();
    let scratch = || (Program::default(), OrbitCache::default());
    for_each_with_scratch(plane.all_mut().chunks_mut(width).enumerate(), scratch, |(program, cache), (number, out)| {
        let set = opponents.representatives()[number];
        program.compile(space, &rules, set, cache);
        simd::run(
            #[inline(always)]
            || {
                for (place, cells) in out.chunks_mut(64 * STRETCH).enumerate() {
                    let (first, stretch) = (place * STRETCH, movers.stretch(place));
                    let valid = std::array::from_fn(|word| slot_mask(movers.slots(), first + word));
                    let valid = outside::<STRETCH>(stretch, set, first, valid);
                    let capturing = capturing_block::<STRETCH>(stretch, program.targets(), first);
                    for ((cells, capturing), valid) in cells.chunks_mut(64).zip(capturing).zip(valid) {
                        let won = capturing & valid;
                        for (bit, cell) in cells.iter_mut().enumerate() {
                            *cell = if won >> bit & 1 == 1 { C::loss(0) } else { C::DRAW };
                        }
                    }
                }
            },
        );
    });
    plane
}

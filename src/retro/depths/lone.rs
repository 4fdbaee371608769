//! Captures with depth where one side has a lone stone: no trees of chains, no rows of other stones.
//!
//! Trees pay where many sets of other stones share them. A lone stone has none: each of its positions is one walk over its
//! chains, a look-up for each of their ends. Against a lone stone every capture is the end of the game: the positions with a
//! capture are all there is to know, and they are found by masks over rows, 512 positions at a time.

use std::borrow::Cow;
use std::convert::Infallible;

use crate::board::{PointSet, inverse};
use crate::index::{Cells, STRETCH, Slice, Space};
use crate::rules::{Continuation, RuleSet, Rules};
use crate::simd;
use crate::table::{Cell, SliceDepths};

use super::super::planes::{OrbitCache, Program, capturing_block, outside, slot_mask};

/// The captures of a lone stone.
pub struct LoneMover<'v, C: Cell> {
    space: &'v Space,
    rules: Rules<u64>,
    /// What is left to the opponent, by the number of its stones from one on.
    finished: Vec<Cow<'v, Cells<C>>>,
    /// The first slot of each point, and the other slots with the first of their point.
    slots: Vec<usize>,
    equal: Vec<(usize, usize)>,
}

impl<'v, C: Cell> LoneMover<'v, C> {
    /// As [`super::captures::ChainPass::new`].
    pub fn new<'f: 'v>(
        space: &'v Space,
        rules: RuleSet,
        slice: Slice,
        lookup: &dyn Fn(Slice) -> &'f SliceDepths<C>,
    ) -> Self {
        let movers = space.subsets(1);
        Self {
            space,
            rules: Rules::new(space.board().clone(), rules),
            finished: (1..slice.opponent).map(|left| lookup(Slice::new(left, 1)).planes(space)).collect(),
            slots: (0..space.board().points()).map(|point| movers.slot(1 << point)).collect(),
            equal: movers.equal_slots().collect(),
        }
    }

    /// As [`super::captures::ChainPass::fill`].
    pub fn fill(&self, opponent: u64, out: &mut [C], cache: &mut OrbitCache) {
        out.fill(C::DRAW);
        for from in self.space.board().all().without(opponent).iter() {
            out[self.slots[from]] = self.least(from, opponent, cache);
        }
        for &(slot, first) in &self.equal {
            out[slot] = out[first];
        }
    }

    fn least(&self, from: usize, enemy: u64, cache: &mut OrbitCache) -> C {
        let mut least = C::NONE;
        let std::ops::ControlFlow::Continue(()) = self.rules.for_each_chain_of(from, enemy, |path, left: u64| {
            let cell = if left == 0 {
                C::loss(0)
            } else {
                let (orbit, element) = cache.orbit(self.space, left);
                let slot = self.slots[self.space.symmetry().point(inverse(element), path.last().to)];
                self.finished[left.count() - 1].row(orbit)[slot]
            };
            least = least.min(cell);
            std::ops::ControlFlow::<Infallible>::Continue(())
        });
        if least == C::NONE { C::DRAW } else { least }
    }
}

/// The captures of a lone stone's enemies.
pub struct LoneOpponent<'a> {
    space: &'a Space,
    movers: usize,
    rules: Rules<u64>,
}

impl<'a> LoneOpponent<'a> {
    /// Of that many stones.
    pub fn new(space: &'a Space, rules: RuleSet, movers: usize) -> Self {
        let any_stop = RuleSet { continuation: Continuation::Optional, ..rules };
        Self { space, movers, rules: Rules::new(space.board().clone(), any_stop) }
    }

    /// As [`super::captures::ChainPass::fill`].
    pub fn fill<C: Cell>(&self, opponent: u64, out: &mut [C], (program, cache): &mut (Program, OrbitCache)) {
        let movers = self.space.subsets(self.movers);
        program.compile(self.space, &self.rules, opponent, cache);
        simd::run(
            #[inline(always)]
            || {
                for (place, cells) in out.chunks_mut(64 * STRETCH).enumerate() {
                    let (first, stretch) = (place * STRETCH, movers.stretch(place));
                    let valid = std::array::from_fn(|word| slot_mask(movers.slots(), first + word));
                    let valid = outside::<STRETCH>(stretch, opponent, first, valid);
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
    }
}

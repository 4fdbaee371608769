//! The captures of a slice with depth, in the form that suits it, row by row.

use crate::index::{Slice, Space};
use crate::rules::RuleSet;
use crate::table::{Cell, SliceDepths};

use super::super::planes::{OrbitCache, Program};
use super::captures::{ChainPass, ChainScratch};
use super::lone::{LoneMover, LoneOpponent};

enum Form<'a, C: Cell> {
    Chains(ChainPass<'a, C>),
    LoneMover(LoneMover<'a, C>),
    LoneOpponent(LoneOpponent<'a>),
}

/// The captures of a slice: for every position the least score that one of them leads to.
pub struct CaptureDepths<'a, C: Cell> {
    space: &'a Space,
    slice: Slice,
    form: Form<'a, C>,
}

/// The memory of a thread.
#[derive(Default)]
pub struct CaptureDepthsScratch<C> {
    walks: (Program, OrbitCache),
    chains: Option<ChainScratch<C>>,
}

impl<'a, C: Cell> CaptureDepths<'a, C> {
    /// `lookup` gives the finished slices with the same number of stones of the mover, as the opponent, and fewer of the
    /// opponent, as the mover: `(o - 1) v m` down to `1 v m`.
    pub fn new<'v: 'a>(
        space: &'a Space,
        rules: RuleSet,
        slice: Slice,
        lookup: &dyn Fn(Slice) -> &'v SliceDepths<C>,
    ) -> Self {
        let form = match (slice.mover, slice.opponent) {
            (movers, 1) => Form::LoneOpponent(LoneOpponent::new(space, rules, movers)),
            (1, _) => Form::LoneMover(LoneMover::new(space, rules, slice, lookup)),
            _ => Form::Chains(ChainPass::new(space, rules, slice, lookup)),
        };
        Self { space, slice, form }
    }

    /// The scores of a row: one set of the opponent, by slots of the mover's sets. A draw for quiet positions and overlapping sets.
    pub fn fill(&self, row: usize, out: &mut [C], scratch: &mut CaptureDepthsScratch<C>) {
        let opponent = self.space.subsets(self.slice.opponent).representatives()[row];
        let CaptureDepthsScratch { walks, chains } = scratch;
        match &self.form {
            Form::Chains(pass) => {
                pass.fill(opponent, out, walks, chains.get_or_insert_with(|| pass.scratch(out.len())));
            }
            Form::LoneMover(pass) => pass.fill(opponent, out, &mut walks.1),
            Form::LoneOpponent(pass) => pass.fill(opponent, out, walks),
        }
    }
}

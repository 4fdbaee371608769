//! Values by whole rows of bits, for boards that are not crowded: a bit for each pair of sets, 64 positions to a word.
//!
//! A pair is solved in these steps ([`solve_planes`]):
//!
//! 1. `capture`: finished planes of fewer stones become leaves (`lanes`, `leaves`), programs of chains (`chains`) run over them, and
//!    every position with a capture has its value (`captured`), by the opponent's orbits. Captures of a lone stone are followed by
//!    `lone`, which looks only where a chain can take enough stones (`reach`).
//! 2. `quiet`: paikas are followed until nothing new is decided. Each step (`search`) reads the rows of `neighbours` where `marks`
//!    say that they have changed, and what it finds by the mover's orbits is `transpose`d into the planes by the opponent's.
//! 3. `transpose`: the finished planes are put into the order of tables, by the mover's orbits.

mod capture;
mod captured;
mod chains;
mod lanes;
mod leaves;
mod lone;
mod marks;
mod neighbours;
mod quiet;
mod reach;
mod search;
mod sizes;
mod transpose;

pub use capture::{
    CapturePass, CaptureScratch, OpponentPlanes, batch_rows, capturing_block, lane_bytes, outside, slot_mask,
};
pub use captured::{capture_pass, captured_values, part_bytes, rows_bytes};
pub use chains::{OrbitCache, Program};
pub use lanes::{Extensions, transpose_cells};
pub use leaves::Leaves;
pub use marks::Marks;
pub use neighbours::Neighbours;
pub use quiet::{Pair, Positions, fill_plane, spread};
pub use search::{Search, Step};
pub use sizes::group_rows;
pub(crate) use sizes::{with_block, with_group};
pub use transpose::copy_transposed;

use crate::index::{Slice, Space};
use crate::rules::RuleSet;
use crate::table::{SliceValues, ValuePlanes};

use super::slices::{Phase, with_twin};
use transpose::transposed;

/// Computes a slice and, if it is another, its twin, by whole rows. `lookup` gives finished slices with fewer stones.
pub fn solve_planes<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: &dyn Fn(Slice) -> &'v SliceValues,
    report: &(dyn Fn(Phase) + Sync),
) -> Vec<SliceValues> {
    let slices: Vec<Slice> = with_twin(slice).collect();
    let mut planes = Vec::new();
    for &slice in &slices {
        let progress = |done, total| report(Phase::Captures { slice, done, total });
        planes.push(capture_pass(space, rules, slice, lookup, &progress));
    }
    let mut pair = Pair::new(space, rules, slices, planes);
    let mut steps = 0;
    pair.decide(|due| {
        steps += 1;
        report(Phase::Paikas { steps, due });
    });
    report(Phase::Transposing);
    let values = pair.into_planes().map(|(slice, planes)| {
        let loss = transposed(space, slice, &planes.loss);
        drop(planes.loss);
        SliceValues::new(slice, ValuePlanes { loss, not_win: transposed(space, slice, &planes.not_win) })
    });
    values.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::slices::pairs;
    use super::*;

    /// All slices to that many stones.
    pub fn solved(space: &Space, rules: RuleSet, stones: usize) -> BTreeMap<Slice, SliceValues> {
        let mut slices = BTreeMap::new();
        for slice in pairs(stones, space.board().points()) {
            let solved = solve_planes(space, rules, slice, &|slice| &slices[&slice], &|_| ());
            slices.extend(solved.into_iter().map(|values| (values.slice(), values)));
        }
        slices
    }
}

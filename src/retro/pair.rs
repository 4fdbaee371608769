//! One unit of work: a slice and its twin, from captures to finished values.

use crate::index::{Plane, Slice, Space};
use crate::rules::RuleSet;
use crate::table::SliceValues;

use super::capture::capture_pass;
use super::compact::{CompactSide, decide, fits};
use super::plan::with_twin;
use super::quiet::Pair;
use super::transpose::{Merge, transpose};

/// What the work on a pair is doing at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Resolving the captures of a slice; so many opponent sets are done of all.
    Captures {
        /// The slice.
        slice: Slice,
        /// Opponent orbits done.
        done: usize,
        /// Opponent orbits in all.
        total: usize,
    },
    /// Iterating over paikas; so many steps are done, and the last one decided so many slots.
    Paikas {
        /// Steps done.
        steps: usize,
        /// Slots that the last step decided.
        found: usize,
    },
    /// Putting the planes into the order of tables.
    Turning,
}

/// Computes a slice and, if it is another, its twin, in the form that suits them. `lookup` gives finished slices with
/// fewer stones.
pub fn solve_pair<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceValues + Sync,
    report: &(dyn Fn(Phase) + Sync),
) -> Vec<SliceValues> {
    if prefers_compact(space, slice) {
        solve_compact(space, rules, slice, lookup, report)
    } else {
        solve_planes(space, rules, slice, lookup, report)
    }
}

/// The same position by position, whatever suits.
pub fn solve_compact<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceValues + Sync,
    report: &(dyn Fn(Phase) + Sync),
) -> Vec<SliceValues> {
    let side = |slice: Slice| CompactSide::new(space, rules, slice, &lookup, report);
    let sides: Vec<CompactSide<'_>> = with_twin(slice).map(side).collect();
    decide(rules, &sides, report);
    sides.into_iter().map(CompactSide::finish).collect()
}

/// The same by whole rows, whatever suits.
pub fn solve_planes<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceValues,
    report: &(dyn Fn(Phase) + Sync),
) -> Vec<SliceValues> {
    let slices: Vec<Slice> = with_twin(slice).collect();
    let mut planes = Vec::new();
    for &slice in &slices {
        let progress = |done, total| report(Phase::Captures { slice, done, total });
        planes.push(capture_pass(space, rules, slice, &lookup, &progress));
    }
    let mut pair = Pair::new(space, rules, slices, planes);
    let mut steps = 0;
    pair.decide(|found| {
        steps += 1;
        report(Phase::Paikas { steps, found });
    });
    report(Phase::Turning);
    let values = pair.into_planes().map(|(slice, planes)| {
        let loss = turned(space, slice, &planes.loss);
        drop(planes.loss);
        SliceValues::new(slice, loss, turned(space, slice, &planes.not_win))
    });
    values.collect()
}

/// The share of used bits below which planes are slower than following positions one by one.
const COMPACT_BELOW: f64 = 0.03;

/// True for slices of crowded boards, which are solved position by position because planes would be mostly padding.
#[must_use]
pub fn prefers_compact(space: &Space, slice: Slice) -> bool {
    let crowded = space.fill(slice).min(space.fill(slice.twin())) < COMPACT_BELOW;
    crowded && fits(space, slice) && fits(space, slice.twin())
}

/// A plane by the opponent's orbits, turned to one by the mover's.
pub fn turned(space: &Space, slice: Slice, plane: &Plane) -> Plane {
    let mut turned = Plane::new(space.subsets(slice.mover), space.subsets(slice.opponent));
    transpose(space.symmetry().order(), plane, None, &mut turned, Merge::Copy, |_, _, _| ());
    turned
}

//! A slice and its twin by whole planes: captures, then paikas, then the order of tables.

use crate::index::{Plane, Slice, Space};
use crate::rules::RuleSet;
use crate::table::SliceValues;

use super::super::slices::{Phase, with_twin};
use super::capture::capture_pass;
use super::quiet::Pair;
use super::transpose::{Merge, transpose};

/// Computes a slice and, if it is another, its twin, by whole rows. `lookup` gives finished slices with fewer stones.
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
    report(Phase::Transposing);
    let values = pair.into_planes().map(|(slice, planes)| {
        let loss = transposed(space, slice, &planes.loss);
        drop(planes.loss);
        SliceValues::new(slice, loss, transposed(space, slice, &planes.not_win))
    });
    values.collect()
}

/// A plane by the opponent's orbits, transposed to one by the mover's.
pub fn transposed(space: &Space, slice: Slice, plane: &Plane) -> Plane {
    let mut transposed = Plane::new(space.subsets(slice.mover), space.subsets(slice.opponent));
    transpose(space.symmetry().order(), plane, None, &mut transposed, Merge::Copy, |_, _, _| ());
    transposed
}

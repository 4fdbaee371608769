//! One unit of work: a slice and its twin, from captures to finished values.

use crate::index::{Plane, Slice, Space};
use crate::rules::RuleSet;
use crate::table::SliceValues;

use super::capture::capture_pass;
use super::lanes::Extensions;
use super::quiet::Pair;
use super::transpose::{Merge, transpose};

/// What the work on a pair is doing at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Resolving the captures of a slice.
    Captures(Slice),
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

/// Computes a slice and, if it is another, its twin. `lookup` gives finished slices with fewer stones.
pub fn solve_pair<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceValues,
    mut report: impl FnMut(Phase),
) -> Vec<SliceValues> {
    let mut slices = vec![slice];
    if slice.twin() != slice {
        slices.push(slice.twin());
    }
    let mut planes = Vec::new();
    for &slice in &slices {
        report(Phase::Captures(slice));
        let extensions = Extensions::new(space, slice.mover);
        planes.push(capture_pass(space, rules, slice, &extensions, &lookup));
    }
    let mut pair = Pair::new(space, rules, slices, planes);
    let mut steps = 0;
    pair.decide(|found| {
        steps += 1;
        report(Phase::Paikas { steps, found });
    });
    report(Phase::Turning);
    let turned = pair.into_planes().map(|(slice, planes)| {
        let turn = |plane: Plane| {
            let mut turned = Plane::new(space.subsets(slice.mover), space.subsets(slice.opponent));
            transpose(space.symmetry().order(), &plane, None, &mut turned, Merge::Copy, None);
            turned
        };
        SliceValues::new(slice, turn(planes.loss), turn(planes.not_win))
    });
    turned.collect()
}

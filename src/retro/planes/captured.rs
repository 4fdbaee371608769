//! The values of all positions of a slice with a capture, by the opponent's orbits or by the mover's.

use crate::index::{Plane, Slice, Space};
use crate::rules::RuleSet;
use crate::table::{SliceValues, ValuePlanes};

use super::super::parallel::counting;
use super::capture::{CapturePass, OpponentPlanes};
use super::leaves::{BATCH, Leaves};
use super::sizes::group_rows;
use super::transpose::copy_transposed;

/// Resolves all captures of a slice into planes; see [`CapturePass`].
pub fn capture_pass<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: &dyn Fn(Slice) -> &'v SliceValues,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> OpponentPlanes {
    let rows = space.subsets(slice.opponent).orbits();
    let advance = counting(rows, progress);
    let pass = CapturePass::new((space, rules, slice), lookup, rayon::current_num_threads(), Leaves::All);
    pass.rows(0..rows, &advance)
}

/// The batches of each thread that [`captured_values`] has in memory by the opponent's orbits.
const BATCHES: usize = 16;

/// Bytes of that many rows of both planes by the opponent's orbits.
#[must_use]
pub fn rows_bytes(space: &Space, slice: Slice, rows: u64) -> u64 {
    rows.saturating_mul(space.words(slice.mover)).saturating_mul(16)
}

/// Bytes that [`captured_values`] takes beside its result and what the pass needs.
#[must_use]
pub fn part_bytes(space: &Space, slice: Slice, threads: usize) -> u64 {
    rows_bytes(space, slice, space.orbits(slice.opponent).min((BATCHES * BATCH * threads) as u64))
}

/// Resolves all captures of a slice into planes by the mover's orbits; the other positions count as drawn.
pub fn captured_values<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: &dyn Fn(Slice) -> &'v SliceValues,
    leaves: Leaves,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> ValuePlanes {
    let (movers, opponents, order) =
        (space.subsets(slice.mover), space.subsets(slice.opponent), space.symmetry().order());
    let (rows, threads) = (opponents.orbits(), rayon::current_num_threads());
    let advance = counting(rows, progress);
    let pass = CapturePass::new((space, rules, slice), lookup, threads, leaves);
    let [mut loss, mut not_win] = [(); 2].map(|()| Plane::new(movers, opponents));
    // A part is a whole number of words of the result, or all there is: batches are smaller only if all are in the first part.
    let part = BATCHES * threads * pass.batch();
    for first in (0..rows).step_by(part) {
        let planes = pass.rows(first..rows.min(first + part), &advance);
        copy_transposed(order, &planes.loss, &mut loss, first / group_rows(order));
        copy_transposed(order, &planes.not_win, &mut not_win, first / group_rows(order));
    }
    ValuePlanes { loss, not_win }
}

#[cfg(test)]
mod tests {
    use super::super::tests::solved;
    use super::super::transpose::transposed;
    use super::*;

    /// The slow twin: everything in memory by the opponent's orbits, then transposed.
    #[test]
    fn captures_in_parts_make_the_same_planes() {
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        for (size, stones, parts) in [("7x5", 4, 13), ("5x5", 5, 7), ("9x3", 3, 1)] {
            let (rules, slice) = (RuleSet::default(), Slice::new(2, stones));
            let space = &Space::new(size.parse().expect("a board"), rules.diagonals);
            let slices = solved(space, rules, stones + 1);
            let lookup = |slice: Slice| &slices[&slice];
            assert_eq!(space.orbits(stones).div_ceil((BATCHES * BATCH) as u64), parts, "{size}");
            let whole = capture_pass(space, rules, slice, &lookup, &|_, _| ());
            let whole = [whole.loss, whole.not_win].map(|plane| transposed(space, slice, &plane));
            for leaves in [Leaves::All, Leaves::OfBatch] {
                let found = one.install(|| captured_values(space, rules, slice, &lookup, leaves, &|_, _| ()));
                assert!([found.loss, found.not_win] == whole, "{size} {slice} {leaves:?}");
            }
        }
    }
}

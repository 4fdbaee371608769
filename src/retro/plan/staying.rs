//! The order of pairs, and what stays in memory from one to the next.

use std::collections::BTreeSet;

use crate::index::{Slice, Space, is_crowded};

use super::super::slices::{Needs, with_twin};
use super::cost::{sets_memory, splits_memory};

/// The same pairs by the stones of the smaller side, then of the larger. In this order, too, captures lead to earlier pairs, and it
/// takes less memory: once all pairs with m stones on one side are built, no other pair needs slices in which the opponent has m.
/// In the order by stones, a slice waits until no pair with one stone more is left.
#[must_use]
pub fn by_smaller_side(pairs: &[Slice]) -> Vec<Slice> {
    let mut pairs = pairs.to_vec();
    pairs.sort_by_key(|slice| {
        let (larger, smaller) = slice.sides();
        (smaller, larger)
    });
    pairs
}

/// What stays in memory beside the work on a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Staying {
    /// Bytes of finished slices that it or a later pair needs, and of the indexing.
    pub before: u64,
    /// Those of the indexing alone.
    pub index: u64,
    /// Bytes of what the pair itself leaves for later pairs.
    pub own: u64,
}

/// For each pair, in this order, what is in memory while it is solved, beside what its own work takes. `bytes` gives the bytes of a
/// finished slice; its second argument says whether it waits by rows of empty points, because only crowded pairs need it.
#[must_use]
pub fn staying(space: &Space, pairs: &[Slice], bytes: impl Fn(Slice, bool) -> u64) -> Vec<Staying> {
    let points = space.board().points();
    let needs = Needs::new(points, pairs.iter().copied());
    let (mut sizes, mut splits) = (BTreeSet::new(), 0u64);
    let mut finished = BTreeSet::new();
    let all = pairs.iter().enumerate().map(|(number, &slice)| {
        if is_crowded(points, slice) {
            sizes.insert(points - slice.stones());
            splits += with_twin(slice).map(splits_memory).sum::<u64>();
        } else {
            sizes.extend(0..=slice.mover.max(slice.opponent));
        }
        let index = sizes.iter().map(|&size| sets_memory(space, size)).sum::<u64>() + splits;
        let waiting = finished.iter().map(|&slice| bytes(slice, !needs.include_planes(slice, number)));
        let waiting = waiting.fold(0, u64::saturating_add);
        finished.extend(with_twin(slice));
        finished.retain(|&slice| needs.include(slice, number + 1));
        let own = with_twin(slice).filter(|slice| finished.contains(slice)).map(|slice| bytes(slice, false));
        Staying { before: waiting.saturating_add(index), index, own: own.fold(0, u64::saturating_add) }
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Diagonals;
    use crate::retro::{after_captures, pairs};

    #[test]
    fn both_orders_build_what_captures_lead_to_first() {
        for points in [9, 15, 25] {
            let by_stones: Vec<Slice> = pairs(points, points).collect();
            let by_side = by_smaller_side(&by_stones);
            assert_eq!(by_side.iter().collect::<BTreeSet<_>>(), by_stones.iter().collect());
            for order in [by_stones, by_side] {
                let mut built = BTreeSet::new();
                for slice in order {
                    assert!(with_twin(slice).flat_map(after_captures).all(|lower| built.contains(&lower)), "{slice}");
                    built.extend(with_twin(slice));
                }
            }
        }
    }

    #[test]
    fn what_stays_is_what_is_needed_later() {
        let space = Space::new("3x3".parse().expect("a board"), Diagonals::Corner);
        let order = ["1v1", "2v1", "2v2", "3v1", "3v2"].map(|slice| slice.parse().expect("a slice"));
        // A bit for each slice, far above the indexing.
        let bit = |slice: Slice| 1 << (32 + 4 * slice.mover + slice.opponent);
        let slices = |bytes: u64| -> BTreeSet<Slice> {
            let all = Slice::up_to(6, 9).filter(|&slice| slice.mover < 4 && slice.opponent < 4);
            all.filter(|&slice| bytes & bit(slice) != 0).collect()
        };
        let found = staying(&space, &order, |slice, _| bit(slice)).into_iter().map(|staying| slices(staying.before));
        let expected = ["", "1v1", "1v1 2v1 1v2", "1v1 2v1 1v2 2v2", "1v2 2v2 1v3"];
        for (found, expected) in found.zip(expected) {
            let expected: BTreeSet<Slice> =
                expected.split_whitespace().map(|slice| slice.parse().expect("a slice")).collect();
            assert_eq!(found, expected);
        }
    }
}

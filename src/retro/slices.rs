//! Pairs of slices: the order in which they are built, what captures from them lead to, and how far the work on one has come.

use std::collections::{BTreeMap, BTreeSet};

use crate::index::{Slice, is_crowded};

/// What the work on a pair is doing at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Resolving the captures of a slice.
    Captures {
        /// The slice.
        slice: Slice,
        /// Opponent orbits done.
        done: usize,
        /// Opponent orbits in all.
        total: usize,
    },
    /// Iterating over paikas.
    Paikas {
        /// Steps done; from tiles, visits to bands.
        steps: u64,
        /// What is known to be left: slots that the last step decided; from tiles, all slots of bands that were not visited yet, and words that
        /// have changed for others.
        due: u64,
    },
    /// Putting the planes into the order of tables.
    Transposing,
}

/// The first slice of each pair, in building order.
pub fn pairs(stones: usize, points: usize) -> impl Iterator<Item = Slice> {
    first_of_pairs(Slice::up_to(stones, points))
}

/// The first slice of each pair, of slices and their twins.
pub fn first_of_pairs(slices: impl Iterator<Item = Slice>) -> impl Iterator<Item = Slice> {
    slices.filter(|slice| slice.mover >= slice.opponent)
}

/// A slice and, if it is another, its twin.
pub fn with_twin(slice: Slice) -> impl Iterator<Item = Slice> {
    std::iter::once(slice).chain(Some(slice.twin()).filter(|&twin| twin != slice))
}

/// The slices that captures from `slice` lead to directly, the mover's stones being the opponent's there.
pub fn after_captures(slice: Slice) -> impl Iterator<Item = Slice> {
    (1..slice.opponent).map(move |left| Slice::new(left, slice.mover))
}

/// What pairs in some order need of slices that are finished: those that their captures lead to.
#[derive(Default)]
pub struct Needs {
    /// By slice, the number of the last pair that needs it.
    last: BTreeMap<Slice, usize>,
    /// As `last`, of the pairs that are not crowded.
    last_by_planes: BTreeMap<Slice, usize>,
}

impl Needs {
    /// Those of pairs in this order, on a board of that many points.
    pub fn new(points: usize, pairs: impl Iterator<Item = Slice>) -> Self {
        let mut needs = Self::default();
        for (number, pair) in pairs.enumerate() {
            for lower in with_twin(pair).flat_map(after_captures) {
                needs.last.insert(lower, number);
                if !is_crowded(points, pair) {
                    needs.last_by_planes.insert(lower, number);
                }
            }
        }
        needs
    }

    /// Whether a pair from that number on needs a slice.
    pub fn include(&self, slice: Slice, number: usize) -> bool {
        self.last.get(&slice).is_some_and(|&last| last >= number)
    }

    /// Whether such a pair needs it as planes.
    pub fn include_planes(&self, slice: Slice, number: usize) -> bool {
        self.last_by_planes.get(&slice).is_some_and(|&last| last >= number)
    }
}

/// The slices in `there` whose twin and all slices that captures lead to are in it too; in building order.
#[must_use]
pub fn closed(there: &BTreeSet<Slice>) -> Vec<Slice> {
    let stones = there.iter().map(|slice| slice.stones()).max().unwrap_or(0);
    let mut closed = BTreeSet::new();
    let all = Slice::up_to(stones, stones);
    all.filter(|&slice| {
        let mut pair = with_twin(slice);
        let ready = pair.all(|slice| there.contains(&slice) && after_captures(slice).all(|s| closed.contains(&s)));
        if ready {
            closed.insert(slice);
        }
        ready
    })
    .collect()
}

/// The slices that it takes to resolve the captures of a pair: those that its captures lead to and, for each of these that is not there yet,
/// those that its own captures lead to, and so on.
pub fn slices_below(slice: Slice, is_there: impl Fn(&Slice) -> bool) -> BTreeSet<Slice> {
    let mut open: Vec<Slice> = with_twin(slice).flat_map(after_captures).collect();
    let mut needed = BTreeSet::new();
    while let Some(slice) = open.pop() {
        if needed.insert(slice) && !is_there(&slice) {
            open.extend(after_captures(slice));
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_need_what_they_lead_to_and_what_it_takes_to_read_that() {
        let slices =
            |names: &[&str]| -> BTreeSet<Slice> { names.iter().map(|name| name.parse().expect("a slice")).collect() };
        let below = |slice: &str, there: &[&str]| {
            let there = slices(there);
            slices_below(slice.parse().expect("a slice"), |slice| there.contains(slice))
        };
        assert_eq!(below("3v2", &[]), slices(&["1v3", "1v2", "2v2", "1v1", "2v1"]));
        assert_eq!(below("3v2", &["1v3", "1v2", "2v2", "1v1"]), slices(&["1v3", "1v2", "2v2"]));
        // 1v3 is there, so that nothing is read that needs 2v1.
        assert_eq!(below("3v2", &["1v3"]), slices(&["1v3", "1v2", "2v2", "1v1"]));
    }
}

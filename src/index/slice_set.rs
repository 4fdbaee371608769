//! Sets of slices as builds make them and searches use them.

use std::collections::BTreeSet;
use std::fmt;

use super::slice::Slice;

/// A set of slices that is closed under captures: all with up to some number of stones, one slice with its twin and what captures
/// from them lead to, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct SliceSet {
    /// All slices with up to this many stones.
    pub stones: usize,
    /// One slice more, with all that it needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slice: Option<Slice>,
}

impl SliceSet {
    /// The most stones of a slice.
    #[must_use]
    pub fn most_stones(self) -> usize {
        self.slice.map_or(0, Slice::stones).max(self.stones)
    }

    /// Whether it has that slice. Captures take stones from the larger side or the smaller one, so a slice leads to all that
    /// have no more on either.
    #[inline]
    #[must_use]
    pub fn contains(self, slice: Slice) -> bool {
        let sides = |slice: Slice| (slice.mover.max(slice.opponent), slice.mover.min(slice.opponent));
        let leads = |from: Slice| {
            let ((larger, smaller), (most, least)) = (sides(slice), sides(from));
            larger <= most && smaller <= least
        };
        slice.stones() <= self.stones || self.slice.is_some_and(leads)
    }

    /// The slice of one stone more that has helped searches most often, beside all slices of fewer stones: one side is ahead by one or
    /// two (`experiments/08-tables`). `None` beside another slice.
    #[must_use]
    pub fn next_slice(self) -> Option<Slice> {
        let larger = self.stones.div_ceil(2) + 1;
        (self.stones > 1 && self.slice.is_none()).then(|| Slice::new(larger, self.stones + 1 - larger))
    }

    /// The smallest set with those slices of a board with that many points. One slice stands beside the others; if that is not
    /// enough, the set has all of as many stones.
    #[must_use]
    pub fn covering(slices: impl IntoIterator<Item = Slice>, points: usize) -> Self {
        let slices: BTreeSet<Slice> = slices.into_iter().collect();
        let is_complete = |&stones: &usize| Slice::up_to(stones, points).all(|slice| slices.contains(&slice));
        let stones = (0..=points).take_while(is_complete).last().unwrap_or(0);
        let others: Vec<Slice> = slices.into_iter().filter(|slice| slice.stones() > stones).collect();
        let slice = others.iter().copied().max_by_key(|slice| (slice.stones(), slice.mover));
        let set = Self { stones, slice };
        if others.iter().all(|&slice| set.contains(slice)) { set } else { set.most_stones().into() }
    }

    /// Its slices on a board with that many points, in building order.
    pub fn slices(self, points: usize) -> impl Iterator<Item = Slice> {
        Slice::up_to(self.most_stones(), points).filter(move |&slice| self.contains(slice))
    }
}

impl From<usize> for SliceSet {
    fn from(stones: usize) -> Self {
        Self { stones, slice: None }
    }
}

impl From<Slice> for SliceSet {
    fn from(slice: Slice) -> Self {
        Self { stones: 0, slice: Some(slice) }
    }
}

/// As options of commands: `--stones 8 --slice 5v4`.
impl fmt::Display for SliceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.stones, self.slice) {
            (stones, None) => write!(f, "--stones {stones}"),
            (0, Some(slice)) => write!(f, "--slice {slice}"),
            (stones, Some(slice)) => write!(f, "--stones {stones} --slice {slice}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_turns_lead_to_and_nothing_else() {
        const POINTS: usize = 12;
        for (stones, slice) in
            [(0, Slice::new(5, 4)), (0, Slice::new(2, 7)), (4, Slice::new(3, 3)), (6, Slice::new(5, 2))]
        {
            let (mut found, mut open) = (Slice::up_to(stones, POINTS).collect::<BTreeSet<_>>(), vec![slice]);
            while let Some(slice) = open.pop() {
                if found.insert(slice) {
                    // A paika, and captures of any number of stones but the last.
                    open.push(slice.twin());
                    open.extend((1..slice.opponent).map(|left| Slice::new(left, slice.mover)));
                }
            }
            let set = SliceSet { stones, slice: Some(slice) };
            assert_eq!(set.slices(POINTS).collect::<BTreeSet<_>>(), found, "{set}");
            assert!(Slice::up_to(POINTS, POINTS).all(|slice| set.contains(slice) == found.contains(&slice)), "{set}");
        }
    }

    #[test]
    fn slices_are_covered_by_the_smallest_set() {
        const POINTS: usize = 12;
        let sets = [(4, None), (4, Some((5, 2))), (0, Some((2, 2))), (6, Some((4, 3)))];
        for (stones, slice) in sets {
            let set = SliceSet { stones, slice: slice.map(|(mover, opponent)| Slice::new(mover, opponent)) };
            let found = SliceSet::covering(set.slices(POINTS), POINTS);
            assert_eq!(
                found.slices(POINTS).collect::<Vec<_>>(),
                set.slices(POINTS).collect::<Vec<_>>(),
                "{set}, {found}"
            );
        }
        let two = Slice::up_to(4, POINTS).chain([Slice::new(4, 1), Slice::new(3, 2)]);
        assert_eq!(SliceSet::covering(two, POINTS), SliceSet::from(5));
    }

    #[test]
    fn the_next_slice_has_one_stone_more() {
        let next = |stones| SliceSet::from(stones).next_slice().map(|slice| (slice.mover, slice.opponent));
        assert_eq!([0, 1, 2, 7, 8, 9].map(next), [None, None, Some((2, 1)), Some((5, 3)), Some((5, 4)), Some((6, 4))]);
        assert_eq!(SliceSet { stones: 8, slice: Some(Slice::new(5, 4)) }.next_slice(), None);
    }
}

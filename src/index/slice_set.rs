//! Sets of slices as builds make them and searches use them.

use std::fmt;

use serde::Serialize;

use crate::board::MAX_POINTS;

use super::slice::Slice;

/// A set of slices that is closed under moves: with each slice it has its twin and the slices that captures from it lead to. Captures
/// can take stones from either side, so a slice leads to all that have no more stones on the larger and on the smaller side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "Parts")]
pub struct SliceSet {
    /// By stones of the smaller side: the most stones of the larger side, or 0. Never rises with the index.
    most: [u8; MAX_POINTS + 1],
}

impl SliceSet {
    /// All slices with up to `stones` stones, and `slices` with all that they lead to.
    pub fn new(stones: usize, slices: impl IntoIterator<Item = Slice>) -> Self {
        slices.into_iter().fold(stones.into(), Self::with)
    }

    /// Whether the set has this slice.
    #[inline]
    #[must_use]
    pub fn contains(self, slice: Slice) -> bool {
        let (larger, smaller) = slice.sides();
        larger <= self.most_beside(smaller)
    }

    /// The most stones of the larger side beside so many of the smaller one; 0 if there is no slice with these.
    #[inline]
    fn most_beside(self, smaller: usize) -> usize {
        self.most.get(smaller).map_or(0, |&most| usize::from(most))
    }

    /// The same set with a slice of at most 64 stones on each side, and with all that it leads to.
    #[must_use]
    pub fn with(mut self, slice: Slice) -> Self {
        let (larger, smaller) = slice.sides();
        let larger = u8::try_from(larger.min(MAX_POINTS)).expect("at most 64");
        for most in &mut self.most[..=smaller.min(MAX_POINTS)] {
            *most = larger.max(*most);
        }
        self
    }

    /// The largest number of stones up to which the set has all slices; 0 if there is none.
    #[must_use]
    pub fn stones(self) -> usize {
        Slice::complete_up_to(2 * MAX_POINTS, |slice| self.contains(slice))
    }

    /// The fewest slices with more than [`stones`](Self::stones) that lead to all others, the most even first.
    pub fn beyond(self) -> impl Iterator<Item = Slice> {
        let stones = self.stones();
        let is_corner = move |smaller: &usize| self.most_beside(*smaller) > self.most_beside(smaller + 1);
        let corners = (1..=MAX_POINTS).rev().filter(is_corner);
        corners
            .map(move |smaller| Slice::new(self.most_beside(smaller), smaller))
            .filter(move |slice| slice.stones() > stones)
    }

    /// The most stones that a slice of the set has.
    #[must_use]
    pub fn most_stones(self) -> usize {
        let smaller = (1..=MAX_POINTS).filter(|&smaller| self.most_beside(smaller) > 0);
        smaller.map(|smaller| smaller + self.most_beside(smaller)).max().unwrap_or(0)
    }

    /// The slice of one stone more than [`stones`](Self::stones) to try next. One side is ahead by one or two, which has helped searches
    /// most often (`experiments/08-tables`), or else by more, or by none. Only slices of `reached` count. `None` if there is none.
    #[must_use]
    pub fn next_slice(self, reached: Self) -> Option<Slice> {
        let stones = self.stones() + 1;
        let ahead = (stones - 1).div_ceil(2) + 1..stones;
        let even = stones.is_multiple_of(2).then_some(stones / 2);
        ahead
            .chain(even)
            .map(|larger| Slice::new(larger, stones - larger))
            .find(|&slice| !self.contains(slice) && reached.contains(slice))
    }

    /// The slices of the set on a board with `points` points, in building order.
    pub fn slices(self, points: usize) -> impl Iterator<Item = Slice> {
        Slice::up_to(self.most_stones(), points).filter(move |&slice| self.contains(slice))
    }
}

/// All slices with up to `stones` stones, at most 64: no board with tables has more points.
impl From<usize> for SliceSet {
    fn from(stones: usize) -> Self {
        let stones = stones.min(MAX_POINTS);
        let slices = (1..=stones / 2).map(|smaller| Slice::new(stones - smaller, smaller));
        slices.fold(Self { most: [0; MAX_POINTS + 1] }, Self::with)
    }
}

/// One slice, and what it leads to.
impl From<Slice> for SliceSet {
    fn from(slice: Slice) -> Self {
        Self::new(0, [slice])
    }
}

/// The smallest set that has these slices.
impl FromIterator<Slice> for SliceSet {
    fn from_iter<I: IntoIterator<Item = Slice>>(slices: I) -> Self {
        Self::new(0, slices)
    }
}

/// As options of commands: `--stones 8 --slice 5v4`.
impl fmt::Display for SliceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--stones {}", self.stones())?;
        self.beyond().try_for_each(|slice| write!(f, " --slice {slice}"))
    }
}

/// The JSON form of a set.
#[derive(Serialize)]
struct Parts {
    stones: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    slices: Vec<Slice>,
}

impl From<SliceSet> for Parts {
    fn from(set: SliceSet) -> Self {
        Self { stones: set.stones(), slices: set.beyond().collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const POINTS: usize = 12;

    #[test]
    fn a_set_has_what_turns_lead_to_and_nothing_else() {
        for (stones, slices) in
            [(0, &[(5, 4)][..]), (0, &[(2, 7)]), (4, &[(3, 3)]), (6, &[(5, 2)]), (6, &[(4, 4), (7, 1), (6, 2)])]
        {
            let mut open: Vec<Slice> = slices.iter().map(|&(mover, opponent)| Slice::new(mover, opponent)).collect();
            let set = SliceSet::new(stones, open.iter().copied());
            let mut found: BTreeSet<Slice> = Slice::up_to(stones, POINTS).collect();
            while let Some(slice) = open.pop() {
                if found.insert(slice) {
                    // A paika, and captures of any number of stones but the last.
                    open.push(slice.twin());
                    open.extend((1..slice.opponent).map(|left| Slice::new(left, slice.mover)));
                }
            }
            assert_eq!(set.slices(POINTS).collect::<BTreeSet<_>>(), found, "{set}");
            assert!(Slice::up_to(POINTS, POINTS).all(|slice| set.contains(slice) == found.contains(&slice)), "{set}");
            // Its parts make it again, and so do all its slices.
            assert_eq!(SliceSet::new(set.stones(), set.beyond()), set);
            assert_eq!(found.into_iter().collect::<SliceSet>(), set);
        }
    }

    #[test]
    fn a_set_is_written_by_its_stones_and_what_is_beyond() {
        let written = |slices: &[(usize, usize)], stones: usize| {
            let slices = slices.iter().map(|&(mover, opponent)| Slice::new(mover, opponent));
            SliceSet::new(stones, slices).to_string()
        };
        assert_eq!(written(&[], 8), "--stones 8");
        assert_eq!(written(&[(6, 3), (4, 5)], 8), "--stones 8 --slice 5v4 --slice 6v3");
        assert_eq!(written(&[(3, 2), (4, 1)], 4), "--stones 5");
        assert_eq!(written(&[(2, 5)], 0), "--stones 5 --slice 5v2");
        assert_eq!((written(&[], 0), written(&[], 1)), ("--stones 0".to_owned(), "--stones 0".to_owned()));
        assert_eq!((SliceSet::from(0).most_stones(), SliceSet::from(Slice::new(64, 64)).most_stones()), (0, 128));
    }

    #[test]
    fn the_next_slice_has_one_stone_more() {
        let all = SliceSet::from(45);
        let next = |set: SliceSet| set.next_slice(all).map(|slice| (slice.mover, slice.opponent));
        assert_eq!(
            [0, 1, 2, 7, 8, 9].map(|stones| next(SliceSet::from(stones))),
            [None, None, Some((2, 1)), Some((5, 3)), Some((5, 4)), Some((6, 4))]
        );
        let mut set = SliceSet::from(8);
        for slice in [(5, 4), (6, 3), (7, 2), (8, 1)] {
            assert_eq!(next(set), Some(slice));
            set = set.with(Slice::new(slice.0, slice.1));
        }
        assert_eq!(set, SliceSet::from(9));
        // A side with one stone never has more.
        let few = SliceSet::from(Slice::new(1, 6));
        assert_eq!(SliceSet::from(4).next_slice(few), Some(Slice::new(4, 1)));
        assert_eq!(SliceSet::from(7).next_slice(few), None);
    }
}

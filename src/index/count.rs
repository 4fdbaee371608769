//! Counts the representatives below a set without listing them.
//!
//! A set is the representative of its orbit if no symmetry makes it smaller: for each element, at the highest point where
//! the set and its image differ, the image has a stone. The points are processed one orbit of points at a time. After each,
//! all that matters of the stones so far is, for each element, the highest difference found: where it is among the points
//! that can still differ, and which of the two has the stone. That is a finite automaton of a few hundred states (164 on
//! 9x5, 4160 on 7x7). Representatives are the sets it accepts, and dynamic programming counts them.

use std::collections::HashMap;

use crate::board::Symmetry;

/// For each element of the group: [`EQUAL`], [`PASSED`], or the highest difference as `1 + 2 * bound + stone`. `bound` is one
/// more than the next lower point that can still differ (0 if there is none), `stone` is 1 if the image has the stone.
type State = [u8; 8];

/// No difference was found so far.
const EQUAL: u8 = 0;

/// The image is not smaller, whatever comes.
const PASSED: u8 = u8::MAX;

/// In place of a state: some image is smaller, or there are too many stones.
const DEAD: u32 = u32::MAX;

/// The transitions for the stones on one orbit of points.
#[derive(Debug)]
struct Layer {
    /// Every possible set of stones on these points.
    sets: Vec<u64>,
    points: u64,
    /// By state, then by set: the next state, or [`DEAD`].
    next: Vec<u32>,
    /// Number of states after this layer.
    states: usize,
}

/// Counts representatives among the sets of up to some number of points.
#[derive(Debug)]
pub struct Counter {
    layers: Vec<Layer>,
}

impl Counter {
    /// A counter for sets of up to `size` of `points` points.
    #[must_use]
    pub fn new(symmetry: &Symmetry, points: usize, size: usize) -> Self {
        let orbits = point_orbits(symmetry, points);
        // For each element, the points of later orbits at which a set and its image can differ.
        let mut open = [0u64; 8];
        for (element, open) in open.iter_mut().enumerate().take(symmetry.order()) {
            *open = (0..points).filter(|&p| symmetry.point(element, p) != p).fold(0, |open, p| open | 1 << p);
        }
        // Each state with the fewest stones that lead to it.
        let mut states: Vec<(State, usize)> = vec![([EQUAL; 8], 0)];
        let mut layers = Vec::with_capacity(orbits.len());
        for own in orbits {
            open = open.map(|open| open & !own);
            let sets: Vec<u64> = subsets_of(own).filter(|set| set.count_ones() as usize <= size).collect();
            let differences: Vec<_> = sets.iter().map(|&set| differences(symmetry, own, set)).collect();
            let mut next = Vec::with_capacity(states.len() * sets.len());
            let (mut after, mut numbers) = (Vec::new(), HashMap::new());
            for &(state, fewest) in &states {
                for (set, found) in sets.iter().zip(&differences) {
                    let stones = fewest + set.count_ones() as usize;
                    let Some(state) = follow(state, found, &open).filter(|_| stones <= size) else {
                        next.push(DEAD);
                        continue;
                    };
                    let number = *numbers.entry(state).or_insert_with(|| {
                        after.push((state, stones));
                        after.len() - 1
                    });
                    after[number].1 = after[number].1.min(stones);
                    #[allow(clippy::cast_possible_truncation)] // some thousands
                    next.push(number as u32);
                }
            }
            layers.push(Layer { sets, points: own, next, states: after.len() });
            states = after;
        }
        Self { layers }
    }

    /// Number of representatives that are smaller than a set of the same size.
    #[must_use]
    pub fn below(&self, set: u64) -> u64 {
        let (mut rest, mut sum) = (set, 0);
        // A smaller set agrees with this one above some point, lacks that point, and has the others anywhere below.
        while rest != 0 {
            let (left, point) = (rest.count_ones(), rest.ilog2());
            rest ^= 1 << point;
            if left <= point {
                sum += self.count(u64::MAX << point, set >> point >> 1 << point << 1, left as usize);
            }
        }
        sum
    }

    /// Number of representatives that have exactly the stones `content` on the points `fixed`, and `left` on the others.
    fn count(&self, fixed: u64, content: u64, left: usize) -> u64 {
        // By state, then by number of stones on points that are not fixed.
        let width = left + 1;
        let mut counts = vec![0u64; width];
        counts[0] = 1;
        for layer in &self.layers {
            let mut after = vec![0; layer.states * width];
            let fits = |set: u64| set & fixed == content & layer.points;
            for (place, &set) in layer.sets.iter().enumerate().filter(|&(_, &set)| fits(set)) {
                let more = (set & !fixed).count_ones() as usize;
                let next = layer.next.iter().skip(place).step_by(layer.sets.len());
                for (counts, &next) in counts.chunks_exact(width).zip(next) {
                    if next != DEAD && more < width {
                        let after = &mut after[next as usize * width + more..][..width - more];
                        after.iter_mut().zip(counts).for_each(|(after, count)| *after += count);
                    }
                }
            }
            counts = after;
        }
        counts.iter().skip(left).step_by(width).sum()
    }
}

/// The orbits of points, those with the highest points first.
fn point_orbits(symmetry: &Symmetry, points: usize) -> Vec<u64> {
    let mut orbits: Vec<u64> = Vec::new();
    for point in (0..points).rev() {
        if orbits.iter().all(|orbit| orbit >> point & 1 == 0) {
            orbits.push((0..symmetry.order()).fold(0, |orbit, e| orbit | 1 << symmetry.point(e, point)));
        }
    }
    orbits
}

/// All subsets of a set, ascending.
fn subsets_of(set: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(0u64), move |&subset| (subset != set).then(|| subset.wrapping_sub(set) & set))
}

/// For each element, one more than the highest of `points` at which a set and its image differ, and whether the image has the
/// stone there. Zero if they do not differ on `points`.
fn differences(symmetry: &Symmetry, points: u64, set: u64) -> [(u8, bool); 8] {
    let mut found = [(0, false); 8];
    for (element, found) in found.iter_mut().enumerate().take(symmetry.order()) {
        let image = symmetry.set(element, set);
        let differ = (set ^ image) & points;
        if differ != 0 {
            let point = differ.ilog2();
            #[allow(clippy::cast_possible_truncation)] // at most 64
            let number = point as u8 + 1;
            *found = (number, image >> point & 1 == 1);
        }
    }
    found
}

/// The state after the differences of one more orbit of points; `None` if some image is certainly smaller. `open` has, for
/// each element, the points of later orbits that can differ.
fn follow(state: State, found: &[(u8, bool); 8], open: &[u64; 8]) -> Option<State> {
    let mut next = state;
    for ((state, &(point, stone)), &open) in next.iter_mut().zip(found).zip(open).filter(|((s, _), _)| **s != PASSED) {
        // The open points below this number are lower than the difference, the others higher.
        let known = (*state != EQUAL).then(|| ((*state - 1) / 2, *state % 2 == 0));
        let known = known.filter(|&(bound, _)| bound >= point).or((point > 0).then(|| (point - 1, stone)));
        *state = match known {
            None if open == 0 => PASSED,
            None => EQUAL,
            Some((bound, stone)) if open >> bound != 0 => {
                let lower = open & !(u64::MAX << bound);
                #[allow(clippy::cast_possible_truncation)] // at most 64
                let bound = (u64::BITS - lower.leading_zeros()) as u8;
                1 + 2 * bound + u8::from(stone)
            }
            Some((_, true)) => PASSED,
            Some((_, false)) => return None,
        };
    }
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::super::colex::{binomial, next_set};
    use super::*;
    use crate::board::BoardSize;

    /// The slow twin: tries all sets in order.
    #[test]
    fn counts_are_those_of_listed_representatives() {
        for (columns, rows, most) in
            [(9, 5, 3), (5, 5, 5), (5, 5, 21), (3, 3, 9), (7, 3, 21), (1, 7, 6), (1, 1, 1), (9, 7, 3), (7, 7, 3)]
        {
            let symmetry = Symmetry::new(BoardSize::new(columns, rows).unwrap());
            let points = columns * rows;
            for size in (0..=most).filter(|&size| binomial(points, size) < 60_000) {
                let counter = Counter::new(&symmetry, points, size);
                let (mut set, mut count) = ((0..size).fold(0, |set, point| set | 1 << point), 0);
                for rank in 0..binomial(points, size) {
                    if rank % 199 == 0 || rank < 50 {
                        assert_eq!(counter.below(set), count, "{columns}x{rows}: {set:#b}");
                    }
                    count += u64::from((0..symmetry.order()).all(|element| symmetry.set(element, set) >= set));
                    set = next_set(set);
                }
            }
        }
    }
}

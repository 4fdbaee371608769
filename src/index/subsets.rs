//! The k-subsets of a board's points, grouped into orbits under the board's symmetries and numbered by slots.
//!
//! Subsets are ranked in colexicographic order (the numeric order of their bit sets; Knuth, TAOCP 7.2.1.3). The
//! first subset of an orbit in that order is its representative, and orbits are numbered by representative. The
//! subset `g_e(representative)` has **slot** `order * orbit + e`. A symmetric subset fills several
//! slots of its orbit; [`Subsets::slot`] gives the first of them, and rows of distinct sets mark just those.
//!
//! Numbering a subset needs no list of the others: find its images, of which the smallest is its representative, rank that,
//! and read one word of an array with two bits a subset ([`Marks`]). That takes about 15 ns plus the memory access. The
//! first number among 16384 ranks takes up to a tenth of a millisecond more, and 4 kB.
//!
//! Builds go through all representatives again and again, so they get a list of them, made from the marks on first use.

use std::sync::OnceLock;

use crate::board::{Images, Symmetry};

use super::colex::binomial;
use super::marks::{Marks, Representatives};
use super::memory::zeroed;
use super::occupancy::{Occupancy, Stretch};
use super::share::share;

/// All subsets of one size.
#[derive(Debug)]
pub struct Subsets {
    order: usize,
    symmetry: Symmetry,
    orbits: usize,
    marks: Marks,
    rows: Occupancy,
    list: OnceLock<List>,
}

#[derive(Debug)]
struct List {
    representatives: Vec<u64>,
    /// Orbits of symmetric subsets, ascending.
    symmetric_orbits: Vec<u32>,
}

impl Subsets {
    /// The largest number of subsets of one size that slot numbers can distinguish. A build of more is refused when it is
    /// planned.
    pub const MAX: u64 = 1 << 31;

    /// The subsets of `size` of `points` points.
    ///
    /// # Panics
    /// If there are more than [`Subsets::MAX`] of them; with [`OutOfMemory`](super::OutOfMemory) if the system refuses the
    /// memory.
    #[must_use]
    pub fn new(symmetry: &Symmetry, points: usize, size: usize) -> Self {
        assert!(size <= points && binomial(points, size) <= Self::MAX, "too many subsets: {size} of {points}");
        #[allow(clippy::cast_possible_truncation)] // at most MAX
        let orbits = symmetry.orbits(size) as usize;
        let (order, symmetry) = (symmetry.order(), symmetry.clone());
        let marks = Marks::new(&symmetry, points, size);
        let rows = Occupancy::new(points, orbits * order);
        Self { order, symmetry, orbits, marks, rows, list: OnceLock::new() }
    }

    /// Number of orbits.
    #[must_use]
    pub fn orbits(&self) -> usize {
        self.orbits
    }

    /// Number of slots: the order of the group times the number of orbits.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.order * self.orbits
    }

    /// Number of 64-bit words that a row with a bit per slot takes.
    #[must_use]
    pub fn words(&self) -> usize {
        self.slots().div_ceil(64)
    }

    /// The first slot of a subset.
    #[inline]
    #[must_use]
    pub fn slot(&self, set: u64) -> usize {
        let (orbit, element) = self.orbit(set);
        self.order * orbit + element
    }

    /// Orbit and group element of the first slot of a subset: the subset is that element's image of the representative.
    #[inline]
    #[must_use]
    pub fn orbit(&self, set: u64) -> (usize, usize) {
        self.orbit_of_images(&self.symmetry.images(set))
    }

    /// As [`orbit`](Self::orbit), of a subset whose images are known.
    #[inline(always)]
    #[must_use]
    pub fn orbit_of_images(&self, images: &Images) -> (usize, usize) {
        let (representative, element) = images.smallest();
        (self.marks.orbit(representative), element)
    }

    /// The number of the orbit of a representative.
    #[inline]
    #[must_use]
    pub fn orbit_of(&self, representative: u64) -> usize {
        self.marks.orbit(representative)
    }

    /// The representatives from that of some orbit on.
    ///
    /// # Panics
    /// If there is no such orbit.
    #[must_use]
    pub fn representatives_from(&self, orbit: usize) -> Representatives<'_> {
        self.marks.from(orbit)
    }

    /// The representatives, by orbit. Listed on first use: 8 bytes an orbit.
    ///
    /// # Panics
    /// With [`OutOfMemory`](super::OutOfMemory) if the system refuses the memory.
    #[must_use]
    pub fn representatives(&self) -> &[u64] {
        &self.list().representatives
    }

    /// The subset in a slot. Lists the representatives.
    #[inline]
    #[must_use]
    pub fn subset(&self, slot: usize) -> u64 {
        self.symmetry.set(slot % self.order, self.representatives()[slot / self.order])
    }

    /// Every slot that is not the first of its subset, with the one that is. Lists the representatives.
    pub fn equal_slots(&self) -> impl Iterator<Item = (usize, usize)> {
        let slots = self.list().symmetric_orbits.iter().flat_map(|&orbit| {
            let first = self.order * orbit as usize;
            first..first + self.order
        });
        slots.map(|slot| (slot, self.slot(self.subset(slot)))).filter(|(slot, first)| slot != first)
    }

    /// Number of different subsets in the orbit of a subset.
    #[must_use]
    pub fn orbit_size(&self, set: u64) -> usize {
        self.order / (0..self.order).filter(|&element| self.symmetry.set(element, set) == set).count()
    }

    /// Stretch `number` of the rows that mark the subsets with each point and the first slot of each subset.
    ///
    /// # Panics
    /// If there are no such words; with [`OutOfMemory`](super::OutOfMemory) if the system has no memory for them.
    #[inline]
    #[must_use]
    pub fn stretch(&self, number: usize) -> Stretch<'_> {
        self.rows.stretch(number, &self.symmetry, |orbit| self.representatives_from(orbit))
    }

    fn list(&self) -> &List {
        self.list.get_or_init(|| {
            let pieces: Vec<usize> = (0..self.marks.parts()).step_by(PIECE).collect();
            share(pieces, |first| {
                (first..self.marks.parts().min(first + PIECE)).for_each(|part| self.marks.make_part(part));
            });
            let mut representatives = zeroed(self.orbits);
            let (mut left, mut parts) = (&mut representatives[..], Vec::new());
            for part in (0..self.marks.parts()).step_by(PIECE) {
                let (start, end) = (self.marks.start(part), self.marks.start(self.marks.parts().min(part + PIECE)));
                let (own, others) = left.split_at_mut((end - start) as usize);
                left = others;
                parts.push((start, own));
            }
            let symmetric_orbits = share(parts, |(start, own)| self.fill_list(start, own));
            List { representatives, symmetric_orbits: symmetric_orbits.concat() }
        })
    }

    /// Lists the representatives from orbit `start` on, and returns which of these orbits are of symmetric subsets.
    fn fill_list(&self, start: u32, representatives: &mut [u64]) -> Vec<u32> {
        let mut symmetric_orbits = Vec::new();
        if representatives.is_empty() {
            return symmetric_orbits;
        }
        let sets = self.marks.from(start as usize);
        for ((place, set), orbit) in representatives.iter_mut().zip(sets).zip(start..) {
            *place = set;
            if (1..self.order).any(|element| self.symmetry.set(element, set) == set) {
                symmetric_orbits.push(orbit);
            }
        }
        symmetric_orbits
    }
}

/// Parts of the marks in a piece of work.
const PIECE: usize = 16;

#[cfg(test)]
mod tests {
    use super::super::occupancy::STRETCH;
    use super::*;
    use crate::board::BoardSize;

    #[test]
    fn slots_and_subsets_are_inverse() {
        for (columns, rows, size) in
            [(9, 5, 4), (5, 5, 5), (3, 5, 7), (3, 3, 9), (5, 1, 2), (1, 1, 1), (9, 7, 2), (9, 5, 0)]
        {
            let board = BoardSize::new(columns, rows).unwrap();
            let symmetry = Symmetry::new(board);
            let subsets = Subsets::new(&symmetry, board.points(), size);
            let mut seen = std::collections::HashSet::new();
            for slot in 0..subsets.slots() {
                let set = subsets.subset(slot);
                assert_eq!(set.count_ones() as usize, size);
                let stretch = subsets.stretch(slot / 64 / STRETCH);
                let bit = |row: &[u64; STRETCH]| row[slot / 64 % STRETCH] >> (slot % 64) & 1 == 1;
                let first = bit(stretch.distinct());
                assert!((0..board.points()).all(|point| bit(stretch.with(point)) == (set >> point & 1 == 1)));
                assert_eq!(first, subsets.slot(set) == slot);
                assert_eq!(first, seen.insert(set));
                assert_eq!(subsets.slot(set) / symmetry.order(), slot / symmetry.order());
                let orbit = subsets.orbit(set);
                assert_eq!(symmetry.set(orbit.1, subsets.representatives()[orbit.0]), set);
            }
            assert_eq!(seen.len() as u64, binomial(board.points(), size));
            let space = super::super::Space::new(board, crate::board::Diagonals::Corner);
            assert_eq!(space.orbits(size), subsets.orbits() as u64);
            assert_eq!(space.words(size), subsets.words() as u64);
            let by_orbit: usize = subsets.representatives().iter().map(|&set| subsets.orbit_size(set)).sum();
            assert_eq!(by_orbit, seen.len());
        }
    }

    fn ascending(points: usize, size: usize) -> Vec<u64> {
        if size == 0 {
            return vec![0];
        }
        let with = |highest| ascending(highest, size - 1).into_iter().map(move |rest| rest | 1 << highest);
        (size - 1..points).flat_map(with).collect()
    }

    /// Numbers orbits and slots as the definition says, one subset after another.
    #[test]
    fn any_number_of_threads_numbers_as_the_definition_says() {
        for (columns, rows, size) in [(7, 5, 6), (5, 5, 8), (3, 3, 0), (1, 3, 2)] {
            let symmetry = Symmetry::new(BoardSize::new(columns, rows).unwrap());
            let points = columns * rows;
            let mut slots = std::collections::HashMap::new();
            let (mut representatives, mut symmetric) = (Vec::new(), Vec::new());
            for set in ascending(points, size) {
                if slots.contains_key(&set) {
                    continue;
                }
                for element in 0..symmetry.order() {
                    let slot = symmetry.order() * representatives.len() + element;
                    slots.entry(symmetry.set(element, set)).or_insert(slot);
                }
                if (1..symmetry.order()).any(|element| symmetry.set(element, set) == set) {
                    symmetric.push(u32::try_from(representatives.len()).unwrap());
                }
                representatives.push(set);
            }
            for threads in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let subsets = pool.install(|| Subsets::new(&symmetry, points, size));
                assert!(subsets.representatives() == representatives);
                assert_eq!(subsets.list().symmetric_orbits, symmetric);
                assert!(slots.iter().all(|(&set, &slot)| subsets.slot(set) == slot), "{columns}x{rows} {size}");
            }
        }
    }
}

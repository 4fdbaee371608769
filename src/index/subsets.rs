//! The k-subsets of a board's points, grouped into orbits under the board's symmetries and numbered by slots.
//!
//! Subsets are ranked in colexicographic order (the numeric order of their bit sets; Knuth, TAOCP 7.2.1.3). The
//! first subset of an orbit in that order is its representative, and orbits are numbered by representative. The
//! subset `g_e(representative)` has **slot** `order * orbit + e`. A subset with symmetries of its own fills several
//! slots of its orbit; [`Subsets::slot`] gives the first of them, and [`Subsets::distinct`] marks just those.

use crate::board::Symmetry;

use super::memory::{filled, with_room};

/// Binomial coefficient, saturating.
#[must_use]
pub fn binomial(n: usize, k: usize) -> u64 {
    if k > n {
        return 0;
    }
    let value = (0..k.min(n - k) as u128).try_fold(1u128, |value, i| Some(value.checked_mul(n as u128 - i)? / (i + 1)));
    value.and_then(|value| u64::try_from(value).ok()).unwrap_or(u64::MAX)
}

/// All subsets of one size.
#[derive(Debug)]
pub struct Subsets {
    size: usize,
    order: usize,
    symmetry: Symmetry,
    /// `terms[i][p]` is C(p, i + 1): what a point adds to the rank as the (i+1)-th lowest of its set.
    terms: Vec<[u32; 64]>,
    slot_of_rank: Vec<u32>,
    representatives: Vec<u64>,
    /// Orbits whose subsets have symmetries of their own.
    symmetric_orbits: Vec<u32>,
}

impl Subsets {
    /// The most subsets of one size that slot numbers can tell apart; boards and stone counts above it are refused
    /// when a build is planned.
    pub const MOST: u64 = 1 << 31;

    /// Enumerates the subsets of `size` of `points` points. Time and memory grow with C(points, size), at 4 bytes a
    /// subset and 8 an orbit.
    ///
    /// # Panics
    /// If there are more than [`Subsets::MOST`] of them; with [`OutOfMemory`](super::OutOfMemory) if the system has no memory
    /// for them.
    #[must_use]
    pub fn new(symmetry: &Symmetry, points: usize, size: usize) -> Self {
        let total = binomial(points, size);
        assert!(size <= points && total <= Self::MOST, "too many subsets: {size} of {points}");
        let order = symmetry.order();
        #[allow(clippy::cast_possible_truncation)] // terms are ranks, below the total
        let terms: Vec<[u32; 64]> =
            (0..size).map(|i| std::array::from_fn(|p| binomial(p, i + 1).min(total) as u32)).collect();
        #[allow(clippy::cast_possible_truncation)] // bounded above
        let mut slot_of_rank = filled(u32::MAX, total as usize);
        #[allow(clippy::cast_possible_truncation)]
        let mut representatives = with_room(total as usize / order + total as usize / 64 + 1);
        let mut symmetric_orbits = Vec::new();
        let mut set = if size == 64 { u64::MAX } else { (1u64 << size) - 1 };
        for rank in 0..slot_of_rank.len() {
            if slot_of_rank[rank] == u32::MAX {
                #[allow(clippy::cast_possible_truncation)] // at most MOST
                let orbit = representatives.len() as u32;
                representatives.push(set);
                let mut symmetric = false;
                for element in 0..order {
                    let slot = &mut slot_of_rank[rank_with(&terms, symmetry.set(element, set))];
                    if *slot == u32::MAX {
                        #[allow(clippy::cast_possible_truncation)]
                        let number = orbit * order as u32 + element as u32;
                        *slot = number;
                    } else {
                        symmetric = true;
                    }
                }
                if symmetric {
                    symmetric_orbits.push(orbit);
                }
            }
            set = next_subset(set);
        }
        representatives.shrink_to_fit();
        Self { size, order, symmetry: symmetry.clone(), terms, slot_of_rank, representatives, symmetric_orbits }
    }

    /// Number of points in each subset.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Number of orbits.
    #[must_use]
    pub fn orbits(&self) -> usize {
        self.representatives.len()
    }

    /// Number of slots: the order of the group times the number of orbits.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.order * self.orbits()
    }

    /// Number of 64-bit words that a row with a bit per slot takes.
    #[must_use]
    pub fn words(&self) -> usize {
        self.slots().div_ceil(64)
    }

    /// The representatives, by orbit.
    #[must_use]
    pub fn representatives(&self) -> &[u64] {
        &self.representatives
    }

    /// Orbits whose subsets have symmetries of their own, ascending.
    #[must_use]
    pub fn symmetric_orbits(&self) -> &[u32] {
        &self.symmetric_orbits
    }

    /// The first slot of a subset.
    #[inline]
    #[must_use]
    pub fn slot(&self, set: u64) -> usize {
        self.slot_of_rank[rank_with(&self.terms, set)] as usize
    }

    /// Orbit and group element of the first slot of a subset: the subset is that element's image of the representative.
    #[inline]
    #[must_use]
    pub fn orbit(&self, set: u64) -> (usize, usize) {
        let slot = self.slot(set);
        if self.order == 4 { (slot / 4, slot % 4) } else { (slot / 8, slot % 8) }
    }

    /// The subset in a slot.
    #[inline]
    #[must_use]
    pub fn subset(&self, slot: usize) -> u64 {
        self.symmetry.set(slot % self.order, self.representatives[slot / self.order])
    }

    /// Every slot that is not the first of its subset, with the one that is.
    pub fn equal_slots(&self) -> impl Iterator<Item = (usize, usize)> {
        let slots = self.symmetric_orbits.iter().flat_map(|&orbit| {
            let first = self.order * orbit as usize;
            first..first + self.order
        });
        slots.map(|slot| (slot, self.slot(self.subset(slot)))).filter(|(slot, first)| slot != first)
    }

    /// Number of different subsets in an orbit.
    #[must_use]
    pub fn orbit_size(&self, orbit: usize) -> usize {
        // Few are symmetric, and their list stays in a cache where the numbers of sets do not.
        if self.symmetric_orbits.binary_search_by_key(&orbit, |&symmetric| symmetric as usize).is_err() {
            return self.order;
        }
        (0..self.order).filter(|&element| self.is_first(orbit, element)).count()
    }

    fn is_first(&self, orbit: usize, element: usize) -> bool {
        let slot = self.order * orbit + element;
        self.slot(self.subset(slot)) == slot
    }

    /// A row that marks one slot for each subset.
    #[must_use]
    pub fn distinct(&self) -> Vec<u64> {
        let mut row = vec![u64::MAX; self.words()];
        if !self.slots().is_multiple_of(64) {
            row[self.slots() / 64] = (1 << (self.slots() % 64)) - 1;
        }
        for &orbit in &self.symmetric_orbits {
            for element in (0..self.order).filter(|&element| !self.is_first(orbit as usize, element)) {
                let slot = self.order * orbit as usize + element;
                row[slot / 64] &= !(1 << (slot % 64));
            }
        }
        row
    }
}

#[inline]
fn rank_with(terms: &[[u32; 64]], mut set: u64) -> usize {
    let mut rank = 0;
    for row in terms {
        rank += row[(set.trailing_zeros() & 63) as usize];
        set &= set.wrapping_sub(1);
    }
    rank as usize
}

/// The next larger number with the same number of bits (Gosper's hack); anything once there is none.
fn next_subset(set: u64) -> u64 {
    if set == 0 {
        return 0;
    }
    let lowest = set & set.wrapping_neg();
    let ripple = set.wrapping_add(lowest);
    ripple | ((set ^ ripple) >> 2).checked_div(lowest).unwrap_or(0)
}

#[cfg(test)]
mod tests {
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
            let distinct = subsets.distinct();
            let mut seen = std::collections::HashSet::new();
            for slot in 0..subsets.slots() {
                let set = subsets.subset(slot);
                assert_eq!(set.count_ones() as usize, size);
                let first = distinct[slot / 64] >> (slot % 64) & 1 == 1;
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
            let by_orbit: usize = (0..subsets.orbits()).map(|orbit| subsets.orbit_size(orbit)).sum();
            assert_eq!(by_orbit, seen.len());
        }
    }

    #[test]
    fn binomials() {
        assert_eq!(binomial(45, 7), 45_379_620);
        assert_eq!(binomial(64, 32), 1_832_624_140_942_590_534);
        assert_eq!(binomial(3, 4), 0);
        assert_eq!(binomial(169, 80), u64::MAX);
    }
}

//! The k-subsets of a board's points, grouped into orbits under the board's symmetries and numbered by slots.
//!
//! Subsets are ranked in colexicographic order (the numeric order of their bit sets; Knuth, TAOCP 7.2.1.3). The
//! first subset of an orbit in that order is its representative, and orbits are numbered by representative. The
//! subset `g_e(representative)` has **slot** `order * orbit + e`. A symmetric subset fills several
//! slots of its orbit; [`Subsets::slot`] gives the first of them, and [`Subsets::distinct`] marks just those.

use crate::board::{Symmetry, inverse};

use super::memory::zeroed;
use super::share::share;

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
    /// Orbits of symmetric subsets.
    symmetric_orbits: Vec<u32>,
}

impl Subsets {
    /// The largest number of subsets of one size that slot numbers can distinguish. A build of more is refused when it is
    /// planned.
    pub const MAX: u64 = 1 << 31;

    /// Enumerates the subsets of `size` of `points` points. Time and memory grow with C(points, size), at 4 bytes a
    /// subset and 8 an orbit.
    ///
    /// # Panics
    /// If there are more than [`Subsets::MAX`] of them; with [`OutOfMemory`](super::OutOfMemory) if the system refuses the
    /// memory.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // at most MAX
    pub fn new(symmetry: &Symmetry, points: usize, size: usize) -> Self {
        let total = binomial(points, size);
        assert!(size <= points && total <= Self::MAX, "too many subsets: {size} of {points}");
        let terms: Vec<[u32; 64]> =
            (0..size).map(|i| std::array::from_fn(|p| binomial(p, i + 1).min(total) as u32)).collect();
        let total = total as usize;
        let mut firsts = zeroed(total.div_ceil(WORD));
        let parts = firsts.chunks_mut(PART / WORD).enumerate().collect();
        share(parts, |(part, words)| {
            let rank = PART * part;
            mark_firsts(symmetry, subset_of_rank(&terms, rank), total - rank, words);
        });
        let mut orbits = 0;
        for word in &mut firsts {
            let own = word.count_ones();
            *word |= u64::from(orbits) << WORD;
            orbits += own;
        }
        let mut slot_of_rank = zeroed(total);
        let mut representatives = zeroed(orbits as usize);
        let mut left = &mut representatives[..];
        let mut parts = Vec::with_capacity(total.div_ceil(PART));
        for (part, slots) in slot_of_rank.chunks_mut(PART).enumerate() {
            let before = |part| firsts.get(PART / WORD * part).map_or(orbits, |&word| (word >> WORD) as u32);
            let (own, others) = left.split_at_mut((before(part + 1) - before(part)) as usize);
            left = others;
            parts.push((PART * part, before(part), slots, own));
        }
        let symmetric_orbits = share(parts, |(rank, orbit, slots, representatives)| {
            fill_slots(symmetry, &terms, &firsts, subset_of_rank(&terms, rank), orbit, slots, representatives)
        });
        let symmetric_orbits = symmetric_orbits.concat();
        let (order, symmetry) = (symmetry.order(), symmetry.clone());
        Self { size, order, symmetry, terms, slot_of_rank, representatives, symmetric_orbits }
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

    /// Orbits of symmetric subsets, ascending.
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
        // Few orbits are symmetric: their list stays in a processor cache, the numbers of all sets do not.
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

/// Ranks that share a word: one bit each, set for representatives, and above the bits the number of orbits before this word.
/// This takes far less memory than all slots, so look-ups are faster.
const WORD: usize = 32;

/// Ranks in a piece of work.
const PART: usize = 1 << 18;

/// Marks the representatives among `count` subsets from `set` on.
fn mark_firsts(symmetry: &Symmetry, mut set: u64, count: usize, words: &mut [u64]) {
    for (number, word) in words.iter_mut().enumerate() {
        for bit in 0..WORD.min(count - WORD * number) {
            *word |= u64::from((1..symmetry.order()).all(|element| symmetry.set(element, set) >= set)) << bit;
            set = next_subset(set);
        }
    }
}

/// Numbers the slots of the subsets from `set` on, and lists the representatives among them; the first is that of `orbit`.
/// Returns the orbits of symmetric subsets among them.
#[allow(clippy::cast_possible_truncation)] // ranks, orbits, and elements of a group
fn fill_slots(
    symmetry: &Symmetry,
    terms: &[[u32; 64]],
    firsts: &[u64],
    mut set: u64,
    orbit: u32,
    slots: &mut [u32],
    representatives: &mut [u64],
) -> Vec<u32> {
    /// Lookups that wait for memory together.
    const BATCH: usize = 64;
    let mut elements = [0; BATCH];
    let mut orbits = representatives.iter_mut().zip(orbit..);
    let mut symmetric_orbits = Vec::new();
    for slots in slots.chunks_mut(BATCH) {
        for (slot, back) in slots.iter_mut().zip(&mut elements) {
            // The first element that takes the representative to the set.
            let (mut first, mut symmetric) = (set, false);
            *back = 0;
            for element in 1..symmetry.order() {
                let image = symmetry.set(element, set);
                symmetric |= image == set;
                if image < first || image == first && inverse(element) < *back {
                    (first, *back) = (image, inverse(element));
                }
            }
            if first == set
                && let Some((representative, orbit)) = orbits.next()
            {
                *representative = set;
                symmetric_orbits.extend(symmetric.then_some(orbit));
            }
            *slot = rank_with(terms, first) as u32;
            set = next_subset(set);
        }
        for (slot, back) in slots.iter_mut().zip(elements) {
            let (word, bit) = (firsts[*slot as usize / WORD], *slot as usize % WORD);
            let orbit = (word >> WORD) as u32 + (word as u32 & !(u32::MAX << bit)).count_ones();
            *slot = symmetry.order() as u32 * orbit + back as u32;
        }
    }
    symmetric_orbits
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

/// The set with this rank.
fn subset_of_rank(terms: &[[u32; 64]], mut rank: usize) -> u64 {
    let mut set = 0;
    for row in terms.iter().rev() {
        let point = row.partition_point(|&term| term as usize <= rank) - 1;
        rank -= row[point] as usize;
        set |= 1 << point;
    }
    set
}

/// The next larger number with the same number of bits (Gosper's hack); arbitrary if there is none.
fn next_subset(set: u64) -> u64 {
    let lowest = set & set.wrapping_neg();
    let ripple = set.wrapping_add(lowest);
    ripple | ((set ^ ripple) >> 2).checked_shr(set.trailing_zeros()).unwrap_or(0)
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
                assert_eq!(subsets.symmetric_orbits(), symmetric);
                assert!(slots.iter().all(|(&set, &slot)| subsets.slot(set) == slot), "{columns}x{rows} {size}");
                assert_eq!(subsets.slot_of_rank.len(), slots.len());
            }
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

//! Numbers the opponent's sets among the points that the mover leaves free: a row of the crowded form.

use super::colex::binomial;

/// Ranks sets of `size` points that avoid a given set, in colexicographic order of the points that are left.
#[derive(Clone, Debug)]
pub struct ComplementRank {
    /// `terms[i][p]` is C(p, i + 1).
    terms: Vec<[u32; 64]>,
    count: usize,
}

impl ComplementRank {
    /// Ranks of sets of `size` among `left` points.
    ///
    /// # Panics
    /// If there are 2^32 or more of them.
    #[must_use]
    pub fn new(left: usize, size: usize) -> Self {
        let count = binomial(left, size);
        assert!(u32::try_from(count).is_ok(), "too many sets for a crowded row: {size} of {left} points");
        #[allow(clippy::cast_possible_truncation)] // capped by the number of sets
        let term = |i: usize, p: usize| binomial(p, i + 1).min(count) as u32;
        let terms = (0..size).map(|i| std::array::from_fn(|p| term(i, p))).collect();
        #[allow(clippy::cast_possible_truncation)] // checked above
        Self { terms, count: count as usize }
    }

    /// Number of sets.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The rank of a set that has no point in common with `taken`.
    #[inline]
    #[must_use]
    pub fn rank(&self, taken: u64, mut set: u64) -> usize {
        let mut rank = 0;
        for row in &self.terms {
            let point = set.trailing_zeros();
            let place = point - (taken & ((1u64 << point) - 1)).count_ones();
            rank += row[place as usize] as usize;
            set &= set.wrapping_sub(1);
        }
        rank
    }

    /// All sets that avoid `taken` on a board with `points` points, by rank.
    pub fn sets(&self, taken: u64, points: usize) -> impl Iterator<Item = u64> + use<> {
        let free: Vec<u64> = (0..points).map(|point| 1 << point).filter(|point| taken & point == 0).collect();
        let mut places: Vec<usize> = (0..self.terms.len()).collect();
        (0..self.count).map(move |_| {
            let set = places.iter().fold(0, |set, &place| set | free[place]);
            // Colexicographic successor: the lowest point that can move up does, those below it start again.
            let size = places.len();
            if let Some(i) = (0..size).find(|&i| i + 1 == size || places[i] + 1 < places[i + 1]) {
                places[i] += 1;
                for (j, place) in places[..i].iter_mut().enumerate() {
                    *place = j;
                }
            }
            set
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_number_the_sets() {
        for (points, taken, size) in
            [(9, 0b1_0010_0100u64, 3), (15, 0b101, 1), (21, 0x1f0f0, 5), (5, 0b11, 0), (4, 0, 4)]
        {
            let ranks = ComplementRank::new(points - taken.count_ones() as usize, size);
            let sets: Vec<u64> = ranks.sets(taken, points).collect();
            assert_eq!(sets.len() as u64, binomial(points - taken.count_ones() as usize, size));
            assert!(sets.is_sorted());
            for (rank, &set) in sets.iter().enumerate() {
                assert_eq!((set & taken, set.count_ones() as usize), (0, size));
                assert_eq!(ranks.rank(taken, set), rank);
            }
        }
    }
}

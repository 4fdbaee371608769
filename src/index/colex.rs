//! Ranks of sets of one size in colexicographic order: the numeric order of their bit sets (Knuth, TAOCP 7.2.1.3).

/// Binomial coefficient, saturating.
#[must_use]
pub fn binomial(n: usize, k: usize) -> u64 {
    if k > n {
        return 0;
    }
    let value = (0..k.min(n - k) as u128).try_fold(1u128, |value, i| Some(value.checked_mul(n as u128 - i)? / (i + 1)));
    value.and_then(|value| u64::try_from(value).ok()).unwrap_or(u64::MAX)
}

/// The ranks of sets of one size.
#[derive(Debug)]
pub struct Colex {
    /// `terms[i][p]` is C(p, i + 1): what a point adds to the rank as the (i+1)-th lowest of its set.
    terms: Vec<[u32; 64]>,
    count: usize,
}

impl Colex {
    /// The ranks of the sets of `size` of `points` points; fewer than 2^32 of them.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // by the caller
    pub fn new(points: usize, size: usize) -> Self {
        let count = binomial(points, size);
        let term = |i: usize, p: usize| binomial(p, i + 1).min(count) as u32;
        let terms = (0..size).map(|i| std::array::from_fn(|p| term(i, p))).collect();
        Self { terms, count: count as usize }
    }

    /// Number of sets.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of sets of `size` points that are all below `point`: what `point` adds to the rank of a set in which it is the
    /// `size`-th lowest. `size` is from 1 up to that of the sets.
    #[inline]
    #[must_use]
    pub fn below(&self, point: usize, size: usize) -> usize {
        self.terms[size - 1][point] as usize
    }

    /// The rank of a set.
    #[inline(always)]
    #[must_use]
    pub fn rank(&self, mut set: u64) -> usize {
        let mut rank = 0;
        for row in &self.terms {
            rank += row[(set.trailing_zeros() & 63) as usize];
            set &= set.wrapping_sub(1);
        }
        rank as usize
    }

    /// The set with this rank.
    #[must_use]
    pub fn set(&self, mut rank: usize) -> u64 {
        let mut set = 0;
        for row in self.terms.iter().rev() {
            let point = row.partition_point(|&term| term as usize <= rank) - 1;
            rank -= row[point] as usize;
            set |= 1 << point;
        }
        set
    }
}

/// The next larger number with the same number of bits (Gosper's hack); arbitrary if there is none.
#[inline]
#[must_use]
pub fn next_set(set: u64) -> u64 {
    let lowest = set & set.wrapping_neg();
    let ripple = set.wrapping_add(lowest);
    ripple | ((set ^ ripple) >> 2).checked_shr(set.trailing_zeros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials() {
        assert_eq!(binomial(45, 7), 45_379_620);
        assert_eq!(binomial(64, 32), 1_832_624_140_942_590_534);
        assert_eq!(binomial(3, 4), 0);
        assert_eq!(binomial(169, 80), u64::MAX);
    }

    #[test]
    fn ranks_follow_the_order_of_numbers() {
        for (points, size) in [(9, 4), (15, 0), (15, 15), (10, 1), (64, 2)] {
            let ranks = Colex::new(points, size);
            let mut set = if size == 64 { u64::MAX } else { (1 << size) - 1 };
            for rank in 0..ranks.count() {
                assert_eq!((ranks.rank(set), ranks.set(rank)), (rank, set));
                set = next_set(set);
            }
            assert_eq!(ranks.count() as u64, binomial(points, size));
        }
    }
}

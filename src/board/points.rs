//! Sets of points as bit sets: a `u64` for boards of up to 64 points, [`Wide`] above.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// A set of points of one board. Point `column + columns * row` is bit number `column + columns * row`.
pub trait PointSet:
    Copy
    + Debug
    + Default
    + Eq
    + Hash
    + Ord
    + Send
    + Sync
    + From<u64>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
{
    /// Largest number of points in a set of this type.
    const CAPACITY: usize;

    /// The set of this point alone.
    fn point(point: usize) -> Self;

    /// Number of points in the set.
    fn count(self) -> usize;

    /// The lowest point of the set, if any.
    fn first(self) -> Option<usize>;

    /// The points below 64 as a word.
    fn low(self) -> u64;

    /// Every point moved up by `distance` bits; bits shifted out are lost.
    #[must_use]
    fn up(self, distance: usize) -> Self;

    /// Every point moved down by `distance` bits; bits shifted out are lost.
    #[must_use]
    fn down(self, distance: usize) -> Self;

    /// True if the point is in the set.
    #[inline]
    fn contains(self, point: usize) -> bool {
        !(self & Self::point(point)).is_empty()
    }

    /// True if the set is empty.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The points of this set that are not in the other.
    #[inline]
    #[must_use]
    fn without(self, other: Self) -> Self {
        self & !other
    }

    /// The points of the set, lowest first.
    #[inline]
    fn iter(self) -> Points<Self> {
        Points(self)
    }
}

/// Iterator over the points of a set, lowest first.
#[derive(Clone, Debug)]
pub struct Points<P>(P);

impl<P: PointSet> Iterator for Points<P> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let point = self.0.first()?;
        self.0 = self.0.without(P::point(point));
        Some(point)
    }
}

impl PointSet for u64 {
    const CAPACITY: usize = 64;

    #[inline]
    fn point(point: usize) -> Self {
        1 << point
    }

    #[inline]
    fn count(self) -> usize {
        self.count_ones() as usize
    }

    #[inline]
    fn first(self) -> Option<usize> {
        (self != 0).then(|| self.trailing_zeros() as usize)
    }

    #[inline]
    fn low(self) -> u64 {
        self
    }

    #[inline]
    fn up(self, distance: usize) -> Self {
        self << distance
    }

    #[inline]
    fn down(self, distance: usize) -> Self {
        self >> distance
    }
}

/// A set of up to 192 points, for boards of more than 64 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Wide([u64; 3]);

impl Wide {
    #[inline]
    fn zip(self, other: Self, op: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| op(self.0[i], other.0[i])))
    }
}

/// The points of the first word.
impl From<u64> for Wide {
    #[inline]
    fn from(first: u64) -> Self {
        Self([first, 0, 0])
    }
}

impl BitAnd for Wide {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for Wide {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl BitXor for Wide {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}

impl Not for Wide {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

impl BitAndAssign for Wide {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl BitOrAssign for Wide {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl PointSet for Wide {
    const CAPACITY: usize = 192;

    #[inline]
    fn point(point: usize) -> Self {
        let mut words = [0; 3];
        words[point / 64] = 1 << (point % 64);
        Self(words)
    }

    #[inline]
    fn count(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[inline]
    fn first(self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    #[inline]
    fn low(self) -> u64 {
        self.0[0]
    }

    #[inline]
    fn up(self, distance: usize) -> Self {
        debug_assert!(0 < distance && distance < 64);
        let [a, b, c] = self.0;
        Self([a << distance, (b << distance) | (a >> (64 - distance)), (c << distance) | (b >> (64 - distance))])
    }

    #[inline]
    fn down(self, distance: usize) -> Self {
        debug_assert!(0 < distance && distance < 64);
        let [a, b, c] = self.0;
        Self([(a >> distance) | (b << (64 - distance)), (b >> distance) | (c << (64 - distance)), c >> distance])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_sets_shift_across_words() {
        let set = Wide::point(5) | Wide::point(63) | Wide::point(100) | Wide::point(127);
        assert_eq!(set.up(14).iter().collect::<Vec<_>>(), [19, 77, 114, 141]);
        assert_eq!(set.up(14).down(14), set);
        assert_eq!(set.down(14).iter().collect::<Vec<_>>(), [49, 86, 113]);
        assert_eq!(set.count(), 4);
        assert!((!set).contains(6) && !(!set).contains(100));
    }
}

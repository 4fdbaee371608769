//! Positions up to the symmetries of the board, and their keys in the transposition table.

use xxhash_rust::xxh3::xxh3_128;

use crate::board::{BoardSize, Symmetry};

/// A position with the side to move first, in the one of its symmetric images that searches use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Canonical {
    /// The stones of the side to move.
    pub mover: u64,
    /// The stones of the other side.
    pub opponent: u64,
}

impl Canonical {
    /// Number of stones.
    #[must_use]
    pub fn stones(self) -> usize {
        (self.mover.count_ones() + self.opponent.count_ones()) as usize
    }

    /// The key of the position in a question in which its mover attacks, or defends.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // parts of the hash
    pub fn key(self, attacker_moves: bool) -> Key {
        // Boards have an odd number of points, so the highest bit is free. A seed of the hash would not do for the question:
        // with so few bytes it acts like a change of some of their bits, so that neighbouring positions would collide.
        let mover = self.mover | u64::from(attacker_moves) << 63;
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&mover.to_le_bytes());
        bytes[8..].copy_from_slice(&self.opponent.to_le_bytes());
        let hash = xxh3_128(&bytes);
        Key { check: hash as u64, more: (hash >> 64) as u16 }
    }
}

/// The key of a position and its question in the transposition table: 80 bits of a hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The leading bits choose the bucket.
    pub check: u64,
    /// More bits to distinguish positions.
    pub more: u16,
}

/// Finds the canonical image of positions: the least of all images, the mover's set compared first.
///
/// Flips are done with shifts, since a search does this for every position it meets: half a turn reverses the bits, a flip of
/// the rows moves each row, the flip of the columns is both. Only the transposition of square boards needs tables.
#[derive(Clone, Debug)]
pub struct Mirror {
    symmetry: Symmetry,
    points: u32,
    columns: u32,
    rows: u32,
    row: u64,
    square: bool,
}

impl Mirror {
    /// For that board.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // at most 64
    pub fn new(size: BoardSize) -> Self {
        Self {
            symmetry: Symmetry::new(size),
            points: size.points() as u32,
            columns: size.columns() as u32,
            rows: size.rows() as u32,
            row: (1 << size.columns()) - 1,
            square: size.is_square(),
        }
    }

    #[inline]
    fn half_turn(&self, set: u64) -> u64 {
        set.reverse_bits() >> (64 - self.points)
    }

    #[inline]
    fn flip_rows(&self, set: u64) -> u64 {
        let (mut rest, mut flipped) = (set, 0);
        for _ in 0..self.rows {
            flipped = flipped << self.columns | rest & self.row;
            rest >>= self.columns;
        }
        flipped
    }

    /// The canonical image.
    #[inline]
    #[must_use]
    pub fn canonical(&self, mover: u64, opponent: u64) -> Canonical {
        let least = self.least_flip(mover, opponent);
        if !self.square {
            return least;
        }
        least.min(self.least_flip(self.symmetry.set(4, mover), self.symmetry.set(4, opponent)))
    }

    #[inline]
    fn least_flip(&self, mover: u64, opponent: u64) -> Canonical {
        let image = |mover, opponent| Canonical { mover, opponent };
        let rows = self.flip_rows(mover);
        let (turned, columns) = (self.half_turn(mover), self.half_turn(rows));
        let least = mover.min(rows).min(turned).min(columns);
        // The opponent's set decides between images only where the mover's set is symmetric.
        let flipped = self.flip_rows(opponent);
        let mut best = image(least, u64::MAX);
        for (mover, opponent) in
            [(mover, opponent), (rows, flipped), (turned, self.half_turn(opponent)), (columns, self.half_turn(flipped))]
        {
            if mover == least {
                best = best.min(image(mover, opponent));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use crate::board::BoardSize;

    use super::*;

    #[test]
    fn every_position_and_question_of_3x3_has_its_own_key() {
        let mut keys = std::collections::HashSet::new();
        for mover in 0..512u64 {
            for opponent in (0..512u64).filter(|opponent| opponent & mover == 0) {
                for attacker_moves in [false, true] {
                    assert!(keys.insert(Canonical { mover, opponent }.key(attacker_moves)));
                }
            }
        }
    }

    #[test]
    fn the_canonical_image_is_the_least_of_all() {
        let mut random = fastrand::Rng::with_seed(3);
        for (columns, rows) in [(9, 5), (5, 5), (3, 5), (7, 7), (9, 7), (1, 5), (5, 1), (1, 1)] {
            let size = BoardSize::new(columns, rows).unwrap();
            let (mirror, symmetry) = (Mirror::new(size), Symmetry::new(size));
            for _ in 0..300 {
                let all = (1 << size.points()) - 1;
                let mover = random.u64(..) & random.u64(..) & all;
                let opponent = random.u64(..) & random.u64(..) & all & !mover;
                let images = (0..symmetry.order()).map(|element| Canonical {
                    mover: symmetry.set(element, mover),
                    opponent: symmetry.set(element, opponent),
                });
                assert_eq!(Some(mirror.canonical(mover, opponent)), images.min());
            }
        }
    }
}

//! The symmetries of a board and their group.
//!
//! Element number `e` is `flip_columns^(e & 1) · flip_rows^(e >> 1 & 1) · transpose^(e >> 2 & 1)`: the transposition is
//! applied first. Every board has the first four, a square board all eight. On boards one point wide some elements
//! act alike, which only costs a little space in tables. With either kind of diagonals the board has all these symmetries,
//! because both counts are odd: a flip keeps the parity of column + row.

use super::size::BoardSize;

/// The symmetry group of a board, with its action on sets of up to 64 points.
#[derive(Clone, Debug)]
pub struct Symmetry {
    order: usize,
    points: usize,
    /// `images[e][point]` is where element `e` takes a point.
    images: Vec<Vec<u8>>,
    /// The action on whole sets, a byte at a time: `by_byte[e][8 bits of the set]`.
    by_byte: Vec<Vec<[u64; 256]>>,
    /// For each point its images, in the order of [`Images`].
    of_points: Vec<[u64; 8]>,
    /// In the same order, for each point: the points whose image is that point or a higher one.
    at_or_above: Vec<[u64; 64]>,
}

/// The images of a set of points, each at the number of the element that takes it back to the set; the rest is all ones.
#[derive(Clone, Copy, Debug)]
pub struct Images([u64; 8]);

impl Images {
    /// The smallest image, as a number, and the first element that takes it back to the set.
    #[inline(always)]
    #[must_use]
    pub fn smallest(&self) -> (u64, usize) {
        let mut smallest = (self.0[0], 0);
        for back in 1..4 {
            smallest = if self.0[back] < smallest.0 { (self.0[back], back) } else { smallest };
        }
        if self.0[4] != u64::MAX {
            for back in 4..8 {
                smallest = if self.0[back] < smallest.0 { (self.0[back], back) } else { smallest };
            }
        }
        smallest
    }

    /// Whether no image is smaller than the set.
    #[inline(always)]
    #[must_use]
    pub fn none_is_smaller(&self) -> bool {
        let mut none = true;
        for back in 1..4 {
            none &= self.0[back] >= self.0[0];
        }
        if self.0[4] != u64::MAX {
            for back in 4..8 {
                none &= self.0[back] >= self.0[0];
            }
        }
        none
    }
}

/// Number of the product `first` after `second` (`second` acts first), of two group elements.
#[inline]
#[must_use]
pub const fn compose(first: usize, second: usize) -> usize {
    // transpose · flips(a, b) = flips(b, a) · transpose
    let flips = if first & 4 == 0 { second & 3 } else { (second & 1) << 1 | (second >> 1) & 1 };
    ((first & 3) ^ flips) | ((first ^ second) & 4)
}

/// Number of the inverse of a group element.
#[inline]
#[must_use]
pub const fn inverse(element: usize) -> usize {
    if element & 4 == 0 { element } else { 4 | (element & 1) << 1 | (element >> 1) & 1 }
}

impl Symmetry {
    /// The group of a board.
    ///
    /// # Panics
    /// If the board has more than 64 points.
    #[must_use]
    pub fn new(size: BoardSize) -> Self {
        let (columns, rows, points) = (size.columns(), size.rows(), size.points());
        assert!(points <= 64, "set symmetries are for boards of up to 64 points");
        let order = if size.is_square() { 8 } else { 4 };
        let images: Vec<Vec<u8>> = (0..order)
            .map(|element| {
                let image = |point: usize| {
                    let (mut c, mut r) = (point % columns, point / columns);
                    if element & 4 != 0 {
                        (c, r) = (r, c);
                    }
                    if element & 1 != 0 {
                        c = columns - 1 - c;
                    }
                    if element & 2 != 0 {
                        r = rows - 1 - r;
                    }
                    #[allow(clippy::cast_possible_truncation)] // below 64
                    let there = (c + columns * r) as u8;
                    there
                };
                (0..points).map(image).collect()
            })
            .collect();
        let by_byte = images.iter().map(|image| (0..points.div_ceil(8)).map(|byte| byte_images(image, byte)).collect());
        let by_byte = by_byte.collect();
        let of_point = |point: usize| {
            let mut of_point = [0; 8];
            (0..order).for_each(|element| of_point[inverse(element)] = 1 << images[element][point]);
            of_point
        };
        let of_points: Vec<[u64; 8]> = (0..points).map(of_point).collect();
        let at_or_above = |back: usize| {
            let mut sets = [0; 64];
            for (point, &there) in images[inverse(back)].iter().enumerate() {
                sets[..=usize::from(there)].iter_mut().for_each(|set| *set |= 1 << point);
            }
            sets
        };
        let at_or_above = (0..order).map(at_or_above).collect();
        Self { order, points, images, by_byte, of_points, at_or_above }
    }

    /// Number of elements: 4, or 8 on a square board.
    #[must_use]
    pub fn order(&self) -> usize {
        self.order
    }

    /// Where element `e` takes a point.
    #[inline]
    #[must_use]
    pub fn point(&self, element: usize, point: usize) -> usize {
        usize::from(self.images[element][point])
    }

    /// Number of subsets of `size` points that element `e` leaves unchanged, saturating: unions of its cycles, counted
    /// by the product of (1 + x^length) over the cycles.
    #[must_use]
    pub fn fixed_subsets(&self, element: usize, size: usize) -> u64 {
        let image = &self.images[element];
        let mut counts = vec![0u64; size + 1];
        counts[0] = 1;
        for start in 0..image.len() {
            let cycle =
                std::iter::successors(Some(start), |&p| Some(usize::from(image[p])).filter(|&next| next != start));
            let cycle: Vec<usize> = cycle.collect();
            if cycle.iter().any(|&point| point < start) {
                continue;
            }
            for total in (cycle.len()..=size).rev() {
                counts[total] = counts[total].saturating_add(counts[total - cycle.len()]);
            }
        }
        counts[size]
    }

    /// Number of orbits of the subsets of `size` points, saturating (Burnside's lemma).
    #[must_use]
    pub fn orbits(&self, size: usize) -> u64 {
        let fixed = (0..self.order).map(|element| u128::from(self.fixed_subsets(element, size)));
        #[allow(clippy::cast_possible_truncation)] // at most the number of subsets
        let orbits = (fixed.sum::<u128>() / self.order as u128) as u64;
        orbits
    }

    /// The smallest image of a set of points, as a number, and the first element that takes this image back to the set.
    #[inline(always)]
    #[must_use]
    pub fn smallest(&self, set: u64) -> (u64, usize) {
        self.images(set).smallest()
    }

    /// All images of a set.
    #[inline(always)]
    #[must_use]
    pub fn images(&self, set: u64) -> Images {
        // A flip is its own inverse.
        let [none, columns, rows, both] = self.flips(set);
        let mut images = [none, columns, rows, both, u64::MAX, u64::MAX, u64::MAX, u64::MAX];
        if self.order == 8 {
            let [none, columns, rows, both] = self.flips(self.set(4, set));
            images[4..].copy_from_slice(&[none, rows, columns, both]);
        }
        Images(images)
    }

    /// The images of a set in which one point is changed: taken out if it is there, put in otherwise.
    #[inline(always)]
    #[must_use]
    pub fn toggled(&self, images: &Images, point: usize) -> Images {
        let (mut images, of_point) = (*images, &self.of_points[point]);
        for back in 0..8 {
            images.0[back] ^= of_point[back];
        }
        images
    }

    /// For each image, the points of which at least one must be added to the set to make the image no longer smaller than the
    /// set: all points if it is not smaller now.
    #[inline]
    #[must_use]
    pub fn repairing_points(&self, Images(images): &Images) -> [u64; 8] {
        let mut repairing_points = [u64::MAX; 8];
        for back in 1..self.order {
            if images[back] < images[0] {
                repairing_points[back] = self.at_or_above[back][(images[0] ^ images[back]).ilog2() as usize];
            }
        }
        repairing_points
    }

    /// The images of a set under the first four elements.
    #[inline(always)]
    fn flips(&self, set: u64) -> [u64; 4] {
        // Both flips together reverse the order of the points.
        let both = |set: u64| set.reverse_bits() >> (64 - self.points);
        let rows = self.set(2, set);
        [set, both(rows), rows, both(set)]
    }

    /// Where element `e` takes a set of points.
    #[inline(always)]
    #[must_use]
    pub fn set(&self, element: usize, set: u64) -> u64 {
        let mut image = 0;
        for (byte, table) in self.by_byte[element].iter().enumerate() {
            image |= table[(set >> (8 * byte) & 255) as usize];
        }
        image
    }
}

/// The images of the points in one byte of a set, for each value of the byte.
fn byte_images(image: &[u8], byte: usize) -> [u64; 256] {
    let mut images = [0; 256];
    for bits in 1..images.len() {
        let first = image.get(8 * byte + bits.trailing_zeros() as usize);
        images[bits] = images[bits & (bits - 1)] | first.map_or(0, |&there| 1 << there);
    }
    images
}

#[cfg(test)]
mod tests {
    use super::super::geometry::{Board, DIRECTIONS, Diagonals};
    use super::*;

    const SIZES: [(usize, usize); 8] = [(9, 5), (5, 5), (3, 3), (3, 7), (7, 7), (1, 5), (5, 1), (1, 1)];

    #[test]
    fn products_and_inverses_act_as_their_numbers_say() {
        for (columns, rows) in SIZES {
            let group = Symmetry::new(BoardSize::new(columns, rows).unwrap());
            for a in 0..group.order() {
                assert_eq!(compose(a, inverse(a)), 0);
                assert_eq!(compose(inverse(a), a), 0);
                for b in 0..group.order() {
                    for point in 0..columns * rows {
                        assert_eq!(group.point(compose(a, b), point), group.point(a, group.point(b, point)));
                    }
                }
            }
        }
    }

    #[test]
    fn the_smallest_image_comes_with_the_first_way_back() {
        let mut random = fastrand::Rng::with_seed(1);
        for (columns, rows) in SIZES.into_iter().chain([(9, 7)]) {
            let group = Symmetry::new(BoardSize::new(columns, rows).unwrap());
            for _ in 0..1000 {
                let set = random.u64(..) & random.u64(..) & (u64::MAX >> (64 - columns * rows));
                let images = (0..group.order()).map(|element| group.set(element, set));
                let least = images.min().unwrap();
                let back = (0..group.order()).find(|&element| group.set(element, least) == set).unwrap();
                assert_eq!(group.smallest(set), (least, back));
                let point = random.usize(..columns * rows);
                let changed = group.toggled(&group.images(set ^ 1 << point), point);
                assert_eq!(changed.smallest(), (least, back));
            }
        }
    }

    #[test]
    fn every_symmetry_keeps_the_lines() {
        for (columns, rows) in SIZES {
            let size = BoardSize::new(columns, rows).unwrap();
            let group = Symmetry::new(size);
            for diagonals in [Diagonals::Corner, Diagonals::Centre] {
                let board = Board::<u64>::new(size, diagonals);
                for element in 0..group.order() {
                    for point in 0..board.points() {
                        let neighbours =
                            |p| (0..DIRECTIONS).filter_map(|d| board.next(p, d)).fold(0, |s, q| s | 1u64 << q);
                        assert_eq!(group.set(element, neighbours(point)), neighbours(group.point(element, point)));
                    }
                }
            }
        }
    }
}

//! Rows with a bit for each slot: one row for each point, with the subsets that contain it, and one with the first slot of each subset.

use std::sync::OnceLock;

use crate::board::{Symmetry, compose, inverse};

use super::memory::zeroed;

/// Words of a stretch: one cache line.
pub const STRETCH: usize = 8;

/// Stretches that are made together.
const PART: usize = 64;

/// The rows of all points, in stretches that are made on first use. Look-ups need the same words of many rows, so a stretch
/// keeps these together.
#[derive(Debug)]
pub struct Occupancy {
    /// For each stretch: its words in the row of each point, then in that of distinct slots.
    parts: Vec<OnceLock<Vec<[u64; STRETCH]>>>,
    points: usize,
    slots: usize,
}

/// The same words of all rows. Bits beyond the last slot are zero.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'a>(&'a [[u64; STRETCH]]);

impl<'a> Stretch<'a> {
    /// The subsets that contain a point.
    #[inline(always)]
    #[must_use]
    pub fn with(self, point: usize) -> &'a [u64; STRETCH] {
        &self.0[point]
    }

    /// `B` words of the subsets that contain a point, from word `first` of the row on, a multiple of `B`.
    ///
    /// # Panics
    /// If `B` is more than the words of a stretch.
    #[inline(always)]
    #[must_use]
    pub fn block<const B: usize>(self, point: usize, first: usize) -> &'a [u64; B] {
        self.0[point][first % STRETCH..][..B].first_chunk().expect("B words")
    }

    /// The slots that are the first of their subset.
    #[inline(always)]
    #[must_use]
    pub fn distinct(self) -> &'a [u64; STRETCH] {
        &self.0[self.0.len() - 1]
    }
}

impl Occupancy {
    /// Rows of `slots` slots on a board with `points` points; none are made yet.
    #[must_use]
    pub fn new(points: usize, slots: usize) -> Self {
        let parts = slots.div_ceil(64 * STRETCH * PART);
        Self { parts: (0..parts).map(|_| OnceLock::new()).collect(), points, slots }
    }

    /// A stretch by its number. `representatives` gives the representatives of subsets from an orbit on.
    ///
    /// # Panics
    /// If there is no such stretch; with [`OutOfMemory`](super::OutOfMemory) if the system has no memory for it.
    #[inline]
    #[must_use]
    pub fn stretch<R: Iterator<Item = u64>>(
        &self,
        number: usize,
        symmetry: &Symmetry,
        representatives: impl Fn(usize) -> R,
    ) -> Stretch<'_> {
        let part = self.parts[number / PART].get_or_init(|| {
            let first = number / PART * PART * STRETCH * 64;
            let sets = representatives(first / symmetry.order());
            let stretches = (self.slots - first).div_ceil(64 * STRETCH).min(PART);
            match symmetry.order() {
                4 => self.make::<4>(stretches, symmetry, sets),
                _ => self.make::<8>(stretches, symmetry, sets),
            }
        });
        let rows = self.points + 1;
        Stretch(&part[number % PART * rows..][..rows])
    }

    /// Makes stretches for these representatives.
    #[cold]
    fn make<const ORDER: usize>(
        &self,
        stretches: usize,
        symmetry: &Symmetry,
        mut representatives: impl Iterator<Item = u64>,
    ) -> Vec<[u64; STRETCH]> {
        let images: [[usize; 64]; ORDER] = std::array::from_fn(|element| {
            std::array::from_fn(|point| if point < self.points { symmetry.point(element, point) } else { point })
        });
        let mut part: Vec<[u64; STRETCH]> = zeroed((self.points + 1) * stretches);
        for stretch in part.chunks_exact_mut(self.points + 1) {
            for word in 0..STRETCH {
                // For each point the representatives that contain it, in the first slots of their orbits.
                let (mut with, mut cells) = ([0u64; 64], 0u64);
                for (cell, mut set) in representatives.by_ref().take(64 / ORDER).enumerate() {
                    let slot = 1 << (ORDER * cell);
                    cells |= slot;
                    while set != 0 {
                        with[set.trailing_zeros() as usize] |= slot;
                        set &= set - 1;
                    }
                }
                for point in 0..self.points {
                    let from = |element: usize| with[images[inverse(element)][point]] << element;
                    stretch[point][word] = (0..ORDER).fold(0, |row, element| row | from(element));
                }
                // For each element the representatives that it changes.
                let changed: [u64; ORDER] = std::array::from_fn(|element| {
                    (0..self.points).fold(0, |changed, point| changed | with[point] ^ with[images[element][point]])
                });
                let first = |element| {
                    let differ = |earlier| changed[compose(inverse(earlier), element)];
                    (0..element).fold(cells, |first, earlier| first & differ(earlier)) << element
                };
                stretch[self.points][word] = (0..ORDER).fold(0, |row, element| row | first(element));
            }
        }
        part
    }
}

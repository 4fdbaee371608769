//! Scores of a finished slice with one stone of the opponent singled out: the leaves of capture trees.
//!
//! The same as [`ExtendedPlanes`](super::super::extended::ExtendedPlanes), in cells instead of bits: a row over the sets S0 of the
//! capturing side's other stones, for every orbit of what is left of the enemy and every point `y` where the stone stops.

use rayon::prelude::*;

use crate::index::{Cells, Slice, Space, filled, padded_cells};
use crate::table::{Cell, SliceDepths};

use super::super::lanes::Extensions;

/// For each point and slot of the sets of m - 1 points, the slot of the set of m points they make.
pub struct Joined {
    stride: usize,
    slots: Vec<u32>,
}

/// In place of a slot where the set contains the point already.
const NONE: u32 = u32::MAX;

impl Joined {
    /// The slots of the sets of `size` points.
    #[must_use]
    pub fn new(space: &Space, size: usize) -> Self {
        let smaller = space.subsets(size - 1);
        let stride = padded_cells(smaller.slots());
        let mut slots = filled(NONE, space.board().points() * stride);
        let extensions = Extensions::new(space, size);
        for word in 0..smaller.words() {
            extensions.for_each(space, word, |point, smaller, larger| {
                #[allow(clippy::cast_possible_truncation)] // slots are below 2^32, see Subsets::MAX
                let larger = larger as u32;
                slots[point * stride + 64 * word + smaller] = larger;
            });
        }
        Self { stride, slots }
    }

    /// Bytes for the sets of m points.
    #[must_use]
    pub fn bytes(space: &Space, size: usize) -> u64 {
        space.board().points() as u64 * 4 * 64 * space.words(size - 1)
    }

    /// The larger slots by the smaller ones, for one point.
    #[inline]
    #[must_use]
    pub fn with(&self, point: usize) -> &[u32] {
        &self.slots[point * self.stride..][..self.stride]
    }
}

/// For every orbit and point a row of cells over the slots of S0; those of sets that contain the point are
/// [`Cell::NONE`].
pub struct Leaves<C>(Cells<C>);

impl<C: Cell> Leaves<C> {
    /// The leaves after which the enemy has those stones left, in `finished`; or none at all, if that is `None`.
    #[must_use]
    pub fn new(space: &Space, slice: Slice, finished: Option<&SliceDepths<C>>, joined: &Joined) -> Self {
        let points = space.board().points();
        let rest = space.subsets(slice.mover - 1);
        let plane = finished.map(|finished| finished.plane(space));
        let orbits = plane.as_ref().map_or(1, |plane| plane.rows());
        let mut leaves = Cells::sized(orbits * points, rest.slots(), C::NONE);
        let stride = leaves.stride();
        leaves.all_mut().par_chunks_mut(stride).enumerate().for_each(|(number, leaves)| {
            let (orbit, point) = (number / points, number % points);
            for (leaf, &slot) in leaves.iter_mut().zip(joined.with(point)).filter(|(_, slot)| **slot != NONE) {
                *leaf = plane.as_ref().map_or(C::loss(0), |plane| plane.row(orbit)[slot as usize]);
            }
        });
        Self(leaves)
    }

    /// Bytes for that many orbits, and other sets of so many stones.
    #[must_use]
    pub fn bytes(space: &Space, orbits: u64, rest: usize) -> u64 {
        orbits * space.board().points() as u64 * size_of::<C>() as u64 * 64 * space.words(rest)
    }

    /// The row of an orbit and point, numbered `orbit * points + point`.
    #[inline]
    #[must_use]
    pub fn row(&self, number: usize) -> &[C] {
        self.0.row(number)
    }
}

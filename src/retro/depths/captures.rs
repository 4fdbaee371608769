//! Captures with depth: for every position the least score that a capture leads to, a row of positions at a time.
//!
//! The trees of chains are those of [`super::super::planes`]; each of their nodes is an operation on cells. The capturing side
//! goes for the least score of its opponent, so where the bits of the plain pass are joined by OR, cells take the minimum.
//! The leaves of trees are those of [planes](super::super::planes) in cells instead of bits: a row over the
//! sets S0 of the capturing side's other stones, for every orbit of what is left of the enemy and every point `y` where the stone stops.

use rayon::prelude::*;

use crate::board::PointSet;
use crate::index::{Cells, Slice, Space, act_on_cells, filled, padded_cells};
use crate::rules::{Continuation, RuleSet, Rules};
use crate::simd;
use crate::table::{Cell, SliceDepths};

use super::super::planes::{Extensions, OrbitCache, Program};

/// Cells that are worked on at a time: the rows of a tree's depths stay in the first-level cache.
const CHUNK: usize = 1024;

/// In a mask for OR, a set that is allowed; [`Cell::NONE`] is one that is not.
#[inline(always)]
fn free<C: Cell>() -> C {
    C::default()
}

/// What the chains of one depth have come to so far.
#[derive(Clone)]
struct Frame<C> {
    least: [C; CHUNK],
    /// Sets of other stones for which some chain goes on: under obligatory continuation they may not stop one step earlier.
    open: [C; CHUNK],
}

impl<C: Cell> Frame<C> {
    fn empty() -> Self {
        Self { least: [C::NONE; CHUNK], open: [free(); CHUNK] }
    }

    #[inline(always)]
    fn clear(&mut self, length: usize) {
        self.least[..length].fill(C::NONE);
        self.open[..length].fill(free());
    }
}

/// What one thread works with.
pub struct ChainScratch<C> {
    stack: Vec<Frame<C>>,
    row: Vec<C>,
    taken: Vec<C>,
}

/// The captures of a slice in which each side has more than one stone.
pub struct ChainPass<'a, C> {
    space: &'a Space,
    slice: Slice,
    rules: Rules<u64>,
    obligatory: bool,
    joined: Joined,
    leaves: Vec<Leaves<C>>,
    /// By point, a row over the sets of other stones: taken where they contain the point.
    containing: Cells<C>,
    /// Each slot of the mover's sets that is not the first of its set, with the one that is.
    equal: Vec<(usize, usize)>,
}

impl<'a, C: Cell> ChainPass<'a, C> {
    /// Makes the leaves of a slice. `lookup` gives the finished slices with the same number of stones of the mover, as the
    /// opponent, and fewer of the opponent, as the mover: `(o - 1) v m` down to `1 v m`.
    pub fn new<'v>(
        space: &'a Space,
        rules: RuleSet,
        slice: Slice,
        lookup: &dyn Fn(Slice) -> &'v SliceDepths<C>,
    ) -> Self {
        let (movers, rest) = (space.subsets(slice.mover), space.subsets(slice.mover - 1));
        let joined = Joined::new(space, slice.mover);
        let left = |left| (left > 0).then(|| lookup(Slice::new(left, slice.mover)));
        let leaves = (0..slice.opponent).map(|stones| Leaves::new(space, slice, left(stones), &joined)).collect();
        let points = space.board().points();
        let mut containing = Cells::sized(points, rest.slots(), free());
        let stride = containing.stride();
        for slot in 0..rest.slots() {
            for point in rest.subset(slot).iter() {
                containing.all_mut()[point * stride + slot] = C::NONE;
            }
        }
        let any_stop = RuleSet { continuation: Continuation::Optional, ..rules };
        Self {
            space,
            slice,
            rules: Rules::new(space.board().clone(), any_stop),
            obligatory: rules.continuation == Continuation::Obligatory,
            joined,
            leaves,
            containing,
            equal: movers.equal_slots().collect(),
        }
    }

    /// The memory of a thread, for rows of that many cells.
    pub fn scratch(&self, width: usize) -> ChainScratch<C> {
        ChainScratch {
            stack: vec![Frame::empty(); self.slice.opponent + 2],
            // One more cell takes what belongs nowhere.
            row: vec![C::NONE; width + 1],
            taken: vec![free(); self.containing.stride()],
        }
    }

    /// The least score that a capture leads to against one set of the opponent, by slots of the mover's sets; a draw for
    /// quiet positions and overlapping sets.
    pub fn fill(
        &self,
        opponent: u64,
        out: &mut [C],
        (program, cache): &mut (Program, OrbitCache),
        scratch: &mut ChainScratch<C>,
    ) {
        program.compile(self.space, &self.rules, opponent, cache);
        simd::run(
            #[inline(always)]
            || self.resolve(opponent, program, scratch),
        );
        for (out, &least) in out.iter_mut().zip(&scratch.row) {
            *out = if least == C::NONE { C::DRAW } else { least };
        }
    }

    /// Fills the scratch row with the least scores against one opponent set.
    #[inline(always)]
    fn resolve(&self, opponent: u64, program: &Program, scratch: &mut ChainScratch<C>) {
        let ChainScratch { stack, row, taken } = scratch;
        row.fill(C::NONE);
        taken.fill(free());
        for point in opponent.iter() {
            for (taken, containing) in taken.iter_mut().zip(self.containing.row(point)) {
                *taken |= *containing;
            }
        }
        let beyond = row.len() - 1;
        for start in (0..taken.len()).step_by(CHUNK) {
            let length = CHUNK.min(taken.len() - start);
            let taken = &taken[start..start + length];
            self.run(
                program,
                start,
                length,
                stack,
                #[inline(always)]
                |from, least| {
                    let slots = &self.joined.with(from)[start..start + length];
                    for place in 0..length {
                        let cell = &mut row[(slots[place] as usize).min(beyond)];
                        *cell = (*cell).min(least[place] | taken[place]);
                    }
                },
            );
        }
        row[beyond] = C::NONE;
        for &(slot, first) in &self.equal {
            row[first] = row[first].min(row[slot]);
        }
        for &(slot, first) in &self.equal {
            row[slot] = row[first];
        }
    }

    /// Evaluates a program for a stretch of sets of other stones, and calls `found` with every starting point and the
    /// least scores that its chains lead to.
    #[inline(always)]
    fn run(
        &self,
        program: &Program,
        start: usize,
        length: usize,
        stack: &mut [Frame<C>],
        mut found: impl FnMut(usize, &[C]),
    ) {
        let order = self.space.symmetry().order();
        let mut cells = [C::NONE; CHUNK];
        let cells = &mut cells[..length];
        for (from, nodes) in program.chains() {
            for node in nodes.iter().rev() {
                let leaf = &self.leaves[usize::from(node.left)].row(node.leaf)[start..start + length];
                act_on_cells(order, usize::from(node.element), leaf, cells);
                let standing = &self.containing.row(usize::from(node.point))[start..start + length];
                let depth = usize::from(node.depth);
                if node.has_children {
                    let below = &mut stack[depth + 1];
                    if self.obligatory {
                        for (cell, open) in cells.iter_mut().zip(&below.open) {
                            *cell |= *open;
                        }
                    }
                    for ((cell, deeper), standing) in cells.iter_mut().zip(&below.least).zip(standing) {
                        *cell = (*cell).min(*deeper) | *standing;
                    }
                    below.clear(length);
                }
                let frame = &mut stack[depth];
                for (least, cell) in frame.least.iter_mut().zip(&*cells) {
                    *least = (*least).min(*cell);
                }
                if self.obligatory {
                    for (open, standing) in frame.open.iter_mut().zip(standing) {
                        *open |= !*standing;
                    }
                }
            }
            found(from, &stack[1].least[..length]);
            stack[1].clear(length);
        }
    }
}

/// Bytes of memory that the pass takes for a slice besides its own plane; none where one side has a lone stone.
#[must_use]
pub fn capture_bytes<C: Cell>(space: &Space, slice: Slice) -> u64 {
    if slice.mover == 1 || slice.opponent == 1 {
        return 0;
    }
    let rest = slice.mover - 1;
    let leaves: u64 = (0..slice.opponent).map(|left| Leaves::<C>::bytes(space, space.orbits(left), rest)).sum();
    leaves + Joined::bytes(space, slice.mover)
}

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
        let plane = finished.map(|finished| finished.planes(space));
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

    /// Bytes for that many orbits, and other sets of that many stones.
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

//! The leaves of capturing chains: all of a pass in memory, or those of a batch at a time, which are few.
//!
//! A batch of 64 sets of five stones of 9x5 leads to about 200 of the 37 637 orbits of four stones. The leaves of all these take
//! 63 GB if the mover has five stones. Of the 45 points of each of the 200, the batch needs about 7.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::index::{Slice, Space, binomial};
use crate::table::ValuePlanes;

use super::chains::Program;
use super::lanes::{ExtendedPlanes, Extensions, Scratch, Wanted, extended_bytes};

/// Opponent sets that are worked on together, at most; a lone stone needs no lanes and takes more at a time.
pub const BATCH: usize = 64;

/// Which leaves are in memory at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// All of a pass.
    All,
    /// In each thread those of a batch, where these are fewer; they are made again for each batch.
    OfBatch,
}

impl Leaves {
    /// How many orbits of `left` stones the chains of a batch lead to at most, if only the leaves of these are kept.
    fn kept(self, space: &Space, slice: Slice, batch: usize, left: usize) -> Option<u64> {
        let most = binomial(slice.opponent, left).saturating_mul(batch as u64);
        (self == Self::OfBatch && most < space.orbits(left)).then_some(most)
    }

    /// Bytes that the leaves of a pass take; a lone mover has none.
    #[must_use]
    pub fn bytes(self, space: &Space, slice: Slice, threads: usize) -> u64 {
        if slice.mover == 1 {
            return 0;
        }
        let rest = usize::try_from(space.words(slice.mover - 1)).unwrap_or(usize::MAX / 16);
        let leaves = |orbits| extended_bytes(orbits, space.board().points(), rest);
        let bytes = |left| match self.kept(space, slice, BATCH, left) {
            None => leaves(space.orbits(left)),
            Some(most) => leaves(most).saturating_mul(threads as u64),
        };
        (0..slice.opponent).map(bytes).fold(0, u64::saturating_add)
    }
}

/// The leaves of a pass, by the stones left to the opponent.
pub struct PassLeaves<'a> {
    space: &'a Space,
    mover: usize,
    by_left: Vec<LeafPlanes<'a>>,
}

enum LeafPlanes<'a> {
    All(ExtendedPlanes),
    /// From these planes, for each batch.
    OfBatch(Cow<'a, ValuePlanes>),
}

/// The leaves of a batch, in the memory of a thread.
pub struct BatchLeaves {
    by_left: Vec<Numbered>,
    scratch: Option<Scratch>,
}

/// Planes of some orbits, by the numbers that these have in a batch.
struct Numbered {
    numbers: HashMap<usize, usize>,
    orbits: Vec<Wanted>,
    planes: ExtendedPlanes,
}

impl<'a> PassLeaves<'a> {
    /// `planes` are those of the slices that captures lead to, by the stones left to the opponent.
    pub fn new<'v: 'a>(
        (space, slice): (&'a Space, Slice),
        planes: impl Iterator<Item = Cow<'v, ValuePlanes>>,
        extensions: &Extensions,
        batch: usize,
        leaves: Leaves,
    ) -> Self {
        let of_left = |(left, planes): (usize, Cow<'v, ValuePlanes>)| match leaves.kept(space, slice, batch, left) {
            None => LeafPlanes::All(ExtendedPlanes::new(space, slice.mover, &planes, extensions)),
            Some(_) => LeafPlanes::OfBatch(planes),
        };
        Self { space, mover: slice.mover, by_left: planes.enumerate().map(of_left).collect() }
    }

    /// Whether leaves are made for each batch.
    pub fn are_made(&self) -> bool {
        self.by_left.iter().any(|planes| matches!(planes, LeafPlanes::OfBatch(_)))
    }

    /// The memory of a thread.
    pub fn scratch(&self) -> BatchLeaves {
        let Self { space, mover, by_left } = self;
        let empty =
            || Numbered { numbers: HashMap::new(), orbits: Vec::new(), planes: ExtendedPlanes::empty(space, *mover) };
        let scratch = self.are_made().then(|| Scratch::new(space, *mover));
        BatchLeaves { by_left: by_left.iter().map(|_| empty()).collect(), scratch }
    }

    /// The leaves of a batch, by the stones left to the opponent; those that are not all in memory are made, and numbered in the programs.
    pub fn of_batch<'b>(
        &'b self,
        programs: &mut [Program],
        extensions: &Extensions,
        batch: &'b mut BatchLeaves,
    ) -> Vec<&'b ExtendedPlanes> {
        let BatchLeaves { by_left, scratch } = batch;
        if let Some(scratch) = scratch {
            for Numbered { numbers, orbits, .. } in &mut *by_left {
                numbers.clear();
                orbits.clear();
            }
            let points = self.space.board().points();
            for (left, orbit, point) in programs.iter().flat_map(|program| program.leaves(points)) {
                if let LeafPlanes::OfBatch(_) = self.by_left[left] {
                    by_left[left].want(orbit, point);
                }
            }
            for (values, numbered) in self.by_left.iter().zip(&mut *by_left) {
                if let LeafPlanes::OfBatch(values) = values {
                    numbered.sort();
                    numbered.planes.replace((self.space, self.mover), values, extensions, &numbered.orbits, scratch);
                }
            }
            for program in programs {
                program.renumber(points, |left, orbit| match self.by_left[left] {
                    LeafPlanes::All(_) => orbit,
                    LeafPlanes::OfBatch(_) => by_left[left].numbers[&orbit],
                });
            }
        }
        let leaves = self.by_left.iter().zip(&*by_left).map(|(all, numbered)| match all {
            LeafPlanes::All(planes) => planes,
            LeafPlanes::OfBatch(_) => &numbered.planes,
        });
        leaves.collect()
    }
}

impl Numbered {
    /// Adds a leaf to those that are wanted.
    fn want(&mut self, orbit: usize, point: usize) {
        let number = *self.numbers.entry(orbit).or_insert_with(|| {
            self.orbits.push(Wanted { orbit, points: 0 });
            self.orbits.len() - 1
        });
        self.orbits[number].points |= 1 << point;
    }

    /// Numbers orbits so that those with the same points are side by side: planes are made for 64 orbits at a time, and for each point that one
    /// of these needs.
    fn sort(&mut self) {
        self.orbits.sort_unstable_by_key(|wanted| (wanted.points, wanted.orbit));
        self.numbers.extend(self.orbits.iter().enumerate().map(|(number, wanted)| (wanted.orbit, number)));
    }
}

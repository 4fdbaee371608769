//! One step of the quiet pass of one side: what it decides, from the rows of the sets one paika away.
//!
//! A word of a row costs a read of the same word of each neighbour's row, and a row costs a look-up of its neighbours: about
//! 15 ns for each, as much as reading ten words. Rows of many blocks look their neighbours up once and read them block by
//! block. Rows of one block, those against a lone stone, look up one neighbour at a time and stop when nothing is left to find
//! out. As nearly everything is won there, a few of twenty neighbours are enough.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::board::PointSet;
use crate::index::{Plane, STRETCH, Slice, Space, Subsets, act};
use crate::rules::{RuleSet, Stalemate};
use crate::simd;

use super::marks::Marks;
use super::neighbours::{Neighbours, for_each_paika};
use super::sizes::{group_rows, with_block};
use super::transpose::GroupFlags;

/// Which of the two results a step looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Positions from which a paika leads to a lost one.
    Wins,
    /// Positions from which every paika leads to a won one.
    Losses,
}

impl Step {
    /// The step after it.
    pub fn next(self) -> Self {
        match self {
            Self::Wins => Self::Losses,
            Self::Losses => Self::Wins,
        }
    }
}

/// One step of one side, for all columns or a band of them.
pub struct Search<'a> {
    /// The indexing.
    pub space: &'a Space,
    /// The rules.
    pub rules: RuleSet,
    /// What is looked for.
    pub step: Step,
    /// The slice.
    pub slice: Slice,
    /// What is known of the positions after a paika.
    pub rows: &'a Plane,
    /// Blocks to look at.
    pub due: &'a Marks,
    /// The number of the first block of `rows` among those of a whole row.
    pub first_block: usize,
}

impl Search<'_> {
    /// Moves what the step decides from the open positions to those found, in stretches that it flags; returns the number of bits.
    pub fn find(&self, open: &mut Plane, found: &mut Plane, flags: &mut GroupFlags) -> usize {
        with_block!(open.block(), B => self.find_in::<B>(open, found, flags))
    }

    fn find_in<const B: usize>(&self, open: &mut Plane, found: &mut Plane, flags: &mut GroupFlags) -> usize {
        let group = group_rows(self.space.symmetry().order());
        let (stride, blocks) = (open.stride(), open.blocks());
        let groups =
            open.words_mut().par_chunks_mut(group * stride).zip(found.words_mut().par_chunks_mut(group * stride));
        let groups = groups.zip(flags.par_chunks_mut(blocks)).enumerate();
        let counts = groups.map_init(Neighbours::default, |neighbours, (number, ((open, found), flags))| {
            simd::run(
                #[inline(always)]
                || match blocks {
                    1 => self.find_in_short_rows::<B>(number * group, open, found, &mut flags[0]),
                    _ => self.find_in_group::<B>(number * group, neighbours, open, found, flags),
                },
            )
        });
        counts.sum()
    }

    /// Looks at those of the rows from `first` on that are due, each of which is one block.
    #[inline(always)]
    fn find_in_short_rows<const B: usize>(
        &self,
        first: usize,
        open: &mut [u64],
        found: &mut [u64],
        flag: &mut u8,
    ) -> usize {
        let subsets = self.space.subsets(self.slice.mover);
        let (open, found) = (open.as_chunks_mut::<B>().0, found.as_chunks_mut::<B>().0);
        let mut count = 0;
        for (row, (open, found)) in (first..).zip(open.iter_mut().zip(found)) {
            *found = [0; B];
            if self.due.take_word(row, 0) != 0 && *open != [0; B] {
                *found = self.find_short_row(subsets.representatives()[row], open);
                count += found.iter().map(|word| word.count_ones() as usize).sum::<usize>();
            }
        }
        *flag = u8::from(count > 0);
        count
    }

    /// Decides what can be decided in a row of one block, and takes it out of the open positions.
    #[inline(always)]
    fn find_short_row<const B: usize>(&self, set: u64, open: &mut [u64; B]) -> [u64; B] {
        let (movers, opponents) = (self.space.subsets(self.slice.mover), self.space.subsets(self.slice.opponent));
        let keeps_movable = self.step == Step::Losses && self.rules.stalemate == Stalemate::Draw;
        let (mut reached, mut movable) = ([0; B], [if keeps_movable { 0 } else { u64::MAX }; B]);
        let all_read = for_each_paika(self.space, movers, set, |element, neighbour| {
            let mut row = *self.rows.block_at::<B>(neighbour.orbit, 0);
            act(element, &mut row);
            join(&mut reached, &row);
            if keeps_movable {
                add_movable(&mut movable, opponents, neighbour.target, self.first_block);
            }
            if covers(&reached, open) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if self.step == Step::Losses {
            if all_read.is_break() {
                return [0; B];
            }
            reached = std::array::from_fn(|word| !reached[word] & movable[word]);
        }
        take(open, &reached)
    }

    /// Looks at the due blocks of the rows from `first` on.
    #[inline(always)]
    fn find_in_group<const B: usize>(
        &self,
        first: usize,
        neighbours: &mut Neighbours,
        open: &mut [u64],
        found: &mut [u64],
        flags: &mut [u8],
    ) -> usize {
        let stride = self.rows.stride();
        let rows = open.len() / stride;
        let subsets = self.space.subsets(self.slice.mover);
        flags.fill(0);
        let mut count = 0;
        for word in 0..self.due.stride() {
            let all = (0..rows).fold(0, |all, row| all | self.due.word(first + row, word));
            if all == 0 {
                continue;
            }
            for row in 0..rows {
                let due = self.due.take_word(first + row, word);
                let (open, found) = (&mut open[row * stride..][..stride], &mut found[row * stride..][..stride]);
                for block in (all & !due).iter() {
                    found[(64 * word + block) * B..][..B].fill(0);
                }
                if due == 0 {
                    continue;
                }
                let mut searched = false;
                for block in due.iter().map(|block| 64 * word + block) {
                    let open: &mut [u64; B] = open[block * B..][..B].first_chunk_mut().expect("B words");
                    if open.iter().all(|&word| word == 0) {
                        found[block * B..][..B].fill(0);
                        continue;
                    }
                    if !std::mem::replace(&mut searched, true) {
                        neighbours.find(self.space, subsets, subsets.representatives()[first + row]);
                    }
                    let new = self.find_block::<B>(neighbours, block, open);
                    found[block * B..][..B].copy_from_slice(&new);
                    let bits: u32 = new.iter().map(|word| word.count_ones()).sum();
                    if bits > 0 {
                        flags[block] = 1;
                        count += bits as usize;
                    }
                }
            }
        }
        count
    }

    /// Decides what can be decided in one block of a row, and takes it out of the open positions.
    #[inline(always)]
    pub fn find_block<const B: usize>(&self, neighbours: &Neighbours, block: usize, open: &mut [u64; B]) -> [u64; B] {
        let mut reached = [0u64; B];
        for (element, neighbours) in neighbours.0.iter().enumerate().filter(|(_, n)| !n.is_empty()) {
            let mut sum = [0u64; B];
            for neighbour in neighbours {
                join(&mut sum, self.rows.block_at::<B>(neighbour.orbit, block));
            }
            act(element, &mut sum);
            join(&mut reached, &sum);
            if covers(&reached, open) {
                // The neighbours that are left can add nothing.
                return if self.step == Step::Wins { std::mem::replace(open, [0; B]) } else { [0; B] };
            }
        }
        if self.step == Step::Losses {
            // Lost is what cannot reach a position that the opponent does not win.
            reached = reached.map(|word| !word);
            if self.rules.stalemate == Stalemate::Draw {
                let opponents = self.space.subsets(self.slice.opponent);
                keep_movable(neighbours, opponents, self.first_block + block, &mut reached);
            }
        }
        take(open, &reached)
    }
}

/// Adds the bits of a block to another.
#[inline(always)]
fn join<const B: usize>(sum: &mut [u64; B], block: &[u64; B]) {
    for (sum, word) in sum.iter_mut().zip(block) {
        *sum |= word;
    }
}

/// Whether one block has all bits of another.
#[inline(always)]
fn covers<const B: usize>(block: &[u64; B], other: &[u64; B]) -> bool {
    let mut missing = 0;
    for (word, other) in block.iter().zip(other) {
        missing |= other & !word;
    }
    missing == 0
}

/// Takes bits out of a block, and returns those that were there.
#[inline(always)]
fn take<const B: usize>(open: &mut [u64; B], bits: &[u64; B]) -> [u64; B] {
    let mut new = [0u64; B];
    for ((new, open), bits) in new.iter_mut().zip(open).zip(bits) {
        *new = *open & bits;
        *open &= !*new;
    }
    new
}

/// Adds the opponent sets that leave a paika to `target` possible.
#[inline(always)]
fn add_movable<const B: usize>(movable: &mut [u64; B], opponents: &Subsets, target: usize, block: usize) {
    let stretch = opponents.stretch(block * B / STRETCH);
    join(movable, &stretch.block::<B>(target, block * B).map(|word| !word));
}

/// Takes away the opponent sets that leave the mover no paika at all.
#[inline(always)]
fn keep_movable<const B: usize>(paikas: &Neighbours, opponents: &Subsets, block: usize, reached: &mut [u64; B]) {
    let mut movable = [0u64; B];
    for paika in paikas.all() {
        add_movable(&mut movable, opponents, paika.target, block);
    }
    for (reached, movable) in reached.iter_mut().zip(&movable) {
        *reached &= movable;
    }
}

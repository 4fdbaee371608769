//! The quiet pass in one band: what can be decided there, and the log entries it makes for bands of the other form.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::board::PointSet;
use crate::index::{Plane, invert_elements};
use crate::simd;
use crate::table::TableError;

use super::super::parallel::try_for_each_with_scratch;
use super::super::planes::{Neighbours, Search, group_rows, transpose_cells, with_block, with_group};
use super::layout::{Form, LOSS, NOT_WIN, OPEN};
use super::log::{Log, Outbox, summand};

/// Blocks that a word of marks stands for.
const BLOCKS_PER_MARK: usize = 64;

/// Words that a thread takes at a time.
const SHARE: usize = 1 << 15;

/// A visit to a band.
pub struct Visit<'a> {
    /// Finds losses.
    pub losses: Search<'a>,
    /// Finds wins.
    pub wins: Search<'a>,
    /// The form and the band.
    pub at: (usize, usize),
    /// All forms.
    pub forms: &'a [Form],
    /// The number of the form to which findings go.
    pub target: usize,
    /// Whether the positions that are no longer open go to the log as well.
    pub logs_own: bool,
    /// Where findings go.
    pub log: &'a Log<'a>,
}

/// What one thread works with.
struct Scratch<'l, const B: usize> {
    neighbours: Neighbours,
    /// For losses and wins, each row of a group, and each block of a stretch: what was found, where `hits` says so.
    found: [Vec<[u64; B]>; 2],
    outbox: Outbox<'l>,
    /// By how much the checksum of the open positions changes.
    sum: u64,
}

impl Visit<'_> {
    /// Looks at all due blocks of the open positions, and returns by how much their checksum changes.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn run(&self, open: &mut Plane) -> Result<u64, TableError> {
        let order = self.losses.space.symmetry().order();
        with_group!(order, C => with_block!(open.block(), B => self.share_out::<C, B>(open)))
    }

    fn share_out<const C: usize, const B: usize>(&self, open: &mut Plane) -> Result<u64, TableError> {
        let width = open.stride();
        let groups = (SHARE / (C * width)).max(1);
        let sum = AtomicU64::new(0);
        let scratch = || Scratch {
            neighbours: Neighbours::default(),
            found: [(); 2].map(|()| vec![[0; B]; C * BLOCKS_PER_MARK]),
            outbox: Outbox::new(self.log, self.forms, self.target),
            sum: 0,
        };
        let pieces = open.words_mut().chunks_mut(groups * C * width).enumerate();
        let body = |scratch: &mut Scratch<'_, B>, (number, rows): (usize, &mut [u64])| {
            for (group, rows) in rows.chunks_mut(C * width).enumerate() {
                simd::run(
                    #[inline(always)]
                    || self.find_in_group::<C, B>(number * groups + group, rows, scratch),
                )?;
            }
            Ok(())
        };
        try_for_each_with_scratch(pieces, scratch, body, |scratch| {
            sum.fetch_add(scratch.sum, Ordering::Relaxed);
            scratch.outbox.finish()
        })?;
        Ok(sum.into_inner())
    }

    /// Looks at rows that make one word of the other form.
    #[inline(always)]
    fn find_in_group<const C: usize, const B: usize>(
        &self,
        group: usize,
        open: &mut [u64],
        scratch: &mut Scratch<'_, B>,
    ) -> Result<(), TableError> {
        let Scratch { neighbours, found, outbox, sum } = scratch;
        let (slice, space) = (self.losses.slice, self.losses.space);
        let movers = space.subsets(slice.mover);
        let form = &self.forms[self.at.0];
        let (width, start) = (form.width_of(self.at.1), form.start(self.at.1));
        for word in 0..self.losses.due.stride() {
            // By kind and row, the blocks in which something is found.
            let mut hits = [[0u64; C]; 2];
            for (number, open) in open.chunks_exact_mut(width).enumerate() {
                let row = group * C + number;
                let due = [&self.losses, &self.wins].map(|search| search.due.take_word(row, word));
                if due == [0; 2] {
                    continue;
                }
                let mut searched = false;
                for bit in (due[0] | due[1]).iter() {
                    let block = BLOCKS_PER_MARK * word + bit;
                    let open: &mut [u64; B] = open[block * B..][..B].first_chunk_mut().expect("B words");
                    if open.iter().all(|&word| word == 0) {
                        continue;
                    }
                    if !std::mem::replace(&mut searched, true) {
                        neighbours.find(space, movers, movers.representatives()[row]);
                    }
                    let before = *open;
                    for (kind, search) in [&self.losses, &self.wins].into_iter().enumerate() {
                        if due[kind] >> bit & 1 == 1 {
                            let new = search.find_block::<B>(neighbours, block, open);
                            if new != [0; B] {
                                hits[kind][number] |= 1 << bit;
                                found[kind][number * BLOCKS_PER_MARK + bit] = new;
                            }
                        }
                    }
                    for (index, (&before, &after)) in before.iter().zip(&*open).enumerate().filter(|(_, (a, b))| a != b)
                    {
                        let word = block * B + index;
                        let at = row * width + word;
                        *sum = sum.wrapping_add(summand(at, after)).wrapping_sub(summand(at, before));
                        if self.logs_own {
                            outbox.push(self.at, OPEN, (row, start + word), before ^ after)?;
                        }
                    }
                }
            }
            for (kind, plane) in [LOSS, NOT_WIN].into_iter().enumerate() {
                for bit in hits[kind].iter().fold(0, |all, hits| all | hits).iter() {
                    let mut tile = [[0u64; B]; C];
                    for (number, tile) in
                        tile.iter_mut().enumerate().filter(|&(number, _)| hits[kind][number] >> bit & 1 == 1)
                    {
                        *tile = found[kind][number * BLOCKS_PER_MARK + bit];
                    }
                    let first = (start + (BLOCKS_PER_MARK * word + bit) * B) * C;
                    self.send(tile, plane, first, group, outbox)?;
                }
            }
        }
        Ok(())
    }

    /// Sends the bits of one block of a group of rows to where they belong in the other form: rows from `first` on, and one word.
    #[inline(always)]
    fn send<const C: usize, const B: usize>(
        &self,
        mut tile: [[u64; B]; C],
        plane: usize,
        first: usize,
        word: usize,
        outbox: &mut Outbox<'_>,
    ) -> Result<(), TableError> {
        transpose_cells(&mut tile);
        if C == 8 {
            for word in tile.as_flattened_mut() {
                *word = invert_elements(*word);
            }
        }
        let band = word / self.forms[self.target].width;
        for index in 0..B {
            for (cell, words) in tile.iter().enumerate().filter(|(_, words)| words[index] != 0) {
                outbox.push((self.target, band), plane, (first + index * C + cell, word), words[index])?;
            }
        }
        Ok(())
    }
}

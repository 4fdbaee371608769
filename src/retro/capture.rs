//! The capture pass: the value of every position with a capture, from the finished slices that captures lead to.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::board::PointSet;
use crate::index::{Occupancy, Plane, Slice, Space, block_words, padded_words, zeroed};
use crate::rules::{Continuation, Game, RuleSet};
use crate::table::{SliceValues, ValuePlanes};

use super::chains::{Frame, OrbitCache, Program};
use super::extended::ExtendedPlanes;
use super::lanes::{Extensions, LanePair, join_equal_slots, transpose_cells};
use super::lone::lone_capture_pass;
use super::parallel::for_each_with_scratch;
use crate::simd;

/// The planes of a slice by rows of the opponent's orbits and slots of the mover's sets.
pub struct OpponentPlanes {
    /// Positions known to be lost for the side to move.
    pub loss: Plane,
    /// Positions not known to be won for the side to move.
    pub not_win: Plane,
}

/// What one thread works with.
struct Scratch {
    cache: OrbitCache,
    /// One for each opponent set of a batch.
    programs: Vec<Program>,
    /// For each starting point and plane, 64 lanes of a block.
    tiles: Vec<u64>,
    /// Starting points that some program of the batch uses.
    used: Vec<bool>,
    /// By slot of the mover's sets, a bit for each opponent set of the batch.
    lanes: Vec<LanePair>,
}

/// What all threads read.
struct Pass<'a> {
    space: &'a Space,
    slice: Slice,
    game: Game<u64>,
    obligatory: bool,
    extensions: &'a Extensions,
    planes: Vec<ExtendedPlanes>,
}

/// Bytes of the lanes that each thread holds during the capture pass, for so many slots of the mover's sets.
#[must_use]
pub fn lane_bytes(slots: u64) -> u64 {
    slots.next_multiple_of(64) * 16
}

/// Resolves all captures of a slice. Afterwards a quiet position counts as not won and not lost.
///
/// `lookup` gives the finished slices with the same number of stones of the mover, as the opponent, and fewer of the
/// opponent, as the mover: `(o - 1) v m` down to `1 v m`.
pub fn capture_pass<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceValues,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> OpponentPlanes {
    let planes = (0..slice.opponent).map(|left| match left {
        0 => Cow::Owned(ValuePlanes::extinct(space, slice.mover)),
        _ => lookup(Slice::new(left, slice.mover)).planes(space),
    });
    let (opponents, movers) = (space.subsets(slice.opponent), space.subsets(slice.mover));
    let done = AtomicUsize::new(0);
    let advance = |rows: usize| progress(done.fetch_add(rows, Ordering::Relaxed) + rows, opponents.orbits());
    advance(0);
    if slice.mover == 1 {
        return lone_capture_pass(space, rules, slice, &planes.collect::<Vec<_>>(), &advance);
    }
    let extensions = &Extensions::new(space, slice.mover);
    let planes = planes.map(|planes| ExtendedPlanes::new(space, slice.mover, &planes, extensions));
    let any_stop = RuleSet { continuation: Continuation::Optional, ..rules };
    let pass = Pass {
        space,
        slice,
        game: Game::new(space.board().clone(), any_stop),
        obligatory: rules.continuation == Continuation::Obligatory,
        extensions,
        planes: planes.collect(),
    };
    let mut loss = Plane::new(opponents, movers);
    let mut not_win = Plane::new(opponents, movers);
    let stride = loss.stride();
    // Few rows are shared out evenly; many make full batches of 64.
    let batch = loss.rows().div_ceil(rayon::current_num_threads()).clamp(1, 64);
    let rest_block = block_words(space.subsets(slice.mover - 1).words());
    let pieces = loss.words_mut().chunks_mut(batch * stride).zip(not_win.words_mut().chunks_mut(batch * stride));
    let scratch = || Scratch {
        cache: OrbitCache::default(),
        programs: (0..batch).map(|_| Program::default()).collect(),
        tiles: zeroed(space.board().points() * 2 * 64 * rest_block),
        used: vec![false; space.board().points()],
        lanes: zeroed(64 * stride),
    };
    for_each_with_scratch(pieces.enumerate(), scratch, |scratch, (number, (loss, not_win))| {
        let first = number * batch;
        simd::run(
            #[inline(always)]
            || {
                match rest_block {
                    1 => pass.resolve::<1>(first, loss.len() / stride, scratch),
                    2 => pass.resolve::<2>(first, loss.len() / stride, scratch),
                    4 => pass.resolve::<4>(first, loss.len() / stride, scratch),
                    _ => pass.resolve::<8>(first, loss.len() / stride, scratch),
                }
                match block_words(movers.words()) {
                    1 => pass.write_rows::<1>(first, loss, not_win, scratch),
                    2 => pass.write_rows::<2>(first, loss, not_win, scratch),
                    4 => pass.write_rows::<4>(first, loss, not_win, scratch),
                    _ => pass.write_rows::<8>(first, loss, not_win, scratch),
                }
            },
        );
        advance(loss.len() / stride);
    });
    OpponentPlanes { loss, not_win }
}

impl Pass<'_> {
    /// Fills the lanes with "has a capture that the opponent loses after" and "… does not win after", for the opponent
    /// orbits from `first` on.
    #[inline(always)]
    fn resolve<const B: usize>(&self, first: usize, rows: usize, scratch: &mut Scratch) {
        let Scratch { cache, programs, tiles, used, lanes } = scratch;
        let opponents = self.space.subsets(self.slice.opponent);
        for (program, &set) in programs.iter_mut().zip(&opponents.representatives()[first..first + rows]) {
            program.compile(self.space, &self.game, set, cache);
        }
        lanes.fill([0; 2]);
        let rest = self.space.occupancy(self.slice.mover - 1);
        let words = padded_words(self.space.subsets(self.slice.mover - 1).words());
        let mut stack = vec![Frame::<B>::default(); self.slice.opponent + 2];
        let (tiles, _) = tiles.as_chunks_mut::<B>();
        for start in (0..words).step_by(B) {
            tiles.fill([0; B]);
            used.fill(false);
            for (lane, program) in programs[..rows].iter().enumerate() {
                program.run::<B>(&self.planes, rest, self.obligatory, start, &mut stack, |from, found| {
                    used[from] = true;
                    tiles[from * 128 + lane] = found[0];
                    tiles[from * 128 + 64 + lane] = found[1];
                });
            }
            for tile in tiles.chunks_exact_mut(64).enumerate().filter(|(row, _)| used[row / 2]).map(|(_, tile)| tile) {
                transpose_cells::<64, B>(tile.first_chunk_mut().expect("64 lanes"));
            }
            for word in 0..B {
                self.extensions.for_each(self.space, start + word, |point, smaller, larger| {
                    let lane = &mut lanes[larger];
                    lane[0] |= tiles[point * 128 + smaller][word];
                    lane[1] |= tiles[point * 128 + 64 + smaller][word];
                });
            }
        }
        let movers = self.space.subsets(self.slice.mover);
        join_equal_slots(movers, lanes);
    }

    /// Turns the lanes into rows, and marks positions as lost or not won.
    #[inline(always)]
    fn write_rows<const B: usize>(&self, first: usize, loss: &mut [u64], not_win: &mut [u64], scratch: &mut Scratch) {
        let Scratch { programs, lanes, .. } = scratch;
        let movers = self.space.subsets(self.slice.mover);
        let occupancy = self.space.occupancy(self.slice.mover);
        let sets = &self.space.subsets(self.slice.opponent).representatives()[first..];
        let stride = padded_words(movers.words());
        let mut tiles = [[[0u64; B]; 64]; 2];
        for start in (0..stride).step_by(B) {
            for (number, tile) in tiles.iter_mut().enumerate() {
                for word in 0..B {
                    let block = &lanes[64 * (start + word)..][..64];
                    for (row, lane) in tile.iter_mut().zip(block) {
                        row[word] = lane[number];
                    }
                }
                transpose_cells(tile);
            }
            let blocks = std::array::from_fn::<_, B, _>(|word| slot_mask(movers.slots(), start + word));
            for (row, (loss, not_win)) in
                loss.chunks_exact_mut(stride).zip(not_win.chunks_exact_mut(stride)).enumerate()
            {
                let valid = outside::<B>(occupancy, sets[row], start, blocks);
                let capturing = capturing_block::<B>(occupancy, programs[row].targets(), start);
                for word in 0..B {
                    let (win, holds) = (tiles[0][row][word], tiles[1][row][word]);
                    not_win[start + word] = valid[word] & !win;
                    loss[start + word] = valid[word] & capturing[word] & !holds;
                }
            }
        }
    }
}

/// The slots of one word that exist.
#[inline]
#[must_use]
pub fn slot_mask(slots: usize, word: usize) -> u64 {
    match slots.saturating_sub(64 * word) {
        0 => 0,
        rest @ 1..64 => (1 << rest) - 1,
        _ => u64::MAX,
    }
}

#[inline(always)]
fn block_of<const B: usize>(rows: &Occupancy, point: usize, first: usize) -> [u64; B] {
    let row = rows.of(point);
    match row.get(first..first + B) {
        Some(block) => *block.first_chunk().expect("B words"),
        None => std::array::from_fn(|word| row.get(first + word).copied().unwrap_or(0)),
    }
}

/// Keeps the sets that have no point in common with `set`.
#[inline(always)]
fn outside<const B: usize>(rows: &Occupancy, set: u64, first: usize, mut block: [u64; B]) -> [u64; B] {
    for point in set.iter() {
        for (word, occupied) in block.iter_mut().zip(block_of::<B>(rows, point, first)) {
            *word &= !occupied;
        }
    }
    block
}

/// The mover sets with a capturing first step: a stone on a starting point, and one of its targets free.
#[inline(always)]
fn capturing_block<const B: usize>(rows: &Occupancy, targets: &[(usize, u64)], first: usize) -> [u64; B] {
    let mut capturing = [0; B];
    for &(from, targets) in targets {
        let mut blocked = [u64::MAX; B];
        for target in targets.iter() {
            for (blocked, occupied) in blocked.iter_mut().zip(block_of::<B>(rows, target, first)) {
                *blocked &= occupied;
            }
        }
        for (word, (occupied, blocked)) in block_of::<B>(rows, from, first).iter().zip(&blocked).enumerate() {
            capturing[word] |= occupied & !blocked;
        }
    }
    capturing
}

//! The capture pass: the value of every position with a capture, from the finished slices that captures lead to.

use std::borrow::Cow;
use std::ops::Range;

use crate::board::PointSet;
use crate::index::{Plane, STRETCH, Slice, Space, Stretch, Subsets, block_words, padded_words, zeroed};
use crate::rules::{Continuation, RuleSet, Rules};
use crate::simd;
use crate::table::{SliceValues, ValuePlanes};

use super::super::parallel::for_each_with_scratch;
use super::chains::{Frame, OrbitCache, Program};
use super::lanes::{Extensions, LanePair, join_equal_slots, transpose_cells};
use super::leaves::{BATCH, BatchLeaves, Leaves, PassLeaves};
use super::lone::LonePass;
use super::search::Step;
use super::sizes::with_block;

/// The planes of a slice by rows of the opponent's orbits and slots of the mover's sets.
pub struct OpponentPlanes {
    /// Positions known to be lost for the side to move.
    pub loss: Plane,
    /// Positions not known to be won for the side to move.
    pub not_win: Plane,
}

impl OpponentPlanes {
    /// The plane that a step changes.
    pub fn changed_by(&mut self, step: Step) -> &mut Plane {
        match step {
            Step::Wins => &mut self.not_win,
            Step::Losses => &mut self.loss,
        }
    }
}

/// What the chains of a batch are worked out with.
struct ChainScratch {
    /// One for each opponent set of a batch.
    programs: Vec<Program>,
    /// For each starting point and plane, 64 lanes of a block.
    tiles: Vec<u64>,
    /// Starting points that some program of the batch uses.
    used: Vec<bool>,
    /// By slot of the mover's sets, a bit for each opponent set of the batch.
    lanes: Vec<LanePair>,
    leaves: BatchLeaves,
}

/// What all threads read, if each side has more than one stone.
struct ChainPass<'a> {
    space: &'a Space,
    slice: Slice,
    rules: Rules<u64>,
    obligatory: bool,
    extensions: Extensions,
    leaves: PassLeaves<'a>,
}

/// Bytes of the lanes that each thread holds during the capture pass, for that many slots of the mover's sets.
#[must_use]
pub fn lane_bytes(slots: u64) -> u64 {
    slots.next_multiple_of(64) * 16
}

/// Rows in a batch, of `rows` in all: at most [`BATCH`], and fewer if there are not enough batches for all workers.
#[must_use]
pub fn batch_rows(rows: usize, workers: usize) -> usize {
    rows.div_ceil(workers).clamp(1, BATCH)
}

/// As [`BATCH`], for a lone stone.
const LONE_BATCH: usize = 1024;

/// Resolves all captures of a slice, opponent sets in batches. Afterwards a quiet position counts as not won and not lost.
pub struct CapturePass<'a> {
    form: Form<'a>,
    space: &'a Space,
    slice: Slice,
    batch: usize,
}

enum Form<'a> {
    Chains(ChainPass<'a>),
    LoneMover(LonePass<'a>),
    /// Every capture wins.
    LoneOpponent(Rules<u64>),
}

/// The memory of a thread.
#[derive(Default)]
pub struct CaptureScratch {
    walks: (Program, OrbitCache),
    chains: Option<ChainScratch>,
}

impl<'a> CapturePass<'a> {
    /// `lookup` gives the finished slices with the same number of stones of the mover, as the opponent, and fewer of the
    /// opponent, as the mover: `(o - 1) v m` down to `1 v m`. Opponent sets are taken in batches; if there are few, batches are
    /// small enough for all workers.
    pub fn new<'v: 'a>(
        (space, rules, slice): (&'a Space, RuleSet, Slice),
        lookup: &dyn Fn(Slice) -> &'v SliceValues,
        workers: usize,
        leaves: Leaves,
    ) -> Self {
        let planes = (0..slice.opponent).map(|left| match left {
            0 => Cow::Owned(ValuePlanes::extinct(space, slice.mover)),
            _ => lookup(Slice::new(left, slice.mover)).planes(space),
        });
        let batch = batch_rows(space.subsets(slice.opponent).orbits(), workers);
        let (form, batch) = match (slice.mover, slice.opponent) {
            (_, 1) => (Form::LoneOpponent(Rules::new(space.board().clone(), rules)), batch),
            (1, _) => (Form::LoneMover(LonePass::new(space, rules, slice, planes.collect())), LONE_BATCH),
            _ => (Form::Chains(ChainPass::new((space, rules, slice), planes, batch, leaves)), batch),
        };
        Self { form, space, slice, batch }
    }

    /// Rows in a batch.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The planes of some rows, of which the first is the first of a batch. `advance` gets the number of rows with each batch.
    pub fn rows(&self, rows: Range<usize>, advance: &(dyn Fn(usize) + Sync)) -> OpponentPlanes {
        let words = self.space.subsets(self.slice.mover).words();
        let (stride, block) = (padded_words(words), block_words(words));
        let [mut loss, mut not_win] = [(); 2].map(|()| Plane::sized(rows.len(), stride, block));
        let batch = self.batch * stride;
        let pieces = loss.words_mut().chunks_mut(batch).zip(not_win.words_mut().chunks_mut(batch));
        for_each_with_scratch(pieces.enumerate(), CaptureScratch::default, |scratch, (number, (loss, not_win))| {
            self.fill(rows.start + number * self.batch, loss, not_win, scratch);
            advance(loss.len() / stride);
        });
        OpponentPlanes { loss, not_win }
    }

    /// Fills the rows of a batch, from opponent orbit `first` on, which is the first of a batch.
    pub fn fill(&self, first: usize, loss: &mut [u64], not_win: &mut [u64], scratch: &mut CaptureScratch) {
        let movers = self.space.subsets(self.slice.mover);
        let stride = padded_words(movers.words());
        let CaptureScratch { walks: (program, cache), chains } = scratch;
        match &self.form {
            Form::Chains(pass) => {
                let scratch = chains.get_or_insert_with(|| pass.scratch(self.batch));
                simd::run(
                    #[inline(always)]
                    || {
                        let (rows, rest) = (loss.len() / stride, self.space.subsets(self.slice.mover - 1));
                        with_block!(block_words(rest.words()), B => pass.resolve::<B>(first, rows, cache, scratch));
                        with_block!(block_words(movers.words()), B => pass.write_rows::<B>(first, loss, not_win, scratch));
                    },
                );
            }
            Form::LoneMover(pass) => pass.resolve(first, stride, loss, not_win, cache),
            Form::LoneOpponent(rules) => {
                let rows = loss.chunks_exact_mut(stride).zip(not_win.chunks_exact_mut(stride));
                for ((loss, not_win), &set) in rows.zip(&self.space.subsets(1).representatives()[first..]) {
                    program.compile(self.space, rules, set, cache);
                    loss.fill(0);
                    simd::run(
                        #[inline(always)]
                        || without_captures(movers, set, program.targets(), not_win),
                    );
                }
            }
        }
    }
}

impl<'a> ChainPass<'a> {
    /// `planes` are those of the slices that captures lead to, by the stones left to the opponent.
    fn new<'v: 'a>(
        (space, rules, slice): (&'a Space, RuleSet, Slice),
        planes: impl Iterator<Item = Cow<'v, ValuePlanes>>,
        batch: usize,
        leaves: Leaves,
    ) -> Self {
        let extensions = Extensions::new(space, slice.mover);
        let leaves = PassLeaves::new((space, slice), planes, &extensions, batch, leaves);
        let any_stop = RuleSet { continuation: Continuation::Optional, ..rules };
        let obligatory = rules.continuation == Continuation::Obligatory;
        let rules = Rules::new(space.board().clone(), any_stop);
        Self { space, slice, rules, obligatory, extensions, leaves }
    }

    /// The memory of a thread, for that many rows.
    fn scratch(&self, batch: usize) -> ChainScratch {
        let (points, movers) = (self.space.board().points(), self.space.subsets(self.slice.mover));
        let rest_block = block_words(self.space.subsets(self.slice.mover - 1).words());
        ChainScratch {
            programs: (0..batch).map(|_| Program::default()).collect(),
            tiles: zeroed(points * 2 * 64 * rest_block),
            used: vec![false; points],
            lanes: zeroed(64 * padded_words(movers.words())),
            leaves: self.leaves.scratch(),
        }
    }

    /// Fills the lanes with "has a capture that the opponent loses after" and "… does not win after", for the opponent
    /// orbits from `first` on.
    #[inline(always)]
    fn resolve<const B: usize>(&self, first: usize, rows: usize, cache: &mut OrbitCache, scratch: &mut ChainScratch) {
        let ChainScratch { programs, tiles, used, lanes, leaves } = scratch;
        let opponents = self.space.subsets(self.slice.opponent);
        for (program, &set) in programs.iter_mut().zip(&opponents.representatives()[first..first + rows]) {
            program.compile(self.space, &self.rules, set, cache);
        }
        let leaves = self.leaves.of_batch(&mut programs[..rows], &self.extensions, leaves);
        lanes.fill([0; 2]);
        let rest = self.space.subsets(self.slice.mover - 1);
        let words = padded_words(rest.words());
        let mut stack = vec![Frame::<B>::default(); self.slice.opponent + 2];
        let (tiles, _) = tiles.as_chunks_mut::<B>();
        for start in (0..words).step_by(B) {
            tiles.fill([0; B]);
            used.fill(false);
            let rest = rest.stretch(start / STRETCH);
            for (lane, program) in programs[..rows].iter().enumerate() {
                program.run::<B>(&leaves, rest, self.obligatory, start, &mut stack, |from, found| {
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
    fn write_rows<const B: usize>(
        &self,
        first: usize,
        loss: &mut [u64],
        not_win: &mut [u64],
        scratch: &mut ChainScratch,
    ) {
        let ChainScratch { programs, lanes, .. } = scratch;
        let movers = self.space.subsets(self.slice.mover);
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
            let stretch = movers.stretch(start / STRETCH);
            let blocks = std::array::from_fn::<_, B, _>(|word| slot_mask(movers.slots(), start + word));
            for (row, (loss, not_win)) in
                loss.chunks_exact_mut(stride).zip(not_win.chunks_exact_mut(stride)).enumerate()
            {
                let valid = outside::<B>(stretch, sets[row], start, blocks);
                let capturing = capturing_block::<B>(stretch, programs[row].targets(), start);
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

/// The mover sets that avoid a set and have no capture.
#[inline(always)]
fn without_captures(movers: &Subsets, set: u64, targets: &[(usize, u64)], row: &mut [u64]) {
    for (word, row) in row.iter_mut().enumerate() {
        let stretch = movers.stretch(word / STRETCH);
        let [capturing] = capturing_block::<1>(stretch, targets, word);
        let [valid] = outside::<1>(stretch, set, word, [slot_mask(movers.slots(), word)]);
        *row = valid & !capturing;
    }
}

/// Keeps the sets that have no point in common with `set`.
#[inline(always)]
#[must_use]
pub fn outside<const B: usize>(rows: Stretch<'_>, set: u64, first: usize, mut block: [u64; B]) -> [u64; B] {
    for point in set.iter() {
        for (word, occupied) in block.iter_mut().zip(rows.block::<B>(point, first)) {
            *word &= !occupied;
        }
    }
    block
}

/// The mover sets with a capturing first step: a stone on a starting point, and one of its targets free.
#[inline(always)]
#[must_use]
pub fn capturing_block<const B: usize>(rows: Stretch<'_>, targets: &[(usize, u64)], first: usize) -> [u64; B] {
    let mut capturing = [0; B];
    for &(from, targets) in targets {
        let mut blocked = [u64::MAX; B];
        for target in targets.iter() {
            for (blocked, occupied) in blocked.iter_mut().zip(rows.block::<B>(target, first)) {
                *blocked &= occupied;
            }
        }
        for (word, (occupied, blocked)) in rows.block::<B>(from, first).iter().zip(&blocked).enumerate() {
            capturing[word] |= occupied & !blocked;
        }
    }
    capturing
}

#[cfg(test)]
mod tests {
    use super::super::tests::solved;
    use super::*;

    /// The slow twin: all leaves in memory.
    #[test]
    fn leaves_of_a_batch_make_the_same_rows() {
        let mut compared = 0;
        // The last leads from one batch to more than 64 orbits.
        for (size, rule_sets, stones) in [("3x5", 16, 4), ("5x5", 1, 4), ("7x5", 1, 5)] {
            for rules in RuleSet::all().take(rule_sets) {
                let space = &Space::new(size.parse().expect("a board"), rules.diagonals);
                let slices = solved(space, rules, stones);
                for slice in [Slice::new(2, stones - 1), Slice::new(3, 2)] {
                    let rows = space.subsets(slice.opponent).orbits();
                    // Batches of one set, of a few, and of as many as there are.
                    for workers in [usize::MAX, 30, 1] {
                        let [all, of_batch] = [Leaves::All, Leaves::OfBatch].map(|leaves| {
                            let pass =
                                CapturePass::new((space, rules, slice), &|slice| &slices[&slice], workers, leaves);
                            let made = matches!(&pass.form, Form::Chains(chains) if chains.leaves.are_made());
                            let OpponentPlanes { loss, not_win } = pass.rows(0..rows, &|_| ());
                            (made, loss, not_win)
                        });
                        assert!(
                            !all.0 && (all.1, all.2) == (of_batch.1, of_batch.2),
                            "{size} {slice} {rules} {workers}"
                        );
                        compared += usize::from(of_batch.0);
                    }
                }
            }
        }
        assert!(compared >= 60, "{compared}");
    }
}

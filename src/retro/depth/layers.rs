//! The quiet pass by depth: wins and losses layer by layer, those by captures coming in at their own.
//!
//! The steps are those of the plain quiet pass, from a state in which nothing is decided yet. Step number n of losses finds
//! the quiet positions lost in 2n plies, step n of wins those won in 2n + 1; what captures decide enters the state at
//! the end of the step of its depth. So each step works on exactly the positions that are nearer to the end.

use rayon::prelude::*;

use crate::index::{Cells, Plane, QuietMask, Slice, Space};
use crate::rules::RuleSet;
use crate::simd;
use crate::table::Score;

use super::super::capture::{OpponentPlanes, slot_mask};
use super::super::marks::Marks;
use super::super::quiet::{Pair, Step};
use super::super::transpose::{GroupFlags, group_rows};

/// Decides every position of a pair. `captures` are the least scores that captures lead to, by the opponent's orbits; what
/// comes back are the scores of quiet positions by the mover's orbits, all others being drawn there. `report` hears after
/// each step how many bits it found.
pub fn decide_by_depth(
    space: &Space,
    rules: RuleSet,
    slices: &[Slice],
    captures: &[Cells],
    mut report: impl FnMut(usize),
) -> Vec<Cells> {
    let planes = slices.iter().map(|&slice| undecided(space, slice)).collect();
    let mut pair = Pair::new(space, rules, slices.to_vec(), planes);
    let plane =
        |slice: &Slice| Cells::new(space.subsets(slice.mover), space.subsets(slice.opponent), Score::DRAW.cell());
    let mut scores: Vec<Cells> = slices.iter().map(plane).collect();
    // For each slice, the wins that captures make, and the losses.
    let mut due: Vec<[Due; 2]> = captures.iter().map(|_| Default::default()).collect();
    let mut step = Step::Losses;
    let (mut number, mut idle) = (0u16, 0);
    loop {
        let found = pair.find(step);
        for (side, scores) in scores.iter_mut().enumerate() {
            let (found, flags) = pair.found(side);
            let score = if step == Step::Wins { Score::win(number) } else { Score::loss(number) };
            record(space, found, flags, score.cell(), scores);
        }
        pair.merge(step);
        let (mut entered, mut waiting) = (false, false);
        for (side, captures) in captures.iter().enumerate() {
            let (plane, changed) = pair.state(side, step);
            let due = &mut due[side];
            entered |= match step {
                Step::Wins => due[0].enter::<true>(captures, number, plane, changed),
                Step::Losses => due[1].enter::<false>(captures, number, plane, changed),
            };
            waiting |= due.iter().any(Due::waits);
        }
        pair.spread(step);
        report(found);
        idle = if found == 0 && !entered { idle + 1 } else { 0 };
        if idle >= 2 && !waiting {
            return scores;
        }
        if step == Step::Wins {
            number += 1;
            assert!(number < Score::MOST_STEPS, "a win of more than {} plies", 2 * u32::from(Score::MOST_STEPS));
        }
        step = step.next();
    }
}

/// The state before anything is decided: no loss, and no win, of all positions.
fn undecided(space: &Space, slice: Slice) -> OpponentPlanes {
    let (opponents, movers) = (space.subsets(slice.opponent), space.subsets(slice.mover));
    let loss = Plane::new(opponents, movers);
    let mut not_win = Plane::new(opponents, movers);
    let (stride, words) = (not_win.stride(), movers.words());
    let (occupancy, tail) = (space.occupancy(slice.mover), slot_mask(movers.slots(), words - 1));
    not_win.words_mut().par_chunks_mut(stride).zip(opponents.representatives()).for_each(|(row, &set)| {
        simd::run(
            #[inline(always)]
            || QuietMask::new(space.board(), set).fill_valid(occupancy, 0, &mut row[..words]),
        );
        row[words - 1] &= tail;
    });
    OpponentPlanes { loss, not_win }
}

/// Gives the cells of what a step has found that score.
fn record(space: &Space, found: &Plane, flags: &GroupFlags, score: u16, scores: &mut Cells) {
    let group = group_rows(space.symmetry().order());
    let (width, blocks) = (scores.stride(), found.blocks());
    scores.all_mut().par_chunks_mut(group * width).zip(flags.par_chunks(blocks)).enumerate().for_each(
        |(number, (scores, flags))| {
            for block in (0..blocks).filter(|&block| flags[block] != 0) {
                for (row, scores) in scores.chunks_exact_mut(width).enumerate() {
                    let words = &found.row(number * group + row)[block * found.block()..][..found.block()];
                    for (word, &bits) in words.iter().enumerate() {
                        let mut bits = bits;
                        while bits != 0 {
                            let slot = 64 * (block * found.block() + word) + bits.trailing_zeros() as usize;
                            scores[slot] = score;
                            bits &= bits - 1;
                        }
                    }
                }
            }
        },
    );
}

/// For each block of a plane, the first step at which captures decide something in it; so that a step looks only at
/// blocks in which it finds something.
#[derive(Default)]
struct Due(Vec<u16>);

/// In place of a step where nothing is left to decide.
const NEVER: u16 = u16::MAX;

/// The step at which a capture to that least score decides a position, as a win or as a loss.
#[inline(always)]
fn step_of<const WINS: bool>(least: u16) -> u16 {
    let draw = Score::DRAW.cell();
    if WINS {
        if least < draw { least } else { NEVER }
    } else {
        // A win of the opponent in n steps is a loss in n + 1; of `NONE` and of no win nothing comes.
        let step = (2 * draw).wrapping_sub(least).wrapping_add(1);
        if least > draw && least <= 2 * draw { step } else { NEVER }
    }
}

impl Due {
    /// Whether later steps have something to decide.
    fn waits(&self) -> bool {
        self.0.is_empty() || self.0.iter().any(|&step| step != NEVER)
    }

    /// Puts what captures decide at that step into the plane of the state; tells whether there was anything.
    fn enter<const WINS: bool>(&mut self, captures: &Cells, step: u16, plane: &mut Plane, changed: &Marks) -> bool {
        let (stride, block, blocks, width) = (plane.stride(), plane.block(), plane.blocks(), captures.stride());
        if self.0.is_empty() {
            self.0 = vec![0; plane.rows() * blocks];
        }
        let rows = plane.words_mut().par_chunks_mut(stride).zip(captures.all().par_chunks(width));
        let rows = rows.zip(self.0.par_chunks_mut(blocks)).enumerate();
        let entered = rows.map(|(row, ((bits, cells), due))| {
            let mut entered = false;
            for (number, due) in due.iter_mut().enumerate().filter(|(_, due)| **due <= step) {
                let start = 64 * block * number;
                let cells = &cells[start.min(width)..(start + 64 * block).min(width)];
                let bits = &mut bits[block * number..][..block];
                let (found, next) = simd::run(
                    #[inline(always)]
                    || enter_block::<WINS>(cells, step, bits),
                );
                *due = next;
                if found {
                    changed.mark(row, number);
                    entered = true;
                }
            }
            entered
        });
        entered.reduce(|| false, |a, b| a | b)
    }
}

/// Enters the cells of a block; tells whether any were due, and the next step at which some are.
#[inline(always)]
fn enter_block<const WINS: bool>(cells: &[u16], step: u16, bits: &mut [u64]) -> (bool, u16) {
    let (mut found, mut next) = (false, NEVER);
    for (cells, word) in cells.chunks(64).zip(bits) {
        let mut now = 0;
        for (bit, &cell) in cells.iter().enumerate() {
            let decided = step_of::<WINS>(cell);
            now |= u64::from(decided == step) << bit;
            next = next.min(if decided > step { decided } else { NEVER });
        }
        found |= now != 0;
        if WINS { *word &= !now } else { *word |= now }
    }
    (found, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_decide_at_the_step_of_their_score() {
        for step in [0, 5, 300] {
            let (won, lost) = (Score::loss(step), Score::win(step));
            assert_eq!(won.before().step(), Some(step_of::<true>(won.cell())));
            assert_eq!(lost.before().step(), Some(step_of::<false>(lost.cell())));
            assert_eq!([step_of::<false>(won.cell()), step_of::<true>(lost.cell())], [NEVER; 2]);
        }
        for cell in [Score::DRAW.cell(), Score::NONE] {
            assert_eq!([step_of::<true>(cell), step_of::<false>(cell)], [NEVER; 2]);
        }
    }
}

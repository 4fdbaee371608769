//! The quiet pass by depth: wins and losses layer by layer, those by captures coming in at their own.
//!
//! The steps are those of the plain quiet pass, from a state in which nothing is decided yet. Step number n of losses finds
//! the quiet positions lost in 2n plies, step n of wins those won in 2n + 1; what captures decide enters the state at
//! the end of the step of its depth. So each step works on exactly the positions that are nearer to the end.

use rayon::prelude::*;

use crate::index::{Cells, Plane, QuietMask, Slice, Space, zeroed};
use crate::rules::RuleSet;
use crate::simd;
use crate::table::{Cell, TableError};

use super::super::planes::Marks;
use super::super::planes::{OpponentPlanes, slot_mask};
use super::super::planes::{Pair, Step};

/// Decides every position of a pair. `cells` are the least scores that captures lead to, by the opponent's orbits; those that
/// paikas lead to come to them, where they decide. Cells that stay drawn are draws, and [`Cell::NONE`] is a stalemate
/// that is lost. `report` gets the number of bits that each step found.
///
/// # Errors
/// [`TableError::TooDeep`].
pub fn decide_by_depth<C: Cell>(
    space: &Space,
    rules: RuleSet,
    slices: &[Slice],
    cells: &mut [Cells<C>],
    mut report: impl FnMut(usize),
) -> Result<(), TableError> {
    let planes = slices.iter().map(|&slice| undecided(space, slice)).collect();
    let mut pair = Pair::new(space, rules, slices.to_vec(), planes);
    // For each slice, the wins that captures make, and the losses.
    let mut due: Vec<[Due; 2]> = slices.iter().map(|_| Default::default()).collect();
    let mut step = Step::Losses;
    let (mut number, mut idle) = (0u16, 0);
    loop {
        let found = pair.find(step);
        record(&mut pair, step, number, cells);
        let (mut entered, mut waiting) = (false, false);
        for (side, cells) in cells.iter().enumerate() {
            let (plane, changed) = pair.state(side, step);
            let due = &mut due[side];
            entered |= match step {
                Step::Wins => due[0].enter::<C, true>(cells, number, plane, changed),
                Step::Losses => due[1].enter::<C, false>(cells, number, plane, changed),
            };
            waiting |= due.iter().any(Due::waits);
        }
        pair.spread(step);
        report(found);
        idle = if found == 0 && !entered { idle + 1 } else { 0 };
        if idle >= 2 && !waiting {
            return Ok(());
        }
        if step == Step::Wins {
            number += 1;
            if number == C::MAX_STEPS {
                return Err(TableError::too_deep::<C>(slices[0]));
            }
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
    let tail = slot_mask(movers.slots(), words - 1);
    not_win.words_mut().par_chunks_mut(stride).zip(opponents.representatives()).for_each(|(row, &set)| {
        simd::run(
            #[inline(always)]
            || QuietMask::new(space.board(), set, movers.size()).fill_valid(movers, 0, &mut row[..words]),
        );
        row[words - 1] &= tail;
    });
    OpponentPlanes { loss, not_win }
}

/// Puts what a step has found into the state, and what its paikas leave to the opponent into the cells.
fn record<C: Cell>(pair: &mut Pair<'_>, step: Step, number: u16, cells: &mut [Cells<C>]) {
    let left = match step {
        Step::Wins => C::loss(number),
        // A win one step sooner; or no turn at all, which has no score.
        Step::Losses => !C::loss(number),
    };
    let shared: Vec<_> = cells.iter_mut().map(|cells| (cells.stride(), C::shared(cells.all_mut()))).collect();
    pair.merge(step, |side, row, word, mut bits| {
        let (stride, cells) = shared[side];
        let cells = &cells[row * stride..][..stride];
        while bits != 0 {
            C::put(&cells[64 * word + bits.trailing_zeros() as usize], left);
            bits &= bits - 1;
        }
    });
}

/// For each block of a plane, the first step at which captures decide something in it; so that a step looks only at
/// blocks in which it finds something.
#[derive(Default)]
struct Due(Vec<u16>);

/// Cells that are looked at together: rows are padded to whole multiples of them.
const HALF: usize = 32;

/// In place of a step where nothing is left to decide.
const NEVER: u16 = u16::MAX;

impl Due {
    /// Whether later steps have something to decide.
    fn waits(&self) -> bool {
        self.0.is_empty() || self.0.iter().any(|&step| step != NEVER)
    }

    /// Puts what captures decide at that step into the plane of the state; true if there was anything.
    fn enter<C: Cell, const WINS: bool>(
        &mut self,
        cells: &Cells<C>,
        step: u16,
        plane: &mut Plane,
        changed: &Marks,
    ) -> bool {
        let (stride, block, blocks, width) = (plane.stride(), plane.block(), plane.blocks(), cells.stride());
        if self.0.is_empty() {
            self.0 = zeroed(plane.rows() * blocks);
        }
        let rows = plane.words_mut().par_chunks_mut(stride).zip(cells.all().par_chunks(width));
        let rows = rows.zip(self.0.par_chunks_mut(blocks)).enumerate();
        let entered = rows.map(|(row, ((bits, cells), due))| {
            let mut entered = false;
            for (number, due) in due.iter_mut().enumerate().filter(|(_, due)| **due <= step) {
                let start = 64 * block * number;
                let cells = &cells[start.min(width)..(start + 64 * block).min(width)];
                let bits = &mut bits[block * number..][..block];
                let (found, next) = simd::run(
                    #[inline(always)]
                    || enter_block::<C, WINS>(cells, step, bits),
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

/// The step at which a capture that leaves this to the opponent decides a position as a win or as a loss, as a cell below
/// [`limit`].
#[inline(always)]
fn decided<C: Cell, const WINS: bool>(cell: C) -> C {
    // A loss of the opponent in n steps makes a win in n, and a win in n a loss in n + 1.
    if WINS { cell } else { !cell }
}

/// Cells from here on do not decide that way.
#[inline(always)]
fn limit<C: Cell, const WINS: bool>() -> C {
    // A loss in as many steps as a draw is a number is too deep: that step is never reached.
    if WINS { C::DRAW } else { !C::DRAW }
}

/// Enters the cells of a block; returns whether any were due, and the next step at which some are.
///
/// Five operations on vectors for every 32 cells: what is due, and by place the least of what is left, which is brought
/// together once for the block. No branch depends on the cells: looking first whether any of 32 is due took 115 ns for a
/// block of 512, and this takes 33 ns.
#[inline(always)]
fn enter_block<C: Cell, const WINS: bool>(cells: &[C], step: u16, bits: &mut [u64]) -> (bool, u16) {
    let (now, limit) = (C::loss(step), limit::<C, WINS>());
    let (mut found, mut later) = (0, [limit; HALF]);
    for (number, cells) in cells.as_chunks::<HALF>().0.iter().enumerate() {
        let mut due = [0u8; HALF];
        for place in 0..HALF {
            let decided = decided::<C, WINS>(cells[place]);
            due[place] = u8::from(decided == now);
            later[place] = later[place].min(if decided > now { decided } else { limit });
        }
        let due = gather(&due) << (number * HALF % 64);
        let word = &mut bits[number * HALF / 64];
        let before = *word;
        if WINS {
            *word &= !due;
        } else {
            *word |= due;
        }
        found |= *word ^ before;
    }
    let mut next = limit;
    for later in later {
        next = next.min(later);
    }
    (found != 0, if next < limit { next.number() } else { NEVER })
}

/// A bit for each byte, of bytes that are 0 or 1.
#[inline(always)]
fn gather(bytes: &[u8; HALF]) -> u64 {
    let mut bits = 0;
    for (number, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // Byte n adds its bit at 56 + n, and none of the other sums of places meets another.
        bits |= (u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * number);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Score;

    fn captures_decide_at_the_step_of_their_score_in<C: Cell>() {
        let step_of = |score: Score| {
            let cell = C::of(score);
            let (win, loss) = (decided::<C, true>(cell), decided::<C, false>(cell));
            let steps = [(win, limit::<C, true>()), (loss, limit::<C, false>())];
            steps.map(|(decided, limit)| (decided < limit).then(|| decided.number()))
        };
        for step in [0, 5, C::MAX_STEPS - 1] {
            let (won, lost) = (Score::loss(step), Score::win(step));
            assert_eq!(step_of(won), [won.before().step(), None]);
            assert_eq!(step_of(lost), [None, lost.before().step()]);
        }
        assert_eq!(step_of(Score::DRAW), [None, None]);
    }

    #[test]
    fn captures_decide_at_the_step_of_their_score() {
        captures_decide_at_the_step_of_their_score_in::<u8>();
        captures_decide_at_the_step_of_their_score_in::<u16>();
    }

    #[test]
    fn blocks_find_what_is_due_and_what_comes_next() {
        let mut cells = [u8::DRAW; 64];
        (cells[3], cells[9], cells[11]) = (u8::loss(4), u8::loss(7), u8::win(2));
        let mut not_win = [u64::MAX];
        assert_eq!(enter_block::<u8, true>(&cells, 4, &mut not_win), (true, 7));
        assert_eq!(not_win, [!(1 << 3)]);
        for place in 0..64 {
            let mut cells = [u8::DRAW; 64];
            (cells[place], cells[(place + 33) % 64]) = (u8::loss(4), u8::loss(6));
            let mut not_win = [u64::MAX];
            assert_eq!(enter_block::<u8, true>(&cells, 4, &mut not_win), (true, 6));
            assert_eq!(not_win, [!(1 << place)]);
        }
        // What is in the state already is nothing new.
        assert_eq!(enter_block::<u8, true>(&cells, 4, &mut not_win), (false, 7));
        assert_eq!(enter_block::<u8, true>(&cells, 7, &mut not_win), (true, NEVER));
        let mut loss = [0];
        assert_eq!(enter_block::<u8, false>(&cells, 0, &mut loss), (false, 3));
        assert_eq!(enter_block::<u8, false>(&cells, 3, &mut loss), (true, NEVER));
        assert_eq!(loss, [1 << 11]);
    }
}

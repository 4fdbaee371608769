//! Blocks of depth tables: the steps of the quiet positions in a stretch of words that are won or lost.
//!
//! The value of a position is not stored here. It comes from the table of values, and with it the number of steps gives the
//! plies. All wins come first, then all losses, because wins and losses differ more than neighbours do.

use crate::board::BoardSize;
use crate::index::{Order, Slice, Space};
use crate::rules::Outcome;

use super::block::{DecodedBlock, WordPlace, for_each_word};
use super::cell::Cell;
use super::depths::SliceDepths;
use super::header::MAX_BLOCK_WORDS;
use super::score::Score;
use super::values::Counts;

/// A position, as its two sets of points.
type Sets = (u64, u64);

/// The depths of all positions of a slice, with captures or without; symmetric placements count each.
#[derive(Clone, Debug, Default, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Depths {
    /// By step, how many wins take 2 · step + 1 plies; the last is not zero.
    pub wins: Vec<u64>,
    /// By step, how many losses take 2 · step plies; the last is not zero.
    pub losses: Vec<u64>,
    /// A win that takes the most plies, as the mover's and the opponent's points; the first in the order of tables.
    pub longest_win: Option<Sets>,
    /// A loss that takes the most plies.
    pub longest_loss: Option<Sets>,
}

impl Depths {
    /// The largest number of steps of any position.
    #[must_use]
    pub fn most_steps(&self) -> usize {
        self.wins.len().max(self.losses.len()).saturating_sub(1)
    }

    #[inline]
    fn count(&mut self, win: bool, step: u16, weight: u64, sets: impl FnOnce() -> Sets) {
        let step = usize::from(step);
        let (counts, longest) =
            if win { (&mut self.wins, &mut self.longest_win) } else { (&mut self.losses, &mut self.longest_loss) };
        if step >= counts.len() {
            counts.resize(step + 1, 0);
            *longest = Some(sets());
        }
        counts[step] += weight;
    }

    /// Whether these can be the depths of a slice with these counts.
    pub(super) fn fit(&self, size: BoardSize, slice: Slice, counts: &Counts) -> bool {
        let fit = |steps: &[u64], longest: Option<Sets>, total: u64| {
            let sum = steps.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
            let stands = longest.is_none_or(|(mover, opponent)| {
                let stones = Slice::new(mover.count_ones() as usize, opponent.count_ones() as usize);
                mover & opponent == 0
                    && (mover | opponent).leading_zeros() as usize + size.points() >= 64
                    && stones == slice
            });
            sum == Some(total)
                && stands
                && steps.len() <= usize::from(Score::MAX_STEPS) + 1
                && steps.last() != Some(&0)
                && steps.is_empty() == longest.is_none()
        };
        fit(&self.wins, self.longest_win, counts.wins) && fit(&self.losses, self.longest_loss, counts.losses)
    }

    /// Adds the depths of a part that comes later in the order of tables.
    pub fn add(&mut self, later: &Self) {
        let pairs = [
            (&mut self.wins, &mut self.longest_win, &later.wins, later.longest_win),
            (&mut self.losses, &mut self.longest_loss, &later.losses, later.longest_loss),
        ];
        for (counts, longest, more, other) in pairs {
            if counts.len() < more.len() {
                counts.resize(more.len(), 0);
                *longest = other;
            }
            counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
    }
}

/// Packs the steps of the quiet positions in `count` words from `first` on, and counts all their positions and depths.
pub fn encode_depths<C: Cell>(
    space: &Space,
    depths: &SliceDepths<C>,
    first: u64,
    count: u64,
) -> (Vec<u8>, Counts, Depths) {
    let order = Order::new(space, depths.slice());
    let (mut wins, mut losses) = (Vec::new(), Vec::new());
    let mut counts = Counts::default();
    let mut all = Depths::default();
    let mut weight = (usize::MAX, 0);
    for_each_word(order, first, count, |WordPlace { row, base, word }, mut valid, quiet| {
        if weight.0 != row {
            weight = (row, order.weight(base));
        }
        let weight = weight.1;
        counts.positions += u64::from(valid.count_ones()) * weight;
        counts.quiet += u64::from(quiet.count_ones()) * weight;
        while valid != 0 {
            let bit = valid.trailing_zeros();
            valid &= valid - 1;
            let column = 64 * word + bit as usize;
            let score = depths.row(row)[column].score();
            let outcome = score.outcome();
            let (total, steps) = match outcome {
                Outcome::Win => (&mut counts.wins, &mut wins),
                Outcome::Draw => (&mut counts.draws, &mut losses),
                Outcome::Loss => (&mut counts.losses, &mut losses),
            };
            *total += weight;
            let Some(step) = score.step() else { continue };
            if quiet >> bit & 1 == 1 {
                push(steps, step);
            }
            all.count(outcome == Outcome::Win, step, weight, || order.position(base, column));
        }
    });
    wins.append(&mut losses);
    (wins, counts, all)
}

/// A byte of at least this is followed by another byte of the same number.
const LONG: u16 = 0x80;

/// Seven bits a byte, the lowest first; all bytes of a number but the last have the highest bit.
#[inline]
fn push(bytes: &mut Vec<u8>, mut step: u16) {
    while step >= LONG {
        bytes.push((step % LONG + LONG).to_le_bytes()[0]);
        step /= LONG;
    }
    bytes.push(step.to_le_bytes()[0]);
}

/// Reads a number from the front; `None` if it is not a valid number of steps.
#[inline]
fn take(bytes: &mut &[u8]) -> Option<u16> {
    let (mut step, mut place) = (0u32, 1u32);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        step += u32::from(byte % 0x80) * place;
        if byte < 0x80 {
            let shortest = place == 1 || byte > 0;
            return u16::try_from(step).ok().filter(|&step| shortest && step <= Score::MAX_STEPS);
        }
        place *= u32::from(LONG);
        if place > 1 << 14 {
            return None;
        }
    }
}

/// An upper bound of the bytes that the steps of `words` words take.
#[allow(clippy::cast_possible_truncation)] // at most MAX_BLOCK_WORDS
pub fn most_packed_depths(words: u64) -> usize {
    words as usize * 64 * 3
}

/// A block of depths ready for look-ups.
#[derive(Debug)]
pub struct DecodedDepths {
    first: u64,
    /// For each word: the quiet positions that are won or lost, and the number of them in the words before.
    words: Vec<(u64, u32)>,
    steps: Vec<u16>,
}

impl DecodedDepths {
    /// The number of steps of a quiet position that is won or lost, by word and bit.
    #[inline]
    #[must_use]
    pub fn step(&self, word: u64, bit: usize) -> Option<u16> {
        #[allow(clippy::cast_possible_truncation)] // blocks are in memory
        let (decided, before) = self.words[(word - self.first) as usize];
        let below = (decided & ((1 << bit) - 1)).count_ones();
        (decided >> bit & 1 == 1).then(|| self.steps[(before + below) as usize])
    }

    /// Whether the block contains the word.
    #[must_use]
    pub fn covers(&self, word: u64) -> bool {
        word >= self.first && word < self.first + self.words.len() as u64
    }

    /// The largest number of steps in the block; 0 if it is empty.
    #[must_use]
    pub fn most_steps(&self) -> u16 {
        self.steps.iter().copied().max().unwrap_or(0)
    }

    /// Calls `visit(word, bit, steps)` for every quiet position that is won or lost.
    pub fn for_each(&self, mut visit: impl FnMut(u64, usize, u16)) {
        let mut steps = self.steps.iter();
        for (word, &(mut decided, _)) in (self.first..).zip(&self.words) {
            while decided != 0 {
                let Some(&step) = steps.next() else { return };
                visit(word, decided.trailing_zeros() as usize, step);
                decided &= decided - 1;
            }
        }
    }

    /// Bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.words.len() * size_of::<(u64, u32)>() + self.steps.len() * 2) as u64
    }
}

/// Unpacks the steps of `count` words from `first` on. `values` must contain these words. `None` if the packed steps do not
/// match the values.
pub fn decode_depths(
    space: &Space,
    slice: Slice,
    first: u64,
    count: u64,
    values: &DecodedBlock,
    mut packed: &[u8],
) -> Option<DecodedDepths> {
    if count > MAX_BLOCK_WORDS || !values.covers(first, count) {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)] // bounded above
    let mut words = Vec::with_capacity(count as usize);
    let mut total = 0;
    let mut next = first;
    for_each_word(Order::new(space, slice), first, count, |_, _, quiet| {
        let [not_win, loss] = values.word(next);
        let decided = quiet & (!not_win | loss);
        words.push((decided, total));
        total += decided.count_ones();
        next += 1;
    });
    let mut steps = vec![0; total as usize];
    for wins in [true, false] {
        for (word, &(mut decided, before)) in (first..).zip(&words) {
            let [not_win, _] = values.word(word);
            let mut place = before as usize;
            while decided != 0 {
                let bit = decided.trailing_zeros();
                decided &= decided - 1;
                if (not_win >> bit & 1 == 0) == wins {
                    steps[place] = take(&mut packed)?;
                }
                place += 1;
            }
        }
    }
    packed.is_empty().then_some(DecodedDepths { first, words, steps })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_steps_come_back() {
        let numbers = [0, 1, 127, 128, 129, 255, 256, 16_383, 16_384, 20_000, Score::MAX_STEPS];
        let mut bytes = Vec::new();
        for step in numbers {
            push(&mut bytes, step);
        }
        let mut rest = &bytes[..];
        assert_eq!(numbers.map(|_| take(&mut rest)), numbers.map(Some));
        assert!(rest.is_empty());
        for wrong in [&[][..], &[0x80], &[0x80, 0], &[0xff, 0xff, 3], &[0xff, 0xff, 0xff, 0], &[0x80, 0x80, 0x80]] {
            assert_eq!(take(&mut &*wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn depths_add_up_in_any_pieces() {
        let mut random = fastrand::Rng::with_seed(3);
        let positions: Vec<(bool, u16, u64)> = (0..200u64).map(|n| (random.bool(), random.u16(..40), n)).collect();
        let count = |positions: &[(bool, u16, u64)]| {
            let mut depths = Depths::default();
            for &(win, step, n) in positions {
                depths.count(win, step, n, || (n, n + 1));
            }
            depths
        };
        let whole = count(&positions);
        for piece in [1, 7, 150] {
            let mut sum = Depths::default();
            for piece in positions.chunks(piece) {
                sum.add(&count(piece));
            }
            assert_eq!(sum, whole);
        }
        let deepest = whole.wins.len() - 1;
        let first = positions.iter().find(|(win, step, _)| *win && usize::from(*step) == deepest).unwrap();
        assert_eq!(whole.longest_win, Some((first.2, first.2 + 1)));
        let sum: u64 = positions.iter().filter(|(win, ..)| !win).map(|(.., weight)| weight).sum();
        assert_eq!(whole.losses.iter().sum::<u64>(), sum);
    }
}

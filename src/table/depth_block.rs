//! Blocks of depth tables: the steps of the quiet positions in a stretch of words that are won or lost.
//!
//! The value of a position is not stored here. It comes from the table of values; value and steps together give the plies.
//! All wins come first, then all losses, because the steps of wins are unlike those of losses, even of neighbours.

use crate::board::BoardSize;
use crate::index::{Order, Slice, Space};
use crate::rules::Outcome;

use super::block::{DecodedBlock, WordPlace, for_each_word};
use super::cell::Cell;
use super::counts::Counts;
use super::score::Score;

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

    /// Whether these can be the depths of a slice with these counts.
    pub(super) fn fit(&self, size: BoardSize, slice: Slice, counts: &Counts) -> bool {
        let fit = |steps: &[u64], longest: Option<Sets>, total: u64| {
            let sum = steps.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
            let stands = longest.is_none_or(|(mover, opponent)| {
                let stones = Slice::of(mover, opponent);
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

/// Counts equal cells together, with one operation for each cell; what they mean is found out only in the end.
struct DepthCounter<C> {
    /// By the number of a cell: how often it was counted with the present weight.
    cells: Vec<u64>,
    weight: u64,
    /// The win that takes the most plies so far: the smallest cell of a win.
    deepest_win: C,
    /// A loss with at least this many steps is the longest so far.
    deeper_loss: u16,
    all: Depths,
    draws: u64,
}

impl<C: Cell> DepthCounter<C> {
    fn new() -> Self {
        let cells = vec![0; usize::from(C::NONE.number()) + 1];
        Self { cells, weight: 1, deepest_win: C::NONE, deeper_loss: 0, all: Depths::default(), draws: 0 }
    }

    /// Sets how often each of the next positions counts.
    fn weigh(&mut self, weight: u64) {
        if weight != self.weight {
            self.flush();
            self.weight = weight;
        }
    }

    #[inline(always)]
    fn count(&mut self, cell: C, sets: impl FnOnce() -> Sets) {
        self.cells[usize::from(cell.number())] += 1;
        if cell > C::DRAW {
            if cell < self.deepest_win {
                self.deepest_win = cell;
                self.all.longest_win = Some(sets());
            }
        } else if cell < C::DRAW && cell.number() >= self.deeper_loss {
            self.deeper_loss = cell.number() + 1;
            self.all.longest_loss = Some(sets());
        }
    }

    fn flush(&mut self) {
        let Self { cells, weight, all, .. } = self;
        let mut take = |cell: C| *weight * std::mem::take(&mut cells[usize::from(cell.number())]);
        self.draws += take(C::DRAW);
        for step in 0..=C::MAX_STEPS {
            for (counts, more) in [(&mut all.wins, take(C::win(step))), (&mut all.losses, take(C::loss(step)))] {
                if more > 0 {
                    let step = usize::from(step);
                    counts.resize(counts.len().max(step + 1), 0);
                    counts[step] += more;
                }
            }
        }
    }

    fn finish(mut self) -> (Depths, [u64; 3]) {
        self.flush();
        let [wins, losses] = [&self.all.wins, &self.all.losses].map(|counts| counts.iter().sum());
        (self.all, [wins, self.draws, losses])
    }
}

/// Packs the steps of the quiet positions in `count` words from `first` on, and counts all their positions and depths.
/// `cells` gives those of a row, in the order of tables.
pub fn encode_depths<'c, C: Cell>(
    space: &Space,
    slice: Slice,
    cells: impl Fn(usize) -> &'c [C],
    first: u64,
    count: u64,
) -> (Vec<u8>, Counts, Depths) {
    let order = Order::new(space, slice);
    let (mut wins, mut losses) = (Vec::new(), Vec::new());
    let (mut positions, mut quiets) = (0, 0);
    let mut tally = DepthCounter::<C>::new();
    let mut weight = (usize::MAX, 0);
    for_each_word(order, first, count, |WordPlace { row, base, word }, mut valid, mut quiet| {
        if weight.0 != row {
            weight = (row, order.weight(base));
            tally.weigh(weight.1);
        }
        positions += u64::from(valid.count_ones()) * weight.1;
        quiets += u64::from(quiet.count_ones()) * weight.1;
        let cells = &cells(row)[64 * word..];
        while valid != 0 {
            let bit = valid.trailing_zeros() as usize;
            valid &= valid - 1;
            tally.count(cells[bit], || order.position(base, 64 * word + bit));
        }
        while quiet != 0 {
            let score = cells[quiet.trailing_zeros() as usize].score();
            quiet &= quiet - 1;
            if let Some(step) = score.step() {
                push(if score.outcome() == Outcome::Win { &mut wins } else { &mut losses }, step);
            }
        }
    });
    wins.append(&mut losses);
    let (all, [won, drawn, lost]) = tally.finish();
    (wins, Counts { positions, quiet: quiets, wins: won, draws: drawn, losses: lost }, all)
}

/// A byte of at least this is followed by another byte of the same number.
const LONG: u16 = 0x80;

/// Appends a number, seven bits to a byte, the lowest first; all bytes of a number but the last have the highest bit set.
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
pub fn decode_depths(first: u64, count: u64, values: &DecodedBlock, mut packed: &[u8]) -> Option<DecodedDepths> {
    if !values.covers(first, count) {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)] // bounded above
    let mut words = Vec::with_capacity(count as usize);
    let mut total = 0;
    for word in first..first + count {
        let [win, loss] = values.word(word);
        words.push((win | loss, total));
        total += (win | loss).count_ones();
    }
    let mut steps = vec![0; total as usize];
    for wins in [true, false] {
        for (word, &(mut decided, before)) in (first..).zip(&words) {
            let [win, _] = values.word(word);
            let mut place = before as usize;
            while decided != 0 {
                let bit = decided.trailing_zeros();
                decided &= decided - 1;
                if (win >> bit & 1 == 1) == wins {
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
    use super::super::rows::RowValue as _;
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
    fn a_loss_without_a_ply_can_be_the_longest() {
        let mut tally = DepthCounter::new();
        for n in 0..3 {
            tally.count(u8::loss(0), || (n, n + 1));
        }
        let (depths, totals) = tally.finish();
        assert_eq!((depths.losses, depths.longest_loss, totals), (vec![3], Some((0, 1)), [0, 0, 3]));
    }

    #[test]
    fn depths_add_up_in_any_pieces() {
        let mut random = fastrand::Rng::with_seed(3);
        let score = |random: &mut fastrand::Rng| match (random.u8(..3), random.u16(..40)) {
            (0, step) => Score::win(step),
            (1, step) => Score::loss(step),
            _ => Score::DRAW,
        };
        let positions: Vec<(Score, u64, u64)> =
            (0..200u64).map(|n| (score(&mut random), [1, 2, 4][random.usize(..3)], n)).collect();
        let count = |positions: &[(Score, u64, u64)]| {
            let mut tally = DepthCounter::new();
            for &(score, weight, n) in positions {
                tally.weigh(weight);
                tally.count(u8::of(score), || (n, n + 1));
            }
            tally.finish()
        };
        let (whole, totals) = count(&positions);
        for piece in [1, 7, 150] {
            let mut sum = Depths::default();
            for piece in positions.chunks(piece) {
                sum.add(&count(piece).0);
            }
            assert_eq!(sum, whole);
        }
        let of = |wanted| positions.iter().filter(move |(score, ..)| score.outcome() == wanted);
        let outcomes = [Outcome::Win, Outcome::Draw, Outcome::Loss];
        assert_eq!(totals, outcomes.map(|wanted| of(wanted).map(|(_, weight, _)| weight).sum::<u64>()));
        let lists =
            [(Outcome::Win, &whole.wins, whole.longest_win), (Outcome::Loss, &whole.losses, whole.longest_loss)];
        for (wanted, counts, longest) in lists {
            for (step, &count) in (0u16..).zip(counts) {
                let equal = of(wanted).filter(|(score, ..)| score.step() == Some(step));
                assert_eq!(count, equal.map(|(_, weight, _)| weight).sum::<u64>());
            }
            let deepest = u16::try_from(counts.len() - 1).unwrap();
            let first = of(wanted).find(|(score, ..)| score.step() == Some(deepest)).unwrap();
            assert_eq!(longest, Some((first.2, first.2 + 1)));
        }
    }
}

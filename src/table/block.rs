//! Blocks: the values of the quiet positions in a stretch of words, five to a byte.

use crate::index::{Order, STRETCH, Slice, Space};
use crate::rules::Outcome;

use super::counts::Counts;

/// Calls `visit(place, valid positions, quiet positions)` for each of `count` words of a slice from word number `first` on, counted
/// through all rows. The mask of a row is made once.
pub fn for_each_word(order: Order<'_>, first: u64, count: u64, mut visit: impl FnMut(WordPlace, u64, u64)) {
    let words = order.row_words();
    #[allow(clippy::cast_possible_truncation)] // words of this size are addressed in memory
    let (mut at, end) = (first as usize, (first + count) as usize);
    for (row, base) in (at / words..end.div_ceil(words)).zip(order.bases_from(at / words)) {
        let mask = order.mask(base);
        let end = end.min((row + 1) * words);
        while at < end {
            let (word, stop) = (at % words, end.min(at + STRETCH - at % words % STRETCH));
            let [valid, quiet] = order.stretch(&mask, word / STRETCH);
            for (place, word) in (word % STRETCH..).zip(word..word + stop - at) {
                visit(WordPlace { row, base, word }, valid[place], quiet[place]);
            }
            at = stop;
        }
    }
}

/// A word of a slice.
#[derive(Clone, Copy, Debug)]
pub struct WordPlace {
    /// The number of the row.
    pub row: usize,
    /// The base of the row.
    pub base: u64,
    /// The number of the word in the row.
    pub word: usize,
}

/// Values are packed in base 3, five to a byte, the first in the lowest digit.
const DRAW: u8 = 0;
const WIN: u8 = 1;
const LOSS: u8 = 2;
pub const PER_BYTE: usize = 5;

/// Packs the quiet values of `count` words from `first` on, and counts all their positions. `values` returns the bits "not
/// won" and "lost" of a word of a row.
pub fn encode_block(
    space: &Space,
    slice: Slice,
    values: impl Fn(usize, usize) -> [u64; 2],
    first: u64,
    count: u64,
) -> (Vec<u8>, Counts) {
    let mut packer = Packer::default();
    let mut counts = Counts::default();
    let order = Order::new(space, slice);
    let mut weight = (usize::MAX, 0);
    for_each_word(order, first, count, |WordPlace { row, base, word }, valid, mut quiet| {
        if weight.0 != row {
            weight = (row, order.weight(base));
        }
        let [not_win, loss] = values(row, word);
        let weighted = |bits: u64| u64::from(bits.count_ones()) * weight.1;
        counts += Counts {
            positions: weighted(valid),
            wins: weighted(valid & !not_win),
            draws: weighted(valid & not_win & !loss),
            losses: weighted(valid & loss),
            quiet: weighted(quiet),
        };
        // Against few stones, most words contain only wins.
        match (quiet & not_win, quiet & !(not_win & loss)) {
            (0, _) => packer.push_run(WIN, quiet.count_ones() as usize),
            (_, 0) => packer.push_run(LOSS, quiet.count_ones() as usize),
            _ => {
                while quiet != 0 {
                    let bit = quiet.trailing_zeros();
                    quiet &= quiet - 1;
                    packer.push(match (not_win >> bit & 1, loss >> bit & 1) {
                        (0, _) => WIN,
                        (_, 0) => DRAW,
                        _ => LOSS,
                    });
                }
            }
        }
    });
    (packer.finish(), counts)
}

#[derive(Default)]
struct Packer {
    bytes: Vec<u8>,
    /// The byte that is being filled, and the digits in it.
    byte: u8,
    filled: usize,
}

impl Packer {
    #[inline]
    fn push(&mut self, digit: u8) {
        self.byte += [1, 3, 9, 27, 81][self.filled] * digit;
        self.filled += 1;
        if self.filled == PER_BYTE {
            self.flush();
        }
    }

    /// Pushes a digit that many times.
    fn push_run(&mut self, digit: u8, mut count: usize) {
        while count > 0 && self.filled > 0 {
            self.push(digit);
            count -= 1;
        }
        self.bytes.resize(self.bytes.len() + count / PER_BYTE, 121 * digit);
        (0..count % PER_BYTE).for_each(|_| self.push(digit));
    }

    fn flush(&mut self) {
        self.bytes.push(self.byte);
        (self.byte, self.filled) = (0, 0);
    }

    fn finish(mut self) -> Vec<u8> {
        if self.filled > 0 {
            self.flush();
        }
        self.bytes
    }
}

/// A block ready for look-ups: for each word of its stretch, the quiet positions that are won and those that are lost.
#[derive(Debug)]
pub struct DecodedBlock {
    first: u64,
    words: Vec<[u64; 2]>,
}

impl DecodedBlock {
    /// The quiet positions of one word that are won and those that are lost, by its number counted through all rows.
    #[inline]
    #[must_use]
    pub fn word(&self, word: u64) -> [u64; 2] {
        #[allow(clippy::cast_possible_truncation)] // blocks are in memory
        self.words[(word - self.first) as usize]
    }

    /// Whether the block contains `count` words from `first` on.
    #[must_use]
    pub fn covers(&self, first: u64, count: u64) -> bool {
        first >= self.first && first + count <= self.first + self.words.len() as u64
    }

    /// The value of a quiet position, by word and bit.
    #[inline]
    #[must_use]
    pub fn outcome(&self, word: u64, bit: usize) -> Outcome {
        match self.word(word).map(|bits| bits >> bit & 1 == 1) {
            [true, _] => Outcome::Win,
            [false, false] => Outcome::Draw,
            [false, true] => Outcome::Loss,
        }
    }

    /// All words in order.
    #[must_use]
    pub fn words(&self) -> &[[u64; 2]] {
        &self.words
    }
}

/// The place of a quiet position in its slice.
#[derive(Clone, Copy, Debug)]
pub struct BlockPlace {
    /// The base of the row.
    pub base: u64,
    /// The word, counted through all rows.
    pub word: u64,
    /// The bit in the word.
    pub bit: usize,
}

/// A block that stays packed in memory. A look-up costs more than in a decoded block; memory depends on the share of quiet
/// positions: a twentieth of a decoded block for 5v4 of 9x5, two fifths for 8v1.
#[derive(Debug)]
pub struct PackedBlock {
    first: u64,
    count: u64,
    /// Five values to a byte.
    values: Box<[u8]>,
    /// For each stretch of a row that overlaps the block: the number of the block's values before it.
    before: Box<[u32]>,
}

impl PackedBlock {
    /// The block of `count` words from word `first` on. `None` if the number of packed values is not the number of quiet
    /// positions, or a byte is not five digits.
    #[must_use]
    pub fn new(space: &Space, slice: Slice, first: u64, count: u64, values: Vec<u8>) -> Option<Self> {
        let (mut before, mut sum) = (Vec::new(), 0);
        for_each_word(Order::new(space, slice), first, count, |WordPlace { word, .. }, _, quiet| {
            if word.is_multiple_of(STRETCH) || before.is_empty() {
                before.push(sum);
            }
            sum += quiet.count_ones();
        });
        is_complete(&values, sum as usize).then(|| Self { first, count, values: values.into(), before: before.into() })
    }

    /// The value of a quiet position of the slice.
    ///
    /// # Panics
    /// If the block does not contain the place, or possibly if it is a block of another slice.
    #[must_use]
    pub fn outcome(&self, space: &Space, slice: Slice, place: BlockPlace) -> Outcome {
        let value = self.values_before(space, slice, place);
        match DIGITS[usize::from(self.values[value / PER_BYTE])][value % PER_BYTE] {
            WIN => Outcome::Win,
            DRAW => Outcome::Draw,
            _ => Outcome::Loss,
        }
    }

    /// The number of values in the block before a place.
    fn values_before(&self, space: &Space, slice: Slice, BlockPlace { base, word, bit }: BlockPlace) -> usize {
        assert!((self.first..self.first + self.count).contains(&word), "word {word} is in another block");
        let order = Order::new(space, slice);
        let words = order.row_words() as u64;
        let stretches = words.div_ceil(STRETCH as u64);
        let number = |word: u64| word / words * stretches + word % words / STRETCH as u64;
        #[allow(clippy::cast_possible_truncation)] // places in memory
        let index = |word: u64| word as usize;
        let mut value = self.before[index(number(word) - number(self.first))];
        let (at, row) = (index(word % words), word - word % words);
        let start = at / STRETCH * STRETCH;
        let [_, quiet] = order.stretch(&order.mask(base), at / STRETCH);
        for before in start.max(index(self.first.saturating_sub(row)))..at {
            value += quiet[before - start].count_ones();
        }
        value += (quiet[at - start] & ((1 << bit) - 1)).count_ones();
        value as usize
    }

    /// Decodes `count` words from word `first` on. `None` if the block does not contain all of them, or `count` is zero.
    ///
    /// # Panics
    /// Possibly, if it is a block of another slice.
    #[must_use]
    pub fn decoded(&self, space: &Space, slice: Slice, first: u64, count: u64) -> Option<DecodedBlock> {
        if count == 0 || first < self.first || first + count > self.first + self.count {
            return None;
        }
        let order = Order::new(space, slice);
        #[allow(clippy::cast_possible_truncation)] // words of this size are addressed in memory
        let base = order.bases_from(first as usize / order.row_words()).next()?;
        let value = self.values_before(space, slice, BlockPlace { base, word: first, bit: 0 });
        let digits = self.values[value / PER_BYTE..].iter().flat_map(|&byte| DIGITS[usize::from(byte)]);
        let mut digits = digits.skip(value % PER_BYTE);
        Some(decode_words(space, slice, first, count, &mut digits).0)
    }

    /// Bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.values.len() + 4 * self.before.len()) as u64
    }
}

/// Whether `packed` can be exactly `values` values: bytes of five digits each.
fn is_complete(packed: &[u8], values: usize) -> bool {
    packed.len() == values.div_ceil(PER_BYTE) && packed.iter().all(|&byte| byte < 243)
}

/// Unpacks the values of `count` words from `first` on. `None` unless they have the length for the quiet positions there.
pub fn decode_block(space: &Space, slice: Slice, first: u64, count: u64, packed: &[u8]) -> Option<DecodedBlock> {
    let mut digits = packed.iter().flat_map(|&byte| DIGITS[usize::from(byte)]);
    let (block, values) = decode_words(space, slice, first, count, &mut digits);
    is_complete(packed, values).then_some(block)
}

/// Decodes words, and returns with them the number of values they need; missing values count as won.
fn decode_words(
    space: &Space,
    slice: Slice,
    first: u64,
    count: u64,
    digits: &mut impl Iterator<Item = u8>,
) -> (DecodedBlock, usize) {
    #[allow(clippy::cast_possible_truncation)] // no more than in a block
    let mut words = Vec::with_capacity(count as usize);
    let mut values = 0;
    for_each_word(Order::new(space, slice), first, count, |_, _, mut quiet| {
        let [mut win, mut loss] = [0u64; 2];
        values += quiet.count_ones() as usize;
        while quiet != 0 {
            let bit = quiet & quiet.wrapping_neg();
            quiet ^= bit;
            match digits.next() {
                None | Some(WIN) => win |= bit,
                Some(DRAW) => {}
                Some(_) => loss |= bit,
            }
        }
        words.push([win, loss]);
    });
    (DecodedBlock { first, words }, values)
}

/// The five digits of each byte.
const DIGITS: [[u8; PER_BYTE]; 256] = {
    let mut table = [[0; PER_BYTE]; 256];
    let mut byte = 0;
    while byte < 243 {
        let (mut rest, mut place) = (byte, 0);
        while place < PER_BYTE {
            #[allow(clippy::cast_possible_truncation)] // below 3
            let digit = (rest % 3) as u8;
            table[byte][place] = digit;
            rest /= 3;
            place += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Diagonals;

    #[test]
    fn packed_blocks_hold_what_decoded_ones_do() {
        let mut random = fastrand::Rng::with_seed(1);
        for (board, slice) in [
            ("3x3", (4, 3)),
            ("5x5", (4, 1)),
            ("5x5", (2, 4)),
            ("7x3", (3, 3)),
            ("3x7", (1, 5)),
            ("3x5", (6, 5)),
            ("5x5", (20, 3)),
        ] {
            let space = Space::new(board.parse().expect("a board"), Diagonals::Corner);
            let slice = Slice::new(slice.0, slice.1);
            let (rows, row_words) = Order::shape(&space, slice);
            let words = rows * row_words;
            let not_win: Vec<u64> = (0..words).map(|_| random.u64(..)).collect();
            let lost: Vec<u64> = (0..words).map(|_| random.u64(..)).collect();
            let order = Order::new(&space, slice);
            let values = |row: usize, word: usize| {
                let at = row * order.row_words() + word;
                [not_win[at], not_win[at] & lost[at]]
            };
            for _ in 0..20 {
                let first = random.u64(..words);
                let count = random.u64(1..=(words - first).min(300));
                let (bytes, _) = encode_block(&space, slice, values, first, count);
                assert!(
                    PackedBlock::new(&space, slice, first, count, [&bytes[..], &[0]].concat()).is_none(),
                    "too much"
                );
                let packed = PackedBlock::new(&space, slice, first, count, bytes.clone()).expect("as it was packed");
                let decoded = decode_block(&space, slice, first, count, &bytes).expect("as it was packed");
                let from = random.u64(..count);
                let part = random.u64(1..=count - from);
                let words = packed.decoded(&space, slice, first + from, part).expect("words of it");
                #[allow(clippy::cast_possible_truncation)] // below 300
                let expected = &decoded.words()[from as usize..][..part as usize];
                assert_eq!(words.words(), expected);
                assert!(packed.decoded(&space, slice, first + from, count - from + 1).is_none(), "beyond its end");
                assert!(packed.decoded(&space, slice, first + from, 0).is_none(), "nothing");
                let before = first.checked_sub(1).and_then(|before| packed.decoded(&space, slice, before, 1));
                assert!(before.is_none(), "before its beginning");
                let mut word = first;
                for_each_word(order, first, count, |WordPlace { base, .. }, _, quiet| {
                    for bit in (0..64).filter(|bit| quiet >> bit & 1 == 1) {
                        let (slow, fast) = {
                            let place = BlockPlace { base, word, bit };
                            (decoded.outcome(word, bit), packed.outcome(&space, slice, place))
                        };
                        assert_eq!(fast, slow, "{board} {slice} from word {first}: bit {bit} of word {word}");
                    }
                    word += 1;
                });
            }
        }
    }
}

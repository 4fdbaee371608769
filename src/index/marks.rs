//! Which sets are representatives of their orbits, and how many come before each: a mark for each rank, made on first use.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::board::{Images, PointSet, Symmetry};

use super::colex::{Colex, next_set};
use super::count::Counter;
use super::memory::zeroed;

/// Ranks in a word: its lower half marks the representatives among them, its upper half counts those before the word.
const WORD: usize = 32;

/// Words that are made together.
const PART: usize = 1 << 9;

/// The marks of all sets of one size. Threads share them without locks: only a word that is not made yet is zero, because the
/// set of rank 0 is a representative, and every thread that makes a word makes the same one.
#[derive(Debug)]
pub struct Marks {
    symmetry: Symmetry,
    points: usize,
    size: usize,
    ranks: Colex,
    /// Pages take real memory only once marks are made there.
    words: Vec<AtomicU64>,
    /// Representatives before each part, zero until it is known.
    starts: Vec<AtomicU32>,
    counter: OnceLock<Counter>,
}

impl Marks {
    /// Marks for the sets of `size` of `points` points; none are made yet.
    ///
    /// # Panics
    /// With [`OutOfMemory`](super::OutOfMemory) if the system refuses the memory.
    #[must_use]
    pub fn new(symmetry: &Symmetry, points: usize, size: usize) -> Self {
        let ranks = Colex::new(points, size);
        let words: Vec<AtomicU64> = zeroed(ranks.count().div_ceil(WORD));
        let starts = zeroed(words.len().div_ceil(PART));
        Self { symmetry: symmetry.clone(), points, size, ranks, words, starts, counter: OnceLock::new() }
    }

    /// The number of representatives below this set.
    #[inline(always)]
    #[must_use]
    pub fn orbit(&self, set: u64) -> usize {
        let rank = self.ranks.rank(set);
        let word = self.word(rank / WORD);
        (before(word) + (bits(word) & !(u32::MAX << (rank % WORD))).count_ones()) as usize
    }

    /// The representatives from this one on, ascending.
    ///
    /// # Panics
    /// If there are not that many.
    #[must_use]
    pub fn from(&self, orbit: usize) -> Representatives<'_> {
        let starts_before = |part: usize| self.start(part) as usize <= orbit;
        let first = PART * (partition_point(self.starts.len(), starts_before) - 1);
        let words = &self.words[first..self.words.len().min(first + PART)];
        let word = first + partition_point(words.len(), |word| before(self.word(first + word)) as usize <= orbit) - 1;
        let mut left = bits(self.word(word));
        #[allow(clippy::cast_possible_truncation)] // at most a word
        let skipped = orbit as u32 - before(self.word(word));
        (0..skipped).for_each(|_| left &= left.wrapping_sub(1));
        assert!(left != 0, "there is no orbit {orbit}");
        Representatives { marks: self, word, left, at: 0, set: self.ranks.set(WORD * word) }
    }

    /// Number of parts.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.starts.len()
    }

    /// Number of representatives before a part, which may be the one after the last.
    #[must_use]
    pub fn start(&self, part: usize) -> u32 {
        let Some(start) = self.starts.get(part) else { return self.end_of(part - 1) };
        let known = start.load(Ordering::Relaxed);
        if part == 0 || known != 0 {
            return known;
        }
        let last = self.words[PART * part - 1].load(Ordering::Relaxed);
        #[allow(clippy::cast_possible_truncation)] // fewer than 2^32 sets
        let count = || {
            let counter = self.counter.get_or_init(|| Counter::new(&self.symmetry, self.points, self.size));
            counter.below(self.ranks.set(PART * WORD * part)) as u32
        };
        let known = if last == 0 { count() } else { before(last) + bits(last).count_ones() };
        start.store(known, Ordering::Relaxed);
        known
    }

    /// Number of representatives up to the end of a part.
    fn end_of(&self, part: usize) -> u32 {
        let last = self.word(self.words.len().min(PART * (part + 1)) - 1);
        before(last) + bits(last).count_ones()
    }

    /// A word, made if need be.
    #[inline(always)]
    fn word(&self, word: usize) -> u64 {
        match self.words[word].load(Ordering::Relaxed) {
            0 => self.make(word),
            made => made,
        }
    }

    /// Makes the part that contains a word, and returns the word.
    #[cold]
    fn make(&self, word: usize) -> u64 {
        self.make_part(word / PART);
        self.words[word].load(Ordering::Relaxed)
    }

    /// Makes the marks of a part.
    pub fn make_part(&self, part: usize) {
        let first = PART * part;
        let words = &self.words[first..self.words.len().min(first + PART)];
        let mut marks = [0; PART];
        let end = self.ranks.count().min(WORD * (first + words.len()));
        let mut made = Made { first: WORD * first, end, marks: &mut marks };
        self.mark(&self.symmetry.images(0), self.points, self.size, 0, &mut made);
        let mut before = self.start(part);
        for (word, bits) in words.iter().zip(marks) {
            word.store(u64::from(before) << WORD | u64::from(bits), Ordering::Relaxed);
            before += bits.count_ones();
        }
    }

    /// Marks the representatives among the sets that add `left` of the points below `low` to a set, given by its images. `rank`
    /// is that of the first of them. Most branches end early, where an image stays smaller whichever points are added.
    fn mark(&self, images: &Images, low: usize, left: usize, rank: usize, made: &mut Made<'_>) {
        if left == 0 {
            made.mark(rank);
            return;
        }
        let below = !(u64::MAX << low);
        let repairing_points = self.symmetry.repairing_points(images);
        if left > 1 {
            if repairing_points.iter().any(|points| points & below == 0) {
                return;
            }
            let ranks = |point: usize| rank + self.ranks.below(point, left);
            let from = partition_point(low, |point| point + 1 < left || ranks(point + 1) <= made.first);
            let end = made.end;
            for point in (from..low).take_while(|&point| ranks(point) < end) {
                self.mark(&self.symmetry.toggled(images, point), point, left - 1, ranks(point), made);
            }
            return;
        }
        let points = repairing_points.iter().fold(below, |points, remedy| points & remedy);
        let own = made.first..made.end;
        for point in points.iter().filter(|point| own.contains(&(rank + point))) {
            if self.symmetry.toggled(images, point).none_is_smaller() {
                made.mark(rank + point);
            }
        }
    }
}

/// Marks of a part that are being made.
struct Made<'a> {
    first: usize,
    end: usize,
    marks: &'a mut [u32],
}

impl Made<'_> {
    #[inline]
    fn mark(&mut self, rank: usize) {
        let place = rank - self.first;
        self.marks[place / WORD] |= 1 << (place % WORD);
    }
}

/// The number of representatives before a word.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // the upper half
fn before(word: u64) -> u32 {
    (word >> WORD) as u32
}

/// The marks of a word.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // the lower half
fn bits(word: u64) -> u32 {
    word as u32
}

/// The first number for which `holds` is false, or `count`; it is true for all numbers before and for none after.
fn partition_point(count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = usize::midpoint(low, high);
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Representatives in ascending order.
#[derive(Debug)]
pub struct Representatives<'a> {
    marks: &'a Marks,
    word: usize,
    /// The marks of the word that are still to come.
    left: u32,
    /// The set of this rank within the word is `set`.
    at: u32,
    set: u64,
}

impl Iterator for Representatives<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.left == 0 {
            while self.left == 0 {
                self.word += 1;
                if self.word >= self.marks.words.len() {
                    return None;
                }
                self.left = bits(self.marks.word(self.word));
            }
            (self.at, self.set) = (0, self.marks.ranks.set(WORD * self.word));
        }
        let rank = self.left.trailing_zeros();
        self.left &= self.left - 1;
        while self.at < rank {
            self.set = next_set(self.set);
            self.at += 1;
        }
        Some(self.set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::BoardSize;

    fn marks(columns: usize, rows: usize, size: usize) -> Marks {
        Marks::new(&Symmetry::new(BoardSize::new(columns, rows).unwrap()), columns * rows, size)
    }

    fn is_representative(marks: &Marks, set: u64) -> bool {
        (1..marks.symmetry.order()).all(|element| marks.symmetry.set(element, set) >= set)
    }

    /// The slow twin: goes through the sets in order and counts.
    #[test]
    fn marks_made_in_any_order_count_the_representatives() {
        for (columns, rows, size) in [(9, 5, 5), (7, 5, 4), (5, 5, 9), (7, 7, 4), (3, 3, 0), (1, 9, 9), (9, 7, 4)] {
            let all = marks(columns, rows, size);
            let sets = (0..all.ranks.count()).map(|rank| all.ranks.set(rank));
            let listed: Vec<u64> = sets.filter(|&set| is_representative(&all, set)).collect();
            let mut random = fastrand::Rng::with_seed(2);
            for _ in 0..5 {
                // Nothing is made yet, and several threads ask at once.
                let marks = marks(columns, rows, size);
                let orbits: Vec<usize> = (0..40).map(|_| random.usize(..listed.len())).collect();
                std::thread::scope(|scope| {
                    for thread in 0..3 {
                        let (marks, orbits, listed) = (&marks, &orbits, &listed);
                        scope.spawn(move || {
                            for (number, &orbit) in orbits.iter().enumerate() {
                                if (number + thread) % 2 == 0 {
                                    assert_eq!(marks.orbit(listed[orbit]), orbit, "{columns}x{rows} {size}");
                                } else {
                                    let expected = listed[orbit..].iter().copied();
                                    assert!(marks.from(orbit).take(700).eq(expected.take(700)));
                                }
                            }
                        });
                    }
                });
                assert_eq!(marks.start(marks.parts()) as usize, listed.len());
            }
        }
    }

    #[test]
    fn large_sets_have_the_numbers_of_a_full_count() {
        for (size, most) in [(7, 45_379_620), (8, 20_000_000)] {
            let marks = marks(9, 5, size);
            let (mut set, mut orbit) = ((1 << size) - 1, 0);
            for rank in 0..most {
                let first = is_representative(&marks, set);
                if rank % 150_001 == 0 {
                    assert_eq!((marks.ranks.rank(set), marks.orbit(set)), (rank, orbit));
                }
                if first && orbit % 50_021 == 0 {
                    assert_eq!(marks.from(orbit).next(), Some(set));
                }
                orbit += usize::from(first);
                set = next_set(set);
            }
        }
    }

    /// What a first look-up costs.
    #[test]
    fn a_number_makes_the_marks_of_one_part() {
        let marks = marks(9, 5, 8);
        assert_eq!(marks.ranks.count(), 215_553_195);
        let set = marks.ranks.set(123_456_789);
        let representative = marks.symmetry.smallest(set).0;
        let _ = marks.orbit(representative);
        let made = marks.words.iter().filter(|word| word.load(Ordering::Relaxed) != 0).count();
        assert_eq!(made, PART);
    }
}

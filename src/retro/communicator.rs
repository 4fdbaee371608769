//! Processes that work on a build together, each with bands of its own.

/// The processes of a build, which do everything in step. What they have for each other they exchange together: each call is made
/// by all of them, in the same order, and returns when all have come to it. If one fails, it has to end all.
pub trait Ranks: Sync {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// Gives each rank the part with its number, and takes one from each, by their numbers.
    fn exchange(&self, parts: Vec<Vec<u64>>) -> Vec<Vec<u64>>;

    /// Puts in place of each value the sum of those of all ranks.
    fn sum(&self, values: &mut [u64]);

    /// Gives all ranks what the one with that number has.
    fn broadcast(&self, root: usize, words: Vec<u64>) -> Vec<u64>;

    /// Bytes that this process has given to others so far.
    fn sent(&self) -> u64;

    /// The value of each rank.
    fn gather(&self, value: u64) -> Vec<u64> {
        self.exchange(vec![vec![value]; self.size()]).into_iter().map(|part| part[0]).collect()
    }

    /// How many ranks say yes.
    fn count(&self, yes: bool) -> u64 {
        let mut count = [yes.into()];
        self.sum(&mut count);
        count[0]
    }
}

/// A single process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Ranks for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn exchange(&self, parts: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
        parts
    }

    fn sum(&self, _: &mut [u64]) {}

    fn broadcast(&self, _: usize, words: Vec<u64>) -> Vec<u64> {
        words
    }

    fn sent(&self) -> u64 {
        0
    }
}

//! How the processes of a build exchange data; one process is a communicator of size 1.

/// The processes of a build, which do everything in step. Each call is made by all of them, in the same order, and returns when all
/// have made it. A process that fails has to end all of them.
pub trait Communicator: Sync {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;

    /// The number of processes.
    fn size(&self) -> usize;

    /// Gives each process the part with its number, and returns one part from each, by their numbers.
    fn exchange(&self, parts: Vec<Vec<u64>>) -> Vec<Vec<u64>>;

    /// Replaces each value by the sum over all processes.
    fn sum(&self, values: &mut [u64]);

    /// Returns the words of the process with that number to all of them.
    fn broadcast(&self, root: usize, words: Vec<u64>) -> Vec<u64>;

    /// Bytes that this process has sent to others so far.
    fn sent(&self) -> u64;

    /// The value of each process.
    fn gather(&self, value: u64) -> Vec<u64> {
        self.exchange(vec![vec![value]; self.size()]).into_iter().map(|part| part[0]).collect()
    }

    /// The number of processes for which `yes` is true.
    fn count(&self, yes: bool) -> u64 {
        let mut count = [yes.into()];
        self.sum(&mut count);
        count[0]
    }

    /// Returns when all processes have called it.
    fn barrier(&self) {
        self.sum(&mut [0]);
    }
}

/// A single process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Communicator for Alone {
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

//! What a build may use.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::super::communicator::Communicator;
use super::super::tiles::Tiling;

/// What a build may use.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Bytes of memory for each process.
    pub memory: u64,
    /// Threads of each process.
    pub threads: usize,
    /// Processes.
    pub processes: usize,
    /// The folder for scratch files; that of the tables if not given.
    pub scratch: Option<PathBuf>,
    /// Slices by rows of at least that many bytes are kept in scratch files until no pair needs them any more.
    pub kept: u64,
    /// Solves every pair that has planes from tiles or layers that are cut like this, whatever fits, and saves its state after every few visits
    /// or after every step; for tests.
    pub tiling: Option<Tiling>,
    /// Stops the build when it is set.
    pub interrupt: Arc<AtomicBool>,
}

impl Default for Budget {
    /// As much memory as there is, and the current pool of threads.
    fn default() -> Self {
        Self::new(u64::MAX)
    }
}

impl Budget {
    /// That many bytes of memory, and the current pool of threads.
    #[must_use]
    pub fn new(memory: u64) -> Self {
        Self {
            memory,
            threads: rayon::current_num_threads(),
            processes: 1,
            scratch: None,
            kept: 1 << 20,
            tiling: None,
            interrupt: Arc::default(),
        }
    }

    /// The budget of each of several processes, so that all of them make the same plan.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // threads
    pub fn shared(self, communicator: &dyn Communicator) -> Self {
        Self {
            memory: communicator.gather(self.memory).into_iter().min().unwrap_or(self.memory),
            threads: communicator
                .gather(self.threads as u64)
                .into_iter()
                .max()
                .map_or(self.threads, |most| most as usize),
            processes: communicator.size(),
            ..self
        }
    }
}

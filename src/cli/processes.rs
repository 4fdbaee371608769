//! The processes of a build: this one alone, or all that `mpirun` has started.

use crate::retro::{Alone, Communicator};

use super::output::{CliResult, Failure};

/// Variables in which launchers of the usual MPI libraries give the number of processes: Open MPI's, those with PMI, and
/// MPICH's.
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"];

/// How many processes a launcher has started, if one has.
fn started() -> Option<u64> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    // Launchers with PMIx give only the rank; Slurm's gives the number of tasks as well.
    let by_pmix = number("PMIX_RANK").map(|rank| number("SLURM_STEP_NUM_TASKS").unwrap_or(rank + 1));
    SIZES.into_iter().filter_map(number).chain(by_pmix).max()
}

/// The processes that build together.
pub struct Processes {
    #[cfg(feature = "mpi")]
    world: Option<world::World>,
    alone: Alone,
}

impl Processes {
    /// Joins those that a launcher has started.
    pub fn join() -> CliResult<Self> {
        #[cfg(feature = "mpi")]
        return Ok(Self { world: started().map(|_| world::World::join()).transpose()?, alone: Alone });
        #[cfg(not(feature = "mpi"))]
        match started() {
            Some(2..) => Err(Failure::Text(
                "several processes were started, but this program was built without MPI; build it with: \
                 cargo build --release --features mpi"
                    .to_owned(),
            )),
            _ => Ok(Self { alone: Alone }),
        }
    }

    /// How they exchange data.
    pub fn communicator(&self) -> &dyn Communicator {
        #[cfg(feature = "mpi")]
        if let Some(world) = &self.world {
            return world;
        }
        &self.alone
    }

    /// How many of them are on this machine.
    #[cfg_attr(not(feature = "mpi"), allow(clippy::unused_self))]
    pub fn neighbours(&self) -> u64 {
        #[cfg(feature = "mpi")]
        if self.world.is_some() {
            return world::neighbours();
        }
        1
    }

    /// Ends them together, or, where one has failed, all of them at once.
    #[cfg_attr(not(feature = "mpi"), allow(clippy::unused_self))]
    pub fn end(self, done: CliResult) -> CliResult {
        #[cfg(feature = "mpi")]
        if let Some(world) = self.world {
            match &done {
                Err(Failure::Text(text)) => world.abort(text),
                _ => world.finish(),
            }
        }
        done
    }
}

/// Runs `work` in every process that a launcher has started, for tests of how they exchange data.
///
/// # Panics
/// If MPI does not start.
#[cfg(feature = "mpi")]
pub fn run_together(work: impl FnOnce(&dyn Communicator)) {
    let Ok(processes) = Processes::join() else { panic!("MPI does not start") };
    work(processes.communicator());
    let _ = processes.end(Ok(()));
}

#[cfg(feature = "mpi")]
mod world {
    use std::mem::ManuallyDrop;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;
    use std::time::Duration;

    use mpi::Threading;
    use mpi::collective::SystemOperation;
    use mpi::datatype::{Partition, PartitionMut};
    use mpi::environment::Universe;
    use mpi::topology::SimpleCommunicator;
    use mpi::traits::{Communicator as _, CommunicatorCollectives, Root};

    use crate::retro::Communicator;

    use super::{CliResult, Failure};

    /// All processes, by MPI's collective operations. Calls may come from any thread, one at a time.
    pub struct World {
        /// Finalized only after success, because all processes have to take part.
        universe: ManuallyDrop<Universe>,
        rank: usize,
        size: usize,
        sent: AtomicU64,
    }

    fn world() -> SimpleCommunicator {
        SimpleCommunicator::world()
    }

    /// How many processes there are on this machine.
    pub fn neighbours() -> u64 {
        u64::try_from(world().split_shared(0).size()).unwrap_or(1)
    }

    /// How many words there are for each rank, and where they begin.
    ///
    /// # Panics
    /// If there are more than MPI can count.
    fn cut(lengths: impl Iterator<Item = usize>) -> (Vec<i32>, Vec<i32>) {
        let number = |words: usize| i32::try_from(words).expect("no more than 2^31 words are sent at a time");
        let mut end = 0;
        let parts = lengths
            .map(|length| {
                let start = end;
                end += length;
                (number(length), number(start))
            })
            .unzip();
        number(end);
        parts
    }

    impl World {
        /// Joins the processes that a launcher has started.
        pub fn join() -> CliResult<Self> {
            let failed =
                |what: &str| Failure::Text(format!("MPI {what}; check that mpirun and this program use the same MPI"));
            let started = mpi::initialize_with_threading(Threading::Serialized);
            let (universe, threading) = started.ok_or_else(|| failed("has been started twice"))?;
            if threading < Threading::Serialized {
                return Err(failed("cannot be called from several threads"));
            }
            let count = |number: i32| usize::try_from(number).unwrap_or(0);
            let (rank, size) = (count(world().rank()), count(world().size()));
            Ok(Self { universe: ManuallyDrop::new(universe), rank, size, sent: AtomicU64::new(0) })
        }

        /// Ends MPI, together with all other processes.
        pub fn finish(self) {
            drop(ManuallyDrop::into_inner(self.universe));
        }

        /// Ends all processes, with the reason.
        pub fn abort(&self, text: &str) -> ! {
            if self.rank == 0 {
                note!("fanorona: {text}");
            } else {
                // An error that all of them have is reported by the first, which ends the others.
                thread::sleep(Duration::from_millis(500));
                note!("fanorona: process {} of {}: {text}", self.rank + 1, self.size);
            }
            world().abort(1)
        }
    }

    impl Communicator for World {
        fn rank(&self) -> usize {
            self.rank
        }

        fn size(&self) -> usize {
            self.size
        }

        fn exchange(&self, mut parts: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
            let own = std::mem::take(&mut parts[self.rank]);
            let (counts, starts) = cut(parts.iter().map(Vec::len));
            let mut incoming = vec![0; self.size];
            world().all_to_all_into(&counts[..], &mut incoming[..]);
            let (incoming, places) = cut(incoming.into_iter().map(|count: i32| usize::try_from(count).unwrap_or(0)));
            let words = parts.concat();
            self.sent.fetch_add(8 * words.len() as u64, Ordering::Relaxed);
            drop(parts);
            let received = incoming.iter().sum::<i32>();
            let mut received = vec![0u64; usize::try_from(received).unwrap_or(0)];
            world().all_to_all_varcount_into(
                &Partition::new(&words[..], counts, starts),
                &mut PartitionMut::new(&mut received[..], &incoming[..], &places[..]),
            );
            let mut rest = &received[..];
            let mut parts: Vec<Vec<u64>> = incoming
                .iter()
                .map(|&count| {
                    let (part, others) = rest.split_at(usize::try_from(count).unwrap_or(0));
                    rest = others;
                    part.to_vec()
                })
                .collect();
            parts[self.rank] = own;
            parts
        }

        fn sum(&self, values: &mut [u64]) {
            let own = values.to_vec();
            world().all_reduce_into(&own[..], values, SystemOperation::sum());
        }

        fn broadcast(&self, root: usize, mut words: Vec<u64>) -> Vec<u64> {
            /// Words that are sent at a time, as MPI counts them in 31 bits.
            const MAX: usize = 1 << 28;
            let world = world();
            let process = world.process_at_rank(i32::try_from(root).expect("a rank"));
            let mut length = words.len() as u64;
            process.broadcast_into(&mut length);
            words.resize(usize::try_from(length).expect("words in memory"), 0);
            if root == self.rank {
                self.sent.fetch_add(8 * length * (self.size as u64 - 1), Ordering::Relaxed);
            }
            for words in words.chunks_mut(MAX) {
                process.broadcast_into(words);
            }
            words
        }

        fn sent(&self) -> u64 {
            self.sent.load(Ordering::Relaxed)
        }
    }
}

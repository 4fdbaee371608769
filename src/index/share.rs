//! Parallel work outside the thread pool, for results that all threads of the pool may be waiting for.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Runs `work` on each part and returns the results in the order of the parts. Uses this thread and new ones, together as many as
/// the current pool has (fewer if the system refuses), because the threads of the pool may all be blocked on this result.
pub fn share<T: Send, R: Send>(parts: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = rayon::current_num_threads().min(parts.len());
    let (parts, done) = (Mutex::new(parts.into_iter().enumerate()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let work = || {
            let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some((number, part)) = next() {
                let result = work(part);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
            }
        };
        // If a thread cannot be started, the others do its work.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let started: Vec<_> = (1..threads).filter_map(start).collect();
        work();
        for thread in started {
            // For example `OutOfMemory`, which the caller reports.
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_parts() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for parts in [0, 1, 2, 100] {
                let squares = pool.install(|| share((0..parts).collect(), |part: u32| part * part));
                assert!(squares.iter().copied().eq((0..parts).map(|part| part * part)));
            }
        }
    }
}

//! Threads that work until the first has ended, and a look at them ten times a second.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use web_time::Instant;

use crate::table::TableError;

/// Time between looks at what the threads are doing.
pub const INTERVAL: Duration = Duration::from_millis(100);

/// Does something at the end of a block, however that ends.
pub struct OnDrop<F: Fn()>(pub F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Runs `work` in some threads until the first has ended, and checks ten times a second whether all have to stop.
pub fn watch(
    stop: &AtomicBool,
    threads: usize,
    work: &(dyn Fn() + Sync),
    has_to_stop: &mut dyn FnMut() -> bool,
) -> Result<(), TableError> {
    let left = AtomicUsize::new(0);
    let watcher = thread::current();
    let work = || {
        let _leaving = OnDrop(|| {
            stop.store(true, Ordering::Relaxed);
            left.fetch_sub(1, Ordering::Release);
            watcher.unpark();
        });
        work();
    };
    thread::scope(|scope| {
        // The scope waits for its threads, also if the observer panics.
        let _leaving = OnDrop(|| stop.store(true, Ordering::Relaxed));
        let mut started = Vec::new();
        for _ in 0..threads {
            left.fetch_add(1, Ordering::Relaxed);
            match thread::Builder::new().spawn_scoped(scope, work) {
                Ok(thread) => started.push(thread),
                // The threads that run carry on; without any, the work cannot be done.
                Err(error) if started.is_empty() => return Err(TableError::threads(error)),
                Err(_) => {
                    left.fetch_sub(1, Ordering::Relaxed);
                    break;
                }
            }
        }
        let mut next = Instant::now() + INTERVAL;
        while left.load(Ordering::Acquire) > 0 {
            if stop.load(Ordering::Relaxed) {
                // Each thread that leaves ends this wait.
                thread::park();
                continue;
            }
            thread::park_timeout(next.saturating_duration_since(Instant::now()));
            if Instant::now() < next {
                continue;
            }
            next = Instant::now() + INTERVAL;
            if has_to_stop() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        for thread in started {
            // For example `OutOfMemory`, which the caller reports.
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        Ok(())
    })
}

//! Blocking work on few threads, behind a queue of bounded length.

use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::time::timeout_at;

use super::Problem;

/// How much longer than its deadline work may go on before its client hears that it is late: work looks at the clock
/// itself, between steps that are short.
const GRACE: Duration = Duration::from_millis(500);

/// Longer than anybody waits; clocks cannot add just any time.
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// The time at which an answer has to be there.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// So long from now, or a year if that is longer.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self(Instant::now() + time.min(YEAR))
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_over(self) -> bool {
        Instant::now() >= self.0
    }
}

/// Threads for blocking work, and the places of those who wait for one.
#[derive(Debug)]
pub struct Pool {
    /// One for each request that works or waits.
    places: Arc<Semaphore>,
    workers: Arc<Semaphore>,
}

impl Pool {
    /// So many threads, and room for so many more requests to wait.
    #[must_use]
    pub fn new(workers: NonZero<usize>, queue: usize) -> Self {
        let places = workers.get().saturating_add(queue).min(Semaphore::MAX_PERMITS);
        let workers = workers.get().min(Semaphore::MAX_PERMITS);
        Self { places: Arc::new(Semaphore::new(places)), workers: Arc::new(Semaphore::new(workers)) }
    }

    /// Runs `work` on a thread of its own as soon as one is free. What it takes, in place and thread, it keeps until it
    /// ends, also when its client has gone or has been told that it is late: the threads that work are never more.
    ///
    /// # Errors
    /// [`Problem::overloaded`] if too many wait already, or if no thread was free within the time limit; [`Problem::late`]
    /// if there is no answer then; what `work` refuses with; status 500 if it panics.
    pub async fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce(Deadline) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = self.places.clone().try_acquire_owned().map_err(|_| Problem::overloaded())?;
        let deadline = Deadline::after(limit);
        let worker = timeout_at(deadline.0.into(), self.workers.clone().acquire_owned()).await;
        let Ok(Ok(worker)) = worker else { return Err(Problem::overloaded()) };
        let task = tokio::task::spawn_blocking(move || {
            let _kept = (place, worker);
            work(deadline)
        });
        match timeout_at((deadline.0 + GRACE).into(), task).await {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => Err(Problem::internal("a fault of the server; its log says more", error.to_string())),
            Err(_) => Err(Problem::late()),
        }
    }
}

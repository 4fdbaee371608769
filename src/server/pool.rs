//! Runs blocking work on few threads behind a bounded queue.

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout_at;

use crate::api::{Deadline, Problem};

/// Time beyond its deadline after which work counts as late: work checks the clock itself between short steps.
const GRACE: Duration = Duration::from_millis(500);

/// Threads for blocking work, and places in the queue for them.
#[derive(Debug)]
pub struct Pool {
    /// One for each request that runs or waits.
    places: Arc<Semaphore>,
    workers: Arc<Semaphore>,
}

impl Pool {
    /// A pool of threads, and a queue for requests that wait for one.
    #[must_use]
    pub fn new(workers: NonZero<usize>, queue: usize) -> Self {
        let places = workers.get().saturating_add(queue).min(Semaphore::MAX_PERMITS);
        let workers = workers.get().min(Semaphore::MAX_PERMITS);
        Self { places: Arc::new(Semaphore::new(places)), workers: Arc::new(Semaphore::new(workers)) }
    }

    /// Runs `work` as soon as a thread is free. It keeps its place and its thread until it ends, even if its client disconnects
    /// or has received a timeout, so that the number of threads stays bounded.
    ///
    /// # Errors
    /// [`Problem::overloaded`] if the queue is full, or if no thread was free within the time limit; [`Problem::late`] if there
    /// is no answer by then; the error of `work`; status 500 if it panics.
    pub async fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce(Deadline) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = self.places.clone().try_acquire_owned().map_err(|_| Problem::overloaded())?;
        let deadline = Deadline::after(limit);
        let worker = timeout_at(deadline.at().into(), self.workers.clone().acquire_owned()).await;
        let Ok(Ok(worker)) = worker else { return Err(Problem::overloaded()) };
        let task = tokio::task::spawn_blocking(move || {
            let _kept = (place, worker);
            work(deadline)
        });
        match timeout_at((deadline.at() + GRACE).into(), task).await {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => Err(Problem::unexpected(error.to_string())),
            Err(_) => Err(Problem::late()),
        }
    }
}

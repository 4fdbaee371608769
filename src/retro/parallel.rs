//! Parallel loops whose scratch memory is too large to have one for each item, and how far parallel loops are.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Calls `progress` with the rows done so far, of `rows`: at once, and whenever more are done.
pub fn counting(rows: usize, progress: &(dyn Fn(usize, usize) + Sync)) -> impl Fn(usize) + Sync {
    let done = AtomicUsize::new(0);
    progress(0, rows);
    move |more| progress(done.fetch_add(more, Ordering::Relaxed) + more, rows)
}

/// Handles every item on the current pool of threads; each thread makes its scratch memory once, when it first gets an item.
pub fn for_each_with_scratch<T, S>(
    items: impl Iterator<Item = T> + Send,
    scratch: impl Fn() -> S + Sync,
    body: impl Fn(&mut S, T) + Sync,
) {
    let body = |own: &mut S, item| -> Result<(), std::convert::Infallible> {
        body(own, item);
        Ok(())
    };
    let Ok(()) = try_for_each_with_scratch(items, scratch, body, |_| Ok(()));
}

/// As [`for_each_with_scratch`], for work that can fail, which ends with the first failure. `finish` gets the scratch memory
/// of each thread when there are no more items.
///
/// # Errors
/// Those of `body` and `finish`; if there are several, any of them.
pub fn try_for_each_with_scratch<T, S, E: Send>(
    items: impl Iterator<Item = T> + Send,
    scratch: impl Fn() -> S + Sync,
    body: impl Fn(&mut S, T) -> Result<(), E> + Sync,
    finish: impl Fn(S) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let queue = Mutex::new(items);
    let take = || queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    let failed = AtomicBool::new(false);
    let results = rayon::broadcast(|_| {
        let work = || {
            let mut own = None;
            while let Some(item) = take().filter(|_| !failed.load(Ordering::Relaxed)) {
                body(own.get_or_insert_with(&scratch), item)?;
            }
            own.map_or(Ok(()), &finish)
        };
        // A thread that panics, such as for lack of memory, ends the work of the others as well.
        let result = catch_unwind(AssertUnwindSafe(work));
        if !matches!(result, Ok(Ok(()))) {
            failed.store(true, Ordering::Relaxed);
        }
        result.unwrap_or_else(|panic| resume_unwind(panic))
    });
    results.into_iter().collect()
}

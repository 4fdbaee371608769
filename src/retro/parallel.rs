//! Sharing out work whose scratch memory is too large to have one for each piece.

use std::sync::Mutex;

/// Handles every item on the current pool of threads; each thread makes its scratch memory once, when it first gets an item.
pub fn for_each_with_scratch<T, S>(
    items: impl Iterator<Item = T> + Send,
    scratch: impl Fn() -> S + Sync,
    body: impl Fn(&mut S, T) + Sync,
) {
    let queue = Mutex::new(items);
    let take = || queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    rayon::broadcast(|_| {
        let mut own = None;
        while let Some(item) = take() {
            body(own.get_or_insert_with(&scratch), item);
        }
    });
}

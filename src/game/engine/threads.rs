//! A search by several threads, which share the transposition table.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::board::PointSet;
use crate::search::OnDrop;
use crate::table::TableError;

use super::deepening::{DeepeningLimits, Root, SearchInfo, SearchResult, deepen};
use super::reply::MAX_THREADS;
use super::search::Searcher;
use super::subject::{StopConditions, Subject};

/// Searches the turns, moves the best to the front, and returns the nodes of all threads too. The first thread decides, within
/// its limits. The others search the same turns, every second of them one ply deeper; what they find speeds up the first.
///
/// # Errors
/// [`TableError`] if a table cannot be read.
pub fn search<P: PointSet>(
    subject: Subject<'_, P>,
    roots: &mut [Root<P>],
    threads: usize,
    limits: DeepeningLimits,
    stop_conditions: StopConditions<'_>,
    info: &mut dyn FnMut(&SearchInfo),
) -> Result<(SearchResult, u64), TableError> {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(MAX_THREADS))
            .filter_map(|number| {
                let mut roots = roots.to_vec();
                let mut searcher =
                    Searcher::new(subject, StopConditions { deadline: None, nodes: u64::MAX, stop: &done });
                let first = if number % 2 == 1 { 2 } else { 1 };
                let search = move || {
                    deepen(subject.game, &mut searcher, &mut roots, DeepeningLimits { first, ..limits }, &mut |_| ());
                    (searcher.nodes, searcher.error)
                };
                // Without it the search is slower.
                thread::Builder::new().spawn_scoped(scope, search).ok()
            })
            .collect();
        let mut searcher = Searcher::new(subject, stop_conditions);
        // The scope waits for the others, also if the first panics.
        let end_others = OnDrop(|| done.store(true, Ordering::Relaxed));
        let found = deepen(subject.game, &mut searcher, roots, limits, info);
        drop(end_others);
        let (mut nodes, mut error) = (searcher.nodes, searcher.error);
        for other in others {
            let (its_nodes, its_error) = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            nodes += its_nodes;
            error = error.or(its_error);
        }
        error.map_or(Ok((found, nodes)), Err)
    })
}

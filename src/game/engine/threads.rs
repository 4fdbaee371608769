//! A search by several threads, which share the transposition table.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::board::PointSet;
use crate::table::{Probe, TableError};

use super::super::history::GameHistory;
use super::super::referee::State;
use super::deepening::{DeepeningLimits, Root, SearchInfo, SearchResult, deepen};
use super::search::{Searcher, StopConditions};
use super::sight::Sight;
use super::transposition::TranspositionTable;

/// Searches the turns, moves the best to the front, and returns the nodes of all threads too. The first thread decides, within its limits. The others
/// search the same turns, every second of them one ply deeper; what they find speeds up the first.
///
/// # Errors
/// [`TableError`] if a table cannot be read.
pub fn search<P: PointSet>(
    (game, past): (&GameHistory<P>, &[State<P>]),
    (values, sight): (&dyn Probe<P>, Sight),
    table: &TranspositionTable,
    roots: &mut [Root<P>],
    (threads, reach, stop_conditions): (usize, DeepeningLimits, StopConditions<'_>),
    info: &mut dyn FnMut(&SearchInfo),
) -> Result<(SearchResult, u64), TableError> {
    let searcher = |stop_conditions| {
        Searcher::new(game.referee(), (values, sight), (past.to_vec(), game.turns_left()), table, stop_conditions)
    };
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .filter_map(|number| {
                let mut roots = roots.to_vec();
                let mut searcher = searcher(StopConditions { deadline: None, nodes: u64::MAX, stop: &done });
                let first = if number % 2 == 1 { 2 } else { 1 };
                let search = move || {
                    deepen(game, &mut searcher, &mut roots, DeepeningLimits { first, ..reach }, &mut |_| ());
                    (searcher.nodes, searcher.error)
                };
                // Without it the search is slower.
                thread::Builder::new().spawn_scoped(scope, search).ok()
            })
            .collect();
        let mut searcher = searcher(stop_conditions);
        let found = deepen(game, &mut searcher, roots, reach, info);
        done.store(true, Ordering::Relaxed);
        let (mut nodes, mut error) = (searcher.nodes, searcher.error);
        for other in others {
            let (its_nodes, its_error) = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            nodes += its_nodes;
            error = error.or(its_error);
        }
        error.map_or(Ok((found, nodes)), Err)
    })
}

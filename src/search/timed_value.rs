//! A short search for the value of a position that neither a table nor a proof knows.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use web_time::Instant;

use crate::rules::{Position, Rules, Side, Turn, Value};
use crate::table::Probe;

use super::canonical::Mirror;
use super::error::SolveError;
use super::estimate::Tuning;
use super::progress::Control;
use super::solution::SolveScope;
use super::solution::turn_to;
use super::solver::{SearchOptions, Solver};

/// What a short search may use.
#[derive(Clone, Debug)]
pub struct ShortSearch {
    /// Bytes of memory, at least 1000: with less the search finds little.
    pub memory: u64,
    /// Threads; 0 to search in the thread that calls.
    pub threads: usize,
    /// The time for all of it.
    pub limit: Duration,
    /// Stops it when it is set.
    pub interrupt: Arc<AtomicBool>,
}

/// What a short search has found out.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// The value, or as much of it as is proved.
    pub value: Value,
    /// A turn of the side to move that keeps what is proved for it, and the position after it.
    pub turn: Option<(Turn, Position<u64>)>,
    /// Positions expanded.
    pub nodes: u64,
    /// Seconds.
    pub seconds: f64,
}

/// Searches for the value of a position: whether its side to move can force a win, and whether the other side can. The first
/// question has half the time, the second what is left. What is not proved by then is unknown.
///
/// # Errors
/// [`SolveError`], but not [`SolveError::Stopped`].
pub fn search_value(
    rules: &Rules<u64>,
    values: &dyn Probe,
    position: Position<u64>,
    short: &ShortSearch,
) -> Result<Searched, SolveError> {
    let (start, mover) = (Instant::now(), position.to_move);
    let options = SearchOptions { memory: short.memory, threads: short.threads, tuning: Tuning::default() };
    let mut solver = Solver::new(rules, values, options)?;
    solver.interrupt_by(short.interrupt.clone());
    // What is found has to be proved in time as well.
    solver.end_at(start.checked_add(short.limit));
    let mirror = Mirror::new(rules.board().size());
    let here = mirror.canonical(position.mover(), position.opponent());
    let (mut white_wins, mut black_wins, mut turn) = (None, None, None);
    for (side, share) in [(mover, 2), (mover.other(), 1)] {
        let limit = short.limit.saturating_sub(start.elapsed()) / share;
        let question = SolveScope::only(side);
        let solution = match solver.solve(position, question, Some(limit), &mut |_| Control::Continue) {
            Err(SolveError::Stopped) => continue,
            solution => solution?,
        };
        let wins = solution.answer(side).wins;
        match side {
            Side::White => white_wins = wins,
            Side::Black => black_wins = wins,
        }
        if wins == Some(side == mover) {
            let set = if side == mover { &solution.won } else { &solution.safe };
            let reply = set.get(&here).and_then(|extracted| extracted.reply);
            turn = reply.and_then(|reply| turn_to(rules, &mirror, &position, reply));
        }
        if wins == Some(true) {
            break;
        }
    }
    let value = Value::of(white_wins, black_wins);
    Ok(Searched { value, turn, nodes: solver.nodes(), seconds: start.elapsed().as_secs_f64() })
}

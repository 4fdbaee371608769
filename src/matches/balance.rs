//! How even a position is: the stones that a short search wins for a side.
//!
//! Random moves lose stones, and where an opening decides the game, whoever plays it, a pair of games says nothing about the
//! engines. The search knows stones and nothing else, so that openings do not change with the engine of this program.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::board::PointSet;
use crate::game::{Game, Referee, State};

/// How many turns the search looks ahead: three of each side.
const DEPTH: u32 = 6;

/// More stones than any board has.
const ALL: i32 = 1_000;

/// Whether no side is ahead by more stones than that after the best turns of both. Once `stop` is set, the answer is arbitrary.
pub fn is_even(game: &Game, stones: u32, stop: &AtomicBool) -> bool {
    // How far ahead a side is beyond the bound need not be known, which saves most of the search.
    let bound = i32::try_from(stones).unwrap_or(ALL).min(ALL) + 1;
    let lead = match game {
        Game::Narrow(history) => search(history.referee(), history.state(), DEPTH, -bound, bound, stop),
        Game::Wide(history) => search(history.referee(), history.state(), DEPTH, -bound, bound, stop),
    };
    lead.abs() < bound
}

/// The lead of the side to move in stones, by alpha-beta; a lead outside of the bounds is not exact.
fn search<P: PointSet>(
    referee: &Referee<P>,
    state: &State<P>,
    depth: u32,
    mut alpha: i32,
    beta: i32,
    stop: &AtomicBool,
) -> i32 {
    if depth == 0 || stop.load(Ordering::Relaxed) {
        return lead(state);
    }
    let mut after = Vec::new();
    let _ = referee.for_each_turn(state, |_, next| {
        after.push(next);
        ControlFlow::<()>::Continue(())
    });
    // Turns that capture most come first; the same position counts once.
    after.sort_by_key(|next| (next.position.mover().count(), *next));
    after.dedup();
    if after.is_empty() {
        return lead(state);
    }
    for next in &after {
        alpha = alpha.max(-search(referee, next, depth - 1, -beta, -alpha, stop));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

fn lead<P: PointSet>(state: &State<P>) -> i32 {
    // At most 169 points.
    let count = |stones: P| i32::try_from(stones.count()).unwrap_or(ALL);
    count(state.position.mover()) - count(state.position.opponent())
}

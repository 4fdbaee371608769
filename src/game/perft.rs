//! Counts lines of play under the rules of play.

use std::ops::ControlFlow;

use crate::board::PointSet;

use super::referee::{Referee, State};

/// Number of lines of play of exactly `depth` turns; turns that lead to the same state count once.
#[must_use]
pub fn perft<P: PointSet>(referee: &Referee<P>, state: &State<P>, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut states = Vec::new();
    let _ = referee.for_each_turn(state, |_, after| {
        states.push(after);
        ControlFlow::<()>::Continue(())
    });
    states.sort_unstable();
    states.dedup();
    states.extend(referee.sacrifices(state).iter().map(|point| referee.after_sacrifice(state, point)));
    if depth == 1 {
        return states.len() as u64;
    }
    states.iter().map(|after| perft(referee, after, depth - 1)).sum()
}

//! The turns of a position in the order in which a search tries them.

use std::ops::ControlFlow;

use crate::board::PointSet;

use super::super::referee::{Referee, State};
use super::transposition::Mixer;

/// The most turns of a position that are searched. Hardly any position of a game has more.
const MAX_CANDIDATES: usize = 600;

/// A turn and the state after it.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<P> {
    /// The state after it.
    pub after: State<P>,
    /// The first and last point of its stone as one number, below the number of points squared; both are the same in a sacrifice.
    pub way: u16,
    /// How many stones it captures.
    pub gain: u8,
    /// Turns of higher order are tried first.
    pub order: i32,
}

/// Fills `found` with the turns of a state, one for each state they lead to; returns whether these are all.
#[allow(clippy::cast_possible_truncation)] // at most 169 points
pub fn candidates<P: PointSet>(referee: &Referee<P>, state: &State<P>, found: &mut Vec<Candidate<P>>) -> bool {
    found.clear();
    let points = referee.board().points();
    let enemies = state.enemy().count();
    let mut captures = false;
    let all = referee.for_each_turn(state, |path, after| {
        let last = path.last();
        captures |= last.capture.is_some();
        let gain = if captures { enemies - after.position.mover().count() } else { 0 };
        found.push(Candidate { after, way: (path.from() * points + last.to) as u16, gain: gain as u8, order: 0 });
        if found.len() < MAX_CANDIDATES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    if captures && found.len() > 1 {
        // Different paikas lead to different boards; different chains may lead to the same one.
        let key = |candidate: &Candidate<P>| (candidate.after.position.white, candidate.after.position.black);
        found.sort_unstable_by_key(key);
        found.dedup_by_key(|candidate| key(candidate));
    }
    for point in referee.sacrifices(state).iter() {
        let after = referee.after_sacrifice(state, point);
        found.push(Candidate { after, way: (point * points + point) as u16, gain: 0, order: 0 });
    }
    all.is_continue()
}

/// Part of the key of a state, never 0.
#[inline]
#[allow(clippy::cast_possible_truncation)] // enough to find a turn again
pub fn short_key<P: PointSet>(state: &State<P>) -> u32 {
    (Mixer::key(state) >> 32) as u32 | 1
}

//! The order in which turns are tried: what was best before, captures, and turns that caused cutoffs elsewhere.

use crate::board::PointSet;
use crate::rules::Side;

use super::super::referee::State;
use super::candidates::{Candidate, short_key};

/// The limit of a history count.
const MAX_HISTORY: i32 = 1 << 14;

/// Stands for no way.
const NO_WAY: u16 = u16::MAX;

/// What earlier parts of a search say about the order of turns. Turns are told apart by the way of their stone,
/// [`Candidate::way`].
pub struct Ordering {
    /// For each side, how often a way caused a cutoff, less how often it was tried in vain.
    history: [Vec<i32>; 2],
    /// For each side, the way that refuted the way of the other.
    counters: [Vec<u16>; 2],
    /// For each ply, the ways that caused the last cutoffs.
    killers: Vec<[u16; 2]>,
    /// For each ply, the way that leads there.
    ways: Vec<u16>,
}

impl Ordering {
    /// An empty order, for a board of so many points and paths of up to so many plies.
    pub fn new(points: usize, plies: usize) -> Self {
        let ways = points.pow(2);
        Self {
            history: [vec![0; ways], vec![0; ways]],
            counters: [vec![NO_WAY; ways], vec![NO_WAY; ways]],
            killers: vec![[NO_WAY; 2]; plies + 1],
            ways: vec![NO_WAY; plies + 2],
        }
    }

    /// Sets the way that leads to a ply.
    pub fn enter(&mut self, ply: usize, way: Option<u16>) {
        self.ways[ply] = way.unwrap_or(NO_WAY);
    }

    /// The way that refuted the last one.
    fn counter(&self, side: usize, ply: usize) -> u16 {
        self.counters[side].get(usize::from(self.ways[ply])).copied().unwrap_or(NO_WAY)
    }

    /// Sets the order of turns, of which `best` was the best before.
    pub fn order<P: PointSet>(&self, state: &State<P>, ply: usize, best: u32, turns: &mut [Candidate<P>]) {
        let side = state.position.to_move.index();
        let (history, counter) = (&self.history[side], self.counter(side, ply));
        for turn in turns {
            turn.order = i32::from(turn.gain) << 20;
            turn.order += history[usize::from(turn.way)];
            if self.killers[ply].contains(&turn.way) {
                turn.order += 1 << 19;
            }
            if turn.way == counter {
                turn.order += 1 << 18;
            }
            if best != 0 && short_key(&turn.after) == best {
                turn.order = i32::MAX;
            }
        }
    }

    /// Whether a turn is tried early for what it did elsewhere, though it may capture nothing.
    pub fn is_promising<P>(&self, ply: usize, turn: &Candidate<P>) -> bool {
        self.killers[ply].contains(&turn.way)
    }

    /// Notes that a turn caused a cutoff, after others had been tried.
    pub fn note<P>(&mut self, side: Side, ply: usize, depth: i32, (turn, others): (&Candidate<P>, &[Candidate<P>])) {
        let killers = &mut self.killers[ply];
        if killers[0] != turn.way {
            *killers = [turn.way, killers[0]];
        }
        let side = side.index();
        if let Some(counter) = self.counters[side].get_mut(usize::from(self.ways[ply])) {
            *counter = turn.way;
        }
        let bonus = (16 * depth * depth).min(MAX_HISTORY / 8);
        let mut change = |way: u16, by: i32| {
            let cell = &mut self.history[side][usize::from(way)];
            *cell += by - *cell * by.abs() / MAX_HISTORY;
        };
        change(turn.way, bonus);
        for other in others.iter().filter(|other| other.way != turn.way) {
            change(other.way, -bonus);
        }
    }
}

/// Moves the turn with the highest order of those not tried yet to position `number`.
#[inline]
pub fn pick<P>(turns: &mut [Candidate<P>], number: usize) {
    let mut best = number;
    for other in number + 1..turns.len() {
        if turns[other].order > turns[best].order {
            best = other;
        }
    }
    turns.swap(number, best);
}

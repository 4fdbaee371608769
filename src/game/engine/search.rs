//! Alpha-beta search: negamax with a transposition table, killers and history, captures to their end, values of tables.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::board::PointSet;
use crate::rules::{Outcome, Side, Stalemate};
use crate::table::TableError;

use super::super::referee::{Referee, State};
use super::candidates::{Candidate, candidates};
use super::evaluate::{KNOWN, STONE, TABLE_WON, WON, evaluate, room};
use super::transposition::{Bound, Mixer, TranspositionTable};
use super::values::Values;

/// Captures are followed so far beyond the depth of the search.
const CAPTURE_DEPTH: i32 = 8;

/// The deepest path that is searched.
pub const MAX_PLIES: usize = 200;

/// A position from which tables are not looked up at all has so many stones more than they reach.
const FAR: usize = 16;

/// So many look-ups are free.
const LOOK_UPS_AT_ONCE: u64 = 200;

/// Nodes between two looks at the clock.
const CLOCK: u64 = 128;

/// What ends a search early.
pub struct StopConditions<'a> {
    /// When it has to end.
    pub deadline: Option<Instant>,
    /// After how many nodes.
    pub nodes: u64,
    /// Set from outside.
    pub stop: &'a AtomicBool,
}

/// A search of one position.
pub struct Searcher<'a, P, V> {
    referee: &'a Referee<P>,
    values: &'a V,
    reach: usize,
    /// One position may be looked up for so many nodes: a look-up may read and decode a block, which takes as long as hundreds
    /// of nodes.
    nodes_a_look_up: u64,
    look_ups: u64,
    stop_conditions: StopConditions<'a>,
    table: &'a mut TranspositionTable,
    /// Positions looked at.
    pub nodes: u64,
    /// The search has been ended; scores mean nothing any more.
    pub halted: bool,
    /// A table could not be read.
    pub error: Option<TableError>,
    /// How often a way of a side, see [`Candidate::way`], was good enough.
    history: [Vec<i32>; 2],
    killers: Vec<[u16; 2]>,
    /// The states before the present one, those of the game first.
    path: Vec<State<P>>,
    buffers: Vec<Vec<Candidate<P>>>,
    turns_left: Option<usize>,
    /// What the rules and the manner of the search add to every key.
    salt: u64,
    /// The position is a win of which no table tells the depth: wins are searched on, so that they come nearer.
    convert: bool,
}

impl<'a, P: PointSet, V: Values<P>> Searcher<'a, P, V> {
    /// A search that goes on from the states of a game, the present one last.
    pub fn new(
        referee: &'a Referee<P>,
        values: &'a V,
        (past, turns_left): (Vec<State<P>>, Option<u32>),
        table: &'a mut TranspositionTable,
        stop_conditions: StopConditions<'a>,
        convert: bool,
    ) -> Self {
        let ways = referee.board().points().pow(2);
        let stones = past.last().map_or(0, State::stones);
        Self {
            referee,
            values,
            // Tables know nothing of sacrifices.
            reach: if referee.rules().sacrifice || stones > values.reach() + FAR { 0 } else { values.reach() },
            nodes_a_look_up: if stones > values.reach() { 256 } else { 16 },
            look_ups: 0,
            stop_conditions,
            table,
            nodes: 0,
            halted: false,
            error: None,
            history: [vec![0; ways], vec![0; ways]],
            killers: vec![[u16::MAX; 2]; MAX_PLIES + 1],
            path: past,
            buffers: (0..=MAX_PLIES).map(|_| Vec::new()).collect(),
            turns_left: turns_left.map(|turns| turns as usize),
            salt: Mixer::key(&(referee.rules(), referee.board().size(), convert)),
            convert,
        }
    }

    /// The key of a state so many plies from the present one; near a move limit what is left counts too.
    #[inline]
    pub fn key(&self, state: &State<P>, ply: usize) -> u64 {
        let key = Mixer::key(state) ^ self.salt;
        match self.turns_left {
            Some(turns) if turns <= MAX_PLIES => key ^ Mixer::key(&(turns.saturating_sub(ply) as u64 + 1)),
            _ => key,
        }
    }

    /// What is remembered of a state as its best turn.
    pub fn best_of(&self, state: &State<P>, ply: usize) -> Option<u32> {
        self.table.get(self.key(state, ply)).map(|entry| entry.best).filter(|&best| best != 0)
    }

    /// The score of a state after a turn of the present position, for the side that made the turn.
    pub fn score_after(&mut self, after: &State<P>, depth: i32, alpha: i32, beta: i32) -> i32 {
        -self.negamax(after, depth, 1, -beta, -alpha)
    }

    fn look_at_the_clock(&mut self) {
        let late = self.stop_conditions.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.halted |=
            late || self.nodes >= self.stop_conditions.nodes || self.stop_conditions.stop.load(Ordering::Relaxed);
    }

    fn negamax(&mut self, state: &State<P>, depth: i32, ply: usize, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(CLOCK) || self.nodes >= self.stop_conditions.nodes {
            self.look_at_the_clock();
        }
        if self.halted {
            return 0;
        }
        let (own, opponent) = (state.position.mover(), state.position.opponent());
        let lost = ply_score(-WON, ply);
        if own.is_empty() {
            return lost;
        }
        if opponent.is_empty() {
            return -lost;
        }
        let last_turn = self.turns_left.is_some_and(|turns| ply >= turns);
        if last_turn || self.is_repeated(state) || ply >= MAX_PLIES {
            return if self.referee.has_turn(state) { 0 } else { self.no_turn(ply) };
        }
        let quiet = self.referee.capturing_stones(state).is_empty();
        // Tables hold the quiet positions; others are looked up by following their captures, which the search does itself.
        if quiet && let Some(score) = self.table_score(state, depth, ply) {
            return score;
        }
        if quiet && depth <= 0 {
            return self.quiet_score(state, ply);
        }
        if depth <= -CAPTURE_DEPTH {
            // To be able to capture is worth about what the least capture brings.
            return evaluate(self.referee.board(), own, state.enemy()) + STONE;
        }
        let key = self.key(state, ply);
        let remembered = self.table.get(key);
        if let Some(entry) = remembered
            && i32::from(entry.depth) >= depth.max(0)
        {
            let score = from_table(i32::from(entry.score), ply);
            let enough = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
            };
            if enough {
                return score;
            }
        }
        let mut turns = std::mem::take(&mut self.buffers[ply]);
        let all = candidates(self.referee, state, &mut turns);
        if turns.is_empty() {
            self.buffers[ply] = turns;
            return self.no_turn(ply);
        }
        self.order(state, ply, remembered.map_or(0, |entry| entry.best), &mut turns);
        let (original, widest) = (alpha, width(depth).min(turns.len()));
        let (mut best, mut best_key) = (-WON - 1, 0);
        self.path.push(*state);
        for number in 0..widest {
            pick(&mut turns, number);
            let turn = turns[number];
            let score = self.score_of_turn(&turn, depth, ply, (alpha, beta), (number, turns.len() == 1));
            if self.halted {
                break;
            }
            if score > best {
                (best, best_key) = (score, short_key(&turn.after));
                alpha = alpha.max(score);
                if alpha >= beta {
                    self.remember_way(state.position.to_move, ply, depth, &turn);
                    break;
                }
            }
        }
        self.path.pop();
        let cut = (widest < turns.len() || !all) && best < beta;
        self.buffers[ply] = turns;
        if self.halted {
            return 0;
        }
        if cut && best < -KNOWN {
            // Turns that were left out may save the game.
            best = evaluate(self.referee.board(), own, state.enemy());
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best > original => Bound::Exact,
            _ => Bound::Upper,
        };
        self.table.put(key, best_key, to_table(best, ply), depth.max(0), bound);
        best
    }

    /// Searches what a turn leads to: the first with the whole window, the others only for whether they are better, late ones
    /// less deep at first.
    fn score_of_turn(
        &mut self,
        turn: &Candidate<P>,
        depth: i32,
        ply: usize,
        (alpha, beta): (i32, i32),
        (number, forced): (usize, bool),
    ) -> i32 {
        // A turn without a choice costs no depth.
        let next = if forced && depth > 0 && ply < 60 { depth } else { depth - 1 };
        if number == 0 {
            return -self.negamax(&turn.after, next, ply + 1, -beta, -alpha);
        }
        let late = depth >= 3 && number >= 4 && !self.killers[ply].contains(&turn.way);
        let reduced = if late { 1 + i32::from(number >= 12) } else { 0 };
        let mut score = -self.negamax(&turn.after, next - reduced, ply + 1, -alpha - 1, -alpha);
        if score > alpha && reduced > 0 && !self.halted {
            score = -self.negamax(&turn.after, next, ply + 1, -alpha - 1, -alpha);
        }
        if score > alpha && score < beta && !self.halted {
            score = -self.negamax(&turn.after, next, ply + 1, -beta, -alpha);
        }
        score
    }

    /// Whether a state has stood on the path or in the game before. Stones never come back, so the look ends where there are
    /// more.
    fn is_repeated(&self, state: &State<P>) -> bool {
        let here = state.stones();
        self.path.iter().rev().take_while(|earlier| earlier.stones() == here).any(|earlier| earlier == state)
    }

    fn no_turn(&self, ply: usize) -> i32 {
        match self.referee.rules().stalemate {
            Stalemate::Loss => ply_score(-WON, ply),
            Stalemate::Draw => 0,
        }
    }

    /// What the tables say. A win without a depth only ends the search where one could not go on anyway, if it is to come
    /// nearer.
    fn table_score(&mut self, state: &State<P>, depth: i32, ply: usize) -> Option<i32> {
        let (own, enemy) = (state.position.mover(), state.position.opponent());
        let spent = self.look_ups > LOOK_UPS_AT_ONCE + self.nodes / self.nodes_a_look_up;
        if own.count() + enemy.count() > self.reach || !state.block.is_empty() || spent {
            return None;
        }
        if self.referee.bound_side(state).is_some() {
            return None;
        }
        self.look_ups += 1;
        let outcome = match self.values.outcome(own, enemy) {
            Ok(outcome) => outcome?,
            Err(error) => {
                self.error = Some(error);
                self.halted = true;
                return Some(0);
            }
        };
        if outcome != Outcome::Draw && self.convert && depth > 0 {
            return None;
        }
        let nearness = || evaluate(self.referee.board(), own, enemy) / 8;
        Some(match outcome {
            Outcome::Draw => 0,
            Outcome::Win => ply_score(TABLE_WON, ply) + nearness(),
            Outcome::Loss => ply_score(-TABLE_WON, ply) + nearness(),
        })
    }

    /// The score of a position in which the side to move captures nothing.
    fn quiet_score(&self, state: &State<P>, ply: usize) -> i32 {
        let (own, opponent) = (state.position.mover(), state.position.opponent());
        let board = self.referee.board();
        if !self.referee.rules().sacrifice && room(board, own, board.all().without(own | opponent)) == 0 {
            return self.no_turn(ply);
        }
        evaluate(board, own, state.enemy())
    }

    fn order(&self, state: &State<P>, ply: usize, best: u32, turns: &mut [Candidate<P>]) {
        let history = &self.history[usize::from(state.position.to_move == Side::Black)];
        for turn in turns {
            turn.order = i32::from(turn.gain) << 20;
            turn.order += history[usize::from(turn.way)];
            if self.killers[ply].contains(&turn.way) {
                turn.order += 1 << 19;
            }
            if best != 0 && short_key(&turn.after) == best {
                turn.order = i32::MAX;
            }
        }
    }

    fn remember_way(&mut self, side: Side, ply: usize, depth: i32, turn: &Candidate<P>) {
        if depth <= 0 {
            return;
        }
        let killers = &mut self.killers[ply];
        if killers[0] != turn.way {
            *killers = [turn.way, killers[0]];
        }
        let history = &mut self.history[usize::from(side == Side::Black)];
        let cell = &mut history[usize::from(turn.way)];
        *cell += depth * depth;
        if *cell > 1 << 18 {
            for cell in history.iter_mut() {
                *cell /= 2;
            }
        }
    }
}

/// How many turns are looked at: all, but far beyond the depth only those that capture most.
fn width(depth: i32) -> usize {
    match depth {
        0.. => usize::MAX,
        -2..=-1 => 5,
        _ => 2,
    }
}

/// Brings the turn with the highest order of those not tried yet to its place.
#[inline]
fn pick<P>(turns: &mut [Candidate<P>], number: usize) {
    let mut best = number;
    for other in number + 1..turns.len() {
        if turns[other].order > turns[best].order {
            best = other;
        }
    }
    turns.swap(number, best);
}

/// A part of the key of a state that is never 0.
#[inline]
#[allow(clippy::cast_possible_truncation)] // a part is enough to find a turn again
pub fn short_key<P: PointSet>(state: &State<P>) -> u32 {
    (Mixer::key(state) >> 32) as u32 | 1
}

/// A score so many plies away: wins are better the sooner they come.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // at most MAX_PLIES
fn ply_score(score: i32, ply: usize) -> i32 {
    score - score.signum() * ply as i32
}

/// A score as it is remembered: counted from the position itself.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // at most MAX_PLIES
fn to_table(score: i32, ply: usize) -> i32 {
    if score.abs() > KNOWN { score + score.signum() * ply as i32 } else { score }
}

/// A remembered score, counted from where the search began.
fn from_table(score: i32, ply: usize) -> i32 {
    if score.abs() > KNOWN { ply_score(score, ply) } else { score }
}

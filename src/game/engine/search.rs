//! Alpha-beta search: negamax with a transposition table, pruning, capture search, and table values.

use std::sync::atomic;

use web_time::Instant;

use crate::board::PointSet;
use crate::rules::{Outcome, Position, Stalemate};
use crate::table::{Probe, TableError};

use super::super::referee::{Referee, State};
use super::candidates::{Candidate, candidates, short_key};
use super::evaluate::{Evaluation, KNOWN, STONE, TABLE_WON, WON, from_table, ply_score, to_table};
use super::features::room;
use super::ordering::{Ordering, pick};
use super::selection::{reduction, width};
use super::sight::Sight;
use super::subject::{StopConditions, Subject};
use super::transposition::{Bound, Mixer, TranspositionTable};

/// The longest path that is searched.
pub const MAX_PLIES: usize = 200;

/// Tables are not used for a position with more stones than their reach plus this.
const FAR: usize = 16;

/// The number of look-ups that are always allowed.
const LOOK_UPS_AT_ONCE: u64 = 200;

/// A score this far above the window for each ply of depth is taken as safe, up to that depth.
const SURE: i32 = 110;
const SURE_DEPTH: i32 = 4;

/// A score this far below the window for each ply of depth is taken as hopeless, up to that depth.
const HOPELESS: i32 = 220;
const HOPELESS_DEPTH: i32 = 2;

/// With this many stones or fewer nothing is pruned within the depth: passing may be better than moving, and wins are near.
const PRUNING_STONES: usize = 12;

/// Nodes between two checks of the clock.
const CLOCK: u64 = 128;

/// A search of one position.
pub struct Searcher<'a, P> {
    referee: &'a Referee<P>,
    evaluation: Evaluation<P>,
    values: &'a dyn Probe<P>,
    sight: Sight,
    reach: usize,
    /// One look-up is allowed for this many nodes: it may read and decode a block, which takes as long as hundreds of nodes.
    nodes_a_look_up: u64,
    look_ups: u64,
    /// Look-ups that found a value.
    pub table_hits: u64,
    longest: usize,
    stop_conditions: StopConditions<'a>,
    table: &'a TranspositionTable,
    /// Positions searched.
    pub nodes: u64,
    /// Whether the search has ended early; scores are then invalid.
    pub halted: bool,
    /// A table could not be read.
    pub error: Option<TableError>,
    ordering: Ordering,
    /// The states before the present one, from the start of the game.
    path: Vec<State<P>>,
    buffers: Vec<Vec<Candidate<P>>>,
    turns_left: Option<usize>,
    /// Whether a side has passed on the path.
    passed: bool,
    /// Part of every key: the rules.
    salt: u64,
}

impl<'a, P: PointSet> Searcher<'a, P> {
    /// A search of this position.
    pub fn new(subject: Subject<'a, P>, stop_conditions: StopConditions<'a>) -> Self {
        let Subject { game, past, values, sight, table } = subject;
        let (referee, stones) = (game.referee(), game.state().stones());
        Self {
            referee,
            evaluation: Evaluation::new(referee.board()),
            values,
            sight,
            // Tables do not cover sacrifices.
            reach: if referee.rules().sacrifice || stones > values.stones() + FAR { 0 } else { values.stones() },
            nodes_a_look_up: if stones > values.stones() { 256 } else { 16 },
            look_ups: 0,
            table_hits: 0,
            longest: 0,
            stop_conditions,
            table,
            nodes: 0,
            halted: false,
            error: None,
            ordering: Ordering::new(referee.board().points(), MAX_PLIES),
            path: past.to_vec(),
            buffers: (0..=MAX_PLIES).map(|_| Vec::new()).collect(),
            turns_left: game.turns_left().map(|turns| turns as usize),
            passed: false,
            salt: Mixer::key(&(referee.rules(), referee.board().size())) ^ sight.salt(),
        }
    }

    /// The key of a state at a ply of the search; near a move limit it includes the turns left.
    #[inline]
    pub fn key(&self, state: &State<P>, ply: usize) -> u64 {
        let key = Mixer::key(state) ^ self.salt;
        match self.turns_left {
            Some(turns) if turns <= MAX_PLIES => key ^ Mixer::key(&(turns.saturating_sub(ply) as u64 + 1)),
            _ => key,
        }
    }

    /// The best turn of a state in the transposition table.
    pub fn stored_best(&self, state: &State<P>, ply: usize) -> Option<u32> {
        self.table.get(self.key(state, ply)).map(|entry| entry.best).filter(|&best| best != 0)
    }

    /// The plies of the longest line that was searched.
    #[allow(clippy::cast_possible_truncation)] // at most MAX_PLIES
    pub fn longest(&self) -> u32 {
        self.longest as u32
    }

    /// How full the transposition table is with positions of this search, in thousandths.
    pub fn table_fill(&self) -> u32 {
        self.table.fill()
    }

    /// The score of a state after a turn of the present position, for the side that made the turn.
    pub fn score_after(&mut self, after: &State<P>, depth: i32, alpha: i32, beta: i32) -> i32 {
        -self.negamax(after, depth, 1, -beta, -alpha)
    }

    fn check_clock(&mut self) {
        let late = self.stop_conditions.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.halted |= late
            || self.nodes >= self.stop_conditions.nodes
            || self.stop_conditions.stop.load(atomic::Ordering::Relaxed);
    }

    fn negamax(&mut self, state: &State<P>, depth: i32, ply: usize, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(CLOCK) || self.nodes >= self.stop_conditions.nodes {
            self.check_clock();
        }
        if self.halted {
            return 0;
        }
        self.longest = self.longest.max(ply);
        let quiet = self.referee.capturing_stones(state).is_empty();
        if let Some(score) = self.leaf_score(state, (depth, ply), quiet) {
            return score;
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
        // In a null window, a score far off decides a position without captures.
        let prunes = beta - alpha == 1 && beta.abs() < KNOWN && state.stones() > PRUNING_STONES;
        if quiet && prunes {
            let score = self.quiet_score(state, ply);
            if score.abs() < KNOWN
                && let Some(score) = self.pruned(state, (depth, ply), score, beta)
            {
                return score;
            }
            if self.halted {
                return 0;
            }
        }
        let mut turns = std::mem::take(&mut self.buffers[ply]);
        let all = candidates(self.referee, state, &mut turns);
        if turns.is_empty() {
            self.buffers[ply] = turns;
            return self.no_turn(ply);
        }
        let known = remembered.map_or(0, |entry| entry.best);
        self.ordering.order(state, ply, known, &mut turns);
        // Without a best turn from an earlier search, search less deep: the next search has one then.
        let depth = if known == 0 && depth >= 4 { depth - 1 } else { depth };
        let (original, widest) = (alpha, width(depth, !quiet && prunes).min(turns.len()));
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
                    if depth > 0 {
                        self.ordering.note(state.position.to_move, ply, depth, (&turn, &turns[..number]));
                    }
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
            // A turn that was left out may avoid the loss.
            best = self.judge(state);
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best > original => Bound::Exact,
            _ => Bound::Upper,
        };
        self.table.put(key, best_key, to_table(best, ply), depth.max(0), bound);
        best
    }

    /// The score of a position whose turns are not searched.
    fn leaf_score(&mut self, state: &State<P>, (depth, ply): (i32, usize), quiet: bool) -> Option<i32> {
        let lost = ply_score(-WON, ply);
        if state.position.mover().is_empty() {
            return Some(lost);
        }
        if state.position.opponent().is_empty() {
            return Some(-lost);
        }
        let last_turn = self.turns_left.is_some_and(|turns| ply >= turns);
        if last_turn || self.is_repeated(state) || ply >= MAX_PLIES {
            return Some(if self.referee.has_turn(state) { 0 } else { self.no_turn(ply) });
        }
        // Tables hold the quiet positions; captures are followed by the search itself.
        if quiet && let Some(score) = self.table_score(state, ply) {
            return Some(score);
        }
        if quiet && depth <= 0 {
            return Some(self.quiet_score(state, ply));
        }
        // The ability to capture is worth about one stone.
        (depth <= -self.sight.captures).then(|| self.judge(state) + STONE)
    }

    /// Searches a turn: the first with the full window, the others with a null window first, late ones at reduced depth
    /// first.
    fn score_of_turn(
        &mut self,
        turn: &Candidate<P>,
        depth: i32,
        ply: usize,
        (alpha, beta): (i32, i32),
        (number, forced): (usize, bool),
    ) -> i32 {
        // A forced turn costs no depth.
        let next = if forced && depth > 0 && ply < 60 { depth } else { depth - 1 };
        self.ordering.enter(ply + 1, Some(turn.way));
        if number == 0 {
            return -self.negamax(&turn.after, next, ply + 1, -beta, -alpha);
        }
        let reduced = self.reduction(turn, depth, ply, number, beta - alpha > 1);
        let mut score = -self.negamax(&turn.after, next - reduced, ply + 1, -alpha - 1, -alpha);
        if score > alpha && reduced > 0 && !self.halted {
            score = -self.negamax(&turn.after, next, ply + 1, -alpha - 1, -alpha);
        }
        if score > alpha && score < beta && !self.halted {
            score = -self.negamax(&turn.after, next, ply + 1, -beta, -alpha);
        }
        score
    }

    /// The plies by which a late turn is searched less deep.
    fn reduction(&self, turn: &Candidate<P>, depth: i32, ply: usize, number: usize, wide: bool) -> i32 {
        if depth < 2 || number < 2 {
            return 0;
        }
        let promising = i32::from(wide) + i32::from(self.ordering.is_promising(ply, turn));
        (reduction(depth, number) - promising).clamp(0, depth - 1)
    }

    /// A score outside of the null window below `beta`, if the static score of the position is so far off that a search would
    /// hardly change the decision, or if the side to move would keep its lead even if it passed.
    fn pruned(&mut self, state: &State<P>, (depth, ply): (i32, usize), score: i32, beta: i32) -> Option<i32> {
        if depth <= SURE_DEPTH && score - SURE * depth >= beta {
            return Some(score);
        }
        if depth <= HOPELESS_DEPTH && score + HOPELESS * depth < beta {
            return Some(score);
        }
        let may_pass = depth >= 3 && score >= beta && !self.passed;
        if !may_pass || !state.block.is_empty() {
            return None;
        }
        let position = Position { to_move: state.position.to_move.other(), ..state.position };
        self.passed = true;
        self.path.push(*state);
        self.ordering.enter(ply + 1, None);
        let passing = -self.negamax(&State::from(position), depth - 3 - depth / 6, ply + 1, -beta, 1 - beta);
        self.path.pop();
        self.passed = false;
        (passing >= beta && !self.halted).then_some(passing.min(KNOWN - 1))
    }

    /// Whether a state occurred on the path or in the game before. Captured stones never come back, so the search ends at states
    /// with more stones.
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

    /// The score by tables.
    fn table_score(&mut self, state: &State<P>, ply: usize) -> Option<i32> {
        let (own, enemy) = (state.position.mover(), state.position.opponent());
        let spent = self.look_ups > LOOK_UPS_AT_ONCE + self.nodes / self.nodes_a_look_up;
        if own.count() + enemy.count() > self.reach || !state.block.is_empty() || spent {
            return None;
        }
        if self.referee.bound_side(state).is_some() {
            return None;
        }
        self.look_ups += 1;
        let outcome = match self.values.probe(own, enemy) {
            Ok(bounds) => bounds.exact()?,
            Err(error) => {
                self.error = Some(error);
                self.halted = true;
                return Some(0);
            }
        };
        self.table_hits += 1;
        let nearness = || self.evaluation.evaluate(self.referee.board(), own, enemy) / 8;
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
        self.judge(state)
    }

    /// The static evaluation, as far as the player sees.
    #[inline]
    fn judge(&self, state: &State<P>) -> i32 {
        let score = self.evaluation.evaluate(self.referee.board(), state.position.mover(), state.enemy());
        self.sight.judge(score, || Mixer::key(state))
    }
}

//! Chooses the computer's turn: by tables where they reach, by a search elsewhere, with mistakes at the lower levels.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Serialize;
use thiserror::Error;

use crate::board::PointSet;
use crate::rules::Outcome;
use crate::table::{NoValues, Probe, TableError, Tables};

use super::super::any_board::Game;
use super::super::history::GameHistory;
use super::super::referee::{Action, State};
use super::super::refusal::Refusal;
use super::advice::table_advice;
use super::deepening::{Info, MAX_DEPTH, Reach, Root, deepen, is_known, roots};
use super::evaluate::plies_to_end;
use super::level::Level;
use super::plan::WinningPlan;
use super::search::{Searcher, StopConditions};
use super::transposition::TranspositionTable;
use super::values::QuickTables;

/// Why no turn is chosen.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The game is over.
    #[error("{0}; there is no turn to choose")]
    Over(Refusal),
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// How a turn was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// Tables advice.
    Table,
    /// A search found it.
    Search,
    /// It was the only one.
    #[serde(rename = "only move")]
    OnlyMove,
    /// At random, as lower levels do.
    Chance,
}

/// The computer's turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reply {
    /// The turn, in notation.
    #[serde(rename = "move")]
    pub text: String,
    /// How it was chosen.
    pub how: How,
    /// The value for the side that moves, `None` if it is unknown.
    #[serde(serialize_with = "Outcome::serialize_word")]
    pub value: Option<Outcome>,
    /// Plies to the end of the game, this turn included, if known.
    pub dtw: Option<u32>,
    /// The score of the search in hundredths of a stone, for the side that moves; `None` without a search.
    pub score: Option<i32>,
    /// The depth of the search.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
    /// Milliseconds it took.
    pub ms: u64,
    /// Whether the side that moves would agree to a draw after it.
    pub offers_draw: bool,
}

/// The playing strength, and the limits of one search.
pub struct SearchLimits<'a> {
    /// The level.
    pub level: Level,
    /// The longest time.
    pub time: Option<Duration>,
    /// The greatest depth.
    pub depth: Option<u32>,
    /// The most positions.
    pub nodes: Option<u64>,
    /// Random seed. With the same seed and no time limit the reply is the same.
    pub seed: u64,
    /// Ends the search when set.
    pub stop: &'a AtomicBool,
}

/// The default number of positions in the transposition table, of 24 bytes each.
pub const DEFAULT_ENTRIES: usize = 1 << 19;

/// The most nodes of a search for a plan where neither time nor nodes are limited.
const PLAN_NODES: u64 = 1 << 16;

/// A computer player; it keeps its transposition table and its plan from turn to turn.
pub struct Engine {
    table: TranspositionTable,
    plan: WinningPlan,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new(DEFAULT_ENTRIES)
    }
}

impl Engine {
    /// A player with a transposition table of this many positions.
    #[must_use]
    pub fn new(entries: usize) -> Self {
        Self { table: TranspositionTable::new(entries), plan: WinningPlan::default() }
    }

    /// A player with a transposition table of this many bytes.
    #[must_use]
    pub fn with_bytes(bytes: usize) -> Self {
        Self::new(TranspositionTable::entries_in(bytes))
    }

    /// Clears the transposition table, and drops the plan.
    pub fn forget(&mut self) {
        self.table.clear();
        self.plan = WinningPlan::default();
    }

    /// Chooses a turn for the side to move. Tables of another board or other rules are not used, nor any where they do
    /// not apply ([`Game::tables_apply`]). `info` is called after each completed depth.
    ///
    /// # Errors
    /// [`EngineError`]: the game is over, or a table cannot be read.
    pub fn reply(
        &mut self,
        game: &Game,
        tables: Option<&Tables>,
        limits: &SearchLimits<'_>,
        info: &mut dyn FnMut(&Info),
    ) -> Result<Reply, EngineError> {
        match game {
            Game::Narrow(game) => match fitting(game, tables) {
                Some(tables) => self.choose(game, &QuickTables::new(tables), limits, info),
                None => self.choose(game, &NoValues, limits, info),
            },
            Game::Wide(game) => self.choose(game, &NoValues, limits, info),
        }
    }

    /// The same for a game on one kind of board, with values from any source.
    ///
    /// # Errors
    /// Those of [`Engine::reply`].
    pub fn choose<P: PointSet, V: Probe<P>>(
        &mut self,
        game: &GameHistory<P>,
        values: &V,
        limits: &SearchLimits<'_>,
        info: &mut dyn FnMut(&Info),
    ) -> Result<Reply, EngineError> {
        let mut past: Vec<State<P>> = game.states().copied().collect();
        past.reverse();
        self.choose_after(past, game, values, limits, info)
    }

    /// The same with the states that count as repetitions, the present one last.
    pub(super) fn choose_after<P: PointSet, V: Probe<P>>(
        &mut self,
        past: Vec<State<P>>,
        game: &GameHistory<P>,
        values: &V,
        limits: &SearchLimits<'_>,
        info: &mut dyn FnMut(&Info),
    ) -> Result<Reply, EngineError> {
        let begun = Instant::now();
        if let Some(refusal) = game.over() {
            return Err(EngineError::Over(refusal));
        }
        let mut random = fastrand::Rng::with_seed(limits.seed);
        let mut roots = roots(game.referee(), game.state());
        // Equally good turns are chosen with equal probability.
        random.shuffle(&mut roots);
        let advice = table_advice(game, values, limits.level, &mut random)?;
        let mut reply = Reply {
            text: String::new(),
            how: How::Table,
            value: advice.value,
            dtw: advice.dtw,
            score: None,
            depth: 0,
            nodes: 0,
            ms: 0,
            offers_draw: advice.value == Some(Outcome::Draw),
        };
        let action = if let [only] = &roots[..] {
            reply.how = How::OnlyMove;
            only.action.clone()
        } else if random.f64() < limits.level.chance() {
            reply.how = How::Chance;
            reply.offers_draw = false;
            roots[random.usize(..roots.len())].action.clone()
        } else {
            // The advised turns are among these, unless there were too many of them.
            let advised = |root: &Root<P>| advice.among.as_ref().is_none_or(|afters| afters.contains(&root.after));
            if roots.iter().any(advised) {
                roots.retain(advised);
            }
            match &roots[..] {
                [only] if advice.value.is_some() => only.action.clone(),
                _ if advice.convert => {
                    let number = self.progress(game, values, &mut roots, (limits, begun), &mut reply)?;
                    roots.swap_remove(number).action
                }
                _ => self.search((game, past), values, &mut roots, (limits, begun), (&mut reply, info))?,
            }
        };
        reply.text = action.text(game.size());
        reply.ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(reply)
    }

    /// The turn that makes progress, by its number among `roots`, all of which win at unknown depths: that of a plan.
    ///
    /// While there is no plan, only the turns count whose positions have occurred least often in the game. So play ends
    /// whatever the searches find: if it did not, some positions would come up again and again, one of them the nearest
    /// to the end; all its turns would be made again and again, the best among them, and lead still nearer to the end.
    fn progress<P: PointSet, V: Probe<P>>(
        &mut self,
        game: &GameHistory<P>,
        values: &V,
        roots: &mut Vec<Root<P>>,
        (limits, begun): (&SearchLimits<'_>, Instant),
        reply: &mut Reply,
    ) -> Result<usize, EngineError> {
        let seen = |root: &Root<P>| game.states().filter(|earlier| **earlier == root.after).count();
        // A plan does not lead back to its own positions, but maybe to one that occurred before it was made.
        let repetition = game.referee().rules().repetition;
        let kept = self.plan.turn(game, roots).filter(|&kept| !repetition || seen(&roots[kept]) == 0);
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let least = roots.iter().map(seen).min();
        roots.retain(|root| Some(seen(root)) == least);
        let until = StopConditions {
            deadline: limits.time.map(|time| begun + time),
            nodes: limits.nodes.unwrap_or(if limits.time.is_some() { u64::MAX } else { PLAN_NODES }),
            stop: limits.stop,
        };
        let planned = self.plan.search(game, values, &until)?;
        reply.nodes = planned.nodes;
        let turn = self.plan.turn(game, roots).filter(|_| planned.found);
        Ok(turn.unwrap_or_else(|| planned.promising(game, roots)))
    }

    /// Searches the turns and completes the reply.
    fn search<P: PointSet, V: Probe<P>>(
        &mut self,
        (game, past): (&GameHistory<P>, Vec<State<P>>),
        values: &V,
        roots: &mut [Root<P>],
        (limits, begun): (&SearchLimits<'_>, Instant),
        (reply, info): (&mut Reply, &mut dyn FnMut(&Info)),
    ) -> Result<Action, EngineError> {
        self.table.age();
        let stop_conditions = StopConditions {
            deadline: limits.time.map(|time| begun + time),
            nodes: limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(reply.nodes)),
            stop: limits.stop,
        };
        let depth = limits.depth.map_or(MAX_DEPTH, |depth| i32::try_from(depth.max(1)).unwrap_or(MAX_DEPTH));
        let depth = depth.min(MAX_DEPTH).min(limits.level.depth());
        // The next depth takes several times as long as all before.
        let soft = limits.time.map(|time| begun + time / 2);
        let none = NoValues;
        let start = (past, game.turns_left());
        let reach = Reach { depth, begun, soft };
        let (found, nodes) = if limits.level.knows_tables() {
            let mut searcher = Searcher::new(game.referee(), values, start, &mut self.table, stop_conditions);
            let found = deepen(game, &mut searcher, roots, reach, info);
            if let Some(error) = searcher.error {
                return Err(error.into());
            }
            (found, searcher.nodes)
        } else {
            let mut searcher = Searcher::new(game.referee(), &none, start, &mut self.table, stop_conditions);
            (deepen(game, &mut searcher, roots, reach, info), searcher.nodes)
        };
        reply.depth = found.depth;
        reply.nodes += nodes;
        if found.depth > 0 {
            reply.score = Some(found.score);
        }
        if reply.value.is_none() {
            reply.how = How::Search;
            if is_known(found.score) {
                reply.value = Some(if found.score > 0 { Outcome::Win } else { Outcome::Loss });
                reply.dtw = plies_to_end(found.score);
            }
        }
        // `roots` is never empty here: the game goes on.
        Ok(roots[0].action.clone())
    }
}

/// The tables, if they are for the board and the rules of the game.
pub(super) fn fitting<'a>(game: &GameHistory<u64>, tables: Option<&'a Tables>) -> Option<&'a Tables> {
    tables.filter(|tables| {
        tables.rules().rule_set() == game.referee().rules().table_rules()
            && tables.space().board().size() == game.size()
    })
}

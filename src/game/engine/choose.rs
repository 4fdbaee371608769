//! Chooses the computer's turn: by tables and proofs where they reach, by searches elsewhere; lower levels see less.

use std::panic::panic_any;

use web_time::Instant;

use crate::board::PointSet;
use crate::index::OutOfMemory;
use crate::knowledge::Knowledge;
use crate::report::ValueAnswer;
use crate::rules::Outcome;
use crate::table::{Known, NoValues, Probe, Source};

use super::super::any_board::Game;
use super::super::history::GameHistory;
use super::super::parse_action::parse_action;
use super::super::referee::State;
use super::advice::{Turns, advice};
use super::deepening::{DeepeningLimits, MAX_DEPTH, Root, SearchInfo, is_known, roots};
use super::evaluate::plies_to_end;
use super::plan::{PlanGoal, WinningPlan};
use super::reply::{EngineError, How, Reply, SearchLimits};
use super::search::StopConditions;
use super::threads;
use super::transposition::TranspositionTable;
use super::values::QuickValues;

/// The default number of positions in the transposition table, of 16 bytes each.
pub const DEFAULT_ENTRIES: usize = 1 << 19;

/// The most nodes of a search for progress where neither time nor nodes are limited.
const PLAN_NODES: u64 = 1 << 16;

/// Alpha-beta nodes for each proof-number node, where neither time nor nodes are limited. They take a tenth of the time each.
const NODES_FOR_ONE: u64 = 32;

/// Where nothing is known, one part in this many of a search goes into a proof of a win.
const OPEN_SHARE: u32 = 4;

/// The same in a position known not to be lost. The part is smaller, so that a win outside of what is known is found again
/// after the next turn, even by another engine that takes the game over.
const HELD_SHARE: u32 = 8;

/// Where nothing is known, a proof of a win is tried with a lead of this many stones, or with few stones left in all.
const PROMISING_LEAD: usize = 2;
const FEW_STONES: usize = 12;

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
    ///
    /// # Panics
    /// With [`OutOfMemory`] if the system has no memory for it.
    #[must_use]
    pub fn new(entries: usize) -> Self {
        Self::of(TranspositionTable::new(entries).unwrap_or_else(|refused| panic_any(refused)))
    }

    /// A player with a transposition table of this many bytes.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system has no memory for it.
    pub fn with_bytes(bytes: usize) -> Result<Self, OutOfMemory> {
        TranspositionTable::new(TranspositionTable::entries_in(bytes)).map(Self::of)
    }

    fn of(table: TranspositionTable) -> Self {
        Self { table, plan: WinningPlan::default() }
    }

    /// Clears the transposition table, and drops the plan.
    pub fn forget(&mut self) {
        self.table.clear();
        self.plan = WinningPlan::default();
    }

    /// Chooses a turn for the side to move. Knowledge of another board or other rules is ignored, and so is any that does
    /// not apply ([`Game::tables_apply`]). `info` is called after each completed depth.
    ///
    /// # Errors
    /// [`EngineError`]: the game is over, or a table cannot be read.
    pub fn reply(
        &mut self,
        game: &Game,
        knowledge: Option<&Knowledge>,
        limits: &SearchLimits<'_>,
        info: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Reply, EngineError> {
        match (game.with_knowledge(knowledge), game) {
            (Some((game, knowledge)), _) => self.choose(game, &QuickValues::new(knowledge), limits, info),
            (None, Game::Narrow(game)) => self.choose(game, &NoValues, limits, info),
            (None, Game::Wide(game)) => self.choose(game, &NoValues, limits, info),
        }
    }

    /// The same for a game on one kind of board, with values from any source.
    ///
    /// # Errors
    /// Those of [`Engine::reply`].
    pub fn choose<P: PointSet>(
        &mut self,
        game: &GameHistory<P>,
        values: &dyn Probe<P>,
        limits: &SearchLimits<'_>,
        info: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Reply, EngineError> {
        let mut past: Vec<State<P>> = game.states().copied().collect();
        past.reverse();
        self.choose_after(past, game, values, limits, info)
    }

    /// The same; only the states in `past`, the present one last, count as repetitions.
    pub(super) fn choose_after<P: PointSet>(
        &mut self,
        past: Vec<State<P>>,
        game: &GameHistory<P>,
        values: &dyn Probe<P>,
        limits: &SearchLimits<'_>,
        info: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Reply, EngineError> {
        let begun = Instant::now();
        if let Some(refusal) = game.over() {
            return Err(EngineError::Over(refusal));
        }
        let mut random = fastrand::Rng::with_seed(limits.seed);
        let mut roots = roots(game.referee(), game.state());
        restrict_to(&mut roots, game, limits.among);
        // Equally good turns are chosen with equal probability.
        random.shuffle(&mut roots);
        let advice = advice(game, values, limits.level, &mut random)?;
        let side = game.to_move();
        let mut reply = Reply {
            text: String::new(),
            how: advice.known.as_ref().map_or(How::Search, |known| (&known.source).into()),
            known: ValueAnswer::new(advice.known.as_ref(), side),
            score: None,
            depth: 0,
            nodes: 0,
            ms: 0,
            offers_draw: advice.is_agreed_draw(),
        };
        let spent = (limits, begun);
        let action = if let [only] = &roots[..] {
            reply.how = How::OnlyMove;
            only.action.clone()
        } else {
            let all = roots.len();
            let among = match &advice.turns {
                Turns::All => all,
                Turns::Best(after) => move_to_front(&mut roots, std::slice::from_ref(after)),
                Turns::Winning(afters) | Turns::Holding(afters) => move_to_front(&mut roots, afters),
            };
            let may_win =
                limits.level.is_perfect() && game.tables_apply().apply && advice.bounds().most == Outcome::Win;
            let number = match advice.turns {
                Turns::Winning(_) if among > 1 => {
                    roots.truncate(among);
                    self.progress(game, values, &mut roots, spent, &mut reply)?
                }
                Turns::All if may_win && (is_promising(game.state()) || self.plan.turn(game, &roots).is_some()) => {
                    self.win((game, past), values, (&mut roots, all), (spent, OPEN_SHARE), (&mut reply, info))?
                }
                Turns::Holding(_) if may_win => {
                    self.win((game, past), values, (&mut roots, among), (spent, HELD_SHARE), (&mut reply, info))?
                }
                _ if among == 1 => 0,
                _ => self.search((game, past), values, &mut roots[..among], (spent, 0), (&mut reply, info))?,
            };
            roots.swap_remove(number).action
        };
        reply.text = action.text(game.size());
        reply.ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(reply)
    }

    /// Chooses a turn where there may be a win, by its number among `roots`: one that a plan proves, or else the best of the
    /// first `among` by a search. The last part of the time goes into the plan. A win that only the search shows is no reason to
    /// leave what is known: a plan is kept to the end, but another search may not find such a win again.
    fn win<P: PointSet>(
        &mut self,
        (game, past): (&GameHistory<P>, Vec<State<P>>),
        values: &dyn Probe<P>,
        (roots, among): (&mut [Root<P>], usize),
        ((limits, begun), share): ((&SearchLimits<'_>, Instant), u32),
        (reply, info): (&mut Reply, &mut dyn FnMut(&SearchInfo)),
    ) -> Result<usize, EngineError> {
        let mut turn = self.plan.turn(game, roots);
        if turn.is_none() {
            let some = &mut roots[..among];
            let best = self.search((game, past), values, some, ((limits, begun), share), (reply, info))?;
            if reply.known.bounds.exact() == Some(Outcome::Win) {
                return Ok(best);
            }
            let until = StopConditions {
                deadline: limits.time.and_then(|time| {
                    let ends = [begun.checked_add(time), Instant::now().checked_add(time / share)];
                    ends.into_iter().flatten().min()
                }),
                nodes: match (limits.nodes, limits.time) {
                    (Some(nodes), _) => nodes.saturating_sub(reply.nodes).min(nodes / u64::from(share)),
                    (None, Some(_)) => u64::MAX,
                    (None, None) => reply.nodes / NODES_FOR_ONE,
                },
                stop: limits.stop,
            };
            let planned = self.plan.search(game, (PlanGoal::Win, values), &until)?;
            reply.nodes += planned.nodes;
            turn = self.plan.turn(game, roots).filter(|_| planned.found);
        }
        let Some(turn) = turn else { return Ok(0) };
        let win = Known::new(Outcome::Win.into(), Source::Search);
        (reply.how, reply.known) = (How::Search, ValueAnswer::new(Some(&win), game.to_move()));
        Ok(turn)
    }

    /// The turn that makes progress, by its number among `roots`, all of which win at unknown depths: that of a plan.
    ///
    /// While there is no plan, only the turns count whose positions have occurred least often in the game. So play ends
    /// whatever the searches find: if it did not, some positions would come up again and again, one of them the nearest
    /// to the end; all its turns would be made again and again, the best among them, and lead still nearer to the end.
    fn progress<P: PointSet>(
        &mut self,
        game: &GameHistory<P>,
        values: &dyn Probe<P>,
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
            deadline: limits.time.and_then(|time| begun.checked_add(time)),
            nodes: limits.nodes.unwrap_or(if limits.time.is_some() { u64::MAX } else { PLAN_NODES }),
            stop: limits.stop,
        };
        let planned = self.plan.search(game, (PlanGoal::Progress, values), &until)?;
        reply.nodes = planned.nodes;
        let turn = self.plan.turn(game, roots).filter(|_| planned.found);
        Ok(turn.unwrap_or_else(|| planned.promising(game, roots)))
    }

    /// Searches the turns, completes the reply and returns the number of the best among `roots`. Leaves one part in `others` of
    /// the time and the nodes unused; none if `others` is 0.
    fn search<P: PointSet>(
        &mut self,
        (game, past): (&GameHistory<P>, Vec<State<P>>),
        values: &dyn Probe<P>,
        roots: &mut [Root<P>],
        ((limits, begun), others): ((&SearchLimits<'_>, Instant), u32),
        (reply, info): (&mut Reply, &mut dyn FnMut(&SearchInfo)),
    ) -> Result<usize, EngineError> {
        self.table.age();
        let time = limits.time.map(|time| time.saturating_sub(time.checked_div(others).unwrap_or_default()));
        let stop_conditions = StopConditions {
            deadline: time.and_then(|time| begun.checked_add(time)),
            nodes: limits.nodes.map_or(u64::MAX, |nodes| nodes - nodes.checked_div(others.into()).unwrap_or_default()),
            stop: limits.stop,
        };
        let depth = limits.depth.map_or(MAX_DEPTH, |depth| i32::try_from(depth.max(1)).unwrap_or(MAX_DEPTH));
        let sight = limits.level.sight(limits.seed);
        let depth = depth.min(MAX_DEPTH).min(sight.depth);
        let reach = DeepeningLimits { first: 1, depth, lines: limits.lines.max(1), begun };
        let (start, how) = ((game, &past[..]), (limits.threads, reach, stop_conditions));
        let (found, nodes) = if limits.level.knows_tables() {
            threads::search(start, (values, sight), &self.table, roots, how, info)?
        } else {
            threads::search(start, (&NoValues, sight), &self.table, roots, how, info)?
        };
        reply.depth = found.depth;
        reply.nodes += nodes;
        if found.depth > 0 {
            reply.score = Some(found.score);
        }
        if is_known(found.score) && reply.known.bounds.exact().is_none() {
            let outcome = if found.score > 0 { Outcome::Win } else { Outcome::Loss };
            let known = Known { plies: plies_to_end(found.score), ..Known::new(outcome.into(), Source::Search) };
            (reply.how, reply.known) = (How::Search, ValueAnswer::new(Some(&known), game.to_move()));
        }
        // The best is the first. `roots` is never empty here: the game goes on.
        Ok(0)
    }
}

/// Whether a proof of a win is worth its time.
fn is_promising<P: PointSet>(state: &State<P>) -> bool {
    let (own, enemy) = (state.position.mover().count(), state.position.opponent().count());
    own >= enemy + PROMISING_LEAD || own + enemy <= FEW_STONES
}

/// Moves the turns that lead to one of these states to the front, and returns how many there are. If there are too many
/// turns for `roots`, perhaps none of those leads there; then all count.
fn move_to_front<P: PointSet>(roots: &mut [Root<P>], afters: &[State<P>]) -> usize {
    roots.sort_by_key(|root| !afters.contains(&root.after));
    let found = roots.iter().filter(|root| afters.contains(&root.after)).count();
    if found > 0 { found } else { roots.len() }
}

/// Keeps the turns of these texts; if none of them is legal, all.
fn restrict_to<P: PointSet>(roots: &mut Vec<Root<P>>, game: &GameHistory<P>, texts: &[String]) {
    let parse = |text: &String| parse_action(game.referee(), game.state(), text).ok();
    let afters: Vec<State<P>> = texts.iter().filter_map(parse).map(|parsed| parsed.after).collect();
    if roots.iter().any(|root| afters.contains(&root.after)) {
        roots.retain(|root| afters.contains(&root.after));
    }
}

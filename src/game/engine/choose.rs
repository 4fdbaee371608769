//! Chooses the computer's turn: by tables and proofs where they reach, by searches elsewhere; lower levels see less.

use std::panic::panic_any;
use std::time::Duration;

use web_time::Instant;

use crate::board::PointSet;
use crate::index::OutOfMemory;
use crate::knowledge::Knowledge;
use crate::report::ValueAnswer;
use crate::rules::Outcome;
use crate::table::{Known, NoValues, Probe, Source, TableError};

use super::super::any_board::Game;
use super::super::history::GameHistory;
use super::super::parse_action::parse_action;
use super::super::referee::State;
use super::advice::{Advice, Turns, advice};
use super::deepening::{DeepeningLimits, MAX_DEPTH, Root, SearchInfo, is_known, roots};
use super::evaluate::{KNOWN, plies_to_end};
use super::plan::{PlanGoal, WinningPlan};
use super::reply::{EngineError, How, Reply, SearchLimits};
use super::subject::{StopConditions, Subject};
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
        Self::with_entries(entries).unwrap_or_else(|refused| panic_any(refused))
    }

    /// As [`new`](Self::new), without a panic.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system has no memory for it.
    pub fn with_entries(entries: usize) -> Result<Self, OutOfMemory> {
        Ok(Self { table: TranspositionTable::new(entries)?, plan: WinningPlan::default() })
    }

    /// A player with a transposition table of this many bytes.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system has no memory for it.
    pub fn with_bytes(bytes: usize) -> Result<Self, OutOfMemory> {
        Self::with_entries(TranspositionTable::entries_in(bytes))
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
        let allowed = roots_among(game, limits.among);
        let all = allowed.is_empty();
        let (mut roots, complete) = if all { roots(game.referee(), game.state()) } else { (allowed, true) };
        // Equally good turns are chosen with equal probability.
        random.shuffle(&mut roots);
        let mut advice = advice(game, values, limits.level, &mut random)?;
        if !all {
            advice.restrict(|after| roots.iter().any(|root| root.after == *after));
        }
        // Other levels choose by a search, and may lose what is known.
        let advised = advice.known.as_ref().filter(|_| limits.level.is_perfect() || roots.len() == 1);
        let reply = Reply {
            text: String::new(),
            how: advised.map_or(How::Search, |known| (&known.source).into()),
            known: ValueAnswer::new(advised, game.to_move()),
            score: None,
            depth: 0,
            nodes: 0,
            ms: 0,
            offers_draw: advice.is_agreed_draw(),
        };
        let (table, plan) = (&mut self.table, &mut self.plan);
        let mut choice = Choice { table, plan, game, past, values, limits, info, begun, complete, reply };
        let number = if all && roots.len() == 1 {
            choice.reply.how = How::OnlyMove;
            0
        } else {
            choice.best(&mut roots, &advice)?
        };
        let text = roots[number].action.text(game.size());
        let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(Reply { text, ms, ..choice.reply })
    }
}

/// The choice of one turn.
struct Choice<'a, P: PointSet> {
    table: &'a mut TranspositionTable,
    plan: &'a mut WinningPlan,
    game: &'a GameHistory<P>,
    /// The states that count as repetitions, the present one last.
    past: Vec<State<P>>,
    values: &'a dyn Probe<P>,
    limits: &'a SearchLimits<'a>,
    info: &'a mut dyn FnMut(&SearchInfo),
    begun: Instant,
    /// Whether the turns that are searched are all there are.
    complete: bool,
    /// Filled in as the choice goes on.
    reply: Reply,
}

impl<P: PointSet> Choice<'_, P> {
    /// The turn to make, by its number among `roots`.
    fn best(&mut self, roots: &mut Vec<Root<P>>, advice: &Advice<P>) -> Result<usize, TableError> {
        let all = roots.len();
        let among = match &advice.turns {
            Turns::All => all,
            Turns::Best(after) => move_to_front(roots, std::slice::from_ref(after)),
            Turns::Winning(afters) | Turns::Holding(afters) => move_to_front(roots, afters),
        };
        let applies = self.limits.level.is_perfect() && self.game.tables_apply().apply;
        let may_win = applies && advice.bounds().most == Outcome::Win;
        match advice.turns {
            Turns::Winning(_) if among > 1 => {
                roots.truncate(among);
                self.progress(roots)
            }
            Turns::All if may_win && (is_promising(self.game.state()) || self.planned(roots).is_some()) => {
                self.win(roots, all, OPEN_SHARE)
            }
            Turns::Holding(_) if may_win => self.win(roots, among, HELD_SHARE),
            _ => {
                self.search(&mut roots[..among], None)?;
                Ok(0)
            }
        }
    }

    /// The turn of the plan, by its number among `roots`, if the present position is in the plan. A plan does not lead back to its own
    /// positions, but maybe to one that occurred before it was made.
    fn planned(&self, roots: &[Root<P>]) -> Option<usize> {
        self.plan.turn(self.game, roots).filter(|&turn| !self.game.is_drawn_by(&roots[turn].after))
    }

    /// When a search of so much time has to end.
    fn deadline(&self, time: Option<Duration>) -> Option<Instant> {
        self.begun.checked_add(time?)
    }

    /// Chooses a turn where there may be a win, by its number among `roots`: one that a plan proves, or else the best of the
    /// first `among` by a search. The last part in `share` of the time goes into the plan. A win that only the search shows is no
    /// reason to leave what is known: a plan is kept to the end, but another search may not find such a win again.
    fn win(&mut self, roots: &mut [Root<P>], among: usize, share: u32) -> Result<usize, TableError> {
        let mut turn = self.planned(roots);
        if turn.is_none() {
            self.search(&mut roots[..among], Some(share))?;
            if self.reply.known.bounds.exact() == Some(Outcome::Win) {
                return Ok(0);
            }
            let limits = self.limits;
            let part = limits.time.and_then(|time| Instant::now().checked_add(time / share));
            let until = StopConditions {
                deadline: [self.deadline(limits.time), part].into_iter().flatten().min(),
                nodes: match (limits.nodes, limits.time) {
                    (Some(nodes), _) => nodes.saturating_sub(self.reply.nodes).min(nodes / u64::from(share)),
                    (None, Some(_)) => u64::MAX,
                    (None, None) => self.reply.nodes / NODES_FOR_ONE,
                },
                stop: limits.stop,
            };
            let planned = self.plan.search(self.game, PlanGoal::Win, self.values, &until)?;
            self.reply.nodes += planned.nodes;
            turn = self.planned(roots).filter(|_| planned.found);
        }
        if turn.is_some() {
            self.found(&Known::new(Outcome::Win.into(), Source::Search));
        }
        Ok(turn.unwrap_or_default())
    }

    /// The turn that makes progress, by its number among `roots`, all of which win at unknown depths: that of a plan.
    ///
    /// While there is no plan, only the turns count whose positions have occurred least often in the game. So play ends
    /// whatever the searches find: if it did not, some positions would come up again and again, one of them the nearest
    /// to the end; all its turns would be made again and again, the best among them, and lead still nearer to the end.
    fn progress(&mut self, roots: &mut Vec<Root<P>>) -> Result<usize, TableError> {
        let (game, limits) = (self.game, self.limits);
        let seen = |root: &Root<P>| game.occurrences(&root.after);
        let repetition = game.referee().rules().repetition;
        if let Some(kept) = self.planned(roots).filter(|&kept| !repetition || seen(&roots[kept]) == 0) {
            return Ok(kept);
        }
        let least = roots.iter().map(seen).min();
        roots.retain(|root| Some(seen(root)) == least);
        let until = StopConditions {
            deadline: self.deadline(limits.time),
            nodes: limits.nodes.unwrap_or(if limits.time.is_some() { u64::MAX } else { PLAN_NODES }),
            stop: limits.stop,
        };
        let planned = self.plan.search(game, PlanGoal::Progress, self.values, &until)?;
        self.reply.nodes = planned.nodes;
        let turn = self.planned(roots).filter(|_| planned.found);
        Ok(turn.unwrap_or_else(|| planned.promising(game, roots)))
    }

    /// Searches the turns, completes the reply and moves the best to the front. Leaves one part in `reserve` of the time and
    /// the nodes unused. A single turn is searched only if the limits name it and its value is unknown.
    fn search(&mut self, roots: &mut [Root<P>], reserve: Option<u32>) -> Result<(), TableError> {
        let limits = self.limits;
        if roots.len() == 1 && (limits.among.is_empty() || self.reply.known.bounds.exact().is_some()) {
            return Ok(());
        }
        self.table.age();
        let time = limits.time.map(|time| reserve.map_or(time, |parts| time.saturating_sub(time / parts)));
        let nodes = limits.nodes.map(|nodes| reserve.map_or(nodes, |parts| nodes - nodes / u64::from(parts)));
        let stop_conditions =
            StopConditions { deadline: self.deadline(time), nodes: nodes.unwrap_or(u64::MAX), stop: limits.stop };
        let depth = limits.depth.map_or(MAX_DEPTH, |depth| i32::try_from(depth.max(1)).unwrap_or(MAX_DEPTH));
        let sight = limits.level.sight(limits.seed);
        let depth = depth.min(MAX_DEPTH).min(sight.depth);
        let deepening = DeepeningLimits { first: 1, depth, lines: limits.lines.max(1), begun: self.begun };
        let values = if limits.level.knows_tables() { self.values } else { &NoValues };
        let subject = Subject { game: self.game, past: &self.past, values, sight, table: self.table };
        let (found, nodes) = threads::search(subject, roots, limits.threads, deepening, stop_conditions, self.info)?;
        self.reply.depth = found.depth;
        self.reply.nodes += nodes;
        // A turn that is not searched may be better than losses.
        let score = if self.complete { found.score } else { found.score.max(-KNOWN) };
        if found.depth > 0 {
            self.reply.score = Some(score);
        }
        if is_known(score) && self.reply.known.bounds.exact().is_none() {
            let outcome = if score > 0 { Outcome::Win } else { Outcome::Loss };
            let plies = plies_to_end(score);
            self.found(&Known { plies, ..Known::new(outcome.into(), Source::Search) });
        }
        Ok(())
    }

    /// Puts what a search has found into the reply.
    fn found(&mut self, known: &Known) {
        self.reply.how = How::Search;
        self.reply.known = ValueAnswer::new(Some(known), self.game.to_move());
    }
}

/// Whether a proof of a win is worth its time.
fn is_promising<P: PointSet>(state: &State<P>) -> bool {
    let (own, enemy) = (state.position.mover().count(), state.position.opponent().count());
    own >= enemy + PROMISING_LEAD || own + enemy <= FEW_STONES
}

/// Moves the turns that lead to one of these states to the front, and returns how many there are.
fn move_to_front<P: PointSet>(roots: &mut [Root<P>], afters: &[State<P>]) -> usize {
    roots.sort_by_key(|root| !afters.contains(&root.after));
    roots.iter().filter(|root| afters.contains(&root.after)).count().max(1)
}

/// The legal turns among these texts, one for each state they lead to.
fn roots_among<P: PointSet>(game: &GameHistory<P>, texts: &[String]) -> Vec<Root<P>> {
    let mut roots: Vec<Root<P>> = Vec::new();
    for parsed in texts.iter().filter_map(|text| parse_action(game.referee(), game.state(), text).ok()) {
        if roots.iter().all(|root| root.after != parsed.after) {
            roots.push(Root { action: parsed.action, after: parsed.after, score: 0 });
        }
    }
    roots
}

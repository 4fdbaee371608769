//! Winning plans: sets of won positions with a reply for each, found by short proof-number searches.
//!
//! A plan is a closed set of positions, won for the side to move, whose replies lead to its goal whatever the other side does.
//! Each position has a rank, which falls with each own turn, so a plan ends.
//!
//! Where tables have values and no depths, all winning turns look alike. The goal is then a won position with fewer stones.
//! Stones never come back, so there are only so many such plans in a game. Elsewhere the goal is what tables, proofs or the rules
//! call a win: the search may prove one where nothing is known.

use std::sync::atomic::Ordering;

use web_time::Instant;

use crate::board::{Board, BoardSize, MAX_POINTS, PointSet};
use crate::rules::{Bounds, Outcome, RuleSet, Rules};
use crate::search::{
    Canonical, ClosedSet, Control, Memory, Mirror, Repairs, SearchOptions, SolveError, Solver, Tuning,
};
use crate::table::{Probe, TableError};

use super::super::history::GameHistory;
use super::deepening::Root;
use super::subject::StopConditions;

/// Bytes for the table of a search.
const MEMORY: u64 = 32 << 20;

/// The most nodes of a search; its table has entries for more.
const MAX_NODES: u64 = 1 << 20;

/// Nodes between two looks at the clock: some milliseconds.
const NODES_AT_ONCE: u64 = 512;

/// What a plan leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanGoal {
    /// A win, from a position of unknown value.
    Win,
    /// Fewer stones in a won position, from a won position.
    Progress,
}

/// What a search is for: the board, the rules, and which positions are goals, as in `open` of [`Leaves`].
type Purpose = (BoardSize, RuleSet, usize);

/// A plan, empty at first, and the search, which continues if it has not found one.
#[derive(Default)]
pub struct WinningPlan {
    board: Option<(BoardSize, RuleSet)>,
    replies: ClosedSet,
    search: Option<(Purpose, Memory)>,
}

/// The result of a search for a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct Planned {
    /// Whether there is a plan for the position now.
    pub found: bool,
    /// The position after the turn that looks nearest to a plan, if there is none.
    promising: Option<Canonical>,
    /// Positions searched.
    pub nodes: u64,
}

impl Planned {
    /// The turn that looks nearest to a plan, by its number among `roots`; the first if none does.
    pub fn promising<P: PointSet>(self, game: &GameHistory<P>, roots: &[Root<P>]) -> usize {
        self.promising.and_then(|after| turn_to(game, roots, after)).unwrap_or_default()
    }
}

impl WinningPlan {
    /// The turn of the plan, by its number among `roots`, if the present position is in the plan.
    pub fn turn<P: PointSet>(&self, game: &GameHistory<P>, roots: &[Root<P>]) -> Option<usize> {
        let rules = game.referee().board_rules();
        if self.board != Some((game.size(), rules.rule_set())) {
            return None;
        }
        let position = game.state().position;
        let here = mirror(rules)?.canonical(position.mover().low(), position.opponent().low());
        turn_to(game, roots, self.replies.get(&here)?.reply?)
    }

    /// Searches for a plan for the present position, and keeps it instead of the one before.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    pub fn search<P: PointSet>(
        &mut self,
        game: &GameHistory<P>,
        goal: PlanGoal,
        values: &dyn Probe<P>,
        until: &StopConditions<'_>,
    ) -> Result<Planned, TableError> {
        let (rules, state) = (game.referee().board_rules(), game.state());
        let Some(narrow) = narrow(rules) else { return Ok(Planned::default()) };
        let open = if goal == PlanGoal::Progress { state.stones() } else { usize::MAX };
        let leaves = Leaves { values, open };
        let options = SearchOptions { memory: MEMORY, threads: 1, tuning: Tuning::default() };
        // Without memory for a search there is no plan.
        let Ok(mut solver) = Solver::new(&narrow, &leaves, options) else { return Ok(Planned::default()) };
        let purpose = (game.size(), rules.rule_set(), open);
        if let Some((_, memory)) = self.search.take().filter(|(last, _)| *last == purpose) {
            solver = solver.with_memory(memory);
        }
        let most = until.nodes.min(MAX_NODES);
        let stopped = |nodes: u64| {
            nodes >= most
                || until.stop.load(Ordering::Relaxed)
                || until.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        };
        let root = (state.position.mover().low(), state.position.opponent().low());
        let mut wins = None;
        while wins.is_none() && !stopped(solver.nodes()) {
            wins = solver.attacker_wins_within(root, true, NODES_AT_ONCE.min(most - solver.nodes()))?;
        }
        let mut planned = Planned::default();
        if wins == Some(true) {
            let (none, mut repairs) = (ClosedSet::new(), Repairs::default());
            let go_on = |nodes| if stopped(nodes) { Control::Stop } else { Control::Continue };
            let replies =
                solver.extract(&none, &[root], true, options.tuning.repair, &mut repairs, &mut |_, _, progress| {
                    go_on(progress.nodes)
                });
            match replies {
                Ok(Some(replies)) => {
                    planned.found = true;
                    (self.board, self.replies) = (Some((game.size(), rules.rule_set())), replies);
                }
                Err(SolveError::Table(error)) => return Err(error),
                Ok(None) | Err(_) => {}
            }
        }
        planned.promising = solver.most_promising(root);
        planned.nodes = solver.nodes();
        self.search = Some((purpose, solver.into_memory()));
        Ok(planned)
    }
}

/// The turn that leads to a position, by its number among `roots`.
fn turn_to<P: PointSet>(game: &GameHistory<P>, roots: &[Root<P>], after: Canonical) -> Option<usize> {
    let mirror = mirror(game.referee().board_rules())?;
    roots.iter().position(|root| {
        let position = root.after.position;
        mirror.canonical(position.mover().low(), position.opponent().low()) == after
    })
}

/// The rules for a board whose points fit 64 bits, or `None` for a larger one.
fn narrow<P: PointSet>(rules: &Rules<P>) -> Option<Rules<u64>> {
    let (size, rules) = (rules.board().size(), rules.rule_set());
    (size.points() <= MAX_POINTS).then(|| Rules::new(Board::new(size, rules.diagonals), rules))
}

/// The symmetries of such a board.
fn mirror<P: PointSet>(rules: &Rules<P>) -> Option<Mirror> {
    let size = rules.board().size();
    (size.points() <= MAX_POINTS).then(|| Mirror::new(size))
}

/// Values as leaves of a search. For positions with `open` stones they only say which side does not lose: such a position is
/// no goal, and one that the attacker does not win is ruled out.
struct Leaves<'a, P> {
    values: &'a dyn Probe<P>,
    open: usize,
}

impl<P: PointSet> Probe for Leaves<'_, P> {
    fn stones(&self) -> usize {
        usize::MAX
    }

    fn probe(&self, mover: u64, opponent: u64) -> Result<Bounds, TableError> {
        let stones = mover.count() + opponent.count();
        let bounds = if stones <= self.values.stones() {
            self.values.probe(mover.into(), opponent.into())?
        } else {
            self.values.look_up(mover.into(), opponent.into())?.map_or(Bounds::UNKNOWN, |known| known.bounds)
        };
        if stones != self.open {
            return Ok(bounds);
        }
        Ok(Bounds { least: bounds.least.min(Outcome::Draw), most: bounds.most.max(Outcome::Draw) })
    }
}

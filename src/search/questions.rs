//! The questions that make up a value: can White force a win, can Black, and the same after each move.

use std::collections::HashSet;
use std::time::Duration;

use web_time::Instant;

use crate::knowledge::Proofs;
use crate::rules::{Position, Side, Turn, Value, turn_text};

use super::canonical::Mirror;
use super::checkpoint::{CheckpointError, SearchTotals};
use super::dfpn::{Budget, is_over};
use super::error::SolveError;
use super::extract::MORE;
use super::progress::{Control, Progress};
use super::solution::{Answer, MoveValue, Questions, Solution, SolveScope};
use super::solver::Solver;

/// What a solve is doing, or has found out. Searches report their progress about ten times a second.
#[derive(Debug)]
pub enum SolveEvent<'a> {
    /// The certificates of the database: those it uses, and those it does not.
    Proofs(&'a Proofs),
    /// It continues from a checkpoint, after this much work.
    Resumed(SearchTotals),
    /// It searches whether that side can force a win: in the position, or after a turn in it.
    Searching {
        /// The side.
        side: Side,
        /// The turn.
        turn: Option<&'a Turn>,
        /// How far the search is.
        progress: &'a Progress<'a>,
    },
    /// It closes the set that proves an answer.
    Closing {
        /// Positions that have a reply.
        done: u64,
        /// Positions that need one.
        waiting: u64,
        /// How far the search is.
        progress: &'a Progress<'a>,
    },
    /// The questions about the position itself are answered, or have reached the limit. If its moves are in scope, they are next; if the value
    /// is exact, the certificate so far is then written where there is one.
    Answered(&'a Solution),
    /// The questions about a move are answered, or have reached the limit.
    Move(&'a MoveValue),
    /// The state could not be saved. The solve goes on and tries again; this is reported once, until it succeeds.
    NotSaved(&'a CheckpointError),
    /// The state was saved to the checkpoint, since the solve ends before all is answered.
    Saved,
}

/// An observer of a solve, which stops it by returning [`Control::Stop`]. What it returns for [`SolveEvent::Saved`] and
/// [`SolveEvent::NotSaved`] is ignored, and for [`SolveEvent::Answered`] if no moves are in scope.
pub type OnEvent<'o> = dyn FnMut(&SolveEvent<'_>) -> Control + 'o;

/// The least time limit for closing a set.
const MIN_CLOSING_TIME: Duration = Duration::from_secs(10);

/// How long a question may take.
#[derive(Clone, Copy)]
struct Limits {
    /// To be answered.
    answer: Option<Duration>,
    /// To have the set of an answer closed.
    set: Option<Duration>,
    /// When all ends.
    end: Option<Instant>,
}

impl Limits {
    /// When something that began at `start` and has this limit is given up.
    fn until(self, limit: Option<Duration>, start: Instant) -> Option<Instant> {
        let limit = limit.and_then(|limit| start.checked_add(limit));
        limit.into_iter().chain(self.end).min()
    }
}

impl Solver<'_> {
    /// Solves a position as far as `scope` says, with the sets that prove each answer. `limit` is the time limit for each
    /// question. An answer found by then is dropped if its sets take as long again to close, all that are tried together, or ten
    /// seconds if that is more; in any case at the [end](Self::end_at).
    ///
    /// # Errors
    /// [`SolveError`]. What was found before an interruption stays in the solver's table.
    pub fn solve(
        &mut self,
        position: Position<u64>,
        scope: SolveScope,
        limit: Option<Duration>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<Solution, SolveError> {
        let set = limit.map(|limit| limit.max(MIN_CLOSING_TIME));
        let limits = Limits { answer: limit, set, end: self.end() };
        let mut asking = Asking { solver: self, solution: Solution::open(position), limits, on_event };
        asking.ask_position(scope)?;
        let control = (asking.on_event)(&SolveEvent::Answered(&asking.solution));
        if scope.moves {
            control.check()?;
            asking.ask_moves(scope)?;
            // The moves may have answered what was open before; that is found at once.
            asking.limits.answer = limit.map(|_| Duration::ZERO);
            asking.ask_position(scope)?;
        }
        Ok(asking.solution)
    }
}

/// The questions of one solve.
struct Asking<'q, 'a> {
    solver: &'q mut Solver<'a>,
    solution: Solution,
    limits: Limits,
    on_event: &'q mut OnEvent<'q>,
}

impl Asking<'_, '_> {
    /// Asks the open questions about the position itself.
    fn ask_position(&mut self, scope: SolveScope) -> Result<(), SolveError> {
        let position = self.solution.position;
        for side in [position.to_move, position.to_move.other()] {
            let is_known = self.solution.answer(side).wins.is_some();
            if is_known || !self.is_asked(scope, &position, side)? {
                continue;
            }
            let asked = self.ask(position, side, None)?;
            let answer = self.solution.answer_mut(side);
            answer.seconds += asked.seconds;
            answer.nodes += asked.nodes;
            answer.wins = asked.wins;
            // One side's win is the other's defeat.
            if asked.wins == Some(true) {
                self.solution.answer_mut(side.other()).wins = Some(false);
            }
        }
        let Questions { white_wins, black_wins } = self.solution.questions;
        self.solution.value = Value::of(white_wins.wins, black_wins.wins);
        Ok(())
    }

    /// Whether to ask whether a side can force a win in a position: because it is in scope, or takes no search.
    fn is_asked(&self, scope: SolveScope, position: &Position<u64>, side: Side) -> Result<bool, SolveError> {
        Ok(scope.asks(side) || self.solver.is_settled(position, side)?)
    }

    /// Asks the questions about the position after each move that its own value leaves open.
    fn ask_moves(&mut self, scope: SolveScope) -> Result<(), SolveError> {
        let position = self.solution.position;
        let mover = position.to_move;
        let (wins, loses) = (self.solution.answer(mover).wins, self.solution.answer(mover.other()).wins);
        for (turn, after) in self.distinct_moves() {
            let mut ask = |side| -> Result<_, SolveError> {
                let is_asked = self.is_asked(scope, &after, side)?;
                if is_asked { Ok(self.ask(after, side, Some(&turn))?.wins) } else { Ok(None) }
            };
            // No move is better than the position.
            let won = if wins == Some(false) { Some(false) } else { ask(mover)? };
            let lost = match (won, loses) {
                (Some(true), _) => Some(false),
                (_, Some(true)) => Some(true),
                _ => ask(mover.other())?,
            };
            let value = match mover {
                Side::White => Value::of(won, lost),
                Side::Black => Value::of(lost, won),
            };
            let entry = MoveValue { text: turn_text(self.solver.rules().board().size(), &turn), after, value };
            let control = (self.on_event)(&SolveEvent::Move(&entry));
            self.solution.moves.push(entry);
            control.check()?;
        }
        Ok(())
    }

    /// The moves of the position, the first of those that are symmetric to each other.
    fn distinct_moves(&self) -> Vec<(Turn, Position<u64>)> {
        let rules = self.solver.rules();
        let mirror = Mirror::new(rules.board().size());
        let mut seen = HashSet::new();
        let mut moves = rules.turns(&self.solution.position);
        moves.retain(|(_, after)| seen.insert(mirror.canonical(after.mover(), after.opponent())));
        moves
    }

    /// Asks a question about the position, or about the one after a turn. A search that continues from a checkpoint and a fresh one
    /// take turns, until one of them has the answer or there is no more time.
    fn ask(&mut self, position: Position<u64>, side: Side, turn: Option<&Turn>) -> Result<Answer, SolveError> {
        let mut asked = Asked {
            position,
            side,
            turn,
            start: Instant::now(),
            answer: Answer::default(),
            closing: Duration::ZERO,
            positions: 0,
        };
        let mut max_nodes = [self.solver.tuning().repair; 2];
        let mut is_late = false;
        loop {
            let began = self.solver.nodes();
            let found = self.solver.found();
            let stint = if is_late { found.last_stint() } else { found.next_stint() };
            let continues = found.continues();
            *self.solver.budget() = Budget { nodes: began.saturating_add(stint), until: None };
            asked.positions = 0;
            let ended = self.ask_within(&mut asked, &mut max_nodes[usize::from(continues)]);
            *self.solver.budget() = Budget::ENDLESS;
            let done = self.solver.nodes() - began + asked.positions;
            self.solver.found().end_stint(done);
            match ended? {
                Ended::Answered(wins) => return Ok(Answer { wins: Some(wins), ..asked.answer }),
                Ended::GivenUp if continues => return Ok(asked.answer),
                ended => is_late = matches!(ended, Ended::GivenUp),
            }
        }
    }

    /// Asks a question within the budget, and at once closes the set that proves the answer, while the table still has all that
    /// it is drawn from. If the set does not close, the question is asked again.
    fn ask_within(&mut self, asked: &mut Asked<'_>, max_nodes: &mut u64) -> Result<Ended, SolveError> {
        let Asked { position, side, .. } = *asked;
        loop {
            let wins = match self.search(asked)? {
                Ended::Answered(wins) => wins,
                ended => return Ok(ended),
            };
            let holder = if wins { side } else { side.other() };
            if let Some(ended) = self.close(asked, holder, wins, *max_nodes)? {
                return Ok(ended);
            }
            self.solver.reopen((position.mover(), position.opponent()), side == position.to_move);
            *max_nodes = max_nodes.saturating_mul(MORE);
            self.solution.asked_again += 1;
        }
    }

    /// The answer to a question.
    fn search(&mut self, asked: &mut Asked<'_>) -> Result<Ended, SolveError> {
        let Asked { position, side, turn, start, .. } = *asked;
        let (asked_at, before) = (Instant::now(), self.solver.nodes());
        let until = self.limits.until(self.limits.answer, start);
        let (mut given_up, mut control) = (false, Control::Continue);
        let sides = (position.mover(), position.opponent());
        let answer = self.solver.attacker_wins(sides, side == position.to_move, &mut |progress| {
            given_up = is_over(until);
            if given_up {
                return Control::Stop;
            }
            control = (self.on_event)(&SolveEvent::Searching { side, turn, progress });
            control
        });
        asked.answer.nodes += self.solver.nodes() - before;
        asked.answer.seconds += asked_at.elapsed().as_secs_f64();
        let done = self.solver.nodes().saturating_add(asked.positions);
        match answer {
            Err(SolveError::Stopped) => stopped(control, given_up, self.solver.budget().is_spent(done)),
            answer => answer.map(Ended::Answered),
        }
    }

    /// Adds to a closed set what shows that `holder` wins in a position, or does not lose. `None` if that turned out to be wrong, or
    /// to rest on nothing.
    fn close(
        &mut self,
        asked: &mut Asked<'_>,
        holder: Side,
        wins: bool,
        max_nodes: u64,
    ) -> Result<Option<Ended>, SolveError> {
        let (start, positions) = (Instant::now(), &mut asked.positions);
        let (earlier, mut control) = (*positions, Control::Continue);
        let seeds = self.seeds(asked.position, holder);
        let until = self.limits.until(self.limits.set.map(|set| set.saturating_sub(asked.closing)), start);
        self.solver.budget().until = until;
        let budget = *self.solver.budget();
        let Solution { won, safe, repairs, extraction_seconds, .. } = &mut self.solution;
        let set = if wins { won } else { safe };
        let before = set.len() as u64;
        let added = self.solver.extract(set, &seeds, wins, max_nodes, repairs, &mut |done, waiting, progress| {
            *positions = (earlier + done.saturating_sub(before)).max(*positions);
            if budget.is_spent(progress.nodes.saturating_add(*positions)) {
                return Control::Stop;
            }
            control = (self.on_event)(&SolveEvent::Closing { done, waiting, progress });
            control
        });
        self.solver.budget().until = None;
        asked.closing += start.elapsed();
        *extraction_seconds += start.elapsed().as_secs_f64();
        match added {
            Err(SolveError::Stopped) => {
                let done = self.solver.nodes().saturating_add(*positions);
                stopped(control, is_over(until), budget.is_spent(done)).map(Some)
            }
            Err(error) => Err(error),
            Ok(None) => Ok(None),
            Ok(Some(added)) => {
                set.extend(added);
                Ok(Some(Ended::Answered(wins)))
            }
        }
    }

    /// The positions with `side` to move that have to be in a set to show something for `side` in `position`: itself, or what
    /// comes after each turn of the other side.
    fn seeds(&self, position: Position<u64>, side: Side) -> Vec<(u64, u64)> {
        let (mover, opponent) = (position.mover(), position.opponent());
        if mover == 0 || opponent == 0 {
            Vec::new()
        } else if position.to_move == side {
            vec![(mover, opponent)]
        } else {
            let after = self.solver.rules().successors(mover, opponent);
            after.iter().map(|after| (after.next, after.moved)).collect()
        }
    }
}

/// A question that is asked, by one stint after another.
struct Asked<'t> {
    position: Position<u64>,
    /// Whether that side wins.
    side: Side,
    /// The turn that leads to the position.
    turn: Option<&'t Turn>,
    start: Instant,
    /// What the search for the answer has taken.
    answer: Answer,
    /// What closing sets has taken.
    closing: Duration,
    /// Positions of sets in this stint. They count as nodes.
    positions: u64,
}

/// How asking a question ended.
enum Ended {
    /// The side wins, or does not.
    Answered(bool),
    /// It took longer than the limit.
    GivenUp,
    /// The nodes of its stint were used up.
    Spent,
}

/// How a question ended that was stopped, unless the caller stopped it.
fn stopped(control: Control, given_up: bool, spent: bool) -> Result<Ended, SolveError> {
    match control {
        Control::Continue if given_up => Ok(Ended::GivenUp),
        Control::Continue if spent => Ok(Ended::Spent),
        _ => Err(SolveError::Stopped),
    }
}

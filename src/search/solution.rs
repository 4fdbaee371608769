//! The value of a position and of each of its moves, with the sets that prove them.

use std::fmt;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::rules::{Position, Side, Turn};

use super::Probe;
use super::extract::{self, Closed, Repairs};
use super::mirror::Mirror;
use super::solver::{Progress, SolveError, Solver, Wish};

/// Who wins under best play, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// White.
    White,
    /// Black.
    Black,
    /// Nobody.
    Draw,
    /// Not Black; whether White does is open.
    #[serde(rename = "white does not lose")]
    WhiteHolds,
    /// Not White; whether Black does is open.
    #[serde(rename = "black does not lose")]
    BlackHolds,
    /// Nothing is known.
    Unknown,
}

impl Value {
    /// The value by the answers to the two questions, as far as there are any.
    #[must_use]
    pub fn of(white_wins: Option<bool>, black_wins: Option<bool>) -> Self {
        match (white_wins, black_wins) {
            (Some(true), _) => Self::White,
            (_, Some(true)) => Self::Black,
            (Some(false), Some(false)) => Self::Draw,
            (None, Some(false)) => Self::WhiteHolds,
            (Some(false), None) => Self::BlackHolds,
            (None, None) => Self::Unknown,
        }
    }

    /// What it says about a side: whether that side wins, or at least that it does not lose. None if it says neither.
    #[must_use]
    pub fn holds_for(self, side: Side) -> Option<Holds> {
        match (self, side) {
            (Self::White, Side::White) | (Self::Black, Side::Black) => Some(Holds::Wins),
            (Self::Draw, _) | (Self::WhiteHolds, Side::White) | (Self::BlackHolds, Side::Black) => {
                Some(Holds::NeverLoses)
            }
            _ => None,
        }
    }

    /// Whether nothing is left open.
    #[must_use]
    pub fn is_exact(self) -> bool {
        matches!(self, Self::White | Self::Black | Self::Draw)
    }
}

/// What a side can count on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A win.
    Wins,
    /// A draw at least.
    NeverLoses,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::White => "White wins",
            Self::Black => "Black wins",
            Self::Draw => "draw",
            Self::WhiteHolds => "White does not lose",
            Self::BlackHolds => "Black does not lose",
            Self::Unknown => "unknown",
        })
    }
}

/// The answer to a question about the position, and what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer {
    /// Whether the side in question can force a win; None if the question was given up.
    pub wins: Option<bool>,
    /// Positions expanded.
    pub nodes: u64,
    /// Seconds.
    pub seconds: f64,
}

/// A move, and what it leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The turn.
    pub turn: Turn,
    /// The position after it.
    pub after: Position<u64>,
    /// Its value.
    pub value: Value,
}

/// Everything that was found out about a position.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The position.
    pub position: Position<u64>,
    /// Its value.
    pub value: Value,
    /// Whether White can force a win.
    pub white_wins: Answer,
    /// Whether Black can.
    pub black_wins: Answer,
    /// Each of its moves, but only one of those that are symmetric to each other. None if they were not asked for.
    pub moves: Vec<Effect>,
    /// Positions that their mover does not lose.
    pub safe: Closed,
    /// Positions that their mover wins.
    pub won: Closed,
    /// What it took to draw the sets from the search's memory.
    pub repairs: Repairs,
    /// How often a question had to be asked again because a disproof could not be closed.
    pub asked_again: u64,
    /// Seconds that the sets took.
    pub extraction_seconds: f64,
}

/// What a solve is at.
pub enum Stage<'a, 'b> {
    /// The question whether that side wins: the position itself, or what comes after that move of it.
    Asking(Side, Option<&'a Turn>, &'a Progress<'b>),
    /// Sets are being closed: so many positions have a reply, so many wait for one.
    Closing(u64, u64, &'a Progress<'b>),
    /// All is known of the position itself; each of its moves is next.
    Settled(&'a Solution),
}

/// Observers of a solve.
type Observer<'o> = dyn FnMut(Stage<'_, '_>) -> Wish + 'o;

/// How far to go.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Only whether that side wins. The moves are left out then.
    pub only: Option<Side>,
    /// Each of the position's moves too.
    pub with_moves: bool,
    /// A question is given up after so long. If it has an answer by then, that is given up where its set takes as long again to
    /// close, or ten seconds if that is more. What was found out stays in the solver's table.
    pub limit: Option<Duration>,
}

impl Extent {
    /// Whether it is asked if that side wins.
    #[must_use]
    pub fn asks(&self, side: Side) -> bool {
        self.only.is_none_or(|only| only == side)
    }
}

/// The time that closing a set has at least.
const CLOSING: Duration = Duration::from_secs(10);

/// How long a question may take.
#[derive(Clone, Copy)]
struct Limits {
    /// To be answered.
    answer: Option<Duration>,
    /// To have the set of an answer closed.
    set: Option<Duration>,
}

/// Solves a position, and each of its moves, as far as `extent` says.
///
/// # Errors
/// [`SolveError`]. What was found before an interruption stays in the solver's table.
pub fn solve<P: Probe>(
    solver: &mut Solver<'_, P>,
    position: Position<u64>,
    extent: Extent,
    observe: &mut Observer<'_>,
) -> Result<Solution, SolveError> {
    let mut solution = Solution {
        position,
        value: Value::Draw,
        white_wins: Answer::default(),
        black_wins: Answer::default(),
        moves: Vec::new(),
        safe: Closed::new(),
        won: Closed::new(),
        repairs: Repairs::default(),
        asked_again: 0,
        extraction_seconds: 0.0,
    };
    solution.ask(solver, extent, observe)?;
    Ok(solution)
}

impl Solution {
    fn ask<P: Probe>(
        &mut self,
        solver: &mut Solver<'_, P>,
        extent: Extent,
        observe: &mut Observer<'_>,
    ) -> Result<(), SolveError> {
        let limits = Limits { answer: extent.limit, set: extent.limit.map(|limit| limit.max(CLOSING)) };
        self.ask_position(solver, extent, limits, observe)?;
        if !extent.with_moves || extent.only.is_some() {
            return Ok(());
        }
        if self.value.is_exact() && observe(Stage::Settled(self)) == Wish::Stop {
            return Err(SolveError::Stopped);
        }
        let mover = self.position.to_move;
        let (wins, loses) = (self.answer(mover).wins, self.answer(mover.other()).wins);
        for (turn, after) in distinct_moves(solver, self.position) {
            let mut ask =
                |side| self.prove(solver, after, side, Some(&turn), limits, observe).map(|answer| answer.wins);
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
            self.moves.push(Effect { turn, after, value });
        }
        // The moves may have told what was given up before; that is found at once.
        self.ask_position(solver, extent, Limits { answer: extent.limit.map(|_| Duration::ZERO), ..limits }, observe)
    }

    /// Asks the questions about the position itself that are open.
    fn ask_position<P: Probe>(
        &mut self,
        solver: &mut Solver<'_, P>,
        extent: Extent,
        limits: Limits,
        observe: &mut Observer<'_>,
    ) -> Result<(), SolveError> {
        let mover = self.position.to_move;
        for side in [mover, mover.other()] {
            if !extent.asks(side) || self.answer(side).wins.is_some() {
                continue;
            }
            let asked = self.prove(solver, self.position, side, None, limits, observe)?;
            let answer = self.answer_mut(side);
            answer.seconds += asked.seconds;
            answer.nodes += asked.nodes;
            answer.wins = asked.wins;
            // One side's win is the other's defeat.
            if asked.wins == Some(true) {
                self.answer_mut(side.other()).wins = Some(false);
            }
        }
        self.value = Value::of(self.white_wins.wins, self.black_wins.wins);
        Ok(())
    }

    /// The answer to the question whether a side wins.
    #[must_use]
    pub fn answer(&self, side: Side) -> Answer {
        match side {
            Side::White => self.white_wins,
            Side::Black => self.black_wins,
        }
    }

    fn answer_mut(&mut self, side: Side) -> &mut Answer {
        match side {
            Side::White => &mut self.white_wins,
            Side::Black => &mut self.black_wins,
        }
    }

    /// Whether nothing is left open of the position, nor of those of its moves that were asked for.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.value.is_exact() && self.moves.iter().all(|effect| effect.value.is_exact())
    }

    /// Asks a question about the position, or about what comes after a turn, and closes the set that proves the answer while the
    /// search remembers all that it is drawn from. Where that cannot be done the question is asked again.
    fn prove<P: Probe>(
        &mut self,
        solver: &mut Solver<'_, P>,
        position: Position<u64>,
        side: Side,
        turn: Option<&Turn>,
        limits: Limits,
        observe: &mut Observer<'_>,
    ) -> Result<Answer, SolveError> {
        let start = Instant::now();
        let mut patience = solver.tuning().repair;
        let mut answer = Answer::default();
        loop {
            let left = limits.answer.map(|limit| limit.saturating_sub(start.elapsed()));
            let (asked_at, before) = (Instant::now(), solver.nodes());
            let wins = asked(solver, position, side, turn, left, observe)?;
            answer.nodes += solver.nodes() - before;
            answer.seconds += asked_at.elapsed().as_secs_f64();
            let Some(wins) = wins else { return Ok(answer) };
            let holder = if wins { side } else { side.other() };
            let closing_at = Instant::now();
            let mut given_up = false;
            let closed = self.close(solver, position, holder, wins, patience, &mut |done, waiting, progress| {
                given_up = limits.set.is_some_and(|limit| closing_at.elapsed() >= limit);
                if given_up { Wish::Stop } else { observe(Stage::Closing(done, waiting, progress)) }
            });
            self.extraction_seconds += closing_at.elapsed().as_secs_f64();
            let closed = match closed {
                Err(SolveError::Stopped) if given_up => return Ok(answer),
                closed => closed?,
            };
            if closed {
                return Ok(Answer { wins: Some(wins), ..answer });
            }
            solver.doubt((position.mover(), position.opponent()), side == position.to_move);
            patience = patience.saturating_mul(4);
            self.asked_again += 1;
        }
    }

    /// Adds to a closed set what shows that `holder` wins in a position, or does not lose; false if the answer turned out to be
    /// wrong, or to rest on nothing.
    fn close<P: Probe>(
        &mut self,
        solver: &mut Solver<'_, P>,
        position: Position<u64>,
        holder: Side,
        wins: bool,
        patience: u64,
        observe: &mut extract::Observer<'_>,
    ) -> Result<bool, SolveError> {
        let seeds = seeds(solver, position, holder);
        let set = if wins { &mut self.won } else { &mut self.safe };
        let added = solver.extract(set, &seeds, wins, patience, &mut self.repairs, observe)?;
        set.extend(added.iter().flatten());
        Ok(added.is_some())
    }
}

/// The positions with `side` to move that have to be in a set to show something for `side` in `position`: itself, or what
/// comes after each turn of the other side.
fn seeds<P: Probe>(solver: &Solver<'_, P>, position: Position<u64>, side: Side) -> Vec<(u64, u64)> {
    let (mover, opponent) = (position.mover(), position.opponent());
    if mover == 0 || opponent == 0 {
        Vec::new()
    } else if position.to_move == side {
        vec![(mover, opponent)]
    } else {
        solver.game().successors(mover, opponent).iter().map(|after| (after.next, after.moved)).collect()
    }
}

/// The answer to a question, or None if it was given up.
fn asked<P: Probe>(
    solver: &mut Solver<'_, P>,
    position: Position<u64>,
    side: Side,
    turn: Option<&Turn>,
    limit: Option<Duration>,
    observe: &mut Observer<'_>,
) -> Result<Option<bool>, SolveError> {
    let sides = (position.mover(), position.opponent());
    let start = Instant::now();
    let mut given_up = false;
    let answer = solver.attacker_wins(sides, side == position.to_move, &mut |progress| {
        given_up = limit.is_some_and(|limit| start.elapsed() >= limit);
        if given_up { Wish::Stop } else { observe(Stage::Asking(side, turn, progress)) }
    });
    match answer {
        Err(SolveError::Stopped) if given_up => Ok(None),
        answer => answer.map(Some),
    }
}

/// The moves of a position, the first of those that are symmetric to each other.
fn distinct_moves<P: Probe>(solver: &Solver<'_, P>, position: Position<u64>) -> Vec<(Turn, Position<u64>)> {
    let mirror = Mirror::new(solver.game().board());
    let mut seen = std::collections::HashSet::new();
    let mut moves = solver.game().turns(&position);
    moves.retain(|(_, after)| seen.insert(mirror.canonical(after.mover(), after.opponent())));
    moves
}

//! The value of a position and of each of its moves, with the sets that prove them.

use std::fmt;
use std::time::Instant;

use serde::Serialize;

use crate::rules::{Position, Side, Turn};

use super::Probe;
use super::extract::{Closed, Repairs};
use super::mirror::Mirror;
use super::solver::{Progress, SolveError, Solver, Wish};

/// Who wins under best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// White.
    White,
    /// Black.
    Black,
    /// Nobody.
    Draw,
}

impl Value {
    fn won_by(side: Side) -> Self {
        match side {
            Side::White => Self::White,
            Side::Black => Self::Black,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::White => "White wins",
            Self::Black => "Black wins",
            Self::Draw => "draw",
        })
    }
}

/// The answer to a question about the position, and what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer {
    /// The side in question can force a win.
    pub wins: bool,
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
    /// The question whether that side wins a position; the number of the move is 0 for the position itself.
    Asking(Side, usize, &'a Progress<'b>),
    /// Sets are being closed: so many positions have a reply, so many wait for one.
    Closing(u64, u64),
}

/// Observers of a solve.
type Observer<'o> = dyn FnMut(Stage<'_, '_>) -> Wish + 'o;

/// Solves a position, and each of its moves if `with_moves`.
///
/// # Errors
/// [`SolveError`]. What was found before an interruption stays in the solver's table.
pub fn solve<P: Probe>(
    solver: &mut Solver<'_, P>,
    position: Position<u64>,
    with_moves: bool,
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
    let mut patience = solver.tuning().repair;
    loop {
        solution.ask(solver, with_moves, observe)?;
        let start = Instant::now();
        let closed = solution.close(solver, patience, observe)?;
        patience = patience.saturating_mul(4);
        solution.extraction_seconds += start.elapsed().as_secs_f64();
        if closed {
            return Ok(solution);
        }
        let positions = solution.moves.iter().map(|effect| effect.after).chain([position]);
        for position in positions {
            let sides = (position.mover(), position.opponent());
            for attacker_moves in [true, false] {
                solver.doubt(sides, attacker_moves);
            }
        }
        solution.asked_again += 1;
    }
}

impl Solution {
    fn ask<P: Probe>(
        &mut self,
        solver: &mut Solver<'_, P>,
        with_moves: bool,
        observe: &mut Observer<'_>,
    ) -> Result<(), SolveError> {
        let mover = self.position.to_move;
        self.value = Value::Draw;
        for side in [mover, mover.other()] {
            // One side's win is the other's defeat.
            let wins = if self.value == Value::Draw {
                let (start, before) = (Instant::now(), solver.nodes());
                let wins = asked(solver, self.position, side, 0, observe)?;
                let answer = match side {
                    Side::White => &mut self.white_wins,
                    Side::Black => &mut self.black_wins,
                };
                answer.seconds += start.elapsed().as_secs_f64();
                answer.nodes += solver.nodes() - before;
                answer.wins = wins;
                wins
            } else {
                false
            };
            if wins {
                self.value = Value::won_by(side);
            }
        }
        self.moves.clear();
        if !with_moves {
            return Ok(());
        }
        for (number, (turn, after)) in distinct_moves(solver, self.position).into_iter().enumerate() {
            let (won, lost) = (Value::won_by(mover), Value::won_by(mover.other()));
            // No move is better than the position.
            let value = if self.value == lost {
                lost
            } else if self.value == won && asked(solver, after, mover, number + 1, observe)? {
                won
            } else if asked(solver, after, mover.other(), number + 1, observe)? {
                lost
            } else {
                Value::Draw
            };
            self.moves.push(Effect { turn, after, value });
        }
        Ok(())
    }

    /// Finds closed sets for all that was answered; false if an answer turned out to be wrong, or to rest on nothing.
    fn close<P: Probe>(
        &mut self,
        solver: &mut Solver<'_, P>,
        patience: u64,
        observe: &mut Observer<'_>,
    ) -> Result<bool, SolveError> {
        let (mut safe, mut won) = (Vec::new(), Vec::new());
        let claims = self.moves.iter().map(|effect| (effect.after, effect.value));
        for (position, value) in claims.chain([(self.position, self.value)]) {
            for side in [Side::White, Side::Black] {
                match value {
                    Value::Draw => seeds(solver, position, side, &mut safe),
                    value if value == Value::won_by(side) => seeds(solver, position, side, &mut won),
                    _ => {}
                }
            }
        }
        for (seeds, attacker_moves) in [(won, true), (safe, false)] {
            let repairs = &mut self.repairs;
            let mut hear = |done, waiting| observe(Stage::Closing(done, waiting));
            let Some(closed) = solver.extract(&seeds, attacker_moves, patience, repairs, &mut hear)? else {
                return Ok(false);
            };
            *(if attacker_moves { &mut self.won } else { &mut self.safe }) = closed;
        }
        Ok(true)
    }
}

/// The positions with `side` to move that have to be in a set to show something for `side` in `position`: itself, or what
/// comes after each turn of the other side.
fn seeds<P: Probe>(solver: &Solver<'_, P>, position: Position<u64>, side: Side, seeds: &mut Vec<(u64, u64)>) {
    let (mover, opponent) = (position.mover(), position.opponent());
    if mover == 0 || opponent == 0 {
        return;
    }
    if position.to_move == side {
        seeds.push((mover, opponent));
    } else {
        seeds.extend(solver.game().successors(mover, opponent).iter().map(|after| (after.next, after.moved)));
    }
}

fn asked<P: Probe>(
    solver: &mut Solver<'_, P>,
    position: Position<u64>,
    side: Side,
    number: usize,
    observe: &mut Observer<'_>,
) -> Result<bool, SolveError> {
    let sides = (position.mover(), position.opponent());
    solver
        .attacker_wins(sides, side == position.to_move, &mut |progress| observe(Stage::Asking(side, number, progress)))
}

/// The moves of a position, the first of those that are symmetric to each other.
fn distinct_moves<P: Probe>(solver: &Solver<'_, P>, position: Position<u64>) -> Vec<(Turn, Position<u64>)> {
    let mirror = Mirror::new(solver.game().board());
    let mut seen = std::collections::HashSet::new();
    let mut moves = solver.game().turns(&position);
    moves.retain(|(_, after)| seen.insert(mirror.canonical(after.mover(), after.opponent())));
    moves
}

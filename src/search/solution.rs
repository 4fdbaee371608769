//! What a solve finds out: the value of a position and of its moves, the sets that prove them, and lines of best play.

use serde::Serialize;

use crate::rules::{Outcome, Position, Rules, Side, Turn, Value};

use super::canonical::{Canonical, Mirror};
use super::closed_set::ClosedSet;
use super::extract::Repairs;

/// How much to find out about a position; by default its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolveScope {
    /// Only whether that side can force a win; whether the other can only where tables or certificates say so.
    pub only: Option<Side>,
    /// The same about the position after each move.
    pub moves: bool,
}

impl SolveScope {
    /// The value of the position.
    pub const POSITION: Self = Self { only: None, moves: false };

    /// The value of the position, and of each of its moves.
    pub const MOVES: Self = Self { only: None, moves: true };

    /// Whether that side can force a win.
    #[must_use]
    pub fn only(side: Side) -> Self {
        Self { only: Some(side), moves: false }
    }

    /// Whether it includes the question whether `side` can force a win.
    #[must_use]
    pub fn asks(self, side: Side) -> bool {
        self.only.is_none_or(|only| only == side)
    }

    /// Whether it includes that White can force a win, that Black can, and the moves.
    pub(super) fn asked(self) -> [bool; 3] {
        [self.asks(Side::White), self.asks(Side::Black), self.moves]
    }
}

/// The answer to a question about the position, and the work it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Answer {
    /// Whether the side in question can force a win; `None` if it reached the limit.
    #[serde(rename = "answer")]
    pub wins: Option<bool>,
    /// Positions expanded.
    pub nodes: u64,
    /// Seconds.
    pub seconds: f64,
}

/// The two questions about a position that make its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Questions {
    /// Whether White can force a win.
    pub white_wins: Answer,
    /// Whether Black can.
    pub black_wins: Answer,
}

/// A move, and the value of the position after it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveValue {
    /// The move, in notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The position after it.
    #[serde(skip)]
    pub after: Position<u64>,
    /// The value of that position.
    pub value: Value,
}

/// Everything that was found out about a position.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The position.
    pub position: Position<u64>,
    /// Its value.
    pub value: Value,
    /// The questions that it follows from.
    pub questions: Questions,
    /// Each of its moves, but only one of those that are symmetric to each other. Empty if they were not asked for.
    pub moves: Vec<MoveValue>,
    /// Positions that their mover does not lose.
    pub safe: ClosedSet,
    /// Positions that their mover wins.
    pub won: ClosedSet,
    /// What had to be searched again to draw the sets from the transposition table.
    pub repairs: Repairs,
    /// How often a question had to be asked again because the set of a disproof did not close.
    pub asked_again: u64,
    /// Seconds that the sets took.
    pub extraction_seconds: f64,
}

impl Solution {
    /// Nothing is known of that position yet.
    pub(super) fn open(position: Position<u64>) -> Self {
        Self {
            position,
            value: Value::Unknown,
            questions: Questions::default(),
            moves: Vec::new(),
            safe: ClosedSet::new(),
            won: ClosedSet::new(),
            repairs: Repairs::default(),
            asked_again: 0,
            extraction_seconds: 0.0,
        }
    }

    /// The answer to the question whether a side wins.
    #[must_use]
    pub fn answer(&self, side: Side) -> Answer {
        match side {
            Side::White => self.questions.white_wins,
            Side::Black => self.questions.black_wins,
        }
    }

    pub(super) fn answer_mut(&mut self, side: Side) -> &mut Answer {
        match side {
            Side::White => &mut self.questions.white_wins,
            Side::Black => &mut self.questions.black_wins,
        }
    }

    /// Whether nothing is left open of the position, nor of those of its moves that were asked for.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.value.is_exact() && self.moves.iter().all(|entry| entry.value.is_exact())
    }

    /// Whether every question in a scope is answered.
    #[must_use]
    pub fn answers(&self, scope: SolveScope) -> bool {
        let Some(side) = scope.only else { return self.is_complete() };
        let moves = self.moves.iter().map(|entry| entry.value);
        moves.chain([self.value]).all(|value| value.bounds(side).settle_win())
    }

    /// A line of best play as the closed sets have it, until tables take over, a position comes back, or `most` turns are
    /// made. The winner keeps to the set; the loser holds out as long as the set lets it; in a draw both keep to theirs.
    /// Nothing if the value is not known exactly.
    #[must_use]
    pub fn main_line(&self, rules: &Rules<u64>, most: usize) -> Vec<(Turn, Position<u64>)> {
        let mirror = Mirror::new(rules.board().size());
        let mut turns: Vec<(Turn, Position<u64>)> = Vec::new();
        let mut seen = Vec::new();
        let most = if self.value.is_exact() { most } else { 0 };
        while turns.len() < most {
            let current = turns.last().map_or(self.position, |(_, after)| *after);
            let canonical = mirror.canonical(current.mover(), current.opponent());
            if seen.contains(&canonical) {
                break;
            }
            seen.push(canonical);
            let reply = |set: &ClosedSet| set.get(&canonical).and_then(|extracted| extracted.reply);
            let set = if self.value == Value::Draw { &self.safe } else { &self.won };
            let next = match reply(set) {
                Some(reply) => turn_to(rules, &mirror, &current, reply),
                // The value may have come from a certificate; then the winner has no set.
                None if self.value.bounds(current.to_move).most != Outcome::Loss => None,
                None => {
                    let rank = |after: &Position<u64>| {
                        set.get(&mirror.canonical(after.mover(), after.opponent())).map(|extracted| extracted.rank)
                    };
                    // Where nothing has a rank, tables have taken over.
                    let turns = rules.turns(&current).into_iter().filter(|(_, after)| rank(after).is_some());
                    turns.max_by_key(|(_, after)| rank(after))
                }
            };
            let Some(next) = next else { break };
            turns.push(next);
        }
        turns
    }
}

/// The turn that leads to a position, or to an image of it.
pub(super) fn turn_to(
    rules: &Rules<u64>,
    mirror: &Mirror,
    position: &Position<u64>,
    goal: Canonical,
) -> Option<(Turn, Position<u64>)> {
    let turns = rules.turns(position);
    turns.into_iter().find(|(_, after)| mirror.canonical(after.mover(), after.opponent()) == goal)
}

/// The turns from a position along `line`, which begins with an image of the position; up to the first that no turn leads to.
#[must_use]
pub fn turns_along(rules: &Rules<u64>, position: &Position<u64>, line: &[Canonical]) -> Vec<(Turn, Position<u64>)> {
    let mirror = Mirror::new(rules.board().size());
    let mut turns: Vec<(Turn, Position<u64>)> = Vec::new();
    for &goal in line.iter().skip(1) {
        let current = turns.last().map_or(*position, |(_, after)| *after);
        let Some(next) = turn_to(rules, &mirror, &current, goal) else { break };
        turns.push(next);
    }
    turns
}

//! The results of a match so far, from its games.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::game::{End, Game};
use crate::rules::{Outcome, Side};

use super::tally::Tally;

/// What one engine did, apart from its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Conduct {
    /// Games that it lost because it broke the rules or stopped answering.
    pub forfeits: u64,
    /// Moves that it chose.
    pub moves: u64,
    /// Milliseconds that they took together.
    pub milliseconds: u64,
}

impl Conduct {
    /// Milliseconds a move, if it made any.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // for people
    pub fn milliseconds_a_move(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.milliseconds as f64 / self.moves as f64)
    }
}

/// The results so far.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The outcomes for the first engine by the number of the game.
    outcomes: BTreeMap<u64, Outcome>,
    /// The same, counted.
    pub tally: Tally,
    /// How many games ended in which way, by the word of the reason.
    pub ends: BTreeMap<&'static str, u64>,
    /// What the engines did.
    pub conduct: [Conduct; 2],
}

/// The side of the first engine in a game: White in the first of each pair.
#[must_use]
pub fn first_side(number: u64) -> Side {
    if number.is_multiple_of(2) { Side::White } else { Side::Black }
}

impl Results {
    /// Whether a game has been played.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        self.outcomes.contains_key(&number)
    }

    /// Counts a game that is over. A number counts once.
    pub fn add(&mut self, number: u64, game: &Game) {
        let (Some(result), false) = (game.result(), self.has(number)) else { return };
        let first = first_side(number);
        let outcome = result.outcome(first);
        self.tally.count(outcome);
        if let Some(&other) = self.outcomes.get(&(number ^ 1)) {
            self.tally.count_pair([outcome, other]);
        }
        self.outcomes.insert(number, outcome);
        *self.ends.entry(result.reason.word()).or_default() += 1;
        let engine = |side: Side| usize::from(side != first);
        let request = game.to_request();
        if let Some(End::Forfeit { side }) = request.end {
            self.conduct[engine(side)].forfeits += 1;
        }
        // The last of them was made by the side that is not to move now.
        let made = request.moves.len();
        for (ply, time) in request.times.iter().enumerate() {
            let side = if (made - ply).is_multiple_of(2) { game.to_move() } else { game.to_move().other() };
            if let Some(time) = time {
                let conduct = &mut self.conduct[engine(side)];
                conduct.moves += 1;
                conduct.milliseconds += time;
            }
        }
    }
}

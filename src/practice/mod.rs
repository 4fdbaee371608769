//! Practice: endgames drawn from the tables of a board, for a player who tries to win or hold them.
//!
//! [`draw_task`] places stones at random until a position fits what was asked for. The value of the position and of each of its
//! turns is known, by tables or proofs. The side to move is the player.
//!
//! **Kinds.** [`Kind::Win`]: win the position. [`Kind::Draw`]: hold the draw for [`TURNS_TO_HOLD`] turns, with no more stones
//! than the other side. [`Kind::Only`]: find the one turn that keeps the win or the draw. In each of them at least one turn
//! throws the value away.
//!
//! **Difficulty.** Of a win whose length is known: the plies that it takes. Of other wins and of draws: the share of turns that
//! keep the value. Of an only turn: the number of turns to choose from.
//!
//! | | easy | medium | hard |
//! |---|---|---|---|
//! | win in | 3 to 7 plies | 9 to 15 plies | 17 plies or more |
//! | turns that keep the win or the draw | half or more | a fifth or more | fewer |
//! | turns, one of which keeps the value | 2 to 4 | 5 to 8 | 9 or more |

mod sample;

use serde::{Deserialize, Serialize};

use crate::rules::RuleSet;

pub use sample::{THREE_AGAINST_FIVE, draw_task};

/// The number of the player's turns after which a draw counts as held.
pub const TURNS_TO_HOLD: u32 = 8;

/// What the player has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Win the position.
    Win,
    /// Hold the draw.
    Draw,
    /// Find the one turn that keeps the win or the draw.
    Only,
}

impl Kind {
    /// The number of the player's turns after which the task is solved; `None` if it takes a won game.
    #[must_use]
    pub fn own_turns(self) -> Option<u32> {
        match self {
            Self::Win => None,
            Self::Draw => Some(TURNS_TO_HOLD),
            Self::Only => Some(1),
        }
    }
}

/// How hard a task is; the [module](self) defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Difficulty {
    /// Easy.
    Easy,
    /// Medium.
    Medium,
    /// Hard.
    Hard,
}

impl Difficulty {
    /// The difficulty of a task with so many turns, of which `holding` keep the value; `plies` is the length of a win, if it is
    /// known. `None` if no difficulty fits: a win in one ply, or a turn that cannot go wrong.
    #[must_use]
    pub fn of(kind: Kind, plies: Option<u32>, turns: usize, holding: usize) -> Option<Self> {
        let can_go_wrong = 0 < holding && holding < turns;
        if !can_go_wrong || (kind == Kind::Only && holding > 1) || (kind == Kind::Win && plies.is_some_and(|it| it < 3))
        {
            return None;
        }
        let (easy, medium) = match (kind, plies) {
            (Kind::Only, _) => (turns <= 4, turns <= 8),
            (Kind::Win, Some(plies)) => (plies <= 7, plies <= 15),
            _ => (2 * holding >= turns, 5 * holding >= turns),
        };
        Some(if easy {
            Self::Easy
        } else if medium {
            Self::Medium
        } else {
            Self::Hard
        })
    }
}

/// Which task to draw.
#[derive(Clone, Copy, Debug)]
pub struct TaskChoice {
    /// What the player has to do.
    pub kind: Kind,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// Whether one side has three stones and the other five.
    pub three_against_five: bool,
    /// Random seed: the same tables give the same task for the same seed.
    pub seed: u32,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Task {
    /// The board.
    pub board: String,
    /// The rules.
    pub rules: RuleSet,
    /// What the player has to do.
    pub kind: Kind,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// Random seed of the task.
    pub seed: u32,
    /// The position, White to move; the player has White.
    pub position: String,
    /// Its value, `win` or `draw`.
    pub value: &'static str,
    /// Plies to the win, if they are known.
    pub dtw: Option<u32>,
    /// How the value is known: `table` or `proof`.
    pub source: &'static str,
    /// The number of turns.
    pub turns: usize,
    /// The number of those that keep the value.
    pub holding: usize,
    /// The number of the player's turns after which the task is solved; `None` if it takes a won game.
    pub own_turns: Option<u32>,
}

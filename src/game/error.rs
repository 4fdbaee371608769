//! Why a game, or an action in it, is refused.

use thiserror::Error;

use crate::board::BoardSizeError;
use crate::rules::{PositionError, Side};

use super::parse_action::ActionError;
use super::refusal::Refusal;
use super::variation::{MAX_VARIATION_MOVES, MAX_VARIATIONS};

/// Why a game, or an action in it, is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GameError {
    /// No such board.
    #[error(transparent)]
    Size(#[from] BoardSizeError),
    /// The start position is invalid.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// An invalid rule.
    #[error("{0}")]
    Rules(&'static str),
    /// Not a legal action.
    #[error(transparent)]
    Action(Box<ActionError>),
    /// The game is over.
    #[error("{0}; undo a turn or begin a new game")]
    Over(Box<Refusal>),
    /// One of the moves of a game is refused.
    #[error("move {number} of the game: {source}")]
    Move {
        /// Which one, from 1.
        number: usize,
        /// Why.
        source: Box<GameError>,
    },
    /// One of the variations of a game is refused.
    #[error("variation {number} of the game: {source}")]
    Variation {
        /// Which one, from 1.
        number: usize,
        /// Why.
        source: Box<GameError>,
    },
    /// A variation that begins after the game.
    #[error("it begins after turn {ply}, but the game ends after turn {turns}")]
    VariationPly {
        /// The turns before the variation.
        ply: usize,
        /// The turns of the game.
        turns: usize,
    },
    /// Too many variations.
    #[error(
        "the game has more than {MAX_VARIATIONS} variations, or more than {MAX_VARIATION_MOVES} moves in them; leave some out"
    )]
    TooManyVariations,
    /// More times than moves.
    #[error(
        "the game has {moves} moves, but {times} times; write null for an unknown time, or leave out those at the end"
    )]
    Times {
        /// The number of moves.
        moves: usize,
        /// The number of times.
        times: usize,
    },
    /// The game has no time limit.
    #[error("no side can exceed its time: the rules of this game have no move_time")]
    NoTime,
    /// That side's clock is not running.
    #[error("{} cannot exceed its time, because {} is to move", .0.name(), .0.other().name())]
    OtherTime(Side),
    /// Not a point of the board.
    #[error("{text:?} is not a point of the {size} board; points look like c3")]
    Point {
        /// What was found.
        text: String,
        /// The board.
        size: crate::board::BoardSize,
    },
    /// A tag that is not free, or too long.
    #[error("{0:?} is not a tag of a game; tags are Event, Date, White and Black, with texts of up to 200 characters")]
    Tag(String),
}

impl From<ActionError> for GameError {
    fn from(error: ActionError) -> Self {
        Self::Action(Box::new(error))
    }
}

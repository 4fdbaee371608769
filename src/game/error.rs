//! What can be wrong with a game that is asked for.

use thiserror::Error;

use crate::board::BoardSizeError;
use crate::rules::{PositionError, Side};

use super::parse_action::ActionError;
use super::refusal::Refusal;

/// Why a game, or something done in it, was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GameError {
    /// No such board.
    #[error(transparent)]
    Size(#[from] BoardSizeError),
    /// The position to begin with is wrong.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// A rule that makes no sense.
    #[error("{0}")]
    Rules(&'static str),
    /// A turn that is no legal one.
    #[error(transparent)]
    Action(Box<ActionError>),
    /// The game is over.
    #[error("{0}; undo a turn or begin a new game")]
    Over(Box<Refusal>),
    /// One of the moves of a game is wrong.
    #[error("move {number} of the game: {source}")]
    Move {
        /// Which one, from 1.
        number: usize,
        /// What is wrong with it.
        source: Box<GameError>,
    },
    /// More times than moves.
    #[error("the game has {moves} moves, but times for {times}; leave out what is not known at the end, or write null")]
    Times {
        /// The number of moves.
        moves: usize,
        /// The number of times.
        times: usize,
    },
    /// No time has been agreed on.
    #[error("nobody can overstep the time: the rules of this game have no move_time")]
    NoTime,
    /// It is not that side's time that runs.
    #[error("{} cannot overstep the time, since {} is to move", .0.name(), .0.other().name())]
    OtherTime(Side),
    /// A point that is none.
    #[error("{text:?} is no point of the {size} board; points look like c3")]
    Point {
        /// What was found.
        text: String,
        /// The board.
        size: crate::board::BoardSize,
    },
    /// A tag that the record writes itself, or that cannot be written.
    #[error("{0:?} is no tag of a game; tags are Event, Date, White and Black, with texts of up to 200 characters")]
    Tag(String),
}

impl From<ActionError> for GameError {
    fn from(error: ActionError) -> Self {
        Self::Action(Box::new(error))
    }
}

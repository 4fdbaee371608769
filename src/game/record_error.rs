//! What can be wrong with a game record, with the number of the line.

use thiserror::Error;

use super::error::GameError;

/// What is wrong with a record, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} of the record: {fault}")]
pub struct RecordError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub fault: RecordFault,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordFault {
    /// No tag, though it begins like one.
    #[error("a tag looks like [Board \"9x5\"]")]
    Tag,
    /// A tag for the second time.
    #[error("the tag {0} was there before")]
    TwiceTag(String),
    /// A tag after the first move.
    #[error("a tag after the first move; a record holds one game")]
    LateTag,
    /// A comment that does not end.
    #[error("the comment that begins here has no end; write }} after it")]
    Comment,
    /// Variations are not read.
    #[error("variations in parentheses are not read; leave them out")]
    Variation,
    /// Neither Board nor FEN.
    #[error("no tag tells the board; write [Board \"9x5\"]")]
    NoBoard,
    /// Something in the tag Rules.
    #[error("{0}")]
    Rules(String),
    /// A move number that does not fit.
    #[error("{found} is not the number of this move; {expected} is")]
    Number {
        /// What was found.
        found: String,
        /// What belongs there.
        expected: String,
    },
    /// Something after the score.
    #[error("{0:?} stands after the score; a record holds one game")]
    AfterScore(String),
    /// No score at the end.
    #[error("the record ends without a score: 1-0, 0-1, 1/2-1/2, or * for a game that goes on")]
    NoScore,
    /// Result and score differ.
    #[error("the score is {score}, but the tag Result says {tag}")]
    Scores {
        /// The score after the moves.
        score: String,
        /// The tag.
        tag: String,
    },
    /// The moves tell another score.
    #[error("the score is {score}, but the moves say {played}")]
    Played {
        /// The score after the moves.
        score: String,
        /// How the moves end the game.
        played: String,
    },
    /// The tag Termination does not fit.
    #[error("the termination {found:?} does not fit: {expected}")]
    Termination {
        /// What was found.
        found: String,
        /// What would fit.
        expected: String,
    },
    /// Something about the game itself.
    #[error(transparent)]
    Game(Box<GameError>),
}

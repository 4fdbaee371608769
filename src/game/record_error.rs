//! What can be wrong with a game record, with the number of the line.

use thiserror::Error;

use super::error::GameError;

/// What is wrong with a record, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} of the record: {fault}")]
pub struct RecordError {
    /// The line, from 1.
    pub line: usize,
    /// The fault.
    pub fault: RecordFault,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordFault {
    /// A malformed tag.
    #[error("a tag looks like [Board \"9x5\"]")]
    Tag,
    /// A tag that occurs twice.
    #[error("the tag {0} is given twice")]
    TwiceTag(String),
    /// A tag after the first move.
    #[error("a tag after the first move; a record holds one game, so make a file for each game")]
    LateTag,
    /// A comment that does not end.
    #[error("the comment that begins here has no end; write }} after it")]
    Comment,
    /// A variation that does not end.
    #[error("the variation that begins here has no end; write ) after it")]
    Variation,
    /// The end of a variation that does not begin.
    #[error("no variation begins before this )")]
    VariationEnd,
    /// A variation before the first move.
    #[error("a variation follows the move it replaces, but no move comes before this one")]
    VariationOfNothing,
    /// Neither Board nor FEN.
    #[error("no tag names the board; write [Board \"9x5\"]")]
    NoBoard,
    /// An invalid rule in the tag Rules.
    #[error("{0}")]
    Rules(String),
    /// A wrong move number.
    #[error("{found} is not the number of this move; expected {expected}")]
    Number {
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// Text after the score.
    #[error("{0:?} follows the score; a record holds one game, so make a file for each game")]
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
    /// The moves lead to another score.
    #[error("the score is {score}, but the moves lead to {played}")]
    Played {
        /// The score after the moves.
        score: String,
        /// How the moves end the game.
        played: String,
    },
    /// The tag Termination contradicts the moves or the score.
    #[error("the termination {found:?} is wrong: {expected}")]
    Termination {
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// None of the forms that a game may have.
    #[error(
        "this is not a game that the program can read; it looked for tags such as [Board \"9x5\"], an SGF file of BoardSpace, \
         JSON of Abstract Play, PGN of vchess, and a list of moves such as d3-e3A, d3e3+ or d3e3X"
    )]
    Unknown,
    /// A record of another game.
    #[error("this is a game of {0:?}, not of Fanorona")]
    OtherGame(String),
    /// A damaged SGF file.
    #[error("not an SGF file of BoardSpace: {0}")]
    Sgf(String),
    /// A damaged JSON record.
    #[error("not a game in JSON: {0}")]
    Json(String),
    /// A turn with several meanings, with each of which all later turns are legal.
    #[error(
        "{0} could capture by approach or by withdrawal, and the later moves do not decide it; add A or W to each step"
    )]
    Readings(String),
    /// The game itself is invalid.
    #[error(transparent)]
    Game(Box<GameError>),
}

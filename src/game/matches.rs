//! A game on any board: the same calls whether its points fit 64 bits or not.

use crate::board::{BoardSize, Wide};
use crate::report::picture;
use crate::rules::Side;

use super::course::Course;
use super::error::GameError;
use super::play_rules::PlayRules;
use super::request::{End, GameRequest};
use super::result::GameResult;
use super::view::{TablesApply, View};
use super::why::{Try, Why};

/// A game in progress, or over, on any board.
#[derive(Clone, Debug)]
pub enum Match {
    /// On a board of up to 64 points.
    Narrow(Course<u64>),
    /// On a larger one.
    Wide(Course<Wide>),
}

/// Calls the same on either course.
macro_rules! on {
    ($game:expr, $course:ident => $call:expr) => {
        match $game {
            Match::Narrow($course) => $call,
            Match::Wide($course) => $call,
        }
    };
}

impl Match {
    /// The game as it stands.
    #[must_use]
    pub fn view(&self) -> View {
        on!(self, course => course.view())
    }

    /// The game as a record.
    #[must_use]
    pub fn record(&self) -> String {
        on!(self, course => super::record::record(course))
    }

    /// The game as it stands, to be handed over.
    #[must_use]
    pub fn to_request(&self) -> GameRequest {
        on!(self, course => course.to_request())
    }

    /// Why something is refused, in a sentence.
    ///
    /// # Errors
    /// [`GameError::Point`].
    pub fn why(&self, tried: &Try) -> Result<Why, GameError> {
        on!(self, course => course.why_text(tried))
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &PlayRules {
        on!(self, course => course.referee().rules())
    }

    /// How often the present position has stood, this time included.
    #[must_use]
    pub fn repetitions(&self) -> usize {
        on!(self, course => course.repetitions())
    }

    /// The side to move.
    #[must_use]
    pub fn to_move(&self) -> Side {
        on!(self, course => course.to_move())
    }

    /// Number of turns made.
    #[must_use]
    pub fn ply(&self) -> usize {
        on!(self, course => course.played().len())
    }

    /// How the game has ended, if it has.
    #[must_use]
    pub fn result(&self) -> Option<GameResult> {
        on!(self, course => course.result())
    }

    /// Whether the values of tables hold for the present position.
    #[must_use]
    pub fn tables_apply(&self) -> TablesApply {
        on!(self, course => course.tables_apply())
    }

    /// Makes a turn; gives it in full notation.
    ///
    /// # Errors
    /// Those of [`Course::play`].
    pub fn play(&mut self, text: &str, time: Option<u64>) -> Result<String, GameError> {
        on!(self, course => {
            let size = course.size();
            Ok(course.play(text, time)?.action.text(size))
        })
    }

    /// Takes the last turn back; false if there is none.
    pub fn undo(&mut self) -> bool {
        on!(self, course => course.undo())
    }

    /// Makes the turn again that was undone last; false if there is none.
    pub fn redo(&mut self) -> bool {
        on!(self, course => course.redo())
    }

    /// Ends the game otherwise than by the stones.
    ///
    /// # Errors
    /// Those of [`Course::finish`].
    pub fn finish(&mut self, end: End) -> Result<(), GameError> {
        on!(self, course => course.finish(end))
    }

    /// Sets a tag of the record: Event, Date, White or Black.
    pub fn set_tag(&mut self, tag: &str, text: &str) {
        on!(self, course => course.tags.insert(tag.to_owned(), text.to_owned()));
    }

    /// Number of lines of play of exactly so many turns from the present position; turns that lead to the same state count once.
    /// Limits, times and repetition end none of them.
    #[must_use]
    pub fn perft(&self, depth: u32) -> u64 {
        on!(self, course => super::perft::perft(course.referee(), course.state(), depth))
    }

    /// The present position as a picture in text.
    #[must_use]
    pub fn picture(&self) -> String {
        on!(self, course => picture(course.referee().board(), &course.state().position))
    }

    /// The board's size.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        on!(self, course => course.size())
    }
}

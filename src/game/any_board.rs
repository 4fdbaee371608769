//! A game on any board: the same calls whether its points fit 64 bits or not.

use crate::board::{BoardSize, MAX_POINTS, Wide};
use crate::knowledge::Knowledge;
use crate::report::picture;
use crate::rules::Side;

use super::error::GameError;
use super::history::GameHistory;
use super::play_rules::PlayRules;
use super::request::GameRequest;
use super::result::{End, GameResult};
use super::view::{TablesApply, View};
use super::why::{Attempt, RefusalText};
use super::write_record::{Note, write_annotated, write_record};

/// A game in progress, or over, on any board.
#[derive(Clone, Debug)]
pub enum Game {
    /// On a board of up to 64 points.
    Narrow(GameHistory<u64>),
    /// On a larger one.
    Wide(GameHistory<Wide>),
}

/// Makes the same call on either kind of game.
macro_rules! on {
    ($either:expr, $game:ident => $call:expr) => {
        match $either {
            Game::Narrow($game) => $call,
            Game::Wide($game) => $call,
        }
    };
}

impl GameRequest {
    /// Replays the game.
    ///
    /// # Errors
    /// [`GameError`]; for a refused move with its number.
    pub fn replay(&self) -> Result<Game, GameError> {
        let size: BoardSize = self.board.parse()?;
        if self.rules.move_limit == Some(0) {
            return Err(GameError::Rules(
                "move_limit 0 leaves no turn to make; write null for none, or for example 50",
            ));
        }
        if self.rules.move_time == Some(0) {
            return Err(GameError::Rules(
                "move_time 0 leaves no time for a turn; write null for none, or for example 5000",
            ));
        }
        Ok(if size.points() <= MAX_POINTS {
            Game::Narrow(self.replay_on::<u64>(size)?)
        } else {
            Game::Wide(self.replay_on::<Wide>(size)?)
        })
    }
}

impl Game {
    /// The game as JSON.
    #[must_use]
    pub fn view(&self) -> View {
        on!(self, game => game.view())
    }

    /// The legal turns in notation, in the order of the [view](Self::view); not all of them where [`View::turns_cut`] is true.
    #[must_use]
    pub fn turns(&self) -> Vec<String> {
        on!(self, game => game.turns())
    }

    /// The game as a record.
    #[must_use]
    pub fn record(&self) -> String {
        on!(self, game => write_record(game))
    }

    /// The game as a record with a note for each turn.
    #[must_use]
    pub fn annotated_record(&self, notes: &[Note]) -> String {
        on!(self, game => write_annotated(game, notes))
    }

    /// The game as a request.
    #[must_use]
    pub fn to_request(&self) -> GameRequest {
        on!(self, game => game.to_request())
    }

    /// Why an attempt is refused, as a sentence.
    ///
    /// # Errors
    /// [`GameError::Point`].
    pub fn why(&self, tried: &Attempt) -> Result<RefusalText, GameError> {
        on!(self, game => game.why(tried))
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &PlayRules {
        on!(self, game => game.referee().rules())
    }

    /// How often the present position has occurred, this time included.
    #[must_use]
    pub fn repetitions(&self) -> usize {
        on!(self, game => game.repetitions())
    }

    /// The side to move.
    #[must_use]
    pub fn to_move(&self) -> Side {
        on!(self, game => game.to_move())
    }

    /// Number of turns made.
    #[must_use]
    pub fn ply(&self) -> usize {
        on!(self, game => game.played().len())
    }

    /// The result, if the game is over.
    #[must_use]
    pub fn result(&self) -> Option<GameResult> {
        on!(self, game => game.result())
    }

    /// Whether the values of tables hold for the present position.
    #[must_use]
    pub fn tables_apply(&self) -> TablesApply {
        on!(self, game => game.tables_apply())
    }

    /// The game and the knowledge, if that is for its board and rules.
    #[must_use]
    pub fn with_knowledge<'a>(&self, knowledge: Option<&'a Knowledge>) -> Option<(&GameHistory<u64>, &'a Knowledge)> {
        let (Self::Narrow(game), Some(knowledge)) = (self, knowledge) else { return None };
        let rules = knowledge.rules();
        let fits = rules.rule_set() == game.referee().rules().table_rules() && rules.board().size() == game.size();
        fits.then_some((game, knowledge))
    }

    /// Makes a turn; returns it in full notation.
    ///
    /// # Errors
    /// Those of [`GameHistory::play`].
    pub fn play(&mut self, text: &str, time: Option<u64>) -> Result<String, GameError> {
        on!(self, game => {
            let size = game.size();
            Ok(game.play(text, time)?.action.text(size))
        })
    }

    /// Undoes what ended the game other than the moves, or else the last turn; false if there is nothing to undo.
    pub fn undo(&mut self) -> bool {
        on!(self, game => game.undo())
    }

    /// Redoes the turn that was undone last; false if there is none, or if the game was ended otherwise.
    pub fn redo(&mut self) -> bool {
        on!(self, game => game.redo())
    }

    /// Ends the game by agreement, resignation, time, adjudication or forfeit.
    ///
    /// # Errors
    /// Those of [`GameHistory::finish`].
    pub fn finish(&mut self, end: End) -> Result<(), GameError> {
        on!(self, game => game.finish(end))
    }

    /// Adds a variation, as far as its moves can be played.
    pub fn add_variation(&mut self, ply: usize, moves: &[String]) {
        on!(self, game => game.add_variation(ply, moves));
    }

    /// Sets a tag of the record: Event, Date, White or Black, of at most 200 characters. A record with other tags cannot be read back.
    pub fn set_tag(&mut self, tag: &str, text: &str) {
        on!(self, game => game.tags.insert(tag.to_owned(), text.to_owned()));
    }

    /// Number of lines of play of exactly `depth` turns from the present position; turns that lead to the same state count once.
    /// Move limit, time and repetition do not end a line.
    #[must_use]
    pub fn perft(&self, depth: u32) -> u64 {
        on!(self, game => super::perft::perft(game.referee(), game.state(), depth))
    }

    /// The present position; a block is one of its stones.
    #[must_use]
    pub fn position(&self) -> String {
        on!(self, game => game.state().position.to_text(game.size()))
    }

    /// The present position as a text picture.
    #[must_use]
    pub fn picture(&self) -> String {
        on!(self, game => picture(game.referee().board(), &game.state().position))
    }

    /// The board's size.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        on!(self, game => game.size())
    }
}

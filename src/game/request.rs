//! A game as programs hand it over: where it begins, its rules, its moves, and what ended it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::board::{BoardSize, PointSet, Wide};
use crate::rules::{Position, PositionText, Side};

use super::any_board::Game;
use super::error::GameError;
use super::history::GameHistory;
use super::play_rules::PlayRules;

/// Tags that come with a game; the others are told by the game itself.
pub const FREE_TAGS: [&str; 4] = ["Event", "Date", "White", "Black"];

/// The longest text of a tag, in characters.
const LONGEST_TAG: usize = 200;

/// A whole game. All but the board may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRequest {
    /// The board, columns x rows.
    pub board: String,
    /// The position that it begins with; the start position if there is none.
    #[serde(default)]
    pub position: Option<String>,
    /// The rules.
    #[serde(default)]
    pub rules: PlayRules,
    /// The moves, in Schadd's notation; a sacrifice is the point and an x.
    #[serde(default)]
    pub moves: Vec<String>,
    /// Milliseconds that each move took, as far as they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<Option<u64>>,
    /// What ended the game, if the stones did not.
    #[serde(default)]
    pub end: Option<End>,
    /// Tags of the record: Event, Date, White, Black.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
}

/// What ended a game otherwise than by the stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "lowercase", deny_unknown_fields)]
pub enum End {
    /// A draw was agreed on. It has fields, none, so that others are refused.
    Agreement {},
    /// A side gave up.
    Resignation {
        /// That side.
        side: Side,
    },
    /// A side took too long for its turn.
    Time {
        /// That side.
        side: Side,
    },
}

impl GameRequest {
    /// Replays the game.
    ///
    /// # Errors
    /// [`GameError`]; what is wrong with a move comes with its number.
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
        Ok(if size.points() <= 64 {
            Game::Narrow(self.replay_on::<u64>(size)?)
        } else {
            Game::Wide(self.replay_on::<Wide>(size)?)
        })
    }

    fn replay_on<P: PointSet>(&self, size: BoardSize) -> Result<GameHistory<P>, GameError> {
        let start = match &self.position {
            Some(text) => PositionText::parse(text)?.on(size)?,
            None => Position::start(size),
        };
        let mut game = GameHistory::new(size, self.rules, start);
        if self.times.len() > self.moves.len() {
            return Err(GameError::Times { moves: self.moves.len(), times: self.times.len() });
        }
        for (tag, text) in &self.tags {
            if !FREE_TAGS.contains(&tag.as_str()) || text.chars().count() > LONGEST_TAG {
                return Err(GameError::Tag(tag.chars().take(40).collect()));
            }
        }
        game.tags.clone_from(&self.tags);
        for (ply, text) in self.moves.iter().enumerate() {
            let time = self.times.get(ply).copied().flatten();
            let played = game.play(text, time).map(|_| ());
            played.map_err(|error| GameError::Move { number: ply + 1, source: Box::new(error) })?;
        }
        if let Some(end) = self.end {
            game.finish(end)?;
        }
        Ok(game)
    }
}

impl<P: PointSet> GameHistory<P> {
    /// The game as it stands, to be handed over; what has been undone is not in it.
    #[must_use]
    pub fn to_request(&self) -> GameRequest {
        let size = self.size();
        let times: Vec<Option<u64>> = self.played().iter().map(|played| played.time).collect();
        let known = times.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let start = self.start().position;
        GameRequest {
            board: size.to_string(),
            position: (start != Position::start(size)).then(|| start.to_text(size)),
            rules: *self.referee().rules(),
            moves: self.played().iter().map(|played| played.action.text(size)).collect(),
            times: times[..known].to_vec(),
            end: self.end(),
            tags: self.tags.clone(),
        }
    }
}

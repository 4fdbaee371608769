//! A game as a program sends it: start, rules, moves, and what ended it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::board::{BoardSize, PointSet};
use crate::rules::{Position, PositionText};

use super::error::GameError;
use super::history::{FREE_TAGS, GameHistory};
use super::play_rules::PlayRules;
use super::result::End;
use super::variation::Variation;

/// The longest text of a tag, in characters.
const LONGEST_TAG: usize = 200;

/// A whole game. Everything but the board may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRequest {
    /// The board, columns x rows.
    pub board: String,
    /// The position that it begins from; the start position if not given.
    #[serde(default)]
    pub position: Option<String>,
    /// The rules.
    #[serde(default)]
    pub rules: PlayRules,
    /// The moves, in Schadd's notation; a sacrifice is the point and an x.
    #[serde(default)]
    pub moves: Vec<String>,
    /// Milliseconds that each move took, if known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<Option<u64>>,
    /// Moves that were played or considered instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<Variation>,
    /// What ended the game, if the moves did not.
    #[serde(default)]
    pub end: Option<End>,
    /// Tags of the record: Event, Date, White, Black.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
}

impl GameRequest {
    /// Replays the game on one kind of board.
    pub(super) fn replay_on<P: PointSet>(&self, size: BoardSize) -> Result<GameHistory<P>, GameError> {
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
        game.set_variations(&self.variations)?;
        if let Some(end) = self.end {
            game.finish(end)?;
        }
        Ok(game)
    }
}

impl<P: PointSet> GameHistory<P> {
    /// The game as a request, without undone turns.
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
            moves: self.moves(),
            times: times[..known].to_vec(),
            variations: self.variations(),
            end: self.end(),
            tags: self.tags.clone(),
        }
    }
}

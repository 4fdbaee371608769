//! A referee who ends games whose value is known.

use crate::game::Game;
use crate::knowledge::Knowledge;
use crate::rules::{Outcome, Side};
use crate::table::TableError;

/// Ends games by what tables and certificates know, if given: games on that board, under those rules.
#[derive(Clone, Copy, Default)]
pub struct Adjudicator<'a>(pub Option<&'a Knowledge>);

/// A known result of a game: the side that would win, if one would.
pub type Winner = Option<Side>;

impl Adjudicator<'_> {
    /// The result of perfect play from the present position, if it is known.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    pub fn value(self, game: &Game) -> Result<Option<Winner>, TableError> {
        let Some((game, knowledge)) = game.with_knowledge(self.0).filter(|(game, _)| game.tables_apply().apply) else {
            return Ok(None);
        };
        let position = &game.state().position;
        let known = knowledge.value(position.mover(), position.opponent())?;
        let side = position.to_move;
        Ok(known.and_then(|known| known.outcome()).map(|outcome| match outcome {
            Outcome::Win => Some(side),
            Outcome::Draw => None,
            Outcome::Loss => Some(side.other()),
        }))
    }
}

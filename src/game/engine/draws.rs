//! Whether the computer agrees to a draw.

use serde::Serialize;

use crate::board::PointSet;
use crate::rules::Outcome;
use crate::table::{Tables, known};

use super::super::any_board::Game;
use super::super::history::GameHistory;
use super::choose::{Engine, EngineError, SearchLimits, fitting};
use super::evaluate::STONE;
use super::level::Level;
use super::values::{NoValues, Reaching, Values};

/// So many turns are played before a draw is talked about, unless tables tell that it is one.
const FIRST_TURNS: usize = 12;

/// The answer to the offer of a draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DrawAnswer {
    /// Whether it is accepted.
    pub accept: bool,
    /// Why, in a sentence.
    pub why: String,
}

impl DrawAnswer {
    fn new(accept: bool, why: &str) -> Self {
        Self { accept, why: why.to_owned() }
    }
}

impl Engine {
    /// Whether the computer agrees to a draw that the side to move offers. It does where tables tell that it is one, not
    /// where it wins; elsewhere, after the first turns, if a search within the limits does not see it in front. The lower
    /// levels know of no tables.
    ///
    /// # Errors
    /// [`EngineError`]: the game is over, or a table cannot be read.
    pub fn answer_draw(
        &mut self,
        game: &Game,
        tables: Option<&Tables>,
        limits: &SearchLimits<'_>,
    ) -> Result<DrawAnswer, EngineError> {
        match game {
            Game::Narrow(game) => match fitting(game, tables) {
                Some(tables) => self.answer(game, &Reaching::new(tables), limits),
                None => self.answer(game, &NoValues, limits),
            },
            Game::Wide(game) => self.answer(game, &NoValues, limits),
        }
    }

    fn answer<P: PointSet, V: Values<P>>(
        &mut self,
        game: &GameHistory<P>,
        values: &V,
        limits: &SearchLimits<'_>,
    ) -> Result<DrawAnswer, EngineError> {
        if let Some(refusal) = game.over() {
            return Err(EngineError::Over(refusal));
        }
        let position = game.state().position;
        if limits.level.knows_tables() && game.tables_apply().apply {
            let mut probe = |own, enemy| values.known_in_reach(own, enemy);
            match known(game.referee().board_rules(), &position, &mut probe)?.map(|known| known.outcome) {
                Some(Outcome::Draw) => return Ok(DrawAnswer::new(true, "The position is a draw.")),
                Some(Outcome::Loss) => return Ok(DrawAnswer::new(false, "The position is won for the computer.")),
                Some(Outcome::Win) => {
                    return Ok(DrawAnswer::new(true, "A draw is more than the computer can hope for."));
                }
                None => {}
            }
        }
        if game.played().len() < FIRST_TURNS {
            return Ok(DrawAnswer::new(false, "It is too early to talk about a draw."));
        }
        // Chance has no part in an answer.
        let level = Level::BEST;
        let limits = SearchLimits { level, seed: limits.seed, stop: limits.stop, ..*limits };
        // Whether the position has stood before says nothing of what it is worth.
        let reply = self.choose_after(vec![*game.state()], game, values, &limits, &mut |_| ())?;
        // Seen from the side to move, which is the other one.
        Ok(match (reply.value, reply.score) {
            (Some(Outcome::Loss), _) => DrawAnswer::new(false, "The computer sees a win."),
            (Some(Outcome::Win), _) => DrawAnswer::new(true, "A draw is more than the computer can hope for."),
            (_, Some(score)) if score < -STONE / 2 => {
                DrawAnswer::new(false, "The computer thinks that it is in front.")
            }
            (_, Some(_)) => DrawAnswer::new(true, "The computer does not think that it is in front."),
            (_, None) => DrawAnswer::new(false, "The computer would rather play on."),
        })
    }
}

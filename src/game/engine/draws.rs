//! Decides whether the computer agrees to a draw.

use serde::Serialize;

use crate::board::PointSet;
use crate::knowledge::Knowledge;
use crate::rules::Outcome;
use crate::table::{Known, NoValues, Probe, known};

use super::super::any_board::Game;
use super::super::history::GameHistory;
use super::advice::is_table_draw;
use super::choose::Engine;
use super::evaluate::STONE;
use super::level::Level;
use super::reply::{EngineError, SearchLimits};
use super::values::QuickValues;

/// Draws are declined before this many turns, unless tables show one.
const FIRST_TURNS: usize = 12;

/// How many turns without a choice are followed to a position that can be searched.
pub const FORCED: u32 = 8;

/// The answer to the offer of a draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DrawAnswer {
    /// Whether it is accepted.
    pub accept: bool,
    /// Why, as a sentence.
    pub why: String,
}

impl DrawAnswer {
    fn new(accept: bool, why: &str) -> Self {
        Self { accept, why: why.to_owned() }
    }
}

impl Engine {
    /// Whether the computer agrees to a draw that the side to move offers. It accepts if the position is drawn by tables or lost
    /// for it, and declines if it is won. After the first turns it also accepts a draw by proof and, where the value is unknown,
    /// if a search within the limits does not put it ahead. Lower levels use neither tables nor proofs.
    ///
    /// # Errors
    /// [`EngineError`]: the game is over, or a table cannot be read.
    pub fn answer_draw(
        &mut self,
        game: &Game,
        knowledge: Option<&Knowledge>,
        limits: &SearchLimits<'_>,
    ) -> Result<DrawAnswer, EngineError> {
        match (game.with_knowledge(knowledge), game) {
            (Some((game, knowledge)), _) => self.answer(game, &QuickValues::new(knowledge), limits),
            (None, Game::Narrow(game)) => self.answer(game, &NoValues, limits),
            (None, Game::Wide(game)) => self.answer(game, &NoValues, limits),
        }
    }

    fn answer<P: PointSet>(
        &mut self,
        game: &GameHistory<P>,
        values: &dyn Probe<P>,
        limits: &SearchLimits<'_>,
    ) -> Result<DrawAnswer, EngineError> {
        if let Some(refusal) = game.over() {
            return Err(EngineError::Over(refusal));
        }
        let position = game.state().position;
        let early = game.played().len() < FIRST_TURNS;
        if limits.level.knows_tables() && game.tables_apply().apply {
            let mut probe = |own, enemy| values.look_up(own, enemy);
            let known = known(game.referee().board_rules(), &position, &mut probe)?;
            match known.as_ref().and_then(Known::outcome) {
                Some(Outcome::Draw) if known.is_some_and(|known| is_table_draw(&known)) || !early => {
                    return Ok(DrawAnswer::new(true, "The position is a draw."));
                }
                Some(Outcome::Loss) => return Ok(DrawAnswer::new(false, "The computer has a won position.")),
                Some(Outcome::Win) => {
                    return Ok(DrawAnswer::new(true, "The computer has a lost position."));
                }
                Some(Outcome::Draw) | None => {}
            }
        }
        if early {
            return Ok(DrawAnswer::new(false, "It is too early for a draw."));
        }
        let values = if limits.level.knows_tables() { values } else { &NoValues };
        // Answers are not random.
        let limits = SearchLimits { level: Level::BEST, ..*limits };
        // The side to move is the opponent.
        Ok(match self.judged(game, values, &limits, FORCED)? {
            (Some(Outcome::Loss), _) => DrawAnswer::new(false, "The computer sees a win."),
            (Some(Outcome::Draw), _) => DrawAnswer::new(true, "The position is a draw."),
            (Some(Outcome::Win), _) => DrawAnswer::new(true, "The computer has a lost position."),
            (None, Some(score)) if score < -STONE / 2 => DrawAnswer::new(false, "The computer considers itself ahead."),
            (None, Some(_)) => DrawAnswer::new(true, "The computer does not consider itself ahead."),
            (None, None) => DrawAnswer::new(false, "The computer prefers to play on."),
        })
    }

    /// Judges a position for its side to move by a search: the value, if it finds one, or else a score. If there is only one
    /// turn, it judges the position after it instead, up to `forced` times.
    fn judged<P: PointSet>(
        &mut self,
        game: &GameHistory<P>,
        values: &dyn Probe<P>,
        limits: &SearchLimits<'_>,
        forced: u32,
    ) -> Result<(Option<Outcome>, Option<i32>), EngineError> {
        if let Some(result) = game.result() {
            return Ok((Some(result.outcome(game.to_move())), None));
        }
        // Repetitions do not change the value of the position.
        let reply = self.choose_after(vec![*game.state()], game, values, limits, &mut |_| ())?;
        let found = (reply.known.bounds.exact(), reply.score);
        if found != (None, None) || forced == 0 {
            return Ok(found);
        }
        let mut next = game.clone();
        if next.play(&reply.text, None).is_err() {
            return Ok(found);
        }
        let (value, score) = self.judged(&next, values, limits, forced - 1)?;
        Ok((value.map(Outcome::reversed), score.map(|score| -score)))
    }
}

//! Whether the computer agrees to a draw.

use serde::Serialize;

use crate::board::PointSet;
use crate::report::{Category, known};
use crate::rules::Outcome;
use crate::table::Tables;

use super::super::course::Course;
use super::super::matches::Match;
use super::choose::{Engine, EngineError, Wish, fitting};
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
    /// where it wins; elsewhere, after the first turns, if a search within the wish does not see it in front. The lower
    /// levels know of no tables.
    ///
    /// # Errors
    /// [`EngineError`]: the game is over, or a table cannot be read.
    pub fn answer_draw(
        &mut self,
        game: &Match,
        tables: Option<&Tables>,
        wish: &Wish<'_>,
    ) -> Result<DrawAnswer, EngineError> {
        match game {
            Match::Narrow(course) => match fitting(course, tables) {
                Some(tables) => self.answer(course, &Reaching::new(tables), wish),
                None => self.answer(course, &NoValues, wish),
            },
            Match::Wide(course) => self.answer(course, &NoValues, wish),
        }
    }

    fn answer<P: PointSet, V: Values<P>>(
        &mut self,
        course: &Course<P>,
        values: &V,
        wish: &Wish<'_>,
    ) -> Result<DrawAnswer, EngineError> {
        if let Some(refusal) = course.over() {
            return Err(EngineError::Over(refusal));
        }
        let position = course.state().position;
        if wish.level.knows_tables() && course.tables_apply().apply {
            let mut probe = |own, enemy| values.known_in_reach(own, enemy);
            match known(course.referee().game(), &position, &mut probe)?.map(|known| known.outcome) {
                Some(Outcome::Draw) => return Ok(DrawAnswer::new(true, "The position is a draw.")),
                Some(Outcome::Loss) => return Ok(DrawAnswer::new(false, "The position is won for the computer.")),
                Some(Outcome::Win) => {
                    return Ok(DrawAnswer::new(true, "A draw is more than the computer can hope for."));
                }
                None => {}
            }
        }
        if course.played().len() < FIRST_TURNS {
            return Ok(DrawAnswer::new(false, "It is too early to talk about a draw."));
        }
        // Chance has no part in an answer.
        let level = Level::BEST;
        let wish = Wish { level, seed: wish.seed, stop: wish.stop, ..*wish };
        // Whether the position has stood before says nothing of what it is worth.
        let reply = self.choose_after(vec![*course.state()], course, values, &wish, &mut |_| ())?;
        // Seen from the side to move, which is the other one.
        Ok(match (reply.value, reply.score) {
            (Some(Category::Loss), _) => DrawAnswer::new(false, "The computer sees a win."),
            (Some(Category::Win), _) => DrawAnswer::new(true, "A draw is more than the computer can hope for."),
            (_, Some(score)) if score < -STONE / 2 => {
                DrawAnswer::new(false, "The computer thinks that it is in front.")
            }
            (_, Some(_)) => DrawAnswer::new(true, "The computer does not think that it is in front."),
            (_, None) => DrawAnswer::new(false, "The computer would rather play on."),
        })
    }
}

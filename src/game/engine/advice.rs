//! What tables say of a position that is to be played, and which of its turns are worth making by that.

use crate::board::PointSet;
use crate::report::{Category, known, rated_moves};
use crate::rules::{Outcome, Position, Rules, Turn};
use crate::table::{Known, TableError};

use super::super::history::GameHistory;
use super::super::referee::State;
use super::evaluate::evaluate;
use super::level::Level;
use super::values::Values;

/// What tables say of a position and its turns.
pub struct TableAdvice<P> {
    /// The value for the side to move.
    pub value: Option<Category>,
    /// Plies to the end, where depth tables tell.
    pub dtw: Option<u32>,
    /// The turns to choose from, by where they lead; all if the tables have no value.
    pub among: Option<Vec<State<P>>>,
    /// Whether these win, at unknown depths: then a search has to find the one that comes nearer to the end.
    pub convert: bool,
}

/// So many turns are compared by the replies to them; each takes as many look-ups as it has replies.
const MAX_COMPARED: usize = 24;

/// A turn with the position after it and what is known of that for the opponent.
type Rated<P> = (Turn, Position<P>, Option<Known>);

/// Asks the tables. A perfect player takes the quickest win and the slowest loss where depths are known; of turns that draw,
/// and of lost ones of unknown depth, those after which the opponent can go wrong most easily.
pub fn table_advice<P: PointSet, V: Values<P>>(
    game: &GameHistory<P>,
    values: &V,
    level: Level,
    random: &mut fastrand::Rng,
) -> Result<TableAdvice<P>, TableError> {
    let mut advice = TableAdvice { value: None, dtw: None, among: None, convert: false };
    if !level.knows_tables() || !game.tables_apply().apply {
        return Ok(advice);
    }
    let (rules, position) = (game.referee().board_rules(), game.state().position);
    let mut probe = |own, enemy| values.known_in_reach(own, enemy);
    let Some(here) = known(rules, &position, &mut probe)? else { return Ok(advice) };
    advice.value = Some(Some(here.outcome).into());
    advice.dtw = here.plies;
    if !level.is_perfect() {
        return Ok(advice);
    }
    let moves = rated_moves(rules, &position, &mut probe)?;
    // The best come first, and what they are worth is the value of the position.
    let equal = |known: &Option<Known>| known.map(|known| known.outcome.reversed()) == Some(here.outcome);
    let best: Vec<&Rated<P>> = moves.iter().filter(|(.., known)| equal(known)).collect();
    let Some((_, first, after)) = best.first() else { return Ok(advice) };
    let timed = here.plies.is_some() && after.is_some_and(|after| after.plies.is_some());
    advice.among = Some(if here.outcome != Outcome::Draw && timed {
        vec![(*first).into()]
    } else if here.outcome == Outcome::Win {
        advice.convert = true;
        best.iter().map(|(_, after, _)| (*after).into()).collect()
    } else {
        vec![hardest(game, values, &best, random)?]
    });
    Ok(advice)
}

/// The turn after which the smallest share of the opponent's replies keeps the value. New positions go before those that the
/// game has seen; where nothing else tells, chance does.
fn hardest<P: PointSet, V: Values<P>>(
    game: &GameHistory<P>,
    values: &V,
    best: &[&Rated<P>],
    random: &mut fastrand::Rng,
) -> Result<State<P>, TableError> {
    let rules = game.referee().board_rules();
    let mut rated = Vec::new();
    for (_, after, known) in best.iter().take(MAX_COMPARED) {
        let state = State::from(*after);
        let seen = game.states().filter(|earlier| **earlier == state).count();
        let outcome = known.map_or(Outcome::Draw, |known| known.outcome);
        let share = share_that_keeps(rules, values, after, outcome)?;
        let looks = evaluate(rules.board(), after.mover(), after.opponent());
        rated.push(((seen, share, looks, random.u32(..)), state));
    }
    rated.sort_unstable();
    Ok(rated[0].1)
}

/// Which share of the turns of a position keeps its value for the side to move, in thousandths.
fn share_that_keeps<P: PointSet, V: Values<P>>(
    rules: &Rules<P>,
    values: &V,
    position: &Position<P>,
    outcome: Outcome,
) -> Result<usize, TableError> {
    let replies = rules.successors(position.mover(), position.opponent());
    let mut keep = 0;
    for reply in &replies {
        let value = match rules.ending(reply.next, reply.moved) {
            None => values.outcome(reply.next, reply.moved)?,
            Some(_) => Some(Outcome::Loss),
        };
        keep += usize::from(value.is_none_or(|value| value.reversed() >= outcome));
    }
    Ok(1000 * keep / replies.len().max(1))
}

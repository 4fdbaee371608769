//! Advice of the tables: the value of a position, and the turns that keep it.

use crate::board::PointSet;
use crate::rules::{Outcome, Position, Rules};
use crate::table::{Known, Probe, RatedMove, TableError, known, rate};

use super::super::history::GameHistory;
use super::super::referee::State;
use super::evaluate::evaluate;
use super::level::Level;

/// The advice of the tables on a position.
pub struct TableAdvice<P> {
    /// The value for the side to move, `None` if it is unknown.
    pub value: Option<Outcome>,
    /// Plies to the end of the game, if known.
    pub dtw: Option<u32>,
    /// The states after the turns to choose from; `None` for all turns.
    pub among: Option<Vec<State<P>>>,
    /// Whether these turns win at unknown depths, so that a search has to find progress.
    pub convert: bool,
}

/// The most turns that are compared by their replies; each takes as many look-ups as it has replies.
const MAX_COMPARED: usize = 24;

/// Asks the tables. A perfect player takes the quickest win and the slowest loss where depths are known; of turns that draw,
/// and of lost ones of unknown depth, those after which the opponent can go wrong most easily.
pub fn table_advice<P: PointSet, V: Probe<P>>(
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
    let mut probe = |own, enemy| values.look_up(own, enemy);
    let Some(here) = known(rules, &position, &mut probe)? else { return Ok(advice) };
    let Some(outcome) = here.outcome() else { return Ok(advice) };
    advice.value = Some(outcome);
    advice.dtw = here.plies;
    if !level.is_perfect() {
        return Ok(advice);
    }
    let rating = rate(rules, &position, &mut probe)?;
    advice.dtw = rating.known.as_ref().and_then(|known| known.plies);
    // The best come first, and their value is that of the position.
    let best: Vec<&RatedMove<P>> = rating.moves.iter().filter(|rated| rated.outcome() == Some(outcome)).collect();
    let Some(first) = best.first() else { return Ok(advice) };
    let timed = advice.dtw.is_some() && first.plies().is_some();
    advice.among = Some(if outcome != Outcome::Draw && timed {
        vec![first.after.into()]
    } else if outcome == Outcome::Win {
        advice.convert = true;
        best.iter().map(|rated| rated.after.into()).collect()
    } else {
        vec![hardest(game, values, &best, random)?]
    });
    Ok(advice)
}

/// The turn after which the smallest share of the opponent's replies keeps the value. Positions new to the game come first;
/// ties are broken at random.
fn hardest<P: PointSet, V: Probe<P>>(
    game: &GameHistory<P>,
    values: &V,
    best: &[&RatedMove<P>],
    random: &mut fastrand::Rng,
) -> Result<State<P>, TableError> {
    let rules = game.referee().board_rules();
    let mut ranked = Vec::new();
    for RatedMove { after, known, .. } in best.iter().take(MAX_COMPARED) {
        let state = State::from(*after);
        let seen = game.states().filter(|earlier| **earlier == state).count();
        let outcome = known.as_ref().and_then(Known::outcome).unwrap_or(Outcome::Draw);
        let share = share_that_keeps(rules, values, after, outcome)?;
        let looks = evaluate(rules.board(), after.mover(), after.opponent());
        ranked.push(((seen, share, looks, random.u32(..)), state));
    }
    ranked.sort_unstable();
    Ok(ranked[0].1)
}

/// The share of the turns of a position that keep its value for the side to move, in thousandths.
fn share_that_keeps<P: PointSet, V: Probe<P>>(
    rules: &Rules<P>,
    values: &V,
    position: &Position<P>,
    outcome: Outcome,
) -> Result<usize, TableError> {
    let replies = rules.successors(position.mover(), position.opponent());
    let mut keep = 0;
    for reply in &replies {
        let best = match rules.ending(reply.next, reply.moved) {
            None => values.probe(reply.next, reply.moved)?.reversed().most,
            Some(_) => Outcome::Win,
        };
        keep += usize::from(best >= outcome);
    }
    Ok(1000 * keep / replies.len().max(1))
}

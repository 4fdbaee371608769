//! Advice of tables and proofs: what is known of the position, and which turns keep it.

use crate::board::PointSet;
use crate::rules::{Bounds, Outcome, Position, Rules};
use crate::table::{Known, Probe, RatedMove, Source, TableError, known, rate};

use super::super::history::GameHistory;
use super::super::referee::State;
use super::super::view::MAX_LISTED;
use super::evaluate::Evaluation;
use super::level::Level;

/// The advice of tables and proofs on a position.
pub struct Advice<P> {
    /// What is known, for the side to move.
    pub known: Option<Known>,
    /// The turns to choose from.
    pub turns: Turns<P>,
}

/// The turns to choose from, by the states after them.
pub enum Turns<P> {
    /// All of them: nothing is known.
    All,
    /// This one.
    Best(State<P>),
    /// These win, at unknown depths: a search has to find progress.
    Winning(Vec<State<P>>),
    /// These keep what is known; a search chooses among them. Others count only if it proves that they win.
    Holding(Vec<State<P>>),
}

impl<P> Advice<P> {
    /// What is known of the outcome.
    pub fn bounds(&self) -> Bounds {
        self.known.as_ref().map_or(Bounds::UNKNOWN, |known| known.bounds)
    }

    /// Leaves only allowed turns, given by the states after them. If none of those advised is allowed, any allowed turn may be
    /// chosen; its value is at most that of the position.
    pub fn restrict(&mut self, allowed: impl Fn(&State<P>) -> bool) {
        let advised = match &mut self.turns {
            Turns::All => false,
            Turns::Best(after) => allowed(after),
            Turns::Winning(afters) | Turns::Holding(afters) => {
                afters.retain(allowed);
                !afters.is_empty()
            }
        };
        if !advised {
            self.turns = Turns::All;
            self.known = self
                .known
                .take()
                .filter(|known| known.bounds.most < Outcome::Win)
                .map(|known| Known::new(Bounds { least: Outcome::Loss, ..known.bounds }, known.source));
        }
    }

    /// Whether the position is a draw that players would agree on: by tables, with few stones left.
    pub fn is_agreed_draw(&self) -> bool {
        self.known.as_ref().is_some_and(is_table_draw)
    }
}

/// Whether a position is a draw by tables. Draws by proof are played on: the other side may go wrong.
pub fn is_table_draw(known: &Known) -> bool {
    known.outcome() == Some(Outcome::Draw) && !matches!(known.source, Source::Proof(_))
}

/// The most turns that are compared by their replies; each takes as many look-ups as it has replies.
const MAX_COMPARED: usize = 24;

/// Asks tables and proofs. Where depths are known, a perfect player takes the quickest win and the slowest loss; in a win by
/// proof, the turn of least rank. Among turns that draw by tables, and among lost ones of unknown depth, it takes those after
/// which the opponent can go wrong most easily. Otherwise every turn that keeps what is known will do.
pub fn advice<P: PointSet>(
    game: &GameHistory<P>,
    values: &dyn Probe<P>,
    level: Level,
    random: &mut fastrand::Rng,
) -> Result<Advice<P>, TableError> {
    let mut advice = Advice { known: None, turns: Turns::All };
    if !level.knows_tables() || !game.tables_apply().apply {
        return Ok(advice);
    }
    let (rules, position) = (game.referee().board_rules(), game.state().position);
    let mut probe = |own, enemy| values.look_up(own, enemy);
    if !level.is_perfect() || rules.has_more_turns_than(MAX_LISTED, &position) {
        advice.known = known(rules, &position, &mut probe)?;
        return Ok(advice);
    }
    let rating = rate(rules, &position, &mut probe)?;
    // The game ends so soon that a search sees it, and in how many plies. A single turn needs no search.
    if rating.known.as_ref().is_some_and(|known| known.source == Source::Rules) {
        advice.known = rating.known.filter(|_| rating.moves.len() == 1);
        return Ok(advice);
    }
    // The best come first. The first keeps what is known, unless only the position itself is known.
    let Some(first) = rating.moves.first() else { return Ok(advice) };
    let least = first.bounds().least;
    let keeps =
        |rated: &&RatedMove<P>| rated.bounds().least == least && rated.bounds().most >= least.max(Outcome::Draw);
    let best: Vec<&RatedMove<P>> = rating.moves.iter().filter(keeps).collect();
    let states = |moves: &[&RatedMove<P>]| moves.iter().map(|rated| rated.after.into()).collect();
    let outcome = rating.known.as_ref().and_then(Known::outcome);
    let timed = rating.known.as_ref().is_some_and(|known| known.plies.is_some()) && first.plies().is_some();
    let ranked = first.known.as_ref().is_some_and(|known| known.rank > 0);
    let by_proof = rating.known.as_ref().is_some_and(|known| matches!(known.source, Source::Proof(_)));
    let few = game.state().stones() <= values.stones();
    let draws = |rated: &RatedMove<P>| game.is_drawn_by(&rated.after.into());
    advice.turns = match outcome {
        // A repetition that ends a won game is no progress, and the best turn of a lost one.
        Some(Outcome::Win) if timed || ranked => {
            let winning = best.iter().find(|rated| !draws(rated)).map_or(first, |rated| rated);
            Turns::Best(winning.after.into())
        }
        Some(Outcome::Win) if least == Outcome::Win => Turns::Winning(states(&best)),
        Some(Outcome::Draw) if few && least == Outcome::Draw => Turns::Best(hardest(game, values, &best, random)?),
        Some(Outcome::Loss) => match rating.moves.iter().find(|rated| draws(rated)) {
            Some(saving) => Turns::Best(saving.after.into()),
            None if timed || ranked => Turns::Best(first.after.into()),
            None => Turns::Best(hardest(game, values, &rating.moves.iter().collect::<Vec<_>>(), random)?),
        },
        // Outside of a proof, a turn that tables know to hold is no better than one of unknown value.
        None if !by_proof => Turns::All,
        _ if best.is_empty() => Turns::All,
        _ => Turns::Holding(states(&best)),
    };
    advice.known = rating.known;
    Ok(advice)
}

/// The turn after which the smallest share of the opponent's replies keeps the value. Positions new to the game come first;
/// ties are broken at random.
fn hardest<P: PointSet>(
    game: &GameHistory<P>,
    values: &dyn Probe<P>,
    best: &[&RatedMove<P>],
    random: &mut fastrand::Rng,
) -> Result<State<P>, TableError> {
    let rules = game.referee().board_rules();
    let (mut ranked, evaluation) = (Vec::new(), Evaluation::new(rules.board()));
    for RatedMove { after, known, .. } in best.iter().take(MAX_COMPARED) {
        let state = State::from(*after);
        let seen = game.occurrences(&state);
        let outcome = known.as_ref().and_then(Known::outcome).unwrap_or(Outcome::Draw);
        let share = share_that_keeps(rules, values, after, outcome)?;
        let looks = evaluation.evaluate(rules.board(), after.mover(), after.opponent());
        ranked.push(((seen, share, looks, random.u32(..)), state));
    }
    ranked.sort_unstable();
    Ok(ranked[0].1)
}

/// The share of the turns of a position that keep its value for the side to move, in thousandths.
fn share_that_keeps<P: PointSet>(
    rules: &Rules<P>,
    values: &dyn Probe<P>,
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

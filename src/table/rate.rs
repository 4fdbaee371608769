//! What rules and tables together know of a position and of each of its moves.

use crate::board::PointSet;
use crate::rules::{Ending, Outcome, Position, Rules, Turn, turn_text};

use super::probe::Known;

/// A move and what is known of the position after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedMove<P> {
    /// The move.
    pub turn: Turn,
    /// The position after it.
    pub after: Position<P>,
    /// What is known of that position, for the opponent, who is to move there.
    pub known: Option<Known>,
}

impl<P> RatedMove<P> {
    /// The value for the player who makes the move, `None` if it is unknown.
    #[must_use]
    pub fn value(&self) -> Option<Outcome> {
        self.known.map(|known| known.outcome.reversed())
    }

    /// Plies from the position after the move to the end of the game, if they are known.
    #[must_use]
    pub fn plies(&self) -> Option<u32> {
        self.known?.plies
    }
}

/// What is known of a position and of its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rating<P> {
    /// The position, for its side to move.
    pub known: Option<Known>,
    /// Every legal move, best first; of moves to the same board the shortest.
    pub moves: Vec<RatedMove<P>>,
}

/// What is known of a position for its side to move: by the rules if the game is over, or else by `probe`.
///
/// # Errors
/// Those of `probe`.
pub fn known<P: PointSet, E>(
    rules: &Rules<P>,
    position: &Position<P>,
    probe: &mut impl FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Option<Known>, E> {
    let over = |outcome| Some(Known { outcome, plies: (outcome != Outcome::Draw).then_some(0) });
    Ok(match rules.ending(position.mover(), position.opponent()) {
        Some(Ending::Won) => over(Outcome::Win),
        Some(Ending::Lost) => over(Outcome::Loss),
        Some(Ending::Drawn) => over(Outcome::Draw),
        None => probe(position.mover(), position.opponent())?,
    })
}

/// Rates a position and its moves, best first: quick wins, then slow ones, draws, unknown moves, slow losses, quick ones; equal
/// moves in the order of their notation. Where `probe` does not know the position or its depth, its moves may still decide.
///
/// # Errors
/// Those of `probe`.
pub fn rate<P: PointSet, E>(
    rules: &Rules<P>,
    position: &Position<P>,
    probe: &mut impl FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Rating<P>, E> {
    let here = known(rules, position, probe)?;
    let mut moves = Vec::new();
    for (turn, after) in rules.turns(position) {
        let known = known(rules, &after, probe)?;
        moves.push(RatedMove { turn, after, known });
    }
    let size = rules.board().size();
    moves.sort_by_cached_key(|rated| {
        // Wins of unknown depth come after those of known depth, losses before.
        let plies = rated.plies().map_or(i64::from(u32::MAX), i64::from);
        let (rank, plies) = match rated.value() {
            Some(Outcome::Win) => (0, plies),
            Some(Outcome::Draw) => (1, plies),
            None => (2, plies),
            Some(Outcome::Loss) => (3, -plies),
        };
        (rank, plies, turn_text(size, &rated.turn))
    });
    let implied = implied(&moves);
    let plies =
        implied.filter(|implied| here.is_none_or(|here| here.outcome == implied.outcome)).and_then(|it| it.plies);
    let known = here.or(implied).map(|known| Known { plies: known.plies.or(plies), ..known });
    Ok(Rating { known, moves })
}

/// What the moves of a position, best first, say of it.
fn implied<P>(moves: &[RatedMove<P>]) -> Option<Known> {
    let best = moves.first()?;
    let outcome = best.value()?;
    let all_known = moves.iter().all(|rated| rated.known.is_some());
    // The depth is that of the best move if no other can be better: no win is quicker than in one ply.
    let no_better = (outcome == Outcome::Win && best.plies() == Some(0))
        || all_known && moves.iter().all(|rated| rated.value() != Some(outcome) || rated.plies().is_some());
    let plies = best.plies().filter(|_| no_better && outcome != Outcome::Draw).map(|plies| plies + 1);
    (outcome == Outcome::Win || all_known).then_some(Known { outcome, plies })
}

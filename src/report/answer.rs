//! What is known of a position and of each of its moves.

use serde::Serialize;

use crate::board::PointSet;
use crate::rules::{Ending, Outcome, Position, Rules, Turn, turn_text};
use crate::table::Known;

/// Win, draw, loss or unknown, for a side that the field says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// That side wins.
    Win,
    /// Nobody can force a win.
    Draw,
    /// That side loses.
    Loss,
    /// Nothing here tells.
    Unknown,
}

impl Category {
    /// The category as the other side sees it.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Loss => Self::Win,
            other => other,
        }
    }

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::Loss => "loss",
            Self::Unknown => "unknown",
        }
    }

    /// Order of moves, best first; what is unknown comes before what is lost.
    fn rank(self) -> usize {
        self as usize ^ usize::from(matches!(self, Self::Loss | Self::Unknown))
    }
}

impl From<Option<Outcome>> for Category {
    fn from(outcome: Option<Outcome>) -> Self {
        match outcome {
            Some(Outcome::Win) => Self::Win,
            Some(Outcome::Draw) => Self::Draw,
            Some(Outcome::Loss) => Self::Loss,
            None => Self::Unknown,
        }
    }
}

/// One move of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MoveAnswer {
    /// The move, in Schadd's notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The position after it.
    pub position: String,
    /// What the position after it is for the opponent, who is to move there.
    pub category: Category,
    /// Plies from the position after it to the end of the game, where they are known.
    pub dtw: Option<u32>,
    /// What the move is for the player who makes it.
    pub outcome: Category,
}

/// What is known of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The position.
    pub position: String,
    /// The board.
    pub board: String,
    /// What it is for the side to move.
    pub category: Category,
    /// Plies to the end of the game, where they are known.
    pub dtw: Option<u32>,
    /// Every legal move, best first; moves to the same board are one.
    pub moves: Vec<MoveAnswer>,
}

/// What is known of a position for its side to move: by the rules if the game is over, or else by `probe`.
///
/// # Errors
/// Those of `probe`.
pub fn known<P: PointSet, E>(
    game: &Rules<P>,
    position: &Position<P>,
    probe: &mut impl FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Option<Known>, E> {
    let over = |outcome| Some(Known { outcome, plies: (outcome != Outcome::Draw).then_some(0) });
    Ok(match game.ending(position.mover(), position.opponent()) {
        Some(Ending::Won) => over(Outcome::Win),
        Some(Ending::Lost) => over(Outcome::Loss),
        Some(Ending::Drawn) => over(Outcome::Draw),
        None => probe(position.mover(), position.opponent())?,
    })
}

/// A move with the position after it, and what is known of that for the opponent.
type Rated<P> = (Turn, Position<P>, Option<Known>);

/// The moves of a position, best first: quick wins, then slow ones, draws, what is unknown, slow losses, quick ones; in the order
/// of their notation where nothing tells them apart.
///
/// # Errors
/// Those of `probe`.
pub fn rated_moves<P: PointSet, E>(
    game: &Rules<P>,
    position: &Position<P>,
    probe: &mut impl FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Vec<Rated<P>>, E> {
    let mut moves = Vec::new();
    for (turn, after) in game.turns(position) {
        let known = known(game, &after, probe)?;
        moves.push((turn, after, known));
    }
    let size = game.board().size();
    moves.sort_by_cached_key(|(turn, _, after)| {
        let outcome = Category::from(after.map(|after| after.outcome)).reversed();
        // Wins whose depth is unknown come after those that are known, losses before.
        let plies = after.and_then(|after| after.plies).map_or(i64::from(u32::MAX), i64::from);
        (outcome.rank(), if outcome == Category::Loss { -plies } else { plies }, turn_text(size, turn))
    });
    Ok(moves)
}

/// Answers a position with what `probe` knows. Where it does not know a position itself, its moves may still tell.
///
/// # Errors
/// Those of `probe`.
pub fn answer<P: PointSet, E>(
    game: &Rules<P>,
    position: &Position<P>,
    mut probe: impl FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Answer, E> {
    let size = game.board().size();
    let here = known(game, position, &mut probe)?;
    let moves = rated_moves(game, position, &mut probe)?;
    let here = here.or_else(|| implied(&moves));
    let moves = moves.into_iter().map(|(turn, after, known)| {
        let category = Category::from(known.map(|known| known.outcome));
        MoveAnswer {
            text: turn_text(size, &turn),
            position: after.to_text(size),
            category,
            dtw: known.and_then(|known| known.plies),
            outcome: category.reversed(),
        }
    });
    Ok(Answer {
        position: position.to_text(size),
        board: size.to_string(),
        category: here.map(|here| here.outcome).into(),
        dtw: here.and_then(|here| here.plies),
        moves: moves.collect(),
    })
}

/// What the moves of a position, best first, say of it.
fn implied<P>(moves: &[Rated<P>]) -> Option<Known> {
    let all_known = moves.iter().all(|(.., known)| known.is_some());
    let best = moves.first()?.2?;
    let outcome = best.outcome.reversed();
    // The depth is that of the best move only if no other can be better.
    let timed = all_known
        && moves
            .iter()
            .filter_map(|(.., known)| *known)
            .all(|known| known.outcome != best.outcome || known.plies.is_some());
    let plies = best.plies.filter(|_| timed && outcome != Outcome::Draw).map(|plies| plies + 1);
    (outcome == Outcome::Win || all_known).then_some(Known { outcome, plies })
}

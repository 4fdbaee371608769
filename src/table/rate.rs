//! What is known of a position and of each of its moves, by the rules, by tables and proofs, and by what follows from both.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::board::PointSet;
use crate::rules::{Bounds, Outcome, Position, Rules, Turn, turn_text};

use super::probe::{Known, Source};

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
    /// What is known for the player who makes the move.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.known.as_ref().map_or(Bounds::UNKNOWN, |known| known.bounds.reversed())
    }

    /// The outcome for the player who makes the move, `None` if it is not known exactly.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.bounds().exact()
    }

    /// Plies from the position after the move to the end of the game, if they are known.
    #[must_use]
    pub fn plies(&self) -> Option<u32> {
        self.known.as_ref()?.plies
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

/// The most turns of a position that are followed to find out what it is worth. Few positions have more than a hundred;
/// constructed ones have tens of thousands.
const MAX_FOLLOWED: usize = 1000;

/// What is known of a position for its side to move: by the rules if the game is over, by `probe`, or because `probe` knows
/// enough of the positions after its moves.
///
/// # Errors
/// Those of `probe`.
pub fn known<P: PointSet, E>(
    rules: &Rules<P>,
    position: &Position<P>,
    probe: &mut dyn FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Option<Known>, E> {
    let (mover, opponent) = (position.mover(), position.opponent());
    let here = direct(rules, mover, opponent, probe)?;
    if here.as_ref().is_some_and(|here| here.outcome().is_some()) {
        return Ok(here);
    }
    let (mut replies, mut turns) = (Vec::new(), 0);
    let followed = rules.for_each_turn(mover, opponent, |_, after| {
        turns += 1;
        match direct(rules, after.next, after.moved, probe) {
            _ if turns > MAX_FOLLOWED => ControlFlow::Break(None),
            Err(error) => ControlFlow::Break(Some(error)),
            Ok(reply) => {
                replies.push(reply);
                ControlFlow::Continue(())
            }
        }
    });
    match followed {
        ControlFlow::Break(Some(error)) => Err(error),
        ControlFlow::Break(None) => Ok(here),
        ControlFlow::Continue(()) => Ok(united(here, implied(&replies))),
    }
}

/// What the rules say if the game is over, or else `probe`.
///
/// # Errors
/// Those of `probe`.
pub fn direct<P: PointSet, E>(
    rules: &Rules<P>,
    mover: P,
    opponent: P,
    probe: &mut dyn FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Option<Known>, E> {
    let Some(outcome) = rules.ending(mover, opponent) else { return probe(mover, opponent) };
    let plies = (outcome != Outcome::Draw).then_some(0);
    Ok(Some(Known { plies, ..Known::new(outcome.into(), Source::Rules) }))
}

/// Rates a position and its moves, best first: wins, moves that do not lose, draws, unknown moves, moves that do not win, losses.
/// Of wins those by tables come first, quick ones before slow ones, then those of the least rank in a proof; losses in the
/// opposite order; equal moves in the order of their notation.
///
/// # Errors
/// Those of `probe`.
pub fn rate<P: PointSet, E>(
    rules: &Rules<P>,
    position: &Position<P>,
    probe: &mut dyn FnMut(P, P) -> Result<Option<Known>, E>,
) -> Result<Rating<P>, E> {
    let here = direct(rules, position.mover(), position.opponent(), probe)?;
    let mut moves = Vec::new();
    for (turn, after) in rules.turns(position) {
        let known = known(rules, &after, probe)?;
        moves.push(RatedMove { turn, after, known });
    }
    let size = rules.board().size();
    moves.sort_by_cached_key(|rated| {
        let bounds = rated.bounds();
        // Wins of unknown depth come after those of known depth, losses before.
        let plies = rated.plies().map_or(i64::from(u32::MAX), i64::from);
        let rank = rated.known.as_ref().map_or(0, |known| known.rank).cast_signed();
        let way = if bounds.most == Outcome::Loss { (-rank, -plies) } else { (rank, plies) };
        (Reverse((bounds.least, bounds.most)), way, turn_text(size, &rated.turn))
    });
    let replies: Vec<_> = moves.iter().map(|rated| rated.known.clone()).collect();
    Ok(Rating { known: united(here, implied(&replies)), moves })
}

/// What follows for a position from what is known of the positions after its moves, each for the side to move there.
fn implied(replies: &[Option<Known>]) -> Option<Known> {
    let of = |reply: &Option<Known>| reply.as_ref().map_or(Bounds::UNKNOWN, |known| known.bounds.reversed());
    let bounds = Bounds {
        least: replies.iter().map(|reply| of(reply).least).max()?,
        most: replies.iter().map(|reply| of(reply).most).max()?,
    };
    // One move proves that the outcome is no worse; only all moves together prove that it is no better.
    let best =
        replies.iter().filter(|reply| of(reply).least == bounds.least && bounds.least != Outcome::Loss).flatten();
    let all = replies.iter().filter(|_| bounds.most != Outcome::Win).flatten();
    let sources =
        best.clone().map(|known| &known.source).min().into_iter().chain(all.clone().map(|known| &known.source));
    let source = together(sources)?;
    let (plies, rank) = match bounds.exact() {
        Some(Outcome::Win) => {
            let plies = best.clone().filter_map(|known| known.plies).min();
            // It is the depth if no other move can be quicker: no win is quicker than in one ply.
            let slower = |reply: &Option<Known>| {
                of(reply).most != Outcome::Win || reply.as_ref().is_some_and(|known| known.plies.is_some())
            };
            let no_better = plies == Some(0) || replies.iter().all(slower);
            (plies.filter(|_| no_better), best.map(|known| known.rank).min())
        }
        Some(Outcome::Loss) => {
            let plies: Option<Vec<u32>> = all.clone().map(|known| known.plies).collect();
            (plies.and_then(|plies| plies.into_iter().max()), all.map(|known| known.rank).max())
        }
        _ => (None, None),
    };
    Some(Known { bounds, plies: plies.map(|plies| plies + 1), rank: rank.unwrap_or(0), source })
}

/// Combines what is known of a position directly and by its moves; nothing if these contradict each other.
fn united(here: Option<Known>, implied: Option<Known>) -> Option<Known> {
    let (Some(here), Some(implied)) = (&here, &implied) else { return here.or(implied) };
    let bounds = here.bounds.and(implied.bounds);
    if bounds == Bounds::UNKNOWN {
        return None;
    }
    Some(if bounds == here.bounds {
        let plies = implied.plies.filter(|_| implied.bounds == bounds);
        Known { plies: here.plies.or(plies), ..here.clone() }
    } else if bounds == implied.bounds {
        implied.clone()
    } else {
        Known::new(bounds, together([&here.source, &implied.source].into_iter())?)
    })
}

/// Between the names of certificates that prove a value together.
const AND: &str = " and ";

/// How a value is known that rests on several others: in the way that takes most work to trust, by all certificates together.
fn together<'s>(sources: impl Iterator<Item = &'s Source> + Clone) -> Option<Source> {
    let most = sources.clone().max()?;
    if let (Source::Proof(_), Some(least)) = (most, sources.clone().filter(|source| source.proof().is_some()).min())
        && least != most
    {
        let names: BTreeSet<&str> = sources.filter_map(Source::proof).flat_map(|names| names.split(AND)).collect();
        return Some(Source::Proof(Vec::from_iter(names).join(AND).into()));
    }
    Some(most.clone())
}

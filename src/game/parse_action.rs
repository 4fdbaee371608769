//! Parses actions as players write them: `d3-e3A`, `a1-b2`, and `c3x` for a sacrifice.

use std::ops::ControlFlow;

use thiserror::Error;

use crate::board::{BoardSize, PointSet, excerpt, point_name, read_point};
use crate::rules::{MoveError, Path, Step, Turn, read_path, turn_text};

use super::chain::Chain;
use super::referee::{Action, Referee, State};
use super::refusal::{MAX_CHAINS, Refusal, Wanted, refused_path, refused_stone, steps};

/// The most candidates that an error lists.
const MAX_CANDIDATES: usize = 24;

/// Why a text is not a legal action.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ActionError {
    /// The text is not a move.
    #[error(transparent)]
    Syntax(#[from] MoveError),
    /// It is against the rules.
    #[error("{text} is not legal: {why}; {}", list(.candidates, .stone))]
    Illegal {
        /// The whole text.
        text: String,
        /// Why.
        why: Box<Refusal>,
        /// The point that it starts from.
        stone: String,
        /// Some legal actions of that stone, or of all stones if it has none.
        candidates: Vec<String>,
    },
    /// The text describes several legal moves with different results.
    #[error("{text} is ambiguous: it could be {}; add A (approach) or W (withdrawal) to each step", joined(candidates))]
    Ambiguous {
        /// The whole text.
        text: String,
        /// Those moves.
        candidates: Vec<String>,
    },
}

/// The first of them.
fn joined(candidates: &[String]) -> String {
    candidates[..candidates.len().min(MAX_CANDIDATES)].join(", ")
}

fn list(candidates: &[String], stone: &str) -> String {
    let of_stone = |text: &String| text.strip_prefix(stone).is_some_and(|rest| rest.starts_with(['-', 'x']));
    if candidates.iter().any(of_stone) {
        format!("legal from {stone}: {}", candidates.join(", "))
    } else {
        format!("nothing is legal from {stone}; legal moves: {}", candidates.join(", "))
    }
}

/// A legal action and its effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedAction<P> {
    /// The action.
    pub action: Action,
    /// The stones that each step captures; empty for a sacrifice.
    pub captures: Vec<P>,
    /// The state after it.
    pub after: State<P>,
}

/// Parses a legal action. Dashes may be left out, and letters where they are not needed.
///
/// # Errors
/// [`ActionError`]: not a move, not legal, or ambiguous.
pub fn parse_action<P: PointSet>(
    referee: &Referee<P>,
    state: &State<P>,
    text: &str,
) -> Result<ParsedAction<P>, ActionError> {
    let size = referee.board().size();
    let trimmed = text.trim();
    let illegal = |stone: usize, why: Refusal| ActionError::Illegal {
        text: excerpt(trimmed).into_owned(),
        why: Box::new(why),
        stone: point_name(size, stone),
        candidates: candidates(referee, state, stone),
    };
    if let Some((point, "x" | "X")) = read_point(size, trimmed) {
        if let Some(refusal) = refused_stone(referee, state, point) {
            return Err(illegal(point, refusal));
        }
        if !referee.sacrifices(state).contains(point) {
            return Err(illegal(point, Refusal::NoSacrifices));
        }
        let after = referee.after_sacrifice(state, point);
        return Ok(ParsedAction { action: Action::Sacrifice(point), captures: Vec::new(), after });
    }
    let (from, wanted) = read_path(size, trimmed)?;
    match found(referee, state, from, &wanted) {
        Meaning::None => {
            let refusal = refused_path(referee, state, from, &wanted, true);
            Err(illegal(from, refusal.unwrap_or(Refusal::OneStep)))
        }
        Meaning::Some(chains) => {
            let action = |chain: &Chain<P>| ParsedAction {
                action: Action::Move(chain.turn()),
                captures: chain.captures(),
                after: chain.state_after(state),
            };
            let read: Vec<ParsedAction<P>> = chains.iter().map(action).collect();
            match &read[..] {
                [first, rest @ ..] if rest.iter().all(|other| other.after == first.after) => Ok(first.clone()),
                several => Err(ActionError::Ambiguous {
                    text: excerpt(trimmed).into_owned(),
                    candidates: several.iter().map(|read| read.action.text(size)).collect(),
                }),
            }
        }
        Meaning::Paika(turn, after) => {
            Ok(ParsedAction { action: Action::Move(turn), captures: vec![P::default()], after })
        }
    }
}

/// What a path means in a state.
enum Meaning<P> {
    None,
    Some(Vec<Chain<P>>),
    Paika(Turn, State<P>),
}

fn found<P: PointSet>(referee: &Referee<P>, state: &State<P>, from: usize, wanted: &[Wanted]) -> Meaning<P> {
    if !state.position.mover().contains(from) {
        return Meaning::None;
    }
    if referee.capturing_stones(state).is_empty() {
        let &[(to, None)] = wanted else { return Meaning::None };
        let step = Step { to, capture: None };
        let paika = referee.for_each_turn_of(from, state, |path, after| {
            if path.last() == step { ControlFlow::Break((path.to_turn(), after)) } else { ControlFlow::Continue(()) }
        });
        return match paika {
            ControlFlow::Break((turn, after)) => Meaning::Paika(turn, after),
            ControlFlow::Continue(()) => Meaning::None,
        };
    }
    let mut chains = vec![Chain::begin(state, from)];
    for &step in wanted {
        chains = steps(referee, &chains, step);
        // Every step without a letter may double their number.
        if chains.len() > MAX_CHAINS {
            break;
        }
    }
    if chains.len() <= MAX_CHAINS {
        chains.retain(|chain| chain.may_stop(referee));
    }
    if chains.is_empty() { Meaning::None } else { Meaning::Some(chains) }
}

/// Some legal actions of the stone on a point, or of all stones if it has none.
fn candidates<P: PointSet>(referee: &Referee<P>, state: &State<P>, from: usize) -> Vec<String> {
    let size = referee.board().size();
    let mut texts = Vec::new();
    if state.position.mover().contains(from) {
        let _ = referee.for_each_turn_of(from, state, |path, _| add(size, &mut texts, path));
        if referee.sacrifices(state).contains(from) {
            texts.push(Action::Sacrifice(from).text(size));
        }
    }
    if texts.is_empty() {
        let _ = referee.for_each_turn(state, |path, _| add(size, &mut texts, path));
    }
    texts
}

fn add(size: BoardSize, texts: &mut Vec<String>, path: &Path<'_>) -> ControlFlow<()> {
    texts.push(turn_text(size, &path.to_turn()));
    if texts.len() < MAX_CANDIDATES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

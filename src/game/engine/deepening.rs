//! Iterative deepening: the same position one ply deeper each time, best turns first.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::board::PointSet;
use crate::rules::turn_text;

use super::super::history::GameHistory;
use super::super::referee::{Action, Referee, State};
use super::evaluate::{KNOWN, WON};
use super::search::{Searcher, short_key};
use super::values::Values;

/// So many turns of the present position are looked at; only on crowded boards of more than 64 points are there more.
const MAX_ROOTS: usize = 4_000;

/// The deepest that is tried.
pub const MAX_DEPTH: i32 = 90;

/// A turn of the present position.
#[derive(Clone, Debug)]
pub struct Root<P> {
    /// The turn; of several that lead to the same state the shortest.
    pub action: Action,
    /// The state after it.
    pub after: State<P>,
    /// Its score in the last depth that was finished for it.
    pub score: i32,
}

/// The turns of a state, one for each state that they lead to, in a fixed order.
pub fn roots<P: PointSet>(referee: &Referee<P>, state: &State<P>) -> Vec<Root<P>> {
    let mut turns = Vec::new();
    let _ = referee.for_each_turn(state, |path, after| {
        turns.push((after, path.length(), path.to_turn()));
        if turns.len() < MAX_ROOTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    turns.sort_unstable();
    turns.dedup_by_key(|(after, ..)| *after);
    let mut roots: Vec<Root<P>> =
        turns.into_iter().map(|(after, _, turn)| Root { action: Action::Move(turn), after, score: 0 }).collect();
    for point in referee.sacrifices(state).iter() {
        roots.push(Root { action: Action::Sacrifice(point), after: referee.after_sacrifice(state, point), score: 0 });
    }
    roots
}

/// What a search has found so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The depth that is finished.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
    /// The time it has taken.
    pub time: Duration,
    /// The score in hundredths of a stone for the side to move; beyond 15 000 it is a known win, beyond -15 000 a known loss.
    pub score: i32,
    /// How it expects the game to go on.
    pub line: Vec<String>,
}

/// What a search has come to.
pub struct SearchResult {
    /// The last depth that was finished.
    pub depth: u32,
    /// The score of the best turn.
    pub score: i32,
}

/// How far a search goes.
#[derive(Clone, Copy)]
pub struct Reach {
    /// The deepest that is tried.
    pub depth: i32,
    /// When the search began.
    pub begun: Instant,
    /// When there is no more sense in beginning another depth.
    pub soft: Option<Instant>,
}

/// Searches the turns deeper and deeper, and brings the best to the front. The last depth may be unfinished: what is in
/// front then is the best of those that were compared.
pub fn deepen<P: PointSet, V: Values<P>>(
    game: &GameHistory<P>,
    searcher: &mut Searcher<'_, P, V>,
    roots: &mut [Root<P>],
    reach: Reach,
    info: &mut dyn FnMut(&Info),
) -> SearchResult {
    let mut found = SearchResult { depth: 0, score: 0 };
    for depth in 1..=reach.depth {
        let mut best = -WON - 1;
        for number in 0..roots.len() {
            let score = score_of(searcher, &roots[number], depth, (number == 0, best));
            if searcher.halted {
                break;
            }
            roots[number].score = score;
            if score > best {
                best = score;
                roots[..=number].rotate_right(1);
            }
        }
        if best < -WON {
            break;
        }
        found.score = best;
        if searcher.halted {
            break;
        }
        found.depth = depth.unsigned_abs();
        let line = line(game, searcher, &roots[0]);
        info(&Info { depth: found.depth, nodes: searcher.nodes, time: reach.begun.elapsed(), score: best, line });
        // A win or loss that is seen to its end does not get nearer by looking deeper.
        let seen = WON - best.abs() <= depth;
        if seen || roots.len() == 1 || reach.soft.is_some_and(|soft| Instant::now() >= soft) {
            break;
        }
    }
    found
}

/// The score of a turn, of later ones only whether it is better than the best, and if so what it is.
fn score_of<P: PointSet, V: Values<P>>(
    searcher: &mut Searcher<'_, P, V>,
    root: &Root<P>,
    depth: i32,
    (first, best): (bool, i32),
) -> i32 {
    if first {
        return searcher.score_after(&root.after, depth - 1, -WON - 1, WON + 1);
    }
    let score = searcher.score_after(&root.after, depth - 1, best, best + 1);
    if score > best && !searcher.halted {
        return searcher.score_after(&root.after, depth - 1, best, WON + 1);
    }
    score
}

/// The turns that the search expects, as far as it remembers them.
fn line<P: PointSet, V: Values<P>>(
    game: &GameHistory<P>,
    searcher: &Searcher<'_, P, V>,
    root: &Root<P>,
) -> Vec<String> {
    let size = game.size();
    let referee = game.referee();
    let mut texts = vec![root.action.text(size)];
    let mut seen = vec![*game.state(), root.after];
    while texts.len() < 12 {
        let state = seen[seen.len() - 1];
        let Some(best) = searcher.best_of(&state, seen.len() - 1) else { break };
        let turn = referee.for_each_turn(&state, |path, after| {
            if short_key(&after) == best {
                return ControlFlow::Break((turn_text(size, &path.to_turn()), after));
            }
            ControlFlow::Continue(())
        });
        let sacrifice = || {
            let points = referee.sacrifices(&state).iter();
            let mut afters = points.map(|point| (point, referee.after_sacrifice(&state, point)));
            let (point, after) = afters.find(|(_, after)| short_key(after) == best)?;
            Some((Action::Sacrifice(point).text(size), after))
        };
        let Some((text, after)) = turn.break_value().or_else(sacrifice) else { break };
        if seen.contains(&after) {
            break;
        }
        texts.push(text);
        seen.push(after);
    }
    texts
}

/// Whether a score is a known win or loss.
#[must_use]
pub fn is_known(score: i32) -> bool {
    score.abs() > KNOWN
}

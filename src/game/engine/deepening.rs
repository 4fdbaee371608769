//! Iterative deepening: searches a position one ply deeper each time, best turns first.

use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::time::Duration;

use web_time::Instant;

use crate::board::PointSet;
use crate::rules::turn_text;

use super::super::history::GameHistory;
use super::super::referee::{Action, Referee, State};
use super::candidates::short_key;
use super::evaluate::{KNOWN, WON};
use super::search::Searcher;

/// The most turns of the present position that are searched; only positions that were made for it have more.
const MAX_ROOTS: usize = 4_000;

/// The greatest depth.
pub const MAX_DEPTH: i32 = 90;

/// A turn of the present position.
#[derive(Clone, Debug)]
pub struct Root<P> {
    /// The turn, the shortest of those that lead to the same state.
    pub action: Action,
    /// The state after it.
    pub after: State<P>,
    /// Its score in the last depth completed for it.
    pub score: i32,
}

/// The turns of a state, one for each state they lead to, in a fixed order; and whether these are all.
pub fn roots<P: PointSet>(referee: &Referee<P>, state: &State<P>) -> (Vec<Root<P>>, bool) {
    let mut turns = Vec::new();
    let left = referee.for_each_turn(state, |path, after| {
        turns.push((after, path.length(), path.to_turn()));
        if turns.len() < MAX_ROOTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    turns.sort_unstable();
    turns.dedup_by_key(|(after, ..)| *after);
    let mut roots: Vec<Root<P>> =
        turns.into_iter().map(|(after, _, turn)| Root { action: Action::Move(turn), after, score: 0 }).collect();
    for point in referee.sacrifices(state).iter() {
        let after = referee.after_sacrifice(state, point);
        roots.push(Root { action: Action::Sacrifice(point), after, score: 0 });
    }
    (roots, left.is_continue())
}

/// The progress of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchInfo {
    /// The place of the line among those reported: 1 for the best.
    pub rank: u32,
    /// The completed depth.
    pub depth: u32,
    /// The longest line that was searched, captures beyond the depth included.
    pub longest: u32,
    /// Positions searched.
    pub nodes: u64,
    /// Look-ups in tables that found a value.
    pub table_hits: u64,
    /// How full the transposition table is with positions of this search, in thousandths.
    pub fill: u32,
    /// Time taken.
    pub time: Duration,
    /// The score in hundredths of a stone for the side to move; above 15 000 a known win, below -15 000 a known loss.
    pub score: i32,
    /// The expected line of play.
    pub line: Vec<String>,
}

impl SearchInfo {
    /// Positions searched in a second.
    #[must_use]
    pub fn nodes_per_second(&self) -> u64 {
        let speed = u128::from(self.nodes) * 1000 / self.time.as_millis().max(1);
        u64::try_from(speed).unwrap_or(u64::MAX)
    }
}

/// The result of a search.
pub struct SearchResult {
    /// The last completed depth.
    pub depth: u32,
    /// The score of the best turn.
    pub score: i32,
}

/// How far a search goes, and what it reports.
#[derive(Clone, Copy)]
pub struct DeepeningLimits {
    /// The depth to begin with.
    pub first: i32,
    /// The greatest depth.
    pub depth: i32,
    /// The number of best turns that are found.
    pub lines: usize,
    /// When the search began.
    pub begun: Instant,
}

/// The first window reaches this far on either side of the last score.
const WINDOW: i32 = 30;

/// The least depth for such a window.
const WINDOW_DEPTH: i32 = 4;

/// Searches the turns deeper and deeper, and moves the best to the front. If the last depth is incomplete, the first turn is
/// the best of those compared, or the next one if all these are lost, or with several lines that of the last complete depth.
pub fn deepen<P: PointSet>(
    game: &GameHistory<P>,
    searcher: &mut Searcher<'_, P>,
    roots: &mut [Root<P>],
    limits: DeepeningLimits,
    info: &mut dyn FnMut(&SearchInfo),
) -> SearchResult {
    let mut found = SearchResult { depth: 0, score: 0 };
    for depth in limits.first..=limits.depth {
        let lines = limits.lines.min(roots.len());
        let reported = (lines > 1).then(|| roots.to_vec());
        for first in 0..lines {
            let best = search_roots(searcher, &mut roots[first..], depth);
            if searcher.halted {
                match (best, reported) {
                    // The best of several lines is the first that was reported.
                    (_, Some(reported)) if found.depth > 0 => roots.clone_from_slice(&reported),
                    (Some(score), _) if first == 0 => found.score = score,
                    _ => {}
                }
                return found;
            }
        }
        // With its other window, a later search may find a better line than an earlier one.
        roots[..lines].sort_by_key(|root| Reverse(root.score));
        found = SearchResult { depth: depth.unsigned_abs(), score: roots[0].score };
        for (rank, root) in (1..).zip(&roots[..lines]) {
            info(&SearchInfo {
                rank,
                depth: found.depth,
                longest: searcher.longest(),
                nodes: searcher.nodes,
                table_hits: searcher.table_hits,
                fill: searcher.table_fill(),
                time: limits.begun.elapsed(),
                score: root.score,
                line: line(game, searcher, root),
            });
        }
        // A deeper search does not shorten a win or loss that is searched to its end.
        if WON - found.score.abs() <= depth {
            break;
        }
    }
    found
}

/// Searches the turns, moves the best to the front and returns its score. `None` if the search ended before one was found that is not
/// lost: the turns that are left may be better, and the first of them is moved to the front.
fn search_roots<P: PointSet>(searcher: &mut Searcher<'_, P>, roots: &mut [Root<P>], depth: i32) -> Option<i32> {
    let mut best = -WON - 1;
    for number in 0..roots.len() {
        let score = score_of(searcher, &roots[number], depth, best);
        if searcher.halted {
            if best < -KNOWN {
                roots[..=number].rotate_right(1);
                return None;
            }
            break;
        }
        roots[number].score = score;
        if score > best {
            best = score;
            roots[..=number].rotate_right(1);
        }
    }
    Some(best)
}

/// The score of a turn if it is better than `best`, the best so far, and otherwise an upper bound.
fn score_of<P: PointSet>(searcher: &mut Searcher<'_, P>, root: &Root<P>, depth: i32, best: i32) -> i32 {
    let mut search = |alpha: i32, beta: i32| searcher.score_after(&root.after, depth - 1, alpha, beta);
    let (mut alpha, mut beta) = (best, best + 1);
    if best < -WON {
        let narrow = depth >= WINDOW_DEPTH && !is_known(root.score);
        (alpha, beta) = if narrow { (root.score - WINDOW, root.score + WINDOW) } else { (best, WON + 1) };
    }
    loop {
        // After an early end the score does not matter.
        let score = search(alpha, beta);
        if score >= beta && beta <= WON {
            beta = if beta == alpha + 1 || score > beta + WINDOW { WON + 1 } else { beta + 4 * WINDOW };
        } else if score <= alpha && alpha > best {
            alpha = if score < alpha - WINDOW { best } else { (alpha - 4 * WINDOW).max(best) };
        } else {
            return score;
        }
    }
}

/// The expected line, as far as the transposition table has it.
fn line<P: PointSet>(game: &GameHistory<P>, searcher: &Searcher<'_, P>, root: &Root<P>) -> Vec<String> {
    let size = game.size();
    let referee = game.referee();
    let mut texts = vec![root.action.text(size)];
    let mut seen = vec![*game.state(), root.after];
    while texts.len() < 12 {
        let state = seen[seen.len() - 1];
        let Some(best) = searcher.stored_best(&state, seen.len() - 1) else { break };
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

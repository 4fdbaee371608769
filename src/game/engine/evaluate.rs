//! Static evaluation: stones, and their freedom to move.

use crate::board::{Board, DIRECTIONS, PointSet};

/// Scores beyond this are known wins and losses.
pub const KNOWN: i32 = 15_000;

/// The score of a win in 0 plies, found by search.
pub const WON: i32 = 30_000;

/// The score of a win by table, of unknown depth.
pub const TABLE_WON: i32 = 20_000;

/// The score of a stone.
pub const STONE: i32 = 100;

/// The plies to the end of the game for a score, if the search reached the end.
#[must_use]
pub fn plies_to_end(score: i32) -> Option<u32> {
    let plies = WON - score.abs();
    u32::try_from(plies).ok().filter(|&plies| plies < 2_000)
}

/// The number of steps to empty points of the stones of a side.
#[inline]
pub fn room<P: PointSet>(board: &Board<P>, own: P, empty: P) -> usize {
    (0..DIRECTIONS).map(|direction| (board.points_before(empty, direction) & own).count()).sum()
}

/// The static evaluation for the side to move, with the stones `own`: difference in stones, which counts more the fewer there
/// are in all, freedom to move, and stones of the enemy that could capture.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // a board has at most 169 points
pub fn evaluate<P: PointSet>(board: &Board<P>, own: P, enemy: P) -> i32 {
    let empty = board.all().without(own | enemy);
    let (mine, theirs) = (own.count() as i32, enemy.count() as i32);
    let ahead = mine - theirs;
    let stones = STONE * ahead + 6 * STONE * ahead / (mine + theirs).max(1);
    let room = room(board, own, empty) as i32 - room(board, enemy, empty) as i32;
    let threats = board.capturing_stones(enemy, own).count() as i32;
    (stones + 2 * room - 12 * threats).clamp(1 - KNOWN, KNOWN - 1)
}

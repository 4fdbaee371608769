//! What a position looks to be worth: stones, and the room they have.

use crate::board::{Board, DIRECTIONS, PointSet};

/// Scores beyond this are known wins and losses.
pub const KNOWN: i32 = 15_000;

/// The score of a win in so few plies as 0 that is sure by the moves alone.
pub const WON: i32 = 30_000;

/// The score of a win that a table tells without its depth.
pub const TABLE_WON: i32 = 20_000;

/// What a stone is worth.
pub const STONE: i32 = 100;

/// The plies until the end of a game of that score, if the search has seen it.
#[must_use]
pub fn plies_to_end(score: i32) -> Option<u32> {
    let plies = WON - score.abs();
    u32::try_from(plies).ok().filter(|&plies| plies < 2_000)
}

/// The number of steps to empty points that the stones of a side have.
#[inline]
pub fn room<P: PointSet>(board: &Board<P>, own: P, empty: P) -> usize {
    (0..DIRECTIONS).map(|direction| (board.points_before(empty, direction) & own).count()).sum()
}

/// What a position looks to be worth for the side with the stones `own`, who is to move: stones, the more the fewer there
/// are in all; then room, and stones that could capture.
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

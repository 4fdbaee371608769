//! The move generator of the verifier and the checker: point by point, straight from the rules. It shares only the lines
//! of the board with the one that built the tables.

use crate::board::{Board, DIRECTIONS};

/// The rules as the verifier needs them.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Chains continue while they can.
    pub obligatory: bool,
    /// No direction is taken twice in a turn; otherwise not twice in a row.
    pub once: bool,
}

/// The stones of the side that moves and of the other, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stones {
    /// The side that moves.
    pub own: u64,
    /// The other side.
    pub enemy: u64,
}

fn has(set: u64, point: usize) -> bool {
    set & (1 << point) != 0
}

/// The points of a set, ascending.
fn points(set: u64) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let point = (rest != 0).then_some(rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(point)
    })
}

/// The enemy stones that one step captures in one of the two ways: the run that begins at `first`.
fn captured(board: &Board<u64>, enemy: u64, first: Option<usize>, direction: usize) -> u64 {
    let mut run = 0;
    let mut at = first;
    while let Some(point) = at {
        if !has(enemy, point) {
            break;
        }
        run |= 1 << point;
        at = board.next(point, direction);
    }
    run
}

/// A stone in the middle of its turn.
struct Moving<'a> {
    stones: Stones,
    point: usize,
    been: u64,
    /// The direction of its last step, and its state before that step; `None` before the first step.
    last: Option<(usize, &'a Moving<'a>)>,
}

/// Whether the earlier steps forbid one in this direction.
fn is_forbidden(options: Options, moving: &Moving<'_>, direction: usize) -> bool {
    let Some((last, before)) = moving.last else { return false };
    last == direction || options.once && is_forbidden(options, before, direction)
}

/// Visits every board that a turn leads to, some perhaps several times, until `visit` returns false. In these boards
/// `own` is still the side that made the turn. Returns whether there was any turn.
pub fn for_each_turn(
    board: &Board<u64>,
    options: Options,
    stones: Stones,
    visit: &mut impl FnMut(Stones) -> bool,
) -> bool {
    let mut go_on = true;
    let mut any_capture = false;
    for point in points(stones.own) {
        if go_on {
            let moving = Moving { stones, point, been: 1 << point, last: None };
            any_capture |= capture_from(board, options, &moving, visit, &mut go_on);
        }
    }
    if any_capture {
        return true;
    }
    let mut any_paika = false;
    for point in points(stones.own) {
        for direction in 0..DIRECTIONS {
            let Some(to) = board.next(point, direction) else { continue };
            if !has(stones.own | stones.enemy, to) {
                any_paika = true;
                let own = stones.own & !(1 << point) | 1 << to;
                if !visit(Stones { own, enemy: stones.enemy }) {
                    return true;
                }
            }
        }
    }
    any_paika
}

fn capture_from(
    board: &Board<u64>,
    options: Options,
    moving: &Moving<'_>,
    visit: &mut impl FnMut(Stones) -> bool,
    go_on: &mut bool,
) -> bool {
    let Moving { stones, point, been, .. } = *moving;
    let mut any = false;
    for direction in 0..DIRECTIONS {
        if is_forbidden(options, moving, direction) {
            continue;
        }
        let Some(to) = board.next(point, direction) else { continue };
        if has(stones.own | stones.enemy | been, to) {
            continue;
        }
        let back = direction ^ 1;
        let ahead = captured(board, stones.enemy, board.next(to, direction), direction);
        let behind = captured(board, stones.enemy, board.next(point, back), back);
        for taken in [ahead, behind] {
            if taken == 0 || !*go_on {
                continue;
            }
            any = true;
            let own = stones.own & !(1 << point) | 1 << to;
            let after = Stones { own, enemy: stones.enemy & !taken };
            let further = Moving { stones: after, point: to, been: been | 1 << to, last: Some((direction, moving)) };
            if !options.obligatory && !visit(after) {
                *go_on = false;
                return true;
            }
            let extended = capture_from(board, options, &further, visit, go_on);
            if options.obligatory && !extended && *go_on && !visit(after) {
                *go_on = false;
                return true;
            }
        }
    }
    any
}

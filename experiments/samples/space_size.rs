//! The number of positions of a board: all of them by formula, the reachable ones by following every turn.

use std::collections::HashSet;

use fanorona::board::{BoardSize, PointSet};
use fanorona::rules::{Position, Rules};

/// Numbers of stones of the start position, white and black, which no game exceeds.
#[must_use]
pub fn start_stones(size: BoardSize) -> (usize, usize) {
    let half = size.points() / 2;
    (half, half)
}

/// Number of placements on `points` points with one to `white` white and one to `black` black stones: the sum over all
/// w and b of N! / (w! b! (N - w - b)!). Symmetric placements count each; the side to move is not counted. `None` if
/// the number exceeds 128 bits, which takes more than 80 points.
#[must_use]
pub fn placements_up_to(points: usize, white: usize, black: usize) -> Option<u128> {
    let pascal = pascal(points)?;
    let mut sum = 0u128;
    for w in 1..=white.min(points) {
        let rest = points - w;
        for b in 1..=black.min(rest) {
            sum = sum.checked_add(pascal[points][w].checked_mul(pascal[rest][b])?)?;
        }
    }
    Some(sum)
}

/// Pascal's triangle down to row `n`.
fn pascal(n: usize) -> Option<Vec<Vec<u128>>> {
    let mut rows = vec![vec![1u128]];
    for row in 0..n {
        let above = &rows[row];
        let mut next = vec![1; row + 2];
        for k in 1..=row {
            next[k] = above[k - 1].checked_add(above[k])?;
        }
        rows.push(next);
    }
    Some(rows)
}

/// The positions that games from `start` reach, `start` and finished games included, with the side to move. All are held in
/// memory.
#[must_use]
pub fn reachable<P: PointSet>(rules: &Rules<P>, start: Position<P>) -> HashSet<Position<P>> {
    let mut found = HashSet::from([start]);
    let mut open = vec![start];
    while let Some(position) = open.pop() {
        for after in rules.successors(position.mover(), position.opponent()) {
            let next = Position::of_sides(position.to_move.other(), after.next, after.moved);
            if found.insert(next) {
                open.push(next);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona::board::Board;
    use fanorona::rules::RuleSet;

    /// Every way to leave a point empty or put a stone on it, one by one.
    fn by_enumeration(points: usize, white: usize, black: usize) -> u128 {
        let mut count = 0;
        for code in 0..3usize.pow(u32::try_from(points).unwrap()) {
            let digits = std::iter::successors(Some(code), |code| Some(code / 3)).map(|code| code % 3).take(points);
            let (mut w, mut b) = (0, 0);
            for digit in digits {
                w += usize::from(digit == 1);
                b += usize::from(digit == 2);
            }
            count += u128::from((1..=white).contains(&w) && (1..=black).contains(&b));
        }
        count
    }

    #[test]
    fn the_formula_counts_what_enumeration_finds() {
        for points in 1..=9 {
            for white in 0..=points {
                for black in 0..=points {
                    let found = by_enumeration(points, white, black);
                    assert_eq!(placements_up_to(points, white, black), Some(found), "{points} {white} {black}");
                }
            }
        }
    }

    #[test]
    fn without_bounds_it_is_a_power_of_three_less_what_lacks_a_colour() {
        for points in [1usize, 21, 45, 64, 80] {
            let power = 3u128.pow(u32::try_from(points).unwrap());
            let lacking = 2 * (1u128 << points) - 1;
            assert_eq!(placements_up_to(points, points, points), Some(power - lacking));
        }
        assert_eq!(placements_up_to(169, 84, 84), None);
        assert_eq!(placements_up_to(13, 169, 0), Some(0));
    }

    #[test]
    fn the_start_has_as_many_stones_as_counted() {
        for size in ["1x1", "3x3", "3x5", "9x5", "7x9"] {
            let size: BoardSize = size.parse().unwrap();
            let start = Position::<u64>::start(size);
            let stones = (start.white.count_ones() as usize, start.black.count_ones() as usize);
            assert_eq!(start_stones(size), stones, "{size}");
        }
    }

    #[test]
    fn reachable_positions_are_placements_of_that_many_stones() {
        let size: BoardSize = "3x3".parse().unwrap();
        let rules = Rules::new(Board::<u64>::new(size, RuleSet::default().diagonals), RuleSet::default());
        let found = reachable(&rules, Position::start(size));
        // Known; the program's values of complete boards are tested against it as well.
        assert_eq!(found.len(), 1012);
        let unfinished = found.iter().filter(|position| position.white != 0 && position.black != 0).count();
        let (white, black) = start_stones(size);
        assert!(unfinished as u128 <= 2 * placements_up_to(size.points(), white, black).unwrap());
    }
}

//! From which points a lone stone can capture, and from which a chain of captures may take some number of stones.
//!
//! All points at once, as sets. The first two steps of a chain are exact: what the first step takes lies on its own line, where the
//! second may not go. For later steps the points that enemy stones stand on count as empty, and no stone as taken, and steps
//! may have the direction of any but the one before, so that the sets can be too large, but never too small.

use crate::board::{Board, DIRECTIONS, PointSet};

/// Numbers of captured stones are distinguished up to this one.
const MOST: usize = 4;

/// By direction of a step: points from which it captures, or begins a chain.
type ByDirection = [u64; DIRECTIONS];

/// By line of the step before: points from which a chain can go on.
type ByLine = [u64; DIRECTIONS / 2];

/// The captures of a lone stone against an enemy set. Of several sets the first is for one stone or more, the second for two or more, and
/// so on.
pub struct Reach<'a> {
    board: &'a Board<u64>,
    steps: [ByDirection; MOST],
    /// Where a chain goes on after its first step.
    second: [ByLine; MOST - 1],
    /// Where it goes on after that.
    later: [ByLine; MOST - 2],
}

impl<'a> Reach<'a> {
    /// The captures against an enemy set.
    #[inline(always)]
    #[must_use]
    pub fn new(board: &'a Board<u64>, enemy: u64) -> Self {
        let (mut steps, mut loose) = ([[0; DIRECTIONS]; MOST], [[0; DIRECTIONS]; MOST - 2]);
        let (all, free) = (board.all(), board.all().without(enemy));
        for direction in 0..DIRECTIONS {
            let (mut ahead, mut behind) = (enemy, enemy);
            let (to_any, to_free) = (board.points_before(all, direction), board.points_before(free, direction));
            for number in 0..MOST {
                let withdrawal = board.points_before(behind, direction ^ 1);
                let before = board.points_before(ahead, direction);
                let approach = board.points_before(before & free, direction);
                steps[number][direction] = free & (approach | withdrawal & to_free);
                if let Some(loose) = loose.get_mut(number) {
                    loose[direction] = board.points_before(before, direction) | withdrawal & to_any;
                }
                (ahead, behind) = (enemy & before, enemy & withdrawal);
            }
        }
        let mut reach = Self { board, steps, second: [[0; 4]; MOST - 1], later: [[0; 4]; MOST - 2] };
        for number in 0..MOST - 2 {
            reach.later[number] = onward(&reach.chains(&loose, number, &reach.later));
        }
        for number in 0..MOST - 1 {
            reach.second[number] = onward(&reach.chains(&steps, number, &reach.later));
        }
        reach
    }

    /// The points from which the stone can capture.
    #[inline(always)]
    #[must_use]
    pub fn capturing(&self) -> u64 {
        union(&self.steps[0])
    }

    /// A superset of the points from which a chain can capture at least `stones` stones.
    #[inline(always)]
    #[must_use]
    pub fn at_least(&self, stones: usize) -> u64 {
        union(&self.chains(&self.steps, stones.clamp(1, MOST) - 1, &self.second))
    }

    /// Whether a chain of `length` steps, the last in that direction to that point, may go on and capture so many more stones.
    #[inline]
    #[must_use]
    pub fn goes_on(&self, length: usize, direction: usize, point: usize, stones: usize) -> bool {
        let then = if length == 1 { &self.second[..] } else { &self.later };
        stones == 0 || then[stones.min(then.len()) - 1][direction / 2].contains(point)
    }

    /// Where chains begin that capture more than `number` stones, with one of these steps and then as `then` says.
    #[inline(always)]
    fn chains(&self, steps: &[ByDirection], number: usize, then: &[ByLine]) -> ByDirection {
        let mut chains = steps[number];
        for (direction, chains) in chains.iter_mut().enumerate() {
            for first in 0..number {
                let rest = then[number - 1 - first][direction / 2];
                *chains |= steps[first][direction] & self.board.points_before(rest, direction);
            }
        }
        chains
    }
}

/// All points of some directions.
#[inline(always)]
fn union(points: &ByDirection) -> u64 {
    let mut all = 0;
    for points in points {
        all |= points;
    }
    all
}

/// The points of directions on other lines: after a step the same direction is not allowed, and the opposite one leads back.
#[inline(always)]
fn onward(points: &ByDirection) -> ByLine {
    let mut others = [0; DIRECTIONS / 2];
    for (line, others) in others.iter_mut().enumerate() {
        for (direction, points) in points.iter().enumerate() {
            *others |= if direction / 2 == line { 0 } else { *points };
        }
    }
    others
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::board::Diagonals;
    use crate::rules::{RuleSet, Rules};

    /// The slow twin: every chain.
    #[test]
    fn no_chain_that_takes_enough_is_missed() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut promising, mut real) = ([0; 8], [0; 8]);
        for (board, diagonals) in [
            ("9x5", Diagonals::Corner),
            ("5x5", Diagonals::Centre),
            ("1x7", Diagonals::Corner),
            ("3x9", Diagonals::Centre),
        ] {
            let size: crate::board::BoardSize = board.parse().expect("a board");
            let rules = Rules::<u64>::new(Board::new(size, diagonals), RuleSet { diagonals, ..RuleSet::default() });
            for _ in 0..3000 {
                let enemy = random.u64(..) & random.u64(..) & rules.board().all();
                let reach = Reach::new(rules.board(), enemy);
                for from in rules.board().all().without(enemy).iter() {
                    let chains = |goes_on: &dyn Fn(usize, usize, usize, u64) -> bool| {
                        let mut most = 0;
                        let _ = rules.for_each_chain_where(
                            from,
                            enemy,
                            |direction, path, left| goes_on(path.length(), direction, path.last().to, left),
                            |_, left| {
                                most = most.max(enemy.count() - left.count());
                                ControlFlow::<()>::Continue(())
                            },
                        );
                        most
                    };
                    let most = chains(&|_, _, _, _| true);
                    assert_eq!(reach.capturing().contains(from), most > 0);
                    for stones in 1..8 {
                        let may = reach.at_least(stones).contains(from);
                        assert!(may || most < stones, "{board} {enemy:b} {from} {stones}");
                        promising[stones] += u32::from(may);
                        real[stones] += u32::from(most >= stones);
                        let bound = enemy.count().saturating_sub(stones);
                        let cut = chains(&|length, direction, point, left| {
                            reach.goes_on(length, direction, point, left.count().saturating_sub(bound))
                        });
                        assert!(most < stones || cut == most);
                    }
                }
            }
        }
        assert_eq!(promising[..3], real[..3], "chains of two steps are exact");
        assert!(promising[4] < 2 * real[4], "{promising:?} {real:?}");
    }
}

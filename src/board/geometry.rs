//! The points of a board and the lines between them.

use serde::{Deserialize, Serialize};

use super::points::PointSet;
use super::size::BoardSize;

/// Which points have diagonal lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Diagonals {
    /// The corner a1 is a strong point (the published small-board results need this one).
    #[default]
    Corner,
    /// The middle point is a strong point.
    Centre,
}

impl Diagonals {
    /// Column + row of strong points, modulo 2. Where it is the same for both kinds, these are the same.
    #[must_use]
    pub fn strong_parity(self, size: BoardSize) -> usize {
        match self {
            Self::Corner => 0,
            Self::Centre => (size.columns() / 2 + size.rows() / 2) % 2,
        }
    }
}

/// Number of directions. Direction `d ^ 1` is the opposite of `d`; from 4 on they are diagonal.
pub const DIRECTIONS: usize = 8;

/// Marks a step that leaves the board or follows no line, in [`Board::next`].
pub const NO_POINT: u8 = u8::MAX;

const STEPS: [(isize, isize); DIRECTIONS] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (-1, 1), (1, -1)];

/// A board: its size, its lines, and look-up tables for fast moves along them.
#[derive(Clone, Debug)]
pub struct Board<P> {
    size: BoardSize,
    diagonals: Diagonals,
    all: P,
    next: Vec<[u8; DIRECTIONS]>,
    /// For each direction, the points from which a line goes that way.
    line_from: [P; DIRECTIONS],
    /// See [`Board::victims`].
    victims: Vec<P>,
    /// For each point and each of its victims, the step that captures it; see [`Attack`].
    attacks: Vec<Attack>,
}

/// The capturing step from one point that takes the run beginning at another. There is at most one: a stone next to
/// the point is captured by withdrawal from it, a stone two steps away by approach towards it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attack {
    /// Where the step leads.
    pub to: u8,
    /// Its direction.
    pub direction: u8,
    /// True for an approach: the run continues in the direction of the step. False for a withdrawal: against it.
    pub approach: bool,
}

impl<P: PointSet> Board<P> {
    /// The board of that size.
    ///
    /// # Panics
    /// If the board has more points than `P` can hold; see [`PointSet::CAPACITY`].
    #[must_use]
    pub fn new(size: BoardSize, diagonals: Diagonals) -> Self {
        assert!(size.points() <= P::CAPACITY, "{size} does not fit a set of {} points", P::CAPACITY);
        let (columns, rows) = (size.columns(), size.rows());
        let strong_parity = diagonals.strong_parity(size);
        let mut next = vec![[NO_POINT; DIRECTIONS]; size.points()];
        let mut line_from = [P::default(); DIRECTIONS];
        let mut all = P::default();
        for row in 0..rows {
            for column in 0..columns {
                let point = column + columns * row;
                all |= P::point(point);
                let strong = (column + row) % 2 == strong_parity;
                for (direction, &(right, up)) in STEPS.iter().enumerate() {
                    let target = (column.checked_add_signed(right), row.checked_add_signed(up));
                    let (Some(c), Some(r)) = target else { continue };
                    if c < columns && r < rows && (strong || direction < 4) {
                        #[allow(clippy::cast_possible_truncation)] // at most 168
                        let there = (c + columns * r) as u8;
                        next[point][direction] = there;
                        line_from[direction] |= P::point(point);
                    }
                }
            }
        }
        let step = |point: usize, direction: usize| Some(next[point][direction]).filter(|&there| there != NO_POINT);
        let mut victims = vec![P::default(); size.points()];
        let mut attacks = vec![Attack::default(); size.points() * size.points()];
        for (point, victims) in victims.iter_mut().enumerate() {
            for direction in 0..DIRECTIONS {
                let Some(to) = step(point, direction) else { continue };
                for (victim, approach) in
                    [(step(usize::from(to), direction), true), (step(point, direction ^ 1), false)]
                {
                    let Some(victim) = victim.map(usize::from) else { continue };
                    *victims |= P::point(victim);
                    #[allow(clippy::cast_possible_truncation)] // below 8
                    let direction = direction as u8;
                    attacks[point * size.points() + victim] = Attack { to, direction, approach };
                }
            }
        }
        Self { size, diagonals, all, next, line_from, victims, attacks }
    }

    /// The size.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Which points are strong.
    #[must_use]
    pub fn diagonals(&self) -> Diagonals {
        self.diagonals
    }

    /// Number of points.
    #[must_use]
    pub fn points(&self) -> usize {
        self.next.len()
    }

    /// The set of all points.
    #[inline]
    #[must_use]
    pub fn all(&self) -> P {
        self.all
    }

    /// The next point on the line in that direction, if there is one.
    #[inline]
    #[must_use]
    pub fn next(&self, point: usize, direction: usize) -> Option<usize> {
        let there = self.next[point][direction];
        (there != NO_POINT).then_some(usize::from(there))
    }

    /// True if the point has diagonal lines, where the board has room for them.
    #[must_use]
    pub fn is_strong(&self, point: usize) -> bool {
        let columns = self.size.columns();
        (point % columns + point / columns) % 2 == self.diagonals.strong_parity(self.size)
    }

    /// The points with diagonal lines, where the board has room for them: the strong ones.
    #[inline(always)]
    #[must_use]
    pub fn diagonal_points(&self) -> P {
        let [_, _, _, _, up_right, down_left, up_left, down_right] = self.line_from;
        up_right | down_left | up_left | down_right
    }

    /// The points on which the first enemy stone captured by a step from `point` can be.
    #[inline]
    #[must_use]
    pub fn victims(&self, point: usize) -> P {
        self.victims[point]
    }

    /// The step from `point` that captures a run beginning at `victim`, one of [`Board::victims`].
    #[inline]
    #[must_use]
    pub fn attack(&self, point: usize, victim: usize) -> Attack {
        self.attacks[point * self.next.len() + victim]
    }

    /// The points from which one step in that direction leads into the set.
    #[inline(always)]
    #[must_use]
    pub fn points_before(&self, set: P, direction: usize) -> P {
        self.moved(set, direction ^ 1) & self.line_from[direction]
    }

    /// Every point of the set moved by the geometric offset of a direction, ignoring lines and edges.
    #[inline(always)]
    fn moved(&self, set: P, direction: usize) -> P {
        let columns = self.size.columns();
        match direction {
            0 => set.up(1),
            1 => set.down(1),
            2 => set.up(columns),
            3 => set.down(columns),
            4 => set.up(columns + 1),
            5 => set.down(columns + 1),
            // A single column has no diagonals, and no distance to move by.
            6 if columns > 1 => set.up(columns - 1),
            7 if columns > 1 => set.down(columns - 1),
            _ => set,
        }
    }

    /// The stones of `own` that can capture some of `enemy` with one step, by approach or by withdrawal.
    #[inline(always)]
    #[must_use]
    pub fn capturing_stones(&self, own: P, enemy: P) -> P {
        let mut all = P::default();
        for direction in 0..DIRECTIONS {
            let (approach, withdrawal) = self.captures(own, enemy, direction);
            all |= approach | withdrawal;
        }
        all
    }

    /// The number of steps by which stones of `own` can capture some of `enemy`; a step that can do so by approach and by
    /// withdrawal counts twice.
    #[inline(always)]
    #[must_use]
    pub fn capturing_steps(&self, own: P, enemy: P) -> usize {
        let mut steps = 0;
        for direction in 0..DIRECTIONS {
            let (approach, withdrawal) = self.captures(own, enemy, direction);
            steps += approach.count() + withdrawal.count();
        }
        steps
    }

    /// The stones of `own` that capture some of `enemy` with a step in that direction: by approach, and by withdrawal.
    #[inline(always)]
    fn captures(&self, own: P, enemy: P, direction: usize) -> (P, P) {
        let empty = self.all.without(own | enemy);
        let approach = self.points_before(empty & self.points_before(enemy, direction), direction);
        let withdrawal = self.points_before(empty, direction) & self.points_before(enemy, direction ^ 1);
        (own & approach, own & withdrawal)
    }

    /// The points outside `own` on which an enemy stone can be captured if it is the only enemy stone.
    #[must_use]
    pub fn lone_victims(&self, own: P) -> P {
        let free = self.all.without(own);
        let mut victims = P::default();
        for direction in 0..DIRECTIONS {
            let stepping = own & self.points_before(free, direction);
            let targets = self.points_before(stepping, direction ^ 1);
            victims |= self.points_before(targets, direction ^ 1) | self.points_before(stepping, direction);
        }
        victims & free
    }

    /// The unbroken run of `enemy` stones that starts at `first` and continues in that direction.
    #[inline]
    #[must_use]
    pub fn run(&self, enemy: P, first: usize, direction: usize) -> P {
        let mut run = P::default();
        let mut point = Some(first);
        while let Some(here) = point.filter(|&p| enemy.contains(p)) {
            run |= P::point(here);
            point = self.next(here, direction);
        }
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_counts_match_the_standard_board() {
        let board = Board::<u64>::new(BoardSize::new(9, 5).unwrap(), Diagonals::Corner);
        let ends: usize = (0..45).map(|p| (0..8).filter(|&d| board.next(p, d).is_some()).count()).sum();
        assert_eq!(ends, 2 * (8 * 5 + 9 * 4 + 8 * 4));
    }

    #[test]
    fn set_steps_agree_with_point_steps() {
        for (columns, rows) in [(9, 5), (3, 5), (1, 7), (7, 1), (1, 1), (7, 9), (5, 13)] {
            for diagonals in [Diagonals::Corner, Diagonals::Centre] {
                let size = BoardSize::new(columns, rows).unwrap();
                if size.points() > 64 {
                    check_set_steps(&Board::<super::super::points::Wide>::new(size, diagonals));
                } else {
                    check_set_steps(&Board::<u64>::new(size, diagonals));
                }
            }
        }
    }

    #[test]
    fn captures_of_sets_agree_with_those_of_points() {
        let mut random = fastrand::Rng::with_seed(1);
        for (columns, rows) in [(9, 5), (3, 3), (1, 7), (7, 9), (5, 5)] {
            for diagonals in [Diagonals::Corner, Diagonals::Centre] {
                let board = Board::<u64>::new(BoardSize::new(columns, rows).unwrap(), diagonals);
                for _ in 0..200 {
                    let own = random.u64(..) & board.all();
                    let enemy = random.u64(..) & board.all() & !own;
                    let empty = |point: &usize| !(own | enemy).contains(*point);
                    let (mut stones, mut steps) = (0, 0);
                    for (from, direction) in own.iter().flat_map(|from| (0..DIRECTIONS).map(move |way| (from, way))) {
                        let Some(to) = board.next(from, direction).filter(empty) else { continue };
                        let victims = [board.next(to, direction), board.next(from, direction ^ 1)];
                        let captures = victims.into_iter().flatten().filter(|&point| enemy.contains(point)).count();
                        steps += captures;
                        stones |= if captures > 0 { u64::point(from) } else { 0 };
                    }
                    assert_eq!(board.capturing_stones(own, enemy), stones);
                    assert_eq!(board.capturing_steps(own, enemy), steps);
                    let captured = |&point: &usize| !board.capturing_stones(own, 1 << point).is_empty();
                    let victims = (0..board.points()).filter(|point| !own.contains(*point)).filter(captured);
                    assert_eq!(board.lone_victims(own), victims.fold(0, |all, point| all | 1 << point));
                }
            }
        }
    }

    fn check_set_steps<P: PointSet>(board: &Board<P>) {
        for point in 0..board.points() {
            let lines = (4..DIRECTIONS).any(|direction| board.next(point, direction).is_some());
            assert_eq!(board.diagonal_points().contains(point), lines, "{} point {point}", board.size());
        }
        for direction in 0..DIRECTIONS {
            for target in 0..board.points() {
                let before: Vec<_> = board.points_before(P::point(target), direction).iter().collect();
                let expected: Vec<_> =
                    (0..board.points()).filter(|&p| board.next(p, direction) == Some(target)).collect();
                assert_eq!(before, expected, "{} direction {direction} into {target}", board.size());
            }
        }
    }
}

//! What the evaluation sees of a position: numbers of the whole board, and patterns of three by three points.
//!
//! Everything is relative: places count by their distance to the edge and their lines, the phase is the share of points with
//! stones. So the same weights serve every board. A position and its mirror images have the same features.

use crate::board::{Board, DIRECTIONS, PointSet};

/// Patterns of three by three points, each empty, own or of the enemy.
pub const PATTERNS: usize = 19_683;

/// Kinds of windows: centre weak or strong, next to the edge or not.
pub const WINDOWS: usize = 4;

/// Kinds of places: corner, edge, next to the edge, inner; each weak or strong.
const PLACES: usize = 8;

/// Numbers of the whole board.
pub const NUMBERS: usize = 7 + 2 * PLACES;

/// The phases between which weights are interpolated, from no stones to the most that a set of weights is for.
pub const PHASES: usize = 5;

/// Sets of weights: for few stones, and for more.
pub const SETS: usize = 2;

/// At most this many stones are few; on boards smaller than 9x5, proportionally fewer.
pub const FEW: usize = 8;

/// Pairs of stone counts, where there are few stones.
pub const PAIRS: usize = FEW * FEW;

/// Receives the features of one position, as the side to move sees it.
pub trait Sink {
    /// The set of weights, and where between `phase` and the next one the position is: `part` of 256.
    fn phase(&mut self, set: usize, phase: usize, part: i32);

    /// The numbers of stones of both sides, where there are few.
    fn pair(&mut self, pair: usize);

    /// A number of the whole board.
    fn number(&mut self, number: usize, value: i32);

    /// The pattern of a window of that kind.
    fn pattern(&mut self, window: usize, pattern: usize);
}

/// The places of a board.
#[derive(Clone, Debug)]
pub struct Places<P> {
    kinds: [P; PLACES],
    /// The kind of the window around each point.
    windows: Vec<u8>,
    columns: usize,
    rows: usize,
    points: usize,
    /// Up to so many stones are few.
    few: usize,
}

/// The index of three points, each empty, own or of the enemy, from three bits of each side.
const TERNARY: [[u8; 8]; 8] = {
    let mut table = [[0; 8]; 8];
    let mut case = 0;
    while case < 64 {
        let (own, enemy) = (case / 8, case % 8);
        let digits = [1, 3, 9];
        let mut bit = 0;
        // Points with stones of both do not occur.
        while bit < 3 && own & enemy == 0 {
            table[own][enemy] += digits[bit]
                * if own >> bit & 1 == 1 {
                    1
                } else if enemy >> bit & 1 == 1 {
                    2
                } else {
                    0
                };
            bit += 1;
        }
        case += 1;
    }
    table
};

impl<P: PointSet> Places<P> {
    /// The places of that board.
    #[must_use]
    pub fn new(board: &Board<P>) -> Self {
        let (columns, rows, points) = (board.size().columns(), board.size().rows(), board.points());
        let mut kinds = [P::default(); PLACES];
        let mut windows = Vec::with_capacity(points);
        for point in 0..points {
            let (column, row) = (point % columns, point / columns);
            let (aside, along) = (column.min(columns - 1 - column), row.min(rows - 1 - row));
            let strong = u8::from(board.is_strong(point));
            let kind = if aside + along == 0 { 0 } else { 1 + aside.min(along).min(2) };
            kinds[2 * kind + usize::from(strong)] |= P::point(point);
            windows.push(strong + if aside.min(along) > 1 { 2 } else { 0 });
        }
        Self { kinds, windows, columns, rows, points, few: FEW.min(FEW * points / 45) }
    }

    /// Gives the features of a position to `sink`.
    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // a board has at most 169 points
    pub fn scan(&self, board: &Board<P>, own: P, enemy: P, sink: &mut impl Sink) {
        let (mine, theirs) = (own.count(), enemy.count());
        let (stones, few) = (mine + theirs, mine + theirs <= self.few);
        let steps = stones * (PHASES - 1) * 256 / if few { FEW } else { self.points };
        let phase = (steps / 256).min(PHASES - 2);
        sink.phase(usize::from(!few), phase, (steps - 256 * phase) as i32);
        if few && mine > 0 && theirs > 0 {
            sink.pair((mine - 1) * FEW + theirs - 1);
        }
        let ahead = mine as i32 - theirs as i32;
        let empty = board.all().without(own | enemy);
        sink.number(0, 16);
        sink.number(1, 16 * ahead);
        sink.number(2, 256 * ahead / stones.max(1) as i32);
        sink.number(3, 4 * room(board, own, empty) as i32);
        sink.number(4, 4 * room(board, enemy, empty) as i32);
        let threats = board.capturing_stones(enemy, own).count();
        sink.number(5, 16 * threats as i32);
        sink.number(6, 16 * i32::from(threats > 0));
        for (kind, &places) in self.kinds.iter().enumerate() {
            sink.number(7 + kind, 16 * (own & places).count() as i32);
            sink.number(7 + PLACES + kind, 16 * (enemy & places).count() as i32);
        }
        if self.columns >= 3 && self.rows >= 3 {
            self.patterns(own, enemy, sink);
        }
    }

    #[inline]
    fn patterns(&self, mut own: P, mut enemy: P, sink: &mut impl Sink) {
        // The three points around each column, in the two rows before and this one.
        let mut rows = [[0_usize; 16]; 3];
        for row in 0..self.rows {
            let (mine, theirs) = (own.low(), enemy.low());
            for column in 0..self.columns - 2 {
                let bits = |word: u64| (word >> column & 7) as usize;
                rows[row % 3][column] = usize::from(TERNARY[bits(mine)][bits(theirs)]);
            }
            if row >= 2 {
                let (low, middle, high) = (&rows[(row + 1) % 3], &rows[(row + 2) % 3], &rows[row % 3]);
                let windows = &self.windows[(row - 1) * self.columns + 1..];
                for column in 0..self.columns - 2 {
                    let pattern = low[column] + 27 * middle[column] + 729 * high[column];
                    sink.pattern(usize::from(windows[column]), pattern);
                }
            }
            if row + 1 < self.rows {
                (own, enemy) = (own.down(self.columns), enemy.down(self.columns));
            }
        }
    }
}

/// The number of steps to empty points of the stones of a side.
#[inline]
pub fn room<P: PointSet>(board: &Board<P>, own: P, empty: P) -> usize {
    (0..DIRECTIONS).map(|direction| (board.points_before(empty, direction) & own).count()).sum()
}

/// For each pattern the number of its class: patterns that are mirror images of each other are one class. Classes are
/// numbered in the order of their first patterns.
#[must_use]
pub fn classes() -> (Vec<u16>, usize) {
    let mut classes = vec![u16::MAX; PATTERNS];
    let mut found = 0;
    for pattern in 0..PATTERNS {
        if classes[pattern] != u16::MAX {
            continue;
        }
        let mut image = pattern;
        for _ in 0..4 {
            image = turned(image);
            for image in [image, mirrored(image)] {
                classes[image] = found;
            }
        }
        found += 1;
    }
    (classes, usize::from(found))
}

/// The pattern after a turn by a quarter.
fn turned(pattern: usize) -> usize {
    moved(pattern, |column, row| (row, 2 - column))
}

/// The pattern after a reflection.
fn mirrored(pattern: usize) -> usize {
    moved(pattern, |column, row| (2 - column, row))
}

fn moved(pattern: usize, to: impl Fn(usize, usize) -> (usize, usize)) -> usize {
    (0..9)
        .map(|point| {
            let (column, row) = to(point % 3, point / 3);
            digit(pattern, point) * 3_usize.pow(u32::try_from(3 * row + column).unwrap_or(0))
        })
        .sum()
}

fn digit(pattern: usize, point: usize) -> usize {
    (0..point).fold(pattern, |rest, _| rest / 3) % 3
}

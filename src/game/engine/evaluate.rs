//! Static evaluation: a weighted sum of the features of a position.

use crate::board::{Board, PointSet};

use super::features::{NUMBERS, PATTERNS, PHASES, Places, Sink};
use super::weights::{WEIGHTS, WeightSet, Weights};

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

/// What a stone adds to the logarithm of the odds, in the games that the weights are fitted to.
const ODDS_OF_STONE: f64 = 0.5;

/// The expected score, from 0 to 1, of a side whose search has that score in hundredths of a stone:
/// 1 / (1 + exp(-stones / 2)).
#[must_use]
pub fn expected_score(score: i32) -> f64 {
    1.0 / (1.0 + (-ODDS_OF_STONE * f64::from(score) / f64::from(STONE)).exp())
}

/// The evaluation on one board.
pub struct Evaluation<P> {
    places: Places<P>,
    weights: &'static Weights,
}

impl<P: PointSet> Evaluation<P> {
    /// The evaluation on that board.
    pub fn new(board: &Board<P>) -> Self {
        Self { places: Places::new(board), weights: &WEIGHTS }
    }

    /// The static evaluation for the side to move, with the stones `own`, in hundredths of a stone.
    #[inline]
    pub fn evaluate(&self, board: &Board<P>, own: P, enemy: P) -> i32 {
        let set = &self.weights.sets[0];
        let [here, beyond] = [&set.numbers[0], &set.numbers[1]];
        let mut sum =
            Sum { weights: self.weights, set, here, beyond, phase: 0, part: 0, pair: 0, numbers: 0, patterns: [0; 2] };
        self.places.scan(board, own, enemy, &mut sum);
        sum.total().clamp(1 - KNOWN, KNOWN - 1)
    }
}

/// The weighted sum so far.
struct Sum<'a> {
    weights: &'a Weights,
    /// The set in use.
    set: &'a WeightSet,
    /// The weights of this phase, and of the next.
    here: &'a [i16; NUMBERS],
    beyond: &'a [i16; NUMBERS],
    phase: i32,
    part: i32,
    pair: i32,
    numbers: i32,
    patterns: [i32; 2],
}

#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // a handful of phases
impl Sum<'_> {
    fn total(&self) -> i32 {
        let whole = (PHASES as i32 - 1) * 256;
        let share = 256 * self.phase + self.part;
        let patterns = (self.patterns[0] * (whole - share) + self.patterns[1] * share) / whole;
        self.numbers / 256 + (patterns + self.pair) / 16
    }
}

impl Sink for Sum<'_> {
    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // a handful of phases
    fn phase(&mut self, set: usize, phase: usize, part: i32) {
        self.set = &self.weights.sets[set];
        (self.here, self.beyond) = (&self.set.numbers[phase], &self.set.numbers[phase + 1]);
        (self.phase, self.part) = (phase as i32, part);
    }

    #[inline]
    fn pair(&mut self, pair: usize) {
        self.pair = i32::from(self.weights.pairs[pair]);
    }

    #[inline]
    fn number(&mut self, number: usize, value: i32) {
        let (here, beyond) = (i32::from(self.here[number]), i32::from(self.beyond[number]));
        self.numbers += value * (here * (256 - self.part) + beyond * self.part) / 256;
    }

    #[inline]
    fn pattern(&mut self, window: usize, pattern: usize) {
        let [few, many] = self.set.patterns[window * PATTERNS + pattern];
        self.patterns[0] += i32::from(few);
        self.patterns[1] += i32::from(many);
    }
}

/// A score at a ply: quicker wins are better.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // at most MAX_PLIES
pub fn ply_score(score: i32, ply: usize) -> i32 {
    score - score.signum() * ply as i32
}

/// A score for the table: relative to the position itself.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // at most MAX_PLIES
pub fn to_table(score: i32, ply: usize) -> i32 {
    if score.abs() > KNOWN { score + score.signum() * ply as i32 } else { score }
}

/// A score from the table, relative to the root of the search.
pub fn from_table(score: i32, ply: usize) -> i32 {
    if score.abs() > KNOWN { ply_score(score, ply) } else { score }
}

#[cfg(test)]
mod tests {
    use crate::board::{BoardSize, Diagonals, Wide};

    use super::*;

    /// The image of a set after a reflection of the columns, of the rows, or of both.
    fn image<P: PointSet>(board: &Board<P>, set: P, (columns, rows): (bool, bool)) -> P {
        let size = board.size();
        set.iter().fold(P::default(), |image, point| {
            let (column, row) = (point % size.columns(), point / size.columns());
            let column = if columns { size.columns() - 1 - column } else { column };
            let row = if rows { size.rows() - 1 - row } else { row };
            image | P::point(column + size.columns() * row)
        })
    }

    fn check_mirrors<P: PointSet>(text: &str) {
        let size: BoardSize = text.parse().unwrap();
        let mut random = fastrand::Rng::with_seed(1);
        let board = Board::<P>::new(size, Diagonals::Corner);
        let evaluation = Evaluation::new(&board);
        for _ in 0..100 {
            let (mut own, mut enemy) = (P::default(), P::default());
            for point in 0..size.points() {
                match random.u8(..3) {
                    0 => own |= P::point(point),
                    1 => enemy |= P::point(point),
                    _ => {}
                }
            }
            let score = evaluation.evaluate(&board, own, enemy);
            for way in [(true, false), (false, true), (true, true)] {
                let [own, enemy] = [own, enemy].map(|set| image(&board, set, way));
                assert_eq!(evaluation.evaluate(&board, own, enemy), score, "{text} {way:?}");
            }
        }
    }

    #[test]
    fn mirror_images_have_the_same_score_on_every_board() {
        for size in ["9x5", "5x5", "3x3", "7x9", "1x7", "13x3"] {
            check_mirrors::<u64>(size);
        }
        check_mirrors::<Wide>("9x9");
        check_mirrors::<Wide>("13x13");
    }

    #[test]
    fn a_lead_is_worth_something_in_every_phase() {
        let size: BoardSize = "9x5".parse().unwrap();
        let board = Board::<u64>::new(size, Diagonals::Corner);
        let evaluation = Evaluation::new(&board);
        let mut random = fastrand::Rng::with_seed(2);
        for stones in [4_usize, 10, 20, 30] {
            let mut sum = 0;
            for _ in 0..200 {
                let mut points: Vec<usize> = (0..45).collect();
                random.shuffle(&mut points);
                let set = |points: &[usize]| points.iter().fold(0, |set, &point| set | 1_u64 << point);
                let (more, fewer) = points[..stones].split_at(stones / 2 + 1);
                sum += evaluation.evaluate(&board, set(more), set(fewer));
                sum -= evaluation.evaluate(&board, set(fewer), set(more));
            }
            assert!(sum / 400 > STONE / 2, "{stones} stones: {}", sum / 400);
        }
    }
}

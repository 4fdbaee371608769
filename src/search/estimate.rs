//! Estimates of positions that a search has not expanded yet, and the parameters of a search.

use crate::board::{Board, DIRECTIONS, PointSet};

use super::canonical::Canonical;
use super::numbers::{INFINITE, MAX_FINITE, Numbers};

/// How many counts of a position its first numbers are made of: see [`counts`].
pub const COUNTS: usize = 9;

/// Weights of the counts in the logarithms of phi and delta, in 256ths of a doubling. First for positions in which the defender
/// moves and cannot capture, then in which it can, and the same two for the attacker.
pub type Weights = [[[i32; COUNTS]; 2]; 4];

/// Fitted to the numbers that positions of 9x5 have after 32 nodes, then tuned to take few nodes (`experiments/02-search`).
static WEIGHTS: Weights = include!("weights.json");

/// The parameters of a search. They change how long it takes, never the answer. `experiments/02-search` compares values.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// A child is searched until its number exceeds the second best by one part in this many.
    pub patience: u32,
    /// What the counts of a position weigh in its first numbers.
    pub weights: &'static Weights,
    /// How much of the numbers of the other children is added to the largest, in sixteenths. 0 takes the largest alone, 16
    /// the sum.
    pub share: u32,
    /// The proof number of a position grows by one for every this many paikas in a row that lead to it; 0 turns that off.
    pub paikas: u32,
    /// Nodes for searching a position of a closed set again. Four times as many each time that they do not suffice, for a win, or that
    /// a question has to be asked again, so that this comes to an end.
    pub repair: u64,
    /// Nodes after which a search by threads makes strongholds for the first time; 0 for never.
    pub strongholds: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { patience: 4, weights: &WEIGHTS, share: 8, paikas: 8, repair: 2048, strongholds: 1 << 25 }
    }
}

impl Tuning {
    /// The first numbers of a position: powers of two, since the work that is left is a product of what has to be answered.
    #[inline(always)]
    pub(super) fn estimate(&self, board: &Board<u64>, position: Canonical, attacker_moves: bool) -> Numbers {
        let counts = counts(board, position);
        let [of_phi, of_delta] = &self.weights[weights_of(counts, attacker_moves)];
        // A loop, so that it is compiled for wide vectors: see `simd::run`.
        let (mut phi, mut delta) = (0, 0);
        for (count, (of_phi, of_delta)) in counts.into_iter().zip(of_phi.iter().zip(of_delta)) {
            phi += of_phi * count;
            delta += of_delta * count;
        }
        Numbers { phi: power(phi), delta: power(delta) }
    }

    /// What is added to the proof number of a position after that many paikas in a row.
    ///
    /// Where every position of a line has a small number, as when a lone stone gets away each time, nothing else would show
    /// that the search comes no nearer to its goal: it would follow the line for as long as there are positions, which
    /// may be hundreds of thousands.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // paths have fewer positions
    pub(super) fn detour(&self, paikas: usize) -> u32 {
        (paikas as u32).checked_div(self.paikas).unwrap_or(0)
    }

    /// The numbers of a position from those of its children and its [`Tuning::detour`].
    #[inline]
    pub(super) fn parent(&self, detour: u32, children: impl Iterator<Item = Numbers>) -> Numbers {
        let (mut phi, mut largest, mut sum) = (INFINITE, 0, 0);
        for child in children {
            phi = phi.min(child.delta);
            largest = largest.max(child.phi);
            sum += u64::from(child.phi);
        }
        match (phi, self.gathered(largest, sum)) {
            (0, _) => Numbers::REACHED,
            (_, 0) => Numbers::MISSED,
            (phi, delta) => Numbers { phi: phi.saturating_add(detour).min(MAX_FINITE), delta },
        }
    }

    /// The disproof number of a position from the largest of its children's proof numbers and their sum.
    ///
    /// The sum of the numbers themselves would count what is reached in several ways several times, and grows without
    /// bounds with the depth; the largest alone, with one for each other child (Ueda, Hashimoto, Hashimoto, Iida: *Weak
    /// Proof-Number Search*, 2008), does not tell a child that is nearly settled from one that is not. Half the sum of
    /// the others lies between them (`experiments/02-search`).
    #[inline]
    fn gathered(&self, largest: u32, sum: u64) -> u32 {
        if largest == INFINITE { INFINITE } else { bounded(u64::from(largest) + self.others(largest, sum), MAX_FINITE) }
    }

    /// How much of the disproof number of a position comes from other children than one with the number `own`.
    #[inline]
    pub(super) fn others(&self, own: u32, sum: u64) -> u64 {
        (sum - u64::from(own)) * u64::from(self.share) / 16
    }
}

/// What first numbers are made of: 1, then the mover's stones on weak points and on strong ones, which have diagonal lines, the
/// opponent's, the mover's steps to empty points, the opponent's, and the same for capturing steps.
#[inline(always)]
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // hundreds
pub fn counts(board: &Board<u64>, position: Canonical) -> [i32; COUNTS] {
    let Canonical { mover, opponent } = position;
    let empty = board.all() & !(mover | opponent);
    let (mut steps, mut their_steps) = (0, 0);
    for direction in 0..DIRECTIONS {
        let before = board.points_before(empty, direction);
        steps += (before & mover).count();
        their_steps += (before & opponent).count();
    }
    let strong = board.diagonal_points();
    [
        1,
        (mover & !strong).count() as i32,
        (mover & strong).count() as i32,
        (opponent & !strong).count() as i32,
        (opponent & strong).count() as i32,
        steps as i32,
        their_steps as i32,
        board.capturing_steps(mover, opponent) as i32,
        board.capturing_steps(opponent, mover) as i32,
    ]
}

/// Which of the [`Weights`] a position with those counts has.
#[inline(always)]
#[must_use]
pub fn weights_of(counts: [i32; COUNTS], attacker_moves: bool) -> usize {
    let [.., captures, _] = counts;
    2 * usize::from(attacker_moves) + usize::from(captures > 0)
}

/// 2 to the power of `exponent` / 256 in whole numbers: a straight line between doublings, which is at most 6.2 % above.
#[inline(always)]
fn power(exponent: i32) -> u32 {
    /// The largest, so that sums of first numbers have room.
    const MOST: i32 = 18 << 8;
    let exponent = exponent.clamp(0, MOST).unsigned_abs();
    ((256 + (exponent & 255)) << (exponent >> 8)) >> 8
}

/// A number that fits, no larger than `most`.
#[inline]
pub(super) fn bounded(number: u64, most: u32) -> u32 {
    u32::try_from(number).map_or(most, |number| number.min(most))
}

#[cfg(test)]
mod tests {
    use crate::board::{BoardSize, Diagonals};

    use super::*;

    #[test]
    fn counts_are_those_of_single_points() {
        let mut random = fastrand::Rng::with_seed(28);
        for size in ["3x3", "5x5", "9x5", "5x9"].map(|size| size.parse::<BoardSize>().expect("a board")) {
            let board = &Board::<u64>::new(size, Diagonals::Corner);
            for _ in 0..200 {
                let mover = random.u64(..) & board.all();
                let opponent = random.u64(..) & board.all() & !mover;
                let stones = |set: u64, strong| set.iter().filter(|&point| board.is_strong(point) == strong).count();
                let steps = |set: u64| {
                    set.iter()
                        .flat_map(|point| (0..DIRECTIONS).filter_map(move |direction| board.next(point, direction)))
                        .filter(|&next| !(mover | opponent).contains(next))
                        .count()
                };
                let expected = [
                    1,
                    stones(mover, false),
                    stones(mover, true),
                    stones(opponent, false),
                    stones(opponent, true),
                    steps(mover),
                    steps(opponent),
                    board.capturing_steps(mover, opponent),
                    board.capturing_steps(opponent, mover),
                ];
                let found = counts(board, Canonical { mover, opponent });
                assert_eq!(found.map(|count| usize::try_from(count).expect("a count")), expected);
            }
        }
    }

    #[test]
    fn powers_are_whole_and_nearly_right() {
        assert_eq!([-5000, 0, 255, 256, 384, 512, 18 << 8, i32::MAX].map(power), [1, 1, 1, 2, 3, 4, 1 << 18, 1 << 18]);
        for exponent in 0..=18 << 8 {
            let (found, exact) = (f64::from(power(exponent)), (f64::from(exponent) / 256.0).exp2());
            assert!(exact - 1.0 < found && found < 1.062 * exact, "{exponent}: {found}, {exact}");
        }
    }
}

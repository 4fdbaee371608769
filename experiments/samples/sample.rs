//! Random games: their length and the number of turns in their positions.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use fanorona::board::PointSet;
use fanorona::rules::{After, Position, Rules};

use super::Ratio;

/// How games are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Number of games.
    pub games: u64,
    /// Games are cut after this many plies.
    pub max_plies: u64,
    /// Random seed; the games do not depend on the number of threads.
    pub seed: u64,
}

/// Sums over all positions of sampled games in which a turn was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Games that were cut.
    pub cut: u64,
    /// Plies of the longest game.
    pub longest: u64,
    /// Moves of a position as the solver counts them: the different boards that turns lead to.
    pub boards: Ratio,
    /// Turns counted by their steps; several may lead to the same board.
    pub turns: Ratio,
    /// `boards` by number of stones, from none to all.
    pub boards_by_stones: Vec<Ratio>,
    /// `turns` by number of stones, from none to all.
    pub turns_by_stones: Vec<Ratio>,
}

/// Positions of one game, and the sums over them.
#[derive(Clone, Copy, Default)]
struct Seen {
    positions: u64,
    boards: u64,
    turns: u64,
}

/// Games that a thread plays before it reports.
const BATCH: u64 = 100;

/// Plays random games from `start` on all threads: in each position one of the boards that turns lead to, with equal
/// probability. `progress` is called from any thread with the number of games played.
#[must_use]
pub fn sample<P: PointSet>(
    rules: &Rules<P>,
    start: &Position<P>,
    sampling: Sampling,
    progress: &(impl Fn(u64) + Sync),
) -> Sample {
    let played = AtomicU64::new(0);
    let batches: Vec<Sample> = (0..sampling.games.div_ceil(BATCH))
        .into_par_iter()
        .map(|batch| {
            let games = batch * BATCH..((batch + 1) * BATCH).min(sampling.games);
            let mut sample = Sample::empty(rules.board().size().points());
            let count = games.end - games.start;
            games.for_each(|number| sample.play(rules, start, sampling, number));
            progress(played.fetch_add(count, Ordering::Relaxed) + count);
            sample
        })
        .collect();
    batches.iter().fold(Sample::empty(rules.board().size().points()), Sample::and)
}

impl Sample {
    fn empty(points: usize) -> Self {
        let by_stones = vec![Ratio::default(); points + 1];
        Self { boards_by_stones: by_stones.clone(), turns_by_stones: by_stones, ..Self::default() }
    }

    /// Sums of integers do not depend on the order.
    fn and(mut self, other: &Self) -> Self {
        self.cut += other.cut;
        self.longest = self.longest.max(other.longest);
        self.boards += other.boards;
        self.turns += other.turns;
        self.boards_by_stones.iter_mut().zip(&other.boards_by_stones).for_each(|(sum, other)| *sum += *other);
        self.turns_by_stones.iter_mut().zip(&other.turns_by_stones).for_each(|(sum, other)| *sum += *other);
        self
    }

    /// Plays the game of a number and adds it.
    fn play<P: PointSet>(&mut self, rules: &Rules<P>, start: &Position<P>, sampling: Sampling, number: u64) {
        let mut random = generator(sampling.seed, number);
        let mut by_stones = vec![Seen::default(); self.boards_by_stones.len()];
        let (mut own, mut enemy) = (start.mover(), start.opponent());
        let (mut plies, mut boards) = (0, Vec::new());
        loop {
            let turns = successors(rules, own, enemy, &mut boards);
            if boards.is_empty() {
                break;
            }
            if plies == sampling.max_plies {
                self.cut += 1;
                break;
            }
            let seen = &mut by_stones[own.count() + enemy.count()];
            seen.positions += 1;
            seen.boards += boards.len() as u64;
            seen.turns += turns;
            let after = boards[random.usize(..boards.len())];
            (own, enemy) = (after.next, after.moved);
            plies += 1;
        }
        self.longest = self.longest.max(plies);
        let sum = |count: fn(&Seen) -> u64| by_stones.iter().map(count).sum();
        self.boards.add(plies, sum(|seen| seen.boards));
        self.turns.add(plies, sum(|seen| seen.turns));
        for (stones, seen) in by_stones.iter().enumerate() {
            self.boards_by_stones[stones].add(seen.positions, seen.boards);
            self.turns_by_stones[stones].add(seen.positions, seen.turns);
        }
    }
}

/// Each game has its own random generator, so that any thread may play it.
fn generator(seed: u64, number: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(xxh3_64_with_seed(&number.to_le_bytes(), seed))
}

/// Fills `boards` with [`Rules::successors`], and returns the number of turns that lead there.
fn successors<P: PointSet>(rules: &Rules<P>, own: P, enemy: P, boards: &mut Vec<After<P>>) -> u64 {
    boards.clear();
    let _ = rules.for_each_turn(own, enemy, |_, after| {
        boards.push(after);
        ControlFlow::<()>::Continue(())
    });
    let turns = boards.len() as u64;
    boards.sort_unstable();
    boards.dedup();
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona::board::{Board, BoardSize};
    use fanorona::rules::{RuleSet, perft};

    fn rules(size: &str) -> (Rules<u64>, Position<u64>) {
        let size: BoardSize = size.parse().unwrap();
        let rules = RuleSet::default();
        (Rules::new(Board::new(size, rules.diagonals), rules), Position::start(size))
    }

    fn sampled(size: &str, games: u64, max_plies: u64) -> Sample {
        let (rules, start) = rules(size);
        sample(&rules, &start, Sampling { games, max_plies, seed: 1 }, &|_| ())
    }

    /// The same games by whole positions and written moves, with lists in the place of sums.
    #[test]
    fn games_are_those_of_the_rules() {
        for (size, max_plies) in [("3x3", 40), ("5x3", 100), ("5x5", 60)] {
            let (rules, start) = rules(size);
            let mut lengths = Vec::new();
            let (mut boards, mut turns) = (vec![Vec::new(); 26], vec![Vec::new(); 26]);
            for number in 0..250 {
                let mut random = generator(1, number);
                let mut position = start;
                let mut length = 0;
                while length < max_plies && rules.ending(position.mover(), position.opponent()).is_none() {
                    let choices = rules.turns(&position);
                    let stones = position.white.count() + position.black.count();
                    boards[stones].push(choices.len() as u64);
                    let mut count = 0;
                    let _ = rules.for_each_turn(position.mover(), position.opponent(), |_, _| {
                        count += 1;
                        ControlFlow::<()>::Continue(())
                    });
                    turns[stones].push(count);
                    position = choices[random.usize(..choices.len())].1;
                    length += 1;
                }
                lengths.push((length, rules.ending(position.mover(), position.opponent()).is_none()));
            }
            let sample = sampled(size, 250, max_plies);
            assert_eq!(sample.boards.games(), 250);
            assert_eq!(sample.boards.positions(), lengths.iter().map(|&(length, _)| length).sum::<u64>());
            assert_eq!(sample.cut, lengths.iter().filter(|&&(_, cut)| cut).count() as u64);
            assert_eq!(sample.longest, lengths.iter().map(|&(length, _)| length).max().unwrap());
            assert_eq!(sample.boards.total(), boards.iter().flatten().sum::<u64>());
            assert_eq!(sample.turns.total(), turns.iter().flatten().sum::<u64>());
            for stones in 0..=start.white.count() * 2 {
                let (by_boards, by_turns) = (&sample.boards_by_stones[stones], &sample.turns_by_stones[stones]);
                assert_eq!(by_boards.positions(), boards[stones].len() as u64);
                assert_eq!(by_boards.total(), boards[stones].iter().sum::<u64>());
                assert_eq!(by_turns.total(), turns[stones].iter().sum::<u64>());
                assert_eq!((by_boards.games(), by_turns.games()), (250, 250));
            }
        }
    }

    /// Expected plies and expected sum of boards of a random game of at most `plies`, by following every turn.
    fn expected(rules: &Rules<u64>, own: u64, enemy: u64, plies: u32) -> (f64, f64) {
        let boards = rules.successors(own, enemy);
        if plies == 0 || boards.is_empty() {
            return (0.0, 0.0);
        }
        let count = f64::from(u32::try_from(boards.len()).unwrap());
        let sums = boards.iter().map(|after| expected(rules, after.next, after.moved, plies - 1));
        let (length, total) = sums.fold((0.0, 0.0), |sum, (length, total)| (sum.0 + length, sum.1 + total));
        (1.0 + length / count, count + total / count)
    }

    #[test]
    fn means_are_near_the_expected_and_errors_say_how_near() {
        let (rules, start) = rules("5x3");
        let (length, total) = expected(&rules, start.white, start.black, 7);
        let sample = sampled("5x3", 20_000, 7);
        for (name, (value, error), expected) in
            [("length", sample.boards.length(), length), ("mean", sample.boards.mean(), total / length)]
        {
            assert!(error > 0.0 && error < 0.02 * value, "{name}: {value} +- {error}");
            assert!((value - expected).abs() < 4.0 * error, "{name}: {value} +- {error}, expected {expected}");
        }
    }

    #[test]
    fn threads_do_not_matter() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sampled("5x5", 730, 50))
        };
        assert_eq!(on(1), on(3));
        assert_eq!(on(1).boards.games(), 730);
    }

    #[test]
    fn games_of_one_ply_have_the_first_moves() {
        let (rules, start) = rules("9x5");
        let sample = sampled("9x5", 7, 1);
        assert_eq!((sample.cut, sample.longest), (7, 1));
        assert_eq!(sample.boards.total(), 7 * perft(&rules, start.white, start.black, 1));
        assert_eq!(sample.boards_by_stones[44].positions(), 7);
        assert_eq!(sampled("9x5", 0, 5), Sample::empty(45));
    }

    #[test]
    fn progress_counts_every_game() {
        let (rules, start) = rules("3x3");
        let most = AtomicU64::new(0);
        let options = Sampling { games: 250, max_plies: 5, seed: 1 };
        let _ = sample(&rules, &start, options, &|played| {
            most.fetch_max(played, Ordering::Relaxed);
        });
        assert_eq!(most.into_inner(), 250);
    }
}

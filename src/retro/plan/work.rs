//! The time that the work on a pair takes, and the size of its files.

use std::time::Instant;

use crate::board::BoardSize;
use crate::index::{Slice, Space};
use crate::rules::RuleSet;
use crate::table::Metric;

use super::super::crowded::prefers_crowded;
use super::super::in_memory::{Slices, solve_pair};
use super::super::slices::{pairs, with_twin};

/// Bits a canonical position takes on disk, on average; 9x5 to 7 stones takes half as much, slices of few stones more.
const DISK_BITS: f64 = 0.15;

/// The same for depths: 9x5 to 7 stones takes 0.46.
const DEPTH_DISK_BITS: f64 = 0.6;

/// How much longer depths take than values: 9x5 to 7 stones 171 s against 25 s, complete 3x5 three times as long.
const DEPTH_TIME: f64 = 7.0;
const CROWDED_DEPTH_TIME: f64 = 3.0;

/// The time of a position in crowded form, in trees.
const POSITION_TREES: f64 = 0.35;

/// The work on a pair of slices, in the two quantities that its time depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Opponent sets times their stones: each costs the trees of its chains.
    pub trees: f64,
    /// Bits of the planes: each is read and written a number of times.
    pub bits: f64,
}

/// Seconds for each unit of [`Work`] on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Seconds for a tree.
    pub tree: f64,
    /// Seconds for a bit.
    pub bit: f64,
}

impl Rates {
    /// Rates of an ordinary core, for weighing kinds of work against each other without measuring.
    pub const TYPICAL: Self = Self { tree: 1.2e-6, bit: 9e-9 };

    /// Seconds for some work.
    #[must_use]
    pub fn seconds(&self, work: Work) -> f64 {
        self.tree * work.trees + self.bit * work.bits
    }

    /// Measures this machine, with the current pool of threads, by building the smallest slices of the board in memory.
    /// Takes about a second.
    #[must_use]
    pub fn calibrate(size: BoardSize, rules: RuleSet, stones: usize) -> Self {
        let space = &Space::new(size, rules.diagonals);
        let mut slices = Slices::new();
        let mut samples = Vec::new();
        let mut spent = 0.0;
        for slice in pairs(stones, space.board().points()) {
            let work = pair_work(space, slice, Metric::Wdl);
            if spent > 0.3 || Self::TYPICAL.seconds(work) > 2.0 {
                break;
            }
            let start = Instant::now();
            let values = solve_pair(space, rules, slice, |slice| &slices[&slice], &|_| ());
            slices.extend(values.into_iter().map(|values| (values.slice(), values)));
            let seconds = start.elapsed().as_secs_f64();
            spent += seconds;
            // Below this, what is measured is mostly the start of threads.
            if seconds > 2e-4 {
                samples.push((work, seconds));
            }
        }
        Self::fit(&samples).unwrap_or(Self::TYPICAL)
    }

    /// Least squares of relative errors; both rates stay positive.
    fn fit(samples: &[(Work, f64)]) -> Option<Self> {
        let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
            samples.iter().map(|(work, seconds)| term(work.trees / seconds, work.bits / seconds)).sum()
        };
        let (tt, bb, tb) = (sum(&|t, _| t * t), sum(&|_, b| b * b), sum(&|t, b| t * b));
        let (t, b) = (sum(&|t, _| t), sum(&|_, b| b));
        let determinant = tt * bb - tb * tb;
        let (tree, bit) = ((t * bb - b * tb) / determinant, (b * tt - t * tb) / determinant);
        if tree > 0.0 && bit > 0.0 && determinant > 0.0 {
            return Some(Self { tree, bit });
        }
        // The samples do not separate the two: scale the typical rates to the longest of them.
        let (work, seconds) = samples.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let factor = seconds / Self::TYPICAL.seconds(*work);
        Some(Self { tree: Self::TYPICAL.tree * factor, bit: Self::TYPICAL.bit * factor })
    }
}

/// The work on one table of a slice and its twin.
#[allow(clippy::cast_precision_loss)] // an estimate
pub fn pair_work(space: &Space, slice: Slice, metric: Metric) -> Work {
    let is_crowded = prefers_crowded(space, slice);
    let times = match (metric, is_crowded) {
        (Metric::Wdl, _) => 1.0,
        (Metric::Dtw, true) => CROWDED_DEPTH_TIME,
        (Metric::Dtw, false) => DEPTH_TIME,
    };
    with_twin(slice).fold(Work::default(), |sum, slice| {
        if is_crowded {
            let positions = space.placements(slice) as f64 / space.symmetry().order() as f64;
            return Work { trees: sum.trees + times * POSITION_TREES * positions, ..sum };
        }
        let opponents = space.orbits(slice.opponent) as f64;
        Work {
            trees: sum.trees + times * opponents * slice.opponent as f64,
            bits: sum.bits + times * opponents * 64.0 * space.words(slice.mover) as f64,
        }
    })
}

/// Bytes of the table of a slice.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // an estimate
pub fn disk_bytes(space: &Space, slice: Slice, metric: Metric) -> u64 {
    let bits = match metric {
        Metric::Wdl => DISK_BITS,
        Metric::Dtw => DEPTH_DISK_BITS,
    };
    300 + (space.placements(slice) as f64 / space.symmetry().order() as f64 * bits / 8.0) as u64
}

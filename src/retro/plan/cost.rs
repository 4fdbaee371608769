//! What the work on a pair takes in each form: bytes of memory, of scratch and of files, and time.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::board::BoardSize;
use crate::index::{STRETCH, Slice, Space, binomial, is_crowded, padded_cells, padded_words};
use crate::rules::RuleSet;
use crate::table::{Cell, Metric};

use super::super::depths::{band_bytes, capture_bytes};
use super::super::in_memory::{Slices, solve_pair};
use super::super::planes::{Leaves, Marks, lane_bytes};
use super::super::slices::{after_captures, pairs, with_twin};

/// Bytes of memory for the work on a pair and what stays beside it: a quarter of the work more, for what the allocator keeps and the
/// compressor needs (seen: 9x5 to 7 stones 8 % below the result), and a sixteenth of what stays, which is in large pieces.
pub fn with_slack(work: u64, staying: u64) -> u64 {
    [work, work / 4, staying, staying / 16].into_iter().fold(0, u64::saturating_add)
}

/// Bytes that the work on the values of `slice` and its twin takes at its peak, beside finished slices and the indexing.
pub fn pair_memory(space: &Space, slice: Slice, threads: usize) -> u64 {
    if is_crowded(space.board().points(), slice) {
        return crowded_memory(space, slice, value_rows);
    }
    // The second slice's captures are resolved beside the planes of the first.
    let first_planes = 2 * plane_bytes(space, slice.opponent, slice.mover);
    let captures = with_twin(slice).map(|slice| capture_memory(space, slice, threads, Leaves::All)).max().unwrap_or(0);
    let capturing = captures.saturating_add(2 * first_planes);
    paika_memory(space, slice).max(capturing)
}

/// Bytes of the planes of a pair, and of marks, while paikas are followed.
fn paika_memory(space: &Space, slice: Slice) -> u64 {
    let plane = |rows, columns| plane_bytes(space, rows, columns);
    let both = |slice: Slice| plane(slice.mover, slice.opponent) + plane(slice.opponent, slice.mover);
    let planes: u64 = with_twin(slice).map(|slice| 2 * both(slice)).fold(0, u64::saturating_add);
    let marks: u64 =
        with_twin(slice).map(|s| 3 * Marks::bytes(space.orbits(s.mover), space.words(s.opponent) / 8 + 1)).sum();
    planes.saturating_add(marks)
}

/// Rows of a crowded slice, and positions in a row.
fn crowded_shape(space: &Space, slice: Slice) -> (u64, u64) {
    (space.orbits(space.board().points() - slice.stones()), binomial(slice.stones(), slice.mover))
}

/// Bytes of values by rows of empty points: two bits a position.
fn value_rows(space: &Space, slice: Slice) -> u64 {
    let (rows, columns) = crowded_shape(space, slice);
    rows.saturating_mul(columns.div_ceil(4))
}

/// Bytes of scores by rows of empty points.
fn cell_rows<C: Cell>(space: &Space, slice: Slice) -> u64 {
    let (rows, columns) = crowded_shape(space, slice);
    rows.saturating_mul(columns).saturating_mul(size_of::<C>() as u64)
}

/// Bytes that the work on a crowded pair takes: the pair, what its captures lead to as far as it has to be converted from planes, and for each
/// side the sets of labels by column and what is due by row.
fn crowded_memory(space: &Space, slice: Slice, bytes: impl Fn(&Space, Slice) -> u64) -> u64 {
    let points = space.board().points();
    let lower: BTreeSet<Slice> = with_twin(slice).flat_map(after_captures).collect();
    let converted = lower.into_iter().filter(|&slice| !is_crowded(points, slice)).map(|slice| bytes(space, slice));
    let own = with_twin(slice).map(|slice| {
        let (rows, columns) = crowded_shape(space, slice);
        bytes(space, slice).saturating_add(8 * columns + 4 * rows)
    });
    own.chain(converted).fold(0, u64::saturating_add)
}

/// Bytes of a plane with a row for each orbit of `rows` stones, and a column for each set of `columns`.
fn plane_bytes(space: &Space, rows: usize, columns: usize) -> u64 {
    let words = usize::try_from(space.words(columns)).unwrap_or(usize::MAX / 16);
    space.orbits(rows).saturating_mul(padded_words(words) as u64).saturating_mul(8)
}

/// Bytes of a finished slice in memory, as planes or by rows; a crowded slice has no planes.
pub fn finished_bytes(space: &Space, slice: Slice, by_rows: bool) -> u64 {
    if by_rows || is_crowded(space.board().points(), slice) {
        return value_rows(space, slice);
    }
    2 * plane_bytes(space, slice.mover, slice.opponent)
}

/// Bytes of what the capture pass of a slice holds beside planes: leaves of trees, lanes, and how sets are extended.
pub fn capture_memory(space: &Space, slice: Slice, threads: usize, leaves: Leaves) -> u64 {
    let points = space.board().points();
    // Leaves of a batch are made in lanes of their own.
    let workers = if leaves == Leaves::OfBatch { 2 * threads } else { threads };
    let tiles = (threads as u64).saturating_mul(points as u64 * 1024 * 8);
    let lanes = (workers as u64).saturating_mul(lane_bytes(64 * space.words(slice.mover)));
    let extensions = 4 * points as u64 * space.orbits(slice.mover - 1);
    let kept = leaves.bytes(space, slice, threads);
    kept.saturating_add(lanes).saturating_add(tiles.saturating_add(extensions))
}

/// Bytes of the indexing of the sets of one size.
pub fn sets_memory(space: &Space, size: usize) -> u64 {
    let points = space.board().points();
    let rows = (points as u64 + 1) * 8 * space.words(size).min(1 << 40).next_multiple_of(STRETCH as u64);
    binomial(points, size).min(1 << 40) / 4 + 8 * space.orbits(size).min(1 << 40) + rows
}

/// Bytes of the numbering of a crowded slice's columns: a row of bits for each label, and ranks by half the labels.
pub fn splits_memory(slice: Slice) -> u64 {
    let stones = slice.stones();
    8 * stones as u64 * binomial(stones, slice.mover).min(1 << 40).div_ceil(64) + (8 << stones.div_ceil(2))
}

/// Bytes of the finished scores of a slice.
pub fn finished_cells<C: Cell>(space: &Space, slice: Slice, by_rows: bool) -> u64 {
    if by_rows || is_crowded(space.board().points(), slice) {
        return cell_rows::<C>(space, slice);
    }
    let row = usize::try_from(space.orbits(slice.opponent)).map_or(usize::MAX, |orbits| {
        padded_cells(orbits.saturating_mul(space.symmetry().order()).min(usize::MAX / 64))
    });
    (size_of::<C>() as u64).saturating_mul(space.orbits(slice.mover)).saturating_mul(row as u64)
}

/// Bytes that the work on the depths of `slice` and its twin takes at its peak in cells of that width, beside layers, finished slices and the
/// indexing. That many bytes of the two slices stay for later pairs.
pub fn depth_memory<C: Cell>(space: &Space, slice: Slice, staying: u64) -> u64 {
    if is_crowded(space.board().points(), slice) {
        return crowded_memory(space, slice, cell_rows::<C>);
    }
    let capturing: u64 = with_twin(slice).map(|slice| capture_bytes::<C>(space, slice)).max().unwrap_or(0);
    // Scores are put together by bands, each of which is there in two orders.
    let band = |slice: Slice| band_bytes(finished_cells::<u8>(space, slice, false)) * size_of::<C>() as u64;
    let turning = with_twin(slice).map(|slice| 2 * band(slice)).max().unwrap_or(0).saturating_add(staying);
    paika_memory(space, slice).max(capturing).max(turning)
}

/// Approximate bytes of scratch files: of the tiles of a pair, or of crowded slices that wait beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Scratch {
    /// Bytes of scratch files, at most.
    pub bytes: u64,
    /// Bytes read from them.
    pub read: u64,
    /// Bytes written to them.
    pub written: u64,
}

/// The scratch files of slices that wait by rows, those of a pair included: at most three fifths of the memory that they take, as 2v10
/// of 5x5 takes 0.55 of its own. Each is written once.
pub fn kept_scratch(staying: u64, own: u64) -> Scratch {
    let kept = |bytes: u64| bytes / 5 * 3;
    Scratch { bytes: kept(staying.saturating_add(own)), read: 0, written: kept(own) }
}

/// Bits of the layers of a pair for each cell of its planes, at most: 4v2 of 9x5 has 6.8.
const LAYER_BITS: u64 = 7;

/// Bytes of the layers of a pair, in memory or in a scratch file.
pub fn layer_bytes(space: &Space, slice: Slice) -> u64 {
    let cells = |slice: Slice| finished_cells::<u8>(space, slice, false);
    with_twin(slice).map(cells).fold(0, u64::saturating_add) / 8 * LAYER_BITS
}

/// The scratch of a pair from layers: written once, read when they enter the state, and when scores are put together.
pub fn layer_scratch(bytes: u64) -> Scratch {
    Scratch { bytes, read: bytes / 4 * 7, written: bytes }
}

/// Bits that a canonical position of five stones takes on disk, how they change with each stone more, and the least: a little above what
/// eleven boards from 3x5 to 5x11 take to eight stones, and 5x5 with every position.
const DISK_BITS: f64 = 0.2;
const DISK_RATIO: f64 = 0.65;
const LEAST_DISK_BITS: f64 = 0.005;

/// The same for depths: 9x5 to 7 stones takes 0.46.
const DEPTH_DISK_BITS: f64 = 0.6;

/// How much longer depths take than values: 9x5 to 7 stones 44 s against 8.8 s, complete 3x5 three times as long.
const DEPTH_TIME: f64 = 5.0;
const CROWDED_DEPTH_TIME: f64 = 3.0;

/// Seconds of measurements, and the fewest samples and the most repeats of each in them.
const MEASURED: f64 = 0.3;
const SAMPLES: usize = 4;
const REPEATS: usize = 3;

/// How many times as fast or slow as a typical machine any other is, at most.
const MAX_FACTOR: f64 = 30.0;

/// The work on a pair of slices, in the quantities that its time depends on: the first two with planes, the third on crowded boards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Opponent sets times their stones: each costs the trees of its chains.
    pub trees: f64,
    /// Bits of the planes: each is read and written a number of times. Scratch of tiles counts as bits as well.
    pub bits: f64,
    /// Positions of crowded slices, up to symmetry.
    pub positions: f64,
}

/// A byte of scratch of tiles takes as long as this many bits of planes: it is unpacked and checked, what was decided is merged, and blocks
/// are searched again. As measured with 4v4 of 9x5 in 1.5 GB.
const BITS_OF_SCRATCH: f64 = 5.0 / 3.0;

impl Work {
    /// The same work from tiles, with their scratch.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // an estimate
    pub fn from_tiles(self, scratch: Scratch) -> Self {
        Self { bits: self.bits + BITS_OF_SCRATCH * (scratch.read + scratch.written) as f64, ..self }
    }
}

/// Seconds for each unit of [`Work`] on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Seconds for a tree.
    pub tree: f64,
    /// Seconds for a bit.
    pub bit: f64,
    /// Seconds for a position of a crowded slice.
    pub position: f64,
}

impl Rates {
    /// Rates of an ordinary core, for weighing kinds of work against each other without measuring.
    pub const TYPICAL: Self = Self { tree: 1.2e-6, bit: 9e-9, position: 1e-7 };

    /// Seconds for some work.
    #[must_use]
    pub fn seconds(&self, work: Work) -> f64 {
        self.tree * work.trees + self.bit * work.bits + self.position * work.positions
    }

    /// Measures this machine, with the current pool of threads, by building the smallest slices of the board in memory, each
    /// several times: what else the machine does makes single measurements too long. Takes about a third of a second.
    #[must_use]
    pub fn calibrate(size: BoardSize, rules: RuleSet, stones: usize) -> Self {
        let space = &Space::new(size, rules.diagonals);
        let mut slices = Slices::new();
        let mut samples = Vec::new();
        let mut spent = 0.0;
        let is_enough =
            |spent: f64, samples: usize| spent > MEASURED && (samples >= SAMPLES || spent > 10.0 * MEASURED);
        for slice in pairs(stones, space.board().points()) {
            let work = pair_work(space, slice, Metric::Wdl);
            if is_enough(spent, samples.len()) || Self::TYPICAL.seconds(work) > 2.0 {
                break;
            }
            let mut seconds = f64::INFINITY;
            for repeat in 0..REPEATS {
                let start = Instant::now();
                let values = solve_pair(space, rules, slice, &|slice| &slices[&slice], &|_| ());
                let taken = start.elapsed().as_secs_f64();
                spent += taken;
                seconds = seconds.min(taken);
                if repeat == 0 {
                    slices.extend(values.into_iter().map(|values| (values.slice(), values)));
                }
                if is_enough(spent, samples.len()) {
                    break;
                }
            }
            // Below this, what is measured is mostly the start of threads.
            if seconds > 2e-4 {
                samples.push((work, seconds));
            }
        }
        Self::fit(&samples).unwrap_or(Self::TYPICAL)
    }

    /// The rates that explain what was measured.
    fn fit(samples: &[(Work, f64)]) -> Option<Self> {
        let (crowded, planes): (Vec<_>, Vec<_>) = samples.iter().copied().partition(|(work, _)| work.positions > 0.0);
        let fitted = Self::fit_planes(&planes);
        // A rate that cannot be measured on this board is as much above or below the typical one as the longest sample.
        let (work, seconds) = samples.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let factor = seconds / Self::TYPICAL.seconds(*work);
        let (tree, bit) = fitted.unwrap_or((Self::TYPICAL.tree * factor, Self::TYPICAL.bit * factor));
        let sum = |power| crowded.iter().map(|(work, seconds)| (work.positions / seconds).powi(power)).sum::<f64>();
        let position = if crowded.is_empty() { Self::TYPICAL.position * factor } else { sum(1) / sum(2) };
        Some(Self { tree, bit, position }.plausible())
    }

    /// The same rates, none of them further from the typical one than machines are.
    fn plausible(self) -> Self {
        let near = |rate: f64, typical: f64| rate.clamp(typical / MAX_FACTOR, typical * MAX_FACTOR);
        let Self { tree, bit, position } = Self::TYPICAL;
        Self { tree: near(self.tree, tree), bit: near(self.bit, bit), position: near(self.position, position) }
    }

    /// Least squares of relative errors: the rates of trees and bits, if the samples separate the two and both are positive.
    fn fit_planes(samples: &[(Work, f64)]) -> Option<(f64, f64)> {
        let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
            samples.iter().map(|(work, seconds)| term(work.trees / seconds, work.bits / seconds)).sum()
        };
        let (tt, bb, tb) = (sum(&|t, _| t * t), sum(&|_, b| b * b), sum(&|t, b| t * b));
        let (t, b) = (sum(&|t, _| t), sum(&|_, b| b));
        let determinant = tt * bb - tb * tb;
        let (tree, bit) = ((t * bb - b * tb) / determinant, (b * tt - t * tb) / determinant);
        (tree > 0.0 && bit > 0.0 && determinant > 0.0).then_some((tree, bit))
    }
}

/// The work on one table of a slice and its twin.
#[allow(clippy::cast_precision_loss)] // an estimate
pub fn pair_work(space: &Space, slice: Slice, metric: Metric) -> Work {
    let crowded = is_crowded(space.board().points(), slice);
    let times = match (metric, crowded) {
        (Metric::Wdl, _) => 1.0,
        (Metric::Dtw, true) => CROWDED_DEPTH_TIME,
        (Metric::Dtw, false) => DEPTH_TIME,
    };
    with_twin(slice).fold(Work::default(), |sum, slice| {
        if crowded {
            let positions = space.placements(slice) as f64 / space.symmetry().order() as f64;
            return Work { positions: sum.positions + times * positions, ..sum };
        }
        let opponents = space.orbits(slice.opponent) as f64;
        Work {
            trees: sum.trees + times * opponents * slice.opponent as f64,
            bits: sum.bits + times * opponents * 64.0 * space.words(slice.mover) as f64,
            ..sum
        }
    })
}

/// Bytes of the table of a slice.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // an estimate
pub fn disk_bytes(space: &Space, slice: Slice, metric: Metric) -> u64 {
    let bits = match metric {
        Metric::Wdl => (DISK_BITS * DISK_RATIO.powf(slice.stones() as f64 - 5.0)).max(LEAST_DISK_BITS),
        Metric::Dtw => DEPTH_DISK_BITS,
    };
    300 + (space.placements(slice) as f64 / space.symmetry().order() as f64 * bits / 8.0) as u64
}

//! What the work on a pair takes in each form: bytes of memory, of scratch and of files, and time.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::board::BoardSize;
use crate::index::{STRETCH, Slice, Space, binomial, is_crowded, padded_cells, padded_words};
use crate::rules::RuleSet;
use crate::table::{Cell, Metric};

use super::super::depths::capture_bytes;
use super::super::in_memory::{Slices, solve_pair};
use super::super::planes::{Marks, extended_bytes, lane_bytes};
use super::super::slices::{after_captures, pairs, with_twin};
use super::super::tiles::{Shares, TileBudget, base_bytes, least_working, log_bytes};

/// Bytes a position costs while it is solved in crowded form: its value, and a share of the list of open ones.
const CROWDED_BYTES: u64 = 3;

/// Bytes that a process takes beside what is counted while it solves from tiles: stacks, compressors.
const FIXED: u64 = 24 << 20;

/// Bytes of memory at the peak of a build of `slice` and its twin, when every slice of fewer stones is at hand; with a
/// quarter added for what the allocator keeps and the compressor needs (seen: 9x5 to 7 stones 8 % below the result).
pub fn pair_memory(space: &Space, slice: Slice, threads: usize) -> u64 {
    let points = space.board().points();
    let plane = |rows, columns| plane_bytes(space, rows, columns);
    let both = |slice: Slice| plane(slice.mover, slice.opponent) + plane(slice.opponent, slice.mover);
    let canonical = |slice| canonical_positions(space, slice);
    let planes: u64 = with_twin(slice).map(|slice| 2 * both(slice)).fold(0, u64::saturating_add);
    let marks: u64 =
        with_twin(slice).map(|s| 3 * Marks::bytes(space.orbits(s.mover), space.words(s.opponent) / 8 + 1)).sum();
    // The second slice's captures are resolved beside the planes of the first.
    let first_planes = 2 * plane(slice.opponent, slice.mover);
    let capturing = capture_memory(space, slice, threads).saturating_add(2 * first_planes);
    let finished = Slice::up_to(slice.stones() - 1, points).map(|slice| finished_bytes(space, slice));
    let finished: u64 = finished.fold(0, u64::saturating_add);
    let solving = if is_crowded(space.board().points(), slice) {
        with_twin(slice).map(canonical).map(|positions| positions * CROWDED_BYTES).sum()
    } else {
        planes.saturating_add(marks).max(capturing)
    };
    let sum = finished.saturating_add(index_memory(space, slice)).saturating_add(solving);
    sum.saturating_add(sum / 4)
}

/// Bytes of a plane with a row for each orbit of `rows` stones, and a column for each set of `columns`.
fn plane_bytes(space: &Space, rows: usize, columns: usize) -> u64 {
    let words = usize::try_from(space.words(columns)).unwrap_or(usize::MAX / 16);
    space.orbits(rows).saturating_mul(padded_words(words) as u64).saturating_mul(8)
}

/// Approximate number of positions of a slice up to symmetry.
fn canonical_positions(space: &Space, slice: Slice) -> u64 {
    space.placements(slice) / space.symmetry().order() as u64
}

/// Bytes of a finished slice in memory.
fn finished_bytes(space: &Space, slice: Slice) -> u64 {
    if is_crowded(space.board().points(), slice) {
        return canonical_positions(space, slice) / 4;
    }
    2 * plane_bytes(space, slice.mover, slice.opponent)
}

/// Bytes of the finished slices that captures of a pair lead to.
fn lower_memory(space: &Space, slice: Slice) -> u64 {
    let lower: BTreeSet<Slice> = with_twin(slice).flat_map(after_captures).collect();
    lower.into_iter().map(|slice| finished_bytes(space, slice)).fold(0, u64::saturating_add)
}

/// Bytes of what each capture pass of a pair holds beside planes: leaves of trees, lanes, and how sets are extended.
fn capture_memory(space: &Space, slice: Slice, threads: usize) -> u64 {
    let points = space.board().points();
    let captures = |slice: Slice| {
        let rest = usize::try_from(space.words(slice.mover - 1)).unwrap_or(usize::MAX / 16);
        let leaves: u64 = match slice.mover {
            1 => 0,
            _ => (0..slice.opponent).map(|left| extended_bytes(space.orbits(left), points, rest)).sum(),
        };
        let tiles = threads as u64 * points as u64 * 1024 * 8;
        let lanes = threads as u64 * lane_bytes(64 * space.words(slice.mover));
        let extensions = 4 * points as u64 * space.orbits(slice.mover - 1);
        leaves.saturating_add(lanes).saturating_add(tiles + extensions)
    };
    with_twin(slice).map(captures).max().unwrap_or(0)
}

/// Bytes of the indexing of sets, that of all sets with fewer stones included: what was made for slices built earlier stays.
fn index_memory(space: &Space, slice: Slice) -> u64 {
    let points = space.board().points();
    let of_sets = |size: usize| {
        let rows = (points as u64 + 1) * 8 * space.words(size).min(1 << 40).next_multiple_of(STRETCH as u64);
        binomial(points, size).min(1 << 40) / 4 + 8 * space.orbits(size).min(1 << 40) + rows
    };
    (0..slice.stones()).map(of_sets).sum()
}

/// Bytes of memory at the peak of the work on `slice` and its twin with every slice of fewer stones at hand, in cells of
/// that width; with a quarter added as for plain values.
pub fn depth_memory<C: Cell>(space: &Space, slice: Slice) -> u64 {
    let (points, width) = (space.board().points(), size_of::<C>() as u64);
    let cells = |slice: Slice| {
        let row = usize::try_from(space.orbits(slice.opponent)).map_or(usize::MAX, |orbits| {
            padded_cells(orbits.saturating_mul(space.symmetry().order()).min(usize::MAX / 64))
        });
        width * space.orbits(slice.mover).saturating_mul(row as u64)
    };
    let canonical = |slice: Slice| width * space.placements(slice) / space.symmetry().order() as u64;
    let form = |slice: Slice| if is_crowded(space.board().points(), slice) { canonical(slice) } else { cells(slice) };
    let finished: u64 = Slice::up_to(slice.stones() - 1, points).map(form).fold(0, u64::saturating_add);
    let solving = if is_crowded(space.board().points(), slice) {
        // A cell, and a share of the list of open positions.
        with_twin(slice).map(|slice| canonical(slice) + 2 * canonical(slice) / width).sum()
    } else {
        let planes: u64 = with_twin(slice).map(|slice| cells(slice.twin())).sum();
        let capturing: u64 = with_twin(slice).map(|slice| capture_bytes::<C>(space, slice)).max().unwrap_or(0);
        // Beside the cells there are the trees of captures, then five planes of bits, then the scores of a slice in the
        // order of tables.
        let turning = with_twin(slice).map(cells).max().unwrap_or(0);
        planes + capturing.max(planes * 5 / (8 * width)).max(turning)
    };
    let sum = finished.saturating_add(index_memory(space, slice)).saturating_add(solving);
    sum.saturating_add(sum / 4)
}

/// The least memory in which the values of a pair can be solved from tiles.
pub fn tiles_memory(space: &Space, slice: Slice, threads: usize) -> u64 {
    // Each thread has the rows of a batch beside what it resolves them with.
    let workers = threads as u64;
    let rows = |slice: Slice| {
        let batch = space.orbits(slice.opponent).div_ceil(workers).min(64);
        workers * 16 * batch * space.words(slice.mover)
    };
    let rows = with_twin(slice).map(rows).max().unwrap_or(0);
    let captures =
        capture_memory(space, slice, threads).saturating_add(rows).saturating_add(lower_memory(space, slice));
    FIXED + index_memory(space, slice) + captures.max(log_bytes(0) + least_working(space, slice))
}

/// Bytes of that much memory for planes while paikas are followed: a quarter is left to finished slices that wait, to pieces on their way
/// from and to the store, to their lengths, and to the allocator.
pub fn bytes_for_tiles(space: &Space, slice: Slice, memory: u64) -> u64 {
    (memory / 4 * 3).saturating_sub(FIXED + log_bytes(memory) + index_memory(space, slice))
}

/// Approximate bytes that a pair from tiles reads and writes; none in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Scratch {
    /// Bytes of scratch files, at most.
    pub bytes: u64,
    /// Bytes read from them.
    pub read: u64,
    /// Bytes written to them.
    pub written: u64,
}

/// How often the bytes of all planes that do not stay in memory are read, compressed: as measured with 4v3 and 5v4 of 9x5 in less than half of
/// the memory that they need. Where less is decided by paikas it is less often, with 6v3 seven times, with 5v2 three times.
const READINGS: f64 = 10.0;

/// The part of the planes that captures and the log of all that is decided take.
const ONCE: f64 = 0.8;

/// How often planes that do not stay in memory are rewritten, at most: as measured with 4v3. With 6v3 and 5v4 they hardly are.
const FOLDED: f64 = 3.0;

/// The part of the planes that they take in a scratch file with the log, the two places of bands that do not stay in memory included, at most: as
/// measured with 4v3. With 6v3 and 5v4 it is 0.7.
const SCRATCH: f64 = 1.8;

/// Bytes that a pair from tiles moves where one process has all of it.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // an estimate
pub fn scratch(space: &Space, slice: Slice, budget: TileBudget) -> Scratch {
    let base = base_bytes(space, slice);
    let moving = (base - Shares::of(space, slice, budget.planes, 1).resident.min(base)) as f64;
    let base = base as f64;
    Scratch {
        bytes: (base * SCRATCH) as u64,
        read: (base * ONCE + moving * READINGS) as u64,
        written: (base * ONCE + moving * FOLDED) as u64,
    }
}

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
    let crowded = is_crowded(space.board().points(), slice);
    let times = match (metric, crowded) {
        (Metric::Wdl, _) => 1.0,
        (Metric::Dtw, true) => CROWDED_DEPTH_TIME,
        (Metric::Dtw, false) => DEPTH_TIME,
    };
    with_twin(slice).fold(Work::default(), |sum, slice| {
        if crowded {
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

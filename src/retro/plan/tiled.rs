//! What a pair from tiles takes: memory while captures are resolved, tables are read and paikas are followed, and scratch.

use std::collections::BTreeSet;

use crate::index::{Slice, Space};

use super::super::planes::{Leaves, batch_rows, part_bytes, rows_bytes};
use super::super::slices::{after_captures, with_twin};
use super::super::tiles::{Shares, TileBudget, base_bytes, least_working, log_bytes};
use super::cost::{Scratch, capture_memory, finished_bytes};

/// Bytes that a process takes beside what is counted: stacks, compressors.
const FIXED: u64 = 24 << 20;

/// Which leaves of chains to keep while a pair is solved beside an indexing of `index` bytes, and the least memory that this takes: all
/// if they fit in `allowed` bytes.
pub fn leaves_of_tiles(space: &Space, slice: Slice, threads: usize, index: u64, allowed: u64) -> (Leaves, u64) {
    let least = |leaves| index.saturating_add(least_memory(space, slice, threads, leaves));
    let [all, of_batch] = [Leaves::All, Leaves::OfBatch].map(least);
    if all <= allowed || all <= of_batch { (Leaves::All, all) } else { (Leaves::OfBatch, of_batch) }
}

/// The least memory in which the values of a pair can be solved, beside the indexing.
fn least_memory(space: &Space, slice: Slice, threads: usize, leaves: Leaves) -> u64 {
    let finished = |slices: BTreeSet<Slice>| {
        slices.into_iter().map(|slice| finished_bytes(space, slice, false)).fold(0, u64::saturating_add)
    };
    let captures = |slice| capture_memory(space, slice, threads, leaves);
    let below: BTreeSet<Slice> = with_twin(slice).flat_map(after_captures).collect();
    // A slice below is read beside those before it, and what its own captures lead to.
    let reading = |&read: &Slice| {
        let there = finished(below.iter().copied().chain(after_captures(read)).collect());
        there.saturating_add(captures(read)).saturating_add(part_bytes(space, read, threads))
    };
    let reading = below.iter().map(reading).max().unwrap_or(0);
    // Each thread has the rows of a batch beside what it resolves them with.
    let rows = |slice: Slice| {
        let orbits = usize::try_from(space.orbits(slice.opponent)).unwrap_or(usize::MAX);
        rows_bytes(space, slice, (threads * batch_rows(orbits, threads)) as u64)
    };
    let capturing = with_twin(slice).map(|slice| captures(slice).saturating_add(rows(slice))).max().unwrap_or(0);
    let capturing = capturing.saturating_add(finished(below));
    FIXED + reading.max(capturing).max(log_bytes(0) + least_working(space, slice))
}

/// How many bytes of `memory` planes may take while paikas are followed: a quarter is left to finished slices that wait, to pieces on
/// their way from and to the store, to their lengths, and to the allocator.
pub fn bytes_for_tiles(index: u64, memory: u64) -> u64 {
    (memory / 4 * 3).saturating_sub(FIXED + log_bytes(memory) + index)
}

/// How often the bytes of all planes that do not stay in memory are read, with what they lack of the log, both compressed: as measured with 4v3 and
/// 5v4 of 9x5 in less than half of the memory that they need (4v4 in 1.5 GB: nine times). Where less is decided by paikas it is less often,
/// with 5v2 three times.
const READINGS: f64 = 10.0;

/// The part of the planes that captures and the log of all that is decided take: as measured with 4v3.
const ONCE: f64 = 0.65;

/// The part of the planes that rewriting those that do not stay in memory takes, at most: as measured with 4v3.
const FOLDED: f64 = 0.8;

/// The part of the planes that they take in a scratch file with the log, the two places of bands that do not stay in memory included, at most: as
/// measured with 4v3.
const SCRATCH: f64 = 1.1;

/// What comes on top, which matters for small pairs: 4v2, whose planes have 32 MB, takes 64 MB in 60 MB of memory.
const SCRATCH_ABOVE: f64 = 32e6;

/// Bytes that a pair from tiles moves where one process has all of it.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // an estimate
pub fn scratch(space: &Space, slice: Slice, budget: TileBudget) -> Scratch {
    let base = base_bytes(space, slice);
    let moving = (base - Shares::of(space, slice, budget.planes, 1).resident.min(base)) as f64;
    let base = base as f64;
    Scratch {
        bytes: (base * SCRATCH + SCRATCH_ABOVE) as u64,
        read: (base * ONCE + moving * READINGS) as u64,
        written: (base * ONCE + moving * FOLDED) as u64,
    }
}

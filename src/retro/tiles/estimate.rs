//! What a pair from tiles will take, before it starts.

use crate::index::{Slice, Space};

use super::super::crowded::prefers_crowded;
use super::super::plan::pair_memory;
use super::job::{bytes_for_planes, least_memory};
use super::layout::{Shares, base_bytes};

/// How often the bytes of all planes that do not stay in memory are read, packed as they are: as seen with 4v3 and 5v4 of 9x5 in less than half of
/// the memory that they want. Where less is decided by paikas it is less often, with 6v3 seven times, with 5v2 three times.
const READINGS: f64 = 10.0;

/// The part of the planes that captures and the log of all that is decided take.
const ONCE: f64 = 0.8;

/// How often planes that do not stay in memory are written anew, at most: as seen with 4v3. With 6v3 and 5v4 they hardly are.
const FOLDED: f64 = 3.0;

/// The part of the planes that they take in a scratch file with the log, the two places of bands that do not stay in memory included, at most: as
/// seen with 4v3. With 6v3 and 5v4 it is 0.7.
const SCRATCH: f64 = 1.8;

/// What a pair from tiles is expected to take.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct TileEstimate {
    /// Stones of the side to move.
    pub mover: usize,
    /// Stones of the other side.
    pub opponent: usize,
    /// The least memory in which it can be done.
    pub memory: u64,
    /// Bytes of scratch disk.
    pub scratch: u64,
    /// Bytes read from it.
    pub read: u64,
    /// Bytes written to it.
    pub written: u64,
}

/// Bytes of scratch that a pair takes, or less: its planes, and the log of what is decided.
#[must_use]
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // an estimate
pub fn scratch_bytes(space: &Space, slice: Slice) -> u64 {
    (base_bytes(space, slice) as f64 * SCRATCH) as u64
}

/// What a pair takes when no more than `memory` may be used; `None` if it is solved in memory.
#[must_use]
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // an estimate
pub fn tile_estimate(space: &Space, slice: Slice, memory: u64, threads: usize) -> Option<TileEstimate> {
    if pair_memory(space, slice, threads) <= memory || prefers_crowded(space, slice) {
        return None;
    }
    let base = base_bytes(space, slice);
    let resident = Shares::of(space, slice, bytes_for_planes(space, slice, memory), 1).resident.min(base);
    let moving = (base - resident) as f64;
    Some(TileEstimate {
        mover: slice.mover,
        opponent: slice.opponent,
        memory: least_memory(space, slice, threads),
        scratch: scratch_bytes(space, slice),
        read: (base as f64 * ONCE + moving * READINGS) as u64,
        written: (base as f64 * ONCE + moving * FOLDED) as u64,
    })
}

//! Blocks of positions: codes, replies and ranks side by side, as planes of bytes, compressed.

use super::certificate::{Entry, Placed, Ranked};
use super::code::{END, code, position};

/// Positions in a block; the last of a set has fewer. A plane of a full block has the 128 KiB that zstd codes together.
pub const BLOCK: usize = 1 << 17;

/// Bytes of the difference between two codes, of which the largest is below 2^102.
const CODE_BYTES: usize = 13;

/// Bytes of a reply, and of a rank.
const NUMBER_BYTES: usize = 4;

/// zstd's effort.
const LEVEL: i32 = 19;

/// A kind of position that blocks hold.
pub trait Stored: Placed {
    /// Bytes of one before compression.
    const BYTES: usize;
    /// The rank, where there is one.
    fn rank(&self) -> u32;
    /// A position from its parts.
    fn new(sides: (u64, u64), reply: u32, rank: u32) -> Self;
}

impl Stored for Entry {
    const BYTES: usize = CODE_BYTES + NUMBER_BYTES;

    fn rank(&self) -> u32 {
        0
    }

    fn new((mover, opponent): (u64, u64), reply: u32, _: u32) -> Self {
        Self { mover, opponent, reply }
    }
}

impl Stored for Ranked {
    const BYTES: usize = CODE_BYTES + 2 * NUMBER_BYTES;

    fn rank(&self) -> u32 {
        self.rank
    }

    fn new((mover, opponent): (u64, u64), reply: u32, rank: u32) -> Self {
        Self { mover, opponent, reply, rank }
    }
}

/// Compresses some positions in ascending order.
///
/// # Errors
/// Those of the compressor.
pub fn encode<P: Stored>(positions: &[P]) -> std::io::Result<Vec<u8>> {
    let mut planes = vec![0; positions.len() * P::BYTES];
    let mut before = 0;
    for (place, placed) in positions.iter().enumerate() {
        let (mover, opponent) = placed.sides();
        let code = code(mover, opponent);
        let mut bytes = [0; CODE_BYTES + 2 * NUMBER_BYTES];
        bytes[..CODE_BYTES].copy_from_slice(&(code - before).to_le_bytes()[..CODE_BYTES]);
        bytes[CODE_BYTES..][..NUMBER_BYTES].copy_from_slice(&placed.reply().to_le_bytes());
        bytes[CODE_BYTES + NUMBER_BYTES..].copy_from_slice(&placed.rank().to_le_bytes());
        for (plane, &byte) in bytes[..P::BYTES].iter().enumerate() {
            planes[plane * positions.len() + place] = byte;
        }
        before = code;
    }
    zstd::bulk::compress(&planes, LEVEL)
}

/// The positions of a block, which should have so many; `None` if it does not, or if their codes do not ascend.
pub fn decode<P: Stored>(block: &[u8], count: usize) -> Option<Vec<P>> {
    let planes = zstd::bulk::decompress(block, count * P::BYTES).ok()?;
    if planes.len() != count * P::BYTES {
        return None;
    }
    let number = |place: usize, planes_used: std::ops::Range<usize>| {
        planes_used.rev().fold(0u128, |number, plane| number << 8 | u128::from(planes[plane * count + place]))
    };
    let mut code = 0;
    let mut positions = Vec::with_capacity(count);
    for place in 0..count {
        let difference = number(place, 0..CODE_BYTES);
        code += difference;
        if difference == 0 || code >= END {
            return None;
        }
        #[allow(clippy::cast_possible_truncation)] // four bytes each
        let short = |plane: usize| number(place, plane..plane + NUMBER_BYTES) as u32;
        let rank = if P::BYTES > CODE_BYTES + NUMBER_BYTES { short(CODE_BYTES + NUMBER_BYTES) } else { 0 };
        positions.push(P::new(position(code), short(CODE_BYTES), rank));
    }
    Some(positions)
}

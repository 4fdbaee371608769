//! Blocks of positions: the bytes of codes, replies and ranks in planes, compressed.

use crate::files::decompress;

use super::certificate::{Placed, SafePosition, WonPosition};
use super::code::{byte, code_bytes, put};

/// Positions in a block; the last of a set has fewer. A plane of a full block has the 128 KiB that zstd codes together.
pub const BLOCK: usize = 1 << 17;

/// Bytes of a reply, and of a rank.
const NUMBER_BYTES: usize = 4;

/// Compression level of zstd. On positions of 9 to 20 stones level 15 gives 3 to 8 % larger files in a third of the time.
const LEVEL: i32 = 19;

/// A kind of position stored in blocks.
pub trait BlockRecord: Placed {
    /// Numbers stored with a position.
    const NUMBERS: usize;
    /// The numbers: the reply, and in the won set the rank.
    fn numbers(&self) -> [u32; 2];
    /// A position from its parts.
    fn new(sides: (u64, u64), numbers: [u32; 2]) -> Self;
}

impl BlockRecord for SafePosition {
    const NUMBERS: usize = 1;

    fn numbers(&self) -> [u32; 2] {
        [self.reply, 0]
    }

    fn new((mover, opponent): (u64, u64), [reply, _]: [u32; 2]) -> Self {
        Self { mover, opponent, reply }
    }
}

impl BlockRecord for WonPosition {
    const NUMBERS: usize = 2;

    fn numbers(&self) -> [u32; 2] {
        [self.reply, self.rank]
    }

    fn new((mover, opponent): (u64, u64), [reply, rank]: [u32; 2]) -> Self {
        Self { mover, opponent, reply, rank }
    }
}

/// Compresses positions on a board with `points` points. The highest byte of codes and numbers comes first.
///
/// # Errors
/// An error of the compressor.
pub fn encode<P: BlockRecord>(positions: &[P], points: usize) -> std::io::Result<Vec<u8>> {
    let mut planes = Vec::with_capacity(positions.len() * block_planes::<P>(points));
    for number in (0..code_bytes(points)).rev() {
        planes.extend(positions.iter().map(|placed| {
            let (mover, opponent) = placed.sides();
            byte(mover, opponent, number)
        }));
    }
    for number in 0..P::NUMBERS {
        for place in 0..NUMBER_BYTES {
            planes.extend(positions.iter().map(|placed| placed.numbers()[number].to_be_bytes()[place]));
        }
    }
    zstd::bulk::compress(&planes, LEVEL)
}

/// Decodes the `count` positions of a block. `None` if it has more or fewer, or some that do not fit the board.
pub fn decode<P: BlockRecord>(block: &[u8], count: usize, points: usize) -> Option<Vec<P>> {
    let bytes = count * block_planes::<P>(points);
    let planes = decompress(block, bytes)?;
    let mut sides = vec![(0, 0); count];
    let (codes, numbers) = planes.split_at(count * code_bytes(points));
    for (number, plane) in (0..code_bytes(points)).rev().zip(codes.chunks_exact(count)) {
        for (sides, &byte) in sides.iter_mut().zip(plane) {
            *sides = put(*sides, number, byte, points)?;
        }
    }
    let number = |number: usize, place: usize| {
        let planes = number * NUMBER_BYTES..(number + 1) * NUMBER_BYTES;
        planes.fold(0, |value, plane| value << 8 | u32::from(numbers[plane * count + place]))
    };
    let second = |place| if P::NUMBERS == 2 { number(1, place) } else { 0 };
    let positions = sides.into_iter().enumerate();
    Some(positions.map(|(place, sides)| P::new(sides, [number(0, place), second(place)])).collect())
}

/// Bytes of a position before compression.
fn block_planes<P: BlockRecord>(points: usize) -> usize {
    code_bytes(points) + NUMBER_BYTES * P::NUMBERS
}

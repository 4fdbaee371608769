//! Blocks of positions: the bytes of codes, replies and ranks in planes, compressed.

use crate::files::decompress;

use super::certificate::{Member, Set};
use super::code::{byte, code_bytes, put};

/// Positions in a block; the last of a set has fewer. A plane of a full block has the 128 KiB that zstd codes together.
pub const BLOCK: usize = 1 << 17;

/// Bytes of a reply, and of a rank.
const NUMBER_BYTES: usize = 4;

/// Compression level of zstd. On positions of 9 to 20 stones level 15 gives 3 to 8 % larger files in a third of the time.
const LEVEL: i32 = 19;

/// Numbers stored with a position: the reply, and in the won set the rank.
fn numbers(set: Set) -> usize {
    match set {
        Set::Safe => 1,
        Set::Won => 2,
    }
}

/// Compresses positions of a set on a board with `points` points. The highest byte of codes and numbers comes first.
///
/// # Errors
/// An error of the compressor.
pub fn encode(set: Set, positions: &[Member], points: usize) -> std::io::Result<Vec<u8>> {
    let mut planes = Vec::with_capacity(positions.len() * packed_bytes(set, points));
    for number in (0..code_bytes(points)).rev() {
        planes.extend(positions.iter().map(|member| byte(member.mover, member.opponent, number)));
    }
    for number in 0..numbers(set) {
        for place in 0..NUMBER_BYTES {
            planes.extend(positions.iter().map(|member| [member.reply, member.rank][number].to_be_bytes()[place]));
        }
    }
    zstd::bulk::compress(&planes, LEVEL)
}

/// Decodes the `count` positions of a block. `None` if it has more or fewer, or some that do not fit the board.
pub fn decode(set: Set, block: &[u8], count: usize, points: usize) -> Option<Vec<Member>> {
    let bytes = count * packed_bytes(set, points);
    let planes = decompress(block, bytes..=bytes)?;
    let mut sides = vec![(0, 0); count];
    let (codes, rest) = planes.split_at(count * code_bytes(points));
    for (number, plane) in (0..code_bytes(points)).rev().zip(codes.chunks_exact(count)) {
        for (sides, &byte) in sides.iter_mut().zip(plane) {
            *sides = put(*sides, number, byte, points)?;
        }
    }
    let number = |number: usize, place: usize| {
        let planes = number * NUMBER_BYTES..(number + 1) * NUMBER_BYTES;
        planes.fold(0, |value, plane| value << 8 | u32::from(rest[plane * count + place]))
    };
    let rank = |place| if set == Set::Won { number(1, place) } else { 0 };
    let members = sides.into_iter().enumerate().map(|(place, (mover, opponent))| Member {
        mover,
        opponent,
        reply: number(0, place),
        rank: rank(place),
    });
    Some(members.collect())
}

/// Bytes of a position before compression.
fn packed_bytes(set: Set, points: usize) -> usize {
    code_bytes(points) + NUMBER_BYTES * numbers(set)
}

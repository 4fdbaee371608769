//! Positions as numbers in base 3, a digit for each point: their order, and five digits to a byte.

use std::cmp::Ordering;

/// Points whose digits share a byte.
const PER_BYTE: usize = 5;

/// For each index, the number whose digits in base 3 are the bits of the index.
const DIGITS: [u8; 1 << PER_BYTE] = {
    let mut digits = [0u8; 1 << PER_BYTE];
    let mut bits = 1;
    while bits < digits.len() {
        digits[bits] = 3 * digits[bits / 2] + (bits % 2 == 1) as u8;
        bits += 1;
    }
    digits
};

/// For each byte the points that have digit 1, and those that have digit 2.
const POINTS: [(u8, u8); 243] = {
    let mut points = [(0u8, 0u8); 243];
    let mut byte = 1;
    while byte < points.len() {
        let (one, two) = points[byte / 3];
        points[byte] = (2 * one + (byte % 3 == 1) as u8, 2 * two + (byte % 3 == 2) as u8);
        byte += 1;
    }
    points
};

/// Bytes of a code on a board with `points` points.
pub fn code_bytes(points: usize) -> usize {
    points.div_ceil(PER_BYTE)
}

/// Byte `number` of the code of a position. Digit p of the code is 0 for an empty point, 1 for a stone of the mover, 2 for one
/// of the opponent; byte b holds the digits from 5b on, the first in the lowest place.
pub fn byte(mover: u64, opponent: u64, number: usize) -> u8 {
    #[allow(clippy::cast_possible_truncation)] // five bits
    let digits = |set: u64| DIGITS[(set >> (PER_BYTE * number) & 31) as usize];
    digits(mover) + 2 * digits(opponent)
}

/// Adds the stones of byte `number` of a code to those of a position. `None` for a byte above 242, or a digit beyond the last
/// of `points` points.
pub fn put(sides: (u64, u64), number: usize, byte: u8, points: usize) -> Option<(u64, u64)> {
    let &(mover, opponent) = POINTS.get(usize::from(byte))?;
    let first = PER_BYTE * number;
    if u32::from(mover | opponent) >> points.checked_sub(first)?.min(PER_BYTE) != 0 {
        return None;
    }
    Some((sides.0 | u64::from(mover) << first, sides.1 | u64::from(opponent) << first))
}

/// The order of two positions by their codes: that of the digits of the highest point where they differ.
#[inline]
pub fn order(left: (u64, u64), right: (u64, u64)) -> Ordering {
    let differ = (left.0 ^ right.0) | (left.1 ^ right.1);
    let Some(highest) = differ.checked_ilog2() else { return Ordering::Equal };
    let digit = |(mover, opponent): (u64, u64)| (opponent >> highest & 1, mover >> highest & 1);
    digit(left).cmp(&digit(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sets without a point in common.
    fn apart(random: &mut fastrand::Rng) -> (u64, u64) {
        let (one, other) = (random.u64(..), random.u64(..) & random.u64(..));
        (one & !other, other)
    }

    fn code((mover, opponent): (u64, u64)) -> u128 {
        let digit = |point: u32| u128::from(mover >> point & 1) + 2 * u128::from(opponent >> point & 1);
        (0..64).map(|point| digit(point) * 3u128.pow(point)).sum()
    }

    #[test]
    fn bytes_are_digits_in_base_243_and_read_back() {
        let mut random = fastrand::Rng::with_seed(1);
        for points in [1, 3, 5, 9, 45, 63, 64] {
            let all = u64::MAX >> (64 - points);
            for _ in 0..1000 {
                let (mover, opponent) = apart(&mut random);
                let sides = (mover & all, opponent & all);
                let bytes: Vec<u8> = (0..code_bytes(points)).map(|number| byte(sides.0, sides.1, number)).collect();
                assert_eq!(bytes.iter().rev().fold(0, |code, &byte| 243 * code + u128::from(byte)), code(sides));
                let mut numbered = bytes.iter().enumerate();
                let read = numbered.try_fold((0, 0), |read, (number, &byte)| put(read, number, byte, points));
                assert_eq!(read, Some(sides));
            }
        }
    }

    #[test]
    fn bytes_that_are_no_stones_of_the_board_are_refused() {
        for points in 1..=64usize {
            for number in 0..=code_bytes(64) {
                for byte in 0..=255u8 {
                    let here = points.saturating_sub(5 * number).min(5);
                    let possible = u32::from(byte) < 3u32.pow(here.try_into().unwrap()) && 5 * number <= points;
                    assert_eq!(put((0, 0), number, byte, points).is_some(), possible, "{points} {number} {byte}");
                }
            }
        }
    }

    #[test]
    fn the_order_is_that_of_the_codes() {
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..1000 {
            let (left, mut right) = (apart(&mut random), apart(&mut random));
            if random.bool() {
                // Alike but for a few low points.
                let low = random.u64(..) >> random.u32(..64);
                right = (left.0 & !low | right.0 & low, left.1 & !low | right.1 & low);
            }
            assert_eq!(order(left, right), code(left).cmp(&code(right)));
            assert_eq!(order(left, left), Ordering::Equal);
        }
    }
}

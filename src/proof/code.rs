//! Positions as numbers in base 3, a digit for each point, and their order.

use std::cmp::Ordering;

/// Codes of the positions on eight points: a digit for each.
const EIGHT: u128 = 3u128.pow(8);

/// The least number that is no code: codes have a digit for each of 64 points.
pub const END: u128 = 3u128.pow(64);

/// The number whose digits in base 3 are the bits of a byte.
const DIGITS: [u16; 256] = {
    let mut digits = [0u16; 256];
    let mut byte = 1;
    while byte < 256 {
        digits[byte] = 3 * digits[byte / 2] + if byte % 2 == 1 { 1 } else { 0 };
        byte += 1;
    }
    digits
};

/// The code of a position: digit p is 0 for an empty point, 1 for a stone of the mover, 2 for one of the opponent.
pub fn code(mover: u64, opponent: u64) -> u128 {
    let bytes = mover.to_be_bytes().into_iter().zip(opponent.to_be_bytes());
    bytes.fold(0, |code, (mover, opponent)| {
        let digits = |byte: u8| u128::from(DIGITS[usize::from(byte)]);
        EIGHT * code + digits(mover) + 2 * digits(opponent)
    })
}

/// The position with that code, which is below [`END`].
pub fn position(mut code: u128) -> (u64, u64) {
    let (mut mover, mut opponent) = (0, 0);
    for eight in 0..8 {
        // Below 6561; a division of small numbers is much faster than one of large ones.
        #[allow(clippy::cast_possible_truncation)]
        let mut digits = (code % EIGHT) as u32;
        code /= EIGHT;
        for point in 8 * eight..8 * eight + 8 {
            match digits % 3 {
                0 => {}
                1 => mover |= 1 << point,
                _ => opponent |= 1 << point,
            }
            digits /= 3;
        }
        if code == 0 {
            break;
        }
    }
    (mover, opponent)
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

    /// Three sets of points without a point in common, made of any two.
    fn apart(random: &mut fastrand::Rng) -> (u64, u64) {
        let (one, other) = (random.u64(..), random.u64(..) & random.u64(..));
        (one & !other, other)
    }

    #[test]
    fn codes_are_what_their_definition_says_and_read_back() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..1000 {
            let (mover, opponent) = apart(&mut random);
            let digit = |point: u32| u128::from(mover >> point & 1) + 2 * u128::from(opponent >> point & 1);
            let expected = (0..64).map(|point| digit(point) * 3u128.pow(point)).sum::<u128>();
            assert_eq!(code(mover, opponent), expected);
            assert_eq!(position(expected), (mover, opponent));
            assert!(expected < END);
        }
        assert_eq!((code(0, 0), position(0), code(0, u64::MAX)), (0, (0, 0), END - 1));
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
            assert_eq!(order(left, right), code(left.0, left.1).cmp(&code(right.0, right.1)));
            assert_eq!(order(left, left), Ordering::Equal);
        }
    }
}

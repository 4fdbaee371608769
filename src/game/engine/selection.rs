//! How many turns of a position are searched, and how much less deep the later ones are.

use std::sync::LazyLock;

/// Depths and numbers of turns up to which reductions grow.
const REDUCED: usize = 64;

/// The reduction of a turn, by depth and number.
static REDUCTIONS: LazyLock<[[i32; REDUCED]; REDUCED]> = LazyLock::new(|| {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // small numbers
    std::array::from_fn(|depth| {
        std::array::from_fn(|number| (0.4 + (depth as f64 + 0.01).ln() * (number as f64 + 0.01).ln() / 2.2) as i32)
    })
});

/// The plies by which the turn with that number is searched less deep.
pub fn reduction(depth: i32, number: usize) -> i32 {
    let row = &REDUCTIONS[(depth.unsigned_abs() as usize).min(REDUCED - 1)];
    row[number.min(REDUCED - 1)]
}

/// How many turns are searched: all; beyond the depth only those that capture most; near it, with `few`, only some of many
/// captures.
pub fn width(depth: i32, few: bool) -> usize {
    match depth {
        1 if few => 8,
        2 if few => 14,
        3 if few => 24,
        0.. => usize::MAX,
        -2..=-1 => 5,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_and_widths_grow_with_depth() {
        assert_eq!(reduction(2, 2), 0);
        for number in 2..100 {
            assert!((2..100).all(|depth| reduction(depth, number) <= reduction(depth + 1, number)), "turn {number}");
            assert!((2..100).all(|depth| reduction(depth, number) <= reduction(depth, number + 1)), "turn {number}");
        }
        assert!((-9..9).all(|depth| width(depth, false) <= width(depth + 1, false)));
        assert!((1..9).all(|depth| width(depth, true) <= width(depth + 1, true)));
        assert_eq!(width(1, false), usize::MAX);
    }
}

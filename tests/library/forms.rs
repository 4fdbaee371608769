//! Planes and the compact form are two ways to the same values.

use fanorona::board::BoardSize;
use fanorona::index::{Slice, Space};
use fanorona::retro::{Slices, pairs, solve_crowded, solve_planes};
use fanorona::rules::RuleSet;

/// Solves every slice both ways, each way from its own lower slices, and compares all positions, slot by slot.
fn check(board: &str, stones: usize, rules: RuleSet) {
    let size: BoardSize = board.parse().expect("a board");
    let space = Space::new(size, rules.diagonals);
    let (mut planes, mut compact) = (Slices::new(), Slices::new());
    for slice in pairs(stones, size.points()) {
        let by_rows = solve_planes(&space, rules, slice, |slice| &planes[&slice], &|_| ());
        let one_by_one = solve_crowded(&space, rules, slice, |slice| &compact[&slice], &|_| ());
        for (a, b) in by_rows.into_iter().zip(one_by_one) {
            assert_eq!(a.slice(), b.slice());
            compare(&space, a.slice(), &a, &b);
            assert_eq!(a.clone().into_crowded(&space), b, "{board} {}", a.slice());
            planes.insert(a.slice(), a);
            compact.insert(b.slice(), b);
        }
    }
}

fn compare(space: &Space, slice: Slice, a: &fanorona::table::SliceValues, b: &fanorona::table::SliceValues) {
    let words = space.subsets(slice.opponent).words();
    for row in 0..space.subsets(slice.mover).orbits() {
        for word in 0..words {
            assert_eq!(a.word(space, row, word), b.word(space, row, word), "{slice} row {row} word {word}");
        }
    }
    assert_eq!(*b.planes(space), *a.planes(space), "{slice}");
}

#[test]
fn complete_small_boards_under_all_rules() {
    for rules in RuleSet::all() {
        check("3x3", 9, rules);
        check("1x7", 7, rules);
        check("3x5", 6, rules);
    }
    check("3x5", 15, RuleSet::default());
}

#[test]
fn sparse_boards_of_both_symmetries() {
    for rules in RuleSet::all() {
        check("5x5", 4, rules);
        check("9x5", 3, rules);
    }
    check("5x5", 5, RuleSet::default());
    check("9x7", 3, RuleSet::default());
}

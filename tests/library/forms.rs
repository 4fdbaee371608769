//! Planes and rows of empty points are two ways to the same values.

use fanorona::board::BoardSize;
use fanorona::index::Space;
use fanorona::retro::{Slices, pairs, solve_crowded, solve_planes};
use fanorona::rules::RuleSet;

use crate::prover::few_rules;

/// Solves every slice both ways, each way from its own lower slices, and compares all positions.
fn check(board: &str, stones: usize, rules: RuleSet) {
    let size: BoardSize = board.parse().expect("a board");
    let space = Space::new(size, rules.diagonals);
    let (mut planes, mut rows) = (Slices::new(), Slices::new());
    for slice in pairs(stones, size.points()) {
        let by_rows = solve_planes(&space, rules, slice, &|slice| &planes[&slice], &|_| ());
        let one_by_one = solve_crowded(&space, rules, slice, &|slice| &rows[&slice], &|_| ()).expect("values");
        for (a, b) in by_rows.into_iter().zip(one_by_one) {
            assert_eq!(a.slice(), b.slice());
            assert_eq!(a.rows(&space), b.rows(&space), "{board} {}", a.slice());
            assert_eq!(a.planes(&space), b.planes(&space), "{board} {}", a.slice());
            planes.insert(a.slice(), a);
            rows.insert(b.slice(), b);
        }
    }
}

#[test]
fn complete_small_boards_under_several_rules() {
    for rules in few_rules() {
        check("3x3", 9, rules);
        check("1x7", 7, rules);
        check("3x5", 6, rules);
    }
    check("3x5", 15, RuleSet::default());
}

#[test]
fn sparse_boards_of_both_symmetries() {
    for rules in few_rules() {
        check("5x5", 4, rules);
        check("9x5", 3, rules);
    }
    check("5x5", 5, RuleSet::default());
    check("9x7", 3, RuleSet::default());
}

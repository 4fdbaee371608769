//! Rows by empty points and planes are two ways to the same values and scores.

use std::collections::BTreeMap;

use fanorona::board::BoardSize;
use fanorona::index::{Crowded, Slice, Space};
use fanorona::retro::{DepthSlices, Slices, pairs, solve_cells, solve_grids, solve_planes};
use fanorona::rules::{Outcome, RuleSet};
use fanorona::table::{Cell, Held, Rows};

/// Solves every slice both ways, each way from its own lower slices, and compares all positions.
fn check(board: &str, stones: usize, rules: RuleSet) {
    let size: BoardSize = board.parse().expect("a board");
    let space = Space::new(size, rules.diagonals);
    let (mut planes, mut cells) = (Slices::new(), DepthSlices::<u8>::new());
    let (mut values, mut scores) = (BTreeMap::new(), BTreeMap::new());
    for slice in pairs(stones, size.points()) {
        for slice in solve_planes(&space, rules, slice, |slice| &planes[&slice], &|_| ()) {
            planes.insert(slice.slice(), slice);
        }
        for slice in solve_cells(&space, rules, slice, |slice| &cells[&slice], &|_| ()).expect("short games") {
            cells.insert(slice.slice(), slice);
        }
        let both = [slice, slice.twin()];
        let grids = solve_grids(&space, rules, slice, |slice| &values[&slice], &|_| ()).expect("any outcome is held");
        for (slice, grid) in both.into_iter().zip(grids) {
            compare(&space, slice, &grid, |mover, opponent| planes[&slice].value(&space, mover, opponent));
            values.insert(slice, grid);
        }
        let grids = solve_grids(&space, rules, slice, |slice| &scores[&slice], &|_| ()).expect("short games");
        for (slice, grid) in both.into_iter().zip(grids) {
            compare(&space, slice, &grid, |mover, opponent| u8::of(cells[&slice].score(&space, mover, opponent)));
            scores.insert(slice, grid);
        }
    }
    let _: &BTreeMap<Slice, Rows<Outcome>> = &values;
}

fn compare<V: Held>(space: &Space, slice: Slice, grid: &Rows<V>, value: impl Fn(u64, u64) -> V) {
    let crowded = Crowded::new(space, slice);
    for (row, &empty) in crowded.empties().representatives().iter().enumerate() {
        for column in 0..crowded.splits().count() {
            let (mover, opponent) = crowded.position(empty, column);
            let held = V::get(grid.row(row), column);
            assert_eq!(held, value(mover, opponent), "{slice} {mover:x} {opponent:x}");
        }
    }
}

#[test]
fn complete_small_boards_under_all_rules_both_ways() {
    for rules in RuleSet::all() {
        check("3x3", 9, rules);
        check("1x7", 7, rules);
        check("3x5", 7, rules);
        check("5x3", 6, rules);
        check("5x5", 4, rules);
    }
    check("3x5", 15, RuleSet::default());
}

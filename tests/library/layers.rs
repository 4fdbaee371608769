//! Depths from layers are the same however bands are cut, in memory or in a store, and wherever the work was interrupted.

use std::time::Duration;

use fanorona::board::BoardSize;
use fanorona::index::{Slice, Space};
use fanorona::retro::{DepthJob, DepthSlices, pairs, solve_cells, solve_layers};
use fanorona::rules::RuleSet;
use fanorona::table::TableError;

use crate::stores::{Failing, MemoryStore};

/// The depths of all slices with fewer stones.
fn below(space: &Space, rules: RuleSet, stones: usize) -> DepthSlices<u8> {
    let mut slices = DepthSlices::new();
    for slice in pairs(stones, space.board().points()) {
        let depths = solve_cells(space, rules, slice, &|slice| &slices[&slice], &|_| ()).expect("depths");
        slices.extend(depths.into_iter().map(|depths| (depths.slice(), depths)));
    }
    slices
}

/// Work in narrow bands that is saved after every step.
fn job(space: &Space, rules: RuleSet, slice: Slice, width: usize) -> DepthJob<'_> {
    DepthJob { interval: Duration::ZERO, width: Some(width), ..DepthJob::new(space, rules, slice, 1 << 20) }
}

#[test]
fn bands_of_any_width_have_the_same_depths() {
    for (board, stones) in [("3x5", 5), ("5x5", 5), ("9x5", 4), ("7x7", 4)] {
        let (size, rules): (BoardSize, _) = (board.parse().expect("a board"), RuleSet::default());
        let space = Space::new(size, rules.diagonals);
        let slices = below(&space, rules, stones);
        for (&slice, expected) in slices.iter().filter(|(slice, _)| slice.stones() == stones) {
            if slice.mover < slice.opponent {
                continue;
            }
            for width in [2, 6, 64] {
                let store = MemoryStore::default();
                let job = job(&space, rules, slice, width);
                let found = solve_layers::<u8>(&job, &store, &|slice| &slices[&slice], &|_| ()).expect("depths");
                assert!(found[0] == *expected, "{board} {slice} {width}");
                assert!(found.last() == Some(&slices[&slice.twin()]), "{board} {slice} {width}");
            }
        }
    }
}

/// Interrupts the work on a pair again and again, each time a little later, until it is done.
fn interrupt(board: &str, slice: &str, forgets: bool) {
    let (size, rules): (BoardSize, _) = (board.parse().expect("a board"), RuleSet::default());
    let (space, slice) = (Space::new(size, rules.diagonals), slice.parse::<Slice>().expect("a slice"));
    let slices = below(&space, rules, slice.stones());
    let (job, store) = (job(&space, rules, slice, 2), Failing::new(forgets));
    let mut failures = 0;
    for round in 0.. {
        store.fail_after(5 + 3 * round);
        match solve_layers::<u8>(&job, &store, &|slice| &slices[&slice], &|_| ()) {
            Ok(found) => {
                assert!(found[0] == slices[&slice] && found.last() == Some(&slices[&slice.twin()]), "{board} {slice}");
                break;
            }
            Err(TableError::Io { .. }) => failures += 1,
            Err(error) => panic!("{board} {slice}, {failures} failures: {error}"),
        }
        store.crash();
    }
    assert!(failures >= 3, "{board} {slice}: only {failures} failures");
}

#[test]
fn work_on_depths_that_is_interrupted_goes_on_to_the_same_depths() {
    for forgets in [false, true] {
        interrupt("3x5", "4v2", forgets);
        interrupt("3x5", "3v3", forgets);
        interrupt("5x5", "3v2", forgets);
        interrupt("5x5", "4v1", forgets);
    }
}

#[test]
fn damaged_layers_are_not_used() {
    let (rules, slice) = (RuleSet::default(), Slice::new(2, 2));
    let space = Space::new("3x5".parse().expect("a board"), rules.diagonals);
    let slices = below(&space, rules, slice.stones());
    let store = MemoryStore::default();
    let solve = |relies_on| {
        let job = DepthJob { relies_on, ..job(&space, rules, slice, 2) };
        solve_layers::<u8>(&job, &store, &|slice| &slices[&slice], &|_| ())
    };
    assert!(solve(7).expect("depths")[0] == slices[&slice]);
    // Everything is there: nothing is written but the record.
    let before = store.written();
    assert!(solve(7).expect("depths")[0] == slices[&slice]);
    assert_eq!(store.written(), before);
    // A bit changes somewhere: that is seen, or it is where nothing is read.
    let mut seen = 0;
    for at in 0..store.words() {
        store.change(at, |word| word ^ 1 << (at % 64));
        match solve(7) {
            Ok(found) => assert!(found[0] == slices[&slice], "word {at}"),
            Err(error @ TableError::ScratchDamaged(_)) => {
                assert!(error.to_string().contains("2v2"), "{error}");
                seen += 1;
            }
            Err(error) => panic!("word {at}: {error}"),
        }
        store.change(at, |word| word ^ 1 << (at % 64));
    }
    assert!(4 * seen > 3 * store.words(), "{seen} of {}", store.words());
    // Under other tables everything is made anew.
    assert!(solve(8).expect("depths")[0] == slices[&slice]);
    assert!(store.written() > before);
}

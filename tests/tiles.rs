//! Pairs from tiles have the values that planes in memory have, however they are cut and whatever interrupts the work.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use fanorona::board::BoardSize;
use fanorona::index::{Slice, Space};
use fanorona::retro::{MemoryStore, Slices, Store, Tiling, Traffic, pairs, solve_planes, solve_tiles};
use fanorona::rules::RuleSet;
use fanorona::table::TableError;

/// Solves every pair from tiles and in memory, and compares all planes.
fn check(board: &str, stones: usize, rules: RuleSet, tilings: &[Tiling]) {
    let size: BoardSize = board.parse().expect("a board");
    let space = Space::new(size, rules.diagonals);
    let mut slices = Slices::new();
    for slice in pairs(stones, size.points()) {
        let expected = solve_planes(&space, rules, slice, |slice| &slices[&slice], &|_| ());
        for &tiling in tilings {
            let store = MemoryStore::default();
            let solved = solve_tiles((&space, rules, slice), |slice| &slices[&slice], tiling, 7, &store);
            assert_eq!(solved.expect("no store fails"), expected, "{board} {slice} {rules} {tiling:?}");
        }
        slices.extend(expected.into_iter().map(|values| (values.slice(), values)));
    }
}

/// Bands of a block each that all live elsewhere, wider ones of which some stay, and one that stays.
const TILINGS: [Tiling; 3] = [
    Tiling { width: 1, resident: 0 },
    Tiling { width: 3, resident: 10_000 },
    Tiling { width: usize::MAX / 2, resident: u64::MAX },
];

#[test]
fn tiles_have_the_values_of_planes_under_all_rules() {
    for rules in RuleSet::all() {
        check("3x3", 9, rules, &TILINGS);
        check("3x5", 5, rules, &TILINGS);
        check("5x5", 4, rules, &TILINGS);
        check("9x5", 3, rules, &TILINGS[..1]);
    }
}

#[test]
fn wide_rows_are_cut_at_any_block() {
    check("9x5", 4, RuleSet::default(), &[17, 40, 100].map(|width| Tiling { width, resident: 2_000_000 }));
    check("7x7", 4, RuleSet::default(), &[Tiling { width: 24, resident: 500_000 }]);
}

/// A store that fails after so many writes. If it forgets, every other write since the last commit is then undone, as when power fails.
struct Failing {
    store: MemoryStore,
    left: AtomicU64,
    forgets: bool,
    /// What was there before each write since the last commit.
    before: Mutex<Vec<(u64, Vec<u64>)>>,
    highest: AtomicU64,
}

impl Failing {
    fn new(forgets: bool) -> Self {
        let (left, highest) = (AtomicU64::new(u64::MAX), AtomicU64::new(0));
        Self { store: MemoryStore::default(), left, forgets, before: Mutex::default(), highest }
    }

    fn fail_after(&self, writes: u64) {
        self.left.store(writes, Ordering::SeqCst);
    }

    fn spend(&self) -> Result<(), TableError> {
        let spent = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        let failure = || TableError::io("write", "scratch".as_ref())(std::io::ErrorKind::StorageFull.into());
        spent.map(|_| ()).map_err(|_| failure())
    }

    /// What a crash leaves.
    fn crash(&self) {
        let before: Vec<_> = std::mem::take(&mut *self.before.lock().expect("no panic"));
        for (number, (at, words)) in before.into_iter().enumerate().rev() {
            if self.forgets && number % 2 == 0 {
                self.store.write(at, &words).expect("memory does not fail");
            }
        }
    }
}

impl Store for Failing {
    fn read(&self, at: u64, words: &mut [u64]) -> Result<(), TableError> {
        self.store.read(at, words)
    }

    fn write(&self, at: u64, words: &[u64]) -> Result<(), TableError> {
        self.spend()?;
        let mut journal = self.before.lock().expect("no panic");
        let end = at + words.len() as u64;
        let highest = self.highest.fetch_max(end, Ordering::SeqCst);
        if highest < end {
            self.store.write(highest, &vec![0; usize::try_from(end - highest).expect("small")])?;
        }
        let mut before = vec![0; words.len()];
        self.store.read(at, &mut before)?;
        journal.push((at, before));
        self.store.write(at, words)
    }

    fn commit(&self, record: &[u8]) -> Result<(), TableError> {
        self.spend()?;
        self.before.lock().expect("no panic").clear();
        self.store.commit(record)
    }

    fn record(&self) -> Result<Option<Vec<u8>>, TableError> {
        self.store.record()
    }

    fn traffic(&self) -> Traffic {
        self.store.traffic()
    }
}

/// Interrupts the work on a pair again and again, each time a little later, until it is done.
fn interrupt(board: &str, slice: &str, tiling: Tiling, forgets: bool) {
    let size: BoardSize = board.parse().expect("a board");
    let (rules, slice) = (RuleSet::default(), slice.parse::<Slice>().expect("a slice"));
    let space = Space::new(size, rules.diagonals);
    let mut slices = Slices::new();
    for slice in pairs(slice.stones() - 1, size.points()) {
        let values = solve_planes(&space, rules, slice, |slice| &slices[&slice], &|_| ());
        slices.extend(values.into_iter().map(|values| (values.slice(), values)));
    }
    let expected = solve_planes(&space, rules, slice, |slice| &slices[&slice], &|_| ());
    let store = Failing::new(forgets);
    let mut failures = 0;
    for round in 0.. {
        store.fail_after(5 + 3 * round);
        match solve_tiles((&space, rules, slice), |slice| &slices[&slice], tiling, 7, &store) {
            Ok(values) => {
                assert_eq!(values, expected, "{board} {slice} after {failures} failures");
                break;
            }
            Err(TableError::Io { .. }) => failures += 1,
            Err(error) => panic!("{board} {slice} after {failures} failures: {error}"),
        }
        store.crash();
    }
    assert!(failures >= 3, "{board} {slice}: only {failures} failures");
}

#[test]
fn work_that_is_interrupted_goes_on_to_the_same_values() {
    for forgets in [false, true] {
        for resident in [0, 20_000] {
            interrupt("3x5", "4v2", Tiling { width: 1, resident }, forgets);
            interrupt("3x5", "3v3", Tiling { width: 1, resident }, forgets);
            interrupt("5x5", "3v2", Tiling { width: 2, resident }, forgets);
        }
    }
}

#[test]
fn scratch_that_relies_on_other_tables_or_is_damaged_is_not_used() {
    let size: BoardSize = "3x5".parse().expect("a board");
    let (rules, slice) = (RuleSet::default(), Slice::new(2, 1));
    let space = Space::new(size, rules.diagonals);
    let slices = solve_planes(&space, rules, Slice::new(1, 1), |_| unreachable!("nothing below"), &|_| ());
    let slices: BTreeMap<_, _> = slices.into_iter().map(|values| (values.slice(), values)).collect();
    let tiling = Tiling { width: 1, resident: 0 };
    let store = MemoryStore::default();
    let solve = |relies_on| solve_tiles((&space, rules, slice), |slice| &slices[&slice], tiling, relies_on, &store);
    let expected = solve(7).expect("memory does not fail");
    // Everything is there: nothing but values is read.
    let before = store.traffic();
    assert_eq!(solve(7).expect("memory does not fail"), expected);
    assert_eq!(store.traffic().written, before.written);
    // A bit of a plane changes: that is seen, and not taken for a value.
    let mut word = [0];
    let somewhere = 40;
    store.read(somewhere, &mut word).expect("memory does not fail");
    store.write(somewhere, &[word[0] ^ 1]).expect("memory does not fail");
    let error = solve(7).expect_err("a changed bit").to_string();
    assert!(error.contains("damaged") && error.contains("2v1"), "{error}");
    // Under other tables everything is made anew.
    assert_eq!(solve(8).expect("memory does not fail"), expected);
}

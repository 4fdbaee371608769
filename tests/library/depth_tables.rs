//! Depth tables on disk and in memory: two ways to the same scores, builds that continue, and errors that are found.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona::board::{Board, BoardSize};
use fanorona::index::{Slice, Space};
use fanorona::retro::{
    Budget, BuildError, BuiltSlice, DepthSlices, Goal, build, load_depths, pairs, solve_cells, solve_crowded,
};
use fanorona::rules::{Outcome, PositionText, RuleSet};
use fanorona::table::{
    Access, Cell, DEFAULT_CACHE_BYTES, Depths, LoadedDepths, Metric, Score, SliceDepths, Table, TableError, Tables,
    open_table, save_table,
};
use fanorona::verify::{Contradiction, Failure, Timed, Values, Verifier};
use tempfile::TempDir;

use crate::oracle;
use crate::prover::few_rules;

// Two forms

/// Solves every slice both ways, each way from its own lower slices and in cells of its own width, and compares all positions.
fn compare_forms(board: &str, stones: usize, rules: RuleSet) {
    let size: BoardSize = board.parse().expect("a board");
    let space = Space::new(size, rules.diagonals);
    let (mut planes, mut rows) = (DepthSlices::<u8>::new(), DepthSlices::<u16>::new());
    for slice in pairs(stones, size.points()) {
        let by_rows = solve_cells(&space, rules, slice, &|slice| &planes[&slice], &|_| ()).expect("depths");
        let one_by_one = solve_crowded(&space, rules, slice, &|slice| &rows[&slice], &|_| ()).expect("depths");
        for (a, b) in by_rows.into_iter().zip(one_by_one) {
            assert_eq!(a.slice(), b.slice());
            assert_eq!(scores(&space, &a), scores(&space, &b), "{board} {slice}, {rules}");
            let back = SliceDepths::<u8>::new(a.slice(), a.clone().into_rows(&space).planes(&space).into_owned());
            assert_eq!(scores(&space, &back), scores(&space, &a), "{board} {slice}, {rules}");
            planes.insert(a.slice(), a);
            rows.insert(b.slice(), b);
        }
    }
}

/// The scores by rows of the same empty points.
fn scores<C: Cell>(space: &Space, side: &SliceDepths<C>) -> Vec<Score> {
    side.rows(space).units().iter().map(|cell| cell.score()).collect()
}

#[test]
fn cells_by_slots_and_by_empty_points_agree() {
    for rules in few_rules() {
        compare_forms("3x3", 9, rules);
        compare_forms("1x7", 7, rules);
        compare_forms("3x5", 5, rules);
        compare_forms("5x5", 4, rules);
        compare_forms("9x5", 3, rules);
    }
    compare_forms("9x7", 3, RuleSet::default());
}

// Files

fn build_values(database: &Path, board: &str, stones: usize) -> Result<Vec<BuiltSlice>, BuildError> {
    build(Goal::values(board.parse().expect("a board"), RuleSet::default(), stones), database, Budget::default())
}

fn build_depths(database: &Path, board: &str, stones: usize) -> Result<Vec<BuiltSlice>, BuildError> {
    build(Goal::depths(board.parse().expect("a board"), RuleSet::default(), stones), database, Budget::default())
}

/// A database with both kinds of tables.
fn both(board: &str, stones: usize) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    build_values(folder.path(), board, stones).expect("a build");
    build_depths(folder.path(), board, stones).expect("a build of depths");
    folder
}

fn open(database: &TempDir, board: &str) -> Tables {
    let size = board.parse().expect("a board");
    Tables::open(database.path(), size, RuleSet::default(), DEFAULT_CACHE_BYTES).expect("tables")
}

/// The files of a board by name, but for the lock.
fn files(database: &TempDir, board: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(database.path().join(board)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
    paths.map(|path| (name(&path), fs::read(&path).expect("a file"))).filter(|(name, _)| name != ".lock").collect()
}

#[test]
fn mapped_and_loaded_depths_are_the_oracle_s() {
    for (columns, rows, stones) in [(3, 3, 9), (5, 5, 3), (3, 5, 4)] {
        let board = format!("{columns}x{rows}");
        let database = both(&board, stones);
        let tables = open(&database, &board);
        let loaded = load_depths(&tables, Slice::up_to(stones, tables.space().board().points())).expect("depths");
        let positions = oracle::all_positions(columns, rows, stones);
        for (text, (value, plies)) in oracle::solve(&positions, oracle::Rules::DEFAULT) {
            let position = PositionText::parse(&text).expect("a position");
            let position = position.on::<u64>(board.parse().expect("a board")).expect("a position");
            let (mover, opponent) = (position.mover(), position.opponent());
            if opponent == 0 {
                // Over and won: there is no score for that.
                assert_eq!(
                    (loaded.probe(mover, opponent), tables.score(mover, opponent).expect("tables")),
                    (None, None)
                );
                continue;
            }
            let mapped = tables.score(mover, opponent).expect("no damage").expect("a score");
            assert_eq!(mapped.plies(), plies, "{text}");
            assert_eq!(mapped.outcome() == Outcome::Win, value == oracle::Value::Win, "{text}");
            assert_eq!(loaded.probe(mover, opponent), Some(mapped), "{text}");
            let known = tables.look_up(mover, opponent).expect("no damage").expect("a value");
            assert_eq!((known.outcome(), known.plies), (Some(mapped.outcome()), plies), "{text}");
        }
    }
}

#[test]
fn builds_go_on_and_come_out_the_same() {
    // 5x5 is solved by cells, 3x3 with many stones position by position.
    for (board, stones) in [("5x5", 4), ("3x3", 7)] {
        let database = both(board, stones);
        let whole = files(&database, board);
        assert!(whole.contains_key("2v1.dtw") && whole.contains_key("2v2.wdl"));
        for missing in [&["2v2.dtw"][..], &["1v2.dtw", "3v1.dtw"], &["1v1.dtw", "2v1.dtw", "2v2.dtw"]] {
            for name in missing {
                fs::remove_file(database.path().join(board).join(name)).expect("a file");
            }
            let built = build_depths(database.path(), board, stones).expect("a build");
            assert_eq!(built.len(), missing.len());
            assert!(files(&database, board) == whole, "{board} without {missing:?}");
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        let other = pool.install(|| both(board, stones));
        assert!(files(&other, board) == whole, "{board}: other threads, other bytes");
        let again = build_depths(database.path(), board, stones).expect("a build");
        assert!(again.is_empty());
    }
}

#[test]
fn depths_without_values_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refused = |stones| match build_depths(folder.path(), "3x3", stones) {
        Err(BuildError::Table(error @ TableError::Missing { .. })) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(refused(2).contains("1v1") && refused(2).contains("build the tables of 3x3"));
    assert!(!folder.path().join("3x3").exists(), "a refused build left something");
    build_values(folder.path(), "3x3", 2).expect("a build");
    assert!(refused(3).contains("2v1"));
    build_depths(folder.path(), "3x3", 2).expect("a build");
}

#[test]
fn too_little_memory_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    build_values(folder.path(), "5x5", 3).expect("a build");
    let depths = Goal::depths("5x5".parse().expect("a board"), RuleSet::default(), 3);
    assert!(matches!(build(depths, folder.path(), Budget::new(10_000)), Err(BuildError::Memory { .. })));
}

#[test]
fn what_depth_tables_lack_is_unknown() {
    let database = both("5x5", 3);
    build_values(database.path(), "5x5", 4).expect("a build");
    let tables = open(&database, "5x5");
    let four = (0b11, 0b11 << 20);
    assert_eq!(tables.score(four.0, four.1).expect("tables"), None);
    let known = tables.look_up(four.0, four.1).expect("tables").expect("a value");
    assert_eq!(known.plies, None);
    assert!(matches!(
        load_depths(&tables, Slice::up_to(4, tables.space().board().points())),
        Err(TableError::Missing { .. })
    ));
    assert_eq!((tables.folder().complete_up_to(25), tables.folder().depths_up_to(25)), (4, 3));
}

// Faults

#[test]
fn every_changed_byte_of_a_depth_table_is_noticed() {
    let database = both("3x3", 3);
    let space = Space::new("3x3".parse().expect("a board"), RuleSet::default().diagonals);
    let slice = Slice::new(2, 1);
    let bytes = fs::read(database.path().join("3x3/2v1.dtw")).expect("a table");
    let values =
        open_table((&database.path().join("3x3"), &Access::Read), &space, RuleSet::default(), (slice, Metric::Wdl))
            .expect("a table");
    let check = |bytes: Vec<u8>| -> Result<(), TableError> {
        let table = Table::new(bytes, "db/file.dtw".to_owned(), &space, RuleSet::default(), (slice, Metric::Dtw))?;
        table.verify(&|| ())?;
        for block in 0..table.header().blocks() {
            table.depth_block(block, &values.block(&space, 0)?)?;
        }
        table.depths().map(|_| ())
    };
    check(bytes.clone()).expect("an undamaged table");
    for at in 0..bytes.len() {
        for change in [1 << (at % 8), 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            let text = check(changed).expect_err("a change unnoticed").to_string();
            assert!(text.contains("db/file.dtw") && text.contains(';'), "byte {at}: {text}");
        }
        check(bytes[..at].to_vec()).expect_err("a part of a table");
    }
    // Tables of values and of depths do not pass for each other.
    let foreign = Table::new(bytes, "x".to_owned(), &space, RuleSet::default(), (slice, Metric::Wdl));
    assert!(matches!(foreign, Err(TableError::Foreign { .. })));
}

#[test]
fn depths_that_do_not_fit_their_values_are_refused() {
    let database = both("3x3", 3);
    // The depths of another slice's values: as many bytes as they like, but not these.
    let folder = database.path().join("3x3");
    let space = Space::new("3x3".parse().expect("a board"), RuleSet::default().diagonals);
    let table = |slice| open_table((&folder, &Access::Read), &space, RuleSet::default(), slice).expect("a table");
    let depths = table((Slice::new(2, 1), Metric::Dtw));
    let values = table((Slice::new(1, 1), Metric::Wdl)).block(&space, 0).expect("a block");
    assert!(matches!(depths.depth_block(0, &values), Err(TableError::Damaged { .. })));
}

/// Depths with one score changed.
struct Changed<'a> {
    loaded: &'a LoadedDepths,
    position: (u64, u64),
    score: Score,
}

impl Values for Changed<'_> {
    type Label = Timed;
    type Error = std::convert::Infallible;

    fn value(&self, mover: u64, opponent: u64) -> Result<Option<Timed>, Self::Error> {
        let score =
            if (mover, opponent) == self.position { Some(self.score) } else { self.loaded.probe(mover, opponent) };
        Ok(score.map(Timed::from))
    }
}

/// Depths straight from the files.
struct Mapped<'a>(&'a Tables);

impl Values for Mapped<'_> {
    type Label = Timed;
    type Error = TableError;

    fn value(&self, mover: u64, opponent: u64) -> Result<Option<Timed>, TableError> {
        Ok(self.0.score(mover, opponent)?.map(Timed::from))
    }
}

#[test]
fn the_verifier_proves_depths_and_finds_any_wrong_one() {
    let database = both("3x3", 5);
    let tables = open(&database, "3x3");
    let loaded = load_depths(&tables, Slice::up_to(5, tables.space().board().points())).expect("depths");
    let board = Board::new("3x3".parse().expect("a board"), RuleSet::default().diagonals);
    let slices: Vec<Slice> = Slice::up_to(5, 9).collect();
    let verifier = Verifier::new(board.clone(), RuleSet::default(), &loaded);
    for &slice in &slices {
        let reported = AtomicU64::new(0);
        let report = |positions| {
            reported.fetch_add(positions, Ordering::Relaxed);
        };
        let tally = verifier.full(slice, &report).expect("consistent depths");
        let counts = tables.folder().get(slice).expect("a table").header().counts;
        assert_eq!(reported.into_inner(), counts.positions, "{slice}");
        assert_eq!((tally.wins, tally.draws, tally.losses), (counts.wins, counts.draws, counts.losses), "{slice}");
        let label = |mover, opponent| loaded.value(mover, opponent).ok().flatten();
        let right = tables.folder().depths(slice).expect("a depth table").depths().expect("depths");
        let confirms = |of: &Depths| tally.confirms([&of.wins, &of.losses], [of.longest_win, of.longest_loss], label);
        assert!(confirms(&right), "{slice}");
        let Some(longest) = right.longest_win else { continue };
        // A list with the same sum, and a position that takes less.
        let mut wrong = right.clone();
        wrong.wins.push(1);
        *wrong.wins.iter_mut().find(|wins| **wins > 0).expect("a win") -= 1;
        assert!(!confirms(&wrong), "{slice}: {wrong:?}");
        let all = (1..512u64).flat_map(|mover| (1..512).map(move |opponent| (mover, opponent)));
        let other = all.filter(|&(mover, opponent)| mover & opponent == 0 && Slice::of(mover, opponent) == slice);
        let other = other.into_iter().find(|&(mover, opponent)| label(mover, opponent) != label(longest.0, longest.1));
        let wrong = Depths { longest_win: Some(other.expect("another value")), ..right };
        assert!(!confirms(&wrong), "{slice}: {wrong:?}");
    }
    let mapped = Mapped(&tables);
    let sampling = Verifier::new(board.clone(), RuleSet::default(), &mapped);
    sampling.sample(Slice::new(3, 2), 500, 1, &|_| ()).expect("consistent depths");
    let mut random = fastrand::Rng::with_seed(11);
    let mut tried = 0;
    while tried < 200 {
        let (mover, opponent) = (random.u64(1..512), random.u64(1..512));
        // The verifier looks at the first set of each orbit; its changes have to be seen there or one turn earlier.
        if mover & opponent != 0 || (mover | opponent).count_ones() > 4 {
            continue;
        }
        let right = loaded.probe(mover, opponent).expect("a score");
        let step = right.step().unwrap_or(random.u16(..9));
        let score = match random.u8(..4) {
            0 => Score::win(step + 1),
            1 => Score::loss(step + 1),
            2 => Score::DRAW,
            _ => Score::win(step.saturating_sub(1)),
        };
        if score == right {
            continue;
        }
        tried += 1;
        let changed = Changed { loaded: &loaded, position: (mover, opponent), score };
        let verifier = Verifier::new(board.clone(), RuleSet::default(), &changed);
        let found = slices.iter().map(|&slice| verifier.full(slice, &|_| ())).find_map(Result::err);
        let own_set_is_looked_at = matches!(found, Some(Failure::Contradiction(Contradiction { .. })));
        let images = (0..8).map(|e| fanorona::board::Symmetry::new(board.size()).set(e, mover));
        let is_first = images.min() == Some(mover);
        assert!(own_set_is_looked_at || !is_first, "{mover:#x} against {opponent:#x}: {right:?} as {score:?}");
    }
}

/// A saved slice whose counts are not those of the values is a bug in the program, and is not written.
#[test]
fn saved_depths_are_held_against_the_values() {
    let (slice, name) = (Slice::new(1, 3), "1v3.dtw");
    let database = both("3x3", 4);
    let folder = database.path().join("3x3");
    fs::remove_file(folder.join(name)).expect("a file");
    // The values of other rules in place of the right ones.
    let other = RuleSet { stalemate: fanorona::rules::Stalemate::Draw, ..RuleSet::default() };
    let space = Space::new("3x3".parse().expect("a board"), RuleSet::default().diagonals);
    let mut slices = fanorona::retro::Slices::new();
    for slice in pairs(4, 9) {
        for values in fanorona::retro::solve_pair(&space, other, slice, &|slice| &slices[&slice], &|_| ()) {
            slices.insert(values.slice(), values);
        }
    }
    save_table(&folder, &space, RuleSet::default(), &slices[&slice], &|_| ()).expect("a table");
    // The table never has its name, not even for a moment.
    let (path, is_done) = (folder.join(name), AtomicBool::new(false));
    let seen = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut seen = false;
            while !is_done.load(Ordering::SeqCst) {
                seen |= path.exists();
            }
            seen
        });
        for _ in 0..20 {
            let result = build_depths(database.path(), "3x3", 4);
            assert!(matches!(result, Err(BuildError::Table(TableError::Inconsistent(_)))), "{result:?}");
        }
        is_done.store(true, Ordering::SeqCst);
        watch.join().expect("no panic")
    });
    assert!(!seen && !path.exists());
}

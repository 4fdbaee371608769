//! Pairs from tiles have the values that planes in memory have, however they are cut, shared or interrupted.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fanorona::board::BoardSize;
use fanorona::index::{Slice, Space};
use fanorona::retro::{
    Alone, Budget, BuildError, Communicator, Goal, Slices, Store, Tiling, build, execute, pairs, plan, solve_planes,
    solve_tiles,
};
use fanorona::rules::RuleSet;
use fanorona::table::{HEADER_BYTES, TableError, lock_folder};
use xxhash_rust::xxh3::xxh3_64;

use crate::prover::few_rules;
use crate::stores::{Failing, MemoryStore};
use crate::threads;

/// Solves every pair from tiles and in memory, and compares all planes.
fn check(board: &str, stones: usize, rules: RuleSet, tilings: &[Tiling]) {
    let size: BoardSize = board.parse().expect("a board");
    let space = Space::new(size, rules.diagonals);
    let mut slices = Slices::new();
    for slice in pairs(stones, size.points()) {
        let expected = solve_planes(&space, rules, slice, &|slice| &slices[&slice], &|_| ());
        for &tiling in tilings {
            let store = MemoryStore::default();
            let solved = solve_tiles((&space, rules, slice), &|slice| &slices[&slice], tiling, 7, &store, &Alone);
            assert_eq!(solved.expect("no store fails"), expected, "{board} {slice} {rules} {tiling:?}");
        }
        slices.extend(expected.into_iter().map(|values| (values.slice(), values)));
    }
}

/// Words of a piece that is larger than any plane here.
const WHOLE: usize = 1 << 17;

/// Bands of a block each that are all elsewhere, wider ones of which some stay, and one that stays; in whole pieces, in pieces of some rows, and in
/// such as cut batches of captures.
const TILINGS: [Tiling; 4] = [
    Tiling { width: 1, resident: 0, piece: WHOLE },
    Tiling { width: 3, resident: 10_000, piece: 100 },
    Tiling { width: 2, resident: 0, piece: 9 },
    Tiling { width: usize::MAX / 2, resident: u64::MAX, piece: WHOLE },
];

#[test]
fn tiles_have_the_values_of_planes_under_several_rules() {
    for rules in few_rules() {
        check("3x3", 9, rules, &TILINGS);
        check("3x5", 5, rules, &TILINGS);
        check("5x5", 4, rules, &TILINGS);
        check("9x5", 3, rules, &TILINGS[..1]);
    }
}

#[test]
fn wide_rows_are_cut_at_any_block() {
    check(
        "9x5",
        4,
        RuleSet::default(),
        &[17, 40, 100].map(|width| Tiling { width, resident: 2_000_000, piece: 3_000 }),
    );
    check("7x7", 4, RuleSet::default(), &[Tiling { width: 24, resident: 500_000, piece: WHOLE }]);
    // Batches of captures are cut into pieces, some of them of a single row.
    for piece in [1, 500, 5_000] {
        check("7x5", 5, RuleSet::default(), &[Tiling { width: usize::MAX / 2, resident: 0, piece }]);
    }
    check("7x5", 6, RuleSet::default(), &[Tiling { width: usize::MAX / 2, resident: 0, piece: 20_000 }]);
}

/// All slices of fewer stones.
fn below(space: &Space, rules: RuleSet, slice: Slice) -> Slices {
    let mut slices = Slices::new();
    for slice in pairs(slice.stones() - 1, space.board().points()) {
        let values = solve_planes(space, rules, slice, &|slice| &slices[&slice], &|_| ());
        slices.extend(values.into_iter().map(|values| (values.slice(), values)));
    }
    slices
}

/// Interrupts the work on a pair again and again, each time a little later, until it is done.
fn interrupt(board: &str, slice: &str, tiling: Tiling, forgets: bool) {
    let size: BoardSize = board.parse().expect("a board");
    let (rules, slice) = (RuleSet::default(), slice.parse::<Slice>().expect("a slice"));
    let space = Space::new(size, rules.diagonals);
    let slices = below(&space, rules, slice);
    let expected = solve_planes(&space, rules, slice, &|slice| &slices[&slice], &|_| ());
    let mut random = fastrand::Rng::with_seed(1);
    for size in 1..=3 {
        let stores: Vec<Failing> = (0..size).map(|_| Failing::new(forgets)).collect();
        let mut failures = 0;
        for round in 0.. {
            // A single rank fails, and the others learn of it in the midst of something else.
            let unlucky = random.usize(..size);
            for (rank, store) in stores.iter().enumerate() {
                store.fail_after(if rank == unlucky { 5 + 7 * round } else { u64::MAX });
            }
            // Now and then a run cuts the pair in another way, and begins anew.
            let tiling = Tiling { piece: tiling.piece + usize::from(round % 4 == 3), ..tiling };
            let ended = threads::run(size, |ranks| {
                let store = &stores[ranks.rank()];
                solve_tiles((&space, rules, slice), &|slice| &slices[&slice], tiling, 7, store, ranks)
            });
            let failed = ended.iter().filter(|values| !matches!(values, Some(Ok(_)))).count();
            for values in ended.into_iter().flatten() {
                match values {
                    Ok(values) => assert_eq!(values, expected, "{board} {slice}, {size} ranks, {failures} failures"),
                    Err(TableError::Io { .. }) => failures += 1,
                    Err(error) => panic!("{board} {slice}, {size} ranks, {failures} failures: {error}"),
                }
            }
            if failed == 0 {
                break;
            }
            stores.iter().for_each(Failing::crash);
        }
        assert!(failures >= 3, "{board} {slice}, {size} ranks: only {failures} failures");
    }
}

#[test]
fn work_that_is_interrupted_goes_on_to_the_same_values() {
    for forgets in [false, true] {
        for resident in [0, 20_000] {
            interrupt("3x5", "4v2", Tiling { width: 1, resident, piece: WHOLE }, forgets);
            interrupt("3x5", "3v3", Tiling { width: 1, resident, piece: 16 }, forgets);
            interrupt("5x5", "3v2", Tiling { width: 2, resident, piece: 50 }, forgets);
        }
    }
}

/// Two ranks of which one dies before a commit that the other makes; and when they go on, one of them soon again.
#[test]
fn ranks_that_die_while_they_commit_go_on_from_what_all_have() {
    let size: BoardSize = "3x5".parse().expect("a board");
    let (rules, slice) = (RuleSet::default(), Slice::new(3, 3));
    let space = Space::new(size, rules.diagonals);
    let slices = below(&space, rules, slice);
    let expected = solve_planes(&space, rules, slice, &|slice| &slices[&slice], &|_| ());
    let tiling = Tiling { width: 1, resident: 0, piece: WHOLE };
    let run = |stores: &[Failing; 2]| {
        let ended = threads::run(2, |ranks| {
            let store = &stores[ranks.rank()];
            solve_tiles((&space, rules, slice), &|slice| &slices[&slice], tiling, 7, store, ranks)
        });
        stores.iter().for_each(Failing::crash);
        ended
    };
    let written = |stores: &[Failing; 2]| stores.iter().map(Failing::written).sum::<u64>();
    let fresh = [false; 2].map(Failing::new);
    for values in run(&fresh) {
        assert_eq!(values.expect("a rank").expect("values"), expected);
    }
    let commits = u64::MAX - fresh[0].commits_left();
    assert!(commits > 8, "{commits}");
    for (first, again, soon) in
        (0..commits).flat_map(|first| (0..2).flat_map(move |again| (0..4).map(move |soon| (first, again, soon))))
    {
        let stores = [false; 2].map(Failing::new);
        stores[1].fail_after_commits(first);
        run(&stores);
        stores[1].fail_after_commits(u64::MAX);
        stores[again].fail_after_commits(soon);
        run(&stores);
        stores[again].fail_after_commits(u64::MAX);
        let before = written(&stores);
        for values in run(&stores) {
            let values = values.expect("a rank").unwrap_or_else(|error| panic!("{first}, {again}, {soon}: {error}"));
            assert_eq!(values, expected, "{first}, {again}, {soon}");
        }
        // From the first commit that both have made on, captures are not resolved again.
        let more = written(&stores) - before;
        assert!(first == 0 || more < written(&fresh) / 2, "{first}, {again}, {soon}: {more} bytes");
    }
}

#[test]
fn scratch_that_relies_on_other_tables_or_is_damaged_is_not_used() {
    let size: BoardSize = "3x5".parse().expect("a board");
    let (rules, slice) = (RuleSet::default(), Slice::new(2, 1));
    let space = Space::new(size, rules.diagonals);
    let slices = solve_planes(&space, rules, Slice::new(1, 1), &|_| unreachable!("nothing below"), &|_| ());
    let slices: BTreeMap<_, _> = slices.into_iter().map(|values| (values.slice(), values)).collect();
    let tiling = Tiling { width: 1, resident: 0, piece: 5 };
    let store = MemoryStore::default();
    let solve =
        |relies_on| solve_tiles((&space, rules, slice), &|slice| &slices[&slice], tiling, relies_on, &store, &Alone);
    let expected = solve(7).expect("memory does not fail");
    // Everything is there: nothing but values is read.
    let before = store.written();
    assert_eq!(solve(7).expect("memory does not fail"), expected);
    assert_eq!(store.written(), before);
    // A bit changes somewhere: that is seen, or it is where nothing is read; it is never taken for a value.
    let mut seen = 0;
    for at in 0.. {
        let mut word = [0];
        if store.words() <= at {
            break;
        }
        store.read(at, &mut word).expect("memory does not fail");
        store.write(at, &[word[0] ^ 1 << (at % 64)]).expect("memory does not fail");
        match solve(7) {
            Ok(values) => assert_eq!(values, expected, "word {at}"),
            Err(error @ TableError::ScratchDamaged(_)) => {
                assert!(error.to_string().contains("2v1"), "{error}");
                seen += 1;
            }
            Err(error) => panic!("word {at}: {error}"),
        }
        store.write(at, &word).expect("memory does not fail");
    }
    assert!(seen > 30, "{seen}");
    // Under other tables everything is rebuilt.
    assert_eq!(solve(8).expect("memory does not fail"), expected);
}

#[test]
fn ranks_have_the_values_of_one_process() {
    let size: BoardSize = "5x5".parse().expect("a board");
    for rules in RuleSet::all().take(3) {
        let space = Space::new(size, rules.diagonals);
        let mut slices = Slices::new();
        for slice in pairs(4, size.points()) {
            let expected = solve_planes(&space, rules, slice, &|slice| &slices[&slice], &|_| ());
            for (ranks, tiling) in [2, 3, 5, 4].into_iter().zip(TILINGS.into_iter().cycle().skip(2)) {
                let solved = threads::run(ranks, |ranks| {
                    let store = MemoryStore::default();
                    solve_tiles((&space, rules, slice), &|slice| &slices[&slice], tiling, 7, &store, ranks)
                });
                assert_eq!(solved.len(), ranks);
                for values in solved {
                    let values = values.expect("no rank fails").expect("no store fails");
                    assert_eq!(values, expected, "{slice} {rules}, {ranks} ranks, {tiling:?}");
                }
            }
            slices.extend(expected.into_iter().map(|values| (values.slice(), values)));
        }
    }
}

/// The tables in a database folder, and what else is there.
fn files(folder: &Path, board: &str) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder.join(board)).expect("a folder").map(|entry| entry.expect("a file").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    files.map(|path| (name(&path), fs::read(&path).expect("a file"))).filter(|(name, _)| name != ".lock").collect()
}

#[test]
fn ranks_build_the_same_tables_in_one_folder_or_each_in_its_own() {
    let folders: Vec<_> = (0..4).map(|_| tempfile::tempdir().expect("a folder")).collect();
    let goal = |stones: usize| Goal::values("5x5".parse().expect("a board"), RuleSet::default(), stones);
    let alone = |goal, folder: &Path| build(goal, folder, Budget::default()).expect("tables");
    let together = |folder: &Path, communicator: &dyn Communicator| {
        let tiling = Some(Tiling { width: 2, resident: 30_000, piece: 200 });
        let budget = Budget { tiling, ..Budget::new(1 << 30) }.shared(communicator);
        execute(&plan(goal(5), folder, budget)?, communicator, &|_| ())
    };
    alone(goal(5), folders[0].path());
    let expected = files(folders[0].path(), "5x5");
    let built = threads::run(3, |communicator| together(folders[1].path(), communicator));
    let built: Vec<usize> = built.into_iter().map(|built| built.expect("a rank").expect("tables").len()).collect();
    let tables =
        expected.keys().filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "wdl")).count();
    assert_eq!(built, [tables, 0, 0]);
    assert!(files(folders[1].path(), "5x5") == expected);
    // Now two folders: one that has some tables already, and one that has others.
    alone(goal(3), folders[2].path());
    alone(goal(2), folders[3].path());
    let built = threads::run(3, |communicator| together(folders[2 + communicator.rank() % 2].path(), communicator));
    assert!(built.into_iter().all(|built| built.is_some_and(|built| built.is_ok())));
    assert!(files(folders[2].path(), "5x5") == expected);
    assert!(files(folders[3].path(), "5x5") == expected);
    let errors = |other: &Path| -> Vec<String> {
        let built = threads::run(2, |communicator| {
            together(if communicator.rank() == 0 { folders[1].path() } else { other }, communicator)
        });
        built.into_iter().flatten().filter_map(Result::err).map(|error| error.to_string()).collect()
    };
    // Tables of other rules are set aside, and those of the first rank take their place.
    let other = tempfile::tempdir().expect("a folder");
    let stalemate = RuleSet::all().find(|rules| rules.stalemate != RuleSet::default().stalemate);
    let stalemate = stalemate.expect("a rule set");
    alone(Goal::values(goal(2).size, stalemate, 2), other.path());
    let odd = fs::read_dir(other.path()).expect("a folder").next().expect("a folder").expect("a folder").path();
    fs::rename(odd, other.path().join("5x5")).expect("renamed");
    assert_eq!(errors(other.path()), [""; 0]);
    let mut found = files(other.path(), "5x5");
    assert!(found.remove("1v1.wdl.unusable").is_some() && found == expected);
    // A folder with a table that the first rank's folder has otherwise is not mixed with it.
    let table = other.path().join("5x5/1v1.wdl");
    let mut bytes = fs::read(&table).expect("a table");
    let end = HEADER_BYTES - 8;
    bytes[end - 1] ^= 1;
    let sum = xxh3_64(&bytes[..end]).to_le_bytes();
    bytes[end..HEADER_BYTES].copy_from_slice(&sum);
    fs::write(table, bytes).expect("a table with another identity");
    let found = errors(other.path());
    assert!(found.len() == 1 && found[0].contains("another"), "{found:?}");
    // What keeps a folder locked need not be a process of the job.
    let other = tempfile::tempdir().expect("a folder");
    let locked = lock_folder(&other.path().join("5x5")).expect("a lock");
    let found = errors(other.path());
    assert!(found.len() == 1 && found[0].contains("another build"), "{found:?}");
    drop(locked);
}

#[test]
fn processes_with_other_goals_are_refused() {
    let folders: Vec<_> = (0..2).map(|_| tempfile::tempdir().expect("a folder")).collect();
    let of = |board: &str, stones: usize| Goal::values(board.parse().expect("a board"), RuleSet::default(), stones);
    for other in [of("3x5", 3), of("3x3", 4), Goal::both(of("3x3", 3).size, RuleSet::default(), 3)] {
        let built = threads::run(2, |communicator| {
            let (rank, goals) = (communicator.rank(), [of("3x3", 3), other]);
            let budget = Budget::default().shared(communicator);
            execute(&plan(goals[rank], folders[rank].path(), budget)?, communicator, &|_| ())
        });
        let refused = |built| matches!(built, Some(Err(BuildError::OtherGoals | BuildError::DepthsByMany)));
        assert!(built.into_iter().any(refused));
        assert!(folders.iter().all(|folder| fs::read_dir(folder).expect("a folder").next().is_none()));
    }
}

#[test]
fn several_processes_keep_rows_for_later_once() {
    let folders: Vec<_> = (0..2).map(|_| tempfile::tempdir().expect("a folder")).collect();
    // Crowded slices begin with ten stones, and after them come slices that are built from tiles.
    let goal = Goal::values("3x5".parse().expect("a board"), RuleSet::default(), 12);
    let budget = Budget { tiling: Some(Tiling { width: 2, resident: 30_000, piece: 200 }), ..Budget::new(1 << 30) };
    build(goal, folders[0].path(), Budget::default()).expect("tables");
    let built = threads::run(2, |communicator| {
        let budget = Budget { kept: 0, ..budget.clone() }.shared(communicator);
        execute(&plan(goal, folders[1].path(), budget)?, communicator, &|_| ())
    });
    assert!(built.into_iter().all(|built| built.is_some_and(|built| built.is_ok())));
    let [expected, found] = [0, 1].map(|folder: usize| files(folders[folder].path(), "3x5"));
    assert!(found == expected);
}

//! Builds as programs run them: stopped at any event they continue, progress only grows, and what is proposed is within reach.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, UNIX_EPOCH};

use fanorona::index::SliceSet;
use fanorona::retro::{
    Alone, Budget, BuildError, BuildEvent, BuildProgress, Goal, Phase, Plan, ProposalLimits, Rates, Tiling,
    after_captures, execute, plan,
};
use fanorona::table::Metric;
use fanorona::{BoardSize, RuleSet, Slice, build};

fn size(text: &str) -> BoardSize {
    text.parse().expect("a size")
}

fn slice(text: &str) -> Slice {
    text.parse().expect("a slice")
}

/// The tables in a folder of a database, by name.
fn tables(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries
        .map(|path| (name(&path), std::fs::read(&path).expect("a file")))
        .filter(|(name, _)| !name.starts_with('.'))
        .collect()
}

#[test]
fn a_build_that_is_stopped_anywhere_goes_on_to_the_same_tables() {
    let rules = RuleSet::default();
    let tiling = Tiling { width: 2, resident: 0, piece: 9 };
    for (goal, tiling) in [
        (Goal::both(size("3x3"), rules, 5), None),
        (Goal::both(size("3x5"), rules, 4), None),
        (Goal::both(size("3x5"), rules, 4), Some(tiling)),
    ] {
        let budget = || Budget { tiling, ..Budget::default() };
        let whole = tempfile::tempdir().expect("a folder");
        let whole_plan = plan(goal, whole.path(), budget()).expect("a plan");
        let events = Mutex::new(0usize);
        execute(&whole_plan, &Alone, &|_| *events.lock().expect("a count") += 1).expect("a build");
        let events = events.into_inner().expect("a count");
        let expected = tables(&whole_plan.folder);
        assert!(events > 20 && expected.len() > 4, "{events} events");
        for step in [1, 2, 3, 7, events / 2] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut stops = 0;
            loop {
                // Each attempt comes a little further, so that some end inside a pair.
                let (budget, count) = (budget(), Mutex::new(0));
                let plan = plan(goal, folder.path(), budget).expect("a plan");
                let built = execute(&plan, &Alone, &|_| {
                    let mut count = count.lock().expect("a count");
                    *count += 1;
                    if *count == step * (stops + 1) {
                        plan.budget.interrupt.store(true, Ordering::Relaxed);
                    }
                });
                match built {
                    Ok(_) => break,
                    Err(BuildError::Stopped) => stops += 1,
                    Err(error) => panic!("{error}"),
                }
                assert!(stops < 10_000);
            }
            assert!(stops > 0);
            assert!(tables(&folder.path().join(goal.size.to_string())) == expected, "{step}: {stops} stops");
        }
    }
}

#[test]
fn progress_grows_and_ends_near_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan(Goal::both(size("3x5"), RuleSet::default(), 6), folder.path(), Budget::default()).expect("a plan");
    let progress = BuildProgress::new(&plan);
    let shares = Mutex::new(vec![0.0]);
    execute(&plan, &Alone, &|event: BuildEvent<'_>| {
        // Events come from all threads.
        let mut shares = shares.lock().expect("shares");
        let Some(status) = progress.on_event(&event) else { return };
        assert!(status.share() >= shares[shares.len() - 1] && status.share() <= 1.0, "{status:?}");
        assert!(status.seconds_left().is_none_or(|left| left >= 0.0), "{status:?}");
        shares.push(status.share());
    })
    .expect("a build");
    let shares = shares.into_inner().expect("shares");
    assert!(shares.len() > 50 && shares[shares.len() - 1] > 0.9, "{:?}", shares.last());
}

#[test]
fn work_on_tiles_is_reported_by_bands_and_goes_on_in_the_midst() {
    let folder = tempfile::tempdir().expect("a folder");
    let goal = |stones: usize| Goal::values(size("5x5"), RuleSet::default(), stones);
    execute(&plan(goal(3), folder.path(), Budget::default()).expect("a plan"), &Alone, &|_| ()).expect("a build");
    let tiling = Some(Tiling { width: 1, resident: 0, piece: 9 });
    let stop_after = 11;
    let mut shares = Vec::new();
    for _ in 0..2 {
        let plan = plan(goal(4), folder.path(), Budget { tiling, ..Budget::default() }).expect("a plan");
        let progress = BuildProgress::new(&plan);
        let (first, written) = (Mutex::new(None), Mutex::new(Vec::new()));
        let built = execute(&plan, &Alone, &|event| {
            let status = progress.on_event(&event);
            match event {
                BuildEvent::Phase(_, Phase::Paikas { steps, .. }) if shares.is_empty() => {
                    plan.budget.interrupt.store(steps == stop_after, Ordering::Relaxed);
                    *first.lock().expect("a status") = status;
                }
                BuildEvent::Phase(_, Phase::Paikas { steps, due }) => {
                    assert!(due > 0 || steps > stop_after, "what was done counts");
                    first.lock().expect("a status").get_or_insert(status.expect("a status"));
                }
                BuildEvent::Writing(_, part) => written.lock().expect("a list").push(part),
                _ => {}
            }
        });
        let first = first.into_inner().expect("a status").expect("one was seen");
        shares.push((first.share(), first.before / first.total));
        match shares[..] {
            [_] => assert!(matches!(built, Err(BuildError::Stopped)), "{built:?}"),
            _ => assert_eq!(built.expect("a build").len(), written.into_inner().expect("a list").len()),
        }
    }
    // It goes on from the last state that was saved, and that took no time now.
    let [(stopped, none), (continued, before)] = shares[..] else { panic!("{shares:?}") };
    assert!(none == 0.0 && continued > 0.8 * stopped && before > 0.99 * continued, "{shares:?}");
}

#[test]
fn what_is_proposed_answers_and_is_within_reach() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rules, database) = (RuleSet::default(), folder.path());
    let reach = ProposalLimits::new(Budget::new(1 << 30));
    // Every number of stones that fits, without gaps, each more than the one before.
    let offered = reach.proposals(size("5x5"), rules, database);
    let stones: Vec<usize> = offered.iter().map(|proposal| proposal.plan.goal.slices.most_stones()).collect();
    assert!(stones.len() > 4 && stones.iter().copied().eq(2..2 + stones.len()), "{stones:?}");
    for proposal in &offered {
        assert!(proposal.plan.check().is_ok() && proposal.cost.seconds <= ProposalLimits::PATIENT.as_secs_f64());
        assert!(proposal.cost.memory <= 1 << 30 && proposal.cost.positions > 0);
    }
    assert!(offered.is_sorted_by(|a, b| a.cost.seconds < b.cost.seconds && a.cost.disk < b.cost.disk));
    // Nobody builds tables of 44 stones; a lone stone against many is a slice of its own.
    assert!(reach.propose(Goal::values(size("9x5"), rules, slice("22v22")), database).is_none());
    let small = ProposalLimits::new(Budget::new(1 << 30)).within(Duration::from_secs(1));
    let proposal = small.propose(Goal::values(size("5x5"), rules, slice("2v1")), database).expect("within reach");
    assert_eq!(proposal.plan.goal.slices, SliceSet::from(3));
    let none = ProposalLimits::new(Budget::new(1 << 10));
    assert!(none.propose(Goal::values(size("9x5"), rules, slice("4v4")), database).is_none());
    // What is built is not proposed again.
    execute(&proposal.plan, &Alone, &|_| ()).expect("a build");
    assert!(small.propose(Goal::values(size("5x5"), rules, slice("1v2")), database).is_none());
    assert_eq!(small.proposals(size("5x5"), rules, database)[0].plan.goal.slices, SliceSet::from(4));
    // Where all of as many stones are out of reach, those that the slice needs may be within it.
    let memory = |slices: SliceSet| {
        let goal = Goal::values(size("7x5"), rules, slices);
        let plan = plan(goal, database, Budget::default()).expect("a plan");
        plan.missing().map(|pair| pair.memory).max().expect("pairs")
    };
    let (all, own) = (memory(6.into()), memory(slice("3v3").into()));
    assert!(own < all, "{own} {all}");
    let tight = ProposalLimits::new(Budget { threads: 1, ..Budget::new(own) });
    let proposal = tight.propose(Goal::values(size("7x5"), rules, slice("3v3")), database).expect("within reach");
    assert_eq!(proposal.plan.goal.slices, slice("3v3").into());
}

#[test]
fn where_memory_is_short_pairs_come_in_the_order_that_needs_less() {
    let goal = |metric| match metric {
        Metric::Wdl => Goal::values(size("3x5"), RuleSet::default(), 15),
        Metric::Dtw => Goal::both(size("3x5"), RuleSet::default(), 15),
    };
    for metric in Metric::ALL {
        let goal = goal(metric);
        let whole = tempfile::tempdir().expect("a folder");
        let by_stones = plan(goal, whole.path(), Budget::default()).expect("a plan");
        let peak = |plan: &Plan| plan.pairs.iter().map(|pair| pair.memory).max().expect("a pair");
        let stones = |plan: &Plan| plan.pairs.iter().map(|pair| pair.slice.stones()).is_sorted();
        assert!(metric == Metric::Dtw || stones(&by_stones));
        execute(&by_stones, &Alone, &|_| ()).expect("a build");

        let folder = tempfile::tempdir().expect("a folder");
        let budget = || Budget::new(peak(&by_stones) - 1);
        let by_side = plan(goal, folder.path(), budget()).expect("a plan");
        assert!(!stones(&by_side) && peak(&by_side) < peak(&by_stones), "{} {}", peak(&by_side), peak(&by_stones));
        by_side.check().expect("enough memory");
        execute(&by_side, &Alone, &|_| ()).expect("a build");
        assert_eq!(tables(&by_side.folder), tables(&by_stones.folder));

        // From any point it goes on: slices that were built before are read as far as they are needed.
        let names: Vec<String> = by_side.pairs.iter().map(|pair| format!("{}.{}", pair.slice, pair.metric)).collect();
        let kept = [names.len() / 3, names.len() / 2, names.len() - 3];
        for kept in kept.into_iter().skip(usize::from(metric == Metric::Dtw)) {
            for name in &names[kept..] {
                std::fs::remove_file(by_side.folder.join(name)).expect("a table");
            }
            let rest = plan(goal, folder.path(), budget()).expect("a plan");
            assert_eq!(rest.missing().count(), names.len() - kept);
            execute(&rest, &Alone, &|_| ()).expect("a build");
            assert_eq!(tables(&by_side.folder), tables(&by_stones.folder), "after {kept} pairs");
        }
    }
}

#[test]
fn less_memory_takes_longer_by_the_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    let seconds = |memory: u64| {
        let budget = Budget { memory, ..Budget::default() };
        let plan = plan(Goal::values(size("9x5"), RuleSet::default(), 7), folder.path(), budget).expect("a plan");
        plan.cost(&Rates::TYPICAL).seconds
    };
    let [small, medium, large] = [260 << 20, 512 << 20, 8 << 30].map(seconds);
    assert!(small > 1.2 * medium && medium > 1.5 * large, "{small}, {medium}, {large}");
}

/// Builds until a pair begins, and stops there. Returns the slices that were read.
fn build_until(plan: &Plan, pair: Slice) -> BTreeSet<Slice> {
    let read = Mutex::new(BTreeSet::new());
    let built = execute(plan, &Alone, &|event| match event {
        BuildEvent::Loading(slice) => drop(read.lock().expect("a list").insert(slice)),
        BuildEvent::Begin(begun) if begun.slice == pair => plan.budget.interrupt.store(true, Ordering::Relaxed),
        _ => {}
    });
    assert!(matches!(built, Ok(_) | Err(BuildError::Stopped)), "{built:?}");
    read.into_inner().expect("a list")
}

#[test]
fn crowded_slices_that_are_kept_are_read_as_they_are() {
    for metric in Metric::ALL {
        let goal = match metric {
            Metric::Wdl => Goal::values(size("3x5"), RuleSet::default(), 15),
            Metric::Dtw => Goal::depths(size("3x5"), RuleSet::default(), 15),
        };
        let (whole, folder) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        for folder in [&whole, &folder] {
            if metric == Metric::Dtw {
                let values = Goal::values(goal.size, goal.rules, 15);
                execute(&plan(values, folder.path(), Budget::default()).expect("a plan"), &Alone, &|_| ())
                    .expect("a build");
            }
        }
        let expected = plan(goal, whole.path(), Budget::default()).expect("a plan");
        execute(&expected, &Alone, &|_| ()).expect("a build");

        let plan = || plan(goal, folder.path(), Budget { kept: 0, ..Budget::default() }).expect("a plan");
        let (last, direct) = (slice("7v6"), |pair: &str| -> BTreeSet<Slice> {
            let pair = slice(pair);
            [pair, pair.twin()].into_iter().flat_map(after_captures).collect()
        });
        build_until(&plan(), slice("6v5"));
        let kept = |name: &str| plan().folder.join(format!("{name}.{metric}-rows"));
        assert!(kept("5v5").exists() && !kept("7v6").exists());
        // All that is read is what captures from the pair lead to, as it is.
        assert_eq!(build_until(&plan(), slice("6v5")), direct("6v5"));
        // Those of damaged files are resolved again, with all that this takes.
        let mut bytes = std::fs::read(kept("5v5")).expect("a file");
        *bytes.last_mut().expect("a byte") ^= 1;
        std::fs::write(kept("5v5"), bytes).expect("a file");
        std::fs::write(kept("4v5"), "short").expect("a file");
        // Without its table a slice has to be built again, whatever was kept of it.
        std::fs::remove_file(plan().folder.join(format!("5v5.{metric}"))).expect("a table");
        let read = build_until(&plan(), last);
        assert!(read.is_superset(&after_captures(slice("5v5")).collect()) && read.len() > direct("6v5").len());
        assert!(!kept("1v1").exists(), "needed no more");
        build_until(&plan(), slice("1v1"));
        assert_eq!(tables(&plan().folder), tables(&expected.folder), "nothing else is left");
    }
}

#[test]
fn crowded_slices_that_wait_are_written_once() {
    let folder = tempfile::tempdir().expect("a folder");
    for (metric, goal) in Metric::ALL.into_iter().zip([Goal::values as fn(_, _, _) -> _, Goal::depths]) {
        let goal: Goal = goal(size("3x5"), RuleSet::default(), 15usize);
        let plan = plan(goal, folder.path(), Budget { kept: 0, ..Budget::default() }).expect("a plan");
        // A file that is written again has a new time.
        let seen = Mutex::new(BTreeSet::new());
        let look = |event: BuildEvent<'_>| {
            let BuildEvent::Begin(_) = event else { return };
            for entry in std::fs::read_dir(&plan.folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if !path.to_string_lossy().ends_with(&format!(".{metric}-rows")) {
                    continue;
                }
                let file = std::fs::File::options().write(true).open(&path).expect("a file");
                if seen.lock().expect("a list").insert(path.clone()) {
                    file.set_modified(UNIX_EPOCH).expect("a time");
                }
                let modified = file.metadata().expect("a file").modified().expect("a time");
                assert_eq!(modified, UNIX_EPOCH, "{}", path.display());
            }
        };
        execute(&plan, &Alone, &look).expect("a build");
        assert!(seen.into_inner().expect("a list").len() > 20);
    }
}

#[test]
fn the_folder_for_scratch_need_not_be_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let scratch = folder.path().join("scratch");
    let budget = Budget { kept: 0, scratch: Some(scratch.clone()), ..Budget::default() };
    // What a build that was killed has left beside the tables goes with the pairs that it is of.
    let tables = folder.path().join("3x3");
    std::fs::create_dir(&tables).expect("a folder");
    let left = ["4v4.scratch", "4v4.scratch-state", "3v2.dtw-rows", "4v4.wdl-rows"].map(|name| tables.join(name));
    for path in &left {
        std::fs::write(path, "old").expect("a file");
    }
    build(Goal::values(size("3x3"), RuleSet::default(), 9), folder.path(), budget).expect("tables");
    assert_eq!(std::fs::read_dir(scratch).expect("a folder").count(), 0);
    assert_eq!(left.map(|path| path.exists()), [false, false, true, false]);
}

//! Searches that are watched and stopped, and their checkpoints: one that fits goes on, any other is refused.

use std::fs;
use std::path::Path;

use fanorona::board::{Board, BoardSize};
use fanorona::rules::{Position, RuleSet, Rules, Side};
use fanorona::search::{
    self, CheckpointError, Control, Effort, Key, Memory, Numbers, SearchTotals, Solution, SolveError, SolveEvent,
    SolveScope, Solver, TranspositionTable, TtEntry,
};
use fanorona::table::NoValues;

use crate::prover::position;
use crate::search::{Known, MEMORY, options};
use crate::state::read_state;

// Stops

#[test]
fn a_panic_of_the_observer_ends_the_search() {
    let size: BoardSize = "7x7".parse().expect("a board");
    let game = Rules::new(Board::new(size, RuleSet::default().diagonals), RuleSet::default());
    let mut solver = Solver::new(&game, &NoValues, options(16 * MEMORY, 2)).expect("memory");
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        solver
            .solve(Position::start(size), SolveScope::POSITION, None, &mut |_| panic!("an observer that cannot go on"))
    }));
    assert!(result.is_err());
}

#[test]
fn a_search_without_threads_stops_when_its_observer_says_so() {
    let size: BoardSize = "7x7".parse().expect("a board");
    let game = Rules::new(Board::new(size, RuleSet::default().diagonals), RuleSet::default());
    let mut solver = Solver::new(&game, &NoValues, options(16 * MEMORY, 0)).expect("memory");
    let result = solver.solve(Position::start(size), SolveScope::POSITION, None, &mut |_| Control::Stop);
    assert!(matches!(result, Err(SolveError::Stopped)) && solver.nodes() > 0);
}

/// Far too long to finish: only its observer ends it.
#[test]
fn a_long_search_stops_on_request() {
    let size: BoardSize = "7x7".parse().expect("a board");
    let game = Rules::new(Board::new(size, RuleSet::default().diagonals), RuleSet::default());
    let mut random = fastrand::Rng::with_seed(9);
    for threads in [0, 1, 2, 4] {
        let mut solver = Solver::new(&game, &NoValues, options(64 * MEMORY, threads)).expect("memory");
        let mut heard = 0;
        let calls = random.u64(1..4);
        let mut last = 0;
        let result = solver.solve(Position::start(size), SolveScope::POSITION, None, &mut |event| {
            let SolveEvent::Searching { side: attacker, turn, progress } = *event else { panic!("an answer") };
            assert_eq!((attacker, turn), (Side::White, None));
            // On a busy machine nothing may have been done in between.
            assert!(progress.nodes >= last);
            last = progress.nodes;
            // The line begins with the start and follows the turns.
            let line = search::turns_along(&game, &Position::start(size), &progress.line);
            assert_eq!(line.len() + 1, progress.line.len());
            heard += 1;
            if heard == calls { Control::Stop } else { Control::Continue }
        });
        assert!(matches!(result, Err(SolveError::Stopped)));
        assert_eq!(heard, calls);
        assert!(solver.nodes() >= last);
        // What was found is still there.
        let nodes = solver.nodes();
        assert!(nodes < 100 || solver.entries().list(search::Effort::of(3)).next().is_some());
    }
}

/// The root is not left before it is settled, so that its numbers have to be followed from where the search is.
#[test]
fn the_numbers_of_the_root_follow_the_search() {
    const LOOKS: usize = 12;
    let size: BoardSize = "7x7".parse().expect("a board");
    let game = Rules::new(Board::new(size, RuleSet::default().diagonals), RuleSet::default());
    let mut solver = Solver::new(&game, &NoValues, options(64 * MEMORY, 1)).expect("memory");
    let (mut seen, mut nodes) = (Vec::new(), 0);
    let result = solver.solve(Position::start(size), SolveScope::POSITION, None, &mut |event| {
        let SolveEvent::Searching { progress, .. } = event else { panic!("an answer") };
        // On a busy machine nothing may have been done in between.
        if progress.nodes >= nodes + 1000 {
            nodes = progress.nodes;
            let numbers = progress.numbers.expect("numbers");
            assert_eq!(numbers.settled(), None);
            seen.push((numbers.phi, numbers.delta));
        }
        if seen.len() == LOOKS { Control::Stop } else { Control::Continue }
    });
    assert!(matches!(result, Err(SolveError::Stopped)));
    seen.dedup();
    assert!(seen.len() > LOOKS / 2, "{seen:?}");
}

// Checkpoints

/// What a checkpoint of the start is of.
fn subject(known: &Known) -> search::Subject {
    search::Problem::start(known.size, known.rules).subject(SolveScope::MOVES)
}

/// Solves until the observer has been called that often.
fn solve_until(solver: &mut Solver<'_>, text: &str, calls: usize) -> Result<Solution, SolveError> {
    let mut left = calls;
    solver.solve(position(text), SolveScope::MOVES, None, &mut |_| {
        left = left.saturating_sub(1);
        if left == 0 { Control::Stop } else { Control::Continue }
    })
}

#[test]
fn a_stopped_search_goes_on_from_its_checkpoint() {
    let known = Known::new("3x5", RuleSet::default());
    let (game, start) = (known.game(), known.start());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("state");
    let whole =
        solve_until(&mut Solver::new(&game, &NoValues, options(16 * MEMORY, 2)).expect("memory"), &start, usize::MAX);
    let whole = whole.expect("a solution");
    let nodes = whole.questions.white_wins.nodes + whole.questions.black_wins.nodes;
    let mut stops = 0;
    let mut done = SearchTotals::default();
    let solution = loop {
        let mut solver = Solver::new(&game, &NoValues, options(16 * MEMORY, 2)).expect("memory");
        if stops > 0 {
            let (before, entries) = read_state(&path, known.size, known.rules).expect("a checkpoint");
            assert_eq!(before, done);
            assert!(!entries.is_empty());
            solver.restore(&entries);
        }
        match solve_until(&mut solver, &start, 1 + 5 * stops) {
            Ok(solution) => break solution,
            Err(SolveError::Stopped) => {}
            Err(error) => panic!("{error}"),
        }
        stops += 1;
        assert!(stops < 1000, "no progress");
        done.nodes += solver.nodes();
        done.seconds += 0.5;
        search::save(&path, subject(&known), done, &solver.entries()).expect("a file");
    };
    assert!(stops > 1, "never stopped");
    known.compare(&start, &solution);
    known.certify(&start, &solution);
    let again = solution.questions.white_wins.nodes + solution.questions.black_wins.nodes;
    assert!(again < nodes / 2, "{again} nodes with a checkpoint, {nodes} without");
}

/// A saved state is read in the order of the table it comes from, so that all of a part goes to one stretch of the new one.
#[test]
fn a_large_state_fits_a_solver_that_begins_small() {
    const ENTRIES: usize = 1_500_000;
    let game =
        Rules::new(Board::new("3x3".parse().expect("a board"), RuleSet::default().diagonals), RuleSet::default());
    let mut random = fastrand::Rng::with_seed(11);
    let mut memory = Memory::words(ENTRIES * 16).expect("memory");
    let table = TranspositionTable::new(&mut memory);
    for _ in 0..ENTRIES {
        let key = Key { check: random.u64(..), more: random.u16(..) };
        let numbers = Numbers { phi: random.u32(1..99), delta: random.u32(1..99) };
        table.put(key, TtEntry { numbers, effort: Effort::of(random.u64(1..99)), height: 0, path_dependency: None });
    }
    let saved: Vec<_> = table.list(Effort::default()).collect();
    let mut shuffled = saved.clone();
    random.shuffle(&mut shuffled);
    // In any order some buckets are full before the table is.
    for (entries, percent) in [(saved, 99), (shuffled, 90)] {
        for part in [1 << 16, 10_000, ENTRIES] {
            let mut solver = Solver::new(&game, &NoValues, options(512 * MEMORY, 1)).expect("memory");
            assert!(solver.entries().capacity() < 2 * ENTRIES);
            entries.chunks(part).for_each(|part| solver.restore(part));
            let kept = solver.entries().list(Effort::default()).count();
            assert!(kept * 100 > entries.len() * percent, "{kept} of {}, in parts of {part}", entries.len());
        }
    }
}

/// A checkpoint of 3x3, and its bytes.
fn checkpoint(path: &Path) -> (Known, Vec<u8>) {
    let known = Known::new("3x3", RuleSet::default());
    let game = known.game();
    let mut solver = Solver::new(&game, &NoValues, options(MEMORY, 1)).expect("memory");
    known.solve(&mut solver, &known.start());
    let done = SearchTotals { nodes: solver.nodes(), probes: 7, seconds: 1.25 };
    search::save(path, subject(&known), done, &solver.entries()).expect("a file");
    let bytes = fs::read(path).expect("a file");
    (known, bytes)
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("state");
    let (known, bytes) = checkpoint(&path);
    let load = || read_state(&path, known.size, known.rules);
    let whole = load().expect("a checkpoint");
    assert!(whole.1.len() > 20 && whole.0.probes == 7);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "something was left over");
    let refused = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).expect("a file");
        let error = load().err().unwrap_or_else(|| panic!("{what} unnoticed"));
        let text = error.to_string();
        assert!(!matches!(error, CheckpointError::Io { .. }), "{what}: {text}");
        // What does not begin like a checkpoint may be somebody's file.
        let is_ours = bytes.iter().zip(b"FANOSAVE").all(|(found, wanted)| found == wanted);
        let remedy = if is_ours || bytes.len() < 8 { "; delete it" } else { "; move it away" };
        assert!(text.contains("state") && text.contains(remedy) && !text.contains('\n'), "{text}");
    };
    for length in 0..bytes.len() {
        refused(&bytes[..length], &format!("{length} of {} bytes", bytes.len()));
    }
    for more in [&b"x"[..], &[0; 16], &bytes] {
        refused(&[&bytes[..], more].concat(), "more bytes");
    }
    for at in 0..bytes.len() {
        for change in [1 << (at % 8), 0x10, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            fs::write(&path, &changed).expect("a file");
            // Some bits of a frame's header say nothing: then everything is as it was.
            if !load().is_ok_and(|read| read == whole) {
                refused(&changed, &format!("byte {at} changed by {change:#x}"));
            }
        }
    }
    fs::remove_file(&path).expect("a file");
    assert!(matches!(load(), Err(CheckpointError::Io { .. })));
    // Where the system cannot read, the file may be whole: nothing is mapped at address 0.
    #[cfg(target_os = "linux")]
    {
        let unreadable = read_state(Path::new("/proc/self/mem"), known.size, known.rules);
        assert!(matches!(unreadable, Err(CheckpointError::Io { .. })), "{unreadable:?}");
    }
}

#[test]
fn a_checkpoint_of_another_search_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("state");
    let (known, _) = checkpoint(&path);
    for rules in RuleSet::all() {
        for board in ["3x3", "3x5", "5x3", "9x5"] {
            let size: BoardSize = board.parse().expect("a board");
            let result = read_state(&path, size, rules);
            if (size, rules) == (known.size, known.rules) {
                result.expect("its own");
            } else {
                assert!(matches!(result, Err(CheckpointError::Other { .. })), "{board}, {rules}");
            }
        }
    }
    let nowhere = folder.path().join("missing").join("state");
    let mut memory = search::Memory::words(64).expect("memory");
    let entries = search::TranspositionTable::new(&mut memory);
    let result = search::save(&nowhere, subject(&known), SearchTotals::default(), &entries);
    assert!(matches!(result, Err(CheckpointError::Io { .. })));
}

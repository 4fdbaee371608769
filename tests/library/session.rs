//! Solving with tables, a checkpoint, a limit and a certificate: stopped, timed out, and continued.

use std::fs;
use std::path::Path;
use std::time::Duration;

use fanorona::board::BoardSize;
use fanorona::files::temporary_name;
use fanorona::knowledge::{Trust, place_certificate, unplaced_certificate};
use fanorona::proof::{Certificate, ProofError, check};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{RuleSet, Side, Value};
use fanorona::search::{
    Checkpoint, CheckpointError, Control, Problem, SolveError, SolveEvent, SolveOptions, SolveScope, solve,
};
use fanorona::table::{DEFAULT_CACHE_BYTES, Database, Tables};

const MEMORY: u64 = 256 << 20;

fn start_of(board: &str) -> Problem {
    Problem::start(board.parse().expect("a board"), RuleSet::default())
}

/// A problem that takes one thread some seconds, with ten reports in each, and options with that checkpoint.
fn some_seconds(folder: &Path, state: &Path) -> (Problem, SolveOptions) {
    let problem = start_of("3x9");
    build(Goal::values(problem.size, problem.rules, 3), folder, Budget::new(MEMORY)).expect("a build");
    let mut options = SolveOptions::new(folder, 3, MEMORY);
    options.threads = 1;
    options.checkpoint = Some(Checkpoint { path: state.to_owned(), every: Duration::ZERO });
    (problem, options)
}

#[test]
fn a_solve_is_stopped_given_up_and_gone_on_with() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (state, proof) = (folder.path().join("state"), folder.path().join("proof"));
    let (problem, mut options) = some_seconds(folder.path(), &state);
    options.certificate = Some(proof.clone());
    // Stopped at its first report.
    let mut saved = 0;
    let stopped = solve(&problem, &options, &mut |event| match event {
        SolveEvent::Saved => {
            saved += 1;
            Control::Continue
        }
        SolveEvent::Proofs(_) => Control::Continue,
        SolveEvent::Searching { .. } => Control::Stop,
        other => panic!("{other:?}"),
    });
    assert!(matches!(stopped, Err(SolveError::Stopped)), "{stopped:?}");
    assert!(saved == 1 && state.exists() && !proof.exists());
    // Given up at the limit.
    options.limit = Some(Duration::ZERO);
    let (mut before, mut saved) = (0, 0);
    let given_up = solve(&problem, &options, &mut |event| {
        match event {
            SolveEvent::Resumed(totals) => before = totals.nodes,
            SolveEvent::Saved => saved += 1,
            _ => {}
        }
        Control::Continue
    });
    let given_up = given_up.expect("what is known");
    assert!(!given_up.solution.is_complete() && given_up.certificate.is_none());
    assert!(before > 0 && given_up.totals.nodes > before && saved == 1 && state.exists());
    // To the end; meanwhile nothing else can use the checkpoint.
    options.limit = None;
    let (mut resumed, mut refused) = (0, 0);
    let solved = solve(&problem, &options, &mut |event| {
        match event {
            SolveEvent::Resumed(totals) => resumed = totals.nodes,
            SolveEvent::Searching { .. } if refused == 0 => {
                // What is being written for this one is left alone.
                let unfinished = temporary_name(&proof);
                std::fs::write(&unfinished, "a part").expect("a file");
                let other = solve(&problem, &options, &mut |_| Control::Continue);
                assert!(matches!(other, Err(SolveError::Checkpoint(CheckpointError::InUse { .. }))), "{other:?}");
                std::fs::remove_file(&unfinished).expect("a file");
                refused += 1;
            }
            _ => {}
        }
        Control::Continue
    });
    let solved = solved.expect("a solution");
    assert_eq!((solved.solution.value, resumed, refused), (Value::WhiteWins, given_up.totals.nodes, 1));
    assert!(solved.solution.moves.is_empty() && solved.totals.nodes > resumed && !state.exists());
    let certificate = Certificate::read(&proof).expect("a certificate");
    certificate.prove(&options.database, MEMORY, &|_| ()).expect("a proof");
    assert_eq!((certificate.claims.len(), certificate.claims[0].value), (1, Value::WhiteWins));
    assert_eq!(solved.certificate.map(|file| file.won), Some(certificate.won.len()));
}

#[cfg(unix)]
#[test]
fn a_state_that_cannot_be_saved_ends_no_search() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let state = folder.path().join("state");
    // A name that is taken where the state is written before it gets its own.
    let blocked = folder.path().join("state.tmp");
    let (problem, options) = some_seconds(folder.path(), &state);
    let (mut failed, mut saved, mut reports) = (0, false, 0);
    let solved = solve(&problem, &options, &mut |event| {
        match event {
            SolveEvent::Proofs(_) => std::fs::create_dir(&blocked).expect("a folder"),
            SolveEvent::NotSaved(error) => {
                assert!(error.to_string().contains("state.tmp"), "{error}");
                failed += 1;
            }
            // It tries again, without a word.
            SolveEvent::Searching { .. } if failed == 1 && blocked.exists() => {
                std::fs::remove_dir(&blocked).expect("a folder");
            }
            SolveEvent::Searching { .. } => (saved, reports) = (saved || state.exists(), reports + 1),
            _ => {}
        }
        Control::Continue
    });
    let solved = solved.expect("a solution");
    assert_eq!((solved.solution.value, failed, saved), (Value::WhiteWins, 1, true), "{reports} reports");
}

#[cfg(unix)]
#[test]
fn what_is_proved_is_written_though_the_state_cannot_be_saved() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (state, proof) = (folder.path().join("state"), folder.path().join("proof"));
    let (problem, mut options) = some_seconds(folder.path(), &state);
    options.checkpoint.as_mut().expect("a checkpoint").every = Duration::MAX;
    options.certificate = Some(proof.clone());
    options.scope = SolveScope::only(Side::Black);
    let solved = solve(&problem, &options, &mut |event| {
        if let SolveEvent::Answered(_) = event {
            fs::create_dir(folder.path().join("state.tmp")).expect("a folder");
        }
        Control::Continue
    });
    assert!(matches!(solved, Err(SolveError::Checkpoint(CheckpointError::Io { .. }))), "{solved:?}");
    assert!(!state.exists() && Certificate::read(&proof).is_ok());
}

#[test]
fn moves_are_reported_after_the_value_and_its_certificate() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (problem, proof) = (start_of("3x5"), folder.path().join("proof"));
    build(Goal::values(problem.size, problem.rules, 4), folder.path(), Budget::new(MEMORY)).expect("a build");
    let mut options = SolveOptions::new(folder.path(), 4, MEMORY);
    options.scope = SolveScope::MOVES;
    options.certificate = Some(proof.clone());
    let (mut value, mut moves) = (None, Vec::new());
    let solved = solve(&problem, &options, &mut |event| {
        match event {
            SolveEvent::Answered(solution) => {
                assert!(moves.is_empty() && value.is_none());
                let so_far = Certificate::read(&proof).expect("a certificate").claims;
                assert_eq!((so_far.len(), solution.moves.len()), (1, 0));
                value = Some(solution.value);
            }
            SolveEvent::Move(entry) => {
                assert!(value.is_some());
                moves.push((*entry).clone());
            }
            _ => {}
        }
        Control::Continue
    });
    let solved = solved.expect("a solution");
    assert_eq!((value, &moves), (Some(Value::WhiteWins), &solved.solution.moves));
    let certificate = Certificate::read(&proof).expect("a certificate");
    assert_eq!(certificate.claims.len(), 1 + moves.len());
    assert!(moves.len() > 1 && !certificate.tables.is_empty());
    let tables = Tables::open(folder.path(), problem.size, problem.rules, DEFAULT_CACHE_BYTES).expect("tables");
    assert!(check(&certificate, &tables, &|_| ()).is_ok());
}

#[test]
fn what_cannot_be_solved_is_refused_before_the_search() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut options = SolveOptions::new(folder.path(), 0, MEMORY);
    let size: BoardSize = "9x9".parse().expect("a board");
    let large = solve(&Problem { size, ..start_of("3x3") }, &options, &mut |_| Control::Continue);
    assert!(matches!(large, Err(SolveError::Board(found)) if found == size), "{large:?}");
    options.certificate = Some(folder.path().to_owned());
    let refused = solve(&start_of("3x3"), &options, &mut |event| panic!("{event:?}"));
    assert!(matches!(refused, Err(SolveError::Certificate(ProofError::Io { .. }))), "{refused:?}");
}

#[test]
fn an_error_during_the_search_leaves_its_state() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (problem, state) = (start_of("5x5"), folder.path().join("state"));
    build(Goal::values(problem.size, problem.rules, 5), folder.path(), Budget::new(MEMORY)).expect("a build");
    let table = folder.path().join("5x5/3v2.wdl");
    let mut bytes = fs::read(&table).expect("a table");
    let half = bytes.len() / 2;
    let whole = bytes.clone();
    bytes[half..].iter_mut().for_each(|byte| *byte ^= 0x55);
    fs::write(&table, bytes).expect("a table");
    let mut options = SolveOptions::new(folder.path(), 5, MEMORY);
    options.checkpoint = Some(Checkpoint { path: state.clone(), every: Duration::from_secs(3600) });
    let mut saved = 0;
    let failed = solve(&problem, &options, &mut |event| {
        saved += u32::from(matches!(event, SolveEvent::Saved));
        Control::Continue
    });
    assert!(matches!(failed, Err(SolveError::Table(_))), "{failed:?}");
    assert!(saved == 1 && state.exists());
    fs::write(&table, whole).expect("a table");
    let mut before = 0;
    let solved = solve(&problem, &options, &mut |event| {
        if let SolveEvent::Resumed(totals) = event {
            before = totals.nodes;
        }
        Control::Continue
    });
    assert!(before > 0 && solved.expect("a solution").solution.value == Value::Draw);
}

#[test]
fn certificates_leave_memory_for_the_search() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (problem, database) = (start_of("3x5"), Database::from(folder.path()));
    let mut options = SolveOptions::new(database.clone(), 0, MEMORY);
    let new = unplaced_certificate(&database, &problem.certificate_name()).expect("a folder");
    options.certificate = Some(new.clone());
    solve(&problem, &options, &mut |_| Control::Continue).expect("a solution");
    place_certificate(&new, &database, MEMORY, &|_| ()).expect("a proof");
    options.proofs = Trust::Checked;
    options.certificate = None;
    let mut taken = 0;
    solve(&problem, &options, &mut |event| {
        if let SolveEvent::Proofs(proofs) = event {
            taken = proofs.bytes();
        }
        Control::Continue
    })
    .expect("a solution");
    assert!(taken > 100);
    options.memory = 4 * taken;
    solve(&problem, &options, &mut |_| Control::Continue).expect("a solution");
    options.memory = 2 * taken;
    let refused = solve(&problem, &options, &mut |_| Control::Continue);
    assert!(
        matches!(refused, Err(SolveError::Proofs { bytes, memory }) if (bytes, memory) == (taken, 2 * taken)),
        "{refused:?}"
    );
}

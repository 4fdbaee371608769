//! Damaged, foreign and false checkpoints: they are refused, or the search that continues from them finds the right value.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use fanorona::board::Board;
use fanorona::knowledge::{Knowledge, Trust};
use fanorona::rules::{Position, RuleSet, Rules, Side, Value};
use fanorona::search::{
    self, CheckpointError, Control, Effort, Key, Numbers, Problem, SearchOptions, SearchTotals, SolveEvent, SolveScope,
    Solver, TtEntry, Tuning,
};
use fanorona::table::{Database, NoValues};

use crate::oracle;
use crate::program::Place;
use crate::prover::{Solved, position};
use crate::state::read_state;

const MEMORY: u64 = 1 << 20;

/// What stands in an entry for a number without end.
const INFINITE: u64 = (1 << 20) - 1;

/// Positions of 3x3 that a search without tables has work with: won, drawn and lost.
const POSITIONS: [&str; 6] =
    ["BBB/B1W/WWW w", "1B1/1W1/1W1 w", "BB1/3/1WW b", "B1B/3/W1W w", "1BB/3/WW1 b", "BB1/1B1/WWW w"];

struct Known {
    solved: Solved,
    game: Rules<u64>,
}

impl Known {
    fn new() -> Self {
        let solved = Solved::everything("3x3", RuleSet::default());
        let game = Rules::new(Board::new(solved.size, solved.rules.diagonals), solved.rules);
        Self { solved, game }
    }

    fn solver(&self) -> Solver<'_> {
        let options = SearchOptions { memory: MEMORY, threads: 1, tuning: Tuning::default() };
        Solver::new(&self.game, &NoValues, options).expect("memory")
    }

    fn value(&self, text: &str) -> Value {
        match (self.solved.value(text), position(text).to_move) {
            (oracle::Value::Draw, _) => Value::Draw,
            (oracle::Value::Win, Side::White) | (oracle::Value::Loss, Side::Black) => Value::WhiteWins,
            (oracle::Value::Win, Side::Black) | (oracle::Value::Loss, Side::White) => Value::BlackWins,
        }
    }

    /// Everything that a search remembers of a position.
    fn entries(&self, text: &str) -> Vec<(Key, TtEntry)> {
        let mut solver = self.solver();
        solver.solve(position(text), SolveScope::POSITION, None, &mut |_| Control::Continue).expect("a solution");
        solver.entries().list(Effort::default()).collect()
    }

    /// A search that continues from those entries finds what the oracle says.
    fn continues(&self, text: &str, entries: &[(Key, TtEntry)]) {
        let mut solver = self.solver();
        solver.restore(entries);
        let solution = solver.solve(position(text), SolveScope::POSITION, None, &mut |_| Control::Continue);
        assert_eq!(solution.expect("a solution").value, self.value(text), "{text}");
    }

    fn load(&self, path: &Path) -> Result<(SearchTotals, Vec<(Key, TtEntry)>), CheckpointError> {
        read_state(path, self.solved.size, self.solved.rules)
    }
}

/// The header of a checkpoint of the start of 3x3 under the default rules.
fn header(nodes: u64, seconds: f64) -> Vec<u8> {
    let start = Position::<u64>::start("3x3".parse().expect("a board"));
    let stones = [start.white.to_le_bytes(), start.black.to_le_bytes()].concat();
    [&[3, 3, 0, 0, 0][..], &stones, &[1, 1, 1, 0], &nodes.to_le_bytes(), &7u64.to_le_bytes(), &seconds.to_le_bytes()]
        .concat()
}

/// A checkpoint whose checksum fits.
fn sealed(version: u32, parts: &[&[u8]]) -> Vec<u8> {
    let mut file = b"FANOSAVE".to_vec();
    file.extend(version.to_le_bytes());
    let mut frame = zstd::Encoder::new(file, 1).expect("a frame");
    frame.include_checksum(true).expect("a checksum");
    for part in parts {
        frame.write_all(part).expect("memory");
    }
    frame.finish().expect("a frame")
}

/// The error is a line that names the file and says what to do.
fn check_text(error: &CheckpointError) {
    let text = error.to_string();
    assert!(text.contains("state") && text.contains("; delete it") && !text.contains(char::is_control), "{text}");
}

#[test]
fn a_checkpoint_of_another_format_says_so() {
    let (known, folder) = (Known::new(), tempfile::tempdir().expect("a temporary folder"));
    let path = folder.path().join("state");
    fs::write(&path, sealed(2, &[&header(5, 0.5)])).expect("a file");
    assert_eq!(
        known.load(&path).expect("a checkpoint"),
        (SearchTotals { nodes: 5, probes: 7, seconds: 0.5 }, Vec::new())
    );
    for (version, newer) in [(0, false), (1, false), (3, true), (u32::MAX, true)] {
        fs::write(&path, sealed(version, &[&header(5, 0.5)])).expect("a file");
        let error = known.load(&path).expect_err("another format");
        assert!(matches!(error, CheckpointError::Version { found, known: 2, .. } if found == version), "{error}");
        assert_eq!(error.to_string().ends_with("or use a newer program"), newer, "{error}");
        check_text(&error);
    }
}

#[test]
fn headers_and_entries_that_cannot_be_are_refused() {
    let (known, folder) = (Known::new(), tempfile::tempdir().expect("a temporary folder"));
    let path = folder.path().join("state");
    let refused = |parts: &[&[u8]]| {
        fs::write(&path, sealed(2, parts)).expect("a file");
        let error = known.load(&path).expect_err("a refusal");
        assert!(matches!(error, CheckpointError::Damaged { .. }), "{error}");
        check_text(&error);
    };
    for seconds in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
        refused(&[&header(5, seconds)]);
    }
    for length in 0..header(5, 0.5).len() {
        refused(&[&header(5, 0.5)[..length]]);
    }
    let phi_and_delta = |phi: u64, delta: u64| phi | delta << 20 | 9 << 40 | 77 << 48;
    // Nothing at all; open, but without end; a settled entry that depends on something, with bits that say nothing.
    for data in [
        phi_and_delta(0, 0),
        phi_and_delta(INFINITE, 5),
        phi_and_delta(5, INFINITE),
        phi_and_delta(0, 1 << 19 | 1 << 17),
    ] {
        let entry = [1234u64.to_le_bytes(), data.to_le_bytes()].concat();
        refused(&[&header(5, 0.5), &entry]);
        refused(&[&header(5, 0.5), &entry[..15]]);
    }
    // Counts of people's work may be anything.
    fs::write(&path, sealed(2, &[&header(u64::MAX, 1e300)])).expect("a file");
    assert_eq!(known.load(&path).expect("a checkpoint").0.nodes, u64::MAX);
}

#[test]
fn a_small_file_with_very_many_entries_takes_no_memory() {
    const ENTRIES: usize = 1 << 22;
    let (known, folder) = (Known::new(), tempfile::tempdir().expect("a temporary folder"));
    let path = folder.path().join("state");
    let entry = [1234u64.to_le_bytes(), (1u64 | 1 << 20 | 9 << 40).to_le_bytes()].concat();
    let piece = entry.repeat(1 << 12);
    let file = sealed(2, &[&[&header(5, 0.5)[..]], &vec![&piece[..]; ENTRIES >> 12][..]].concat());
    assert!(file.len() < 1 << 18, "{} bytes", file.len());
    fs::write(&path, file).expect("a file");
    let (mut solver, mut seen) = (known.solver(), 0);
    let done = search::read(&path, known.solved.size, known.solved.rules, |piece| {
        assert!(piece.len() <= 1 << 16, "{} entries at once", piece.len());
        seen += piece.len();
        solver.restore(piece);
        Ok::<_, CheckpointError>(())
    });
    assert_eq!((done.expect("a checkpoint").1.nodes, seen), (5, ENTRIES));
    assert!(solver.entries().bytes() <= MEMORY && solver.entries().list(Effort::default()).count() == 1);
}

#[test]
fn entries_that_are_untrue_never_lead_to_another_value() {
    let (known, folder) = (Known::new(), tempfile::tempdir().expect("a temporary folder"));
    let path = folder.path().join("state");
    let mut random = fastrand::Rng::with_seed(6);
    for text in POSITIONS {
        let entries = known.entries(text);
        known.continues(text, &entries);
        for round in 0..30 {
            let share = [1, 10, 100][round % 3];
            let mut content = header(5, 0.5);
            for (key, _) in &entries {
                if random.usize(..100) < share {
                    content.extend(key.check.to_le_bytes());
                    content.extend((random_data(&mut random) | u64::from(key.more) << 48).to_le_bytes());
                }
            }
            fs::write(&path, sealed(2, &[&content])).expect("a file");
            let (_, forged) = known.load(&path).expect("a checkpoint");
            known.continues(text, &forged);
        }
    }
}

/// Something that an entry may say: open, settled either way, or settled and depending on something.
fn random_data(random: &mut fastrand::Rng) -> u64 {
    let effort = u64::from(random.u8(..)) << 40;
    let (small, place) = (random.u64(1..1000), random.u64(1..1 << 19));
    let depends = 1 << 19 | random.u64(..1 << 16);
    effort
        | match random.u8(..6) {
            0 => small | random.u64(1..1000) << 20,
            1 => place << 20,
            2 => place,
            3 => depends << 20,
            4 => depends,
            _ => 1 << 20,
        }
}

#[test]
fn entries_of_another_position_do_no_harm() {
    let known = Known::new();
    let all: Vec<_> = POSITIONS.iter().flat_map(|text| known.entries(text)).collect();
    for text in POSITIONS {
        known.continues(text, &all);
    }
}

/// Entries that say of everything that it is settled, or that what is hard is easy.
fn forged(entries: &[(Key, TtEntry)]) -> [Vec<(Key, TtEntry)>; 3] {
    let forge = |numbers: &dyn Fn(Numbers) -> Numbers| {
        let forged = |&(key, found): &(Key, TtEntry)| (key, TtEntry::new(numbers(found.numbers), Effort(u8::MAX)));
        entries.iter().map(forged).collect()
    };
    let exchanged = |numbers: Numbers| match numbers.settled() {
        None => Numbers { phi: numbers.delta, delta: numbers.phi },
        Some(_) => Numbers { phi: 1, delta: search::MAX_FINITE },
    };
    [forge(&|_| Numbers::REACHED), forge(&|_| Numbers::MISSED), forge(&exchanged)]
}

#[test]
fn a_false_checkpoint_costs_a_small_multiple_of_a_fresh_search() {
    /// What the search that continues has before the fresh one begins.
    const FIRST: u64 = 1 << 20;
    let place = Place::new();
    place.run("build 5x7 --stones 6").done();
    let problem = Problem::start("5x7".parse().expect("a board"), RuleSet::default());
    let database = Database::from(place.path().join("db"));
    let knowledge = Knowledge::open(database, problem.size, problem.rules, 1 << 20, Trust::None).expect("tables");
    let (game, probe) = (problem.board_rules(), knowledge.select(6));
    let within = |memory| {
        let options = SearchOptions { memory, threads: 1, tuning: Tuning::default() };
        Solver::new(&game, &probe, options).expect("memory")
    };
    // A fresh search alone has four fifths of the memory; beside another one it has a tenth of that memory, as much here.
    let (alone, empty) = (|| within(64 << 20), || within(512 << 20));
    let solve_within = |solver: &mut Solver<'_>, most: u64| {
        let solution = solver.solve(problem.position, SolveScope::POSITION, None, &mut |event| match event {
            SolveEvent::Searching { progress, .. } | SolveEvent::Closing { progress, .. } if progress.nodes > most => {
                Control::Stop
            }
            _ => Control::Continue,
        });
        assert_eq!(solution.expect("no more nodes than that").value, Value::WhiteWins);
    };
    let mut fresh = alone();
    solve_within(&mut fresh, u64::MAX);
    let (nodes, entries) = (fresh.nodes(), fresh.entries().list(Effort::default()).collect::<Vec<_>>());
    let most = 16 * nodes + FIRST;
    for (number, forged) in forged(&entries).iter().enumerate() {
        // Whatever work it claims to hold.
        for claimed in [0, 2 * nodes, u64::MAX].into_iter().skip(number) {
            let mut solver = empty();
            solver.restore(forged);
            solver.search_afresh_beside(claimed);
            solve_within(&mut solver, most);
            assert!(solver.nodes() <= most, "{} nodes after {claimed}, {nodes} without", solver.nodes());
            // What a fresh search has answered first is no reason to lose what a state holds of other questions.
            let kept = solver.entries().list(Effort(u8::MAX)).count();
            assert!(kept >= forged.len() / 2, "{kept} forged entries of {}", forged.len());
        }
        // So does the program.
        let mut solver = empty();
        solver.restore(forged);
        let totals = SearchTotals { nodes: 1, probes: 1, seconds: 1.0 };
        let path = place.path().join("state");
        search::save(&path, problem.subject(SolveScope::POSITION), totals, &solver.entries()).expect("a file");
        let solve = "solve 5x7 --stones 6 --threads 1 --no-proofs --certificate p --checkpoint state --json";
        // A limit holds, and what is not known by then is not claimed.
        let asked = Instant::now();
        let limited = place.run(&format!("{solve} --limit 100ms")).json();
        assert!(asked.elapsed() < Duration::from_secs(20), "{:?}", asked.elapsed());
        let true_values = ["white wins", "white does not lose", "unknown"];
        assert!(true_values.contains(&limited["value"].as_str().expect("a value")), "{limited}");
        search::save(&path, problem.subject(SolveScope::POSITION), totals, &solver.entries()).expect("a file");
        let ran = place.run(solve);
        assert_eq!(ran.json()["value"], "white wins");
    }
    // A true one is of use.
    let mut solver = empty();
    solver.restore(&entries);
    solver.search_afresh_beside(nodes);
    solve_within(&mut solver, most);
    assert!(solver.nodes() < nodes / 10, "{} nodes, {nodes} before", solver.nodes());
}

#[test]
fn a_solve_says_what_is_wrong_with_its_checkpoint_and_leaves_it() {
    let place = Place::new();
    let solve = "solve 5x5 --stones 3 --threads 1 --memory 100M --no-proofs --json --checkpoint state";
    let value = |arguments: &str| place.run(arguments).json()["value"].clone();
    assert_eq!(value(solve), "draw");
    let given_up = place.run(&format!("{solve} --limit 0s"));
    assert!(given_up.err.contains("continues from state"), "{}", given_up.err);
    let good = fs::read(place.path().join("state")).expect("a checkpoint");
    let write = |bytes: &[u8]| fs::write(place.path().join("state"), bytes).expect("a file");
    let refused = |bytes: &[u8]| {
        write(bytes);
        let remedy = if bytes.first().is_none_or(|first| *first == good[0]) { "; delete it" } else { "; move it away" };
        place.run(solve).fails_silently(&["state", remedy]);
        assert_eq!(fs::read(place.path().join("state")).expect("a file"), bytes, "it is not ours to remove");
    };
    for at in [0, 8, 12, good.len() / 2, good.len() - 1] {
        let mut bytes = good.clone();
        bytes[at] ^= 0xff;
        refused(&bytes);
        refused(&good[..at]);
    }
    // Of another board, and of another rule set.
    for (board, stalemate) in [("5x7", "loss"), ("5x5", "draw")] {
        let other = format!("solve {board} --stones 2 --stalemate {stalemate} --limit 0s --checkpoint other");
        place.run(&other).done();
        refused(&fs::read(place.path().join("other")).expect("a checkpoint"));
        fs::remove_file(place.path().join("other")).expect("a file");
    }
    // A search continues from its own, which is then removed; also with other tables, with less memory, and for another position.
    write(&good);
    assert_eq!(value(solve), "draw");
    assert!(!place.has("state"));
    for changed in [solve.replace("--stones 3", "--stones 4"), solve.replace("100M", "2M")] {
        write(&good);
        assert_eq!(value(&changed), "draw", "{changed}");
    }
    let other = ["--position", "1B1B1/2B2/5/1W1W1/2W2 w"];
    let arguments: Vec<&str> = solve.split_whitespace().chain(other).collect();
    let without = place.run_with(&arguments).json()["value"].clone();
    write(&good);
    assert_eq!(place.run_with(&arguments).json()["value"], without);
}

//! The search against the slow oracle: values, lines, certificates, stops and checkpoints.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fanorona::board::{Board, BoardSize};
use fanorona::proof::{NoTables, Refusal, TableUse, check};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{Outcome, Position, RuleSet, Rules, Side, Value, turn_text};
use fanorona::search::{
    self, CheckpointError, Control, Effort, Key, Memory, Mirror, Numbers, SearchOptions, SearchTotals, Solution,
    SolveError, SolveEvent, SolveScope, Solver, TranspositionTable, TtEntry, Tuning,
};
use fanorona::table::{DEFAULT_CACHE_BYTES, NoValues, Probe, Tables, TablesUpTo};
use tempfile::TempDir;

use crate::oracle;
use crate::prover::{oracle_rules, position};

/// Without optimisation the oracle takes ten times as long, and gets fewer positions.
const THOROUGH: bool = !cfg!(debug_assertions);

/// Bytes of the transposition table where nothing else is asked for.
const MEMORY: u64 = 1 << 20;

/// Every option other than by default.
fn other_rules() -> RuleSet {
    RuleSet::from_options([true; 4])
}

fn options(memory: u64, threads: usize) -> SearchOptions {
    SearchOptions { memory, threads, tuning: Tuning::default() }
}

/// Everything that can come up after the start of a board, with the oracle's values.
struct Known {
    size: BoardSize,
    rules: RuleSet,
    values: Arc<oracle::Values>,
}

impl Known {
    fn new(board: &str, rules: RuleSet) -> Self {
        let size: BoardSize = board.parse().expect("a board");
        let start = oracle::start(size.columns(), size.rows());
        Self { size, rules, values: oracle::solve_after(&start, oracle_rules(rules)) }
    }

    fn start(&self) -> String {
        oracle::start(self.size.columns(), self.size.rows())
    }

    fn game(&self) -> Rules<u64> {
        Rules::new(Board::new(self.size, self.rules.diagonals), self.rules)
    }

    /// All positions, always in the same order.
    fn texts(&self) -> Vec<&str> {
        let mut texts: Vec<&str> = self.values.keys().map(String::as_str).collect();
        texts.sort_unstable();
        texts
    }

    /// The start and `count` others.
    fn some(&self, count: usize) -> Vec<String> {
        let (texts, mut random) = (self.texts(), fastrand::Rng::with_seed(5));
        let others = (0..count).map(|_| texts[random.usize(..texts.len())].to_owned());
        [self.start()].into_iter().chain(others).collect()
    }

    /// The value as the colours see it.
    fn value(&self, text: &str) -> Value {
        let white_moves = text.ends_with('w');
        match self.values[text].0 {
            oracle::Value::Draw => Value::Draw,
            oracle::Value::Win if white_moves => Value::WhiteWins,
            oracle::Value::Loss if !white_moves => Value::WhiteWins,
            _ => Value::BlackWins,
        }
    }

    fn solve<P: Probe>(&self, solver: &mut Solver<'_, P>, text: &str) -> Solution {
        // Far longer than any of these takes: a search that goes round in circles fails.
        let begun = Instant::now();
        let solution = solver.solve(position(text), SolveScope::Moves, None, &mut |_| {
            if begun.elapsed() > Duration::from_secs(20) { Control::Stop } else { Control::Continue }
        });
        let solution = solution.unwrap_or_else(|error| panic!("{text}, {}: {error}", self.rules));
        self.compare(text, &solution);
        solution
    }

    /// The same with a solver of its own.
    fn solve_afresh<P: Probe>(&self, game: &Rules<u64>, tables: &P, text: &str, options: SearchOptions) -> Solution {
        self.solve(&mut Solver::new(game, tables, options).expect("memory"), text)
    }

    /// Asserts that the values of a position and of all its moves are the oracle's, and that the answers fit them.
    fn compare(&self, text: &str, solution: &Solution) {
        let (size, rules) = (self.size, self.rules);
        assert_eq!(solution.position, position(text));
        assert_eq!(solution.value, self.value(text), "{text}, {rules}");
        let answers = [solution.questions.white_wins.wins, solution.questions.black_wins.wins];
        assert_eq!(
            answers,
            [Value::WhiteWins, Value::BlackWins].map(|value| Some(value == solution.value)),
            "{text}, {rules}"
        );
        let turns: BTreeSet<_> = oracle::turns(text, oracle_rules(rules)).into_iter().collect();
        let mirror = Mirror::new(self.game().board());
        let image = |after: &Position<u64>| mirror.canonical(after.mover(), after.opponent());
        let mut images = BTreeSet::new();
        for entry in &solution.moves {
            let after = entry.after.to_text(size);
            assert_eq!(entry.value, self.value(&after), "{text}, {rules}, then {after}");
            assert!(turns.contains(&(entry.text.clone(), after)), "{text}, {rules}");
            assert!(images.insert(image(&entry.after)), "{text}: two moves are symmetric to each other");
        }
        let expected: BTreeSet<_> = turns.iter().map(|(_, after)| image(&position(after))).collect();
        assert!(images == expected, "{text}, {rules}: {} of {} moves", images.len(), expected.len());
    }

    /// Asserts that the main line is legal, keeps the value, and comes to the end of what the sets know.
    fn follow<P: Probe>(&self, text: &str, solution: &Solution, tables: &P) {
        let (game, rules) = (self.game(), oracle_rules(self.rules));
        let mirror = Mirror::new(game.board());
        let mut current = text.to_owned();
        let mut lowest = u32::MAX;
        let winner = match solution.value {
            Value::WhiteWins => Some(Side::White),
            Value::BlackWins => Some(Side::Black),
            _ => None,
        };
        let covered = |text: &str| {
            let now = position(text);
            let image = mirror.canonical(now.mover(), now.opponent());
            now.mover() == 0
                || now.opponent() == 0
                || tables.probe(image.mover, image.opponent).expect("tables").exact().is_some()
        };
        for (turn, after) in solution.main_line(&game, 1000) {
            let now = position(&current);
            let after = after.to_text(self.size);
            let turn = (turn_text(self.size, &turn), after.clone());
            assert!(oracle::turns(&current, rules).contains(&turn), "{turn:?} in {current}");
            assert_eq!(self.value(&after), solution.value, "{turn:?} in {current} gives the value away");
            if Some(now.to_move) == winner {
                let rank = solution.won[&mirror.canonical(now.mover(), now.opponent())].rank;
                assert!(rank < lowest, "{text}: rank {lowest}, then {rank} in {current}");
                lowest = rank;
            }
            current = after;
        }
        if winner.is_some() {
            let after = oracle::successors(&current, rules);
            let ended = covered(&current) || after.iter().all(|after| covered(after));
            assert!(ended, "{text}: the line of a win stops in {current}");
        }
    }

    /// Asserts that the certificate of a solution without tables proves it, and no other value.
    fn certify(&self, text: &str, solution: &Solution) {
        let mut certificate = solution.certificate(&self.game(), Vec::new());
        certificate.sort();
        assert_eq!(check(&certificate, &NoTables, |_| ()), Ok(()), "{text}, {}", self.rules);
        assert_eq!(certificate.claims.len(), 1 + solution.moves.len());
        let number = certificate.claims.len() - 1;
        for claim in [0, number] {
            let stated = certificate.claims[claim].value;
            for value in [Value::WhiteWins, Value::Draw, Value::BlackWins] {
                certificate.claims[claim].value = value;
                let accepted = check(&certificate, &NoTables, |_| ());
                assert_eq!(accepted.is_ok(), value == stated, "{text}, {}: {value}", self.rules);
                assert!(matches!(accepted, Ok(()) | Err(Refusal::Claim { .. })), "{accepted:?}");
            }
            certificate.claims[claim].value = stated;
        }
    }
}

/// A database in a temporary folder.
fn build_tables(size: BoardSize, rules: RuleSet, stones: usize) -> (TempDir, Tables) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    build(Goal::values(size, rules, stones), folder.path(), Budget::default()).expect("a build");
    let tables = Tables::open(folder.path(), size, rules, DEFAULT_CACHE_BYTES).expect("tables");
    (folder, tables)
}

fn uses(tables: &Tables) -> Vec<TableUse> {
    let all = tables.folder().tables();
    all.map(|(slice, table)| TableUse { slice, identity: table.header().identity }).collect()
}

// Values

/// Solves those positions with a solver that keeps what it has learnt from one to the next, and one in `afresh` with a
/// solver of its own. Lines and certificates have to be right each time.
fn compare_all<'t, P: Probe>(
    known: &Known,
    game: &Rules<u64>,
    (tables, probe): (Option<&Tables>, &P),
    texts: impl Iterator<Item = &'t str>,
    afresh: usize,
) {
    let mut experienced = Solver::new(game, probe, options(16 * MEMORY, 1)).expect("memory");
    for (number, text) in texts.enumerate() {
        let mut solutions = vec![known.solve(&mut experienced, text)];
        if number % afresh == 0 {
            solutions.push(known.solve_afresh(game, probe, text, options(16 * MEMORY, 1 + number % 2)));
        }
        for solution in &solutions {
            known.follow(text, solution, probe);
            let Some(tables) = tables else {
                known.certify(text, solution);
                continue;
            };
            let mut certificate = solution.certificate(game, uses(tables));
            certificate.sort();
            let checked = check(&certificate, tables, |_| ());
            assert!(checked.is_ok(), "{text}, {}: {checked:?}", known.rules);
            let wrong = if solution.value == Value::Draw { Value::WhiteWins } else { Value::Draw };
            certificate.claims[0].value = wrong;
            assert!(check(&certificate, tables, |_| ()).is_err(), "{text}, {}: {wrong}", known.rules);
        }
    }
}

#[test]
fn every_position_of_3x3_without_tables() {
    for rules in RuleSet::all() {
        let known = Known::new("3x3", rules);
        compare_all(&known, &known.game(), (None, &NoValues), known.texts().into_iter(), 10);
    }
}

#[test]
fn every_position_of_3x3_with_tables() {
    for rules in RuleSet::all() {
        let known = Known::new("3x3", rules);
        let (_folder, tables) = build_tables(known.size, rules, 4);
        for stones in [2, 4] {
            let probe = TablesUpTo { tables: &tables, stones };
            compare_all(&known, tables.rules(), (Some(&tables), &probe), known.texts().into_iter(), 20);
        }
    }
}

/// The start and some other positions, without tables and with them.
fn compare_some(board: &str, rules: RuleSet, count: usize) {
    let known = Known::new(board, rules);
    let texts = known.some(count);
    compare_all(&known, &known.game(), (None, &NoValues), texts.iter().map(String::as_str), 10);
    let (_folder, tables) = build_tables(known.size, rules, 4);
    let probe = TablesUpTo { tables: &tables, stones: 4 };
    compare_all(&known, tables.rules(), (Some(&tables), &probe), texts.iter().map(String::as_str), 10);
}

#[test]
fn positions_of_3x5() {
    compare_some("3x5", RuleSet::default(), if THOROUGH { 200 } else { 20 });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn positions_of_3x5_under_other_rules() {
    compare_some("3x5", other_rules(), 200);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn positions_of_5x3() {
    compare_some("5x3", RuleSet::default(), 200);
}

#[test]
fn any_number_of_threads_gives_the_same_values() {
    let known = Known::new("3x3", RuleSet::default());
    let game = known.game();
    for text in known.texts().into_iter().step_by(25) {
        for threads in [0, 1, 2, 4] {
            let solution = known.solve_afresh(&game, &NoValues, text, options(MEMORY, threads));
            known.certify(text, &solution);
        }
    }
    let known = Known::new("3x5", RuleSet::default());
    let game = known.game();
    for text in known.some(if THOROUGH { 8 } else { 2 }) {
        for threads in [0, 1, 2, 4] {
            let solution = known.solve_afresh(&game, &NoValues, &text, options(16 * MEMORY, threads));
            known.certify(&text, &solution);
        }
    }
}

#[test]
fn a_tiny_table_costs_time_and_no_values() {
    for rules in [RuleSet::default(), other_rules()] {
        let known = Known::new("3x3", rules);
        let game = known.game();
        for (number, text) in known.texts().into_iter().enumerate().step_by(15) {
            let solution = known.solve_afresh(&game, &NoValues, text, options(4096, 1 + number % 2));
            known.certify(text, &solution);
        }
    }
}

/// Entries of the table which claim that neither side can win any of the positions that come up in two turns.
fn false_entries(game: &Rules<u64>, text: &str) -> Vec<(Key, TtEntry)> {
    let mirror = Mirror::new(game.board());
    let firsts = game.turns(&position(text)).into_iter().map(|(_, after)| after);
    let seconds = firsts.flat_map(|first| game.turns(&first).into_iter().map(|(_, after)| after));
    let claim = |after: Position<u64>, attacker_moves: bool| {
        let numbers = Numbers::of(!attacker_moves);
        let key = mirror.canonical(after.mover(), after.opponent()).key(attacker_moves);
        (key, TtEntry::new(numbers, Effort::of(1000)))
    };
    seconds.flat_map(|after| [claim(after, true), claim(after, false)]).collect()
}

#[test]
fn false_disproofs_are_found_out_when_sets_are_closed() {
    let known = Known::new("3x3", RuleSet::default());
    let game = known.game();
    // With a search where the table does not know a reply, and with as good as none.
    for repair in [2048, 1] {
        let tuning = Tuning { repair, ..Tuning::default() };
        let (mut refuted, mut reopened, mut asked_again) = (0, 0, 0);
        for text in known.texts().into_iter().step_by(5) {
            let options = SearchOptions { tuning, ..options(MEMORY, 1) };
            let mut solver = Solver::new(&game, &NoValues, options).expect("memory");
            solver.restore(&false_entries(&game, text));
            let solution = known.solve(&mut solver, text);
            known.certify(text, &solution);
            refuted += solution.repairs.refuted;
            reopened += solution.repairs.reopened;
            asked_again += solution.asked_again;
        }
        let counts = format!("{refuted} refuted, {reopened} reopened, {asked_again} asked again");
        assert!(refuted > 0 && asked_again > 0 && (reopened > 0) == (repair == 1), "{counts}");
    }
}

#[test]
fn a_set_that_takes_too_long_to_close_is_given_up_with_its_question() {
    let known = Known::new("3x3", RuleSet::default());
    let (game, start) = (known.game(), position(&known.start()));
    let mut solver = Solver::new(&game, &NoValues, options(MEMORY, 1)).expect("memory");
    let limit = Some(Duration::from_secs(5));
    let mut closings = 0;
    let solution = solver.solve(start, SolveScope::Position, limit, &mut |event| {
        if let SolveEvent::Closing { progress, .. } = event {
            assert!(progress.nodes > 0 && progress.entries.fill() > 0.0);
            closings += 1;
            if closings == 2 {
                std::thread::sleep(Duration::from_secs(10));
            }
        }
        Control::Continue
    });
    let solution = solution.expect("a solution");
    assert_eq!((solution.questions.white_wins.wins, solution.value), (None, Value::WhiteDoesNotLose));
    // Another time there is no such delay, and nothing is given up.
    known.solve(&mut solver, &known.start());
}

#[test]
fn a_solve_without_moves_answers_as_little_as_it_can() {
    let known = Known::new("3x3", RuleSet::default());
    let game = known.game();
    let start = known.start();
    let mut solver = Solver::new(&game, &NoValues, options(MEMORY, 1)).expect("memory");
    let solution =
        solver.solve(position(&start), SolveScope::Position, None, &mut |_| Control::Continue).expect("a solution");
    assert!(solution.moves.is_empty());
    assert_eq!(solution.value, Value::WhiteWins);
    assert!(
        solver.nodes() > 0
            && solution.questions.white_wins.nodes > 0
            && solution.questions.white_wins.nodes <= solver.nodes()
    );
    // One side's win settles the other's question.
    assert_eq!(solution.questions.black_wins, search::Answer { wins: Some(false), ..search::Answer::default() });
    let certificate = solution.certificate(&game, Vec::new());
    assert_eq!((certificate.claims.len(), certificate.claims[0].value), (1, Value::WhiteWins));
}

#[test]
fn a_panic_of_the_observer_ends_the_search() {
    let size: BoardSize = "7x7".parse().expect("a board");
    let game = Rules::new(Board::new(size, RuleSet::default().diagonals), RuleSet::default());
    let mut solver = Solver::new(&game, &NoValues, options(16 * MEMORY, 2)).expect("memory");
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        solver
            .solve(Position::start(size), SolveScope::Position, None, &mut |_| panic!("an observer that cannot go on"))
    }));
    assert!(result.is_err());
}

#[test]
fn a_search_without_threads_stops_when_its_observer_says_so() {
    let size: BoardSize = "7x7".parse().expect("a board");
    let game = Rules::new(Board::new(size, RuleSet::default().diagonals), RuleSet::default());
    let mut solver = Solver::new(&game, &NoValues, options(16 * MEMORY, 0)).expect("memory");
    let result = solver.solve(Position::start(size), SolveScope::Position, None, &mut |_| Control::Stop);
    assert!(matches!(result, Err(SolveError::Stopped)) && solver.nodes() > 0);
}

// Stops and checkpoints

/// Solves until the observer has been called that often.
fn solve_until<P: Probe>(solver: &mut Solver<'_, P>, text: &str, calls: usize) -> Result<Solution, SolveError> {
    let mut left = calls;
    solver.solve(position(text), SolveScope::Moves, None, &mut |_| {
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
            let (before, entries) = search::load(&path, known.size, known.rules).expect("a checkpoint");
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
        search::save(&path, known.size, known.rules, done, &solver.entries()).expect("a file");
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
        let result = solver.solve(Position::start(size), SolveScope::Position, None, &mut |event| {
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
    let result = solver.solve(Position::start(size), SolveScope::Position, None, &mut |event| {
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

#[test]
fn a_question_can_be_asked_alone() {
    let known = Known::new("3x3", RuleSet::default());
    let game = known.game();
    let mut seen = BTreeSet::new();
    for text in known.texts().into_iter().step_by(25) {
        let value = known.value(text);
        for side in [Side::White, Side::Black] {
            let mut solver = Solver::new(&game, &NoValues, options(MEMORY, 1)).expect("memory");
            let mut on_event = |event: &SolveEvent<'_>| {
                let wrong = matches!(event, SolveEvent::Searching { side: asked, turn, .. } if *asked != side || turn.is_some());
                assert!(!wrong, "{text}");
                Control::Continue
            };
            let solution =
                solver.solve(position(text), SolveScope::Question(side), None, &mut on_event).expect("a solution");
            let own = if side == Side::White { Value::WhiteWins } else { Value::BlackWins };
            assert_eq!(solution.answer(side).wins, Some(value == own), "{text}, {side:?}");
            // A win answers the other question too; nothing else does.
            let other = (value == own).then_some(false);
            assert_eq!(solution.answer(side.other()).wins, other, "{text}, {side:?}");
            assert_eq!(solution.is_complete(), value == own);
            let mut certificate = solution.certificate(&game, Vec::new());
            certificate.sort();
            assert_eq!(check(&certificate, &NoTables, |_| ()), Ok(()), "{text}, {side:?}");
            let claimed = match (value == own, side) {
                (true, Side::White) => Value::WhiteWins,
                (true, Side::Black) => Value::BlackWins,
                (false, Side::White) => Value::BlackDoesNotLose,
                (false, Side::Black) => Value::WhiteDoesNotLose,
            };
            assert_eq!((certificate.claims.len(), certificate.claims[0].value), (1, claimed), "{text}");
            seen.insert((format!("{value}"), format!("{side:?}")));
        }
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
}

/// Questions are given up one after another; what is said of them is true, closes, and becomes more with time.
#[test]
fn what_is_known_at_the_limit_is_proved() {
    let size: BoardSize = "5x5".parse().expect("a board");
    let game = Rules::new(Board::new(size, RuleSet::default().diagonals), RuleSet::default());
    let mut solver = Solver::new(&game, &NoValues, options(256 * MEMORY, 2)).expect("memory");
    let start = Position::start(size);
    let mut bounds = Vec::new();
    let limit = Some(Duration::ZERO);
    for round in 0.. {
        assert!(round < 1000, "no progress: {bounds:?}");
        let solution =
            solver.solve(start, SolveScope::Position, limit, &mut |_| Control::Continue).expect("a solution");
        assert_eq!(solution.is_complete(), solution.value.is_exact());
        let parts = [Side::White, Side::Black].map(|side| solution.value.bounds(side).least);
        // The value of 5x5 is published.
        assert!(!parts.contains(&Outcome::Win), "{}", solution.value);
        let answers = [solution.questions.black_wins.wins, solution.questions.white_wins.wins];
        assert_eq!(parts.map(|part| part != Outcome::Loss), answers.map(|answer| answer == Some(false)));
        assert!(solution.is_complete() || solution.main_line(&game, 10).is_empty());
        let mut certificate = solution.certificate(&game, Vec::new());
        certificate.sort();
        match solution.value {
            Value::Unknown => assert!(certificate.claims.is_empty() && certificate.safe.is_empty()),
            _ => check(&certificate, &NoTables, |_| ()).expect("a proof"),
        }
        bounds.push(solution.value);
        if solution.is_complete() {
            break;
        }
    }
    bounds.dedup();
    assert!(bounds.len() > 1, "{bounds:?}: never given up");
    assert_eq!(bounds.last(), Some(&Value::Draw));
    // Its moves as well, by the same rule.
    let solution = solver.solve(start, SolveScope::Moves, limit, &mut |_| Control::Continue).expect("a solution");
    assert_eq!(solution.value, Value::Draw);
    let wins = |entry: &search::MoveValue| entry.value.bounds(Side::White).least == Outcome::Win;
    assert!(solution.moves.len() > 2 && !solution.moves.iter().any(wins));
    let mut certificate = solution.certificate(&game, Vec::new());
    certificate.sort();
    check(&certificate, &NoTables, |_| ()).expect("a proof");
}

#[test]
fn a_value_is_what_its_answers_say() {
    let answers = [None, Some(false), Some(true)];
    for (white, black) in answers.into_iter().flat_map(|white| answers.map(|black| (white, black))) {
        let value = Value::of(white, black);
        let holds = |wins: Option<bool>, other_wins: Option<bool>| match (wins, other_wins) {
            (Some(true), _) => Outcome::Win,
            (_, Some(false)) => Outcome::Draw,
            _ => Outcome::Loss,
        };
        if (white, black) != (Some(true), Some(true)) {
            assert_eq!(value.bounds(Side::White).least, holds(white, black), "{value}");
            assert_eq!(value.bounds(Side::Black).least, holds(black, white), "{value}");
        }
        for side in [Side::White, Side::Black] {
            assert_eq!(Value::of_bounds(value.bounds(side), side), value);
            assert_eq!(value.bounds(side).reversed(), value.bounds(side.other()));
        }
        let known = white == Some(true) || black == Some(true) || (white.is_some() && black.is_some());
        assert_eq!(value.is_exact(), known, "{value}");
    }
}

/// A checkpoint of 3x3, and its bytes.
fn checkpoint(path: &Path) -> (Known, Vec<u8>) {
    let known = Known::new("3x3", RuleSet::default());
    let game = known.game();
    let mut solver = Solver::new(&game, &NoValues, options(MEMORY, 1)).expect("memory");
    known.solve(&mut solver, &known.start());
    let done = SearchTotals { nodes: solver.nodes(), probes: 7, seconds: 1.25 };
    search::save(path, known.size, known.rules, done, &solver.entries()).expect("a file");
    let bytes = fs::read(path).expect("a file");
    (known, bytes)
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("state");
    let (known, bytes) = checkpoint(&path);
    let load = || search::load(&path, known.size, known.rules);
    let whole = load().expect("a checkpoint");
    assert!(whole.1.len() > 20 && whole.0.probes == 7);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "something was left over");
    let refused = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).expect("a file");
        let error = load().err().unwrap_or_else(|| panic!("{what} unnoticed"));
        let text = error.to_string();
        assert!(!matches!(error, CheckpointError::Io { .. }), "{what}: {text}");
        assert!(text.contains("state") && text.contains("; delete it") && !text.contains('\n'), "{text}");
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
}

#[test]
fn a_checkpoint_of_another_search_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("state");
    let (known, _) = checkpoint(&path);
    for rules in RuleSet::all() {
        for board in ["3x3", "3x5", "5x3", "9x5"] {
            let size: BoardSize = board.parse().expect("a board");
            let result = search::load(&path, size, rules);
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
    let result = search::save(&nowhere, known.size, known.rules, SearchTotals::default(), &entries);
    assert!(matches!(result, Err(CheckpointError::Io { .. })));
}

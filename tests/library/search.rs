//! The search against the slow oracle: values, lines and certificates, with tables and without.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fanorona::board::{Board, BoardSize};
use fanorona::knowledge::{Knowledge, Trust};
use fanorona::proof::{NoTables, Refusal, TableUse, check};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{Position, RuleSet, Rules, Side, Value, turn_text};
use fanorona::search::{
    Control, Effort, Key, Mirror, Numbers, SearchOptions, Solution, SolveScope, Solver, TtEntry, Tuning,
};
use fanorona::table::{DEFAULT_CACHE_BYTES, NoValues, Probe, Tables};
use tempfile::TempDir;

use crate::oracle;
use crate::prover::{oracle_rules, position};

/// Without optimisation the oracle takes ten times as long, and gets fewer positions.
const THOROUGH: bool = !cfg!(debug_assertions);

/// Bytes of the transposition table where nothing else is asked for.
pub const MEMORY: u64 = 1 << 20;

/// Every option other than by default.
fn other_rules() -> RuleSet {
    RuleSet::from_options([true; 4])
}

pub fn options(memory: u64, threads: usize) -> SearchOptions {
    SearchOptions { memory, threads, tuning: Tuning::default() }
}

/// Everything that can come up after the start of a board, with the oracle's values.
pub struct Known {
    pub size: BoardSize,
    pub rules: RuleSet,
    values: Arc<oracle::Values>,
}

impl Known {
    pub fn new(board: &str, rules: RuleSet) -> Self {
        let size: BoardSize = board.parse().expect("a board");
        let start = oracle::start(size.columns(), size.rows());
        Self { size, rules, values: oracle::solve_after(&start, oracle_rules(rules)) }
    }

    pub fn start(&self) -> String {
        oracle::start(self.size.columns(), self.size.rows())
    }

    pub fn game(&self) -> Rules<u64> {
        Rules::new(Board::new(self.size, self.rules.diagonals), self.rules)
    }

    /// All positions, always in the same order.
    pub fn texts(&self) -> Vec<&str> {
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
    pub fn value(&self, text: &str) -> Value {
        let white_moves = text.ends_with('w');
        match self.values[text].0 {
            oracle::Value::Draw => Value::Draw,
            oracle::Value::Win if white_moves => Value::WhiteWins,
            oracle::Value::Loss if !white_moves => Value::WhiteWins,
            _ => Value::BlackWins,
        }
    }

    pub fn solve(&self, solver: &mut Solver<'_>, text: &str) -> Solution {
        // Far longer than any of these takes: a search that goes round in circles fails.
        let begun = Instant::now();
        let solution = solver.solve(position(text), SolveScope::MOVES, None, &mut |_| {
            if begun.elapsed() > Duration::from_secs(20) { Control::Stop } else { Control::Continue }
        });
        let solution = solution.unwrap_or_else(|error| panic!("{text}, {}: {error}", self.rules));
        self.compare(text, &solution);
        solution
    }

    /// The same with a solver of its own.
    fn solve_afresh(&self, game: &Rules<u64>, tables: &dyn Probe, text: &str, options: SearchOptions) -> Solution {
        self.solve(&mut Solver::new(game, tables, options).expect("memory"), text)
    }

    /// Asserts that the values of a position and of all its moves are the oracle's, and that the answers fit them.
    pub fn compare(&self, text: &str, solution: &Solution) {
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
        let mirror = Mirror::new(self.game().board().size());
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
    fn follow(&self, text: &str, solution: &Solution, tables: &dyn Probe) {
        let (game, rules) = (self.game(), oracle_rules(self.rules));
        let mirror = Mirror::new(game.board().size());
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
    pub fn certify(&self, text: &str, solution: &Solution) {
        let mut certificate = solution.certificate(&self.game(), Vec::new());
        certificate.sort();
        assert_eq!(check(&certificate, &NoTables, &|_| ()), Ok(()), "{text}, {}", self.rules);
        assert_eq!(certificate.claims.len(), 1 + solution.moves.len());
        let number = certificate.claims.len() - 1;
        for claim in [0, number] {
            let stated = certificate.claims[claim].value;
            for value in [Value::WhiteWins, Value::Draw, Value::BlackWins] {
                certificate.claims[claim].value = value;
                let accepted = check(&certificate, &NoTables, &|_| ());
                assert_eq!(accepted.is_ok(), value == stated, "{text}, {}: {value}", self.rules);
                assert!(matches!(accepted, Ok(()) | Err(Refusal::Claim { .. })), "{accepted:?}");
            }
            certificate.claims[claim].value = stated;
        }
    }
}

/// A database in a temporary folder.
fn build_tables(size: BoardSize, rules: RuleSet, stones: usize) -> (TempDir, Knowledge) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    build(Goal::values(size, rules, stones), folder.path(), Budget::default()).expect("a build");
    let knowledge = Knowledge::open(folder.path(), size, rules, DEFAULT_CACHE_BYTES, Trust::None).expect("tables");
    (folder, knowledge)
}

fn uses(tables: &Tables) -> Vec<TableUse> {
    let all = tables.folder().tables();
    all.map(|(slice, table)| TableUse { slice, identity: table.header().identity }).collect()
}

// Values

/// Solves those positions with a solver that keeps what it has learnt from one to the next, and one in `afresh` with a
/// solver of its own. Lines and certificates have to be right each time.
fn compare_all<'t>(
    known: &Known,
    game: &Rules<u64>,
    (tables, probe): (Option<&Tables>, &dyn Probe),
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
            let checked = check(&certificate, tables, &|_| ());
            assert!(checked.is_ok(), "{text}, {}: {checked:?}", known.rules);
            let wrong = if solution.value == Value::Draw { Value::WhiteWins } else { Value::Draw };
            certificate.claims[0].value = wrong;
            assert!(check(&certificate, tables, &|_| ()).is_err(), "{text}, {}: {wrong}", known.rules);
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
    for (rules, stones) in RuleSet::all().zip([4, 2, 2, 4].into_iter().cycle()) {
        let known = Known::new("3x3", rules);
        let (_folder, knowledge) = build_tables(known.size, rules, 4);
        let source = (Some(knowledge.tables()), &knowledge.select(stones) as &dyn Probe);
        compare_all(&known, knowledge.rules(), source, known.texts().into_iter(), 20);
    }
}

/// The start and some other positions, without tables and with them.
fn compare_some(board: &str, rules: RuleSet, count: usize) {
    let known = Known::new(board, rules);
    let texts = known.some(count);
    compare_all(&known, &known.game(), (None, &NoValues), texts.iter().map(String::as_str), 10);
    let (_folder, knowledge) = build_tables(known.size, rules, 4);
    let source = (Some(knowledge.tables()), &knowledge.select(4) as &dyn Probe);
    compare_all(&known, knowledge.rules(), source, texts.iter().map(String::as_str), 10);
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

/// Wins are lost from a tiny table as fast as they are found: some have to be searched again, and some replies lead in circles.
#[test]
fn a_tiny_table_costs_time_and_no_values() {
    let certify_all = |known: &Known, texts: &[&str], memory| {
        let game = known.game();
        // With enough nodes for most wins that are lost, and with too few at first.
        for (number, (text, repair)) in texts.iter().flat_map(|text| [(text, 2048), (text, 1)]).enumerate() {
            let tuning = Tuning { repair, ..Tuning::default() };
            let options = SearchOptions { tuning, ..options(memory, 1 + number / 2 % 2) };
            let solution = known.solve_afresh(&game, &NoValues, text, options);
            known.certify(text, &solution);
        }
    };
    for rules in [RuleSet::default(), other_rules()] {
        let known = Known::new("3x3", rules);
        certify_all(&known, &known.texts().into_iter().step_by(15).collect::<Vec<_>>(), 4096);
        let known = Known::new("3x5", rules);
        let some = known.some(9);
        certify_all(&known, &some.iter().map(String::as_str).collect::<Vec<_>>(), 8192);
    }
}

/// Entries of the table which claim that neither side can win any of the positions that come up in two turns.
fn false_entries(game: &Rules<u64>, text: &str) -> Vec<(Key, TtEntry)> {
    let mirror = Mirror::new(game.board().size());
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
fn what_strongholds_save_is_proved_all_the_same() {
    for (board, rules, stones) in [("7x3", RuleSet::default(), 4), ("5x3", other_rules(), 2)] {
        let size: BoardSize = board.parse().expect("a board");
        let (_folder, knowledge) = build_tables(size, rules, stones);
        let (tables, probe) = (knowledge.tables(), knowledge.select(stones));
        for threads in [1, 2] {
            let [without, with] = [0, 256].map(|strongholds| {
                let tuning = Tuning { strongholds, ..Tuning::default() };
                let options = SearchOptions { tuning, ..options(256 << 20, threads) };
                let mut solver = Solver::new(tables.rules(), &probe, options).expect("memory");
                let start = Position::start(size);
                let solution = solver.solve(start, SolveScope::MOVES, None, &mut |_| Control::Continue);
                let mut certificate = solution.expect("an answer").certificate(tables.rules(), uses(tables));
                certificate.sort();
                assert!(check(&certificate, tables, &|_| ()).is_ok(), "{board}");
                (certificate.claims, solver.nodes())
            });
            assert_eq!(without.0, with.0, "{board}");
            assert!(with.1 > 256 && (threads > 1 || with.1 != without.1), "{board}: {} and {}", without.1, with.1);
        }
    }
}

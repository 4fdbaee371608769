//! Certificates as a source of values: what they say of every position, when they are used, and how searches rely on them.

use std::fs;
use std::path::{Path, PathBuf};

use fanorona::board::{Board, Symmetry};
use fanorona::knowledge::{Knowledge, Trust, Why, check_certificate, record_path};
use fanorona::proof::{Certificate, ProofError};
use fanorona::report::{LineEnd, answer, line};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{Bounds, Outcome, RuleSet, Rules, Value};
use fanorona::search::{Control, Problem, SolveOptions, Solved as SolveResult, solve};
use fanorona::table::{Metric, Source, file_name, folder_name, known};

use crate::oracle;
use crate::prover::{Solved, position};

const MEMORY: u64 = 256 << 20;

/// A drawn position of 3x3.
const DRAWN: &str = "1B1/1W1/1W1 w";

fn certificates(database: &Path) -> PathBuf {
    let folder = database.join("certificates");
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Writes a certificate into a database, and checks it.
fn add(database: &Path, name: &str, certificate: &mut Certificate) -> PathBuf {
    let file = certificates(database).join(name);
    certificate.write(&file).expect("a file");
    check_certificate(&file, &database.into(), MEMORY, &|_| ()).expect("a proof").recorded.expect("a record");
    file
}

fn open(database: &Path, board: &str, trust: Trust) -> Knowledge {
    Knowledge::open(database, board.parse().expect("a board"), RuleSet::default(), MEMORY, trust).expect("no damage")
}

/// Whether a value is within bounds.
fn holds(bounds: Bounds, value: oracle::Value) -> bool {
    let outcome = match value {
        oracle::Value::Win => Outcome::Win,
        oracle::Value::Draw => Outcome::Draw,
        oracle::Value::Loss => Outcome::Loss,
    };
    bounds.least <= outcome && outcome <= bounds.most
}

/// Slow twin: looks at every position of the sets and at all its images.
fn bounds_by_scan(certificate: &Certificate, mover: u64, opponent: u64) -> Bounds {
    let symmetry = Symmetry::new(certificate.size);
    let is_image = |own, enemy| {
        (0..symmetry.order())
            .any(|element| (symmetry.set(element, own), symmetry.set(element, enemy)) == (mover, opponent))
    };
    let least = if certificate.won.iter().any(|won| is_image(won.mover, won.opponent)) {
        Outcome::Win
    } else if certificate.safe.iter().any(|safe| is_image(safe.mover, safe.opponent)) {
        Outcome::Draw
    } else {
        Outcome::Loss
    };
    Bounds { least, most: Outcome::Win }
}

#[test]
fn a_certificate_says_of_every_position_what_its_sets_and_moves_say() {
    let solved = Solved::everything("3x3", RuleSet::default());
    let rules = Rules::new(Board::new(solved.size, RuleSet::default().diagonals), RuleSet::default());
    let (mut exact, mut bounded, mut open_ones) = (0, 0, 0);
    for root in [&solved.root, DRAWN, "B2/2B/W1W b"] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut certificate = solved.prove_root(root, 0, Vec::new());
        add(folder.path(), "some.proof", &mut certificate);
        let knowledge = open(folder.path(), "3x3", Trust::Checked);
        let mut look_up = |mover, opponent| knowledge.look_up(mover, opponent);
        for (text, &(value, _)) in solved.values.iter() {
            let here = position(text);
            if here.white == 0 || here.black == 0 {
                continue;
            }
            let (mover, opponent) = (here.mover(), here.opponent());
            let found = look_up(mover, opponent).expect("no damage");
            let bounds = found.as_ref().map_or(Bounds::UNKNOWN, |found| found.bounds);
            assert_eq!(bounds, bounds_by_scan(&certificate, mover, opponent), "{text}");
            assert!(found.is_none_or(|found| found.source == Source::Proof("some.proof".into())));
            // With the moves, by definition: the best of what is known after each.
            let after =
                rules.turns(&here).into_iter().map(|(_, after)| match rules.ending(after.mover(), after.opponent()) {
                    Some(_) => Bounds::from(Outcome::Win),
                    None => bounds_by_scan(&certificate, after.mover(), after.opponent()).reversed(),
                });
            let after: Vec<Bounds> = after.collect();
            let best = Bounds {
                least: after.iter().map(|after| after.least).max().unwrap_or(Outcome::Loss),
                most: after.iter().map(|after| after.most).max().unwrap_or(Outcome::Loss),
            };
            let known = known(&rules, &here, &mut look_up).expect("no damage").map_or(Bounds::UNKNOWN, |it| it.bounds);
            assert_eq!(known, bounds.and(best), "{text}");
            assert!(holds(known, value), "{text}: {known:?}, and it is {value:?}");
            *match known {
                Bounds::UNKNOWN => &mut open_ones,
                known if known.exact().is_some() => &mut exact,
                _ => &mut bounded,
            } += 1;
        }
        // The root and each move of it are known exactly, and say by what.
        let rating = answer(&rules, &position(root), look_up).expect("no damage");
        assert!(rating.moves.iter().all(|one| one.known.bounds.exact().is_some()), "{rating:?}");
        assert_eq!((rating.known.source, rating.known.proof.as_deref()), (Some("proof"), Some("some.proof")));
    }
    assert!(exact > 500 && bounded > 100 && open_ones > 1000, "{exact} {bounded} {open_ones}");
}

#[test]
fn a_line_in_a_proved_win_goes_on_to_the_end() {
    let solved = Solved::everything("3x3", RuleSet::default());
    let folder = tempfile::tempdir().expect("a folder");
    add(folder.path(), "3x3.proof", &mut solved.prove(0, Vec::new()));
    let knowledge = open(folder.path(), "3x3", Trust::Checked);
    let rules = knowledge.rules();
    let found =
        line(rules, &position(&solved.root), |mover, opponent| knowledge.look_up(mover, opponent)).expect("no damage");
    assert_eq!((found.end, found.known.value, found.known.dtw), (LineEnd::Over, "win", None));
    let last = position(&found.line.last().expect("moves").position);
    assert_eq!((last.black, found.line.len() % 2), (0, 1));
    // Neither side wins a draw; its line stays in both proofs until a position repeats.
    add(folder.path(), "drawn.proof", &mut solved.prove_root(DRAWN, 0, Vec::new()));
    let knowledge = open(folder.path(), "3x3", Trust::Checked);
    let found = line(rules, &position(DRAWN), |mover, opponent| knowledge.look_up(mover, opponent)).expect("no damage");
    assert_eq!((found.end, found.known.value), (LineEnd::Repetition, "draw"));
}

/// Why the only certificate is not used.
fn why(knowledge: &Knowledge) -> &Why {
    assert!(knowledge.proofs().proofs().is_empty());
    let [unused] = knowledge.proofs().unused() else { panic!("{:?}", knowledge.proofs().unused()) };
    &unused.why
}

#[test]
fn a_certificate_is_used_only_if_it_is_checked_whole_and_of_these_rules_and_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path();
    let problem = Problem::start("3x5".parse().expect("a board"), RuleSet::default());
    build(Goal::values(problem.size, problem.rules, 4), database, Budget::default()).expect("tables");
    let file = certificates(database).join("3x5.proof");
    let mut options = SolveOptions::new(database, 4, MEMORY);
    options.certificate = Some(file.clone());
    solve(&problem, &options, &mut |_| Control::Continue).expect("a solution");
    let start = |trust| open(database, "3x5", trust).proofs().bounds(problem.position.white, problem.position.black);

    // Unchecked: only with trust.
    assert!(matches!(why(&open(database, "3x5", Trust::Checked)), Why::Unchecked));
    assert_eq!((start(Trust::Checked), start(Trust::None)), (Bounds::UNKNOWN, Bounds::UNKNOWN));
    assert_eq!(start(Trust::All), Outcome::Win.into());
    check_certificate(&file, &database.into(), MEMORY, &|_| ()).expect("a proof").recorded.expect("a record");
    assert_eq!(start(Trust::Checked), Outcome::Win.into());
    // Of no interest to another board, and not usable under other rules.
    assert!(open(database, "5x3", Trust::Checked).proofs().unused().is_empty());
    let rules = RuleSet { stalemate: fanorona::rules::Stalemate::Draw, ..RuleSet::default() };
    let other = Knowledge::open(database, problem.size, rules, MEMORY, Trust::All).expect("no damage");
    assert!(matches!(why(&other), Why::OtherRules(of) if *of == RuleSet::default()));

    // Checked by an older checker.
    let record = fs::read_to_string(record_path(&file)).expect("a record");
    fs::write(record_path(&file), record.replace("checker 1", "checker 0")).expect("a file");
    assert!(matches!(why(&open(database, "3x5", Trust::Checked)), Why::Unchecked));
    fs::write(record_path(&file), &record).expect("a file");

    // Replaced by another: its record is that of the one before.
    let before = fs::read(&file).expect("a certificate");
    let mut other = Certificate::read(&file).expect("a certificate");
    other.claims.truncate(1);
    other.claims[0].value = Value::WhiteDoesNotLose;
    other.write(&file).expect("a file");
    assert!(matches!(why(&open(database, "3x5", Trust::Checked)), Why::Unchecked));
    // Damaged, cut short, or no certificate at all: not even with trust.
    let mut damaged = before.clone();
    damaged[60] ^= 1;
    for bytes in [&damaged, &before[..40], &before[..before.len() - 1], b"nothing".as_slice()] {
        fs::write(&file, bytes).expect("a file");
        assert!(matches!(why(&open(database, "3x5", Trust::All)), Why::Unusable(_)));
    }
    // A record with the identity at the end of the file does not cover a damaged content.
    fs::write(&file, &damaged).expect("a file");
    assert!(matches!(why(&open(database, "3x5", Trust::Checked)), Why::Unusable(_)));
    // A file without a record is not decoded.
    fs::write(&file, [&damaged[..damaged.len() - 16], &[7; 16]].concat()).expect("a file");
    assert!(matches!(why(&open(database, "3x5", Trust::Checked)), Why::Unchecked));
    fs::write(&file, &before).expect("a file");
    assert_eq!(start(Trust::Checked), Outcome::Win.into());

    // A table that it uses is missing or different.
    let table = database
        .join(folder_name(problem.size, problem.rules))
        .join(file_name(fanorona::Slice::new(2, 2), Metric::Wdl));
    let bytes = fs::read(&table).expect("a table");
    fs::remove_file(&table).expect("a table");
    let knowledge = open(database, "3x5", Trust::All);
    assert!(matches!(why(&knowledge), Why::Unusable(ProofError::MissingTable { .. })));
    // A record that is enough by itself takes the table as it was then.
    assert_eq!((start(Trust::Checked), start(Trust::Recorded)), (Bounds::UNKNOWN, Outcome::Win.into()));
    fs::remove_file(record_path(&file)).expect("a record");
    assert!(matches!(why(&open(database, "3x5", Trust::Recorded)), Why::Unchecked));
    let mut other = Certificate::read(&file).expect("a certificate");
    other.tables.iter_mut().for_each(|used| used.identity ^= 1);
    other.write(&file).expect("a file");
    let identity = |file: &[u8]| format!("{:032x}", u128::from_le_bytes(*file.last_chunk().expect("an identity")));
    assert!(record.contains(&identity(&before)));
    let of_other = record.replace(&identity(&before), &identity(&fs::read(&file).expect("a certificate")));
    fs::write(record_path(&file), of_other).expect("a file");
    assert!(matches!(why(&open(database, "3x5", Trust::Recorded)), Why::Unusable(ProofError::OtherTable { .. })));
    fs::write(&table, bytes).expect("a file");
    assert!(matches!(why(&open(database, "3x5", Trust::All)), Why::Unusable(ProofError::OtherTable { .. })));
    // What is refused loses its record.
    let mut wrong = Certificate::read(&file).expect("a certificate");
    wrong.tables.iter_mut().for_each(|used| used.identity ^= 1);
    wrong.claims[0].value = Value::BlackWins;
    wrong.write(&file).expect("a file");
    assert!(record_path(&file).exists());
    check_certificate(&file, &database.into(), MEMORY, &|_| ()).expect_err("a wrong claim");
    assert!(!record_path(&file).exists());
}

#[test]
fn solves_take_proofs_as_given_and_write_them_out() {
    let rules = RuleSet::default();
    for (board, stones) in [("3x5", 0), ("3x5", 4), ("5x5", 6)] {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path();
        let start = Problem::start(board.parse().expect("a board"), rules);
        if stones > 0 {
            build(Goal::values(start.size, rules, stones), database, Budget::default()).expect("tables");
        }
        let run = |problem: &Problem, name: &str, trust| -> SolveResult {
            let mut options = SolveOptions::new(database, stones, MEMORY);
            let file = certificates(database).join(name);
            (options.certificate, options.proofs) = (Some(file.clone()), trust);
            let solved = solve(problem, &options, &mut |_| Control::Continue).expect("a solution");
            check_certificate(&file, &database.into(), MEMORY, &|_| ()).expect("a proof").recorded.expect("a record");
            solved
        };
        let first = run(&start, "start.proof", Trust::None);
        let board_rules = start.board_rules();
        for (number, (_, position)) in board_rules.turns(&start.position).into_iter().enumerate() {
            let problem = Problem { position, ..start };
            let afresh = run(&problem, "afresh.proof", Trust::None);
            fs::remove_file(certificates(database).join("afresh.proof")).expect("a file");
            let name = format!("after {number}.proof");
            let with = run(&problem, &name, Trust::Checked);
            assert_eq!(with.solution.value, afresh.solution.value, "{board}");
            // The certificate stands alone.
            let certificate = Certificate::read(&certificates(database).join(&name)).expect("a certificate");
            certificate.prove(&database.into(), MEMORY, &|_| ()).expect("a proof");
            fs::remove_file(certificates(database).join(&name)).expect("a file");
        }
        // The start itself costs nothing, and its certificate loses no claim.
        let file = certificates(database).join("start.proof");
        let before = Certificate::read(&file).expect("a certificate").claims;
        let again = run(&start, "start.proof", Trust::Checked);
        let after = Certificate::read(&file).expect("a certificate").claims;
        assert!(before.iter().all(|claim| after.contains(claim)), "{before:?} {after:?}");
        assert_eq!(again.solution.value, first.solution.value);
        assert!(again.totals.nodes <= 2 && first.totals.nodes > 20, "{} {}", again.totals.nodes, first.totals.nodes);
    }
}

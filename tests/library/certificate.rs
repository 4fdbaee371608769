//! Certificates: what is proved is accepted, and nothing else; what is refused is named.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fanorona::board::{BoardSize, Symmetry};
use fanorona::index::Slice;
use fanorona::proof::{
    Certificate, Claim, Entry, Flaw, Lack, Malformed, NoTables, ProofError, Ranked, Refusal, TableUse, canonical,
    check, compare_tables, replies,
};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{Outcome, Position, RuleSet, Side, Stalemate, Value as Claimed};
use fanorona::table::{DEFAULT_CACHE_BYTES, Tables};
use fanorona::verify::Values;

use crate::oracle::{self, Value};
use crate::prover::{self, Definition, Solved, position};

/// Default rules, and each option in turn the other way.
fn some_rules() -> impl Iterator<Item = RuleSet> {
    RuleSet::all().filter(|rules| rules.differing().count() <= 1)
}

/// What is solved once for all tests: a board, and whether every position of it or those after the start.
type Known = BTreeMap<(&'static str, bool, RuleSet), Arc<Solved>>;

fn solved(board: &'static str, everything: bool, rules: RuleSet) -> Arc<Solved> {
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let solve = || if everything { Solved::everything(board, rules) } else { Solved::start(board, rules) };
    known.entry((board, everything, rules)).or_insert_with(|| Arc::new(solve())).clone()
}

/// Every position of 3x3.
fn everything(rules: RuleSet) -> Arc<Solved> {
    solved("3x3", true, rules)
}

/// A drawn position of the ICGA page.
const DRAWN: &str = "1B1/1W1/1W1 w";

/// Checks a certificate; returns where it fails first, in the form of [`Definition::first_flaw`], and why.
fn verdict(certificate: &Certificate) -> Option<((&'static str, String), Flaw)> {
    match check(certificate, &NoTables, |_| ()) {
        Ok(()) => None,
        Err(Refusal::Position { set, position, flaw }) => Some(((set, position), flaw)),
        Err(Refusal::Claim { number, flaw, .. }) => Some((("claim", number.to_string()), flaw)),
        Err(refusal) => panic!("{refusal}"),
    }
}

/// Refusals take one line that says where, why, and what to do.
fn check_text(refusal: &impl ToString) {
    let text = refusal.to_string();
    assert!(!text.contains('\n') && text.ends_with("write a new certificate"), "{text}");
    assert!(text.contains(" is not proved: "), "{text}");
}

fn accept(certificate: &Certificate) {
    let heard = AtomicU64::new(0);
    let result = check(certificate, &NoTables, |count| {
        heard.fetch_add(count, Ordering::Relaxed);
    });
    assert_eq!(result, Ok(()));
    assert_eq!(heard.into_inner(), (certificate.safe.len() + certificate.won.len()) as u64);
}

/// Writes, reads, and compares.
fn write_and_read(certificate: &mut Certificate) -> Certificate {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("proof.fan");
    let length = certificate.write(&path).expect("a file");
    assert_eq!(std::fs::metadata(&path).expect("a file").len(), length);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "something was left over");
    let read = Certificate::read(&path).expect("a certificate");
    assert_eq!(&read, certificate);
    read
}

// What is proved

fn prove_start(board: &'static str, rules: RuleSet) {
    let solved = solved(board, false, rules);
    let mut certificate = solved.prove(0, Vec::new());
    assert!(certificate.claims.len() > 1 && !(certificate.safe.is_empty() && certificate.won.is_empty()));
    accept(&write_and_read(&mut certificate));
}

#[test]
fn starts_of_3x3_under_all_rules() {
    RuleSet::all().for_each(|rules| prove_start("3x3", rules));
    let certificate = Solved::start("3x3", RuleSet::default()).prove(0, Vec::new());
    assert_eq!(certificate.claims[0], Claim { position: position("BBB/B1W/WWW w"), value: Claimed::WhiteWins });
    assert!(certificate.won.iter().any(|won| won.rank > 1), "a win that takes a while");
}

#[test]
fn the_start_of_3x5_under_several_rules() {
    some_rules().for_each(|rules| prove_start("3x5", rules));
}

#[test]
fn the_start_of_5x3() {
    prove_start("5x3", RuleSet::default());
}

#[test]
fn every_position_of_small_boards_under_all_rules() {
    let mut stalemates = 0;
    for board in ["3x3", "1x5", "5x1", "1x3"] {
        for rules in RuleSet::all() {
            let solved = solved(board, true, rules);
            let mut certificate = solved.prove_everything();
            assert_eq!(Definition::new(&solved).first_flaw(&certificate), None);
            assert!(Definition::new(&solved).is_true(&certificate));
            certificate.claims = solved.values.keys().map(|text| claim_of(&solved, text)).collect();
            accept(&write_and_read(&mut certificate));
            let board = fanorona::board::Board::new(certificate.size, rules.diagonals);
            let none = |entry: &&Entry| replies(&board, rules, entry.mover, entry.opponent).is_empty();
            let here = certificate.safe.iter().filter(none).count();
            assert!(here == 0 || rules.stalemate == Stalemate::Draw);
            stalemates += here;
        }
    }
    assert!(stalemates > 0, "no drawn stalemate among them");
}

fn claim_of(solved: &Solved, text: &str) -> Claim {
    Claim { position: position(text), value: solved.claimed(text) }
}

#[test]
fn a_drawn_position() {
    let solved = Solved::new(DRAWN, RuleSet::default());
    let certificate = solved.prove(0, Vec::new());
    assert_eq!(certificate.claims[0].value, Claimed::Draw);
    assert!(!certificate.safe.is_empty());
    accept(&certificate);
}

#[test]
fn finished_games_are_claimed_without_any_position() {
    let claim = |text, value| Certificate {
        size: "3x3".parse().expect("a board"),
        rules: RuleSet::default(),
        tables: Vec::new(),
        claims: vec![Claim { position: position(text), value }],
        safe: Vec::new(),
        won: Vec::new(),
    };
    for text in ["3/3/W2 w", "3/3/W2 b"] {
        for value in [Claimed::WhiteWins, Claimed::WhiteDoesNotLose] {
            accept(&claim(text, value));
        }
        for value in [Claimed::BlackWins, Claimed::Draw, Claimed::BlackDoesNotLose] {
            let ((place, number), flaw) = verdict(&claim(text, value)).expect("a refusal");
            assert_eq!((place, number.as_str()), ("claim", "1"));
            assert_eq!(flaw, Flaw::Here(Lack::NoStones));
        }
    }
}

// What is refused

/// The certificates that are tampered with, with the solved positions behind them.
fn specimens() -> Vec<(Arc<Solved>, Certificate)> {
    let mut specimens = Vec::new();
    for rules in [RuleSet::default(), RuleSet::from_options([false, false, false, true])] {
        let solved = everything(rules);
        for root in [oracle::start(3, 3).as_str(), DRAWN] {
            let mut certificate = solved.prove_root(root, 0, Vec::new());
            certificate.sort();
            specimens.push((solved.clone(), certificate));
        }
    }
    specimens
}

/// The checker must agree with the definition; returns whether it refuses.
fn refuses(definition: &Definition<'_>, certificate: &Certificate) -> bool {
    let found = verdict(certificate);
    assert_eq!(found.as_ref().map(|(place, _)| place), definition.first_flaw(certificate).as_ref(), "{found:?}");
    assert!(found.is_some() || definition.is_true(certificate), "something false was accepted");
    if found.is_some() {
        check_text(&check(certificate, &NoTables, |_| ()).expect_err("the same refusal"));
    }
    found.is_some()
}

#[test]
fn every_other_reply() {
    let (mut refused, mut lucky) = (0, 0);
    for (solved, certificate) in specimens() {
        let definition = Definition::new(&solved);
        let board = fanorona::board::Board::new(certificate.size, certificate.rules.diagonals);
        let mut count = |changed: &Certificate| {
            *(if refuses(&definition, changed) { &mut refused } else { &mut lucky }) += 1;
        };
        for index in 0..certificate.safe.len() {
            let entry = certificate.safe[index];
            let replies = replies(&board, certificate.rules, entry.mover, entry.opponent).len();
            for reply in (0..replies + 3).map(|reply| u32::try_from(reply).unwrap()).chain([u32::MAX]) {
                let mut changed = certificate.clone();
                changed.safe[index].reply = reply;
                if reply != entry.reply {
                    count(&changed);
                }
                if reply as usize >= replies.max(1) {
                    let (_, flaw) = verdict(&changed).expect("a refusal");
                    assert_eq!(flaw, Flaw::NoSuchReply { reply, replies });
                }
            }
        }
        for index in 0..certificate.won.len() {
            let won = certificate.won[index];
            let replies = replies(&board, certificate.rules, won.mover, won.opponent).len();
            for reply in 0..u32::try_from(replies).unwrap() + 2 {
                let mut changed = certificate.clone();
                changed.won[index].reply = reply;
                if reply != won.reply {
                    count(&changed);
                }
            }
        }
    }
    assert!(refused > 100 && lucky > 0, "{refused} {lucky}");
}

#[test]
fn every_missing_position() {
    for (solved, certificate) in specimens() {
        let definition = Definition::new(&solved);
        for index in 0..certificate.safe.len() {
            let mut changed = certificate.clone();
            changed.safe.remove(index);
            assert!(refuses(&definition, &changed));
        }
        for index in 0..certificate.won.len() {
            let mut changed = certificate.clone();
            changed.won.remove(index);
            assert!(refuses(&definition, &changed));
        }
    }
}

#[test]
fn ranks_that_do_not_fall() {
    let mut seen = 0;
    for (solved, certificate) in specimens() {
        let definition = Definition::new(&solved);
        let mut all_same = certificate.clone();
        all_same.won.iter_mut().for_each(|won| won.rank = 7);
        let quick = certificate.won.iter().all(|won| won.rank == 1);
        assert_eq!(refuses(&definition, &all_same), !quick);
        for index in 0..certificate.won.len() {
            for rank in [0, 1, certificate.won[index].rank + 1, u32::MAX - 1, u32::MAX] {
                let mut changed = certificate.clone();
                changed.won[index].rank = rank;
                refuses(&definition, &changed);
                if let Some((_, Flaw::Turn { lack: Lack::Rank { found, below }, .. })) = verdict(&changed) {
                    assert!(found >= below && (found == rank || below == rank));
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

/// Two drawn positions that claim to be won by depending on each other; only ranks show that this is no proof.
#[test]
fn wins_in_a_circle() {
    let solved = Solved::new(DRAWN, RuleSet::default());
    let mut certificate = solved.prove(0, Vec::new());
    let safe = std::mem::take(&mut certificate.safe);
    let as_won = |entry: Entry| Ranked { mover: entry.mover, opponent: entry.opponent, reply: entry.reply, rank: 5 };
    certificate.won.extend(safe.into_iter().map(as_won));
    certificate.claims = vec![Claim { position: position(DRAWN), value: Claimed::WhiteWins }];
    certificate.sort();
    let (_, flaw) = verdict(&certificate).expect("a refusal");
    assert!(matches!(flaw, Flaw::Turn { lack: Lack::Rank { .. }, .. }), "{flaw}");
    let definition = Definition::new(&solved);
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        certificate.won.iter_mut().for_each(|won| won.rank = random.u32(..));
        assert!(refuses(&definition, &certificate));
    }
}

#[test]
fn every_claim_is_accepted_if_it_is_true() {
    for (solved, certificate) in specimens() {
        let definition = Definition::new(&solved);
        for index in 0..certificate.claims.len() {
            for value in [
                Claimed::WhiteWins,
                Claimed::BlackWins,
                Claimed::Draw,
                Claimed::WhiteDoesNotLose,
                Claimed::BlackDoesNotLose,
            ] {
                let mut changed = certificate.clone();
                changed.claims[index].value = value;
                assert_eq!(refuses(&definition, &changed), !definition.is_true(&changed));
            }
            // The other side to move, or the colours exchanged: another position, of which less is known.
            let mut changed = certificate.clone();
            let Position { white, black, to_move } = changed.claims[index].position;
            changed.claims[index].position = Position { white: black, black: white, to_move };
            if solved.values.contains_key(&changed.claims[index].position.to_text(solved.size)) {
                refuses(&definition, &changed);
            }
        }
    }
}

/// Sets of all positions of 3x3, with random changes: here the checker and the definition meet often on both sides.
#[test]
fn random_changes_to_sets_of_all_positions() {
    let (mut accepted, mut refused) = (0, 0);
    for rules in RuleSet::all() {
        let solved = everything(rules);
        let definition = Definition::new(&solved);
        let mut whole = solved.prove_everything();
        whole.sort();
        let mut random = fastrand::Rng::with_seed(3);
        for round in 0..60 {
            let mut changed = whole.clone();
            let many = if round % 3 == 0 { 1 } else { random.usize(1..30) };
            for _ in 0..many {
                change(&mut changed, &mut random);
            }
            let text = random.choice(solved.values.keys()).expect("a position");
            let claim = claim_of(&solved, text);
            changed.claims = vec![claim];
            *(if refuses(&definition, &changed) { &mut refused } else { &mut accepted }) += 1;
        }
    }
    assert!(accepted > 20 && refused > 100, "{accepted} {refused}");
}

/// A random change that keeps a certificate well formed.
fn change(certificate: &mut Certificate, random: &mut fastrand::Rng) {
    if certificate.safe.is_empty() || certificate.won.is_empty() {
        return;
    }
    let (safe, won) = (random.usize(..certificate.safe.len()), random.usize(..certificate.won.len()));
    match random.u32(..7) {
        0 => {
            certificate.safe.remove(safe);
        }
        1 => {
            certificate.won.remove(won);
        }
        2 => certificate.safe[safe].reply = random.u32(..4),
        3 => certificate.won[won].reply = random.u32(..4),
        4 => certificate.won[won].rank = random.u32(..12),
        5 => {
            let Ranked { mover, opponent, reply, .. } = certificate.won.remove(won);
            certificate.safe.push(Entry { mover, opponent, reply });
        }
        _ => {
            let Entry { mover, opponent, reply } = certificate.safe.remove(safe);
            certificate.won.push(Ranked { mover, opponent, reply, rank: random.u32(..12) });
        }
    }
    certificate.sort();
}

/// Sets made of nothing but chance, lost positions included.
#[test]
fn random_sets() {
    let (mut accepted, mut refused) = (0, 0);
    for rules in RuleSet::all() {
        let solved = everything(rules);
        let definition = Definition::new(&solved);
        let symmetry = Symmetry::new(solved.size);
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..2000 {
            let mut certificate = solved.claim_alone();
            for _ in 0..random.usize(1..4) {
                let text = random.choice(solved.values.keys()).expect("a position");
                let at = position(text);
                let (mover, opponent) = canonical(&symmetry, at.mover(), at.opponent());
                let known = |m, o| (m, o) == (mover, opponent);
                let there = certificate.safe.iter().any(|entry| known(entry.mover, entry.opponent))
                    || certificate.won.iter().any(|won| known(won.mover, won.opponent));
                if mover == 0 || opponent == 0 || there {
                    continue;
                }
                let (reply, rank) = (random.u32(..6), random.u32(..3));
                if random.bool() {
                    certificate.safe.push(Entry { mover, opponent, reply });
                } else {
                    certificate.won.push(Ranked { mover, opponent, reply, rank });
                }
                certificate.claims = vec![claim_of(&solved, text)];
            }
            certificate.sort();
            *(if refuses(&definition, &certificate) { &mut refused } else { &mut accepted }) += 1;
        }
    }
    assert!(accepted > 20 && refused > 1000, "{accepted} {refused}");
}

/// Sets of many pieces, each piece with flaws: whichever thread is quick, the first flaw is named.
#[test]
fn the_first_of_many_flaws_is_named_with_any_number_of_threads() {
    let size: BoardSize = "9x5".parse().expect("a board");
    let symmetry = Symmetry::new(size);
    let mut random = fastrand::Rng::with_seed(5);
    let claims = vec![Claim { position: Position::start(size), value: Claimed::Draw }];
    let (rules, tables, safe, won) = (RuleSet::default(), Vec::new(), Vec::new(), Vec::new());
    let mut certificate = Certificate { size, rules, tables, claims, safe, won };
    for _ in 0..20_000 {
        let mover = random.u64(..1 << 45) & random.u64(..);
        let opponent = random.u64(..1 << 45) & random.u64(..) & !mover;
        let (mover, opponent) = canonical(&symmetry, mover, opponent);
        if mover != 0 && opponent != 0 {
            certificate.safe.push(Entry { mover, opponent, reply: random.u32(..2) });
        }
    }
    certificate.sort();
    certificate.safe.dedup_by_key(|entry| (entry.mover, entry.opponent));
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let first = one_thread.install(|| check(&certificate, &NoTables, |_| ())).expect_err("a refusal");
    assert!(matches!(first, Refusal::Position { .. }), "{first}");
    for threads in [2, 5, 16] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for _ in 0..50 {
            let again = pool.install(|| check(&certificate, &NoTables, |_| ())).expect_err("a refusal");
            assert_eq!(again, first);
        }
    }
}

#[test]
fn a_refusal_shows_the_way() {
    let solved = Solved::start("3x3", RuleSet::default());
    let mut certificate = solved.prove(0, Vec::new());
    certificate.won.clear();
    let refusal = check(&certificate, &NoTables, |_| ()).expect_err("a refusal").to_string();
    assert_eq!(
        refusal,
        "claim 1, that \"BBB/B1W/WWW w\" is a win for White, is not proved: there nothing is known: neither set nor \
         listed table has the position; write a new certificate"
    );
    let mut certificate = Solved::new(DRAWN, RuleSet::default()).prove(0, Vec::new());
    let lost = certificate.safe.len() - 1;
    certificate.safe.remove(lost);
    certificate.won.clear();
    let refusal = check(&certificate, &NoTables, |_| ()).expect_err("a refusal");
    let Refusal::Position { set: "safe", position, flaw: Flaw::Turn { before, after, lack: Lack::Unknown } } = &refusal
    else {
        panic!("{refusal}");
    };
    assert!(position.ends_with(" w") && before.ends_with(" b") && after.ends_with(" w"), "{refusal}");
    assert!([position, before, after].iter().all(|text| refusal.to_string().contains(*text)), "{refusal}");
    // The texts are positions that follow each other.
    assert!(solved_successors(position).contains(before) && solved_successors(before).contains(after), "{refusal}");
}

fn solved_successors(text: &str) -> Vec<String> {
    oracle::successors(text, prover::oracle_rules(RuleSet::default())).into_iter().collect()
}

// What is no certificate

#[test]
fn what_is_not_well_formed() {
    let solved = Solved::new(DRAWN, RuleSet::default());
    let mut whole = solved.prove(0, Vec::new());
    whole.sort();
    let malformed = |tamper: &dyn Fn(&mut Certificate)| {
        let mut certificate = whole.clone();
        tamper(&mut certificate);
        match check(&certificate, &NoTables, |_| ()) {
            Err(Refusal::Malformed(what)) => what,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(malformed(&|c| c.claims.clear()), Malformed::NoClaims);
    assert_eq!(malformed(&|c| c.size = "9x9".parse().unwrap()), Malformed::Board("9x9".parse().unwrap()));
    assert_eq!(malformed(&|c| c.claims[1].position.white = 1 << 9), Malformed::Claim(2));
    assert_eq!(malformed(&|c| c.claims[0].position.black = c.claims[0].position.white), Malformed::Claim(1));
    let too_many = malformed(&|c| c.claims = vec![c.claims[0]; 65_537]);
    assert!(matches!(too_many, Malformed::TooMany { what: "claims", found: 65_537, most: 65_536 }), "{too_many}");

    assert_eq!(malformed(&|c| c.safe.swap(1, 2)), Malformed::NotSorted { set: "safe", number: 3 });
    assert_eq!(malformed(&|c| c.safe.insert(4, c.safe[3])), Malformed::NotSorted { set: "safe", number: 5 });
    assert_eq!(malformed(&|c| c.won.insert(1, c.won[0])), Malformed::NotSorted { set: "won", number: 2 });
    for (mover, opponent) in [(1 << 9, 1), (0, 1), (1, 0)] {
        let only = |c: &mut Certificate| c.safe = vec![Entry { mover, opponent, reply: 0 }];
        assert_eq!(malformed(&only), Malformed::Stones { set: "safe", number: 1 });
    }
    let on_top = |c: &mut Certificate| c.won = vec![Ranked { mover: 3, opponent: 2, reply: 0, rank: 1 }];
    assert_eq!(malformed(&on_top), Malformed::Stones { set: "won", number: 1 });
    // a1 against c1; with c1 against a1 the higher of the two points has the lower digit.
    let turned = |c: &mut Certificate| c.safe = vec![Entry { mover: 1, opponent: 4, reply: 0 }];
    let Malformed::NotCanonical { set: "safe", position: found, canonical: image } = malformed(&turned) else {
        panic!("it is canonical")
    };
    assert_eq!((found.as_str(), image.as_str()), ("3/3/W1B w", "3/3/B1W w"));
    // Mover and opponent exchanged, in every position: some sets are not even canonical then.
    for index in 0..whole.safe.len() {
        let Entry { mover, opponent, reply } = whole.safe[index];
        let mut changed = whole.clone();
        changed.safe[index] = Entry { mover: opponent, opponent: mover, reply };
        changed.sort();
        let result = check(&changed, &NoTables, |_| ());
        assert!(matches!(result, Err(Refusal::Malformed(_) | Refusal::Position { .. } | Refusal::Claim { .. })));
    }
    let both = |c: &mut Certificate| {
        let Entry { mover, opponent, reply } = c.safe[0];
        c.won = vec![Ranked { mover, opponent, reply, rank: 0 }];
    };
    assert!(matches!(malformed(&both), Malformed::InBoth(_)));

    let list = |slices: &[(usize, usize)]| {
        let uses = slices.iter().map(|&(mover, opponent)| TableUse { slice: Slice::new(mover, opponent), identity: 1 });
        let uses: Vec<TableUse> = uses.collect();
        malformed(&|c| c.tables.clone_from(&uses))
    };
    assert_eq!(list(&[(2, 1), (1, 1)]), Malformed::Slice(Slice::new(1, 1)));
    assert_eq!(list(&[(1, 1), (1, 1)]), Malformed::Slice(Slice::new(1, 1)));
    assert_eq!(list(&[(0, 1)]), Malformed::Slice(Slice::new(0, 1)));
    assert_eq!(list(&[(8, 2)]), Malformed::Slice(Slice::new(8, 2)));
    let (slice, missing) = (Slice::new(2, 2), Slice::new(1, 2));
    assert_eq!(list(&[(1, 1), (2, 1), (2, 2)]), Malformed::OpenTables { slice, missing });
}

#[test]
fn what_is_not_well_formed_is_not_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("proof.fan");
    let whole = Solved::new(DRAWN, RuleSet::default()).prove(0, Vec::new());
    let refused = |tamper: &dyn Fn(&mut Certificate)| {
        let mut certificate = whole.clone();
        tamper(&mut certificate);
        let error = certificate.write(&path).expect_err("a refusal");
        assert!(matches!(error, ProofError::Malformed { .. }), "{error}");
        assert!(error.to_string().contains("proof.fan") && error.to_string().ends_with("write a new one"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    };
    refused(&|c| c.claims.clear());
    refused(&|c| c.safe.push(c.safe[0]));
    refused(&|c| c.safe[0] = Entry { mover: 1, opponent: 4, reply: 0 });
    // Order does not matter: it is put right.
    let mut certificate = whole.clone();
    certificate.safe.reverse();
    certificate.write(&path).expect("a file");
    accept(&Certificate::read(&path).expect("a certificate"));
    let nowhere = certificate.write(&folder.path().join("nowhere/proof.fan")).expect_err("no such folder");
    assert!(matches!(&nowhere, ProofError::Io { action: "create", .. }) && nowhere.to_string().contains("nowhere"));
}

// Tables

/// Builds tables into a folder, opens them, and lists them.
fn tables(database: &Path, board: &str, stones: usize, rules: RuleSet) -> (Tables, Vec<TableUse>) {
    let size: BoardSize = board.parse().expect("a board");
    build(Goal::values(size, rules, stones), database, Budget::default()).expect("a build");
    let tables = Tables::open(database, size, rules, DEFAULT_CACHE_BYTES).expect("tables");
    let list = tables.folder().tables().map(|(slice, table)| TableUse { slice, identity: table.header().identity });
    let list = list.collect();
    (tables, list)
}

#[test]
fn tables_replace_positions() {
    for rules in some_rules() {
        let database = tempfile::tempdir().expect("a temporary folder");
        let (tables, list) = tables(database.path(), "3x5", 4, rules);
        let solved = solved("3x5", false, rules);
        let without = solved.prove(0, Vec::new());
        let mut certificate = solved.prove(4, list);
        assert!(certificate.safe.len() + certificate.won.len() < without.safe.len() + without.won.len());
        let mut certificate = write_and_read(&mut certificate);
        compare_tables(&certificate, tables.folder()).expect("the same tables");
        check(&certificate, &tables, |_| ()).expect("a proof");
        assert_eq!(Definition::new(&solved).first_flaw(&certificate), None);

        // Tables that are there but not listed do not count.
        let all = certificate.tables.clone();
        for stones in 1..4 {
            certificate.tables.retain(|table| table.slice.stones() <= stones);
            let refusal = check(&certificate, &tables, |_| ()).expect_err("a refusal");
            let Refusal::Position { set, position, flaw } = &refusal else { panic!("{refusal}") };
            assert_eq!(Definition::new(&solved).first_flaw(&certificate), Some((*set, position.clone())));
            assert!(matches!(flaw, Flaw::Turn { lack: Lack::Unknown, .. }), "{flaw}");
            certificate.tables.clone_from(&all);
        }
    }
}

/// Values that count on being asked only for the slices listed, and there only for quiet positions.
struct Listed<'a>(&'a Tables, Vec<Slice>);

impl Values for Listed<'_> {
    type Label = Outcome;
    type Error = String;

    fn value(&self, mover: u64, opponent: u64) -> Result<Option<Outcome>, String> {
        let slice = Slice::new(mover.count_ones() as usize, opponent.count_ones() as usize);
        assert!(self.1.contains(&slice), "{slice} is not listed");
        let captures = self.0.rules().for_each_capture(mover, opponent, |_, _| ControlFlow::Break(()));
        assert!(captures.is_continue(), "not quiet: {mover:#x}, {opponent:#x}");
        if self.1.len() < 2 {
            Err(format!("{slice} is out"))
        } else {
            Ok(self.0.probe(mover, opponent).expect("a value"))
        }
    }
}

#[test]
fn only_listed_tables_are_asked() {
    let database = tempfile::tempdir().expect("a temporary folder");
    let (tables, mut list) = tables(database.path(), "3x3", 4, RuleSet::default());
    let solved = Solved::start("3x3", RuleSet::default());
    list.retain(|table| table.slice.stones() <= 3);
    let certificate = solved.prove(3, list.clone());
    let slices = list.iter().map(|table| table.slice).collect();
    assert_eq!(check(&certificate, &Listed(&tables, slices), |_| ()), Ok(()));
    // What keeps a value from being read is no verdict on the certificate.
    let mut few = solved.prove(3, list.clone());
    few.tables.retain(|table| table.slice == Slice::new(1, 1));
    few.won.clear();
    few.claims = vec![Claim { position: position("2B/3/1W1 w"), value: Claimed::Draw }];
    let refusal = check(&few, &Listed(&tables, vec![Slice::new(1, 1)]), |_| ());
    assert_eq!(refusal, Err(Refusal::Unreadable("1v1 is out".to_owned())));
}

#[test]
fn a_table_that_says_otherwise_is_named() {
    let database = tempfile::tempdir().expect("a temporary folder");
    let (tables, list) = tables(database.path(), "3x3", 3, RuleSet::default());
    let solved = everything(RuleSet::default());
    let mut found = [0; 3];
    for (text, &(value, _)) in solved.values.iter() {
        let at = position(text);
        let stones = (at.white | at.black).count_ones();
        if at.mover() == 0 || at.opponent() == 0 || stones > 3 {
            continue;
        }
        let mut certificate = solved.claim_alone();
        certificate.tables.clone_from(&list);
        let (wins, holds) = match at.to_move {
            Side::White => (Claimed::WhiteWins, Claimed::WhiteDoesNotLose),
            Side::Black => (Claimed::BlackWins, Claimed::BlackDoesNotLose),
        };
        for (claimed, good) in [(wins, value == Value::Win), (holds, value != Value::Loss)] {
            certificate.claims = vec![Claim { position: at, value: claimed }];
            let result = check(&certificate, &tables, |_| ());
            assert_eq!(result.is_ok(), good, "{text}");
            let outcome = if value == Value::Loss { Outcome::Loss } else { Outcome::Draw };
            if let Err(refusal) = result {
                let Refusal::Claim { flaw, number: 1, .. } = refusal else { panic!("{refusal}") };
                assert_eq!(flaw, Flaw::Here(Lack::Table(outcome)));
            }
        }
        found[value as usize] += 1;
    }
    assert!(found.iter().all(|&count| count > 0), "{found:?}");
}

#[test]
fn other_and_missing_tables_are_named() {
    let database = tempfile::tempdir().expect("a temporary folder");
    let rules = RuleSet::from_options([true, false, false, false]);
    let (tables, list) = tables(database.path(), "3x5", 3, rules);
    let mut certificate = Solved::new("2B/3/3/3/W2 w", rules).prove(3, list.clone());
    compare_tables(&certificate, tables.folder()).expect("the same tables");
    for index in 0..list.len() {
        certificate.tables.clone_from(&list);
        certificate.tables[index].identity ^= 1 << index;
        let error = compare_tables(&certificate, tables.folder()).expect_err("another table");
        let text = error.to_string();
        let (slice, identity) = (list[index].slice, list[index].identity);
        let words = [
            format!("3x5-centre/{slice}.wdl has identity {identity:032x}"),
            format!("{slice} with identity {:032x}", identity ^ 1 << index),
            "use the folder of those tables".to_owned(),
        ];
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    certificate.tables.clone_from(&list);
    certificate.tables.push(TableUse { slice: Slice::new(4, 1), identity: 0 });
    certificate.sort();
    let text = compare_tables(&certificate, tables.folder()).expect_err("a missing table").to_string();
    let words = ["no table 4v1", "3x5-centre", "build 3x5 to 5 stones"];
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

//! Certificates: what is proved is accepted; what is not well formed is refused, and not written.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fanorona::index::Slice;
use fanorona::proof::{
    Certificate, Claim, Flaw, Lack, Malformed, Member, NoTables, ProofError, Refusal, TableUse, check, replies,
};
use fanorona::rules::{RuleSet, Stalemate, Value as Claimed};

use crate::prover::{Definition, Solved, position};

/// Default rules, and every option the other way.
pub fn some_rules() -> [RuleSet; 2] {
    [[false; 4], [true; 4]].map(RuleSet::from_options)
}

/// What is solved once for all tests: a board, and whether every position of it or those after the start.
type Known = BTreeMap<(&'static str, bool, RuleSet), Arc<Solved>>;

pub fn solved(board: &'static str, everything: bool, rules: RuleSet) -> Arc<Solved> {
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let solve = || if everything { Solved::everything(board, rules) } else { Solved::start(board, rules) };
    known.entry((board, everything, rules)).or_insert_with(|| Arc::new(solve())).clone()
}

/// Every position of 3x3.
pub fn everything(rules: RuleSet) -> Arc<Solved> {
    solved("3x3", true, rules)
}

/// A drawn position of the ICGA page.
pub const DRAWN: &str = "1B1/1W1/1W1 w";

/// Checks a certificate; returns where it fails first, in the form of [`Definition::first_flaw`], and why.
pub fn verdict(certificate: &Certificate) -> Option<((&'static str, String), Flaw)> {
    match check(certificate, &NoTables, &|_| ()) {
        Ok(()) => None,
        Err(Refusal::Position { set, position, flaw }) => Some(((set, position), flaw)),
        Err(Refusal::Claim { number, flaw, .. }) => Some((("claim", number.to_string()), flaw)),
        Err(refusal) => panic!("{refusal}"),
    }
}

fn accept(certificate: &Certificate) {
    let heard = AtomicU64::new(0);
    let result = check(certificate, &NoTables, &|count| {
        heard.fetch_add(count, Ordering::Relaxed);
    });
    assert_eq!(result, Ok(()));
    assert_eq!(heard.into_inner(), (certificate.safe.len() + certificate.won.len()) as u64);
}

/// Writes, reads, and compares.
pub fn write_and_read(certificate: &mut Certificate) -> Certificate {
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
    for rules in some_rules() {
        prove_start("3x5", rules);
    }
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
            let none = |entry: &&Member| replies(&board, rules, entry.mover, entry.opponent).is_empty();
            let here = certificate.safe.iter().filter(none).count();
            assert!(here == 0 || rules.stalemate == Stalemate::Draw);
            stalemates += here;
        }
    }
    assert!(stalemates > 0, "no drawn stalemate among them");
}

pub fn claim_of(solved: &Solved, text: &str) -> Claim {
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

// What is no certificate

#[test]
fn what_is_not_well_formed() {
    let solved = Solved::new(DRAWN, RuleSet::default());
    let mut whole = solved.prove(0, Vec::new());
    whole.sort();
    let malformed = |tamper: &dyn Fn(&mut Certificate)| {
        let mut certificate = whole.clone();
        tamper(&mut certificate);
        match check(&certificate, &NoTables, &|_| ()) {
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
        let only = |c: &mut Certificate| c.safe = vec![Member { mover, opponent, reply: 0, rank: 0 }];
        assert_eq!(malformed(&only), Malformed::Stones { set: "safe", number: 1 });
    }
    let on_top = |c: &mut Certificate| c.won = vec![Member { mover: 3, opponent: 2, reply: 0, rank: 1 }];
    assert_eq!(malformed(&on_top), Malformed::Stones { set: "won", number: 1 });
    // a1 against c1; with c1 against a1 the higher of the two points has the lower digit.
    let turned = |c: &mut Certificate| c.safe = vec![Member { mover: 1, opponent: 4, reply: 0, rank: 0 }];
    let Malformed::NotCanonical { set: "safe", position: found, canonical: image } = malformed(&turned) else {
        panic!("it is canonical")
    };
    assert_eq!((found.as_str(), image.as_str()), ("3/3/W1B w", "3/3/B1W w"));
    // Mover and opponent exchanged, in every position: some sets are not even canonical then.
    for index in 0..whole.safe.len() {
        let Member { mover, opponent, reply, .. } = whole.safe[index];
        let mut changed = whole.clone();
        changed.safe[index] = Member { mover: opponent, opponent: mover, reply, rank: 0 };
        changed.sort();
        let result = check(&changed, &NoTables, &|_| ());
        assert!(matches!(result, Err(Refusal::Malformed(_) | Refusal::Position { .. } | Refusal::Claim { .. })));
    }
    let both = |c: &mut Certificate| c.won = vec![c.safe[0]];
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
    refused(&|c| c.safe[0] = Member { mover: 1, opponent: 4, reply: 0, rank: 0 });
    // Order does not matter: it is put right.
    let mut certificate = whole.clone();
    certificate.safe.reverse();
    certificate.write(&path).expect("a file");
    accept(&Certificate::read(&path).expect("a certificate"));
    let nowhere = certificate.write(&folder.path().join("nowhere/proof.fan")).expect_err("no such folder");
    assert!(matches!(&nowhere, ProofError::Io { action: "create", .. }) && nowhere.to_string().contains("nowhere"));
}

//! Certificates that use tables: only those listed count, and other or missing ones are named.

use std::ops::ControlFlow;
use std::path::Path;

use fanorona::board::BoardSize;
use fanorona::index::Slice;
use fanorona::proof::{Claim, Flaw, Lack, Refusal, TableUse, check, compare_tables};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{Outcome, RuleSet, Side, Value as Claimed};
use fanorona::table::{DEFAULT_CACHE_BYTES, Tables};
use fanorona::verify::Values;

use crate::certificate::{everything, solved, some_rules, write_and_read};
use crate::oracle::Value;
use crate::prover::{Definition, Solved, position};

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
        check(&certificate, &tables, &|_| ()).expect("a proof");
        assert_eq!(Definition::new(&solved).first_flaw(&certificate), None);

        // Tables that are there but not listed do not count.
        let all = certificate.tables.clone();
        for stones in 1..4 {
            certificate.tables.retain(|table| table.slice.stones() <= stones);
            let refusal = check(&certificate, &tables, &|_| ()).expect_err("a refusal");
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
    assert_eq!(check(&certificate, &Listed(&tables, slices), &|_| ()), Ok(()));
    // What keeps a value from being read is no verdict on the certificate.
    let mut few = solved.prove(3, list.clone());
    few.tables.retain(|table| table.slice == Slice::new(1, 1));
    few.won.clear();
    few.claims = vec![Claim { position: position("2B/3/1W1 w"), value: Claimed::Draw }];
    let refusal = check(&few, &Listed(&tables, vec![Slice::new(1, 1)]), &|_| ());
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
            let result = check(&certificate, &tables, &|_| ());
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
    let words = ["no table 4v1", "3x5-centre", "build the tables that it rests on"];
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

//! `fanorona verify`: sound tables pass, and a wrong value is found where every checksum is correct.

use std::fs;
use std::ops::ControlFlow;

use fanorona::board::BoardSize;
use fanorona::index::{self, Slice};
use fanorona::retro::{Leaves, Slices, decode};
use fanorona::rules::{Outcome, RuleSet};
use fanorona::table::{DEFAULT_CACHE_BYTES, SliceValues, Tables, save_table};
use serde_json::json;

use crate::program::Place;
use crate::tables::with_tables;

#[test]
fn sound_tables_pass_every_check() {
    let place = with_tables();
    for options in ["", "--full", "--sample 500", "--sample 500 --seed 7 --threads 1", "--sample 1000000"] {
        let text = place.run(&format!("verify 5x5 {options}")).done();
        assert!(text.contains("6 files: every checksum is correct") && text.contains("all consistent"), "{text}");
    }
    // No slice has more than 200 000 positions.
    for options in ["", "--full", "--sample 200000"] {
        assert!(place.run(&format!("verify 5x5 {options}")).done().contains(": 191 500 positions checked"));
    }
    let found = place.run("verify 5x5 --full --json").json();
    assert_eq!((&found["board"], &found["files"], &found["unverified"]), (&"5x5".into(), &6.into(), &json!([])));
    let [check] = &found["checks"].as_array().expect("a list")[..] else { panic!("{found}") };
    let expected = json!({ "checked": "values", "positions": 191_500, "verdict": "consistent" });
    assert!(expected.as_object().expect("an object").iter().all(|(key, value)| check[key] == *value), "{check}");
    assert_eq!(check["slices"].as_array().map(Vec::len), Some(6));
    // The set without its largest slice is still checked as far as it goes.
    fs::remove_file(place.path().join("db/5x5/2v2.wdl")).unwrap();
    assert!(place.run("verify 5x5 --full").done().contains("to 3 stones and of 3v1: 115 600 positions"));
    place.run("verify 5x5 --full --sample 5").misused(&["--sample"]);
    // Where all positions would take longer, some are drawn.
    place.run("build 9x5 --stones 4").done();
    assert!(place.run("verify 9x5").done().contains("random positions checked"));
    // Each kind of check names the tables that it is of, and no others.
    let place = with_tables();
    place.run("build 5x5 --stones 3 --metric both").done();
    let text = place.run("verify 5x5 --full").done();
    assert!(
        text.contains("values without depths of 3v1, 1v3, 2v2: ")
            && text.contains("values and depths of tables to 3 stones: "),
        "{text}"
    );
    assert!(place.run("verify 5x5 --sample 5").done().contains("random positions checked"));
}

/// Changes the value of one quiet position from `before` to `after`, in a table whose checksums fit.
fn tamper(place: &Place, slice: Slice, before: Outcome, after: Outcome) {
    let size: BoardSize = "5x5".parse().expect("a board");
    let (database, rules) = (place.path().join("db"), RuleSet::default());
    let tables = Tables::open(&database, size, rules, DEFAULT_CACHE_BYTES).expect("tables");
    let space = tables.space();
    let mut slices = Slices::new();
    for slice in Slice::up_to(4, 25) {
        let table = tables.folder().get(slice).expect("a table");
        let values = decode(space, rules, table, &slices, Leaves::All, &|_| ()).expect("undamaged tables");
        slices.insert(slice, values);
    }
    let values = &slices[&slice];
    let sets = |stones: usize| (0..1u64 << 12).filter(move |set| set.count_ones() as usize == stones);
    let (mover, opponent) = sets(slice.mover)
        .flat_map(|mover| sets(slice.opponent).map(move |opponent| (mover, opponent << 13)))
        .filter(|&(mover, opponent)| {
            tables.rules().for_each_capture(mover, opponent, |_, _| ControlFlow::Break(())).is_continue()
        })
        .find(|&(mover, opponent)| values.value(space, mover, opponent) == before)
        .expect("a quiet position of that value");
    let index::Place { row, column, .. } = space.locate(slice, mover, opponent);
    let mut planes = values.planes(space).into_owned();
    for (plane, bit) in [(&mut planes.not_win, after != Outcome::Win), (&mut planes.loss, after == Outcome::Loss)] {
        let at = row * plane.stride() + column / 64;
        let word = &mut plane.words_mut()[at];
        *word = *word & !(1 << (column % 64)) | u64::from(bit) << (column % 64);
    }
    let changed = SliceValues::new(slice, planes);
    save_table(&database.join("5x5"), space, rules, &changed, &|_| ()).expect("a table");
    let tables = Tables::open(&database, size, rules, DEFAULT_CACHE_BYTES).expect("tables");
    assert_eq!(tables.probe(mover, opponent).expect("checksums that fit"), Some(after));
}

#[test]
fn a_proof_over_tables_with_a_wrong_value_says_that_they_are_not_the_published_ones() {
    let place = with_tables();
    let proof = || {
        let said = place.run("solve 5x5 --stones 4 --no-proofs --certificate proof").done();
        assert!(said.contains("proved, given tables to 4 stones"), "{said}");
        place.run("check proof").done()
    };
    assert!(proof().contains("proved, given tables to 4 stones (the published ones, not verified)"));
    tamper(&place, Slice::new(2, 2), Outcome::Draw, Outcome::Win);
    let said = proof();
    assert!(said.contains("proved, given tables to 4 stones (other than the published ones, not verified)"), "{said}");
}

/// As the help for a folder whose name has a space.
#[test]
fn advice_can_be_typed_as_it_is() {
    let place = Place::new();
    let ran = place.run_with(&[
        "query",
        "--db",
        "a b",
        "--no-build",
        "--search",
        "0",
        "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w",
    ]);
    assert!(ran.err.contains("--db 'a b'"), "{}", ran.err);
}

#[test]
fn every_damaged_file_is_named_and_checksums_need_no_other_tables() {
    let place = with_tables();
    let table = |slice: &str| place.path().join(format!("db/5x5/{slice}.wdl"));
    fs::remove_file(table("1v1")).expect("a table");
    let ran = place.run("verify 5x5");
    assert!(ran.code == Some(0) && ran.out.contains("5 files: every checksum is correct"), "{}", ran.err);
    assert!(ran.err.contains("tables that they depend on are missing: 1v2, 1v3, 2v1, 2v2, 3v1"), "{}", ran.err);
    for slice in ["2v1", "2v2"] {
        let mut bytes = fs::read(table(slice)).expect("a table");
        *bytes.last_mut().expect("a byte") ^= 1;
        fs::write(table(slice), bytes).expect("a table");
    }
    let ran = place.run("verify 5x5");
    assert!(
        !ran.out.contains("correct") && ran.err.lines().filter(|line| line.contains("damaged")).count() == 2,
        "{}",
        ran.err
    );
    assert!(ran.err.contains("2v1.wdl") && ran.err.contains("2v2.wdl"), "{}", ran.err);
}

#[test]
fn a_single_wrong_value_is_found() {
    use Outcome::{Draw, Loss, Win};
    let cases = [
        (Slice::new(2, 2), Draw, Win),
        (Slice::new(2, 2), Draw, Loss),
        (Slice::new(2, 2), Win, Draw),
        (Slice::new(1, 3), Loss, Draw),
        (Slice::new(1, 1), Win, Loss),
        (Slice::new(1, 2), Draw, Loss),
    ];
    for (slice, before, after) in cases {
        let place = with_tables();
        tamper(&place, slice, before, after);
        for options in ["--full", "--sample 200000", "--full --threads 1"] {
            let ran = place.run(&format!("verify 5x5 {options}"));
            ran.fails_at_once(&["is stored as", "build again"]);
            // The checksums fit: it takes the values to notice.
            assert!(ran.out.contains("every checksum is correct"), "{}", ran.out);
        }
    }
}

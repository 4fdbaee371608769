//! Depth tables with valid checksums and false content: they are refused or do no harm.

use std::fs;

use fanorona::board::Diagonals;
use fanorona::index::{Slice, Space};
use fanorona::retro::load_depths;
use fanorona::rules::RuleSet;
use fanorona::table::{Access, Metric, Table, TableError, open_table};

use crate::damage_depths::{BLOCK_WORDS, COUNTS, Database, Parts, STONES, check_text, size};

fn open_sealed(parts: Parts) -> Result<Table<Vec<u8>>, TableError> {
    let space = Space::new(size(), Diagonals::Corner);
    let table = Table::new(
        parts.sealed(),
        "db/2v1.dtw".to_owned(),
        &space,
        RuleSet::default(),
        (Slice::new(2, 1), Metric::Dtw),
    )?;
    table.verify(&|| ())?;
    Ok(table)
}

#[test]
fn false_lists_of_depths_are_refused() {
    let database = Database::new();
    let parts = Parts::of(&fs::read(database.file("2v1.dtw")).expect("a table"));
    let right = open_sealed(parts.clone()).expect("an undamaged table").depths().expect("depths");
    let refused = |content: Vec<u8>, what: &str| {
        let mut parts = parts.clone();
        *parts.contents.last_mut().expect("a list") = content;
        check_text(&open_sealed(parts).map(|_| ()).expect_err(what), "db/2v1.dtw");
    };
    let encoded = |change: &dyn Fn(&mut fanorona::table::Depths)| {
        let mut depths = right.clone();
        change(&mut depths);
        bincode_of(&depths)
    };
    assert_eq!(encoded(&|_| ()), *parts.contents.last().expect("a list"));
    refused(encoded(&|depths| depths.wins.push(0)), "a list that ends with zero");
    refused(encoded(&|depths| depths.wins[0] += 1), "more wins than the header has");
    refused(encoded(&|depths| depths.losses.push(u64::MAX)), "losses without number");
    refused(encoded(&|depths| depths.longest_win = None), "no longest win");
    refused(encoded(&|depths| depths.longest_win = Some((3, 1))), "two stones on a point");
    refused(encoded(&|depths| depths.longest_win = Some((3, 4 << 9))), "a stone off the board");
    refused(encoded(&|depths| depths.longest_loss = Some((1, 2))), "stones of another slice");
    refused([encoded(&|_| ()), vec![0]].concat(), "more than a list");
    refused(vec![], "no list");
    // Lists that say that they are very long, and one that is.
    refused(vec![253, 255, 255, 255, 255, 255, 255, 255, 255], "a length without end");
    refused(vec![252, 255, 255, 255, 0], "a long length");
    refused(vec![0; 1 << 24], "a long list");
}

/// The summary by FORMAT.md: short numbers.
fn bincode_of(depths: &fanorona::table::Depths) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut short = |number: u64| match number {
        0..251 => bytes.push(number.to_le_bytes()[0]),
        251..0x1_0000 => bytes.extend([&[251][..], &number.to_le_bytes()[..2]].concat()),
        0x1_0000..0x1_0000_0000 => bytes.extend([&[252][..], &number.to_le_bytes()[..4]].concat()),
        _ => bytes.extend([&[253][..], &number.to_le_bytes()].concat()),
    };
    for counts in [&depths.wins, &depths.losses] {
        short(counts.len() as u64);
        for &count in counts {
            short(count);
        }
    }
    for longest in [depths.longest_win, depths.longest_loss] {
        short(longest.is_some().into());
        if let Some((mover, opponent)) = longest {
            short(mover);
            short(opponent);
        }
    }
    bytes
}

#[test]
fn false_headers_of_depth_tables_are_refused_or_do_no_harm() {
    let database = Database::new();
    let good = fs::read(database.file("2v1.dtw")).expect("a table");
    let fields = (12..21).map(|at| (at, 1)).chain((21..COUNTS + 40).step_by(8).map(|at| (at, 8)));
    for (at, width) in fields {
        let stored = good[at..at + width].iter().rev().fold(0u64, |n, &byte| n << 8 | u64::from(byte));
        for value in [0, 1, 2, 5, 64, 255, stored + 1, stored.wrapping_sub(1), 1 << 20, 1 << 60, u64::MAX] {
            let mut parts = Parts::of(&good);
            parts.put(at, &value.to_le_bytes()[..width]);
            let same = parts.header == Parts::of(&good).header;
            let refusal = open_sealed(parts.clone()).err();
            // A larger block is the same where there is but one. How many positions are quiet is compared with the table of values.
            if at == COUNTS + 32 && !same && refusal.is_none() {
                fs::write(database.file("2v1.dtw"), parts.sealed()).expect("a file to damage");
                check_text(&database.open().map(drop).expect_err("another table of values"), "2v1.dtw");
            }
            let harmless = at == BLOCK_WORDS || at == COUNTS + 32;
            assert!(same || harmless || refusal.is_some(), "field at {at} saying {value} was believed");
            refusal.inspect(|error| check_text(error, "db/2v1.dtw"));
        }
    }
}

/// Steps that no game takes: they are refused where they are counted on, and nothing overflows.
#[test]
fn steps_without_end_are_refused() {
    let database = Database::new();
    let folder = database.folder.path().join("3x3");
    let space = Space::new(size(), Diagonals::Corner);
    for slice in [Slice::new(1, 1), Slice::new(1, 2), Slice::new(2, 1)] {
        let name = format!("{slice}.dtw");
        let good = fs::read(database.file(&name)).expect("a table");
        let parts = Parts::of(&good);
        let steps = parts.contents[0].len();
        for (step, bytes) in [(126u16, vec![0x7e]), (200, vec![0xc8, 1]), (32_766, vec![0xfe, 0xff, 1])] {
            for at in 0..steps {
                let mut parts = parts.clone();
                parts.contents[0].splice(at..=at, bytes.clone());
                fs::write(database.file(&name), parts.sealed()).expect("a file to damage");
                let tables = database.open().expect("tables that open");
                for &(own, enemy) in database.known.keys() {
                    if let Err(error) = tables.look_up(own, enemy) {
                        check_text(&error, "dtw");
                    }
                }
                let listed = open_table((&folder, &Access::Read), &space, RuleSet::default(), (slice, Metric::Dtw))
                    .expect("a table");
                assert!(listed.depths().expect("depths").most_steps() < step.into());
                match load_depths(&tables, Slice::up_to(STONES, tables.space().board().points())) {
                    Err(error) => check_text(&error, &name),
                    Ok(_) => panic!("step {step} of {slice} was believed"),
                }
            }
        }
        fs::write(database.file(&name), good).expect("a file to repair");
    }
}

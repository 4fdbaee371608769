//! Table files as built, read by a second reader and by the library: the same on every position of small sets.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use fanorona::board::BoardSize;
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{RuleSet, Stalemate};
use fanorona::table::{DEFAULT_CACHE_BYTES, Tables};
use xxhash_rust::xxh3::xxh3_128;

use crate::format_positions::{Grid, Order, Rules, Slots, Value, sets};
use crate::format_reader::{Depths, File, Reader, read};
use crate::prover::few_rules;

/// Builds a set, reads it with both readers, and compares every position, quiet ones or not.
fn compare(board: &str, stones: usize, rules: RuleSet) {
    let database = tempfile::tempdir().expect("a temporary folder");
    let size: BoardSize = board.parse().expect("a board");
    let built = build(Goal::values(size, rules, stones), database.path(), Budget::default()).expect("a build");
    build(Goal::depths(size, rules, stones), database.path(), Budget::default()).expect("a build of depths");
    let grid = Grid { columns: size.columns(), rows: size.rows(), rules: Rules::of(rules) };
    let folder = database.path().join(grid.rules.folder(grid.columns, grid.rows));
    check_folder(&folder, stones.min(grid.points()));
    let reader = Reader::open(&folder, grid, stones);
    let tables = Tables::open(database.path(), size, rules, DEFAULT_CACHE_BYTES).expect("tables");
    assert_eq!(reader.files.len(), built.len());
    for made in &built {
        let (mover, opponent) = (made.slice.mover, made.slice.opponent);
        let file = &reader.files[&(mover, opponent)];
        assert_eq!(made.header.identity, file.identity);
        let [mut positions, mut quiet] = [0; 2];
        let mut counts = [0; 3];
        let mut by_plies = [HashMap::new(), HashMap::new()];
        for own in sets(grid.points(), mover) {
            for enemy in sets(grid.points(), opponent).into_iter().filter(|enemy| enemy & own == 0) {
                let value = reader.value(own, enemy);
                let probed = tables.probe(own, enemy).expect("no damage").expect("no missing table");
                assert_eq!(value, probed.into(), "{board} {rules}: {own:#x} against {enemy:#x}");
                let plies = reader.plies(own, enemy);
                let score = tables.score(own, enemy).expect("no damage").expect("no missing table");
                assert_eq!((value, plies), (score.outcome().into(), score.plies().map(|plies| plies as usize)));
                if let Some(plies) = plies {
                    *by_plies[usize::from(value == Value::Loss)].entry(plies).or_insert(0usize) += 1;
                }
                positions += 1;
                quiet += usize::from(grid.is_quiet(own, enemy));
                counts[value as usize] += 1;
            }
        }
        assert_eq!([positions, quiet], [file.positions, file.quiet], "{board} {mover}v{opponent}");
        assert_eq!(counts, [file.losses, file.draws, file.wins], "{board} {mover}v{opponent}");
        check_orbits(&reader, file, (mover, opponent));
        check_summary(&reader, &reader.depths[&(mover, opponent)], &by_plies);
    }
}

/// The summary counts every position by its plies, and names one of the longest.
fn check_summary(reader: &Reader, depths: &Depths, by_plies: &[HashMap<usize, usize>; 2]) {
    for (which, (counts, expected)) in depths.counts.iter().zip(by_plies).enumerate() {
        let listed = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let listed: HashMap<usize, usize> = listed.map(|(step, &count)| (2 * step + 1 - which, count)).collect();
        assert_eq!(listed, *expected);
        assert_ne!(counts.last(), Some(&0));
        let most = depths.longest[which].map(|(own, enemy)| reader.plies(own, enemy));
        assert_eq!(most, expected.keys().max().map(|&plies| Some(plies)));
    }
}

/// Stored values, each counted as often as its row has images, are the quiet placements.
fn check_orbits(reader: &Reader, file: &File, slice: (usize, usize)) {
    let order = Order::new(reader.grid, slice, &reader.slots);
    let weight = |row: usize| order.bases.orbit_size(row);
    assert_eq!(file.values.keys().map(|(row, _)| weight(*row)).sum::<usize>(), file.quiet);
}

/// The folder holds a file for each slice, the lock, and a manifest with the checksum of each file.
fn check_folder(folder: &Path, stones: usize) {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    names.sort();
    let mut expected = vec![".lock".to_owned(), "XXH128SUMS".to_owned()];
    expected.extend(
        (1..stones)
            .flat_map(|mover| (1..=stones - mover).map(move |opponent| (mover, opponent)))
            .flat_map(|(mover, opponent)| ["wdl", "dtw"].map(|metric| format!("{mover}v{opponent}.{metric}"))),
    );
    expected.sort();
    assert_eq!(names, expected);
    let manifest = fs::read_to_string(folder.join("XXH128SUMS")).expect("a manifest");
    let mut listed = Vec::new();
    for line in manifest.lines() {
        let (checksum, name) = line.split_once("  ").expect("a checksum, two spaces, a name");
        let bytes = fs::read(folder.join(name)).expect("a listed file");
        assert_eq!(checksum, format!("{:032x}", xxh3_128(&bytes)), "{name}");
        listed.push(name.to_owned());
    }
    listed.sort();
    expected.retain(|name| name.contains('v'));
    assert_eq!(listed, expected);
}

#[test]
fn tables_of_3x3_under_several_rule_sets() {
    few_rules().for_each(|rules| compare("3x3", 9, rules));
}

#[test]
fn tables_of_3x5_under_several_rule_sets() {
    few_rules().for_each(|rules| compare("3x5", 4, rules));
}

#[test]
fn tables_of_5x5() {
    compare("5x5", 4, RuleSet::default());
}

#[test]
fn tables_of_9x5() {
    compare("9x5", 3, RuleSet::default());
}

#[test]
fn tables_of_boards_one_point_wide() {
    compare("1x7", 5, RuleSet::default());
    compare("5x1", 5, RuleSet { stalemate: Stalemate::Draw, ..RuleSet::default() });
}

/// The example that FORMAT.md takes apart byte by byte.
#[test]
fn the_worked_example_is_what_a_build_writes() {
    const EXAMPLE: &str = include_str!("../../src/table/FORMAT.md");
    let database = tempfile::tempdir().expect("a temporary folder");
    let size: BoardSize = "3x3".parse().expect("a board");
    let rules = RuleSet::default();
    build(Goal::values(size, rules, 2), database.path(), Budget::default()).expect("a build");
    let bytes = fs::read(database.path().join("3x3/1v1.wdl")).expect("a table");
    let dump = EXAMPLE.lines().filter_map(|line| line.strip_prefix("0000").and_then(|line| line.split_once(':')));
    let dumped: Vec<u8> = dump
        .flat_map(|(_, line)| line.split_whitespace())
        .map(|byte| u8::from_str_radix(byte, 16).expect("a byte in hexadecimal"))
        .collect();
    // The compressor may come to differ; all in front of the block index does not depend on it but for the length and checksums.
    let without_compressor = |bytes: &[u8]| [&bytes[..85], &bytes[101..117]].concat();
    assert_eq!(without_compressor(&dumped), without_compressor(&bytes));
    assert_eq!(dumped.len(), 152);
    let grid = Grid { columns: 3, rows: 3, rules: Rules::of(rules) };
    let slots: Vec<Slots> = (0..2).map(|size| Slots::new(grid, size)).collect();
    let (example, built) = (read(&dumped, grid, (1, 1), &slots), read(&bytes, grid, (1, 1), &slots));
    assert_eq!(example.values, built.values);
}

//! Damaged, misplaced and missing table files: they are refused or do no harm, and never give another value.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use fanorona::board::{BoardSize, Diagonals};
use fanorona::index::{Slice, Space};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{Continuation, Directions, Outcome, RuleSet, Stalemate};
use fanorona::table::{DEFAULT_CACHE_BYTES, HEADER_BYTES, INDEX_ENTRY_BYTES, Metric, Table, TableError, Tables};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

const DEFAULT: RuleSet = RuleSet {
    diagonals: Diagonals::Corner,
    continuation: Continuation::Optional,
    directions: Directions::NotRepeated,
    stalemate: Stalemate::Loss,
};

fn build_into(database: &Path, board: &str, stones: usize, rules: RuleSet) {
    let size: BoardSize = board.parse().expect("a board");
    build(Goal::values(size, rules, stones), database, Budget::default()).expect("a build");
}

// A whole table in memory

/// The bytes of one table, and what its blocks decode to.
struct Specimen {
    space: Space,
    slice: Slice,
    bytes: Vec<u8>,
    words: Vec<[u64; 2]>,
}

impl Specimen {
    fn new(board: &str, mover: usize, opponent: usize) -> Self {
        let database = tempfile::tempdir().expect("a temporary folder");
        build_into(database.path(), board, mover + opponent, DEFAULT);
        let slice = Slice::new(mover, opponent);
        let bytes = fs::read(database.path().join(board).join(format!("{slice}.wdl"))).expect("a table");
        let space = Space::new(board.parse().expect("a board"), Diagonals::Corner);
        let mut specimen = Self { space, slice, bytes, words: Vec::new() };
        let table = specimen.open(specimen.bytes.clone()).expect("an undamaged table");
        table.verify(&specimen.space, || ()).expect("an undamaged table");
        specimen.words = (0..table.header().blocks())
            .flat_map(|block| table.block(&specimen.space, block).expect("an undamaged block").words().to_vec())
            .collect();
        specimen
    }

    fn open(&self, bytes: Vec<u8>) -> Result<Table<Vec<u8>>, TableError> {
        Table::new(bytes, "db/file.wdl".to_owned(), &self.space, DEFAULT, (self.slice, Metric::Wdl))
    }

    /// Opens, verifies and decodes bytes. Returns what refused them; every block that decodes all the same must hold the
    /// values of the undamaged table.
    fn refusal(&self, bytes: Vec<u8>) -> Option<TableError> {
        let table = match self.open(bytes) {
            Ok(table) => table,
            Err(error) => return Some(error),
        };
        let words = usize::try_from(table.header().block_words).expect("blocks are small");
        for block in 0..table.header().blocks() {
            let (decoded, packed) = (table.block(&self.space, block), table.packed_block(&self.space, block));
            assert_eq!(decoded.is_ok(), packed.is_ok(), "block {block}, decoded or not");
            if let Ok(decoded) = decoded {
                let first = usize::try_from(block).expect("few blocks") * words;
                assert_eq!(decoded.words(), &self.words[first..][..decoded.words().len()], "block {block}");
            }
        }
        table.verify(&self.space, || ()).err()
    }
}

/// Error texts name the file, take one line, and end with what to do.
fn check_text(error: &TableError, file: &str) {
    let text = error.to_string();
    assert!(text.contains(file), "no file name: {text}");
    assert!(!text.contains('\n'), "several lines: {text}");
    let remedies = ["build again", "use a newer program", "build the tables first", "choose the path of a folder"];
    assert!(text.contains(';') && remedies.iter().any(|remedy| text.ends_with(remedy)), "no remedy: {text}");
}

/// Every kind of checksum made to fit again after the header or the index was changed.
fn with_checksums(mut bytes: Vec<u8>, index_bytes: usize) -> Vec<u8> {
    let index = xxh3_64(&bytes[HEADER_BYTES..HEADER_BYTES + index_bytes]);
    bytes[93..101].copy_from_slice(&index.to_le_bytes());
    let header = xxh3_64(&bytes[..HEADER_BYTES - 8]);
    bytes[HEADER_BYTES - 8..HEADER_BYTES].copy_from_slice(&header.to_le_bytes());
    bytes
}

#[test]
fn every_changed_byte_is_noticed() {
    // The second is crowded.
    for specimen in [Specimen::new("3x3", 2, 1), Specimen::new("3x3", 4, 3), Specimen::new("5x5", 2, 2)] {
        for at in 0..specimen.bytes.len() {
            for change in [1 << (at % 8), 0xff] {
                let mut bytes = specimen.bytes.clone();
                bytes[at] ^= change;
                let error = specimen.refusal(bytes).unwrap_or_else(|| panic!("byte {at} changed unnoticed"));
                check_text(&error, "db/file.wdl");
            }
        }
    }
}

#[test]
fn every_changed_bit_of_a_small_table_is_noticed() {
    let specimen = Specimen::new("3x3", 2, 1);
    for bit in 0..8 * specimen.bytes.len() {
        let mut bytes = specimen.bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(specimen.refusal(bytes).is_some(), "bit {bit} changed unnoticed");
    }
}

#[test]
fn every_other_length_is_refused() {
    for specimen in [Specimen::new("3x3", 2, 1), Specimen::new("5x5", 2, 2)] {
        for length in 0..specimen.bytes.len() {
            let error = specimen.open(specimen.bytes[..length].to_vec()).expect_err("a part of a table");
            check_text(&error, "db/file.wdl");
        }
        for more in [1, 7, 64, 4096] {
            let bytes = [&specimen.bytes[..], &vec![0; more]].concat();
            let error = specimen.open(bytes).expect_err("more than a table");
            assert!(matches!(error, TableError::Truncated { .. }), "{error}");
            check_text(&error, "db/file.wdl");
        }
        let twice = [&specimen.bytes[..], &specimen.bytes].concat();
        check_text(&specimen.open(twice).expect_err("two tables in one"), "db/file.wdl");
    }
}

#[test]
fn random_damage_is_noticed() {
    let specimen = Specimen::new("5x5", 3, 1);
    let mut random = fastrand::Rng::with_seed(20);
    for _ in 0..500 {
        let mut bytes = specimen.bytes.clone();
        for _ in 0..random.usize(1..20) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        if bytes != specimen.bytes {
            assert!(specimen.refusal(bytes).is_some());
        }
        let noise: Vec<u8> = (0..random.usize(..400)).map(|_| random.u8(..)).collect();
        assert!(specimen.refusal(noise.clone()).is_some());
        assert!(specimen.refusal([&specimen.bytes[..12], &noise].concat()).is_some());
    }
}

/// A header with valid checksums and impossible or false content.
#[test]
fn false_headers_are_refused_or_do_no_harm() {
    for specimen in [Specimen::new("5x5", 2, 2), Specimen::new("5x5", 3, 3)] {
        falsify_the_header(&specimen);
    }
}

fn falsify_the_header(specimen: &Specimen) {
    let blocks = usize::try_from(specimen.open(specimen.bytes.clone()).expect("a table").header().blocks()).unwrap();
    let index_bytes = blocks * INDEX_ENTRY_BYTES;
    let fields = (8..12).chain(12..21).map(|at| (at, 1)).chain((21..101).step_by(8).map(|at| (at, 8)));
    for (at, width) in fields {
        let stored: u64 = specimen.bytes[at..at + width].iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
        for value in [0, 1, 2, 5, 7, 63, 64, 255, stored + 1, stored.wrapping_sub(1), 1 << 20, 1 << 60, u64::MAX] {
            let mut bytes = specimen.bytes.clone();
            bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
            if bytes == specimen.bytes {
                continue;
            }
            // Counts are for people, and the index checksum is made to fit: whatever they say does no harm. Nor does a
            // larger block, where there is but one.
            let harmless = (45..85).contains(&at) || at == 93 || (at == 37 && blocks == 1);
            let refusal = specimen.refusal(with_checksums(bytes, index_bytes));
            assert!(refusal.is_some() || harmless, "field at {at} saying {value} was believed");
            refusal.inspect(|error| check_text(error, "db/file.wdl"));
        }
    }
    // Two fields that agree on a table of more blocks than there are bytes in the world.
    let mut bytes = specimen.bytes.clone();
    bytes[21..29].copy_from_slice(&(1u64 << 60).to_le_bytes());
    bytes[37..45].copy_from_slice(&1u64.to_le_bytes());
    assert!(specimen.refusal(with_checksums(bytes, index_bytes)).is_some());
}

/// An index whose checksum fits, but whose entries lead elsewhere.
#[test]
fn false_block_indexes_are_refused() {
    let specimen = Specimen::new("5x5", 3, 3);
    let blocks = usize::try_from(specimen.open(specimen.bytes.clone()).expect("a table").header().blocks()).unwrap();
    assert!(blocks > 1, "a table of several blocks is needed here");
    let index_bytes = blocks * INDEX_ENTRY_BYTES;
    for entry in 0..blocks {
        let at = HEADER_BYTES + entry * INDEX_ENTRY_BYTES;
        let length = specimen.bytes.len() as u64;
        for value in [0, 1, HEADER_BYTES as u64, length - 1, length, length + 1, 1 << 40, u64::MAX] {
            let mut bytes = specimen.bytes.clone();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            let error = specimen.refusal(with_checksums(bytes, index_bytes)).expect("a wrong offset");
            check_text(&error, "db/file.wdl");
        }
    }
}

/// Blocks whose checksums fit, but which hold too much, too little, or no digits.
#[test]
fn false_blocks_are_refused() {
    let specimen = Specimen::new("3x3", 2, 1);
    let start = HEADER_BYTES + INDEX_ENTRY_BYTES;
    let packed = zstd::stream::decode_all(&specimen.bytes[start..]).expect("a zstd frame");
    let mut forged = vec![vec![], packed[1..].to_vec(), [&packed[..], &[0]].concat(), vec![0; 1 << 24]];
    forged.extend((243..=255).map(|byte| [&packed[1..], &[byte]].concat()));
    let mut others: Vec<Vec<u8>> =
        forged.into_iter().map(|packed| zstd::bulk::compress(&packed, 3).expect("a frame")).collect();
    others.extend([vec![], vec![0x28, 0xb5, 0x2f, 0xfd], packed.clone(), vec![0; 100]]);
    for block in others {
        let mut bytes = [&specimen.bytes[..start], &block].concat();
        let length = bytes.len() as u64;
        bytes[85..93].copy_from_slice(&length.to_le_bytes());
        bytes[HEADER_BYTES + 8..start].copy_from_slice(&xxh3_64(&block).to_le_bytes());
        let table = specimen.open(with_checksums(bytes, INDEX_ENTRY_BYTES)).expect("checksums that fit");
        let decoded = table.block(&specimen.space, 0);
        assert!(decoded.is_err(), "a block of {} bytes was believed", block.len());
        check_text(&table.verify(&specimen.space, || ()).expect_err("a wrong block"), "db/file.wdl");
    }
}

// Files in a database folder

/// A database of 3x3 to three stones, and what every position in it is worth.
struct Database {
    folder: TempDir,
    values: HashMap<(u64, u64), Outcome>,
}

/// What came of a fault.
#[derive(Debug)]
enum Effect {
    /// The tables did not open.
    Refused(TableError),
    /// They did; how many positions gave an error, were unknown, or had their value.
    Opened { refused: usize, unknown: usize, known: usize },
}

impl Database {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        build_into(folder.path(), "3x3", 3, DEFAULT);
        let mut database = Self { folder, values: HashMap::new() };
        let tables = database.open().expect("undamaged tables");
        for own in 1..1u64 << 9 {
            for enemy in (1..1u64 << 9).filter(|enemy| own & enemy == 0 && (own | enemy).count_ones() <= 3) {
                let value = tables.probe(own, enemy).expect("undamaged tables").expect("complete tables");
                database.values.insert((own, enemy), value);
            }
        }
        database
    }

    fn open(&self) -> Result<Tables, TableError> {
        Tables::open(self.folder.path(), "3x3".parse().expect("a board"), DEFAULT, DEFAULT_CACHE_BYTES)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("3x3").join(name)
    }

    /// Probes every position; none may have another value than before.
    fn effect(&self) -> Effect {
        let tables = match self.open() {
            Ok(tables) => tables,
            Err(error) => return Effect::Refused(error),
        };
        let [mut refused, mut unknown, mut known] = [0; 3];
        for (&(own, enemy), value) in &self.values {
            match tables.probe(own, enemy) {
                Err(error) => {
                    check_text(&error, "3x3");
                    refused += 1;
                }
                Ok(None) => unknown += 1,
                Ok(Some(found)) => {
                    assert_eq!(found, *value, "{own:#b} against {enemy:#b}");
                    known += 1;
                }
            }
        }
        Effect::Opened { refused, unknown, known }
    }

    /// The tables must not open; the error is about that file.
    fn refused(&self, name: &str) -> TableError {
        match self.effect() {
            Effect::Refused(error) => {
                assert!(error.to_string().contains(&self.file(name).display().to_string()), "{error}");
                error
            }
            opened @ Effect::Opened { .. } => panic!("{name}: {opened:?}"),
        }
    }
}

/// Changes each byte of a file in two ways, one change at a time, and repairs it in the end.
pub fn for_each_change(file: &Path, mut check: impl FnMut(usize)) {
    let good = fs::read(file).expect("a table");
    for at in 0..good.len() {
        for change in [1 << (at % 8), 0xff] {
            let mut bytes = good.clone();
            bytes[at] ^= change;
            fs::write(file, &bytes).expect("a file to damage");
            check(at);
        }
    }
    fs::write(file, &good).expect("a file to repair");
}

#[test]
fn a_changed_byte_in_a_file_never_changes_a_value() {
    let database = Database::new();
    for name in ["1v1.wdl", "2v1.wdl", "1v2.wdl"] {
        for_each_change(&database.file(name), |at| match database.effect() {
            Effect::Refused(error) => check_text(&error, name),
            Effect::Opened { refused, unknown, .. } => {
                assert!(refused > 0 && unknown == 0, "byte {at} of {name} changed unnoticed");
            }
        });
    }
    assert!(matches!(database.effect(), Effect::Opened { refused: 0, unknown: 0, .. }));
}

#[test]
fn a_cut_or_lengthened_file_is_refused() {
    let database = Database::new();
    let good = fs::read(database.file("2v1.wdl")).expect("a table");
    for length in 0..good.len() {
        fs::write(database.file("2v1.wdl"), &good[..length]).expect("a file to cut");
        check_text(&database.refused("2v1.wdl"), "2v1.wdl");
    }
    fs::write(database.file("2v1.wdl"), [&good[..], b"\n"].concat()).expect("a file to lengthen");
    let error = database.refused("2v1.wdl");
    assert!(matches!(error, TableError::Truncated { .. }), "{error}");
    check_text(&error, "2v1.wdl");
}

#[test]
fn files_under_each_others_names_are_refused() {
    let database = Database::new();
    let [one, two, both] = ["2v1.wdl", "1v2.wdl", "swapped"].map(|name| database.file(name));
    fs::rename(&one, &both).and_then(|()| fs::rename(&two, &one)).and_then(|()| fs::rename(&both, &two)).unwrap();
    let error = match database.effect() {
        Effect::Refused(error) => error,
        opened @ Effect::Opened { .. } => panic!("{opened:?}"),
    };
    assert!(matches!(error, TableError::Foreign { .. }), "{error}");
    check_text(&error, "v");
}

#[test]
fn a_renamed_file_is_refused_or_missing() {
    let database = Database::new();
    // Under the name of another slice it is refused.
    fs::rename(database.file("1v2.wdl"), database.file("2v2.wdl")).unwrap();
    let error = database.refused("2v2.wdl");
    assert!(matches!(error, TableError::Foreign { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("3x3 2v2") && text.contains("3x3 1v2"), "{text}");
    check_text(&error, "2v2.wdl");
    // Under a name that is none of a table it is not looked at.
    for name in
        ["01v2.wdl", "1v2.WDL", "1v2.wdl.old", "1v2", "1v2.wdl.tmp", "v.wdl", "-1v2.wdl", "+1v2.wdl", "1v2v3.wdl"]
    {
        fs::rename(database.file("2v2.wdl"), database.file(name)).unwrap();
        let effect = database.effect();
        assert!(matches!(effect, Effect::Opened { refused: 0, unknown: 1.., known: 1.. }), "{name}: {effect:?}");
        fs::rename(database.file(name), database.file("2v2.wdl")).unwrap();
    }
    // Nor can a name ask for a slice that no board has.
    for name in ["0v1.wdl", "9v9.wdl", "200v1.wdl", "18446744073709551615v1.wdl"] {
        fs::rename(database.file("2v2.wdl"), database.file(name)).unwrap();
        let error = database.refused(name);
        assert!(matches!(error, TableError::Foreign { .. }), "{error}");
        fs::rename(database.file(name), database.file("2v2.wdl")).unwrap();
    }
}

#[test]
fn tables_of_other_boards_and_rules_are_refused() {
    let database = Database::new();
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let mut others: Vec<(&str, String, RuleSet)> = RuleSet::all()
        .filter(|&rules| rules != DEFAULT)
        .map(|rules| ("3x3", fanorona::table::folder_name("3x3".parse().unwrap(), rules), rules))
        .collect();
    others.extend(["3x5", "5x3", "5x5", "1x9", "9x1"].map(|board| (board, board.to_owned(), DEFAULT)));
    for (board, folder, rules) in others {
        build_into(elsewhere.path(), board, 3, rules);
        fs::copy(elsewhere.path().join(&folder).join("2v1.wdl"), database.file("2v1.wdl")).expect("a copy");
        let error = database.refused("2v1.wdl");
        assert!(matches!(error, TableError::Foreign { .. }), "{folder}: {error}");
        check_text(&error, "2v1.wdl");
        assert!(error.to_string().contains(&rules.to_string()), "{error}");
    }
}

#[test]
fn tables_of_other_versions_are_refused() {
    let database = Database::new();
    let good = fs::read(database.file("2v1.wdl")).expect("a table");
    for (version, remedy) in [(0u32, "build again"), (2, "use a newer program"), (u32::MAX, "use a newer program")] {
        let mut bytes = good.clone();
        bytes[8..12].copy_from_slice(&version.to_le_bytes());
        fs::write(database.file("2v1.wdl"), with_checksums(bytes, INDEX_ENTRY_BYTES)).unwrap();
        let error = database.refused("2v1.wdl");
        assert!(matches!(error, TableError::Version { found, .. } if found == version), "{error}");
        assert!(error.to_string().ends_with(remedy), "{error}");
        check_text(&error, "2v1.wdl");
    }
}

#[test]
fn tables_with_another_order_of_positions_are_refused() {
    for (specimen, known, found) in [
        (Specimen::new("3x3", 4, 3), 2, 1),
        (Specimen::new("3x3", 4, 3), 2, 3),
        (Specimen::new("3x3", 2, 1), 1, 2),
        (Specimen::new("3x3", 2, 1), 1, 0),
    ] {
        let mut bytes = specimen.bytes.clone();
        assert_eq!(bytes[20], known);
        bytes[20] = found;
        let error = specimen.open(with_checksums(bytes, INDEX_ENTRY_BYTES)).expect_err("another index scheme");
        let expected = (found, known);
        assert!(matches!(error, TableError::IndexScheme { found, known, .. } if (found, known) == expected), "{error}");
        check_text(&error, "db/file.wdl");
    }
}

#[test]
fn what_is_no_table_is_refused() {
    let database = Database::new();
    let noise: [&[u8]; 5] = [b"", b"F", b"FANORONA", b"FANORONB and more", &[0; 4096]];
    for content in noise {
        fs::write(database.file("2v1.wdl"), content).unwrap();
        check_text(&database.refused("2v1.wdl"), "2v1.wdl");
    }
    fs::remove_file(database.file("2v1.wdl")).unwrap();
    fs::create_dir(database.file("2v1.wdl")).unwrap();
    let error = database.refused("2v1.wdl");
    assert!(matches!(error, TableError::NotATable { .. }), "{error}");
    check_text(&error, "2v1.wdl");
    fs::remove_dir(database.file("2v1.wdl")).unwrap();
    // A link that leads nowhere.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere.wdl", database.file("2v1.wdl")).unwrap();
        check_text(&database.refused("2v1.wdl"), "2v1.wdl");
    }
}

#[test]
fn what_needs_a_missing_table_is_unknown() {
    let database = Database::new();
    let total = database.values.len();
    for name in ["1v1.wdl", "2v1.wdl", "1v2.wdl"] {
        fs::rename(database.file(name), database.file("away")).unwrap();
        match database.effect() {
            Effect::Opened { refused: 0, unknown, known } => {
                assert!(
                    unknown > 0 && known > 0 && unknown + known == total,
                    "{name}: {unknown} unknown, {known} known"
                );
            }
            effect => panic!("{name}: {effect:?}"),
        }
        fs::rename(database.file("away"), database.file(name)).unwrap();
    }
    // More stones than there are tables for, and a folder without any.
    let tables = database.open().expect("undamaged tables");
    let two_stones = || (1..1u64 << 9).filter(|set| set.count_ones() == 2);
    let pairs =
        two_stones().flat_map(|own| two_stones().filter(move |enemy| own & enemy == 0).map(move |enemy| (own, enemy)));
    let unknown = pairs.filter(|&(own, enemy)| tables.probe(own, enemy).expect("no damage").is_none());
    assert!(unknown.count() > 0);
    let none = tempfile::tempdir().expect("a temporary folder");
    for database in [none.path().to_owned(), none.path().join("not there")] {
        let tables = Tables::open(&database, "3x3".parse().unwrap(), DEFAULT, DEFAULT_CACHE_BYTES).expect("no tables");
        assert_eq!(tables.probe(1, 2).expect("no damage"), None);
        assert_eq!(tables.probe(1, 0).expect("no damage"), Some(Outcome::Win));
        assert_eq!(tables.probe(0, 1).expect("no damage"), Some(Outcome::Loss));
    }
}

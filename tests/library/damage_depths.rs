//! Damaged, misplaced or missing depth tables, and builds over them: refused or harmless, never another value or depth.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fanorona::board::BoardSize;
use fanorona::report::stats;
use fanorona::retro::{Budget, BuildError, BuiltSlice, Goal, build};
use fanorona::rules::RuleSet;
use fanorona::table::{
    DEFAULT_CACHE_BYTES, HEADER_BYTES, INDEX_ENTRY_BYTES, Known, MANIFEST, TableError, Tables, folder_name,
};
use tempfile::TempDir;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::damage_files::for_each_change;

pub const STONES: usize = 3;

/// Where fields stand in a header, by FORMAT.md.
const VERSION: usize = 8;
pub const BLOCK_WORDS: usize = 37;
pub const COUNTS: usize = 45;
const FILE_BYTES: usize = 85;
const INDEX_CHECKSUM: usize = 93;
const IDENTITY: usize = 101;
const HEADER_CHECKSUM: usize = 117;

pub fn size() -> BoardSize {
    "3x3".parse().expect("a board")
}

fn build_both(database: &Path, board: &str, rules: RuleSet, stones: usize) -> Result<Vec<BuiltSlice>, BuildError> {
    build(Goal::both(board.parse().expect("a board"), rules, stones), database, Budget::default())
}

/// Error texts name a file, take one line, and end with what to do.
pub fn check_text(error: &TableError, name: &str) {
    let text = error.to_string();
    assert!(text.contains(name) && text.contains(';') && !text.contains(char::is_control), "{text}");
}

/// A database of 3x3 with depths, and what it says of every position.
pub struct Database {
    pub folder: TempDir,
    pub known: BTreeMap<(u64, u64), Known>,
    stats: String,
}

/// What came of a fault: the tables did not open, or how many positions were refused, unknown, known without their depth, and known.
#[derive(Debug)]
enum Effect {
    Refused(TableError),
    Opened { refused: usize, unknown: usize, shallow: usize, known: usize },
}

impl Database {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        build_both(folder.path(), "3x3", RuleSet::default(), STONES).expect("tables");
        let mut database = Self { folder, known: BTreeMap::new(), stats: String::new() };
        let tables = database.open().expect("undamaged tables");
        for own in 1..1u64 << 9 {
            for enemy in (1..1u64 << 9).filter(|enemy| own & enemy == 0) {
                if let Some(known) = tables.look_up(own, enemy).expect("undamaged tables") {
                    assert_eq!(known.plies.is_some(), known.outcome() != Some(fanorona::rules::Outcome::Draw));
                    database.known.insert((own, enemy), known);
                }
            }
        }
        database.stats = Database::read_all(&tables).expect("undamaged tables");
        database
    }

    pub fn open(&self) -> Result<Tables, TableError> {
        Tables::open(self.folder.path(), size(), RuleSet::default(), DEFAULT_CACHE_BYTES)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("3x3").join(name)
    }

    fn read_all(tables: &Tables) -> Result<String, TableError> {
        Ok(format!("{:?}", stats(tables.folder(), size(), RuleSet::default())?.slices))
    }

    /// Looks every position up; none may have another value or another depth than before.
    fn effect(&self) -> Effect {
        let tables = match self.open() {
            Ok(tables) => tables,
            Err(error) => return Effect::Refused(error),
        };
        let [mut refused, mut unknown, mut shallow, mut known] = [0; 4];
        for (&(own, enemy), right) in &self.known {
            match tables.look_up(own, enemy) {
                Err(error) => {
                    check_text(&error, "3x3");
                    refused += 1;
                }
                Ok(None) => unknown += 1,
                Ok(Some(found)) if found == *right => known += 1,
                Ok(Some(Known { bounds, plies: None, .. })) if bounds == right.bounds => shallow += 1,
                Ok(Some(found)) => panic!("{own:#b} against {enemy:#b}: {found:?} in place of {right:?}"),
            }
        }
        Effect::Opened { refused, unknown, shallow, known }
    }

    fn refused(&self, name: &str) -> TableError {
        match self.effect() {
            Effect::Refused(error) => {
                check_text(&error, name);
                error
            }
            opened @ Effect::Opened { .. } => panic!("{name}: {opened:?}"),
        }
    }

    /// Whether anything that goes through whole tables notices.
    fn verified(&self) -> Result<(), TableError> {
        let tables = self.open()?;
        let folder = tables.folder();
        folder.tables().chain(folder.depth_tables()).try_for_each(|(_, table)| table.verify(&|| ()))
    }
}

/// A depth table in parts: the header, and what its blocks and its list of depths hold before compression.
#[derive(Clone)]
pub struct Parts {
    pub header: Vec<u8>,
    pub contents: Vec<Vec<u8>>,
}

impl Parts {
    pub fn of(file: &[u8]) -> Self {
        let number = |at: usize| file[at..at + 8].iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte));
        let count = (number(HEADER_BYTES) - HEADER_BYTES) / INDEX_ENTRY_BYTES;
        let mut ends: Vec<usize> = (0..count).map(|block| number(HEADER_BYTES + block * INDEX_ENTRY_BYTES)).collect();
        ends.push(file.len());
        let contents = ends.windows(2).map(|ends| zstd::decode_all(&file[ends[0]..ends[1]]).expect("a frame"));
        Self { header: file[..HEADER_BYTES].to_vec(), contents: contents.collect() }
    }

    pub fn put(&mut self, at: usize, field: &[u8]) {
        self.header[at..at + field.len()].copy_from_slice(field);
    }

    pub fn sealed(mut self) -> Vec<u8> {
        let frames: Vec<Vec<u8>> =
            self.contents.iter().map(|content| zstd::bulk::compress(content, 3).expect("a frame")).collect();
        let mut offset = HEADER_BYTES + frames.len() * INDEX_ENTRY_BYTES;
        let mut index = Vec::new();
        for frame in &frames {
            index.extend((offset as u64).to_le_bytes());
            index.extend(xxh3_64(frame).to_le_bytes());
            offset += frame.len();
        }
        self.put(FILE_BYTES, &(offset as u64).to_le_bytes());
        self.put(INDEX_CHECKSUM, &xxh3_64(&index).to_le_bytes());
        self.put(IDENTITY, &xxh3_128(&self.contents.concat()).to_le_bytes());
        let checksum = xxh3_64(&self.header[..HEADER_CHECKSUM]);
        self.put(HEADER_CHECKSUM, &checksum.to_le_bytes());
        [self.header, index, frames.concat()].concat()
    }
}

#[test]
fn a_changed_byte_in_any_file_never_changes_a_value_or_a_depth() {
    let database = Database::new();
    for name in ["1v1.dtw", "2v1.dtw", "1v2.dtw", "2v1.wdl"] {
        for_each_change(&database.file(name), |at| {
            match database.effect() {
                Effect::Refused(error) => check_text(&error, name),
                Effect::Opened { refused, unknown, shallow, .. } => {
                    assert!(unknown == 0 && shallow == 0, "byte {at} of {name}");
                    // The list of depths holds no value of a single position.
                    let read = Database::read_all(&database.open().expect("tables"));
                    assert!(refused > 0 || read.is_err(), "byte {at} of {name} changed unnoticed");
                    read.err().inspect(|error| check_text(error, name));
                }
            }
            check_text(&database.verified().expect_err("a change unnoticed"), name);
        });
    }
    assert!(matches!(database.effect(), Effect::Opened { refused: 0, unknown: 0, shallow: 0, .. }));
    database.verified().expect("undamaged tables");
}

#[test]
fn a_cut_or_lengthened_depth_table_is_refused() {
    let database = Database::new();
    let good = fs::read(database.file("2v1.dtw")).expect("a table");
    for length in 0..good.len() {
        fs::write(database.file("2v1.dtw"), &good[..length]).expect("a file to cut");
        database.refused("2v1.dtw");
    }
    for more in [&b"\n"[..], &[0; 4096], &good] {
        fs::write(database.file("2v1.dtw"), [&good, more].concat()).expect("a file to lengthen");
        assert!(matches!(database.refused("2v1.dtw"), TableError::Truncated { .. }));
    }
}

#[test]
fn depth_tables_under_other_names_are_refused_or_missing() {
    let database = Database::new();
    let swap = |one: &str, other: &str| {
        let [one, other, away] = [one, other, "away"].map(|name| database.file(name));
        fs::rename(&one, &away)
            .and_then(|()| fs::rename(&other, &one))
            .and_then(|()| fs::rename(&away, &other))
            .unwrap();
    };
    for (one, other) in [("2v1.dtw", "1v2.dtw"), ("2v1.dtw", "2v1.wdl"), ("1v1.dtw", "2v1.dtw"), ("1v2.wdl", "1v1.dtw")]
    {
        swap(one, other);
        assert!(matches!(database.refused("v"), TableError::Foreign { .. }), "{one} and {other}");
        swap(one, other);
    }
    for name in ["2v1.DTW", "2v1.dtw.old", "02v1.dtw", "dtw"] {
        fs::rename(database.file("2v1.dtw"), database.file(name)).unwrap();
        let effect = database.effect();
        assert!(matches!(effect, Effect::Opened { refused: 0, unknown: 0, shallow: 1.., known: 1.. }), "{effect:?}");
        fs::rename(database.file(name), database.file("2v1.dtw")).unwrap();
    }
    // Depths without the values that they belong to say nothing.
    fs::rename(database.file("2v1.wdl"), database.file("away")).unwrap();
    let effect = database.effect();
    assert!(matches!(effect, Effect::Opened { refused: 0, unknown: 1.., .. }), "{effect:?}");
}

#[test]
fn depth_tables_of_other_boards_rules_and_versions_are_refused() {
    let database = Database::new();
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let others = RuleSet::all().filter(|&rules| rules != RuleSet::default()).map(|rules| ("3x3", rules));
    for (board, rules) in others.chain(["3x5", "1x9"].map(|board| (board, RuleSet::default()))) {
        build_both(elsewhere.path(), board, rules, STONES).expect("tables");
        let folder = elsewhere.path().join(folder_name(board.parse().expect("a board"), rules));
        for name in ["2v1.dtw", "1v2.wdl"] {
            let good = fs::read(database.file(name)).expect("a table");
            fs::copy(folder.join(name), database.file(name)).expect("a copy");
            assert!(matches!(database.refused(name), TableError::Foreign { .. }), "{board}, {rules}");
            fs::write(database.file(name), good).expect("a file to repair");
        }
    }
    let good = fs::read(database.file("2v1.dtw")).expect("a table");
    for (version, remedy) in [(0u32, "build again"), (2, "use a newer program"), (u32::MAX, "use a newer program")] {
        let mut parts = Parts::of(&good);
        parts.put(VERSION, &version.to_le_bytes());
        fs::write(database.file("2v1.dtw"), parts.sealed()).expect("a file to damage");
        let error = database.refused("2v1.dtw");
        assert!(matches!(error, TableError::Version { .. }) && error.to_string().ends_with(remedy), "{error}");
    }
}

/// The list of checksums is for other programs: this one does not depend on it, and rewrites it when it builds.
#[test]
fn a_damaged_list_of_checksums_does_no_harm() {
    let database = Database::new();
    let good = fs::read(database.file(MANIFEST)).expect("a list");
    let whole = |database: &Database| {
        let Effect::Opened { known, .. } = database.effect() else { panic!("refused") };
        assert_eq!(known, database.known.len());
        database.verified().expect("undamaged tables");
    };
    for content in [Some(&b""[..]), Some(&good[1..]), Some(&[0xff; 100]), None] {
        match content {
            Some(content) => fs::write(database.file(MANIFEST), content).expect("a file to damage"),
            None => fs::remove_file(database.file(MANIFEST)).expect("a file to remove"),
        }
        whole(&database);
        build_both(database.folder.path(), "3x3", RuleSet::default(), STONES).expect("nothing to build");
        assert_eq!(fs::read(database.file(MANIFEST)).expect("a list"), good);
    }
}

// Builds that go on

/// Every file of tables in a database.
fn files(database: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(database.join("3x3")).expect("a folder").map(|entry| entry.expect("an entry"));
    let named = entries.map(|entry| (entry.file_name().into_string().expect("a name"), entry.path()));
    named.filter(|(name, _)| name.contains('v')).map(|(name, path)| (name, fs::read(path).expect("a file"))).collect()
}

#[test]
fn a_build_over_damaged_tables_stops_or_makes_them_anew() {
    let whole = tempfile::tempdir().expect("a temporary folder");
    build_both(whole.path(), "3x3", RuleSet::default(), 4).expect("tables");
    let right = files(whole.path());
    for name in ["2v1.wdl", "1v2.dtw"] {
        let good = &right[name];
        for at in (0..good.len()).step_by(9) {
            let database = Database::new();
            let mut bytes = good.clone();
            bytes[at] ^= 0xff;
            fs::write(database.file(name), &bytes).expect("a file to damage");
            match build_both(database.folder.path(), "3x3", RuleSet::default(), 4) {
                // Headers and indexes are looked at first: what cannot be used is set aside, and built anew.
                Ok(_) => {
                    let aside = database.file(&format!("{name}.unusable"));
                    assert!(fs::read(&aside).is_ok_and(|old| old == bytes), "byte {at} of {name}");
                    fs::remove_file(aside).expect("a file to delete");
                }
                Err(BuildError::Table(error)) => {
                    check_text(&error, name);
                    // What the message says to do, if that byte is not in the list of depths: what was made is right.
                    for (made, bytes) in files(database.folder.path()) {
                        assert!(made == name || right[&made] == bytes, "byte {at} of {name}: {made} is another");
                    }
                    fs::remove_file(database.file(name)).expect("a file to delete");
                    build_both(database.folder.path(), "3x3", RuleSet::default(), 4).expect("tables");
                }
                other => panic!("byte {at} of {name}: {other:?}"),
            }
            assert_eq!(files(database.folder.path()), right, "byte {at} of {name}");
        }
    }
}

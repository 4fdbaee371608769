//! Damaged, misplaced and missing files in a database folder: refused or harmless, and never another value.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use fanorona::rules::{Outcome, RuleSet};
use fanorona::table::{DEFAULT_CACHE_BYTES, INDEX_ENTRY_BYTES, TableError, Tables};
use tempfile::TempDir;

use crate::damage::{DEFAULT, build_into, check_text, with_checksums};

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
    let near =
        ["01v2.wdl", "1v2.WDL", "1v2.wdl.old", "1v2", "1v2.wdl.tmp", "v.wdl", "-1v2.wdl", "+1v2.wdl", "1v2v3.wdl"];
    let impossible = ["0v1.wdl", "200v1.wdl", "18446744073709551615v1.wdl"];
    for name in near.into_iter().chain(impossible) {
        fs::rename(database.file("2v2.wdl"), database.file(name)).unwrap();
        let effect = database.effect();
        assert!(matches!(effect, Effect::Opened { refused: 0, unknown: 1.., known: 1.. }), "{name}: {effect:?}");
        fs::rename(database.file(name), database.file("2v2.wdl")).unwrap();
    }
    // Nor can a name ask for a slice that this board does not have.
    fs::rename(database.file("2v2.wdl"), database.file("9v9.wdl")).unwrap();
    let error = database.refused("9v9.wdl");
    assert!(matches!(error, TableError::Foreign { .. }), "{error}");
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

//! Tables that are mapped and tables that are read piece by piece: the same values, and failures are errors.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use fanorona::board::BoardSize;
use fanorona::index::Slice;
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::RuleSet;
use fanorona::table::{Access, Database, TableError, Tables};

use crate::program::Place;

const QUIET: &str = "W1B/3/3/3/WBW w";
const BOARD: &str = "3x5";
const STONES: usize = 5;

/// A database of a small board to five stones, values and depths.
fn built() -> (tempfile::TempDir, Database) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    build(Goal::both(size(), RuleSet::default(), STONES), folder.path(), Budget::default()).expect("tables");
    let database = Database { folder: folder.path().to_owned(), access: Access::Read };
    (folder, database)
}

fn size() -> BoardSize {
    BOARD.parse().expect("a board")
}

fn open(database: impl Into<Database>) -> Result<Tables, TableError> {
    // Blocks are not kept, so that every probe reads.
    Tables::open(database, size(), RuleSet::default(), 1)
}

/// Random placements of two to five stones.
fn placements(count: usize) -> impl Iterator<Item = (u64, u64)> {
    let mut random = fastrand::Rng::with_seed(11);
    let points = size().points();
    let slices: Vec<Slice> = Slice::up_to(STONES, points).collect();
    let draw = move || {
        let slice = slices[random.usize(..slices.len())];
        let mut all: Vec<usize> = (0..points).collect();
        random.shuffle(&mut all);
        let set = |points: &[usize]| points.iter().fold(0u64, |set, point| set | 1 << point);
        (set(&all[..slice.mover]), set(&all[slice.mover..slice.stones()]))
    };
    std::iter::repeat_with(draw).take(count)
}

#[test]
fn both_ways_of_reading_give_the_same_values() {
    let (folder, read) = built();
    let (mapped, read) = (open(folder.path()).expect("mapped tables"), open(&read).expect("tables to be read"));
    for (mover, opponent) in placements(3_000) {
        let known = mapped.look_up(mover, opponent).expect("a value");
        assert!(known.is_some());
        assert_eq!(read.look_up(mover, opponent).expect("a value"), known);
    }
}

/// Every table of the folder.
fn files(folder: &Database) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.folder.join(BOARD)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|kind| kind == "wdl" || kind == "dtw")).collect()
}

/// A name for another file in the same folder.
fn beside(file: &Path, suffix: &str) -> PathBuf {
    file.with_file_name(format!("{}.{suffix}", file.file_name().expect("a name").display()))
}

#[test]
fn a_table_that_is_cut_short_while_it_is_open_is_an_error() {
    let (_folder, database) = built();
    let tables = open(&database).expect("tables");
    let values: Vec<_> = placements(500).map(|(m, o)| (m, o, tables.look_up(m, o).expect("a value"))).collect();
    for file in files(&database) {
        let bytes = fs::metadata(&file).expect("a file").len();
        File::options().write(true).open(&file).and_then(|file| file.set_len(bytes / 2)).expect("cut");
    }
    let mut refused = 0;
    for &(mover, opponent, ref known) in &values {
        match tables.look_up(mover, opponent) {
            Ok(same) => assert_eq!(&same, known),
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("cut short while it was in use") && text.contains(BOARD), "{text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 100, "only {refused} positions noticed");
    // Opening them now fails at once.
    assert!(matches!(open(&database), Err(TableError::Truncated { .. })));
}

#[test]
fn a_table_that_changes_while_it_is_open_gives_its_values_or_an_error() {
    let (_folder, database) = built();
    for access in [Access::Read, Access::Mapped] {
        let tables = open(&Database { access, ..database.clone() }).expect("tables");
        let values: Vec<_> = placements(500).map(|(m, o)| (m, o, tables.look_up(m, o).expect("a value"))).collect();
        let before: Vec<_> = files(&database).into_iter().map(|file| (fs::read(&file).expect("bytes"), file)).collect();
        for (bytes, file) in &before {
            // In place, which no build does: the same length, every byte another.
            let changed: Vec<u8> = bytes.iter().map(|byte| byte ^ 0x55).collect();
            let mut opened = File::options().write(true).open(file).expect("a file");
            std::io::Write::write_all(&mut opened, &changed).expect("written");
        }
        let mut refused = 0;
        for &(mover, opponent, ref known) in &values {
            match tables.look_up(mover, opponent) {
                Ok(same) => assert_eq!(&same, known),
                Err(error) => {
                    assert!(matches!(error, TableError::Damaged { .. }), "{error}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 100, "only {refused} positions noticed");
        drop(tables);
        for (bytes, file) in before {
            fs::write(file, bytes).expect("as before");
        }
    }
}

#[test]
fn a_table_that_is_replaced_while_it_is_open_stays_what_it_was() {
    let (_folder, database) = built();
    for access in [Access::Read, Access::Mapped] {
        let tables = open(&Database { access, ..database.clone() }).expect("tables");
        let values: Vec<_> = placements(200).map(|(m, o)| (m, o, tables.look_up(m, o).expect("a value"))).collect();
        for file in files(&database) {
            let other = beside(&file, "new");
            fs::copy(&file, beside(&file, "kept")).expect("a copy");
            fs::write(&other, b"something else").expect("written");
            fs::rename(&other, &file).expect("replaced");
        }
        for (mover, opponent, known) in values {
            assert_eq!(tables.look_up(mover, opponent).expect("a value"), known);
        }
        assert!(open(&database).is_err());
        for file in files(&database) {
            fs::rename(beside(&file, "kept"), &file).expect("as before");
        }
    }
    assert!(open(&database).is_ok());
}

#[test]
fn every_command_that_reads_tables_can_do_without_mapping() {
    let place = Place::new();
    place.run("build 3x5 --stones 5 --metric both --no-mmap").done();
    let run = |command: &[&str], extra: &[&str]| place.run_with(&[command, extra].concat()).done();
    let commands: [&[&str]; 5] =
        [&["query", QUIET, "--json"], &["line", QUIET], &["stats", BOARD, "--csv"], &["info"], &["report"]];
    for command in commands {
        assert_eq!(run(command, &["--no-mmap"]), run(command, &[]), "{command:?}");
    }
    assert!(run(&["verify", BOARD, "--full"], &["--no-mmap"]).contains("all proved"));
    let solved = run(&["solve", BOARD, "--stones", "5", "--certificate", "proof.fan"], &["--no-mmap"]);
    assert!(solved.contains("White wins"), "{solved}");
    assert!(run(&["check", "proof.fan"], &["--no-mmap"]).contains("proved"));
}

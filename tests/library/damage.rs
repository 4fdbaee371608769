//! Damaged tables in memory: they are refused or do no harm, and never give another value.

use std::fs;
use std::path::Path;

use fanorona::board::{BoardSize, Diagonals};
use fanorona::index::{Slice, Space};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{Continuation, Directions, RuleSet, Stalemate};
use fanorona::table::{HEADER_BYTES, INDEX_ENTRY_BYTES, Metric, Table, TableError};
use xxhash_rust::xxh3::xxh3_64;

pub const DEFAULT: RuleSet = RuleSet {
    diagonals: Diagonals::Corner,
    continuation: Continuation::Optional,
    directions: Directions::NotRepeated,
    stalemate: Stalemate::Loss,
};

pub fn build_into(database: &Path, board: &str, stones: usize, rules: RuleSet) {
    let size: BoardSize = board.parse().expect("a board");
    build(Goal::values(size, rules, stones), database, Budget::default()).expect("a build");
}

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
        table.verify(&|| ()).expect("an undamaged table");
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
        let mut refusal = table.verify(&|| ()).err();
        let words = usize::try_from(table.header().block_words).expect("blocks are small");
        for block in 0..table.header().blocks() {
            let (decoded, packed) = (table.block(&self.space, block), table.packed_block(&self.space, block));
            assert_eq!(decoded.is_ok(), packed.is_ok(), "block {block}, decoded or not");
            match decoded {
                Ok(decoded) => {
                    let first = usize::try_from(block).expect("few blocks") * words;
                    assert_eq!(decoded.words(), &self.words[first..][..decoded.words().len()], "block {block}");
                }
                Err(error) => _ = refusal.get_or_insert(error),
            }
        }
        refusal
    }
}

/// Error texts name the file, take one line, and end with what to do.
pub fn check_text(error: &TableError, file: &str) {
    let text = error.to_string();
    assert!(text.contains(file), "no file name: {text}");
    assert!(!text.contains('\n'), "several lines: {text}");
    let remedies = ["build again", "use a newer program", "build the tables first", "choose the path of a folder"];
    assert!(text.contains(';') && remedies.iter().any(|remedy| text.ends_with(remedy)), "no remedy: {text}");
}

/// Every kind of checksum made to fit again after the header or the index was changed.
pub fn with_checksums(mut bytes: Vec<u8>, index_bytes: usize) -> Vec<u8> {
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
    // Nothing lies between the index and the first block.
    let start = HEADER_BYTES + index_bytes;
    let mut bytes = [&specimen.bytes[..start], &[0; 15], &specimen.bytes[start..]].concat();
    let length = bytes.len() as u64;
    bytes[85..93].copy_from_slice(&length.to_le_bytes());
    for entry in (HEADER_BYTES..start).step_by(INDEX_ENTRY_BYTES) {
        let offset = u64::from_le_bytes(bytes[entry..entry + 8].try_into().expect("8 bytes")) + 15;
        bytes[entry..entry + 8].copy_from_slice(&offset.to_le_bytes());
    }
    let error = specimen.refusal(with_checksums(bytes, index_bytes)).expect("a gap");
    check_text(&error, "db/file.wdl");
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
        check_text(&table.verify(&|| ()).expect_err("a wrong block"), "db/file.wdl");
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

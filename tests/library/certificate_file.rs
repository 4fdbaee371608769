//! Certificate files: what is written reads back, by a second reader too, and what is damaged is refused.

// Numbers read from files are small here.
#![allow(clippy::cast_possible_truncation)]

use std::fs;
use std::path::Path;

use fanorona::board::{BoardSize, Symmetry};
use fanorona::index::Slice;
use fanorona::proof::{Certificate, Claim, MAGIC, Member, ProofError, TableUse, VERSION, canonical};
use fanorona::rules::{Position, RuleSet, Side, Value as Claimed};
use fanorona::table::Access;
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use crate::prover::{self, Solved};

/// Values of claims in the order of their numbers in files.
const VALUES: [Claimed; 5] =
    [Claimed::WhiteWins, Claimed::BlackWins, Claimed::Draw, Claimed::WhiteDoesNotLose, Claimed::BlackDoesNotLose];

/// Offsets from FORMAT.md.
const FILE_BYTES: usize = 12;
pub const FIELDS: [(usize, usize); 9] =
    [(20, 1), (21, 1), (22, 1), (23, 1), (24, 1), (25, 4), (29, 4), (33, 8), (41, 8)];
pub const LISTS: usize = 49;
pub const RECORD: usize = 18;
const BLOCK: usize = 131_072;

pub fn bytes_of(certificate: &mut Certificate) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("proof.fan");
    certificate.write(&path).expect("a file");
    fs::read(&path).expect("a file")
}

pub fn read(bytes: &[u8]) -> Result<Certificate, ProofError> {
    Certificate::decode(bytes, "some/proof.fan", u64::MAX)
}

/// A certificate that is well formed, and nothing more.
fn random_certificate(board: &str, safe: usize, won: usize, random: &mut fastrand::Rng) -> Certificate {
    let size: BoardSize = board.parse().expect("a board");
    let symmetry = Symmetry::new(size);
    let all = u64::MAX >> (64 - size.points());
    let mut taken = std::collections::HashSet::new();
    let mut place = |random: &mut fastrand::Rng| {
        for _ in 0..100 {
            let (mover, mut opponent) = (random.u64(..) & all, random.u64(..) & all);
            opponent &= !mover;
            if random.bool() {
                opponent &= random.u64(..);
            }
            let sides = canonical(&symmetry, mover, opponent);
            if mover != 0 && opponent != 0 && taken.insert(sides) {
                return Some(sides);
            }
        }
        None
    };
    let number = |random: &mut fastrand::Rng| random.u32(..) >> random.u32(..32);
    let mut safe_set = Vec::new();
    for _ in 0..safe {
        let Some((mover, opponent)) = place(random) else { break };
        safe_set.push(Member { mover, opponent, reply: number(random), rank: 0 });
    }
    let mut won_set = Vec::new();
    for _ in 0..won {
        let Some((mover, opponent)) = place(random) else { break };
        won_set.push(Member { mover, opponent, reply: number(random), rank: number(random) });
    }
    let stones = random.usize(0..=size.points().min(9));
    let tables =
        Slice::up_to(stones, size.points()).map(|slice| TableUse { slice, identity: random.u128(..) }).collect();
    let claims = (0..random.usize(1..9)).map(|_| {
        let white = random.u64(1..) & all | 1;
        let to_move = if random.bool() { Side::White } else { Side::Black };
        let position = Position { white, black: random.u64(..) & all & !white, to_move };
        Claim { position, value: *random.choice(&VALUES).expect("a value") }
    });
    let claims = claims.collect();
    let rules = RuleSet::from_options(std::array::from_fn(|_| random.bool()));
    Certificate { size, rules, tables, claims, safe: safe_set, won: won_set }
}

pub fn small_proof() -> Certificate {
    let mut certificate = Solved::new("1B1/1W1/1W1 w", RuleSet::default()).prove(0, Vec::new());
    certificate.sort();
    certificate
}

fn with_length(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = bytes.len() as u64;
    bytes[FILE_BYTES..FILE_BYTES + 8].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Length and checksum made to fit.
pub fn sealed(bytes: Vec<u8>) -> Vec<u8> {
    let mut bytes = with_length(bytes);
    let end = bytes.len() - 16;
    let checksum = xxh3_128(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

// A second reader, from FORMAT.md alone

pub fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte))
}

/// The positions of a set: code, reply, rank. Moves `at` behind its blocks.
fn read_set(file: &[u8], at: &mut usize, count: usize, points: usize, ranked: bool) -> Vec<(u128, u32, u32)> {
    let mut set = Vec::new();
    while set.len() < count {
        let here = (count - set.len()).min(BLOCK);
        let length = number(&file[*at..*at + 4]) as usize;
        let planes = zstd::decode_all(&file[*at + 4..*at + 4 + length]).expect("a zstd frame");
        *at += 4 + length;
        let code_planes = points.div_ceil(5);
        assert_eq!(planes.len(), here * (code_planes + if ranked { 8 } else { 4 }));
        for place in 0..here {
            let digits = |from: usize, count: usize, base: u128| {
                (from..from + count).fold(0, |value, plane| base * value + u128::from(planes[plane * here + place]))
            };
            let reply = digits(code_planes, 4, 256) as u32;
            let rank = if ranked { digits(code_planes + 4, 4, 256) as u32 } else { 0 };
            set.push((digits(0, code_planes, 243), reply, rank));
        }
    }
    set
}

/// Compares a file with the certificate that was written, by the offsets of FORMAT.md.
fn read_again(file: &[u8], certificate: &Certificate) {
    let field = |at: usize, count: usize| number(&file[at..at + count]);
    let end = file.len() - 16;
    assert_eq!(&file[..8], b"FANOCERT");
    assert_eq!((field(8, 4), field(12, 8)), (1, file.len() as u128));
    let points = certificate.size.points();
    assert_eq!((field(20, 1), field(21, 1)), (certificate.size.columns() as u128, certificate.size.rows() as u128));
    let [diagonals, chains, stalemate] = [22, 23, 24].map(|at| file[at]);
    let options = [diagonals, chains & 1, chains >> 1, stalemate].map(|byte| byte == 1);
    assert_eq!(options, certificate.rules.options());
    let counts = [(25, 4), (29, 4), (33, 8), (41, 8)].map(|(at, count)| field(at, count) as usize);
    let Certificate { tables, claims, safe, won, .. } = certificate;
    assert_eq!(counts, [tables.len(), claims.len(), safe.len(), won.len()]);
    for (place, table) in tables.iter().enumerate() {
        let at = LISTS + RECORD * place;
        let slice = Slice::new(file[at].into(), file[at + 1].into());
        assert_eq!((slice, field(at + 2, 16)), (table.slice, table.identity));
    }
    for (place, claim) in claims.iter().enumerate() {
        let at = LISTS + RECORD * (tables.len() + place);
        let (white, black) = (claim.position.white.into(), claim.position.black.into());
        assert_eq!((field(at, 8), field(at + 8, 8)), (white, black));
        assert_eq!(file[at + 16] == 1, claim.position.to_move == Side::Black);
        assert_eq!(VALUES[usize::from(file[at + 17])], claim.value);
    }
    let mut at = LISTS + RECORD * (tables.len() + claims.len());
    let expected: Vec<_> = safe.iter().map(|e| (prover::code(e.mover, e.opponent), e.reply, 0)).collect();
    assert!(expected.is_sorted_by_key(|&(code, ..)| code));
    assert_eq!(read_set(file, &mut at, safe.len(), points, false), expected);
    let expected: Vec<_> = won.iter().map(|w| (prover::code(w.mover, w.opponent), w.reply, w.rank)).collect();
    assert_eq!(read_set(file, &mut at, won.len(), points, true), expected);
    assert_eq!(at, end);
    assert_eq!(field(end, 16), xxh3_128(&file[..end]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_certificates_read_back(seed: u64, board in 0usize..7, safe in 0usize..300, won in 0usize..300) {
        let board = ["3x3", "1x3", "13x3", "5x5", "9x5", "9x7", "1x1"][board];
        let mut certificate = random_certificate(board, safe, won, &mut fastrand::Rng::with_seed(seed));
        let bytes = bytes_of(&mut certificate);
        read_again(&bytes, &certificate);
        prop_assert_eq!(read(&bytes).expect("a certificate"), certificate);
    }
}

#[test]
fn sets_of_several_blocks_read_back_the_same_with_any_number_of_threads() {
    let mut random = fastrand::Rng::with_seed(6);
    let mut certificate = random_certificate("9x5", 2 * BLOCK + 5, BLOCK, &mut random);
    let shuffled = certificate.clone();
    let bytes = bytes_of(&mut certificate);
    read_again(&bytes, &certificate);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        assert!(pool.install(|| bytes_of(&mut shuffled.clone())) == bytes);
        assert!(pool.install(|| read(&bytes)).expect("a certificate") == certificate);
    }
}

// Damage

/// Error texts name the file, take one line, and end with what to do.
pub fn check_text(error: &ProofError) {
    let text = error.to_string();
    assert!(text.starts_with("some/proof.fan"), "no file name: {text}");
    assert!(!text.contains('\n'), "several lines: {text}");
    let remedies = ["write a new one", "use a newer program", "give the path of one", "use a machine with more"];
    assert!(text.contains(';') && remedies.iter().any(|remedy| text.ends_with(remedy)), "no remedy: {text}");
}

pub fn refusal(bytes: &[u8]) -> ProofError {
    let error = read(bytes).expect_err("a refusal");
    check_text(&error);
    error
}

#[test]
fn every_changed_byte_is_noticed() {
    let bytes = bytes_of(&mut small_proof());
    for at in 0..bytes.len() {
        for change in [1 << (at % 8), 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            let error = refusal(&changed);
            let fits = match at {
                0..8 => matches!(error, ProofError::NotACertificate(_)),
                8..12 => matches!(error, ProofError::Version { known: VERSION, .. }),
                12..20 => matches!(error, ProofError::Length { .. }),
                _ => matches!(error, ProofError::Damaged(_)),
            };
            assert!(fits, "{at}: {error}");
        }
    }
}

#[test]
fn every_other_length_is_refused() {
    let bytes = bytes_of(&mut small_proof());
    for length in 0..bytes.len() {
        let error = refusal(&bytes[..length]);
        assert!(matches!(error, ProofError::NotACertificate(_)) == (length < 8), "{length}: {error}");
        assert!(matches!(error, ProofError::Length { .. }) == (length >= 8), "{length}: {error}");
        // The same with the length made to fit, and with the checksum too.
        if length >= 20 {
            assert!(matches!(
                refusal(&with_length(bytes[..length].to_vec())),
                ProofError::Damaged(_) | ProofError::Length { .. }
            ));
        }
        if length >= 36 {
            refusal(&sealed(bytes[..length].to_vec()));
        }
    }
    for more in [1, 4, 16, 4096] {
        let longer = [&bytes[..], &vec![0; more]].concat();
        assert!(matches!(refusal(&longer), ProofError::Length { .. }));
        assert!(matches!(refusal(&sealed(longer)), ProofError::Malformed { .. }));
    }
    refusal(&[&bytes[..], &bytes].concat());
}

#[test]
fn other_versions_are_recognised() {
    let bytes = bytes_of(&mut small_proof());
    for (version, remedy) in
        [(0u32, "write a new one"), (VERSION + 1, "use a newer program"), (u32::MAX, "use a newer program")]
    {
        let mut changed = bytes.clone();
        changed[8..12].copy_from_slice(&version.to_le_bytes());
        let error = refusal(&sealed(changed));
        assert!(matches!(error, ProofError::Version { found, .. } if found == version));
        assert!(error.to_string().ends_with(remedy), "{error}");
    }
}

#[test]
fn noise_is_refused() {
    let mut random = fastrand::Rng::with_seed(7);
    let bytes = bytes_of(&mut small_proof());
    for _ in 0..2000 {
        let noise: Vec<u8> = (0..random.usize(..400)).map(|_| random.u8(..)).collect();
        refusal(&noise);
        refusal(&[&MAGIC, &noise[..]].concat());
        refusal(&sealed([&bytes[..random.usize(20..120)], &noise, &[0; 16]].concat()));
    }
}

#[test]
fn files_that_are_not_there() {
    let error = Certificate::read(Path::new("nowhere/proof.fan")).expect_err("no file").to_string();
    assert!(error.starts_with("nowhere/proof.fan: cannot read: ") && error.contains("check the path"), "{error}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert!(matches!(Certificate::read(folder.path()), Err(ProofError::Io { action: "read", .. })));
}

#[test]
fn no_more_is_read_than_a_certificate_states() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = folder.path().join("long.proof");
    let bytes = bytes_of(&mut small_proof());
    // Holes take no space on the disk; to read them all would take minutes.
    let holes = |start: &[u8]| {
        std::fs::write(&name, start).expect("a file");
        std::fs::File::options().write(true).open(&name).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
        Certificate::read(&name).expect_err("a refusal")
    };
    assert!(matches!(holes(b""), ProofError::NotACertificate(_)));
    assert!(matches!(holes(&bytes), ProofError::Length { found, .. } if found == 1 << 40));
    let mut stated = bytes[..20].to_vec();
    stated[12..].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    std::fs::write(&name, &stated).expect("a file");
    std::fs::File::options().write(true).open(&name).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    let error = Certificate::read_with_identity(&name, 1 << 30, &Access::Read).expect_err("a refusal");
    assert!(matches!(error, ProofError::Memory { bytes, .. } if bytes == 1 << 40), "{error}");
    // What a later version means by its bytes is not known here.
    let mut later = bytes.clone();
    later[8] = 2;
    std::fs::write(&name, &later).expect("a file");
    let subject = Certificate::read_subject(&name, &Access::Read);
    assert!(matches!(subject, Err(ProofError::Version { found: 2, .. })), "{subject:?}");
    // A device has no length, and no end.
    #[cfg(unix)]
    assert!(matches!(Certificate::read(Path::new("/dev/zero")), Err(ProofError::Io { .. })));
}

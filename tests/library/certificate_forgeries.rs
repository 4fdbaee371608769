//! Certificate files with valid length and checksum and false content: they are refused or do no harm.

use fanorona::index::Slice;
use fanorona::proof::{Certificate, Malformed, Member, NoTables, ProofError, TableUse, check};
use fanorona::rules::RuleSet;

use crate::certificate_file::{
    FIELDS, LISTS, RECORD, bytes_of, check_text, number, read, refusal, sealed, small_proof,
};
use crate::prover::{Definition, Solved};

/// Whatever is read must do no harm: it can be checked, and proves nothing false.
fn harmless(bytes: &[u8], definition: &Definition<'_>) {
    match read(bytes) {
        Err(error) => check_text(&error),
        Ok(certificate) => {
            let proved = check(&certificate, &NoTables, &|_| ()).is_ok();
            let known = certificate.size.to_string() == "3x3" && certificate.rules == RuleSet::default();
            assert!(!proved || !known || definition.is_true(&certificate), "{certificate:?}");
        }
    }
}

/// A small proof that names tables.
fn proof_with_tables() -> Certificate {
    let tables = Slice::up_to(3, 9).map(|slice| TableUse { slice, identity: 5 }).collect();
    Certificate { tables, ..small_proof() }
}

#[test]
fn false_fields_do_no_harm() {
    let solved = Solved::everything("3x3", RuleSet::default());
    let definition = Definition::new(&solved);
    let mut certificate = proof_with_tables();
    let bytes = bytes_of(&mut certificate);
    for (at, width) in FIELDS {
        let stored = u64::try_from(number(&bytes[at..at + width])).expect("at most 8 bytes");
        let near = [stored + 1, stored.wrapping_sub(1), stored + 2 * 65_536];
        for value in near.into_iter().chain([
            0,
            1,
            2,
            3,
            5,
            9,
            13,
            255,
            1 << 17,
            1 << 32,
            1 << 36,
            (1 << 36) + 1,
            1 << 63,
            u64::MAX,
        ]) {
            let mut changed = bytes.clone();
            changed[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
            harmless(&sealed(changed.clone()), &definition);
            let rules = (22..25).contains(&at) && changed[at] < if at == 23 { 4 } else { 2 };
            if changed != bytes && !rules && read(&sealed(changed)).is_ok() {
                // A board of as many planes is another board; its positions are for the checker to refuse.
                assert!(at < 22, "field at {at} saying {value} was believed");
            }
        }
    }
}

#[test]
fn false_lists_and_blocks_do_no_harm() {
    let solved = Solved::everything("3x3", RuleSet::default());
    let definition = Definition::new(&solved);
    let mut certificate = proof_with_tables();
    let bytes = bytes_of(&mut certificate);
    for at in LISTS..bytes.len() - 16 {
        for byte in [0, 1, 2, 4, 5, 9, 0x7f, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x80] {
            let mut changed = bytes.clone();
            changed[at] = byte;
            harmless(&sealed(changed), &definition);
        }
    }
    let first = LISTS + RECORD * (certificate.tables.len() + certificate.claims.len());
    let behind = |what: &str, at: usize, byte: u8| {
        let mut changed = bytes.clone();
        changed[at] = byte;
        let error = refusal(&sealed(changed));
        assert!(error.to_string().contains(what), "{error}");
    };
    behind("list of claims", first - 1, 5);
    behind("list of claims", first - 2, 2);
    behind("list of safe blocks", first + 3, 0x7f);
    behind("safe set", first + 4, 0);
}

#[test]
fn a_block_is_one_frame() {
    let certificate = &mut small_proof();
    let claims = certificate.claims.len();
    let bytes = bytes_of(certificate);
    let good = with_planes(&bytes, claims, 1, &[0, 5, 0, 0, 0, 0]);
    let at = LISTS + RECORD * claims;
    let frame = good[at + 4..good.len() - 16].to_vec();
    let empty = zstd::bulk::compress(&[], 3).expect("a frame");
    let skipped = [&0x184D_2A50_u32.to_le_bytes()[..], &3_u32.to_le_bytes(), b"abc"].concat();
    let with = |block: &[u8]| {
        let length = u32::try_from(block.len()).expect("short").to_le_bytes();
        sealed([&good[..at], &length, block, &[0; 16]].concat())
    };
    read(&with(&frame)).expect("a certificate");
    let mut silent = zstd::Encoder::new(Vec::new(), 3).expect("a frame");
    std::io::Write::write_all(&mut silent, &[0, 5, 0, 0, 0, 0]).expect("a frame");
    assert!(refusal(&with(&silent.finish().expect("a frame"))).to_string().contains("safe set"));
    for more in [&skipped[..], &empty, &[0], b"FANO"] {
        for block in [[&frame, more].concat(), [more, &frame].concat()] {
            let error = refusal(&with(&block));
            assert!(error.to_string().contains("safe set"), "{error}");
        }
    }
}

#[test]
fn a_small_file_asks_for_little_work() {
    const BLOCK: usize = 1 << 17;
    // Blocks of one position again and again compress to almost nothing.
    let certificate = &mut small_proof();
    let claims = certificate.claims.len();
    let bytes = bytes_of(certificate);
    let frame = zstd::bulk::compress(&vec![0; 6 * BLOCK], 19).expect("a frame");
    let blocks = 1000;
    let mut file = bytes[..LISTS + RECORD * claims].to_vec();
    file[33..41].copy_from_slice(&((blocks * BLOCK) as u64).to_le_bytes());
    file[41..49].fill(0);
    for _ in 0..blocks {
        file.extend(u32::try_from(frame.len()).expect("short").to_le_bytes());
        file.extend(&frame);
    }
    let error = refusal(&sealed([&file[..], &[0; 16]].concat()));
    assert!(error.to_string().contains("number of positions for its length"), "{error}");
}

/// A file with a safe set of the given planes.
fn with_planes(bytes: &[u8], claims: usize, count: u64, planes: &[u8]) -> Vec<u8> {
    let mut file = bytes[..LISTS + RECORD * claims].to_vec();
    file[33..41].copy_from_slice(&count.to_le_bytes());
    file[41..49].fill(0);
    let block = zstd::bulk::compress(planes, 3).expect("a frame");
    file.extend(u32::try_from(block.len()).expect("short").to_le_bytes());
    file.extend(block);
    file.extend([0; 16]);
    sealed(file)
}

#[test]
fn sets_that_are_none_are_refused() {
    let certificate = &mut small_proof();
    let claims = certificate.claims.len();
    let bytes = bytes_of(certificate);
    // 3x3: two planes of codes, four of replies. One position, b1 against a1: 2 + 3.
    let good = with_planes(&bytes, claims, 1, &[0, 5, 0, 0, 0, 0]);
    let entry = Member { mover: 2, opponent: 1, reply: 0, rank: 0 };
    assert_eq!(read(&good).expect("a certificate").safe, [entry]);
    let malformed = |count: u64, planes: &[u8]| {
        let error = refusal(&with_planes(&bytes, claims, count, planes));
        assert!(matches!(error, ProofError::Malformed { what: Malformed::Content(_), .. }), "{error}");
    };
    malformed(1, &[0, 243, 0, 0, 0, 0]);
    malformed(1, &[81, 0, 0, 0, 0, 0]); // a point beyond the ninth
    malformed(1, &[0, 5, 0, 0, 0]);
    malformed(1, &[0, 5, 0, 0, 0, 0, 0]);
    malformed(2, &[0, 5, 0, 0, 0, 0]);
    malformed(0, &[0, 5, 0, 0, 0, 0]);
    let two = |low: [u8; 2]| [&[0, 0], &low[..], &[0; 8]].concat();
    assert_eq!(read(&with_planes(&bytes, claims, 2, &two([5, 7]))).expect("a certificate").safe.len(), 2);
    malformed(2, &two([7, 5]));
    malformed(2, &two([5, 5]));
}

#[test]
fn no_number_asks_for_memory() {
    let certificate = &mut small_proof();
    let claims = certificate.claims.len();
    let bytes = bytes_of(certificate);
    for count in [1 << 17, 1 << 20, 1 << 36, u64::MAX] {
        refusal(&with_planes(&bytes, claims, count, &[0, 5, 0, 0, 0, 0]));
    }
    // A frame that says it is very long, and one that is.
    let long = with_planes(&bytes, claims, 1, &vec![0; 1 << 24]);
    assert!(matches!(refusal(&long), ProofError::Malformed { .. }));
    let positions = (certificate.safe.len() + certificate.won.len()) as u64;
    let error = Certificate::decode(&bytes, "some/proof.fan", 24 * positions - 1).expect_err("a refusal");
    check_text(&error);
    assert!(matches!(&error, ProofError::Memory { bytes, .. } if *bytes == 24 * positions), "{error}");
    Certificate::decode(&bytes, "some/proof.fan", 24 * positions).expect("a certificate");
}

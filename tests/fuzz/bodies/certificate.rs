//! Certificates: whatever the checker accepts is true, on boards that a plain solver knows all of.
//!
//! The input gives a file without its length and checksum, and without compression of its blocks; or positions of the two sets on 3x3,
//! which are brought into the form that the checker requires, so that it has to check their content.

use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex, PoisonError};

use fanorona::board::{BoardSize, Symmetry};
use fanorona::proof::{Certificate, Claim, MAGIC, Member, NoTables, VERSION, canonical, check};
use fanorona::rules::{Position, RuleSet, Side, Value as Claimed};
use xxhash_rust::xxh3::xxh3_128;

use super::{Input, check_message};
use crate::prover::{Definition, Solved};

/// Boards of which every position is known.
const KNOWN: [&str; 3] = ["3x3", "3x1", "1x3"];

/// What the first byte of an input says.
const AS_SETS: u8 = 1;
const SPOIL_LENGTH: u8 = 2;

const VALUES: [Claimed; 5] =
    [Claimed::WhiteWins, Claimed::BlackWins, Claimed::Draw, Claimed::WhiteDoesNotLose, Claimed::BlackDoesNotLose];

/// Bytes of tables and of claims in a file.
const RECORD: usize = 18;

/// Bytes of memory that a certificate may take.
const MEMORY: u64 = 1 << 20;

type AllSolved = HashMap<(BoardSize, RuleSet), &'static Solved>;

static SOLVED: LazyLock<Mutex<AllSolved>> = LazyLock::new(Mutex::default);

/// All positions of a board under some rules; solved once, and kept for as long as the process lives.
fn solved(size: BoardSize, rules: RuleSet) -> Option<&'static Solved> {
    if !KNOWN.contains(&size.to_string().as_str()) {
        return None;
    }
    let mut all = SOLVED.lock().unwrap_or_else(PoisonError::into_inner);
    let solve = || &*Box::leak(Box::new(Solved::everything(&size.to_string(), rules)));
    Some(all.entry((size, rules)).or_insert_with(solve))
}

fn rules_of(byte: u8) -> RuleSet {
    RuleSet::from_options([byte & 1 != 0, byte & 2 != 0, byte & 8 != 0, byte & 4 != 0])
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (root, number) in [("1B1/1W1/1W1 w", 0), ("1B1/3/WW1 w", 0), ("1BB/3/W2 b", 3), ("B2/3/2W w", 4)] {
        let rules = rules_of(number);
        let mut certificate = Solved::new(root, rules).prove(0, Vec::new());
        certificate.sort();
        seeds.push(as_file(&certificate));
        seeds.push(as_sets(number, &certificate));
    }
    seeds
}

/// What makes that certificate, in the first of the forms.
fn as_file(certificate: &Certificate) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("proof.fan");
    certificate.clone().write(&path).expect("a file");
    let file = std::fs::read(path).expect("a file");
    let lists = 49 + RECORD * (certificate.tables.len() + certificate.claims.len());
    let mut input = vec![0];
    input.extend(&file[20..lists]);
    let mut rest = &file[lists..file.len() - 16];
    while let Some((length, more)) = rest.split_first_chunk::<4>() {
        let (block, more) = more.split_at(u32::from_le_bytes(*length) as usize);
        let planes = zstd::decode_all(block).expect("a frame");
        input.extend(u16::try_from(planes.len()).expect("short").to_le_bytes());
        input.extend(planes);
        rest = more;
    }
    input
}

/// The same in the second.
#[allow(clippy::cast_possible_truncation)] // of 3x3
fn as_sets(rules: u8, certificate: &Certificate) -> Vec<u8> {
    let mut input = vec![AS_SETS, rules, certificate.claims.len() as u8, certificate.safe.len() as u8];
    for claim in &certificate.claims {
        input.extend((claim.position.white as u16).to_le_bytes());
        input.extend((claim.position.black as u16).to_le_bytes());
        let value = VALUES.iter().position(|value| *value == claim.value).expect("a value") as u8;
        input.push(2 * value + u8::from(claim.position.to_move == Side::Black));
    }
    let safe = certificate.safe.iter().map(|entry| (entry.mover, entry.opponent, entry.reply, 0));
    let won = certificate.won.iter().map(|won| (won.mover, won.opponent, won.reply, won.rank));
    for (mover, opponent, reply, rank) in safe.chain(won) {
        input.extend((mover as u16).to_le_bytes());
        input.extend((opponent as u16).to_le_bytes());
        input.extend([reply as u8, rank as u8]);
    }
    input
}

pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let how = input.bytes(1).first().copied().unwrap_or_default();
    if how & AS_SETS != 0 {
        return judge(&from_sets(input));
    }
    match Certificate::decode(&from_parts(how, input), "proof.fan", MEMORY) {
        Err(error) => check_message(&error.to_string()),
        Ok(certificate) => {
            assert!(certificate.bytes() <= MEMORY);
            judge(&certificate);
        }
    }
}

/// What is accepted is true.
fn judge(certificate: &Certificate) {
    match check(certificate, &NoTables, &|_| ()) {
        Err(refusal) => check_message(&refusal.to_string()),
        Ok(()) => {
            if let Some(solved) = solved(certificate.size, certificate.rules) {
                assert!(Definition::new(solved).is_true(certificate), "{certificate:?}");
            }
        }
    }
}

/// A file with length and checksum: the fields and lists of the input, its blocks compressed.
fn from_parts(how: u8, mut input: Input<'_>) -> Vec<u8> {
    let fields = input.bytes(29).to_vec();
    let count = |at: usize| fields.get(at).map_or(0, |&count| usize::from(count));
    let lists = input.bytes(RECORD * (count(5) + count(9))).to_vec();
    let mut file = [&MAGIC[..], &VERSION.to_le_bytes(), &[0; 8], &fields, &lists].concat();
    while !input.is_empty() {
        let length = usize::try_from(input.number(2)).expect("small");
        let block = zstd::bulk::compress(input.bytes(length), 1).expect("a frame");
        let said = if how & SPOIL_LENGTH != 0 { length } else { block.len() };
        file.extend(u32::try_from(said).expect("short").to_le_bytes());
        file.extend(block);
    }
    let length = file.len() as u64 + 16;
    file[12..20].copy_from_slice(&length.to_le_bytes());
    let checksum = xxh3_128(&file);
    file.extend(checksum.to_le_bytes());
    file
}

/// A certificate for 3x3 of positions in any order: off the board and twice are left out, the rest is turned and sorted.
fn from_sets(mut input: Input<'_>) -> Certificate {
    const POINTS: u64 = (1 << 9) - 1;
    let size: BoardSize = "3x3".parse().expect("a board");
    let symmetry = Symmetry::new(size);
    let rules = rules_of(input.number(1).to_le_bytes()[0]);
    let (claims, safe) = (input.index(64), input.index(256));
    let claim = |input: &mut Input<'_>| {
        let (white, black) = (input.number(2) & POINTS, input.number(2) & POINTS);
        let value = input.index(2 * VALUES.len());
        let to_move = if value % 2 == 1 { Side::Black } else { Side::White };
        Claim { position: Position { white, black: black & !white, to_move }, value: VALUES[value / 2] }
    };
    let claims = (0..claims).map(|_| claim(&mut input)).collect();
    let position = |input: &mut Input<'_>| {
        let (mover, opponent) = (input.number(2) & POINTS, input.number(2) & POINTS);
        let (reply, rank) = (input.index(256), input.index(256));
        let sides = canonical(&symmetry, mover, opponent & !mover);
        (sides, (u32::try_from(reply).expect("small"), u32::try_from(rank).expect("small")))
    };
    let stands = |&(sides, _): &((u64, u64), (u32, u32))| sides.0 != 0 && sides.1 != 0;
    let mut safe: BTreeMap<_, _> = (0..safe).map(|_| position(&mut input)).filter(stands).collect();
    let mut won = BTreeMap::new();
    while !input.is_empty() {
        won.extend(Some(position(&mut input)).filter(stands));
    }
    safe.retain(|sides, _| !won.contains_key(sides));
    let safe =
        safe.into_iter().map(|((mover, opponent), (reply, _))| Member { mover, opponent, reply, rank: 0 }).collect();
    let won =
        won.into_iter().map(|((mover, opponent), (reply, rank))| Member { mover, opponent, reply, rank }).collect();
    let mut certificate = Certificate { size, rules, tables: Vec::new(), claims, safe, won };
    certificate.sort();
    certificate
}

//! Certificate files; their bytes are specified in FORMAT.md.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use bincode::{Decode, Encode};
use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::board::{BoardSize, MAX_POINTS};
use crate::files::{Access, FIXED_WIDTH, check_writable, remove_left, replace_file};
use crate::index::Slice;
use crate::rules::{Position, RuleSet, Side};

use super::block::{self, BLOCK};
use super::certificate::{Certificate, Member, POSITION_BYTES, Set, TableUse, disorder};
use super::claim::{Claim, VALUES};
use super::error::{Malformed, ProofError};
use super::shape::{MAX_CLAIMS, MAX_POSITIONS, MAX_POSITIONS_PER_BYTE, check_head, check_shape};

/// The first bytes of every certificate.
pub const MAGIC: [u8; 8] = *b"FANOCERT";

/// The format that this program writes and reads.
pub const VERSION: u32 = 1;

/// Bytes in front of the fields: magic, version, file length.
const PRELUDE_BYTES: usize = 20;

/// Bytes of the prelude and of the fields.
const SUBJECT_BYTES: u64 = 49;

/// Bytes at the end: the checksum.
const CHECKSUM_BYTES: usize = 16;

/// The fields after the prelude, little-endian and without gaps. Tables, claims and blocks follow.
#[derive(Encode, Decode)]
struct RawFields {
    columns: u8,
    rows: u8,
    /// [`RuleSet::to_bytes`].
    options: [u8; 3],
    tables: u32,
    claims: u32,
    safe: u64,
    won: u64,
}

impl RawFields {
    /// The board and the rules; `None` if they are invalid.
    fn subject(&self) -> Option<(BoardSize, RuleSet)> {
        let size = BoardSize::new(self.columns.into(), self.rows.into()).ok()?;
        Some((size, RuleSet::from_bytes(self.options)?)).filter(|_| size.points() <= MAX_POINTS)
    }
}

#[derive(Encode, Decode)]
struct RawTable {
    mover: u8,
    opponent: u8,
    identity: u128,
}

#[derive(Encode, Decode, Clone, Copy)]
struct RawClaim {
    white: u64,
    black: u64,
    to_move: u8,
    value: u8,
}

impl Certificate {
    /// Sorts the certificate and writes it to a temporary file, which is renamed once it is complete and on disk. Returns the
    /// length of the file. The bytes are the same with any number of threads.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] if a position occurs twice or is not canonical, or something else is malformed;
    /// [`ProofError::Io`].
    pub fn write(&mut self, path: &Path) -> Result<u64, ProofError> {
        self.sort();
        let malformed = |what| ProofError::Malformed { file: path.display().to_string(), what };
        check_shape(self).map_err(malformed)?;
        replace_file(path, ProofError::io, |file, temporary| {
            let failed = |source| ProofError::io("write", temporary, source);
            let parts = self.encode().map_err(failed)?;
            let length: u64 = parts.iter().map(|part| part.len() as u64).sum();
            let (found, most) = (self.positions(), MAX_POSITIONS_PER_BYTE * length);
            if found > most {
                return Err(malformed(Malformed::TooMany { what: "positions for its length", found, most }));
            }
            parts.iter().try_for_each(|part| file.write_all(part)).map_err(failed)?;
            Ok(length)
        })
    }

    /// Checks, before a long search, that a certificate can be written to a file later.
    ///
    /// # Errors
    /// [`ProofError::Io`].
    pub fn check_writable(path: &Path) -> Result<(), ProofError> {
        check_writable(path).map_err(|source| ProofError::io("write the certificate", path, source))
    }

    /// Removes the temporary file of a program that was killed while it wrote a certificate.
    ///
    /// # Errors
    /// [`ProofError::Io`], also if one is being written.
    pub fn remove_left(path: &Path) -> Result<(), ProofError> {
        remove_left(path).map_err(|source| ProofError::io("write the certificate", path, source))
    }

    /// Reads a file and checks its checksum and the order of its positions. [`check`](super::check) decides whether it is a
    /// proof.
    ///
    /// # Errors
    /// [`ProofError`].
    pub fn read(path: &Path) -> Result<Self, ProofError> {
        Ok(Self::read_with_identity(path, u64::MAX, &Access::Read)?.0)
    }

    /// As [`read`](Self::read), unless the positions take more than `memory` bytes (a small file can hold very many). Also returns the
    /// identity of the file: its checksum, which covers the identities of the tables.
    ///
    /// # Errors
    /// [`ProofError`].
    pub fn read_with_identity(path: &Path, memory: u64, access: &Access) -> Result<(Self, u128), ProofError> {
        let bytes = read_bytes(path, memory, access)?;
        let certificate = Self::decode(&bytes, &path.display().to_string(), memory)?;
        let identity = bytes.last_chunk().map_or(0, |checksum| u128::from_le_bytes(*checksum));
        Ok((certificate, identity))
    }

    /// Reads only the board and the rules of a certificate; the rest of the file is not checked.
    ///
    /// # Errors
    /// [`ProofError`].
    pub fn read_subject(path: &Path, access: &Access) -> Result<(BoardSize, RuleSet), ProofError> {
        let failed = |source| ProofError::io("read", path, source);
        let mut start = Vec::new();
        access.input(path).and_then(|(file, _)| file.take(SUBJECT_BYTES).read_to_end(&mut start)).map_err(failed)?;
        let name = path.display().to_string();
        stated_length(&start, &name)?;
        let mut rest = Rest(start.get(PRELUDE_BYTES..).unwrap_or_default());
        let fields = rest.record::<RawFields>();
        fields
            .and_then(|fields| fields.subject())
            .ok_or(ProofError::Malformed { file: name, what: Malformed::Content("board or rules") })
    }

    /// Reads only the identity at the end of a file. [`Self::read_with_identity`] checks that it is that of the content.
    ///
    /// # Errors
    /// [`ProofError::Io`], also if the file is too short to have one.
    pub fn read_identity(path: &Path, access: &Access) -> Result<u128, ProofError> {
        let mut end = [0; CHECKSUM_BYTES];
        access
            .input(path)
            .and_then(|(mut file, length)| {
                file.seek(SeekFrom::Start(length.saturating_sub(CHECKSUM_BYTES as u64)))?;
                file.read_exact(&mut end)
            })
            .map_err(|source| ProofError::io("read", path, source))?;
        Ok(u128::from_le_bytes(end))
    }

    /// The bytes of the file, in pieces.
    fn encode(&self) -> std::io::Result<Vec<Vec<u8>>> {
        #[allow(clippy::cast_possible_truncation)] // shapes have been checked
        let fields = RawFields {
            columns: self.size.columns() as u8,
            rows: self.size.rows() as u8,
            options: self.rules.to_bytes(),
            tables: self.tables.len() as u32,
            claims: self.claims.len() as u32,
            safe: self.safe.len() as u64,
            won: self.won.len() as u64,
        };
        let mut parts = vec![Vec::new(), encoded(&fields)?];
        #[allow(clippy::cast_possible_truncation)]
        for &TableUse { slice, identity } in &self.tables {
            parts.push(encoded(&RawTable { mover: slice.mover as u8, opponent: slice.opponent as u8, identity })?);
        }
        for Claim { position, value } in &self.claims {
            // The shape has been checked: the value is one of these.
            let value = VALUES.iter().position(|known| known == value).unwrap_or(VALUES.len());
            #[allow(clippy::cast_possible_truncation)]
            parts.push(encoded(&RawClaim {
                white: position.white,
                black: position.black,
                to_move: u8::from(position.to_move == Side::Black),
                value: value as u8,
            })?);
        }
        parts.extend(encode_set(self, Set::Safe)?);
        parts.extend(encode_set(self, Set::Won)?);
        let length = parts.iter().map(Vec::len).sum::<usize>() + PRELUDE_BYTES + CHECKSUM_BYTES;
        parts[0] = [&MAGIC[..], &VERSION.to_le_bytes(), &(length as u64).to_le_bytes()].concat();
        let mut checksum = Xxh3::new();
        for part in &parts {
            checksum.update(part);
        }
        parts.push(checksum.digest128().to_le_bytes().to_vec());
        Ok(parts)
    }

    /// Reads a certificate from the bytes of its file, unless the positions take more than `memory` bytes. Errors call the
    /// file `name`.
    ///
    /// # Errors
    /// [`ProofError`].
    pub fn decode(bytes: &[u8], name: &str, memory: u64) -> Result<Self, ProofError> {
        let malformed = |what| ProofError::Malformed { file: name.to_owned(), what: Malformed::Content(what) };
        let mut rest = Rest(sealed(bytes, name)?);
        let fields: RawFields = rest.record().ok_or_else(|| malformed("length"))?;
        let (size, rules) = fields.subject().ok_or_else(|| malformed("board or rules"))?;
        if fields.claims as usize > MAX_CLAIMS || fields.safe > MAX_POSITIONS || fields.won > MAX_POSITIONS {
            return Err(malformed("number of claims or positions"));
        }
        let positions = fields.safe + fields.won;
        if positions > MAX_POSITIONS_PER_BYTE * bytes.len() as u64 {
            return Err(malformed("number of positions for its length"));
        }
        let too_many = || ProofError::Memory { file: name.to_owned(), bytes: positions.saturating_mul(POSITION_BYTES) };
        if positions * POSITION_BYTES > memory {
            return Err(too_many());
        }
        // Lists grow as their records are read, so that no number in a file can allocate memory.
        let mut tables = Vec::new();
        for _ in 0..fields.tables {
            let raw: RawTable = rest.record().ok_or_else(|| malformed("list of tables"))?;
            let slice = Slice::new(raw.mover.into(), raw.opponent.into());
            tables.push(TableUse { slice, identity: raw.identity });
        }
        let mut claims = Vec::new();
        for _ in 0..fields.claims {
            claims.push(rest.record().and_then(claim).ok_or_else(|| malformed("list of claims"))?);
        }
        let safe = rest.blocks(fields.safe).ok_or_else(|| malformed("list of safe blocks"))?;
        let won = rest.blocks(fields.won).ok_or_else(|| malformed("list of won blocks"))?;
        if !rest.0.is_empty() {
            return Err(malformed("length"));
        }
        let mut certificate = Self { size, rules, tables, claims, safe: Vec::new(), won: Vec::new() };
        check_head(&certificate).map_err(|what| ProofError::Malformed { file: name.to_owned(), what })?;
        let points = size.points();
        certificate.safe = decode_set(Set::Safe, &safe, fields.safe, points, || malformed("safe set"), too_many)?;
        certificate.won = decode_set(Set::Won, &won, fields.won, points, || malformed("won set"), too_many)?;
        Ok(certificate)
    }
}

/// The bytes of a file. The rest is read only after the first ones have shown that it is a certificate of a possible length,
/// and no more of it than the stated length.
fn read_bytes(path: &Path, memory: u64, access: &Access) -> Result<Vec<u8>, ProofError> {
    let failed = |source| ProofError::io("read", path, source);
    let name = path.display().to_string();
    let (mut file, length) = access.input(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.by_ref().take(PRELUDE_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
    let stated = stated_length(&bytes, &name)?;
    if length != stated {
        return Err(ProofError::Length { file: name, expected: stated, found: length });
    }
    if stated > memory {
        return Err(ProofError::Memory { file: name, bytes: stated });
    }
    // A byte more shows that the file goes on.
    file.take(stated.saturating_sub(PRELUDE_BYTES as u64) + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// The length of the file that its first bytes state.
fn stated_length(bytes: &[u8], name: &str) -> Result<u64, ProofError> {
    let short = || {
        let least = PRELUDE_BYTES + CHECKSUM_BYTES;
        ProofError::Length { file: name.to_owned(), expected: least as u64, found: bytes.len() as u64 }
    };
    if !bytes.starts_with(&MAGIC) {
        return Err(ProofError::NotACertificate(name.to_owned()));
    }
    let version = bytes.get(8..).and_then(<[u8]>::first_chunk).ok_or_else(short)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(ProofError::Version { file: name.to_owned(), found: version, known: VERSION });
    }
    bytes.get(12..).and_then(<[u8]>::first_chunk).map(|length| u64::from_le_bytes(*length)).ok_or_else(short)
}

/// What lies between the prelude and the checksum of a file, after both have been checked.
fn sealed<'a>(bytes: &'a [u8], name: &str) -> Result<&'a [u8], ProofError> {
    let expected = stated_length(bytes, name)?;
    let other_length = |expected| ProofError::Length { file: name.to_owned(), expected, found: bytes.len() as u64 };
    if expected != bytes.len() as u64 {
        return Err(other_length(expected));
    }
    let content = bytes.get(PRELUDE_BYTES..).and_then(<[u8]>::split_last_chunk);
    let Some((content, checksum)) = content else { return Err(other_length((PRELUDE_BYTES + CHECKSUM_BYTES) as u64)) };
    if xxh3_128(&bytes[..bytes.len() - CHECKSUM_BYTES]) != u128::from_le_bytes(*checksum) {
        return Err(ProofError::Damaged(name.to_owned()));
    }
    Ok(content)
}

/// The part of a file that has not been read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn record<T: Decode<()>>(&mut self) -> Option<T> {
        let (record, count) = bincode::decode_from_slice(self.0, FIXED_WIDTH).ok()?;
        self.take(count)?;
        Some(record)
    }

    /// The compressed blocks of a set of `positions` positions.
    fn blocks(&mut self, positions: u64) -> Option<Vec<&'a [u8]>> {
        let mut blocks = Vec::new();
        for _ in 0..positions.div_ceil(BLOCK as u64) {
            let length: u32 = self.record()?;
            blocks.push(self.take(length as usize)?);
        }
        Some(blocks)
    }
}

fn claim(raw: RawClaim) -> Option<Claim> {
    let to_move = *[Side::White, Side::Black].get(usize::from(raw.to_move))?;
    let value = *VALUES.get(usize::from(raw.value))?;
    Some(Claim { position: Position { white: raw.white, black: raw.black, to_move }, value })
}

fn encoded(record: &impl Encode) -> std::io::Result<Vec<u8>> {
    bincode::encode_to_vec(record, FIXED_WIDTH).map_err(std::io::Error::other)
}

/// The blocks of a set, each preceded by its length.
fn encode_set(certificate: &Certificate, set: Set) -> std::io::Result<Vec<Vec<u8>>> {
    let encode = |block| block::encode(set, block, certificate.size.points());
    let blocks: Vec<Vec<u8>> = certificate.set(set).par_chunks(BLOCK).map(encode).collect::<std::io::Result<_>>()?;
    let with_length = |block: Vec<u8>| {
        let length = u32::try_from(block.len()).map_err(std::io::Error::other)?;
        Ok([encoded(&length)?, block])
    };
    let parts: std::io::Result<Vec<[Vec<u8>; 2]>> = blocks.into_iter().map(with_length).collect();
    Ok(parts?.into_iter().flatten().collect())
}

fn decode_set(
    set: Set,
    blocks: &[&[u8]],
    positions: u64,
    points: usize,
    malformed: impl Fn() -> ProofError,
    too_many: impl Fn() -> ProofError,
) -> Result<Vec<Member>, ProofError> {
    let total = usize::try_from(positions).map_err(|_| too_many())?;
    let mut members = Vec::new();
    members.try_reserve_exact(total).map_err(|_| too_many())?;
    // A few blocks at a time, so that they take little memory beside the set.
    for batch in blocks.chunks(2 * rayon::current_num_threads()) {
        let left = total - members.len();
        let count = |block: usize| BLOCK.min(left - block * BLOCK);
        let decoded: Vec<Option<Vec<Member>>> = batch
            .par_iter()
            .enumerate()
            .map(|(number, block)| block::decode(set, block, count(number), points))
            .collect();
        for positions in decoded {
            let before = members.len();
            members.extend(positions.ok_or_else(&malformed)?);
            // Decoding ends with the first block that is out of order.
            if disorder(&members[before.saturating_sub(1)..]).is_some() {
                return Err(malformed());
            }
        }
    }
    Ok(members)
}

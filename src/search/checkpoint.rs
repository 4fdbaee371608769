//! The state of a long search on disk, to continue from after an interruption.
//!
//! A checkpoint holds the entries of the transposition table that took most work, those of less than [`MIN_NODES`] positions left
//! out. After a magic and a version, everything is in one zstd frame with a checksum: which search it is of, its work, then for each
//! entry its key and its data. Entries are facts about the board and the rules, or name what they depend on, so that a search with other
//! tables or less memory, or of another position, can continue from them as well.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use bincode::error::DecodeError;
use bincode::{Decode, Encode};
use thiserror::Error;

use crate::board::BoardSize;
use crate::files::{
    FIXED_WIDTH, Lock, check_writable, open_file, regular_file, remove_left, replace_file, with_suffix,
};
use crate::rules::{Position, RuleSet, Side};
use crate::table::remedy;

use super::canonical::Key;
use super::numbers::Effort;
use super::transposition::{TranspositionTable, TtEntry};

const MAGIC: [u8; 8] = *b"FANOSAVE";
const VERSION: u32 = 2;

/// An entry is saved if at least this many positions were expanded for it.
const MIN_NODES: u64 = 3;

const LEVEL: i32 = 1;

/// The work of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Encode, Decode)]
pub struct SearchTotals {
    /// Positions expanded.
    pub nodes: u64,
    /// Turns that the rules, tables or certificates settled.
    pub probes: u64,
    /// Seconds.
    pub seconds: f64,
}

impl SearchTotals {
    /// The work after some earlier work.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            nodes: self.nodes.saturating_sub(before.nodes),
            probes: self.probes.saturating_sub(before.probes),
            seconds: self.seconds - before.seconds,
        }
    }
}

/// The search that a checkpoint is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Subject {
    columns: u8,
    rows: u8,
    /// [`RuleSet::to_bytes`].
    options: [u8; 3],
    /// The white and the black stones, and whether White is to move.
    position: (u64, u64, bool),
    /// Whether White wins, whether Black does, and what each move is worth.
    asked: [bool; 3],
}

fn what_to_do(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::NotADirectory => {
            "; name a file that can be written"
        }
        io::ErrorKind::NotFound => "; check that its folder exists, or name another file",
        _ => remedy(error),
    }
}

impl Subject {
    /// The search for some answers about a position: whether White wins, whether Black does, and what each move is worth.
    #[must_use]
    pub fn new(size: BoardSize, rules: RuleSet, position: &Position<u64>, asked: [bool; 3]) -> Self {
        #[allow(clippy::cast_possible_truncation)] // at most 13
        let [columns, rows] = [size.columns() as u8, size.rows() as u8];
        let position = (position.white, position.black, position.to_move == Side::White);
        Self { columns, rows, options: rules.to_bytes(), position, asked }
    }

    fn is_on(&self, size: BoardSize, rules: RuleSet) -> bool {
        (usize::from(self.columns), usize::from(self.rows), self.options)
            == (size.columns(), size.rows(), rules.to_bytes())
    }

    /// Whether it answers all that another one on the same board does.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.position == other.position && (0..3).all(|place| self.asked[place] >= other.asked[place])
    }

    /// What a checkpoint of this search is of after another one has continued from it.
    pub(super) fn continued_by(&self, other: &Self) -> Self {
        if other.covers(self) { *other } else { *self }
    }
}

/// What can be wrong with a checkpoint.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// It could not be read or written.
    #[error("cannot {action} checkpoint {path}: {reason}{}", what_to_do(reason))]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: String,
        /// Why not.
        reason: io::Error,
    },
    /// The certificate is to be written to the same file.
    #[error("{path} cannot be both the checkpoint and the certificate; name another file for one of them")]
    IsCertificate {
        /// The file.
        path: String,
    },
    /// It is another file.
    #[error("{path} is not a checkpoint, and is not replaced; move it away, or name another file")]
    Foreign {
        /// The file.
        path: String,
    },
    /// It is damaged.
    #[error("the checkpoint {path} is damaged ({what}); delete it to start again")]
    Damaged {
        /// The file.
        path: String,
        /// What was seen.
        what: String,
    },
    /// It has another format.
    #[error(
        "{path} is a checkpoint of format {found}, and this program reads {known}; delete it to start again{}",
        if found > known { ", or use a newer program" } else { "" }
    )]
    Version {
        /// The file.
        path: String,
        /// The format of the file.
        found: u32,
        /// The format that is known.
        known: u32,
    },
    /// It belongs to another search.
    #[error("{path} is the checkpoint of another board or rule set; delete it, or name another file")]
    Other {
        /// The file.
        path: String,
    },
    /// Another search saves its state there.
    #[error("{path} is in use by another search; wait until it has ended, or name another file")]
    InUse {
        /// The file.
        path: String,
    },
}

impl CheckpointError {
    /// An error of the operating system.
    pub(super) fn io(action: &'static str, path: &Path, reason: io::Error) -> Self {
        Self::Io { action, path: path.display().to_string(), reason }
    }
}

/// Reserves a checkpoint, which need not be there yet, for one search: two that save to the same file would undo each
/// other's work. The lock is on a file beside it, with `.lock` appended to the name, since saving replaces the checkpoint. What a
/// search that was killed during a save has left is removed.
///
/// # Errors
/// [`CheckpointError::InUse`] if another search has it, [`CheckpointError::Io`] otherwise, also if the checkpoint could not be
/// written.
pub fn reserve(path: &Path) -> Result<Lock, CheckpointError> {
    let unwritable = |reason| CheckpointError::io("write", path, reason);
    regular_file(path).map_err(unwritable)?;
    let beside = with_suffix(path, ".lock");
    let lock = Lock::on(&beside).map_err(|reason| CheckpointError::io("lock", &beside, reason))?;
    let lock = lock.ok_or_else(|| CheckpointError::InUse { path: path.display().to_string() })?;
    check_writable(path).and_then(|()| remove_left(path)).map_err(unwritable)?;
    Ok(lock)
}

/// Writes a checkpoint, which gets its name only when it is complete. Searches may continue meanwhile.
///
/// # Errors
/// [`CheckpointError::Io`].
pub fn save(
    path: &Path,
    subject: Subject,
    done: SearchTotals,
    entries: &TranspositionTable<'_>,
) -> Result<(), CheckpointError> {
    save_from(path, subject, done, entries, Effort::of(MIN_NODES))
}

/// The most entries that are written in about a second, also on a busy machine (measured: 28 million in 6.9 s beside fifteen
/// other programs on two cores).
const AT_ONCE: f64 = 4e6;

/// The largest table that can be scanned in about a second (measured there: 1 GiB in 1.0 s; alone it takes a third).
const LOOKED_AT_AT_ONCE: u64 = 2 << 30;

/// Whether [`save`] takes a second at most.
#[must_use]
pub fn is_saved_at_once(entries: &TranspositionTable<'_>) -> bool {
    entries.bytes() <= LOOKED_AT_AT_ONCE && entries.with_effort(Effort::of(MIN_NODES)) <= AT_ONCE
}

/// The least effort for which all entries that took at least as much can be written in about a second.
#[must_use]
pub fn effort_at_once(entries: &TranspositionTable<'_>) -> Effort {
    let mut least = Effort::of(MIN_NODES);
    while entries.with_effort(least) > AT_ONCE && least.0 < u8::MAX {
        least.0 += 1;
    }
    least
}

/// The same as [`save`], but with only the entries that took at least so much work.
///
/// # Errors
/// [`CheckpointError::Io`].
pub fn save_from(
    path: &Path,
    subject: Subject,
    done: SearchTotals,
    entries: &TranspositionTable<'_>,
    least: Effort,
) -> Result<(), CheckpointError> {
    replace_file(path, CheckpointError::io, |file, temporary| {
        write(file, subject, done, entries.list(least))
            .map_err(|reason| CheckpointError::io("write", temporary, reason))
    })
}

fn write(
    out: &mut BufWriter<File>,
    subject: Subject,
    done: SearchTotals,
    entries: impl Iterator<Item = (Key, TtEntry)>,
) -> io::Result<()> {
    out.write_all(&MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    let mut frame = zstd::Encoder::new(out, LEVEL)?;
    frame.include_checksum(true)?;
    bincode::encode_into_std_write((subject, done), &mut frame, FIXED_WIDTH).map_err(io::Error::other)?;
    for (key, found) in entries {
        frame.write_all(&key.check.to_le_bytes())?;
        frame.write_all(&found.pack(key).to_le_bytes())?;
    }
    frame.finish().map(|_| ())
}

/// Entries that are handed on together.
const PIECE: usize = 1 << 16;

/// Reads a checkpoint, and passes its entries to `take` piece by piece, since a small file can hold very many. Returns the
/// search that it is of, and the work so far. If there is an error in the end, what was passed on is not valid.
///
/// # Errors
/// [`CheckpointError`], and those of `take`.
pub fn read<E: From<CheckpointError>>(
    path: &Path,
    size: BoardSize,
    rules: RuleSet,
    mut take: impl FnMut(&[(Key, TtEntry)]) -> Result<(), E>,
) -> Result<(Subject, SearchTotals), E> {
    let name = || path.display().to_string();
    let damaged = |what: &dyn std::fmt::Display| CheckpointError::Damaged { path: name(), what: what.to_string() };
    // An error of the system is no fault of the file, so its message must not tell users to delete it.
    let failed = |error: io::Error| match error.raw_os_error() {
        Some(_) => CheckpointError::io("read", path, error),
        None if error.kind() == io::ErrorKind::UnexpectedEof => damaged(&"it ends too early"),
        None => damaged(&error),
    };
    let file = open_file(path).map_err(|reason| CheckpointError::io("open", path, reason))?;
    let mut input = BufReader::new(file);
    let (mut magic, mut version) = ([0; 8], [0; 4]);
    input.read_exact(&mut magic).map_err(failed)?;
    input.read_exact(&mut version).map_err(failed)?;
    if magic != MAGIC {
        return Err(CheckpointError::Foreign { path: path.display().to_string() }.into());
    }
    let found = u32::from_le_bytes(version);
    if found != VERSION {
        return Err(CheckpointError::Version { path: name(), found, known: VERSION }.into());
    }
    let mut frame = BufReader::new(zstd::Decoder::with_buffer(input).map_err(failed)?);
    let (subject, done): (Subject, SearchTotals) =
        bincode::decode_from_std_read(&mut frame, FIXED_WIDTH).map_err(|error| match error {
            DecodeError::Io { inner, .. } => failed(inner),
            error => damaged(&error),
        })?;
    if !subject.is_on(size, rules) {
        return Err(CheckpointError::Other { path: name() }.into());
    }
    if !done.seconds.is_finite() || done.seconds < 0.0 {
        return Err(damaged(&"an invalid time").into());
    }
    let mut piece = Vec::new();
    let (mut key, mut data) = ([0; 8], [0; 8]);
    while !frame.fill_buf().map_err(failed)?.is_empty() {
        frame.read_exact(&mut key).map_err(failed)?;
        frame.read_exact(&mut data).map_err(failed)?;
        let entry = TtEntry::entry(u64::from_le_bytes(key), u64::from_le_bytes(data));
        let entry = entry.ok_or_else(|| damaged(&"an entry without numbers"))?;
        piece.push(entry);
        if piece.len() == PIECE {
            take(&piece)?;
            piece.clear();
        }
    }
    take(&piece)?;
    Ok((subject, done))
}

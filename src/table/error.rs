//! What can be wrong with a table or a database folder, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::board::BoardSize;
use crate::files::{is_lack_of_handles, raise_limit};
use crate::index::{Slice, SliceSet};
use crate::rules::RuleSet;

use super::rows::RowValue;

/// Which part of a table is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The fields at the beginning.
    Header,
    /// The list of blocks.
    Index,
    /// A block.
    Block(u64),
    /// The values as a whole: every block reads well, but together they are not what the header says.
    Values,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("its header"),
            Self::Index => f.write_str("its block index"),
            Self::Block(number) => write!(f, "block {number}"),
            Self::Values => f.write_str("its values"),
        }
    }
}

/// Why a table or a folder of tables cannot be used. Every text names the file and ends with the remedy.
#[derive(Clone, Debug, Error)]
pub enum TableError {
    /// The operating system refused.
    #[error("{path}: cannot {action}: {source}{}", remedy_of(action, source))]
    Io {
        /// What was attempted, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: Arc<std::io::Error>,
    },
    /// The file does not begin as a table does.
    #[error("{file} is not a Fanorona table; build again")]
    NotATable {
        /// The file.
        file: String,
    },
    /// The operating system has no more threads for the program.
    #[error("cannot start threads: {0}; use fewer, or raise the limits (ulimit -u, -v)")]
    Threads(String),
    /// A table of another format.
    #[error("{file} has table format {found}, this program reads {known}; {}", if found > known { "use a newer program" } else { "build again" })]
    Version {
        /// The file.
        file: String,
        /// Its version.
        found: u32,
        /// The version read here.
        known: u32,
    },
    /// A table whose positions are numbered in another way.
    #[error("{file} has index scheme {found} where this program has {known}; {}", if found > known { "use a newer program, or build again" } else { "build again" })]
    IndexScheme {
        /// The file.
        file: String,
        /// Its number.
        found: u8,
        /// The number for such a slice here.
        known: u8,
    },
    /// The file does not have the length that its header gives.
    #[error("{file} has {found} bytes where {expected} are expected; build again")]
    Truncated {
        /// The file.
        file: String,
        /// Bytes expected.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// A checksum does not fit, or a field is impossible.
    #[error("{file} is damaged in {damage}; delete it and build again")]
    Damaged {
        /// The file.
        file: String,
        /// Where.
        damage: Damage,
    },
    /// A table of another board, slice or rule set under this name.
    #[error("{file} should hold {expected}, but holds {found}; move it to its own folder, or build again")]
    Foreign {
        /// The file.
        file: String,
        /// What its name and folder say.
        expected: String,
        /// What its header says.
        found: String,
    },
    /// No table of that slice.
    #[error("there is no table {slice} in {folder}; build the tables of {size} that are needed")]
    Missing {
        /// The slice.
        slice: Slice,
        /// What is needed.
        needed: Box<SliceSet>,
        /// The folder looked in.
        folder: PathBuf,
        /// The board.
        size: BoardSize,
        /// The rules.
        rules: RuleSet,
    },
    /// Another build holds the folder.
    #[error("{0} is in use by another build; wait until it has finished, or choose another folder")]
    Locked(PathBuf),
    /// Some position takes more plies than cells of that width can hold.
    #[error("{slice}: a win takes more than {plies} plies, which exceeds the cell width")]
    TooDeep {
        /// The slice.
        slice: Slice,
        /// The most that they can hold.
        plies: u32,
    },
    /// A scratch file does not hold what was written to it.
    #[error("the scratch file of {0} is damaged and was removed; run the command again: it builds {0} again")]
    ScratchDamaged(Slice),
    /// The counts of a slice are not those of its positions.
    #[error(
        "the values of {0} do not add up, and its table is not written; run verify, delete tables that it finds wrong, and build again; \
         if that fails in the same way, the program has a bug"
    )]
    Inconsistent(Slice),
}

/// As [`remedy`], for what was attempted: a folder that is to be made cannot be missing, and a file that is read need not be writable.
fn remedy_of(action: &str, error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound if action == "make folder" => "; choose another folder",
        std::io::ErrorKind::PermissionDenied if ["open", "read", "read folder"].contains(&action) => {
            "; check its permissions"
        }
        _ => remedy(error),
    }
}

/// What to do about an error of the operating system, to append to its text; empty if there is nothing to add.
#[must_use]
pub fn remedy(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "; free some space and run the command again",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "; choose a folder you may write",
        ErrorKind::NotADirectory => "; choose the path of a folder",
        ErrorKind::NotFound => "; check whether the folder is still there, or build the tables first",
        ErrorKind::UnexpectedEof => "; it was cut short while it was in use: build again",
        _ => raise_limit(error).unwrap_or_default(),
    }
}

impl TableError {
    /// The error that depths of a slice do not fit in cells of a width.
    #[must_use]
    pub fn too_deep<V: RowValue>(slice: Slice) -> Self {
        Self::TooDeep { slice, plies: 2 * u32::from(V::MAX_STEPS) }
    }

    /// Whether the cause is that the process has too many files open, and not the table.
    #[must_use]
    pub fn is_lack_of_handles(&self) -> bool {
        matches!(self, Self::Io { source, .. } if is_lack_of_handles(source))
    }

    /// Wraps an error of the operating system; for `map_err`.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::of_system(action, &path, source)
    }

    /// A thread could not be started.
    #[must_use]
    pub fn threads(error: impl fmt::Display) -> Self {
        Self::Threads(error.to_string())
    }

    /// An error of the operating system; for [`replace_file`](crate::files::replace_file).
    #[must_use]
    pub fn of_system(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source: Arc::new(source) }
    }
}

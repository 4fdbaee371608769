//! What can be wrong with a certificate, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::board::{BoardSize, MAX_POINTS};
use crate::files::raise_limit;
use crate::index::Slice;
use crate::rules::{Outcome, RuleSet, Value};

/// Why a certificate is malformed, before anything is checked. Positions are given with White as the mover.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    /// Nothing is claimed.
    #[error("it claims nothing")]
    NoClaims,
    /// The board has too many points.
    #[error("its board is {0}; certificates are for boards of up to {MAX_POINTS} points")]
    Board(BoardSize),
    /// A count above the limit of files.
    #[error("it has {found} {what}, more than the {most} that a file may hold")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many.
        found: u64,
        /// The limit.
        most: u64,
    },
    /// A claim about an impossible position.
    #[error("the position of claim {0} has two stones on a point, a stone off the board, or none at all")]
    Claim(usize),
    /// An impossible position.
    #[error("position {number} of the {set} set has two stones on a point, a stone off the board, or none of one side")]
    Stones {
        /// The set.
        set: &'static str,
        /// Its place in the set, from 1.
        number: usize,
    },
    /// A position that is not canonical.
    #[error("position \"{position}\" of the {set} set is not the canonical one of its images, \"{canonical}\"")]
    NotCanonical {
        /// The set.
        set: &'static str,
        /// The position.
        position: String,
        /// The image expected.
        canonical: String,
    },
    /// Positions out of order, or a position that occurs twice.
    #[error("position {number} of the {set} set does not have a greater code than the one before")]
    NotSorted {
        /// The set.
        set: &'static str,
        /// Its place in the set, from 1.
        number: usize,
    },
    /// A position in both sets.
    #[error("position \"{0}\" is in both sets")]
    InBoth(String),
    /// A slice that no table can have, out of order, or listed twice.
    #[error("its list of tables has {0} out of place")]
    Slice(Slice),
    /// A slice is listed without one that its captures lead to.
    #[error("it relies on table {slice}, whose captures lead to {missing}, which it does not list")]
    OpenTables {
        /// The slice.
        slice: Slice,
        /// The one missing.
        missing: Slice,
    },
    /// Fields or blocks contradict each other under a valid checksum.
    #[error("its {0} is invalid")]
    Content(&'static str),
}

/// Why a certificate file cannot be written, read or used. Every text names a file and ends with the remedy.
#[derive(Clone, Debug, Error)]
pub enum ProofError {
    /// The operating system refused.
    #[error("{path}: cannot {action}: {source}{}", raise_limit(source).unwrap_or("; check the path, its permissions, and the space on the disk"))]
    Io {
        /// What was attempted, as a verb.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: Arc<std::io::Error>,
    },
    /// Another solve writes a certificate of the same name; the file is what it has locked.
    #[error("{} is locked: another search writes the same certificate; wait until it has ended, or name another file", .0.display())]
    InUse(PathBuf),
    /// The file does not begin as a certificate does.
    #[error("{0} is refused: it is not a Fanorona certificate; give the path of one")]
    NotACertificate(String),
    /// A certificate of another format.
    #[error("{file} is refused: it has certificate format {found}, this program reads {known}; {}", if found > known { "use a newer program" } else { "write a new one" })]
    Version {
        /// The file.
        file: String,
        /// Its version.
        found: u32,
        /// The version read here.
        known: u32,
    },
    /// The file does not have the length that it states.
    #[error("{file} is refused: it has {found} bytes where {expected} are expected; copy it again, or write a new one")]
    Length {
        /// The file.
        file: String,
        /// Bytes expected.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// The checksum does not match.
    #[error("{0} is refused: its checksum does not match, so it is damaged; copy it again, or write a new one")]
    Damaged(String),
    /// The content is impossible.
    #[error("{file} is refused: {what}; the program that wrote it has a bug; write a new one")]
    Malformed {
        /// The file.
        file: String,
        /// What is wrong.
        what: Malformed,
    },
    /// The file or its positions need more memory than allowed.
    #[error("{file} takes {bytes} bytes of memory, more than allowed; allow more, or use a machine with more")]
    Memory {
        /// The file.
        file: String,
        /// How many bytes.
        bytes: u64,
    },
    /// A table that the certificate uses is missing.
    #[error("there is no table {slice} in {folder}, which the certificate uses; build the tables that it rests on")]
    MissingTable {
        /// The slice.
        slice: Slice,
        /// The folder looked in.
        folder: PathBuf,
        /// The board.
        size: BoardSize,
        /// The rules.
        rules: RuleSet,
        /// All tables that the certificate uses.
        tables: Vec<Slice>,
    },
    /// A table is not the one that the certificate uses.
    #[error(
        "{file} has identity {found:032x}, but the certificate uses a table {slice} with identity {expected:032x}; \
         use the folder of those tables, or verify yours and write a new certificate"
    )]
    OtherTable {
        /// The slice.
        slice: Slice,
        /// The file of the table.
        file: PathBuf,
        /// The identity expected.
        expected: u128,
        /// The identity found.
        found: u128,
    },
}

impl ProofError {
    /// Whether the text names the file of the certificate.
    #[must_use]
    pub fn names_certificate(&self) -> bool {
        !matches!(self, Self::MissingTable { .. } | Self::OtherTable { .. })
    }

    /// An error of the operating system.
    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source: Arc::new(source) }
    }
}

/// Why a certificate does not prove what it claims.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal<E> {
    /// The certificate is malformed.
    #[error("{0}; the program that wrote it has a bug; write a new one")]
    Malformed(Malformed),
    /// A position does not follow from others.
    #[error("position \"{position}\" of the {set} set is not proved: {flaw}; write a new certificate")]
    Position {
        /// The set.
        set: &'static str,
        /// The position, White to move.
        position: String,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// A claim does not follow from the sets.
    #[error("claim {number}, that \"{position}\" is {}, is not proved: {flaw}; write a new certificate", value.noun())]
    Claim {
        /// Its number, from 1.
        number: usize,
        /// The position.
        position: String,
        /// What is claimed.
        value: Value,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// The value of a table could not be read.
    #[error("{0}")]
    Unreadable(E),
}

/// Why a position is not proved. Positions are given with White as the mover of the one to be proved, in claims with the
/// colours of the claim.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Flaw {
    /// There is no reply with this index.
    #[error("its reply is number {reply}, counted from 0, but it has {replies} turns")]
    NoSuchReply {
        /// The number.
        reply: u32,
        /// How many there are.
        replies: usize,
    },
    /// The other side has no legal turn, which is a draw.
    #[error("in \"{0}\" the side to move has no turn, which is a draw, not a win")]
    Stalemate(String),
    /// A turn of the other side has no answer.
    #[error("\"{before}\" leads to \"{after}\", where {lack}")]
    Turn {
        /// The position after the reply, the other side to move.
        before: String,
        /// The position after its turn.
        after: String,
        /// What is missing after it.
        lack: Lack,
    },
    /// The position of the claim itself is not in a set or table.
    #[error("there {0}")]
    Here(Lack),
}

/// What is missing for a position, seen from the side for which the goal is to be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// That side has lost its last stone.
    NoStones,
    /// It is in no set and no table.
    Unknown,
    /// It is in the safe set only, and a win is needed.
    OnlySafe,
    /// It is in the won set with a rank that is not below the one needed.
    Rank {
        /// Its rank.
        found: u32,
        /// The rank it should be below.
        below: u32,
    },
    /// A table has another value, and it is in no set.
    Table(Outcome),
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStones => f.write_str("the side to be proved good has no stones left"),
            Self::Unknown => f.write_str("nothing is known: neither set nor listed table has the position"),
            Self::OnlySafe => f.write_str("only safety is known, and a win is needed"),
            Self::Rank { found, below } => write!(f, "the win has rank {found}, and one below {below} is needed"),
            Self::Table(outcome) => write!(f, "a table gives a {outcome} for the side to move"),
        }
    }
}

//! Why a solve ends without an answer.

use thiserror::Error;

use crate::board::{BoardSize, MAX_POINTS};
use crate::proof::ProofError;
use crate::table::TableError;

use super::checkpoint::CheckpointError;

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum SolveError {
    /// The observer stopped it.
    #[error("interrupted")]
    Stopped,
    /// A table could not be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The state could not be read or saved.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The certificate could not be written.
    #[error(transparent)]
    Certificate(#[from] ProofError),
    /// The board has too many points.
    #[error("{0} cannot be solved: solving is for boards of up to {MAX_POINTS} points")]
    Board(BoardSize),
    /// Too little memory is allowed.
    #[error("a search needs at least 1 kB of memory, and {0} bytes are allowed; allow more")]
    LittleMemory(u64),
    /// Certificates that are taken as given leave too little memory for the search.
    #[error(
        "the certificates of the database take {bytes} bytes of the {memory} that are allowed, which leaves too little for the search; allow more memory, or use none of them"
    )]
    Proofs {
        /// What they take.
        bytes: u64,
        /// What is allowed in all.
        memory: u64,
    },
    /// No memory for the transposition table.
    #[error("cannot reserve {bytes} bytes for the transposition table: {reason}; allow less memory")]
    Memory {
        /// What was requested.
        bytes: u64,
        /// The error of the system.
        reason: std::io::Error,
    },
}

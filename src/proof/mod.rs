//! Certificates: proofs of values that can be checked without trusting the search that found them.
//!
//! A [`Certificate`] claims the values of some positions, usually of a start position and of the positions after each
//! first move. To prove them it holds two sets of positions. Each has one reply for the side to move, the *mover*:
//!
//! * [`safe`](Certificate::safe): the mover does not lose. After the reply, every turn of the other side leads to a
//!   position that is in one of the sets, or that a table gives as a draw or a win for its mover. Then the mover can
//!   go on like this for ever, and play without end is a draw; so safety needs no order.
//! * [`won`](Certificate::won): the mover wins. Every turn of the other side leads to a position of `won` with a smaller
//!   *rank*, or to one that a table gives as won. Ranks cannot fall for ever, so the game ends, and ends well.
//!
//! Positions are kept as the mover's stones and the opponent's: colours do not matter. Of all its images under the
//! symmetries of the board a position is represented by the [`canonical`] one.
//!
//! [`check`] decides whether a certificate proves its claims. It is slow and plain on purpose. It uses the move generator
//! of [`verify`](crate::verify), also to follow captures to quiet positions; `docs/guarantees.md` lists what it shares with
//! the search. It trusts these, and the values in the tables that the certificate lists. [`compare_tables`] makes sure that
//! they are the same tables; [`verify`](crate::verify) checks their values. [`Certificate::prove`] does all that is needed
//! at once.
//!
//! `FORMAT.md` beside this file specifies the files.

mod block;
mod certificate;
mod check;
mod claim;
mod code;
mod error;
mod file;
mod shape;
mod tables;

pub use certificate::{Certificate, Member, Set, TableUse};
pub use check::{CHECKER, check};
pub use claim::Claim;
pub use error::{Flaw, Lack, Malformed, ProofError, Refusal};
pub use tables::{CheckError, CheckProgress, compare_tables};

// For the program and its tests.
#[doc(hidden)]
pub use self::{
    certificate::{canonical, replies},
    check::NoTables,
    file::{MAGIC, VERSION},
};

//! Everything a database folder knows of the positions of one board: tables, and certificates that have been checked.
//!
//! A certificate is used only after it has been checked with the tables that it uses. [`check_certificate`] does that, and leaves
//! a record beside the certificate: the identity of the file, which covers the identities of its tables, and the version of the
//! checker. [`Proofs::open`] compares both, and the identities of the tables in the folder, so nothing is checked twice.
//! A certificate that cannot be used is listed with the reason ([`Unused`]).
//!
//! What a proof is worth depends on the tables it uses. [`Assurance`] says whether they are the published ones, and how far
//! [`verify`](crate::verify) has verified them, which it records too.
//!
//! A position in a certificate's won set is a win for its mover, one in the safe set no loss; symmetric positions count as
//! the same. [`rate`](crate::table::rate) and [`known`](crate::table::known) find what follows for positions one move away.

mod place;
mod proofs;
mod record;
mod values;
mod verified;

pub use place::{
    Earlier, UNCHECKED_EXTENSION, lock_certificate, place_certificate, place_earlier, unplaced_certificate,
};
pub use proofs::{
    CERTIFICATE_EXTENSION, Proof, Proofs, Trust, UNCHECKED_SUFFIX, Unused, Why, certificate_files, certificate_name,
    standing,
};
pub use record::{CERTIFICATES, Checked, check_certificate, is_filed};
pub use values::{Knowledge, Selection};
pub use verified::{Assurance, Extent, Verified, forget_verified, record_verified};

// For the program and its tests.
#[doc(hidden)]
pub use record::{is_checked, record_path};

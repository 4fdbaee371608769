//! The record that a certificate has been checked, in a file beside it.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::files::{folder_of, is_same_file, remove_for_good, replace_file, with_suffix};
use crate::proof::{CHECKER, Certificate, CheckError, CheckProgress, ProofError};
use crate::table::{Access, Database};

/// The folder of the certificates in a database folder.
pub const CERTIFICATES: &str = "certificates";

/// Whether a file is in the folder of a database from which its certificates are used.
#[must_use]
pub fn is_filed(file: &Path, database: &Database) -> bool {
    is_same_file(folder_of(file), &database.folder.join(CERTIFICATES))
}

/// A certificate that has been checked.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The certificate.
    pub certificate: Certificate,
    /// The identity of its file: a hash of everything in it.
    pub identity: u128,
    /// Whether the record could be written; without it the database does not use the certificate.
    pub recorded: Result<(), ProofError>,
}

/// Reads a certificate and checks all of it ([`Certificate::prove`]). If it is one of those that the database uses, a file beside it
/// records that it is proved; the record of one that does not prove its claims is removed. No other folder is written to.
///
/// # Errors
/// [`CheckError`].
pub fn check_certificate(
    file: &Path,
    database: &Database,
    memory: u64,
    on_progress: &(dyn Fn(CheckProgress) + Sync),
) -> Result<Checked, CheckError> {
    let (certificate, identity) = Certificate::read_with_identity(file, memory, &database.access)?;
    let is_used = is_filed(file, database);
    if let Err(error) = certificate.prove(database, memory, on_progress) {
        if is_used && error.is_refusal() {
            let _ = remove_for_good(&record_path(file));
        }
        return Err(error);
    }
    let recorded = match is_used.then(|| record(file, identity)) {
        // It is recorded already, in a folder that may not be written.
        Some(Err(_)) if is_checked(file, identity, &Access::Read) => Ok(()),
        recorded => recorded.unwrap_or(Ok(())),
    };
    Ok(Checked { certificate, identity, recorded })
}

/// Records that the certificate of that identity is proved.
pub(super) fn record(file: &Path, identity: u128) -> Result<(), ProofError> {
    replace_file(&record_path(file), ProofError::io, |file, temporary| {
        file.write_all(text(identity).as_bytes()).map_err(|source| ProofError::io("write", temporary, source))
    })
}

/// Whether there is a record that the certificate in a file with that identity is proved.
#[must_use]
pub fn is_checked(file: &Path, identity: u128, access: &Access) -> bool {
    access.text(&record_path(file)).is_ok_and(|found| found == text(identity))
}

/// The file of the record: the certificate's name with `.checked` appended.
#[must_use]
pub fn record_path(file: &Path) -> PathBuf {
    with_suffix(file, ".checked")
}

fn text(identity: u128) -> String {
    format!("certificate {identity:032x}\nchecker {CHECKER}\nproved\n")
}

//! Puts new certificates into a database, after they have been checked.

use std::path::{Path, PathBuf};

use crate::files::{make_folder, rename_file};
use crate::index::Space;
use crate::proof::{Certificate, CheckError, CheckProgress, ProofError};
use crate::rules::Side;
use crate::table::{Database, Folder};

use super::proofs::{CERTIFICATES, EXTENSION, Trust, usable};
use super::record::record;

/// The file for a new certificate of that name, where it waits for its check; its folder is made.
///
/// # Errors
/// [`ProofError::Io`] if there can be no such folder.
pub fn unplaced_certificate(database: &Database, name: &str) -> Result<PathBuf, ProofError> {
    let folder = database.folder.join(CERTIFICATES);
    make_folder(&folder).map_err(|source| ProofError::io("make folder", &folder, source))?;
    Ok(folder.join(format!("{name}.unchecked")))
}

/// Checks a new certificate in its [`unplaced_certificate`] file, records that, and only then moves it to its place in the database, which
/// is returned: under its name, or with a number in it if there is one of that name. Such a one is replaced only if it is in use
/// and the new one claims at least as much.
///
/// # Errors
/// [`CheckError`]; the new file stays where it is.
pub fn place_certificate(
    new: &Path,
    database: &Database,
    memory: u64,
    on_progress: impl Fn(CheckProgress) + Sync,
) -> Result<(PathBuf, Certificate), CheckError> {
    let (certificate, identity) = Certificate::read_with_identity(new, memory, &database.access)?;
    certificate.prove(database, memory, on_progress)?;
    let gives_way = |place: &Path| {
        let (size, rules) = (certificate.size, certificate.rules);
        let tables = Folder::open(database, &Space::new(size, rules.diagonals), rules);
        tables.is_ok_and(|tables| {
            usable(place, &tables, (size, rules), Trust::Checked)
                .is_ok_and(|old| old.is_some_and(|old| claims_all(&certificate, &old.certificate)))
        })
    };
    let first = new.with_extension("");
    let (mut file, mut number) = (first.clone(), 1);
    // What cannot be looked at is not replaced.
    while file.try_exists().map_err(|source| ProofError::io("read", &file, source))? && !gives_way(&file) {
        number += 1;
        file = first.with_extension(format!("{number}.{EXTENSION}"));
    }
    // In this order: whatever happens in between, no file stands recorded that has not been checked, and none is lost.
    record(&file, identity)?;
    rename_file(new, &file).map_err(|source| ProofError::io("rename", new, source))?;
    Ok((file, certificate))
}

/// Whether the claims of one certificate imply those of another.
fn claims_all(new: &Certificate, old: &Certificate) -> bool {
    old.claims.iter().all(|old| {
        let same = new.claims.iter().filter(|new| new.position == old.position);
        let old = old.value.bounds(Side::White);
        same.map(|new| new.value.bounds(Side::White)).any(|new| new.least >= old.least && new.most <= old.most)
    })
}

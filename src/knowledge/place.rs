//! Puts new certificates into a database, after they have been checked.

use std::path::{Path, PathBuf};

use crate::files::{Lock, free_name, make_folder, rename_file};
use crate::index::Space;
use crate::proof::{Certificate, CheckError, CheckProgress, ProofError};
use crate::rules::Side;
use crate::table::{Database, Folder};

use super::proofs::{CERTIFICATE_EXTENSION, Trust, usable};
use super::record::{CERTIFICATES, record};

/// The extension of files that wait for their check.
pub const UNCHECKED_EXTENSION: &str = "unchecked";

/// The file for a new certificate of that name, where it waits for its check; its folder is made.
///
/// # Errors
/// [`ProofError::Io`] if there can be no such folder.
pub fn unplaced_certificate(database: &Database, name: &str) -> Result<PathBuf, ProofError> {
    let folder = database.folder.join(CERTIFICATES);
    make_folder(&folder).map_err(|source| ProofError::io("make folder", &folder, source))?;
    Ok(folder.join(format!("{name}.{UNCHECKED_EXTENSION}")))
}

/// Locks an [`unplaced_certificate`] file: nobody else writes a certificate of that name as long as the lock lasts.
///
/// # Errors
/// [`ProofError::InUse`] if another solve has it, [`ProofError::Io`] otherwise.
pub fn lock_certificate(unplaced: &Path) -> Result<Lock, ProofError> {
    let file = unplaced.with_extension("lock");
    let lock = Lock::on(&file).map_err(|source| ProofError::io("lock", &file, source))?;
    lock.ok_or(ProofError::InUse(file))
}

/// Checks a new certificate in its [`unplaced_certificate`] file, records the check, and only then moves the file to its place in the
/// database, which is returned. If its name is taken, it gets a number; but the same certificate is replaced, and a usable one if the new
/// one claims more, or as much without needing other tables.
///
/// # Errors
/// [`CheckError`]; the new file stays where it is.
pub fn place_certificate(
    new: &Path,
    database: &Database,
    memory: u64,
    on_progress: &(dyn Fn(CheckProgress) + Sync),
) -> Result<(PathBuf, Certificate), CheckError> {
    let (certificate, identity) = Certificate::read_with_identity(new, memory, &database.access)?;
    certificate.prove(database, memory, on_progress)?;
    let gives_way = |place: &Path| {
        if Certificate::read_identity(place, &database.access).is_ok_and(|old| old == identity) {
            return true;
        }
        let (size, rules) = (certificate.size, certificate.rules);
        let tables = Folder::open(database, &Space::new(size, rules.diagonals), rules);
        tables.is_ok_and(|tables| {
            usable(place, &tables, (size, rules), Trust::Checked)
                .is_ok_and(|old| old.is_some_and(|old| is_better(&certificate, &old.certificate)))
        })
    };
    let file = free_file(&new.with_extension(""), CERTIFICATE_EXTENSION, gives_way)?;
    // In this order, so that whatever happens in between, no unchecked file has a valid record, and no file is lost.
    record(&file, identity)?;
    rename_file(new, &file).map_err(|source| ProofError::io("rename", new, source))?;
    Ok((file, certificate))
}

/// What became of a certificate that an earlier solve has left in its [`unplaced_certificate`] file.
pub enum Earlier {
    /// It is in its place.
    Placed(PathBuf),
    /// It is refused, and stays where it is, for a new one to replace.
    Refused(CheckError),
    /// It cannot be checked now, and is kept in that file.
    Kept(PathBuf, CheckError),
}

/// Places a certificate that an earlier solve has left, or else makes way for a new one.
///
/// # Errors
/// [`ProofError::Io`] if it cannot be moved.
pub fn place_earlier(
    unchecked: &Path,
    database: &Database,
    memory: u64,
    on_progress: &(dyn Fn(CheckProgress) + Sync),
) -> Result<Earlier, ProofError> {
    match place_certificate(unchecked, database, memory, on_progress) {
        Ok((place, _)) => Ok(Earlier::Placed(place)),
        Err(error) if error.is_refusal() => Ok(Earlier::Refused(error)),
        Err(error) => {
            let kept = free_file(unchecked, UNCHECKED_EXTENSION, |_| false)?;
            rename_file(unchecked, &kept).map_err(|source| ProofError::io("rename", unchecked, source))?;
            Ok(Earlier::Kept(kept, error))
        }
    }
}

/// The first name that is free or whose file gives way: `first`, or `first` with a number before its extension.
fn free_file(first: &Path, extension: &str, gives_way: impl Fn(&Path) -> bool) -> Result<PathBuf, ProofError> {
    let name =
        |number| if number == 1 { first.to_owned() } else { first.with_extension(format!("{number}.{extension}")) };
    free_name(name, gives_way).map_err(|source| ProofError::io("read", first, source))
}

/// Whether one certificate claims more than another, or as much without needing other tables.
fn is_better(new: &Certificate, old: &Certificate) -> bool {
    let by_no_others = new.tables.iter().all(|table| old.tables.contains(table));
    claims_all(new, old) && (by_no_others || !claims_all(old, new))
}

/// Whether the claims of one certificate imply those of another.
fn claims_all(new: &Certificate, old: &Certificate) -> bool {
    old.claims.iter().all(|old| {
        let same = new.claims.iter().filter(|new| new.position == old.position);
        let old = old.value.bounds(Side::White);
        same.map(|new| new.value.bounds(Side::White)).any(|new| new.least >= old.least && new.most <= old.most)
    })
}

//! Files that are written whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::unfinished::{Unfinished, may_be_replaced, remove_if_there, take_left};
use super::{regular_file, sync_folder_of};

/// Writes a [`regular_file`] under its name with `.tmp` appended, makes sure that it is on disk, and only then gives it its name.
/// `write` gets the file and its temporary name; `failed` makes an error from what was attempted, as a verb, the path, and
/// the error of the system.
///
/// # Errors
/// That of `write`, or one made by `failed`; the temporary file is removed if anything fails.
pub fn replace_file<R, E>(
    path: &Path,
    failed: impl Fn(&'static str, &Path, io::Error) -> E,
    write: impl FnOnce(&mut BufWriter<File>, &Path) -> Result<R, E>,
) -> Result<R, E> {
    let path = &regular_file(path).map_err(|error| failed("write", path, error))?;
    let temporary = temporary_name(path);
    let unfinished = Unfinished::create(&temporary).map_err(|error| failed("create", &temporary, error))?;
    let mut file = unfinished.file().and_then(buffered).map_err(|error| failed("write", &temporary, error))?;
    let written = write(&mut file, &temporary).and_then(|written| {
        file.flush().and_then(|()| file.get_ref().sync_all()).map_err(|error| failed("write", &temporary, error))?;
        Ok(written)
    });
    // After a failure the rest of the buffer must not be written again when it is dropped.
    drop(file.into_parts());
    let written = written?;
    unfinished.name(path).map_err(|error| failed("rename", &temporary, error))?;
    sync_folder_of(path).map_err(|error| failed("synchronise", path, error))?;
    Ok(written)
}

/// Checks, before long work, that [`replace_file`] can write a file later.
///
/// # Errors
/// What it is instead of a file, or the error of the operating system.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let temporary = temporary_name(&regular_file(path)?);
    may_be_replaced(&temporary)?;
    // Under another name, since another program may be writing the file right now, or may be checking as well.
    let probe = Unfinished::create(&temporary_name(&temporary))?;
    remove_if_there(&probe.path)
}

/// Removes the temporary file that a killed [`replace_file`] has left.
///
/// # Errors
/// The error of the operating system, or that the file is being written.
pub fn remove_left(path: &Path) -> io::Result<()> {
    take_left(&temporary_name(&regular_file(path)?)).map(drop)
}

/// Removes a file that no other process writes, and the temporary one that a killed [`replace_file`] has left; neither need be there.
///
/// # Errors
/// The error of the operating system.
pub fn remove_with_temporary(path: &Path) -> io::Result<()> {
    remove_if_there(path)?;
    remove_if_there(&temporary_name(path))
}

/// A writer with a large buffer. A lack of memory for it is an error, not an abort as with small allocations.
fn buffered(file: File) -> io::Result<BufWriter<File>> {
    const BYTES: usize = 1 << 20;
    Vec::<u8>::new().try_reserve_exact(BYTES).map_err(|_| io::ErrorKind::OutOfMemory)?;
    Ok(BufWriter::with_capacity(BYTES, file))
}

/// The name that a file has until it is complete.
#[must_use]
pub fn temporary_name(path: &Path) -> PathBuf {
    with_suffix(path, ".tmp")
}

/// A path with something appended to the name.
#[must_use]
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut longer = path.as_os_str().to_owned();
    longer.push(suffix);
    longer.into()
}

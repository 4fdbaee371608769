//! Files mapped into memory: the one place with `unsafe` code.
#![allow(unsafe_code)]

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

use super::error::TableError;

/// Maps a whole file for reading.
///
/// Tables are never changed in place: they appear under their name when complete, and are replaced by renaming. If some
/// other program cuts a mapped file short, reading it ends the process (SIGBUS on Unix); if it changes bytes, the
/// checksum of the block tells.
///
/// # Errors
/// [`TableError::Io`].
pub fn map_file(path: &Path) -> Result<Mmap, TableError> {
    let file = File::open(path).map_err(TableError::io("open", path))?;
    if !file.metadata().map_err(TableError::io("open", path))?.is_file() {
        return Err(TableError::NotATable { file: path.display().to_string() });
    }
    // SAFETY: the mapping is read-only, and files of the database are replaced, not written; all bytes are treated as
    // untrusted input, so that a change by another program cannot break an invariant of ours.
    unsafe { Mmap::map(&file) }.map_err(TableError::io("map", path))
}

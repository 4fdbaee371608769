//! Files mapped into memory: the one place with `unsafe` code.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a whole file for reading.
///
/// Tables are never changed in place: they appear under their name when complete, and are replaced by renaming. If some
/// other program cuts a mapped file short, reading it ends the process (SIGBUS on Unix); if it changes bytes, the checksum
/// of the block does not match.
///
/// # Errors
/// The error of the operating system.
pub fn map_file(file: &File) -> io::Result<Mmap> {
    // SAFETY: the mapping is read-only, and files of the database are replaced, not written; all bytes are treated as
    // untrusted input, so that a change by another program cannot break an invariant of ours.
    unsafe { Mmap::map(file) }
}

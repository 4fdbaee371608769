//! Files under temporary names, until they are complete.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{sync_folder_of, try_lock};

/// The temporary names of the files that are being written at the moment.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Checks that a temporary name is free, or that of a regular file.
pub fn may_be_replaced(temporary: &Path) -> io::Result<()> {
    match fs::symlink_metadata(temporary) {
        Ok(found) if !found.is_file() => Err(io::Error::other("something else than a file has that name; remove it")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A temporary file, which is removed when this is dropped, even in a panic.
pub struct Unfinished {
    /// Its temporary name.
    pub path: PathBuf,
    named: bool,
    /// Locked as long as it is unfinished. A temporary file without a lock was left by a process that was killed.
    file: File,
}

impl Unfinished {
    /// Creates the file, in place of one that a killed process has left.
    ///
    /// # Errors
    /// The error of the operating system, or that another program is writing it.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let file = Self::open_new(path)?;
        unfinished.push(path.to_owned());
        Ok(Self { path: path.to_owned(), named: false, file })
    }

    /// Only a regular file can be a leftover: links are not followed, and nothing else is removed.
    fn open_new(path: &Path) -> io::Result<File> {
        // A leftover stays locked until the new file exists, so that whoever finds it meanwhile leaves it alone.
        let mut locks = Vec::new();
        loop {
            match File::options().write(true).create_new(true).open(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return locked(path, made?)?.ok_or_else(is_being_written),
            }
            locks.extend(take_left(path)?);
        }
    }

    /// Another handle of the file, to write it.
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Gives the file its final name.
    pub fn name(mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        self.named = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.named {
            // The error to report is what went wrong before this.
            let _ = fs::remove_file(&self.path);
        }
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.path);
    }
}

/// Removes every unfinished file and prevents new ones: for the moment before the process ends.
pub fn remove_unfinished() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        // A file that got its final name meanwhile is complete, and stays.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

/// Removes the file that a killed process has left under a temporary name, and returns it locked, so that another program
/// that finds it meanwhile leaves it alone.
///
/// # Errors
/// The error of the operating system, or that another program is writing it.
pub fn take_left(path: &Path) -> io::Result<Option<File>> {
    may_be_replaced(path)?;
    let open = match File::options().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => File::open(path),
        open => open,
    };
    let left = match open {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // A file that only its owner may open can still be removed.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => None,
        left => match locked(path, left?)? {
            None => return Ok(None),
            left => left,
        },
    };
    remove_if_there(path)?;
    Ok(left)
}

/// Locks a file; `None` if the path leads to another file by now. On systems without locks, the file is not locked.
fn locked(path: &Path, file: File) -> io::Result<Option<File>> {
    match try_lock(&file) {
        Ok(false) => Err(is_being_written()),
        _ => Ok(leads_to(path, &file).unwrap_or(true).then_some(file)),
    }
}

fn is_being_written() -> io::Error {
    io::Error::other("it is being written at the moment; try again when that is done")
}

/// Whether a path leads to that open file.
#[cfg(unix)]
fn leads_to(path: &Path, file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let place = |found: fs::Metadata| (found.dev(), found.ino());
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        found => Ok(place(found?) == place(file.metadata()?)),
    }
}

/// On other systems an open file keeps its name.
#[cfg(not(unix))]
fn leads_to(_: &Path, _: &File) -> io::Result<bool> {
    Ok(true)
}

/// As [`remove_if_there`], and makes sure that it does not come back when power fails.
///
/// # Errors
/// The error of the operating system.
pub fn remove_for_good(path: &Path) -> io::Result<()> {
    remove_if_there(path)?;
    sync_folder_of(path)
}

/// Removes a file; it need not be there.
///
/// # Errors
/// The error of the operating system.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

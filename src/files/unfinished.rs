//! Files under temporary names, until they are complete.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::try_lock;

/// What is being written at the moment, under temporary names.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// That nothing but a file, if anything, has the name of a temporary file.
pub fn may_be_replaced(temporary: &Path) -> io::Result<()> {
    match fs::symlink_metadata(temporary) {
        Ok(found) if !found.is_file() => Err(io::Error::other("something else than a file has that name; remove it")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A temporary file, which is removed when this is dropped, even in a panic.
pub struct Unfinished {
    /// Its name until then.
    pub path: PathBuf,
    named: bool,
    /// Locked until then. What nobody has locked was left by a process that was killed.
    file: File,
}

impl Unfinished {
    /// Makes it, in the place of what a process that was killed has left.
    ///
    /// # Errors
    /// The error of the operating system; that another program is writing it.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let file = Self::open_new(path)?;
        unfinished.push(path.to_owned());
        Ok(Self { path: path.to_owned(), named: false, file })
    }

    /// Only a file can have been left: links are not followed, and nothing else is removed.
    fn open_new(path: &Path) -> io::Result<File> {
        // What was left stays locked until there is another file: who finds it meanwhile sees that.
        let mut locks = Vec::new();
        loop {
            match File::options().write(true).create_new(true).open(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return locked(path, made?)?.ok_or_else(is_being_written),
            }
            locks.extend(take_left(path)?);
        }
    }

    /// To write it.
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Gives it its name.
    pub fn name(mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        self.named = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.named {
            // Whatever went wrong before is the error to report.
            let _ = fs::remove_file(&self.path);
        }
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.path);
    }
}

/// Removes every unfinished file and prevents new ones: for the moment before the process ends.
pub fn remove_unfinished() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        // A file that has got its name meanwhile is complete, and stays.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

/// Removes what a process that was killed has left under a temporary name. The file that is returned is locked: who finds it meanwhile
/// sees that.
///
/// # Errors
/// The error of the operating system; that another program is writing it.
pub fn take_left(path: &Path) -> io::Result<Option<File>> {
    may_be_replaced(path)?;
    let open = match File::options().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => File::open(path),
        open => open,
    };
    let left = match open {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // What only its owner may open can be removed all the same.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => None,
        left => match locked(path, left?)? {
            None => return Ok(None),
            left => left,
        },
    };
    remove_if_there(path)?;
    Ok(left)
}

/// Locks a file, unless the path leads to another one by now. Where the system has no locks there is none.
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

/// An open file keeps its name here.
#[cfg(not(unix))]
fn leads_to(_: &Path, _: &File) -> io::Result<bool> {
    Ok(true)
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

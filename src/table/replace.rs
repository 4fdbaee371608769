//! Files that appear under their name only when they are complete and on disk.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Writes a file under its name with `.tmp` appended, makes sure that it is on disk, and only then gives it its name.
/// `write` gets the file and the name it has until then; `failed` makes an error of what was attempted, as a verb, where,
/// and what the system said.
///
/// # Errors
/// That of `write`, or one made by `failed`; the temporary file is removed if anything fails.
pub fn replace_file<R, E>(
    path: &Path,
    failed: impl Fn(&'static str, &Path, io::Error) -> E,
    write: impl FnOnce(&mut BufWriter<File>, &Path) -> Result<R, E>,
) -> Result<R, E> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let temporary = PathBuf::from(temporary);
    let file = File::create(&temporary).map_err(|error| failed("create", &temporary, error))?;
    let mut file = BufWriter::with_capacity(1 << 20, file);
    let result = write(&mut file, &temporary).and_then(|written| {
        file.flush().and_then(|()| file.get_ref().sync_all()).map_err(|error| failed("write", &temporary, error))?;
        fs::rename(&temporary, path).map_err(|error| failed("rename", &temporary, error))?;
        sync_folder_of(path).map_err(|error| failed("synchronise", path, error))?;
        Ok(written)
    });
    if result.is_err() {
        // Whatever went wrong before is the error to report.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Makes sure that the name of a file is on disk.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    // Only Unix lets a folder be opened and synchronised; elsewhere the rename is all there is.
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

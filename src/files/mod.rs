//! Files: written whole or not at all, locked while they are changed, read and written at any offset; from the disk or a store.

mod access;
mod replace;
mod unfinished;

use std::fs::{self, File};
use std::io::{self, BufRead, Read as _};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use access::{Access, ByteSource, Input, Store, StoredFile};
pub use replace::{check_writable, remove_left, remove_with_temporary, replace_file, temporary_name, with_suffix};
pub use unfinished::{remove_for_good, remove_if_there, remove_unfinished};

/// How files have their fields: little-endian, without gaps, each as wide as its type.
pub const FIXED_WIDTH: bincode::config::Configuration<bincode::config::LittleEndian, bincode::config::Fixint> =
    bincode::config::standard().with_fixed_int_encoding();

/// The regular file that a path leads to, through symbolic links; it need not exist yet. Nothing else is ever replaced by a
/// file: no folder, device or pipe.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`], with what it is instead, or the error of the operating system.
pub fn regular_file(path: &Path) -> io::Result<PathBuf> {
    const MAX_LINKS: usize = 40;
    let instead = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    let mut file = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return if file.file_name().is_some() { Ok(file) } else { instead("it is not the name of a file") };
            }
            found => match found?.file_type() {
                kind if kind.is_file() => return Ok(file),
                kind if kind.is_dir() => return instead("it is a folder"),
                kind if kind.is_symlink() => {
                    let link = fs::read_link(&file)?;
                    file = file.parent().map_or_else(|| link.clone(), |folder| folder.join(&link));
                }
                _ => return instead("it is a device or a pipe, not a file"),
            },
        }
    }
    instead("too many symbolic links")
}

/// Opens a [`regular_file`] to read it. Opening a pipe would wait until somebody writes to it, and a device may have no end.
///
/// # Errors
/// Those of [`regular_file`], or the error of the operating system.
pub fn open_file(path: &Path) -> io::Result<File> {
    File::open(regular_file(path)?)
}

/// The first of some numbered names, from 1, that is free or gives way. What a link is called is taken, even if it leads nowhere.
///
/// # Errors
/// That of the operating system.
pub fn free_name(name: impl Fn(u32) -> PathBuf, gives_way: impl Fn(&Path) -> bool) -> io::Result<PathBuf> {
    let mut number = 1;
    loop {
        let path = name(number);
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
            Ok(_) if !gives_way(&path) => number += 1,
            found => return found.map(|_| path),
        }
    }
}

/// Whether two names are of one file, which is there.
#[must_use]
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Whether two names are the same name in the same folder, which is there; the file need not be.
#[must_use]
pub fn is_same_name(one: &Path, other: &Path) -> bool {
    one.file_name() == other.file_name() && is_same_file(folder_of(one), folder_of(other))
}

/// Which limit to raise, if an error comes from a limit of the system; to append to the error's text.
#[must_use]
pub fn raise_limit(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::FileTooLarge => Some("; the limit of the size of files is too low: raise it (ulimit -f)"),
        io::ErrorKind::OutOfMemory => Some("; allow the program more address space (ulimit -v)"),
        _ if is_lack_of_handles(error) => Some("; the limit of open files is too low: raise it (ulimit -n)"),
        _ => None,
    }
}

/// Whether the process or the system has reached its limit of open files. The file itself may be sound.
#[must_use]
pub fn is_lack_of_handles(error: &io::Error) -> bool {
    // EMFILE and ENFILE, which have no `ErrorKind`.
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// The most bytes of a line of input. A game of a thousand turns has a quarter of that.
const MAX_LINE: usize = 1 << 16;

/// A line of input, without its end.
pub type Line = Result<String, LineTooLong>;

/// Why a line of input was not read. The next one can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the line has more than {MAX_LINE} bytes and is left out")]
pub struct LineTooLong;

/// The lines of an input. Invalid UTF-8 is replaced, so that it is answered like any other unknown word.
pub fn lines_of(mut input: impl BufRead) -> impl Iterator<Item = io::Result<Line>> {
    std::iter::from_fn(move || next_line(&mut input).transpose())
}

/// The next line; `None` at the end of the input. However long a line is, about 64 KiB are kept in memory.
///
/// # Errors
/// The error of the input.
pub fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if !line.ends_with(b"\n") && line.len() > MAX_LINE {
        input.skip_until(b'\n')?;
        return Ok(Some(Err(LineTooLong)));
    }
    Ok(Some(Ok(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned())))
}

/// The most bytes of a text that is read as a whole: a record of a game, or a list of openings.
pub const MAX_TEXT: u64 = 16 << 20;

/// The text of a file.
///
/// # Errors
/// The error of the operating system, or that the text is longer than [`MAX_TEXT`] bytes or not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    text_of(File::open(path)?)
}

/// The text of an input, of which at most [`MAX_TEXT`] bytes are kept in memory.
///
/// # Errors
/// As for [`read_text`].
pub fn text_of(input: impl io::Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    input.take(MAX_TEXT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(io::Error::other(format!("it has more than {MAX_TEXT} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))
}

/// Decompresses a zstd frame that states a content of one of these `lengths` in bytes; `None` for any other bytes, or if anything
/// follows. No more memory is allocated than the frame states.
pub fn decompress(frame: &[u8], lengths: RangeInclusive<usize>) -> Option<Vec<u8>> {
    // A skippable frame states no length.
    let stated = zstd::zstd_safe::get_frame_content_size(frame).ok()??;
    let length = usize::try_from(stated).ok().filter(|length| lengths.contains(length))?;
    let whole = zstd::zstd_safe::find_frame_compressed_size(frame) == Ok(frame.len());
    let content = whole.then(|| zstd::bulk::decompress(frame, length)).and_then(Result::ok)?;
    (content.len() == length).then_some(content)
}

/// Renames a file that is on disk, and makes sure that the new name is on disk too.
///
/// # Errors
/// The error of the operating system.
pub fn rename_file(file: &Path, name: &Path) -> io::Result<()> {
    fs::rename(file, name)?;
    sync_folder_of(name)
}

/// Makes a folder and its missing parents, and makes sure that they are on disk.
///
/// # Errors
/// The error of the operating system.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<_> =
        folder.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists()).collect();
    fs::create_dir_all(folder)?;
    missing.into_iter().rev().try_for_each(sync_folder_of)
}

/// Makes sure that the name of a file is on disk.
///
/// # Errors
/// The error of the operating system.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    // Only Unix can open and synchronise a folder; elsewhere the rename has to be enough.
    if !cfg!(unix) {
        return Ok(());
    }
    File::open(folder_of(path))?.sync_all()
}

/// The folder that a file is in.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Exclusive use of a file while it, or what it protects, is being changed. Ends with the process, however that ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks a file, which is made if need be and stays afterwards; `None` if another process has it.
    ///
    /// # Errors
    /// The error of the operating system, if the file cannot be made or locked.
    pub fn on(path: &Path) -> io::Result<Option<Self>> {
        let file = File::options().create(true).truncate(false).write(true).open(regular_file(path)?)?;
        Ok(try_lock(&file)?.then_some(Self { _file: file }))
    }
}

/// Locks a file as long as it is open; `false` if another process has it.
///
/// # Errors
/// The error of the operating system.
pub fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(fs::TryLockError::WouldBlock) => Ok(false),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Bytes that are free for files in a folder, or in its nearest parent that exists; `None` if that is not known.
#[must_use]
pub fn free_space(folder: &Path) -> Option<u64> {
    // An empty path is the folder that the program runs in.
    let there = folder.ancestors().find(|folder| folder.as_os_str().is_empty() || folder.exists())?;
    free_space_of(if there.as_os_str().is_empty() { Path::new(".") } else { there })
}

#[cfg(all(unix, any(feature = "cli", feature = "server")))]
fn free_space_of(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(all(unix, any(feature = "cli", feature = "server"))))]
fn free_space_of(_: &Path) -> Option<u64> {
    None
}

/// Fills `bytes` from an offset in a file; other threads may read the file at the same time.
///
/// # Errors
/// The error of the operating system; [`io::ErrorKind::UnexpectedEof`] if the file ends before.
#[cfg(unix)]
pub fn read_exact_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

/// Fills `bytes` from an offset in a file; other threads may read the file at the same time.
///
/// # Errors
/// The error of the operating system; [`io::ErrorKind::UnexpectedEof`] if the file ends before.
#[cfg(windows)]
pub fn read_exact_at(file: &File, mut bytes: &mut [u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, place)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => (bytes, place) = (&mut bytes[read..], place + read as u64),
        }
    }
    Ok(())
}

/// Systems without files have nothing to read.
///
/// # Errors
/// [`io::ErrorKind::Unsupported`].
#[cfg(not(any(unix, windows)))]
pub fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Writes `bytes` at an offset in a file; other threads may write elsewhere in it at the same time.
///
/// # Errors
/// The error of the operating system.
#[cfg(unix)]
pub fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

/// Writes `bytes` at an offset in a file; other threads may write elsewhere in it at the same time.
///
/// # Errors
/// The error of the operating system.
#[cfg(windows)]
pub fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, at)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => (bytes, at) = (&bytes[written..], at + written as u64),
        }
    }
    Ok(())
}

/// Systems without files have nowhere to write.
///
/// # Errors
/// [`io::ErrorKind::Unsupported`].
#[cfg(not(any(unix, windows)))]
pub fn write_all_at(_: &File, _: &[u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

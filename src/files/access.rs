//! Where files come from: the disk, or a store for programs without one.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::Debug;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::{open_file, text_of};

/// Bytes that do not change, read by ranges.
pub trait ByteSource: Sync {
    /// Number of bytes.
    fn length(&self) -> u64;

    /// The bytes of a range, cut off at the end of the source.
    ///
    /// # Errors
    /// The error of the operating system, if a file cannot be read.
    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>>;
}

impl<D: AsRef<[u8]> + Sync> ByteSource for D {
    fn length(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let bytes = self.as_ref();
        let within = |place: u64| usize::try_from(place).unwrap_or(usize::MAX).min(bytes.len());
        let (start, end) = (within(range.start), within(range.end));
        Ok(bytes.get(start..end).unwrap_or_default().into())
    }
}

/// A file of a store.
pub trait StoredFile: ByteSource + Debug + Send {}

impl<F: ByteSource + Debug + Send> StoredFile for F {}

/// A database that is not on disk, such as one that a browser downloads piece by piece. Paths begin with the folder of the
/// database; what is not there is [`io::ErrorKind::NotFound`].
pub trait Store: Debug + Send + Sync {
    /// The names of the files and folders in a folder.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// When the contents of a folder last changed.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn changed(&self, folder: &Path) -> io::Result<SystemTime>;

    /// Opens a file.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn open(&self, file: &Path) -> io::Result<Box<dyn StoredFile>>;
}

/// How the files of a database are read.
#[derive(Clone, Debug, Default)]
pub enum Access {
    /// Tables are mapped into memory: the system caches what is used often, and reading a block takes no system call. If another
    /// program cuts a mapped file short, or the disk fails, reading it ends the process.
    #[default]
    Mapped,
    /// Positioned reads: a system call and a copy for each block; anything that happens to the file is an ordinary error.
    Read,
    /// From a store, not from the disk.
    Store(Arc<dyn Store>),
}

impl PartialEq for Access {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mapped, Self::Mapped) | (Self::Read, Self::Read) => true,
            (Self::Store(one), Self::Store(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Access {}

/// A file that can be read from any offset on.
pub trait Input: Read + Seek {}

impl<I: Read + Seek> Input for I {}

impl Access {
    /// The names of the files and folders in a folder.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn names(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        if let Self::Store(store) = self {
            return Ok(store.names(folder)?.into_iter().map(OsString::from).collect());
        }
        fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// When the contents of a folder last changed.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn changed(&self, folder: &Path) -> io::Result<SystemTime> {
        if let Self::Store(store) = self { store.changed(folder) } else { fs::metadata(folder)?.modified() }
    }

    /// Opens a file to read it in order, with its length. It has to be a [`regular_file`](super::regular_file).
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn input(&self, path: &Path) -> io::Result<(Box<dyn Input>, u64)> {
        if let Self::Store(store) = self {
            let file = store.open(path)?;
            let length = file.length();
            return Ok((Box::new(StoredInput { file, at: 0 }), length));
        }
        let file = open_file(path)?;
        let length = file.metadata()?.len();
        Ok((Box::new(file), length))
    }

    /// The text of a file, as [`text_of`] reads it.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn text(&self, path: &Path) -> io::Result<String> {
        text_of(self.input(path)?.0)
    }
}

/// A file of a store, with the place that is read next.
struct StoredInput {
    file: Box<dyn StoredFile>,
    at: u64,
}

impl Read for StoredInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(self.at..self.at.saturating_add(buffer.len() as u64))?;
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for StoredInput {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.file.length().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

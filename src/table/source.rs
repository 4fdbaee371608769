//! The bytes of a table: in memory, in a mapped file, or in a file that is read piece by piece.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::files::read_exact_at;

use super::error::TableError;
use super::mapped::map_file;

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

/// How table files are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Mapped into memory: the system caches what is used often, and reading a block takes no system call. If another program
    /// cuts a mapped file short, or the disk fails, reading it ends the process.
    #[default]
    Mapped,
    /// Positioned reads: a system call and a copy for each block; anything that happens to the file is an ordinary error.
    Read,
}

/// A database folder, and how the tables in it are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Database {
    /// The folder.
    pub folder: PathBuf,
    /// How tables are read.
    pub access: Access,
}

impl<P: AsRef<Path> + ?Sized> From<&P> for Database {
    fn from(folder: &P) -> Self {
        Self { folder: folder.as_ref().to_owned(), access: Access::default() }
    }
}

impl From<PathBuf> for Database {
    fn from(folder: PathBuf) -> Self {
        Self { folder, access: Access::default() }
    }
}

impl From<&Self> for Database {
    fn from(database: &Self) -> Self {
        database.clone()
    }
}

/// A table file that is open.
#[derive(Debug)]
pub enum TableFile {
    /// Mapped.
    Mapped(Mmap),
    /// To be read.
    Read(ReadFile),
}

/// A file with the length it had when it was opened.
#[derive(Debug)]
pub struct ReadFile {
    file: File,
    length: u64,
}

impl TableFile {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// [`TableError::Io`]; [`TableError::NotATable`] if it is not a regular file.
    pub fn open(path: &Path, access: Access) -> Result<Self, TableError> {
        let file = File::open(path).map_err(TableError::io("open", path))?;
        let about = file.metadata().map_err(TableError::io("open", path))?;
        if !about.is_file() {
            return Err(TableError::NotATable { file: path.display().to_string() });
        }
        match access {
            Access::Mapped => map_file(&file).map(Self::Mapped).map_err(TableError::io("map", path)),
            Access::Read => Ok(Self::Read(ReadFile { file, length: about.len() })),
        }
    }
}

impl ByteSource for TableFile {
    fn length(&self) -> u64 {
        match self {
            Self::Mapped(map) => map.length(),
            Self::Read(file) => file.length,
        }
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        match self {
            Self::Mapped(map) => map.read(range),
            Self::Read(file) => file.bytes(range).map(Cow::Owned),
        }
    }
}

impl ReadFile {
    fn bytes(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let end = range.end.min(self.length);
        let bytes = end.saturating_sub(range.start);
        let mut bytes = vec![0; usize::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?];
        // The file may have been longer when it was opened.
        read_exact_at(&self.file, &mut bytes, range.start)?;
        Ok(bytes)
    }
}

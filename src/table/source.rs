//! The bytes of a table: in memory, in a mapped file, or in a file that is read piece by piece, on disk or in a store.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::files::{Access, ByteSource, StoredFile, open_file, read_exact_at};

use super::error::TableError;
use super::mapped::map_file;

/// A database folder, and how the files in it are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Database {
    /// The folder.
    pub folder: PathBuf,
    /// How its files are read.
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
    /// To be read piece by piece.
    Read {
        /// The file.
        file: File,
        /// Its length when it was opened.
        length: u64,
    },
    /// In a store.
    Stored(Box<dyn StoredFile>),
}

impl TableFile {
    /// Opens a file.
    ///
    /// # Errors
    /// [`TableError::Io`]; [`TableError::NotATable`] if it is not a regular file.
    pub fn open(path: &Path, access: &Access) -> Result<Self, TableError> {
        let failed = |action| TableError::io(action, path);
        if let Access::Store(store) = access {
            return store.open(path).map(Self::Stored).map_err(failed("open"));
        }
        let file = open_file(path).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => TableError::NotATable { file: path.display().to_string() },
            _ => failed("open")(error),
        })?;
        if *access == Access::Mapped {
            return map_file(&file).map(Self::Mapped).map_err(failed("map"));
        }
        let length = file.metadata().map_err(failed("open"))?.len();
        Ok(Self::Read { file, length })
    }
}

impl ByteSource for TableFile {
    fn length(&self) -> u64 {
        match self {
            Self::Mapped(map) => map.length(),
            Self::Read { length, .. } => *length,
            Self::Stored(file) => file.length(),
        }
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        match self {
            Self::Mapped(map) => map.read(range),
            Self::Read { file, length } => {
                let bytes = range.end.min(*length).saturating_sub(range.start);
                let mut bytes = vec![0; usize::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?];
                // The file may have been longer when it was opened.
                read_exact_at(file, &mut bytes, range.start)?;
                Ok(Cow::Owned(bytes))
            }
            Self::Stored(file) => file.read(range),
        }
    }
}

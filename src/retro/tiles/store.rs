//! Where tiles are kept between visits: a scratch file, or any other store.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use bincode::config::standard;
use bincode::{Decode, Encode};
use xxhash_rust::xxh3::xxh3_128;
use zerocopy::IntoBytes;

use crate::files::{
    folder_of, make_folder, read_exact_at, remove_if_there, remove_with_temporary, replace_file, try_lock, write_all_at,
};
use crate::table::TableError;

/// A long array of words that is read and written in parts, and a short record of what they mean.
///
/// Parts that are written at the same time do not overlap, and no part is read while it is written.
pub trait Store: Sync {
    /// Reads the words from word `at` on.
    ///
    /// # Errors
    /// [`TableError::Io`].
    fn read(&self, at: u64, words: &mut [u64]) -> Result<(), TableError>;

    /// Writes words from word `at` on.
    ///
    /// # Errors
    /// [`TableError::Io`].
    fn write(&self, at: u64, words: &[u64]) -> Result<(), TableError>;

    /// Makes sure that everything written is on disk, and then saves a record; the one before it is kept as well.
    ///
    /// # Errors
    /// [`TableError::Io`].
    fn commit(&self, record: &[u8]) -> Result<(), TableError>;

    /// Puts a record in place of all that are kept: what these describe may be overwritten from now on.
    ///
    /// # Errors
    /// [`TableError::Io`].
    fn keep_only(&self, record: &[u8]) -> Result<(), TableError> {
        if self.records()?.is_empty() {
            return Ok(());
        }
        self.commit(record)?;
        // And in place of the one before.
        self.commit(record)
    }

    /// Gives back what all words take; none is read before it is written again.
    ///
    /// # Errors
    /// [`TableError::Io`].
    fn forget(&self) -> Result<(), TableError>;

    /// The records that are kept, if any; the last one first.
    ///
    /// # Errors
    /// [`TableError::Io`].
    fn records(&self) -> Result<Vec<Vec<u8>>, TableError>;
}

/// Bytes moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Bytes sent to other processes.
    pub sent: u64,
}

/// A state as a record, for that version of the program's scratch.
pub fn to_record(version: u64, state: &impl Encode) -> Vec<u8> {
    // Encoding into memory fails only for types that have no length.
    let mut bytes = bincode::encode_to_vec((version, state), standard()).unwrap_or_default();
    bytes.extend(xxh3_128(&bytes).to_le_bytes());
    bytes
}

/// The state in a record, if it is whole and of that version.
pub fn from_record<T: Decode<()>>(version: u64, record: &[u8]) -> Option<T> {
    let (bytes, sum) = record.split_last_chunk::<16>()?;
    if xxh3_128(bytes) != u128::from_le_bytes(*sum) {
        return None;
    }
    let ((found, state), _): ((u64, T), _) = bincode::decode_from_slice(bytes, standard()).ok()?;
    (found == version).then_some(state)
}

/// A store in a file, with its last record and the one before in two others beside it.
#[derive(Debug)]
pub struct ScratchStore {
    path: PathBuf,
    file: File,
    /// Bytes read and written so far.
    traffic: [AtomicU64; 2],
}

/// Extension of the files of words, and of the records, the last one first.
pub const SCRATCH: &str = "scratch";
const RECORDS: [&str; 2] = ["scratch-state", "scratch-before"];

impl ScratchStore {
    /// Opens or creates the file, and locks it while the store exists.
    ///
    /// # Errors
    /// [`TableError::Io`]; [`TableError::Locked`] if another build uses it.
    pub fn open(path: PathBuf) -> Result<Self, TableError> {
        let folder = folder_of(&path);
        make_folder(folder).map_err(TableError::io("make folder", folder))?;
        let open = |()| File::options().create(true).truncate(false).read(true).write(true).open(&path);
        let file = no_other_file(&path).and_then(open).map_err(TableError::io("open", &path))?;
        let locked = try_lock(&file).map_err(TableError::io("lock", &path))?;
        if locked { Ok(Self { path, file, traffic: Default::default() }) } else { Err(TableError::Locked(path)) }
    }

    /// Forgets what the file holds.
    ///
    /// # Errors
    /// [`TableError::Io`].
    pub fn clear(&self) -> Result<(), TableError> {
        remove_records(&self.path)?;
        self.forget()
    }

    /// Bytes read and written so far.
    pub fn traffic(&self) -> [u64; 2] {
        self.traffic.each_ref().map(|bytes| bytes.load(Ordering::Relaxed))
    }
}

/// Refuses a link, which would have another file overwritten, and a pipe, which one would wait for. Nothing need be there.
fn no_other_file(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => {
            Err(io::Error::other("it is a link, a folder, a device or a pipe; remove it, or choose another folder"))
        }
        _ => Ok(()),
    }
}

/// Removes a scratch file and its record, if they exist and no other build uses them.
///
/// # Errors
/// [`TableError::Io`].
pub fn remove_scratch(path: &Path) -> Result<(), TableError> {
    if no_other_file(path).is_err() {
        return Ok(());
    }
    // A record alone is of no use; beside a file it is removed only with the file.
    let file = match File::options().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        file => Some(file.map_err(TableError::io("open", path))?),
    };
    if file.is_some_and(|file| try_lock(&file).is_ok_and(|locked| !locked)) {
        return Ok(());
    }
    remove_records(path)?;
    remove_if_there(path).map_err(TableError::io("remove", path))
}

fn remove_records(path: &Path) -> Result<(), TableError> {
    let mut records = RECORDS.iter().map(|record| path.with_extension(record));
    records.try_for_each(|record| remove_with_temporary(&record).map_err(TableError::io("remove", &record)))
}

impl Store for ScratchStore {
    fn read(&self, at: u64, words: &mut [u64]) -> Result<(), TableError> {
        self.traffic[0].fetch_add(8 * words.len() as u64, Ordering::Relaxed);
        match read_exact_at(&self.file, words.as_mut_bytes(), 8 * at) {
            // A file that was cut short is a damaged one: zeros in place of the rest do not have the right checksums.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => words.fill(0),
            read => read.map_err(TableError::io("read", &self.path))?,
        }
        Ok(())
    }

    fn write(&self, at: u64, words: &[u64]) -> Result<(), TableError> {
        self.traffic[1].fetch_add(8 * words.len() as u64, Ordering::Relaxed);
        write_all_at(&self.file, words.as_bytes(), 8 * at).map_err(TableError::io("write", &self.path))
    }

    fn commit(&self, record: &[u8]) -> Result<(), TableError> {
        self.file.sync_data().map_err(TableError::io("write", &self.path))?;
        let [last, before] = RECORDS.map(|record| self.path.with_extension(record));
        match fs::rename(&last, &before) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(TableError::io("rename", &last)(error));
            }
            _ => {}
        }
        replace_file(&last, TableError::of_system, |file, path| {
            io::Write::write_all(file, record).map_err(TableError::io("write", path))
        })
    }

    fn records(&self) -> Result<Vec<Vec<u8>>, TableError> {
        let mut records = Vec::new();
        for path in RECORDS.map(|record| self.path.with_extension(record)) {
            match no_other_file(&path).and_then(|()| fs::read(&path)) {
                Ok(record) => records.push(record),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(TableError::io("read", &path)(error)),
            }
        }
        Ok(records)
    }

    fn forget(&self) -> Result<(), TableError> {
        self.file.set_len(0).map_err(TableError::io("shorten", &self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_no_scratch_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("2v1.scratch"), folder.path().join("precious"));
        fs::write(&other, "precious").expect("a file");
        std::os::unix::fs::symlink(&other, &path).expect("a link");
        assert!(ScratchStore::open(path.clone()).is_err());
        fs::remove_file(&path).expect("a link");
        let pipe = |path: &Path| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
        };
        pipe(&path);
        assert!(ScratchStore::open(path.clone()).is_err());
        remove_scratch(&path).expect("left alone");
        fs::remove_file(&path).expect("a pipe");
        let store = ScratchStore::open(path.clone()).expect("a file");
        pipe(&path.with_extension(RECORDS[0]));
        assert!(store.records().is_err());
        assert_eq!(fs::read(&other).expect("a file"), b"precious");
    }

    #[test]
    fn what_a_scratch_file_has_lost_is_not_what_was_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = ScratchStore::open(folder.path().join("2v1.scratch")).expect("a file");
        store.write(0, &[1, 2, 3]).expect("written");
        let mut words = [9; 3];
        store.read(0, &mut words).expect("read");
        assert_eq!(words, [1, 2, 3]);
        File::options().write(true).open(&store.path).expect("a file").set_len(20).expect("shorter");
        store.read(0, &mut words).expect("read");
        assert_eq!(words, [0; 3]);
    }
}

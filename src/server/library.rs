//! Keeps the tables of the most recently used boards open.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::Serialize;

use crate::board::{BoardSize, MAX_POINTS};
use crate::index::Space;
use crate::rules::RuleSet;
use crate::table::{Database, Folder, TableError, Tables, folder_name, folders};

/// The most boards, each with its rules, whose tables are open at once. They share the bytes of the cache.
const MAX_OPEN: usize = 8;

/// A board with its rules.
type Key = (BoardSize, RuleSet);

/// When a folder was last modified. A build adds complete files one at a time, and each changes this.
type Stamp = SystemTime;

/// The tables of a board and rule set.
#[derive(Clone, Debug, Serialize)]
pub struct TablesOfBoard {
    /// The board.
    pub board: String,
    /// The rules.
    pub rules: RuleSet,
    /// Every slice up to this many stones has a table.
    pub stones: usize,
    /// Every slice up to this many stones has a depth table.
    pub depth_stones: usize,
}

/// A database folder, with the tables of the most recently used boards. A board is opened on its first request and closed when
/// eight others have been used since, or when its folder changes, so that tables built while the server runs are used from the
/// next request on. Tables are mapped; a mapping stays readable when a build replaces the file.
#[derive(Debug)]
pub struct Library {
    database: Database,
    cache_bytes: u64,
    /// The most recently used first.
    open: Mutex<Vec<(Key, Stamp, Shelf)>>,
    listed: Mutex<Listed>,
}

/// The result of the last scan of all folders.
#[derive(Debug, Default)]
struct Listed {
    stamps: Vec<(Key, Stamp)>,
    boards: Vec<TablesOfBoard>,
}

/// The tables of one board.
#[derive(Clone)]
struct Shelf(Arc<Tables>);

impl std::fmt::Debug for Shelf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Shelf").field(&self.0.folder().path()).finish()
    }
}

impl Library {
    /// A library of a database folder with a cache of this many bytes for all boards together.
    #[must_use]
    pub fn new(database: Database, cache_bytes: u64) -> Self {
        Self { database, cache_bytes, open: Mutex::default(), listed: Mutex::default() }
    }

    /// The database folder.
    #[must_use]
    pub fn database(&self) -> &Path {
        &self.database.folder
    }

    /// The tables of a board, `None` if there are none.
    ///
    /// # Errors
    /// [`TableError`] for the first file that cannot be used.
    pub fn tables(&self, size: BoardSize, rules: RuleSet) -> Result<Option<Arc<Tables>>, TableError> {
        let key = (size, rules);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stamp) = self.stamp(key)? else { return Ok(None) };
        let known = open.iter().position(|&(known, ..)| known == key);
        let fresh = known.map(|place| open.remove(place)).filter(|&(_, then, _)| then == stamp);
        let entry = if let Some(entry) = fresh {
            entry
        } else {
            // The lock prevents two requests from opening the same tables; opening reads only headers and takes milliseconds.
            // Two thirds are for values, because depths may take half as much again.
            let bytes = self.cache_bytes / MAX_OPEN as u64 * 2 / 3;
            let tables = Tables::open(&self.database, size, rules, bytes)?;
            if tables.folder().tables().next().is_none() {
                return Ok(None);
            }
            (key, stamp, Shelf(Arc::new(tables)))
        };
        let tables = entry.2.0.clone();
        open.insert(0, entry);
        open.truncate(MAX_OPEN);
        Ok(Some(tables))
    }

    /// Every board and rule set that has tables, in order. Unusable tables are left out and passed to `unusable`.
    ///
    /// # Errors
    /// [`TableError::Io`] if the database folder exists and cannot be read.
    pub fn list(&self, unusable: impl Fn(&TableError)) -> Result<Vec<TablesOfBoard>, TableError> {
        let keys = match folders(&self.database.folder) {
            Err(TableError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            keys => keys?,
        };
        let mut found = Vec::new();
        for key in keys.into_iter().filter(|(size, _)| size.points() <= MAX_POINTS) {
            found.extend(self.stamp(key)?.map(|stamp| (key, stamp)));
        }
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if listed.stamps != found {
            let mut boards = Vec::new();
            for &((size, rules), _) in &found {
                match Folder::open(&self.database, &Space::new(size, rules.diagonals), rules) {
                    Ok(folder) => boards.extend(described(size, rules, &folder)),
                    // This is temporary.
                    Err(error) if error.is_lack_of_handles() => return Err(error),
                    Err(error) => unusable(&error),
                }
            }
            *listed = Listed { stamps: found, boards };
        }
        Ok(listed.boards.clone())
    }

    /// When the folder of a board was last modified; `None` if there is no such folder.
    fn stamp(&self, (size, rules): Key) -> Result<Option<Stamp>, TableError> {
        if size.points() > MAX_POINTS {
            return Ok(None);
        }
        let path = self.database.folder.join(folder_name(size, rules));
        match fs::metadata(&path).and_then(|found| found.modified()) {
            Ok(stamp) => Ok(Some(stamp)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(TableError::io("read folder", &path)(error)),
        }
    }
}

fn described(size: BoardSize, rules: RuleSet, folder: &Folder) -> Option<TablesOfBoard> {
    folder.tables().next()?;
    Some(TablesOfBoard {
        board: size.to_string(),
        rules,
        stones: folder.complete_up_to(size.points()),
        depth_stones: folder.depths_up_to(size.points()),
    })
}

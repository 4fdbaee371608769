//! Keeps the tables and certificates of the most recently used boards open.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::Serialize;

use crate::board::{BoardSize, MAX_POINTS};
use crate::index::Space;
use crate::knowledge::{CERTIFICATES, Knowledge, Trust, Why};
use crate::rules::RuleSet;
use crate::table::{Database, Folder, TableError, folder_name, folders};

/// The most boards, each with its rules, whose tables are open at once. They share the bytes of the cache.
const MAX_OPEN: usize = 8;

/// A board with its rules.
type Key = (BoardSize, RuleSet);

/// When a folder was last modified; `None` if there is none. A build adds complete files one at a time, and each changes this.
type Stamp = Option<SystemTime>;

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

/// A database folder, with what is known of the most recently used boards. A board is opened on its first request and closed when
/// eight others have been used since, or when its folder or that of the certificates changes, so that tables built and
/// certificates checked while the server runs are used from the next request on. Tables are mapped; a mapping stays readable
/// when a build replaces the file. Certificates are in memory.
#[derive(Debug)]
pub struct Library {
    database: Database,
    cache_bytes: u64,
    /// The most recently used first.
    open: Mutex<Vec<(Key, [Stamp; 2], Shelf)>>,
    listed: Mutex<Listed>,
    /// Called with a line about each file that is not used.
    log: fn(&str),
}

/// The result of the last scan of all folders.
#[derive(Debug, Default)]
struct Listed {
    stamps: Vec<(Key, Stamp)>,
    boards: Vec<TablesOfBoard>,
}

/// What is known of one board.
#[derive(Clone)]
struct Shelf(Arc<Knowledge>);

impl std::fmt::Debug for Shelf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Shelf").field(&self.0.tables().folder().path()).finish()
    }
}

impl Library {
    /// A library of a database folder with a cache of this many bytes for all boards together.
    #[must_use]
    pub fn new(database: Database, cache_bytes: u64, log: fn(&str)) -> Self {
        Self { database, cache_bytes, open: Mutex::default(), listed: Mutex::default(), log }
    }

    /// The database folder.
    #[must_use]
    pub fn database(&self) -> &Path {
        &self.database.folder
    }

    /// The tables and certificates of a board, possibly none. `None` if the board is too large for them.
    ///
    /// # Errors
    /// [`TableError`] for the first table that cannot be used.
    pub fn knowledge(&self, size: BoardSize, rules: RuleSet) -> Result<Option<Arc<Knowledge>>, TableError> {
        let key = (size, rules);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if size.points() > MAX_POINTS {
            return Ok(None);
        }
        let stamps = [self.stamp(&folder_name(size, rules))?, self.stamp(CERTIFICATES)?];
        let known = open.iter().position(|&(known, ..)| known == key);
        let fresh = known.map(|place| open.remove(place)).filter(|&(_, then, _)| then == stamps);
        let entry = if let Some(entry) = fresh {
            entry
        } else {
            // The lock prevents two requests from opening the same tables; opening reads only headers and takes milliseconds.
            // Two thirds are for values, because depths may take half as much again.
            let bytes = self.cache_bytes / MAX_OPEN as u64 * 2 / 3;
            let knowledge = Knowledge::open(&self.database, size, rules, bytes, Trust::Checked)?;
            for unused in knowledge.proofs().unused().iter().filter(|unused| !matches!(unused.why, Why::OtherRules(_)))
            {
                (self.log)(&unused.to_string());
            }
            (key, stamps, Shelf(Arc::new(knowledge)))
        };
        let knowledge = entry.2.0.clone();
        open.insert(0, entry);
        open.truncate(MAX_OPEN);
        Ok(Some(knowledge))
    }

    /// Every board and rule set that has tables, in order. Unusable tables are left out and logged.
    ///
    /// # Errors
    /// [`TableError::Io`] if the database folder exists and cannot be read.
    pub fn list(&self) -> Result<Vec<TablesOfBoard>, TableError> {
        let keys = match folders(&self.database.folder) {
            Err(TableError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            keys => keys?,
        };
        let mut found = Vec::new();
        for (size, rules) in keys.into_iter().filter(|(size, _)| size.points() <= MAX_POINTS) {
            found.push(((size, rules), self.stamp(&folder_name(size, rules))?));
        }
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if listed.stamps != found {
            let mut boards = Vec::new();
            for &((size, rules), _) in &found {
                match Folder::open(&self.database, &Space::new(size, rules.diagonals), rules) {
                    Ok(folder) => boards.extend(described(size, rules, &folder)),
                    // This is temporary.
                    Err(error) if error.is_lack_of_handles() => return Err(error),
                    Err(error) => (self.log)(&error.to_string()),
                }
            }
            *listed = Listed { stamps: found, boards };
        }
        Ok(listed.boards.clone())
    }

    /// When a folder of the database was last modified.
    fn stamp(&self, folder: &str) -> Result<Stamp, TableError> {
        let path = self.database.folder.join(folder);
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

//! Keeps the tables and certificates of the most recently used boards open.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::Serialize;

use crate::board::{BoardSize, MAX_POINTS};
use crate::index::Space;
use crate::knowledge::{CERTIFICATES, Knowledge, Trust, Why, certificate_files};
use crate::proof::{Certificate, ProofError};
use crate::rules::RuleSet;
use crate::table::{Database, Folder, TableError, folder_name, folders};

/// The most boards, each with its rules, whose tables are open at once. They share the bytes of the cache.
const MAX_OPEN: usize = 8;

/// How many logged lines are remembered, so that they are not logged again.
const MAX_LOGGED: usize = 1000;

/// A board with its rules.
type Key = (BoardSize, RuleSet);

/// When a folder was last modified; `None` if there is none. A build adds complete files one at a time, and each changes this.
pub type Stamp = Option<SystemTime>;

/// What is known of a board, with the stamps of its folder and of that of the certificates; `None` before it is opened.
#[derive(Default)]
struct OpenBoard(Option<([Stamp; 2], Arc<Knowledge>)>);

impl std::fmt::Debug for OpenBoard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OpenBoard").field(&self.0.as_ref().map(|(stamps, _)| stamps)).finish()
    }
}

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
    /// Files of certificates.
    pub certificates: usize,
}

/// A database folder, with what is known of the most recently used boards. A board is opened on its first request and closed when
/// eight others have been used since, or when its folder or that of the certificates changes, so that tables built and
/// certificates checked while the server runs are used from the next request on. Tables are mapped; a mapping stays readable
/// when a build replaces the file. Certificates are in memory.
#[derive(Debug)]
pub struct Library {
    database: Database,
    cache_bytes: u64,
    trust: Trust,
    /// The most recently used first.
    open: Mutex<Vec<(Key, Arc<Mutex<OpenBoard>>)>>,
    listed: Mutex<Listed>,
    /// Lines that have been logged.
    logged: Mutex<HashSet<String>>,
    /// Called once with a line about each file that is not used, and why.
    log: fn(&str),
}

/// The result of the last scan of all folders.
#[derive(Debug, Default)]
struct Listed {
    stamps: (Vec<(Key, Stamp)>, Stamp),
    boards: Vec<TablesOfBoard>,
}

impl Library {
    /// A library of a database folder with a cache of this many bytes for all boards together; `trust` says which certificates
    /// are used.
    #[must_use]
    pub fn new(database: Database, cache_bytes: u64, trust: Trust, log: fn(&str)) -> Self {
        let (open, listed, logged) = Default::default();
        Self { database, cache_bytes, trust, open, listed, logged, log }
    }

    /// The database folder.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The tables and certificates of a board, possibly none.
    ///
    /// # Errors
    /// [`TableError`] for the first table that cannot be used.
    ///
    /// # Panics
    /// If the board has more than 64 points.
    pub fn knowledge(&self, size: BoardSize, rules: RuleSet) -> Result<Arc<Knowledge>, TableError> {
        let place = self.open_board((size, rules));
        // This lock prevents two requests from opening the same files. Requests for other boards need not wait: decoding large
        // certificates takes seconds.
        let mut held = place.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = [stamp(self.database(), &folder_name(size, rules))?, stamp(self.database(), CERTIFICATES)?];
        if let Some((_, knowledge)) = held.0.as_ref().filter(|(then, _)| *then == stamps) {
            return Ok(knowledge.clone());
        }
        // Frees what is replaced before the new is opened.
        held.0 = None;
        // Two thirds are for values, because depths may take half as much again.
        let bytes = self.cache_bytes / MAX_OPEN as u64 * 2 / 3;
        let knowledge = Arc::new(retry_once(|| Knowledge::open(&self.database, size, rules, bytes, self.trust))?);
        for unused in knowledge.proofs().unused().iter().filter(|unused| !matches!(unused.why, Why::OtherRules(_))) {
            self.log_once(unused.to_string());
        }
        held.0 = Some((stamps, knowledge.clone()));
        Ok(knowledge)
    }

    /// The place of a board, from now on the most recently used.
    fn open_board(&self, key: Key) -> Arc<Mutex<OpenBoard>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let place = open.iter().position(|&(known, _)| known == key);
        let kept = place.map_or_else(Arc::default, |place| open.remove(place).1);
        open.insert(0, (key, kept.clone()));
        open.truncate(MAX_OPEN);
        kept
    }

    /// Logs a line, unless that has been done.
    fn log_once(&self, line: String) {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.contains(&line) {
            return;
        }
        (self.log)(&line);
        if logged.len() == MAX_LOGGED {
            logged.clear();
        }
        logged.insert(line);
    }

    /// Every board and rule set that has tables or certificates, in order. Unusable tables are left out and logged.
    ///
    /// # Errors
    /// [`TableError::Io`] if the database folder exists and cannot be read.
    pub fn list(&self) -> Result<Vec<TablesOfBoard>, TableError> {
        let keys = match folders(&self.database) {
            Err(TableError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            keys => keys?,
        };
        let mut stamps = Vec::new();
        for (size, rules) in keys.into_iter().filter(|(size, _)| size.points() <= MAX_POINTS) {
            stamps.push(((size, rules), stamp(self.database(), &folder_name(size, rules))?));
        }
        let stamps = (stamps, stamp(self.database(), CERTIFICATES)?);
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if listed.stamps != stamps {
            // An I/O error may pass while the folders stay unchanged; such a list is not kept.
            let mut lasts = true;
            let mut certificates: BTreeMap<Key, usize> = BTreeMap::new();
            for file in certificate_files(self.database())? {
                match retry_once(|| Certificate::read_subject(&file, &self.database.access)) {
                    Ok(key) => *certificates.entry(key).or_default() += 1,
                    Err(error) => lasts &= !matches!(error, ProofError::Io { .. }),
                }
            }
            let mut boards = Vec::new();
            for &((size, rules), _) in &stamps.0 {
                let certificates = certificates.remove(&(size, rules)).unwrap_or(0);
                match retry_once(|| Folder::open(&self.database, &Space::new(size, rules.diagonals), rules)) {
                    Ok(folder) => boards.extend(described(size, rules, &folder, certificates)),
                    Err(error) if error.is_lack_of_handles() => return Err(error),
                    Err(error) => {
                        lasts &= !matches!(error, TableError::Io { .. });
                        self.log_once(error.to_string());
                    }
                }
            }
            let alone = certificates.into_iter().map(|((size, rules), certificates)| TablesOfBoard {
                board: size.to_string(),
                rules,
                stones: 0,
                depth_stones: 0,
                certificates,
            });
            boards.extend(alone);
            if !lasts {
                return Ok(boards);
            }
            *listed = Listed { stamps, boards };
        }
        Ok(listed.boards.clone())
    }
}

/// Looks again where the first look fails: a file may have been removed or replaced after its folder was read, and the second look
/// finds the folder as it is then.
fn retry_once<T, E>(look: impl Fn() -> Result<T, E>) -> Result<T, E> {
    look().or_else(|_| look())
}

/// When a folder of a database was last modified.
///
/// # Errors
/// [`TableError::Io`].
pub fn stamp(database: &Database, folder: &str) -> Result<Stamp, TableError> {
    let path = database.folder.join(folder);
    match database.access.changed(&path) {
        Ok(stamp) => Ok(Some(stamp)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TableError::io("read folder", &path)(error)),
    }
}

fn described(size: BoardSize, rules: RuleSet, folder: &Folder, certificates: usize) -> Option<TablesOfBoard> {
    (certificates > 0 || folder.tables().next().is_some()).then(|| TablesOfBoard {
        board: size.to_string(),
        rules,
        stones: folder.complete_up_to(size.points()),
        depth_stones: folder.depths_up_to(size.points()),
        certificates,
    })
}

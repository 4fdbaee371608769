//! Results for boards, each worked out again only after the folder of its board has changed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::board::BoardSize;
use crate::rules::RuleSet;
use crate::table::{Database, TableError, folder_name};

use super::library::{Stamp, stamp};

/// A board with its rules.
type Key = (BoardSize, RuleSet);

/// Results for boards, with the stamps that their folders had.
#[derive(Debug)]
pub struct FolderCache<T>(Mutex<HashMap<Key, (Stamp, Arc<T>)>>);

impl<T> Default for FolderCache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> FolderCache<T> {
    /// The result of `find` for a board; it is called again only after the board's folder has changed.
    ///
    /// # Errors
    /// [`TableError::Io`] if the folder cannot be read, and those of `find`.
    pub fn get<E: From<TableError>>(
        &self,
        database: &Database,
        (size, rules): Key,
        find: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        // Two at once would take twice the time and the memory.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = stamp(database, &folder_name(size, rules))?;
        if let Some((_, found)) = known.get(&(size, rules)).filter(|(then, _)| *then == stamp) {
            return Ok(found.clone());
        }
        let found = Arc::new(find()?);
        known.insert((size, rules), (stamp, found.clone()));
        Ok(found)
    }
}

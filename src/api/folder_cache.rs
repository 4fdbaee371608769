//! Results for boards, each worked out again only after the folder of its board has changed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::board::BoardSize;
use crate::rules::RuleSet;
use crate::table::{Database, TableError, folder_name};

use super::library::{Stamp, stamp};

/// A board with its rules.
type Key = (BoardSize, RuleSet);

/// The result for a board, with the stamp that its folder had.
type Entry<T> = Mutex<Option<(Stamp, Arc<T>)>>;

/// Results for boards.
#[derive(Debug)]
pub struct FolderCache<T>(Mutex<HashMap<Key, Arc<Entry<T>>>>);

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
        let entry = self.0.lock().unwrap_or_else(PoisonError::into_inner).entry((size, rules)).or_default().clone();
        // For one board, two at once would take twice the time and the memory.
        let mut known = entry.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = stamp(database, &folder_name(size, rules))?;
        if let Some((_, found)) = known.as_ref().filter(|(then, _)| *then == stamp) {
            return Ok(found.clone());
        }
        let found = Arc::new(find()?);
        *known = Some((stamp, found.clone()));
        Ok(found)
    }
}

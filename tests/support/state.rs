//! Saved states of searches.

use std::path::Path;

use fanorona::board::BoardSize;
use fanorona::rules::RuleSet;
use fanorona::search::{self, CheckpointError, Key, SearchTotals, TtEntry};

/// The work so far, and all entries of a saved state.
pub fn read_state(
    path: &Path,
    size: BoardSize,
    rules: RuleSet,
) -> Result<(SearchTotals, Vec<(Key, TtEntry)>), CheckpointError> {
    let mut entries = Vec::new();
    let (_, done) = search::read(path, size, rules, |piece| {
        entries.extend_from_slice(piece);
        Ok::<_, CheckpointError>(())
    })?;
    Ok((done, entries))
}

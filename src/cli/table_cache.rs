//! Tables for a computer player: opened and prepared once for each board and rule set.

use std::sync::Arc;

use crate::board::{BoardSize, MAX_POINTS};
use crate::game::engine::prepare;
use crate::rules::RuleSet;
use crate::table::{DEFAULT_CACHE_BYTES, Database, Tables};

use super::output::CliResult;

/// The tables used last.
#[derive(Default)]
pub struct TableCache(Option<(Database, RuleSet, Arc<Tables>)>);

impl TableCache {
    /// The tables of a database for a board; `None` for boards that are too large.
    pub fn get(&mut self, database: &Database, size: BoardSize, rules: RuleSet) -> CliResult<Option<Arc<Tables>>> {
        if size.points() > MAX_POINTS {
            return Ok(None);
        }
        if let Some((opened, known, tables)) = &self.0
            && (opened, *known, tables.space().board().size()) == (database, rules, size)
        {
            return Ok(Some(tables.clone()));
        }
        let tables = Arc::new(Tables::open(database, size, rules, DEFAULT_CACHE_BYTES)?);
        prepare(&tables)?;
        self.0 = Some((database.clone(), rules, tables.clone()));
        Ok(Some(tables))
    }
}

//! Tables and certificates for a computer player: opened once for each board and rule set.

use std::sync::Arc;

use crate::board::{BoardSize, MAX_POINTS};
use crate::knowledge::{Knowledge, Trust};
use crate::rules::RuleSet;
use crate::table::{DEFAULT_CACHE_BYTES, Database};

use super::output::CliResult;

/// What was used last.
#[derive(Default)]
pub struct KnowledgeCache(Option<(Database, RuleSet, Arc<Knowledge>)>);

impl KnowledgeCache {
    /// The tables and certificates of a database for a board; `None` for boards that are too large.
    pub fn get(&mut self, database: &Database, size: BoardSize, rules: RuleSet) -> CliResult<Option<Arc<Knowledge>>> {
        if size.points() > MAX_POINTS {
            return Ok(None);
        }
        if let Some((opened, known, knowledge)) = &self.0
            && (opened, *known, knowledge.rules().board().size()) == (database, rules, size)
        {
            return Ok(Some(knowledge.clone()));
        }
        let knowledge = Arc::new(Knowledge::open(database, size, rules, DEFAULT_CACHE_BYTES, Trust::Checked)?);
        self.0 = Some((database.clone(), rules, knowledge.clone()));
        Ok(Some(knowledge))
    }
}

//! The contents of a database folder: tables of every board and rule set, and certificates.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Serialize;
use thiserror::Error;

use crate::board::{BoardSize, MAX_POINTS};
use crate::index::Space;
use crate::knowledge::{certificate_files, is_checked};
use crate::proof::{Certificate, ProofError};
use crate::rules::{Position, RuleSet};
use crate::table::{Access, Database, Folder, TableError, folders};

use super::stats::{Stats, stats};

/// The tables of a board and rule set.
#[derive(Clone, Debug, Serialize)]
pub struct BoardTables {
    /// The board.
    #[serde(skip)]
    pub size: BoardSize,
    /// The rules.
    #[serde(skip)]
    pub rule_set: RuleSet,
    /// Every slice up to this many stones has a table.
    pub stones: usize,
    /// Every slice up to this many stones has a depth table.
    pub depth_stones: usize,
    /// Statistics of the tables.
    #[serde(flatten)]
    pub stats: Stats,
}

/// A certificate that was read.
#[derive(Clone, Debug, Serialize)]
pub struct FiledCertificate {
    /// The file.
    pub file: String,
    /// The board.
    pub board: String,
    /// The rules.
    pub rules: RuleSet,
    /// The position of the first claim.
    pub position: String,
    /// Whether that is where the game starts.
    pub is_start: bool,
    /// The claimed value of that position.
    pub value: &'static str,
    /// Whether it has been checked, so that the value is proved.
    pub checked: bool,
    /// The number of claims.
    pub claims: usize,
    /// Positions with a reply.
    pub positions: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// The board and the rules.
    #[serde(skip)]
    pub key: (BoardSize, RuleSet),
}

impl FiledCertificate {
    /// The value and whether it is proved: `draw (proved)`.
    #[must_use]
    pub fn value_text(&self) -> String {
        format!("{} ({})", self.value, if self.checked { "proved" } else { "claimed" })
    }
}

/// The contents of a database folder.
#[derive(Clone, Debug, Serialize)]
pub struct Overview {
    /// Boards and rule sets that have tables, in order.
    pub boards: Vec<BoardTables>,
    /// Certificates by name of the file.
    pub certificates: Vec<FiledCertificate>,
}

/// The tables and certificates of a board and rule set.
#[derive(Clone, Debug, Default)]
pub struct BoardResult<'a> {
    /// Its tables, if any.
    pub tables: Option<&'a BoardTables>,
    /// The certificates whose first claim is about the start.
    pub start: Vec<&'a FiledCertificate>,
}

impl BoardResult<'_> {
    /// The values that certificates have for the start, each once.
    #[must_use]
    pub fn values(&self) -> Vec<String> {
        let mut values: Vec<_> = self.start.iter().map(|certificate| certificate.value_text()).collect();
        values.sort_unstable();
        values.dedup();
        values
    }
}

/// Why there is no overview.
#[derive(Debug, Error)]
pub enum OverviewError {
    /// A table or folder cannot be used.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A certificate cannot be used.
    #[error(transparent)]
    Proof(#[from] ProofError),
}

impl Overview {
    /// True if there are neither tables nor certificates.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.boards.is_empty() && self.certificates.is_empty()
    }

    /// The results of each board and rule set, in order.
    #[must_use]
    pub fn results(&self) -> BTreeMap<(BoardSize, RuleSet), BoardResult<'_>> {
        let mut results: BTreeMap<_, BoardResult<'_>> = BTreeMap::new();
        for tables in &self.boards {
            results.entry((tables.size, tables.rule_set)).or_default().tables = Some(tables);
        }
        for certificate in &self.certificates {
            let result = results.entry(certificate.key).or_default();
            result.start.extend(Some(certificate).filter(|certificate| certificate.is_start));
        }
        results
    }
}

/// The rules in short: `default`, or every option.
#[must_use]
pub fn rules_in_short(rules: RuleSet) -> String {
    if rules == RuleSet::default() { "default".to_owned() } else { rules.to_string() }
}

/// Reads a database folder: headers and summaries of tables, and certificates of at most `memory` bytes in memory each. Nothing
/// is verified beyond what reading verifies.
///
/// # Errors
/// [`OverviewError`] for the first file that cannot be used.
pub fn overview(database: &Path, memory: u64) -> Result<Overview, OverviewError> {
    let mut boards = Vec::new();
    for (size, rules) in folders(database)? {
        if size.points() > MAX_POINTS {
            continue;
        }
        let folder = Folder::open(
            Database { folder: database.to_owned(), access: Access::Read },
            &Space::new(size, rules.diagonals),
            rules,
        )?;
        let stats = stats(&folder, size, rules)?;
        if !stats.slices.is_empty() {
            boards.push(BoardTables {
                size,
                rule_set: rules,
                stones: folder.complete_up_to(size.points()),
                depth_stones: folder.depths_up_to(size.points()),
                stats,
            });
        }
    }
    Ok(Overview { boards, certificates: certificates(database, memory)? })
}

fn certificates(database: &Path, memory: u64) -> Result<Vec<FiledCertificate>, OverviewError> {
    let mut found = Vec::new();
    for path in certificate_files(database)? {
        let (certificate, identity) = Certificate::read_with_identity(&path, memory)?;
        let length = fs::metadata(&path).map_err(TableError::io("read", &path))?.len();
        // A certificate without a claim is left out.
        found.extend(filed(&path, &certificate, is_checked(&path, identity), length));
    }
    Ok(found)
}

fn filed(path: &Path, certificate: &Certificate, checked: bool, bytes: u64) -> Option<FiledCertificate> {
    let main = certificate.claims.first()?;
    let size = certificate.size;
    Some(FiledCertificate {
        file: path.display().to_string(),
        board: size.to_string(),
        rules: certificate.rules,
        position: main.position.to_text(size),
        is_start: main.position == Position::start(size),
        value: main.value.words(),
        checked,
        claims: certificate.claims.len(),
        positions: (certificate.safe.len() + certificate.won.len()) as u64,
        bytes,
        key: (size, certificate.rules),
    })
}

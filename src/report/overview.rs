//! The contents of a database folder: tables of every board and rule set, and certificates.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::board::{BoardSize, MAX_POINTS};
use crate::index::Space;
use crate::knowledge::{Unused, Why, certificate_files, standing};
use crate::proof::Certificate;
use crate::rules::{Bounds, Position, RuleSet, Side, Value};
use crate::table::{Access, Database, Folder, TableError, Tables, folders};

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
    /// Every slice up to this many stones has a depth table.
    pub depth_stones: usize,
    /// The value of the start, if the tables reach it.
    pub start: Option<Value>,
    /// Statistics of the tables.
    #[serde(flatten)]
    pub stats: Stats,
}

/// What a certificate claims.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimSummary {
    /// The position of the first claim, which is the main one.
    pub position: String,
    /// Whether that is where the game starts.
    pub is_start: bool,
    /// The claimed value of that position.
    pub value: Value,
    /// The number of claims.
    pub claims: usize,
    /// Positions with a reply.
    pub positions: u64,
}

impl ClaimSummary {
    /// Summarises a certificate; `None` if it claims nothing.
    #[must_use]
    pub fn of(certificate: &Certificate) -> Option<Self> {
        let (main, size) = (certificate.claims.first()?, certificate.size);
        Some(Self {
            position: main.position.to_text(size),
            is_start: main.position == Position::start(size),
            value: main.value,
            claims: certificate.claims.len(),
            positions: certificate.positions(),
        })
    }
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
    /// What it claims.
    #[serde(flatten)]
    pub claimed: ClaimSummary,
    /// Whether it was checked with the tables now in the database, so that the value is proved.
    pub checked: bool,
    /// Bytes of the file.
    pub bytes: u64,
    /// The board and the rules.
    #[serde(skip)]
    pub key: (BoardSize, RuleSet),
}

impl FiledCertificate {
    /// The value in words and whether it is proved: `White wins (proved)`.
    #[must_use]
    pub fn value_text(&self) -> String {
        format!("{} ({})", self.claimed.value, if self.checked { "proved" } else { "claimed" })
    }
}

/// A certificate that is not used although it may have been checked.
#[derive(Clone, Debug, Serialize)]
pub struct UnusedCertificate {
    /// The file.
    pub file: String,
    /// Why it is not used.
    pub why: String,
    /// A sentence with both.
    #[serde(skip)]
    pub text: String,
}

impl From<Unused> for UnusedCertificate {
    fn from(unused: Unused) -> Self {
        Self { text: unused.to_string(), file: unused.file.display().to_string(), why: unused.why.to_string() }
    }
}

/// The contents of a database folder.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Overview {
    /// Boards and rule sets that have tables, in order.
    pub boards: Vec<BoardTables>,
    /// Certificates by name of the file.
    pub certificates: Vec<FiledCertificate>,
    /// Certificates that cannot be read, or whose tables are missing or different; the latter are also in `certificates`.
    pub unused: Vec<UnusedCertificate>,
    /// Why tables cannot be used: for each board of which none can, and for each with damage where the value of its start is stored.
    pub unusable: Vec<String>,
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
    /// The value of the start in words, empty if nothing is known: what certificates prove, and what tables and unchecked certificates
    /// add to that, as in `Black does not lose (proved), draw (tables)`.
    #[must_use]
    pub fn start_text(&self) -> String {
        let by_certificates = |checked| {
            let values = self.start.iter().filter(|found| found.checked == checked).map(|found| found.claimed.value);
            values.fold(Bounds::UNKNOWN, |bounds, value| bounds.and(value.bounds(Side::White)))
        };
        let by_tables =
            self.tables.and_then(|tables| tables.start).map_or(Bounds::UNKNOWN, |start| start.bounds(Side::White));
        let sources = [(by_certificates(true), "proved"), (by_tables, "tables"), (by_certificates(false), "claimed")];
        let mut known = Bounds::UNKNOWN;
        let added = sources.into_iter().filter_map(|(found, how)| {
            let before = known;
            known = known.and(found);
            (known != before).then(|| format!("{} ({how})", Value::of_bounds(known, Side::White)))
        });
        added.collect::<Vec<_>>().join(", ")
    }
}

impl Overview {
    /// True if there are neither tables nor certificates.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { boards, certificates, unused, unusable } = self;
        boards.is_empty() && certificates.is_empty() && unused.is_empty() && unusable.is_empty()
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
            result.start.extend(Some(certificate).filter(|certificate| certificate.claimed.is_start));
        }
        results
    }
}

/// The rules in short: `default`, or every option.
#[must_use]
pub fn rules_in_short(rules: RuleSet) -> String {
    if rules == RuleSet::default() { "default".to_owned() } else { rules.to_string() }
}

/// Reads a database folder: table headers and summaries, and certificates that need at most `memory` bytes each. Nothing is
/// verified beyond what reading checks. Tables and certificates that cannot be used are listed with the reason.
///
/// # Errors
/// [`TableError`] if the folder cannot be listed, or the length of a certificate is not known.
pub fn overview(database: &Path, memory: u64) -> Result<Overview, TableError> {
    let database = &Database { folder: database.to_owned(), access: Access::Read };
    let mut overview = Overview::default();
    for (size, rules) in folders(database)? {
        if size.points() > MAX_POINTS {
            continue;
        }
        match board_tables(database, size, rules, &mut overview.unusable) {
            Ok(tables) => overview.boards.extend(tables),
            Err(error) => overview.unusable.push(error.to_string()),
        }
    }
    for file in certificate_files(database)? {
        let why = match Certificate::read_with_identity(&file, memory, &database.access) {
            Ok((certificate, identity)) => {
                // Tables that cannot be used are listed already.
                let space = Space::new(certificate.size, certificate.rules.diagonals);
                let folder = Folder::open(database, &space, certificate.rules).ok();
                let standing = folder.map(|folder| standing(&file, &certificate, identity, &folder));
                // A certificate without a claim is left out.
                overview.certificates.extend(filed(&file, &certificate, matches!(standing, Some(Ok(()))))?);
                standing.and_then(Result::err).filter(|why| !matches!(why, Why::Unchecked))
            }
            Err(error) => Some(error.into()),
        };
        overview.unused.extend(why.map(|why| Unused { file, why }.into()));
    }
    Ok(overview)
}

/// The tables of a board; `None` if there are none. Damage at the start is added to what is `unusable`.
fn board_tables(
    database: &Database,
    size: BoardSize,
    rules: RuleSet,
    unusable: &mut Vec<String>,
) -> Result<Option<BoardTables>, TableError> {
    const CACHE_BYTES: u64 = 1 << 20;
    let tables = Tables::open(database.clone(), size, rules, CACHE_BYTES)?;
    let folder = tables.folder();
    let stats = stats(folder, size, rules)?;
    let is_empty = stats.slices.is_empty();
    Ok((!is_empty).then(|| BoardTables {
        size,
        rule_set: rules,
        depth_stones: folder.depths_up_to(size.points()),
        start: start_value(&tables).unwrap_or_else(|error| {
            unusable.push(error.to_string());
            None
        }),
        stats,
    }))
}

/// The value of the start, if it is known.
fn start_value(tables: &Tables) -> Result<Option<Value>, TableError> {
    let start = Position::<u64>::start(tables.space().board().size());
    let known = tables.probe(start.mover(), start.opponent())?;
    Ok(known.map(|outcome| Value::of_bounds(outcome.into(), start.to_move)))
}

fn filed(path: &Path, certificate: &Certificate, checked: bool) -> Result<Option<FiledCertificate>, TableError> {
    let Some(claimed) = ClaimSummary::of(certificate) else { return Ok(None) };
    let size = certificate.size;
    Ok(Some(FiledCertificate {
        file: path.display().to_string(),
        board: size.to_string(),
        rules: certificate.rules,
        claimed,
        checked,
        bytes: fs::metadata(path).map_err(TableError::io("read", path))?.len(),
        key: (size, certificate.rules),
    }))
}

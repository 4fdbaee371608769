//! Checks a certificate together with the tables it uses: the same tables, undamaged, and a proof with their values.

use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use crate::index::Slice;
use crate::rules::Outcome;
use crate::table::{Database, Folder, Metric, TableError, Tables, file_name};
use crate::verify::Values;

use super::certificate::Certificate;
use super::check::check;
use super::error::{ProofError, Refusal};

/// How far a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckProgress {
    /// The checksums of a table are being compared; `done` of `total` blocks of all tables are done.
    Checksums {
        /// The table.
        slice: Slice,
        /// Blocks done.
        done: u64,
        /// Blocks in all.
        total: u64,
    },
    /// `done` of `total` positions of the certificate are proved.
    Positions {
        /// Positions done.
        done: u64,
        /// Positions in all.
        total: u64,
    },
}

/// Why a certificate is not accepted.
#[derive(Clone, Debug, Error)]
pub enum CheckError {
    /// It cannot be read, or the tables are not those that it uses.
    #[error(transparent)]
    Unusable(#[from] ProofError),
    /// It does not prove its claims.
    #[error("{0}")]
    Refused(Refusal<TableError>),
    /// A table is damaged or cannot be read, which says nothing about the certificate.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl CheckError {
    /// Whether the certificate is at fault; otherwise the check may succeed another time, or with other tables.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        use ProofError::{Damaged, Length, Malformed, NotACertificate};
        match self {
            Self::Refused(_) => true,
            Self::Unusable(error) => {
                matches!(error, NotACertificate(_) | Length { .. } | Damaged(_) | Malformed { .. })
            }
            Self::Table(_) => false,
        }
    }
}

impl Certificate {
    /// Checks all of a certificate, on all threads of the current pool: that the database has the tables it lists, that these
    /// are undamaged, and that every claim is proved with their values. `memory` bounds the bytes for the certificate's
    /// positions, which are in memory already, and the cache of table blocks.
    ///
    /// # Errors
    /// [`CheckError`].
    pub fn prove(
        &self,
        database: &Database,
        memory: u64,
        on_progress: &(dyn Fn(CheckProgress) + Sync),
    ) -> Result<(), CheckError> {
        let (done, total) = (AtomicU64::new(0), self.positions());
        let positions = |count| {
            let done = done.fetch_add(count, Ordering::Relaxed) + count;
            on_progress(CheckProgress::Positions { done, total });
        };
        let mut used = UsedTables(None);
        if !self.tables.is_empty() {
            // Half of what the positions leave, for blocks of tables; the files themselves are mapped.
            let cache = memory.saturating_sub(self.bytes()) / 2;
            let tables = used.0.insert(Tables::open(database.clone(), self.size, self.rules, cache)?);
            compare_tables(self, tables.folder())?;
            self.verify_checksums(tables, on_progress)?;
        }
        check(self, &used, &positions).map_err(|refusal| match refusal {
            Refusal::Unreadable(error) => CheckError::Table(error),
            refusal => CheckError::Refused(refusal),
        })
    }

    fn verify_checksums(
        &self,
        tables: &Tables,
        on_progress: &(dyn Fn(CheckProgress) + Sync),
    ) -> Result<(), TableError> {
        let used: Vec<_> = self.tables.iter().filter_map(|used| tables.folder().get(used.slice)).collect();
        let total = used.iter().map(|table| table.header().entries()).sum();
        let done = AtomicU64::new(0);
        used.into_iter().try_for_each(|table| {
            let slice = table.header().slice;
            table.verify(&|| {
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                on_progress(CheckProgress::Checksums { slice, done, total });
            })
        })
    }
}

/// The tables of a certificate, if it uses any.
struct UsedTables(Option<Tables>);

impl Values for UsedTables {
    type Label = Outcome;
    type Error = TableError;

    fn value(&self, mover: u64, opponent: u64) -> Result<Option<Outcome>, TableError> {
        self.0.as_ref().map_or(Ok(None), |tables| tables.stored(mover, opponent))
    }
}

/// Compares the identities that a certificate lists with those in the headers of the tables in a folder. That the values
/// match these identities is checked by [`Table::verify`](crate::table::Table::verify).
///
/// # Errors
/// [`ProofError::OtherTable`] for the first table that is another one, or else [`ProofError::MissingTable`] for the first that is
/// not there.
pub fn compare_tables(certificate: &Certificate, folder: &Folder) -> Result<(), ProofError> {
    let mut missing = None;
    for used in &certificate.tables {
        let slice = used.slice;
        let Some(table) = folder.get(slice) else {
            missing.get_or_insert(slice);
            continue;
        };
        let found = table.header().identity;
        if found != used.identity {
            let file = folder.path().join(file_name(slice, Metric::Wdl));
            return Err(ProofError::OtherTable { slice, file, expected: used.identity, found });
        }
    }
    let Some(slice) = missing else { return Ok(()) };
    let Certificate { size, rules, .. } = *certificate;
    let tables = certificate.tables.iter().map(|used| used.slice).collect();
    Err(ProofError::MissingTable { slice, folder: folder.path().to_owned(), size, rules, tables })
}

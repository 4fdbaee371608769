//! The check of a certificate as commands run it, with its progress.

use std::path::Path;
use std::sync::OnceLock;

use crate::proof::{Certificate, CheckError, CheckProgress};
use crate::table::Database;

use super::advice::advice;
use super::options::grouped;
use super::output::{CliResult, Failure};
use super::progress::Progress;

/// Reads a certificate and checks all of it, tables included; returns it if it is proved.
pub fn prove_file(file: &Path, database: &Database, memory: u64) -> CliResult<Certificate> {
    let certificate = Certificate::read_within(file, memory)?;
    check_all(file, database, &certificate, memory)?;
    Ok(certificate)
}

#[allow(clippy::cast_precision_loss)] // for a progress bar
fn check_all(file: &Path, database: &Database, certificate: &Certificate, memory: u64) -> CliResult {
    let bars = [OnceLock::new(), OnceLock::new()];
    let show = |bar: &OnceLock<Progress>, done: u64, total: u64, text: &dyn Fn() -> String| {
        let bar = bar.get_or_init(|| Progress::new(total as f64));
        bar.set(done as f64, text);
        if done == total {
            bar.finish();
        }
    };
    let result = certificate.prove(database, memory, |progress| match progress {
        CheckProgress::Checksums { slice, done, total } => {
            show(&bars[0], done, total, &|| format!("checksums of {slice}"));
        }
        CheckProgress::Positions { done, total } => {
            show(&bars[1], done, total, &|| format!("{} positions checked", grouped(done)));
        }
    });
    bars.iter().filter_map(OnceLock::get).for_each(Progress::finish);
    result.map_err(|error| match error {
        CheckError::Table(_) => error.into(),
        _ => Failure::Text(format!("{} is refused: {error}{}", file.display(), advice(&error))),
    })
}

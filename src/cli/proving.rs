//! The check of a certificate as commands run it, with its progress.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::knowledge::{Checked, check_certificate, place_certificate};
use crate::proof::{Certificate, CheckError, CheckProgress};
use crate::table::Database;

use super::advice::advice;
use super::options::grouped;
use super::output::{CliResult, Failure};
use super::progress::Progress;

/// Reads a certificate and checks all of it, tables included; records and returns it if it is proved.
pub fn prove_file(file: &Path, database: &Database, memory: u64) -> CliResult<Certificate> {
    let Checked { certificate, recorded } =
        with_bars(file, |on_progress| check_certificate(file, database, memory, on_progress))?;
    if let Err(error) = recorded {
        note!("The check is not recorded, so the certificate will not be used: {error}");
    }
    Ok(certificate)
}

/// Checks a new certificate that waits for it, and puts it into the database; returns its file as well.
pub fn prove_and_place(new: &Path, database: &Database, memory: u64) -> CliResult<(PathBuf, Certificate)> {
    with_bars(new, |on_progress| place_certificate(new, database, memory, on_progress))
}

#[allow(clippy::cast_precision_loss)] // for a progress bar
fn with_bars<T>(
    file: &Path,
    check: impl FnOnce(&(dyn Fn(CheckProgress) + Sync)) -> Result<T, CheckError>,
) -> CliResult<T> {
    let bars = [OnceLock::new(), OnceLock::new()];
    let show = |bar: &OnceLock<Progress>, done: u64, total: u64, text: &dyn Fn() -> String| {
        let bar = bar.get_or_init(|| Progress::new(total as f64));
        bar.set(done as f64, text);
        if done == total {
            bar.finish();
        }
    };
    let result = check(&|progress| match progress {
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
        CheckError::Unusable(ref unusable) if unusable.names_certificate() => error.into(),
        _ => Failure::Text(format!("{} is refused: {error}{}", file.display(), advice(&error))),
    })
}

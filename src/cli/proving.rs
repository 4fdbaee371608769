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
        with_bars(|on_progress| check_certificate(file, database, memory, on_progress))
            .map_err(|error| Failure::Text(failure_text(file, &error)))?;
    if let Err(error) = recorded {
        note!("The check is not recorded, so the certificate will not be used: {error}");
    }
    Ok(certificate)
}

/// Checks a new certificate that waits for it, and puts it into the database; returns its file as well.
pub fn prove_and_place(new: &Path, database: &Database, memory: u64) -> CliResult<(PathBuf, Certificate)> {
    with_bars(|on_progress| place_certificate(new, database, memory, on_progress))
        .map_err(|error| Failure::Text(failure_text(new, &error)))
}

/// The same with a certificate that an earlier solve has left unchecked. One that is refused stays, for a new one to replace.
pub fn prove_and_place_earlier(new: &Path, database: &Database, memory: u64) -> CliResult {
    match with_bars(|on_progress| place_certificate(new, database, memory, on_progress)) {
        Ok((file, _)) => note!("{}: the certificate of an earlier solve is proved", file.display()),
        Err(error) if error.is_refusal() => {
            note!("the certificate of an earlier solve is of no use: {}", failure_text(new, &error));
        }
        Err(error) => return Err(Failure::Text(failure_text(new, &error))),
    }
    Ok(())
}

/// What to say where a check fails.
fn failure_text(file: &Path, error: &CheckError) -> String {
    let names_file = match error {
        CheckError::Table(_) => true,
        CheckError::Unusable(unusable) => unusable.names_certificate(),
        CheckError::Refused(_) => false,
    };
    let refused = if names_file { String::new() } else { format!("{} is refused: ", file.display()) };
    format!("{refused}{error}{}", advice(error))
}

#[allow(clippy::cast_precision_loss)] // for a progress bar
fn with_bars<T>(check: impl FnOnce(&(dyn Fn(CheckProgress) + Sync)) -> Result<T, CheckError>) -> Result<T, CheckError> {
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
    result
}

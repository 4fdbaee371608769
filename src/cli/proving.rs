//! The check of a certificate as commands run it, with its progress.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::knowledge::{Checked, Earlier, check_certificate, place_certificate, place_earlier};
use crate::proof::{Certificate, CheckError, CheckProgress};
use crate::table::Database;

use super::advice::advice;
use super::options::grouped;
use super::output::{CliResult, Failure};
use super::progress::Progress;

/// Reads a certificate and checks all of it, tables included; records and returns it if it is proved.
pub fn prove_file(file: &Path, database: &Database, memory: u64) -> CliResult<Checked> {
    let checked = with_bars(|on_progress| check_certificate(file, database, memory, on_progress))
        .map_err(|error| Failure::Text(failure_text(file, &error)))?;
    if let Err(error) = &checked.recorded {
        note!("The check is not recorded, so the certificate will not be used: {error}");
    }
    Ok(checked)
}

/// Checks a new certificate that waits for it, and puts it into the database; returns its file as well.
pub fn prove_and_place(new: &Path, database: &Database, memory: u64) -> CliResult<(PathBuf, Certificate)> {
    with_bars(|on_progress| place_certificate(new, database, memory, on_progress))
        .map_err(|error| Failure::Text(failure_text(new, &error)))
}

/// Does the same with a certificate that an earlier solve has left unchecked, or clears its file for a new one.
pub fn prove_and_place_earlier(new: &Path, database: &Database, memory: u64) -> CliResult {
    match with_bars(|on_progress| place_earlier(new, database, memory, on_progress))? {
        Earlier::Placed(place) => note!("{}: the certificate of an earlier solve is proved", place.display()),
        Earlier::Refused(error) => {
            note!("the certificate of an earlier solve is of no use: {}", failure_text(new, &error));
        }
        Earlier::Kept(kept, error) => {
            let (kept, advice) = (kept.display(), advice(&error));
            note!("the certificate of an earlier solve cannot be checked now, and is kept in {kept}: {error}{advice}");
        }
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
    let verdict = if error.is_refusal() { "is refused" } else { "cannot be checked" };
    let begin = if names_file { String::new() } else { format!("{} {verdict}: ", file.display()) };
    format!("{begin}{error}{}", advice(error))
}

#[allow(clippy::cast_precision_loss)] // for a progress bar
fn with_bars<T>(check: impl FnOnce(&(dyn Fn(CheckProgress) + Sync)) -> T) -> T {
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

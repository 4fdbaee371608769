//! Writing certificates of what was solved.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use serde::Serialize;

use crate::proof::TableUse;
use crate::rules::Rules;
use crate::search::Solution;

use super::output::{CliResult, Failure};

/// What a certificate holds.
#[derive(Clone, Debug, Serialize)]
pub struct Certified {
    pub file: String,
    pub bytes: u64,
    pub safe: usize,
    pub won: usize,
}

/// Writes the certificate of a solution, which rests on those tables, unless there is nothing to certify.
pub fn certify(
    solution: &Solution,
    game: &Rules<u64>,
    tables: &[TableUse],
    path: &Path,
) -> CliResult<Option<Certified>> {
    let mut certificate = solution.certificate(game, tables.to_vec());
    if certificate.claims.is_empty() {
        return Ok(None);
    }
    let bytes = certificate.write(path)?;
    let file = path.display().to_string();
    Ok(Some(Certified { file, bytes, safe: certificate.safe.len(), won: certificate.won.len() }))
}

/// Finds out before a long search whether a certificate can be written after it.
pub fn check_writable(path: &Path) -> CliResult {
    let mut probe = path.as_os_str().to_owned();
    probe.push(".tmp");
    let made = if path.is_dir() {
        Err(ErrorKind::IsADirectory.into())
    } else {
        File::create(&probe).and_then(|_| fs::remove_file(&probe))
    };
    made.map_err(|error| {
        let path = path.display();
        Failure::Text(format!("cannot write certificate {path}: {error}; name another file with --certificate"))
    })
}

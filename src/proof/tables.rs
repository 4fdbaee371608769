//! Compares tables with those that a certificate uses.

use crate::table::{Folder, Metric, file_name};

use super::certificate::Certificate;
use super::error::ProofError;

/// Compares the identities that a certificate lists with those in the headers of the tables in a folder. That the values
/// match these identities is checked by [`Table::verify`](crate::table::Table::verify).
///
/// # Errors
/// [`ProofError::MissingTable`] or [`ProofError::OtherTable`], for the first slice that does not match.
pub fn compare_tables(certificate: &Certificate, folder: &Folder) -> Result<(), ProofError> {
    for used in &certificate.tables {
        let slice = used.slice;
        let Some(table) = folder.get(slice) else {
            let build = build_command(certificate, slice.stones());
            return Err(ProofError::MissingTable { slice, folder: folder.path().to_owned(), build });
        };
        let found = table.header().identity;
        if found != used.identity {
            let file = folder.path().join(file_name(slice, Metric::Wdl));
            return Err(ProofError::OtherTable { slice, file, expected: used.identity, found });
        }
    }
    Ok(())
}

fn build_command(certificate: &Certificate, stones: usize) -> String {
    let options = ["--diagonals centre", "--continuation obligatory", "--stalemate draw"];
    let mut command = format!("fanorona build {} --stones {stones}", certificate.size);
    for (option, _) in options.iter().zip(certificate.rules.options()).filter(|(_, other)| *other) {
        command.push(' ');
        command.push_str(option);
    }
    command
}

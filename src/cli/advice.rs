//! What to type where the library says what is lacking.

use std::error::Error;
use std::io::ErrorKind;

use crate::retro::BuildError;
use crate::table::TableError;

/// The option or command that helps against an error, to be put behind its text; nothing where there is none.
pub fn advice(error: &(dyn Error + 'static)) -> String {
    let options = match error.downcast_ref::<BuildError>() {
        Some(BuildError::Table(error)) => return of_tables(error),
        Some(BuildError::TooFewStones(_) | BuildError::TooManyStones { .. }) => "--stones",
        Some(BuildError::SliceTooLarge { slice, .. }) => return format!(" (--slice {slice})"),
        Some(BuildError::DepthsByMany) => "--metric",
        Some(BuildError::Memory { fitting: 2.., .. }) => "--stones, --memory",
        Some(BuildError::Memory { .. }) => "--memory",
        Some(BuildError::BoardTooLarge(_) | BuildError::NoRoom(_)) => return String::new(),
        None => return error.downcast_ref().map_or(String::new(), of_tables),
    };
    format!(" ({options})")
}

fn of_tables(error: &TableError) -> String {
    match error {
        TableError::Missing { slice, board, .. } => format!(": fanorona build {board} --stones {}", slice.stones()),
        TableError::Locked(_) => " (--db, --scratch)".to_owned(),
        TableError::Io { source, .. } if is_about_the_folder(source.kind()) => " (--db)".to_owned(),
        _ => String::new(),
    }
}

fn is_about_the_folder(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::NotADirectory)
}

//! Adds to errors of the library the option or command that helps.

use std::error::Error;
use std::io::ErrorKind;
use std::path::Path;

use crate::index::SliceSet;
use crate::knowledge::UNCHECKED_EXTENSION;
use crate::proof::{CheckError, ProofError};
use crate::report::build_command;
use crate::retro::{BuildError, Goal, SCRATCH};
use crate::search::{CheckpointError, SolveError};
use crate::table::TableError;

/// The option or command that helps against an error, to append to its text; empty if there is none.
pub fn advice(error: &(dyn Error + 'static)) -> String {
    let of_type = || {
        None.or_else(|| error.downcast_ref().map(of_build))
            .or_else(|| error.downcast_ref().map(of_solve))
            .or_else(|| error.downcast_ref().map(of_check))
            .or_else(|| error.downcast_ref().map(of_tables))
    };
    of_type().unwrap_or_default()
}

fn of_build(error: &BuildError) -> String {
    let options = match error {
        BuildError::Table(error) => return of_tables(error),
        BuildError::TooFewStones => "--stones",
        BuildError::TooManyStones { .. } => "--stones, --slice",
        BuildError::SliceTooLarge { slice, .. } | BuildError::TooManySets { slice, .. } => {
            return format!(" (--slice {slice})");
        }
        BuildError::DepthsByMany => "--metric",
        BuildError::Memory { fitting: 2.., .. } => "--stones, --memory",
        BuildError::Memory { .. } => "--memory",
        BuildError::Stopped | BuildError::BoardTooLarge(_) | BuildError::NoRoom(_) | BuildError::OtherGoals => {
            return String::new();
        }
    };
    format!(" ({options})")
}

fn of_solve(error: &SolveError) -> String {
    match error {
        SolveError::Table(error) => of_tables(error),
        SolveError::Memory { .. } | SolveError::LittleMemory(_) => " (--memory)".to_owned(),
        SolveError::Proofs { .. } => " (--memory, --no-proofs)".to_owned(),
        SolveError::Checkpoint(CheckpointError::Io { .. }) => " (--checkpoint)".to_owned(),
        SolveError::Checkpoint(CheckpointError::InUse { .. }) => {
            " (solve: --checkpoint, with --certificate)".to_owned()
        }
        SolveError::Certificate(ProofError::Io { path, .. }) => {
            // A certificate of the database waits there for its check.
            let is_of_database =
                path.file_name().is_some_and(|name| name.to_string_lossy().contains(UNCHECKED_EXTENSION));
            if is_of_database { " (--db)" } else { " (--certificate)" }.to_owned()
        }
        SolveError::Certificate(ProofError::InUse(_)) => " (--certificate)".to_owned(),
        _ => String::new(),
    }
}

fn of_check(error: &CheckError) -> String {
    match error {
        CheckError::Table(error) => of_tables(error),
        CheckError::Unusable(error) => of_proof(error),
        CheckError::Refused(_) => String::new(),
    }
}

/// The same for an error about a certificate.
pub fn of_proof(error: &ProofError) -> String {
    match error {
        ProofError::MissingTable { tables, size, rules, folder, .. } => {
            let tables = tables.iter().copied().collect::<SliceSet>();
            build(Goal::values(*size, *rules, tables), folder)
        }
        ProofError::OtherTable { .. } => " (--db)".to_owned(),
        ProofError::Memory { .. } => " (--memory)".to_owned(),
        _ => String::new(),
    }
}

fn of_tables(error: &TableError) -> String {
    match error {
        TableError::Missing { needed, size, rules, folder, .. } => build(Goal::values(*size, *rules, **needed), folder),
        TableError::Locked(path) if path.extension().is_some_and(|extension| extension == SCRATCH) => {
            " (--scratch)".to_owned()
        }
        TableError::Locked(_) => " (--db)".to_owned(),
        TableError::Io { source, .. } if is_about_the_folder(source.kind()) => " (--db)".to_owned(),
        _ => String::new(),
    }
}

/// The command that builds the tables that a board's folder lacks.
fn build(goal: Goal, folder: &Path) -> String {
    format!(": {}", build_command(&goal, folder.parent().unwrap_or(folder)))
}

fn is_about_the_folder(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::NotADirectory)
}

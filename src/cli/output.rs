//! What commands print: results on standard output, notes on standard error; and how they fail.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};

use crate::board::printable;

use super::advice::advice;

/// Prints a line on standard error. A result does not depend on it: if standard error is full or closed, nothing happens.
macro_rules! note {
    ($($words:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{}\n", $crate::board::printable(&format!($($words)*))));
    }};
}

/// Why a command ends early.
#[derive(Debug)]
pub enum Failure {
    /// A sentence for the user.
    Text(String),
    /// The user interrupted it; a sentence to print.
    Interrupted(String),
    /// Standard output is closed, as when it is piped into `head`; nothing to report.
    BrokenPipe,
}

impl<E: std::error::Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Text(format!("{error}{}", advice(&error)))
    }
}

/// The result of a command, or of a part of one.
pub type CliResult<T = ()> = Result<T, Failure>;

/// Turns errors of writing to standard output into failures.
pub fn printed(result: io::Result<()>) -> CliResult {
    result.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
        _ => Failure::Text(format!("cannot write to standard output: {error}")),
    })
}

/// Prints a text and a line end.
pub fn print(text: &str) -> CliResult {
    let mut out = io::stdout().lock();
    printed(writeln!(out, "{}", printable(text)).and_then(|()| out.flush()))
}

/// Prints a value as indented JSON.
pub fn print_json(value: &impl serde::Serialize) -> CliResult {
    print(&serde_json::to_string_pretty(value)?)
}

/// Fails with these errors, one on a line, unless there are none.
pub fn all_usable(errors: &[impl AsRef<str>]) -> CliResult {
    let lines: Vec<&str> = errors.iter().map(AsRef::as_ref).collect();
    if lines.is_empty() { Ok(()) } else { Err(Failure::Text(lines.join("\nfanorona: "))) }
}

/// A table without frames, numbers to the right.
pub fn table<'a>(header: impl IntoIterator<Item = &'a str>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.into_iter().collect::<Vec<_>>());
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

//! What several studies share.

use std::fmt::Display;
use std::str::FromStr;

pub mod games;
pub mod samples;

/// Reads a number of the command line.
///
/// # Errors
/// What is no such number.
pub fn number<N: FromStr<Err: Display>>(text: &str) -> Result<N, String> {
    text.parse().map_err(|error| format!("\"{text}\" is not a number that fits here: {error}"))
}

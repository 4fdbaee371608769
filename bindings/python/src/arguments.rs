//! Arguments and results: what Python gives and gets.

use std::time::Duration;

use fanorona::{BoardSize, RuleSet};
use pyo3::prelude::*;
use serde::Serialize;

use crate::board::Board;
use crate::errors::{OrRaise, refuse};
use crate::rules::Rules;

/// A board, or its size as text.
#[derive(FromPyObject)]
pub enum BoardArgument {
    Board(Board),
    Text(String),
}

impl BoardArgument {
    pub fn size(&self) -> PyResult<BoardSize> {
        match self {
            Self::Board(board) => Ok(board.size),
            Self::Text(text) => text.parse().or_raise(),
        }
    }
}

/// The rules that were given, or the default.
pub fn rule_set(rules: Option<Rules>) -> RuleSet {
    rules.map_or_else(RuleSet::default, |rules| rules.set)
}

/// A time in seconds.
pub fn seconds(time: Option<f64>) -> PyResult<Option<Duration>> {
    let duration =
        |time| Duration::try_from_secs_f64(time).map_err(|_| refuse(format!("{time} is not a time in seconds")));
    time.map(duration).transpose()
}

/// What the program prints as JSON, as dicts, lists, strings and numbers.
pub fn to_python(py: Python<'_>, value: &impl Serialize) -> PyResult<Py<PyAny>> {
    Ok(pythonize::pythonize(py, value)?.unbind())
}

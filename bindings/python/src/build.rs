//! Builds tables.

use std::path::PathBuf;

use fanorona::retro::{Alone, Budget, BuildProgress, Goal, execute, plan};
use pyo3::prelude::*;
use serde::Serialize;

use crate::arguments::{BoardArgument, rule_set};
use crate::errors::OrRaise;
use crate::rules::Rules;
use crate::run::{RunControl, run};

/// How far a build is.
#[derive(Serialize)]
struct Status {
    slice: String,
    share: f64,
    seconds_left: Option<f64>,
}

/// Builds the tables of a board up to that many stones into a database folder: values, and with `depths` the plies to the end as well.
/// Tables that exist are kept; an interrupted build continues. Returns the slices that were built.
///
/// `progress` is called with a dict: the slice, the share of the work that is done, and the seconds that are left.
///
/// >>> build("3x3", 3, folder)
/// ['1v1', '2v1', '1v2']
/// >>> build("3x3", 3, folder)
/// []
#[pyfunction]
#[pyo3(signature = (board, stones, database, rules = None, *, depths = false, memory = 1 << 30, progress = None))]
#[allow(clippy::too_many_arguments)] // keywords of Python
pub fn build(
    py: Python<'_>,
    board: BoardArgument,
    stones: usize,
    database: PathBuf,
    rules: Option<Rules>,
    depths: bool,
    memory: u64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<String>> {
    let (size, rules) = (board.size()?, rule_set(rules));
    let goal = if depths { Goal::both(size, rules, stones) } else { Goal::values(size, rules, stones) };
    let built = run(py, progress, |control: &RunControl<Status>| {
        let mut budget = Budget::new(memory);
        budget.interrupt = control.interrupt.clone();
        let plan = plan(goal, &database, budget)?;
        let progress = BuildProgress::new(&plan);
        execute(&plan, &Alone, &|event| {
            if let Some(status) = progress.on_event(&event) {
                let (slice, share) = (status.slice.to_string(), status.share());
                control.report(Status { slice, share, seconds_left: status.seconds_left() });
            }
        })
    })?;
    Ok(built.or_raise()?.iter().map(|built| built.slice.to_string()).collect())
}

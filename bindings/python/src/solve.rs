//! Solves positions.

use std::path::PathBuf;
use std::time::Duration;

use fanorona::rules::turn_text;
use fanorona::search::{CertificateFile, SolveReport};
use fanorona::{BuildError, Checkpoint, Control, Problem, Side, SolveEvent, SolveOptions, SolveScope, Trust};
use pyo3::prelude::*;
use serde::Serialize;

use crate::arguments::{rule_set, seconds, to_python};
use crate::errors::{IntoPython, OrRaise};
use crate::position::Position;
use crate::rules::Rules;
use crate::run::{RunControl, run};

/// Time between saves of the state.
const EVERY: Duration = Duration::from_secs(300);

/// How far a solve is.
#[derive(Serialize)]
struct Status {
    step: &'static str,
    side: Option<Side>,
    #[serde(rename = "move")]
    text: Option<String>,
    nodes: u64,
}

/// What was found out, with the names that the program's `solve --json` gives it.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    found: SolveReport,
    certificate: Option<CertificateFile>,
}

/// Solves a position: whether White and whether Black can force a win, by proof-number search down to tables.
///
/// It uses the tables of the database of up to `stones` stones, and the checked certificates. `limit` is the time in seconds for each question;
/// what is not answered by then is unknown. With `moves` the value of each move is found too. `certificate` and `checkpoint` are files to
/// write: a solve continues from its checkpoint. The result has the keys of the program's `solve --json` but for `tables` and `build_seconds`;
/// `certificate` is `None` if there is none.
///
/// `progress` is called with a dict: the step ("searching" or "closing"), the side in question, the move, and the nodes so far, those before an
/// interruption included.
///
/// >>> solved = solve(Board("3x3").start(), database, stones=4, limit=60)
/// >>> solved["value"], solved["questions"]["white_wins"]["answer"]
/// ('white wins', True)
#[pyfunction]
#[pyo3(signature = (
    position, database, rules = None, *, stones = 0, limit = None, memory = 1 << 30, moves = false, proofs = true, certificate = None,
    checkpoint = None, progress = None
))]
#[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)] // keywords of Python
pub fn solve(
    py: Python<'_>,
    position: &Position,
    database: PathBuf,
    rules: Option<Rules>,
    stones: usize,
    limit: Option<f64>,
    memory: u64,
    moves: bool,
    proofs: bool,
    certificate: Option<PathBuf>,
    checkpoint: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let stones_on_board = position.narrow().ok_or_else(|| BuildError::BoardTooLarge(position.size).into_python())?;
    let problem = Problem { size: position.size, rules: rule_set(rules), position: stones_on_board };
    let mut options = SolveOptions::new(database.as_path(), stones, memory);
    options.limit = seconds(limit)?;
    options.scope = SolveScope { only: None, moves };
    options.proofs = if proofs { Trust::Checked } else { Trust::None };
    options.certificate = certificate;
    options.checkpoint = checkpoint.map(|path| Checkpoint { path, every: EVERY });
    let solved = run(py, progress, |control: &RunControl<Status>| {
        options.interrupt = control.interrupt.clone();
        let mut before = 0u64;
        fanorona::solve(&problem, &options, &mut |event| {
            match event {
                SolveEvent::Resumed(totals) => before = totals.nodes,
                SolveEvent::Searching { side, turn, progress } => {
                    let text = turn.map(|turn| turn_text(problem.size, turn));
                    let nodes = before.saturating_add(progress.nodes);
                    control.report(Status { step: "searching", side: Some(*side), text, nodes });
                }
                SolveEvent::Closing { progress, .. } => {
                    let nodes = before.saturating_add(progress.nodes);
                    control.report(Status { step: "closing", side: None, text: None, nodes });
                }
                _ => {}
            }
            if control.is_stopped() { Control::Stop } else { Control::Continue }
        })
    })?;
    let solved = solved.or_raise()?;
    let found = SolveReport::new(&problem, options.scope, &solved);
    to_python(py, &Report { found, certificate: solved.certificate })
}

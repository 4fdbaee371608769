//! What a build does: tables, or the proof of a start position with the tables that it needs.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use thiserror::Error;

use crate::knowledge::{
    CERTIFICATES, Knowledge, Trust, check_certificate, lock_certificate, place_certificate, place_earlier,
    unplaced_certificate,
};
use crate::proof::{CheckError, CheckProgress};
use crate::report::{grouped, tables_text};
use crate::retro::{Alone, BuildError, BuildEvent, BuildProgress, Plan, execute};
use crate::rules::Position;
use crate::search::{Checkpoint, Control, Problem, SolveError, SolveEvent, SolveOptions, solve};
use crate::table::{Database, TableError, rate};

/// Time between saves of the state of a search.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// A build.
#[derive(Debug)]
pub enum Job {
    /// Tables.
    Tables(Plan),
    /// The value of a start position, with a certificate.
    Proof {
        /// The position.
        problem: Problem,
        /// The tables for the search.
        tables: Plan,
    },
}

/// What a build is doing.
#[derive(Clone, Debug)]
pub struct Step {
    /// In words.
    pub text: String,
    /// The share of it that is done, if that is known.
    pub share: Option<f64>,
    /// Seconds that it will still take, as estimated.
    pub seconds_left: Option<f64>,
}

/// Why a build ended early.
#[derive(Debug, Error)]
pub enum JobError {
    /// While it built tables.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// While it searched.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// While it checked the certificate.
    #[error(transparent)]
    Check(#[from] CheckError),
}

impl JobError {
    /// Whether it was stopped on request.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Build(BuildError::Stopped) | Self::Solve(SolveError::Stopped))
    }
}

/// The payload with which a check unwinds where a build is stopped. That is safe: a check writes nothing before it ends.
pub struct CheckStopped;

type OnStep<'o> = dyn Fn(Step) + Sync + 'o;

impl Job {
    /// The plan of its tables.
    pub fn tables(&self) -> &Plan {
        match self {
            Self::Tables(plan) | Self::Proof { tables: plan, .. } => plan,
        }
    }

    /// Does all of it, except what an earlier one has done.
    pub fn run(&self, database: &Database, interrupt: &Arc<AtomicBool>, on_step: &OnStep<'_>) -> Result<(), JobError> {
        build(self.tables(), on_step)?;
        match self {
            Self::Tables(_) => Ok(()),
            Self::Proof { problem, tables } => prove(problem, tables, database, interrupt, on_step),
        }
    }
}

fn build(plan: &Plan, on_step: &OnStep<'_>) -> Result<(), BuildError> {
    if plan.is_complete() {
        return Ok(());
    }
    let progress = BuildProgress::new(plan);
    let tables = tables_text(plan.goal.slices);
    // Events come from all threads; what is shown keeps their order.
    let order = Mutex::new(());
    let on_event = |event: BuildEvent<'_>| {
        let _order = order.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(status) = progress.on_event(&event) {
            let text = format!("{tables}: {} and twin, {}", status.slice, status.step);
            on_step(Step { text, share: Some(status.share()), seconds_left: status.seconds_left() });
        }
    };
    execute(plan, &Alone, &on_event).map(drop)
}

/// Solves a position, writes the certificate and checks it.
fn prove(
    problem: &Problem,
    tables: &Plan,
    database: &Database,
    interrupt: &Arc<AtomicBool>,
    on_step: &OnStep<'_>,
) -> Result<(), JobError> {
    let name = problem.certificate_name();
    let new = unplaced_certificate(database, &name).map_err(SolveError::from)?;
    // Until the certificate is in its place.
    let _lock = lock_certificate(&new).map_err(SolveError::from)?;
    let memory = tables.budget.memory;
    let is_solved = || -> Result<bool, SolveError> {
        let knowledge = Knowledge::open(database.clone(), problem.size, problem.rules, 0, Trust::Checked)?;
        Ok(is_known(&knowledge, &problem.position)?)
    };
    if is_solved()? {
        return Ok(());
    }
    let checking = |progress| {
        if interrupt.load(Ordering::Relaxed) {
            resume_unwind(Box::new(CheckStopped));
        }
        #[allow(clippy::cast_precision_loss)] // for people
        let share = |done: u64, total: u64| Some(done as f64 / total.max(1) as f64);
        let (what, share) = match progress {
            CheckProgress::Checksums { done, total, .. } => ("comparing checksums", share(done, total)),
            CheckProgress::Positions { done, total } => ("checking the certificate", share(done, total)),
        };
        on_step(Step { text: what.to_owned(), share, seconds_left: None });
    };
    // A certificate may be there already, or that of a run that was stopped before its check; it may only need the check. What it
    // proves is not searched again, and if it is of no use, another is written.
    let file = database.folder.join(CERTIFICATES).join(&name);
    if file.exists() {
        let _ = check_certificate(&file, database, memory, &checking);
    }
    if new.exists() {
        place_earlier(&new, database, memory, &checking).map_err(SolveError::from)?;
    }
    if is_solved()? {
        return Ok(());
    }
    let path = tables.folder.join(problem.checkpoint_name());
    let options = SolveOptions {
        checkpoint: Some(Checkpoint { path, every: CHECKPOINT_INTERVAL }),
        certificate: Some(new.clone()),
        proofs: Trust::Checked,
        interrupt: interrupt.clone(),
        ..SolveOptions::new(database.clone(), tables.goal.slices, memory)
    };
    let mut before = 0u64;
    solve(problem, &options, &mut |event| {
        let text = match event {
            SolveEvent::Resumed(totals) => {
                before = totals.nodes;
                return Control::Continue;
            }
            SolveEvent::Searching { side, progress, .. } => {
                let nodes = grouped(before.saturating_add(progress.nodes));
                format!("searching whether {} can win: {nodes} positions", side.name())
            }
            SolveEvent::Closing { done, .. } => format!("proving the answer: {} positions", grouped(*done)),
            _ => return Control::Continue,
        };
        on_step(Step { text, share: None, seconds_left: None });
        Control::Continue
    })?;
    place_certificate(&new, database, memory, &checking)?;
    Ok(())
}

/// Whether tables and certificates have the value of a position already.
///
/// # Errors
/// [`TableError`] for the first table that cannot be used.
pub fn is_known(knowledge: &Knowledge, position: &Position<u64>) -> Result<bool, TableError> {
    let rating = rate(knowledge.rules(), position, &mut |mover, opponent| knowledge.look_up(mover, opponent))?;
    Ok(rating.known.is_some_and(|known| known.outcome().is_some()))
}

//! Builds tables and proofs in the background, one at a time, at low priority.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use rayon::ThreadPoolBuilder;
use serde::Serialize;

use crate::board::BoardSize;
use crate::index::OutOfMemory;
use crate::report::bytes;
use crate::retro::{Budget, BuildError, Goal, Plan, ProposalLimits, check_size, plan};
use crate::rules::RuleSet;
use crate::search::{Problem, plan_tables};
use crate::table::{Database, TableError};

use super::job::{CheckStopped, Job, JobError, Step};

/// Builds tables and proofs in a database folder, and reports their progress.
#[derive(Debug)]
pub struct Builder {
    database: Database,
    reach: ProposalLimits,
    latest: Mutex<Option<Build>>,
}

/// The latest build.
#[derive(Debug)]
struct Build {
    task: BuildTask,
    /// Seconds that it was expected to take when it began; `None` for a proof.
    expected: Option<f64>,
    start: Instant,
    interrupt: Arc<AtomicBool>,
    /// Its present step, and since when.
    step: Option<(Step, Instant)>,
    end: Option<End>,
}

/// How a build has ended.
#[derive(Debug)]
struct End {
    state: State,
    message: Option<String>,
    seconds: f64,
}

/// What is built.
#[derive(Clone, Debug, Serialize)]
pub struct BuildTask {
    /// The board.
    pub board: String,
    /// The rules.
    pub rules: RuleSet,
    /// All slices up to this many stones.
    pub stones: usize,
    /// Whether it then proves the value of the start position.
    pub proof: bool,
}

/// What the latest build is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// There has been none since the server was started.
    Idle,
    /// It runs.
    Running,
    /// All of its tables are there.
    Done,
    /// It was stopped; the next one continues where it was.
    Stopped,
    /// It ended with an error.
    Failed,
}

/// The latest build, as JSON has it.
#[derive(Clone, Debug, Serialize)]
pub struct BuildReport {
    /// What it is doing.
    pub state: State,
    /// What is built.
    pub build: Option<BuildTask>,
    /// The share of the work, or of this step of a proof, that is done, if that is known.
    pub share: Option<f64>,
    /// What is being done.
    pub step: Option<String>,
    /// Seconds that it has taken so far.
    pub seconds: Option<f64>,
    /// Seconds that it will still take, as estimated.
    pub seconds_left: Option<f64>,
    /// Why it ended early.
    pub message: Option<String>,
}

/// Why a build does not begin.
#[derive(Debug)]
pub enum Refusal {
    /// Another one is running.
    Running(BuildTask),
    /// It is not possible here.
    Impossible(String),
    /// The folder cannot be read.
    Build(BuildError),
}

impl Builder {
    /// A builder for a database folder, with builds of at most that many bytes of memory.
    pub fn new(database: Database, memory: u64) -> Self {
        Self { database, reach: ProposalLimits::new(Budget::new(memory)), latest: Mutex::default() }
    }

    /// The database folder.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Which tables can be built.
    pub fn reach(&self) -> &ProposalLimits {
        &self.reach
    }

    /// The tables that the proof of a start position needs.
    pub fn tables_for_proof(&self, size: BoardSize, rules: RuleSet) -> Result<Plan, BuildError> {
        check_size(size, 2)?;
        let problem = Problem::start(size, rules);
        let plan = plan_tables(&problem, &self.database.folder, None, &[], &self.reach.budget)?;
        plan.ok_or(BuildError::NoRoom(size))
    }

    /// Starts a build of tables to that many stones, or without a number a proof of the start position. `log` gets the reason if
    /// that fails.
    pub fn start(
        self: &Arc<Self>,
        size: BoardSize,
        rules: RuleSet,
        stones: Option<usize>,
        log: fn(&str),
    ) -> Result<(), Refusal> {
        refuse_second(self.latest().as_ref())?;
        let mut tables = match stones {
            Some(stones) => plan(Goal::values(size, rules, stones), &self.database.folder, self.reach.budget.clone()),
            None => self.tables_for_proof(size, rules),
        }
        .map_err(Refusal::Build)?;
        let interrupt = Arc::default();
        tables.budget.interrupt = Arc::clone(&interrupt);
        tables.check().map_err(|error| Refusal::Impossible(error.to_string()))?;
        if let Some(shortage) = tables.shortage() {
            return Err(no_space(&self.database.folder, shortage));
        }
        let task = BuildTask {
            board: size.to_string(),
            rules,
            stones: tables.goal.slices.most_stones().min(size.points()),
            proof: stones.is_none(),
        };
        let expected = stones.map(|_| tables.cost(&self.reach.rates(size, rules)).seconds);
        let job = match stones {
            Some(_) => Job::Tables(tables),
            None => Job::Proof { problem: Problem::start(size, rules), tables },
        };
        let mut latest = self.latest();
        // Another may have begun in the meantime.
        refuse_second(latest.as_ref())?;
        let builder = Arc::clone(self);
        let run = {
            let interrupt = Arc::clone(&interrupt);
            move || builder.run(&job, &interrupt, log)
        };
        thread::Builder::new()
            .name("build".to_owned())
            .spawn(run)
            .map_err(|error| Refusal::Impossible(format!("the system has no thread for a build: {error}")))?;
        *latest = Some(Build { task, expected, start: Instant::now(), interrupt, step: None, end: None });
        Ok(())
    }

    /// Runs a build, and keeps how it ended.
    fn run(&self, job: &Job, interrupt: &Arc<AtomicBool>, log: fn(&str)) {
        let start = Instant::now();
        let on_step = |step| {
            if let Some(build) = &mut *self.latest() {
                build.step = Some((step, Instant::now()));
            }
        };
        let work = || -> Result<(), JobError> {
            let pool = ThreadPoolBuilder::new().num_threads(threads()).start_handler(|_| lower_priority()).build();
            let pool = pool.map_err(|error| BuildError::from(TableError::threads(error)))?;
            pool.install(|| job.run(&self.database, interrupt, &on_step))
        };
        let (state, message) = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(())) => (State::Done, None),
            Ok(Err(error)) if error.is_stop() => (State::Stopped, None),
            Ok(Err(error)) => (State::Failed, Some(error.to_string())),
            Err(payload) if payload.is::<CheckStopped>() => (State::Stopped, None),
            Err(payload) => (State::Failed, Some(panic_text(payload.as_ref()))),
        };
        if let Some(message) = &message {
            log(&format!("a build of {} ended early: {message}", job.tables().goal.size));
        }
        let seconds = start.elapsed().as_secs_f64();
        if let Some(build) = &mut *self.latest() {
            build.end = Some(End { state, message, seconds });
        }
    }

    /// Stops the running build, if there is one, at its next step.
    pub fn stop(&self) {
        if let Some(build) = &*self.latest() {
            build.interrupt.store(true, Ordering::Relaxed);
        }
    }

    /// What the latest build is doing.
    pub fn report(&self) -> BuildReport {
        let latest = self.latest();
        let idle = BuildReport {
            state: State::Idle,
            build: None,
            share: None,
            step: None,
            seconds: None,
            seconds_left: None,
            message: None,
        };
        let Some(build) = &*latest else { return idle };
        let task = Some(build.task.clone());
        if let Some(End { state, message, seconds }) = &build.end {
            let (state, message) = (*state, message.clone());
            return BuildReport { state, build: task, seconds: Some(*seconds), message, ..idle };
        }
        let (share, step, left) = match &build.step {
            Some((step, at)) => {
                let left = step.seconds_left.map(|left| (left - at.elapsed().as_secs_f64()).max(0.0));
                (step.share, Some(step.text.clone()), left.or(build.expected.filter(|_| step.share.is_some())))
            }
            None => (Some(0.0), None, build.expected),
        };
        BuildReport {
            state: State::Running,
            build: task,
            share,
            step,
            seconds: Some(build.start.elapsed().as_secs_f64()),
            seconds_left: left,
            message: None,
        }
    }

    fn latest(&self) -> MutexGuard<'_, Option<Build>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Refuses a build while another one runs.
fn refuse_second(latest: Option<&Build>) -> Result<(), Refusal> {
    match latest {
        Some(Build { task, end: None, .. }) => Err(Refusal::Running(task.clone())),
        _ => Ok(()),
    }
}

/// Refuses a build that takes more bytes than are free on the disk.
fn no_space(database: &Path, (needed, free): (u64, u64)) -> Refusal {
    let (needed, free, folder) = (bytes(needed), bytes(free), database.display());
    Refusal::Impossible(format!("the build takes about {needed}, and {free} are free in {folder}; free some space"))
}

/// The message for a build that panicked.
fn panic_text(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<OutOfMemory>()
        .map_or_else(|| "the build failed; see the log of the server".to_owned(), ToString::to_string)
}

/// Threads of a build: where their priority is low, one for each core, else half as many.
fn threads() -> usize {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if cfg!(target_os = "linux") { cores } else { cores.div_ceil(2) }
}

/// Gives the present thread the lowest priority.
#[cfg(target_os = "linux")]
fn lower_priority() {
    // On Linux this applies to the thread alone. If it fails, the build only slows others down.
    let _ = rustix::process::nice(19);
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_that_the_disk_has_no_space_for_is_refused() {
        let refused = no_space(Path::new("new/db"), (u64::MAX, 5_000_000));
        let Refusal::Impossible(text) = refused else { panic!("{refused:?}") };
        assert!(text.contains("5.0 MB are free in new/db") && text.ends_with("; free some space"), "{text}");
    }

    #[test]
    fn a_panic_is_a_message() {
        let payload = catch_unwind(|| panic!("a bug")).expect_err("a panic");
        assert_eq!(panic_text(payload.as_ref()), "the build failed; see the log of the server");
    }
}

//! How every build runs: slice after slice, so that it can stop and continue anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use xxhash_rust::xxh3::xxh3_64;

use crate::files::{Lock, free_name, rename_file};
use crate::index::{Slice, Space};
use crate::rules::Outcome;
use crate::table::{
    Access, Cell, Metric, SliceDepths, SliceOf, TableError, file_name, lock_folder, remove_leftovers, slices_in,
    write_manifest,
};

use super::super::communicator::{Alone, Communicator};
use super::super::error::BuildError;
use super::super::plan::{Budget, Form, Goal, PairPlan, Plan, Present, plan};
use super::super::slices::{Needs, with_twin};
use super::kept::tidy_kept;
use super::layered::build_layers;
use super::scratch::tidy;
use super::share::share_table;
use super::task::{BuildEvent, Buildable, BuiltSlice, Observer, Task, build_in_memory};
use super::tiled::build_from_tiles;

/// Appended to the name of a table that cannot be used.
const UNUSABLE: &str = "unusable";

/// Plans what a goal takes, and carries that out in this process. Returns what was built.
///
/// # Errors
/// As [`plan`] and [`execute`].
pub fn build(goal: Goal, database: &Path, budget: Budget) -> Result<Vec<BuiltSlice>, BuildError> {
    execute(&plan(goal, database, budget)?, &Alone, &|_| ())
}

/// Builds what a plan lacks, on the current pool of threads. Slices appear under their names when they are complete, so a build may
/// be killed at any time and started again; a pair from tiles or layers continues from its last saved state.
///
/// All processes of a communicator do so with a plan of the same goal and budget ([`Budget::shared`]). They may have a database folder in
/// common or each its own; in the end every folder has all tables of the goal. The first process returns what was built, the
/// others nothing.
///
/// # Errors
/// [`BuildError`]; [`BuildError::OtherGoals`] in all processes; [`TableError::Missing`] for depths of a slice without values;
/// [`BuildError::Stopped`] after [`Budget::interrupt`]. Finished slices stay. Other processes may still be waiting, and have to be ended.
///
/// # Panics
/// With [`OutOfMemory`](crate::index::OutOfMemory) if the system has less memory than was allowed; then, too, what was
/// finished stays.
pub fn execute(
    plan: &Plan,
    communicator: &dyn Communicator,
    on_event: &Observer<'_>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    execute_in::<u8, u16>(plan, communicator, on_event)
}

/// As [`execute`], with depths in narrow cells; from the first slice on with a win too long for these, in wide ones, which take more memory.
///
/// # Errors
/// As [`execute`]; [`TableError::TooDeep`] if a win is too long for wide cells as well.
pub fn execute_in<Narrow: Cell, Wide: Cell>(
    plan: &Plan,
    communicator: &dyn Communicator,
    on_event: &Observer<'_>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    /// What unwinds a build that is interrupted.
    struct Interrupted;
    let interrupt = &plan.budget.interrupt;
    let on_event = &|event: BuildEvent<'_>| {
        if interrupt.load(Ordering::Relaxed) {
            resume_unwind(Box::new(Interrupted));
        }
        on_event(event);
    };
    let build = AssertUnwindSafe(|| carry_out::<Narrow, Wide>(plan, communicator, on_event));
    catch_unwind(build).unwrap_or_else(|payload| match payload.downcast::<Interrupted>() {
        Ok(_) => Err(BuildError::Stopped),
        Err(other) => resume_unwind(other),
    })
}

fn carry_out<Narrow: Cell, Wide: Cell>(
    plan: &Plan,
    communicator: &dyn Communicator,
    on_event: &Observer<'_>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    // Each process waits for the others at each table.
    let goal = xxh3_64(format!("{:?}", plan.goal).as_bytes());
    if communicator.gather(goal).iter().any(|&other| other != goal) {
        return Err(BuildError::OtherGoals);
    }
    // A build that is refused writes nothing. Under the lock the folder is read again.
    replanned(plan, &plan.present()?, communicator).0.check()?;
    let folder = &plan.folder;
    let lock = lock_for_one(folder, communicator)?;
    let writes = lock.is_some();
    if writes {
        remove_leftovers(folder)?;
    }
    let present = plan.present()?;
    if writes {
        set_aside(plan, &present, on_event)?;
    }
    let (plan, there) = replanned(plan, &present, communicator);
    for &(metric, slice) in &there {
        share_table(folder, (slice, metric), writes, communicator)?;
    }
    for metric in Metric::ALL {
        let complete = slices_in((folder, &Access::Read), metric)?;
        let finished = complete.iter().copied().filter(|slice| complete.contains(&slice.twin()));
        tidy(&plan, metric, &finished.collect::<Vec<_>>())?;
    }
    let space = Space::new(plan.goal.size, plan.goal.rules.diagonals);
    let mut tasks: Vec<Task<'_>> = Vec::new();
    for &metric in plan.goal.metrics() {
        let pairs: Vec<&PairPlan> = plan.missing().filter(|pair| pair.metric == metric).collect();
        let needs = Arc::new(Needs::new(space.board().points(), pairs.iter().map(|pair| pair.slice)));
        if communicator.rank() == 0 {
            // Leftovers of a build that was killed after its last pair.
            tidy_kept(&plan, metric, &needs, 0)?;
        }
        tasks.extend(pairs.into_iter().enumerate().map(|(number, pair)| {
            let needs = Arc::clone(&needs);
            Task { plan: &plan, pair, needs, number, space: &space, communicator, on_event }
        }));
    }
    let mut run = Run { tasks: &tasks, writes, built: Vec::new() };
    run.of::<Outcome>(|task, finished| match task.pair.form {
        Form::Tiles(budget) => build_from_tiles(task, budget, finished),
        _ => build_in_memory(task, finished),
    })?;
    if writes && !run.tasks.is_empty() {
        // Now, because the depths may not be finished.
        write_manifest(folder)?;
    }
    run.depths::<Narrow, Wide>(&plan, communicator)?;
    if writes {
        // After a killed build the list may lack the last files.
        write_manifest(folder)?;
    }
    // A process that ended early would end the others.
    communicator.barrier();
    Ok(run.built)
}

/// Locks the folder in one of the processes that have it in common: the first process, if it is among them.
fn lock_for_one(folder: &Path, communicator: &dyn Communicator) -> Result<Option<Lock>, TableError> {
    if communicator.rank() == 0 {
        let lock = lock_folder(folder)?;
        communicator.barrier();
        return Ok(Some(lock));
    }
    communicator.barrier();
    match lock_folder(folder) {
        Err(TableError::Locked(_)) => Ok(None),
        taken => taken.map(Some),
    }
}

/// Builds the depths of a pair in the form that is planned.
fn build_depths<C: Cell>(
    task: &Task<'_>,
    finished: &mut BTreeMap<Slice, SliceDepths<C>>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    if task.pair.form == Form::Crowded { build_in_memory(task, finished) } else { build_layers(task, finished) }
}

/// Gives tables that cannot be used another name, so that they are built anew and nothing is lost.
fn set_aside(plan: &Plan, present: &Present, on_event: &Observer<'_>) -> Result<(), TableError> {
    for (metric, slice, error) in &present.unusable {
        let name = file_name(*slice, *metric);
        let path = plan.folder.join(&name);
        // What was set aside before is not lost either.
        let aside = |number| match number {
            1 => plan.folder.join(format!("{name}.{UNUSABLE}")),
            _ => plan.folder.join(format!("{name}.{UNUSABLE}-{number}")),
        };
        let aside = free_name(aside, |_| false).map_err(TableError::io("read", &path))?;
        rename_file(&path, &aside).map_err(TableError::io("rename", &path))?;
        on_event(BuildEvent::SetAside(&aside, error));
    }
    Ok(())
}

/// The plan for the tables that the first process finds in its folder, and these tables.
fn replanned(plan: &Plan, present: &Present, communicator: &dyn Communicator) -> (Plan, BTreeSet<(Metric, Slice)>) {
    let tables = || plan.pairs.iter().flat_map(|pair| with_twin(pair.slice).map(|slice| (pair.metric, slice)));
    let flags = communicator.broadcast(0, tables().map(|table| present.usable.contains(&table).into()).collect());
    let there = tables().zip(flags).filter(|&(_, is_there)| is_there == 1).map(|(table, _)| table).collect();
    (plan.with_present(&there), there)
}

struct Run<'a> {
    /// The tasks that are left.
    tasks: &'a [Task<'a>],
    writes: bool,
    built: Vec<BuiltSlice>,
}

impl Run<'_> {
    /// Builds the next pairs with `build`, as long as they are of that metric.
    fn of<V: Buildable>(
        &mut self,
        build: impl Fn(&Task<'_>, &mut BTreeMap<Slice, SliceOf<V>>) -> Result<Vec<BuiltSlice>, BuildError>,
    ) -> Result<(), BuildError> {
        let mut finished = BTreeMap::new();
        while let Some((task, rest)) = self.tasks.split_first().filter(|(task, _)| task.pair.metric == V::METRIC) {
            // What is not shared out is done by the first process alone.
            if task.communicator.rank() == 0 || matches!(task.pair.form, Form::Tiles(_)) {
                self.built.extend(build(task, &mut finished)?);
            }
            for slice in with_twin(task.pair.slice) {
                share_table(&task.plan.folder, (slice, V::METRIC), self.writes, task.communicator)?;
            }
            tidy(task.plan, V::METRIC, &[task.pair.slice])?;
            if task.communicator.rank() == 0 {
                tidy_kept(task.plan, V::METRIC, &task.needs, task.number + 1)?;
            }
            self.tasks = rest;
        }
        Ok(())
    }

    /// Builds the depths that are left: in narrow cells up to the first slice with a win too long for these, the rest in wide ones.
    fn depths<Narrow: Cell, Wide: Cell>(
        &mut self,
        plan: &Plan,
        communicator: &dyn Communicator,
    ) -> Result<(), BuildError> {
        match self.of::<Narrow>(build_depths) {
            Err(BuildError::Table(TableError::TooDeep { .. })) => {}
            other => return other,
        }
        let wide = replanned(&plan.in_cells::<Wide>(), &plan.present()?, communicator).0;
        wide.check()?;
        let tables = |pair: &PairPlan| (pair.slice, pair.metric);
        let planned = |task: &Task<'_>| wide.pairs.iter().find(|pair| tables(pair) == tables(task.pair));
        let with_plan = |task| planned(task).map(|pair| Task { plan: &wide, pair, ..Task::clone(task) });
        let tasks: Vec<Task<'_>> = self.tasks.iter().filter_map(with_plan).collect();
        let mut rest = Run { tasks: &tasks, writes: self.writes, built: std::mem::take(&mut self.built) };
        rest.of::<Wide>(build_depths)?;
        self.built = rest.built;
        Ok(())
    }
}

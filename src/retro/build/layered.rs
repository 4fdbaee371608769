//! Building the depths of a pair from layers, in memory or in a scratch file.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::index::Slice;
use crate::table::{Cell, SliceDepths};

use super::super::depths::{DepthJob, LayeredScores, LayeredWork, MemoryStore};
use super::super::error::BuildError;
use super::super::plan::Form;
use super::super::slices::Phase;
use super::super::tiles::Store;
use super::scratch::{relies_on, with_scratch};
use super::task::{BuildEvent, BuiltSlice, Task, keep_for_later, load_below, save_depths};

/// Solves the depths of a pair, writes what is missing of it, and keeps what later pairs need.
///
/// # Errors
/// [`BuildError`].
pub fn build_layers<C: Cell>(
    task: &Task<'_>,
    finished: &mut BTreeMap<Slice, SliceDepths<C>>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    if task.pair.form == Form::Layers {
        with_scratch(task, |store| solve(task, store, finished))
    } else {
        solve(task, &MemoryStore::default(), finished)
    }
}

fn solve<C: Cell>(
    task: &Task<'_>,
    store: &dyn Store,
    finished: &mut BTreeMap<Slice, SliceDepths<C>>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    let Task { plan, pair, space, on_event, .. } = *task;
    let start = Instant::now();
    let report = |phase: Phase| on_event(BuildEvent::Phase(pair.slice, phase));
    let mut job = DepthJob::new(space, plan.goal.rules, pair.slice, plan.budget.memory);
    job.relies_on = relies_on(task)?;
    if let Some(tiling) = plan.budget.tiling {
        (job.interval, job.width) = (Duration::ZERO, Some(tiling.width));
    }
    let mut work = LayeredWork::begin(&job, store)?;
    if work.captures() {
        load_below(task, finished)?;
    }
    on_event(BuildEvent::Begin(pair));
    if pair.form == Form::Layers {
        on_event(BuildEvent::Layered(work.describe(pair.scratch.bytes)));
    }
    work.capture(&|slice| &finished[&slice], &report)?;
    finished.retain(|&slice, _| task.is_needed_later(slice));
    work.decide::<C>(&report)?;
    report(Phase::Transposing);
    let mut built = Vec::new();
    for (side, &slice) in work.slices().iter().enumerate() {
        let scores = LayeredScores::<C>::new(&work, side);
        let (missing, later) = (pair.missing.contains(&slice), task.is_needed_later(slice));
        let in_memory = if later { Some(scores.in_memory(space)?) } else { None };
        if missing {
            built.extend(task.write(slice, start, |report| {
                let header = match &in_memory {
                    Some(depths) => save_depths(task, depths, report),
                    None => save_depths(task, &scores, report),
                };
                header.map(Some)
            })?);
        }
        if let Some(depths) = in_memory {
            keep_for_later(task, &depths)?;
            finished.insert(slice, depths);
        }
    }
    Ok(built)
}

//! Building a pair from tiles in a scratch file.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::index::Slice;
use crate::table::{SliceData, SliceValues};

use super::super::error::BuildError;
use super::super::planes::rows_bytes;
use super::super::slices::{Phase, slices_below, with_twin};
use super::super::tiles::{Job, ScratchStore, TileBudget, TiledValues, begin, save_together};
use super::scratch::{relies_on, with_scratch};
use super::task::{BuildEvent, BuiltSlice, Task, load_below};

/// Solves a pair from tiles, from the state in its scratch if there is one, writes what is missing, and removes the scratch. Only the first
/// process returns what was built.
///
/// # Errors
/// [`BuildError`].
pub fn build_from_tiles(
    task: &Task<'_>,
    budget: TileBudget,
    finished: &mut BTreeMap<Slice, SliceValues>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    with_scratch(task, |store| solve(task, budget, store, finished))
}

/// The finished slices that captures do not need, and all of them while paikas are followed, may take one part in this many of the memory.
const WAITING: u64 = 8;

/// Drops the slices that the captures of a pair do not need, if they take more than they may.
fn drop_others(task: &Task<'_>, finished: &mut BTreeMap<Slice, SliceValues>) {
    let (allowed, least) = (task.plan.budget.memory, task.pair.memory);
    let needed = slices_below(task.pair.slice, |slice| finished.contains_key(slice));
    let others = finished.iter().filter(|(slice, _)| !needed.contains(slice)).map(|(_, values)| values.bytes());
    if others.sum::<u64>() > (allowed / WAITING).min(allowed.saturating_sub(least)) {
        finished.retain(|slice, _| needed.contains(slice));
    }
}

fn solve(
    task: &Task<'_>,
    budget: TileBudget,
    store: &ScratchStore,
    finished: &mut BTreeMap<Slice, SliceValues>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    let Task { plan, pair, space, communicator, on_event, .. } = *task;
    let (slice, rules, allowed) = (pair.slice, plan.goal.rules, plan.budget.memory);
    let start = Instant::now();
    let report = |phase: Phase| on_event(BuildEvent::Phase(slice, phase));
    let job = Job { space, rules, slice, budget, relies_on: relies_on(task)? };
    let mut tiles = begin(&job, store, communicator)?;
    let captures = tiles.captures();
    if captures {
        drop_others(task, finished);
        load_below(task, finished)?;
        // Slices that were needed only to read these are not needed any more.
        drop_others(task, finished);
    }
    on_event(BuildEvent::Begin(pair));
    on_event(BuildEvent::Tiled(tiles.describe(pair.scratch.bytes)));
    if captures {
        for form in 0..tiles.layout().forms.len() {
            tiles.capture(form, &|slice| &finished[&slice], &report)?;
        }
    }
    if finished.values().map(SliceValues::bytes).sum::<u64>() > allowed / WAITING {
        finished.clear();
    }
    tiles.decide(&report)?;
    report(Phase::Transposing);
    // Captures of larger pairs need them again; reading them back from tables would cost as much as their captures did.
    let bytes = with_twin(slice).map(|slice| rows_bytes(space, slice.twin(), space.orbits(slice.mover))).sum::<u64>();
    let keeps = communicator.size() > 1 && task.is_needed_later(slice) && bytes <= allowed / WAITING;
    let mut built = Vec::new();
    for form in (0..tiles.layout().forms.len()).rev() {
        let values = TiledValues::new(&tiles, form);
        let slice = values.slice();
        if !pair.missing.contains(&slice) {
            continue;
        }
        built.extend(task.write(slice, start, |report| {
            if !keeps {
                return save_together(&plan.folder, space, rules, &values, communicator, report);
            }
            let values = values.everywhere(space)?;
            let header = save_together(&plan.folder, space, rules, &values, communicator, report)?;
            finished.insert(slice, values);
            Ok(header)
        })?);
    }
    Ok(built)
}

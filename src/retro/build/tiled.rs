//! Building a pair from tiles in a scratch file, and what is left of such files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;
use std::{fs, io};

use xxhash_rust::xxh3::Xxh3;

use crate::index::Slice;
use crate::table::{Metric, SliceData, SliceValues, TableError, file_name, read_header};

use super::super::error::BuildError;
use super::super::plan::Plan;
use super::super::slices::{Phase, after_captures, slices_below, with_twin};
use super::super::tiles::{
    Job, SCRATCH, ScratchStore, Store, TileBudget, TiledValues, Traffic, begin, remove_scratch, save_together,
};
use super::kept::scratch_of;
use super::task::{BuildEvent, BuiltSlice, Task, load_below};

/// Goes before the number of a process in the name of its scratch file.
const OF_RANK: &str = "-rank-";

/// The scratch file of a pair in this process.
fn scratch_file(task: &Task<'_>) -> PathBuf {
    let (folder, name) = scratch_of(task.plan, task.pair.slice);
    match task.communicator.size() {
        1 => folder.join(format!("{name}.{SCRATCH}")),
        size => folder.join(format!("{name}{OF_RANK}{}of{size}.{SCRATCH}", task.communicator.rank() + 1)),
    }
}

/// Removes what interrupted builds have left of finished pairs, of any number of processes, as far as no build uses it.
///
/// # Errors
/// [`TableError::Io`].
pub fn tidy(plan: &Plan, finished: impl IntoIterator<Item = Slice>) -> Result<(), TableError> {
    let names: Vec<String> = finished.into_iter().map(|slice| scratch_of(plan, slice).1).collect();
    let folder = plan.budget.scratch.as_deref().unwrap_or(&plan.folder);
    let found = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found.map_err(TableError::io("read folder", folder))?,
    };
    for entry in found {
        let path = entry.map_err(TableError::io("read folder", folder))?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let of_pair =
            |name: &String| stem.strip_prefix(&**name).is_some_and(|rest| rest.is_empty() || rest.starts_with(OF_RANK));
        let is_scratch = path.extension().is_some_and(|extension| extension.to_string_lossy().starts_with(SCRATCH));
        if is_scratch && names.iter().any(of_pair) {
            remove_scratch(&path.with_extension(SCRATCH))?;
        }
    }
    Ok(())
}

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
    let (slice, path, communicator) = (task.pair.slice, scratch_file(task), task.communicator);
    let store = ScratchStore::open(path.clone())?;
    let sent = communicator.sent();
    let built = solve(task, budget, &store, finished);
    if let Err(BuildError::Table(TableError::ScratchDamaged(_))) = built {
        store.clear()?;
    }
    let built = built?;
    let Traffic { read, written, .. } = store.traffic();
    let mut sums = [read, written, communicator.sent() - sent];
    communicator.sum(&mut sums);
    let [read, written, sent] = sums;
    (task.on_event)(BuildEvent::Moved(slice, Traffic { read, written, sent }));
    drop(store);
    remove_scratch(&path)?;
    Ok(built)
}

/// Finished slices may take this part of the memory allowed: beside those that captures need, and all together while paikas are followed.
const WAITING: u64 = 8;

/// Drops what the captures of a pair do not need if it takes more than it may.
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
    let job = Job { space, rules, slice, budget, relies_on: relies_on(plan, slice)? };
    let mut tiles = begin(&job, store, communicator)?;
    let captures = tiles.captures();
    if captures {
        drop_others(task, finished);
        load_below::<SliceValues>(task, finished)?;
        // Slices that were needed only to read these are not needed any more.
        drop_others(task, finished);
    }
    on_event(BuildEvent::Begin(pair));
    on_event(BuildEvent::Tiled(tiles.describe(pair.scratch.bytes)));
    if captures {
        for form in 0..tiles.layout().forms.len() {
            tiles.capture(form, |slice| &finished[&slice], &report)?;
        }
    }
    if finished.values().map(SliceValues::bytes).sum::<u64>() > allowed / WAITING {
        finished.clear();
    }
    tiles.decide(&report)?;
    report(Phase::Transposing);
    // Captures of larger pairs need them again; reading them back from tables would cost as much as their captures did.
    let bytes = with_twin(slice).map(|slice| space.orbits(slice.mover) * space.words(slice.opponent) * 16).sum::<u64>();
    let keeps = communicator.size() > 1 && task.later.contains(&slice) && bytes <= allowed / WAITING;
    let mut built = Vec::new();
    for form in (0..tiles.layout().forms.len()).rev() {
        let values = TiledValues::new(&tiles, form);
        let slice = values.slice();
        if !pair.missing.contains(&slice) {
            continue;
        }
        on_event(BuildEvent::Writing(slice));
        let header = if keeps {
            let values = values.everywhere(space)?;
            let header = save_together(&plan.folder, space, rules, &values, communicator)?;
            finished.insert(slice, values);
            header
        } else {
            save_together(&plan.folder, space, rules, &values, communicator)?
        };
        if let Some(header) = header {
            let done = BuiltSlice { slice, header, seconds: start.elapsed().as_secs_f64() };
            on_event(BuildEvent::Done(&done));
            built.push(done);
        }
    }
    Ok(built)
}

/// Identifies the tables of fewer stones that captures from a pair lead to.
fn relies_on(plan: &Plan, slice: Slice) -> Result<u128, TableError> {
    let mut hash = Xxh3::new();
    hash.update(slice.to_string().as_bytes());
    for slice in with_twin(slice).flat_map(after_captures) {
        hash.update(&read_header(&plan.folder.join(file_name(slice, Metric::Wdl)))?.identity.to_le_bytes());
    }
    Ok(hash.digest128())
}

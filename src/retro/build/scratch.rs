//! The scratch file of a pair, and the removal of leftover ones.

use std::path::PathBuf;
use std::{fs, io};

use xxhash_rust::xxh3::Xxh3;

use crate::index::Slice;
use crate::table::{Metric, TableError, file_name, folder_name, read_header};

use super::super::error::BuildError;
use super::super::plan::Plan;
use super::super::slices::{after_captures, with_twin};
use super::super::tiles::{SCRATCH, ScratchStore, Traffic, remove_scratch};
use super::kept::{scratch_of, with_scratch_beside};
use super::task::{BuildEvent, BuiltSlice, Task};

/// Goes before the number of a process in the name of its scratch file.
const OF_RANK: &str = "-rank-";

/// How the names of the scratch files of a pair begin.
fn stem(plan: &Plan, metric: Metric, slice: Slice) -> String {
    let (_, name) = scratch_of(plan, slice);
    match metric {
        Metric::Wdl => name,
        Metric::Dtw => format!("{name}.{metric}"),
    }
}

/// The scratch file of a pair in this process.
fn scratch_file(task: &Task<'_>) -> PathBuf {
    let (folder, _) = scratch_of(task.plan, task.pair.slice);
    let stem = stem(task.plan, task.pair.metric, task.pair.slice);
    match task.communicator.size() {
        1 => folder.join(format!("{stem}.{SCRATCH}")),
        size => folder.join(format!("{stem}{OF_RANK}{}of{size}.{SCRATCH}", task.communicator.rank() + 1)),
    }
}

/// Removes what interrupted builds have left of finished pairs, of any number of processes, as far as no build uses it.
///
/// # Errors
/// [`TableError::Io`].
pub fn tidy(plan: &Plan, metric: Metric, finished: &[Slice]) -> Result<(), TableError> {
    if let Some(beside) = with_scratch_beside(plan) {
        tidy(&beside, metric, finished)?;
    }
    let stems: Vec<String> = finished.iter().map(|&slice| stem(plan, metric, slice)).collect();
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
        if is_scratch && stems.iter().any(of_pair) {
            remove_scratch(&path.with_extension(SCRATCH))?;
        }
    }
    Ok(())
}

/// Does the work on a pair with its scratch file, from the state there if there is one, and removes it in the end.
///
/// # Errors
/// Those of `work`.
pub fn with_scratch(
    task: &Task<'_>,
    work: impl FnOnce(&ScratchStore) -> Result<Vec<BuiltSlice>, BuildError>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    let (path, communicator) = (scratch_file(task), task.communicator);
    let store = ScratchStore::open(path.clone())?;
    let sent = communicator.sent();
    let built = work(&store);
    if let Err(BuildError::Table(TableError::ScratchDamaged(_) | TableError::Inconsistent(_))) = built {
        store.clear()?;
    }
    let built = built?;
    let [read, written] = store.traffic();
    let mut sums = [read, written, communicator.sent() - sent];
    communicator.sum(&mut sums);
    let [read, written, sent] = sums;
    (task.on_event)(BuildEvent::Moved(task.pair.slice, Traffic { read, written, sent }));
    drop(store);
    remove_scratch(&path)?;
    Ok(built)
}

/// Identifies a pair on its board under its rules, and the tables that its own follow from: those of fewer stones that captures lead to,
/// and for depths its values.
///
/// # Errors
/// [`TableError`].
pub fn relies_on(task: &Task<'_>) -> Result<u128, TableError> {
    let (slice, metric, goal) = (task.pair.slice, task.pair.metric, &task.plan.goal);
    let mut hash = Xxh3::new();
    hash.update(format!("{} {slice}.{metric}", folder_name(goal.size, goal.rules)).as_bytes());
    let smaller = with_twin(slice).flat_map(after_captures).map(|slice| (slice, metric));
    let values = with_twin(slice).filter(|_| metric == Metric::Dtw).map(|slice| (slice, Metric::Wdl));
    for (slice, metric) in smaller.chain(values) {
        hash.update(&read_header(&task.plan.folder.join(file_name(slice, metric)))?.identity.to_le_bytes());
    }
    Ok(hash.digest128())
}

//! Finished slices by rows that later pairs need, in scratch files: a build that continues reads them, instead of resolving their
//! captures again, and those of all slices below.
//!
//! A file holds the identity of the table with the same values, the xxh3 (128 bits) of the rows, and the rows in a zstd frame.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::files::{folder_of, make_folder, open_file, remove_if_there, remove_with_temporary, replace_file};
use crate::index::Slice;
use crate::table::{Metric, TableError, file_name, folder_name, read_header};

use super::super::plan::{Budget, Plan};
use super::super::slices::{Needs, with_twin};

/// The end of the names of these files.
const KEPT: &str = "-rows";

/// The level of zstd: rows compress well, and have to be written faster than they are solved.
const LEVEL: i32 = 1;

/// The folder for the scratch of a pair or a slice, and how the names of its files begin: another database may have its scratch in the same
/// folder.
pub fn scratch_of(plan: &Plan, slice: Slice) -> (PathBuf, String) {
    match &plan.budget.scratch {
        Some(scratch) => {
            let folder = plan.folder.canonicalize().unwrap_or_else(|_| plan.folder.clone());
            let database = xxh3_64(folder.as_os_str().as_encoded_bytes()) >> 32;
            let board = folder_name(plan.goal.size, plan.goal.rules);
            (scratch.clone(), format!("{board}-{database:08x}-{slice}"))
        }
        None => (plan.folder.clone(), slice.to_string()),
    }
}

fn kept_file(plan: &Plan, metric: Metric, slice: Slice) -> PathBuf {
    let (folder, name) = scratch_of(plan, slice);
    folder.join(format!("{name}.{metric}{KEPT}"))
}

/// The identity of the table that has the values of a slice.
fn identity(plan: &Plan, metric: Metric, slice: Slice) -> Result<[u8; 16], TableError> {
    Ok(read_header(&plan.folder.join(file_name(slice, metric)))?.identity.to_le_bytes())
}

/// What a file begins with: the identity of a table, and the sum of the rows.
type Head = [[u8; 16]; 2];

/// Opens a file and reads its head; `None` if there is no file.
fn open(path: &Path) -> Result<Option<(File, Head)>, TableError> {
    let mut file = match open_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(TableError::io("open", path))?,
    };
    let mut head = Head::default();
    match head.iter_mut().try_for_each(|part| file.read_exact(part)) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
        read => read.map_err(TableError::io("read", path))?,
    }
    Ok(Some((file, head)))
}

/// The slices among these that have been kept, with the same values as in their tables.
///
/// # Errors
/// [`TableError`].
pub fn kept(plan: &Plan, metric: Metric, slices: impl Iterator<Item = Slice>) -> Result<BTreeSet<Slice>, TableError> {
    // Without its table, which may have been damaged and set aside, it has to be built again.
    let is_kept = |slice: &Slice| -> Result<bool, TableError> {
        let Some((_, [table, _])) = open(&kept_file(plan, metric, *slice))? else { return Ok(false) };
        match identity(plan, metric, *slice) {
            Err(TableError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error @ TableError::Io { .. }) => Err(error),
            found => Ok(found.is_ok_and(|identity| identity == table)),
        }
    };
    slices.filter_map(|slice| is_kept(&slice).map(|is| is.then_some(slice)).transpose()).collect()
}

/// Keeps the rows of a slice, if they are large enough.
///
/// # Errors
/// [`TableError`].
pub fn keep(plan: &Plan, metric: Metric, slice: Slice, rows: &[u8]) -> Result<(), TableError> {
    if (rows.len() as u64) < plan.budget.kept {
        return Ok(());
    }
    let head: Head = [identity(plan, metric, slice)?, xxh3_128(rows).to_le_bytes()];
    let kept = kept_file(plan, metric, slice);
    let folder = folder_of(&kept);
    make_folder(folder).map_err(TableError::io("make folder", folder))?;
    replace_file(&kept, TableError::of_system, |file, path| {
        let written = file.write_all(head.as_flattened()).and_then(|()| zstd::stream::copy_encode(rows, file, LEVEL));
        written.map_err(TableError::io("write", path))
    })
}

/// Reads the rows of a slice that has been kept; returns whether they are what was kept. A damaged file is removed, but not one that
/// the system cannot read now.
///
/// # Errors
/// [`TableError::Io`].
pub fn take_up(plan: &Plan, metric: Metric, slice: Slice, rows: &mut [u8]) -> Result<bool, TableError> {
    let path = kept_file(plan, metric, slice);
    let Some((file, [_, sum])) = open(&path)? else { return Ok(false) };
    let mut decoder = zstd::stream::Decoder::new(file).map_err(TableError::io("read", &path))?;
    let whole = match decoder.read_exact(rows) {
        Err(error) if error.raw_os_error().is_some() => return Err(TableError::io("read", &path)(error)),
        read => read.is_ok() && xxh3_128(rows).to_le_bytes() == sum,
    };
    if !whole {
        remove_if_there(&path).map_err(TableError::io("remove", &path))?;
    }
    Ok(whole)
}

/// The plan with its scratch beside the tables, where an earlier build may have left some; `None` if it has it there.
pub fn with_scratch_beside(plan: &Plan) -> Option<Plan> {
    plan.budget.scratch.as_ref()?;
    Some(Plan { budget: Budget { scratch: None, ..plan.budget.clone() }, ..plan.clone() })
}

/// Removes what was kept of slices that are not needed any more: those that pairs from a number on do not need.
///
/// # Errors
/// [`TableError::Io`].
pub fn tidy_kept(plan: &Plan, metric: Metric, needs: &Needs, number: usize) -> Result<(), TableError> {
    if let Some(beside) = with_scratch_beside(plan) {
        tidy_kept(&beside, metric, needs, number)?;
    }
    let slices = plan.pairs.iter().filter(|pair| pair.metric == metric).flat_map(|pair| with_twin(pair.slice));
    for path in slices.filter(|&slice| !needs.include(slice, number)).map(|slice| kept_file(plan, metric, slice)) {
        remove_with_temporary(&path).map_err(TableError::io("remove", &path))?;
    }
    Ok(())
}

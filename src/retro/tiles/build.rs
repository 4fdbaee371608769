//! Builds of values in which pairs that do not fit in memory are solved from tiles in a scratch file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use xxhash_rust::xxh3::Xxh3;

use crate::index::{Slice, Space};
use crate::table::{
    Content, Metric, SliceValues, TableError, file_name, folder_name, read_header, save_table, slices_in,
};

use super::super::build::{
    BuildError, BuildEvent, BuildOptions, BuiltSlice, Large, Observer, build_all, check_memory_of, load_below,
};
use super::super::load::after_captures;
use super::super::pair::{Phase, prefers_compact};
use super::super::plan::{pair_memory, with_twin};
use super::estimate::scratch_bytes;
use super::job::{Job, Tiling, begin, least_memory};
use super::store::{SCRATCH, ScratchStore, Store, remove_scratch};
use super::values::TiledValues;

/// What is said of tiles beside the build itself.
#[derive(Clone, Debug, Default)]
pub struct TileOptions {
    /// The folder for scratch files; that of the tables if not given.
    pub scratch: Option<PathBuf>,
    /// Solves every pair that has planes from tiles that are cut like this, whatever fits; for tests.
    pub tiling: Option<Tiling>,
}

/// Refuses a build of values of these pairs if one of them needs more memory than is allowed, even from tiles.
///
/// # Errors
/// [`BuildError::Memory`], with the pair that needs most.
pub fn check_memory_in_tiles(space: &Space, allowed: u64, pairs: &[Slice]) -> Result<(), BuildError> {
    check_memory_of::<SliceValues>(
        space,
        allowed,
        pairs,
        Some(&LargeValues { allowed, tiles: &TileOptions::default(), options: None }),
    )
}

/// Builds as [`build`](super::super::build()) does, but solves what does not fit in memory from tiles in a scratch file. Such a pair may be
/// interrupted at any time as well: the next build goes on from the last half pass that was written down.
///
/// # Errors
/// [`BuildError`]. Whatever was finished before stays, and so does the scratch file.
pub fn build_in_tiles(
    options: &BuildOptions,
    tiles: &TileOptions,
    observe: &Observer<'_>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    let mut built = Vec::new();
    let large = LargeValues { allowed: options.memory, tiles, options: Some(options) };
    build_all::<SliceValues>(options, &|_, _| Ok(()), Some(&large), observe, &mut built)?;
    Ok(built)
}

struct LargeValues<'a> {
    allowed: u64,
    tiles: &'a TileOptions,
    /// Missing where nothing is built.
    options: Option<&'a BuildOptions>,
}

impl LargeValues<'_> {
    /// Where the scratch file of a pair is.
    fn scratch(&self, options: &BuildOptions, folder: &Path, slice: Slice) -> PathBuf {
        match &self.tiles.scratch {
            Some(scratch) => scratch.join(format!("{}-{slice}.{SCRATCH}", folder_name(options.size, options.rules))),
            None => folder.join(format!("{slice}.{SCRATCH}")),
        }
    }
}

impl Large<SliceValues> for LargeValues<'_> {
    fn memory(&self, space: &Space, slice: Slice) -> Option<u64> {
        let threads = rayon::current_num_threads();
        let fits = self.tiles.tiling.is_none() && pair_memory(space, slice, threads) <= self.allowed;
        (!fits && !prefers_compact(space, slice)).then(|| match self.tiles.tiling {
            Some(_) => 0,
            None => least_memory(space, slice, threads),
        })
    }

    fn build(
        &self,
        space: &Space,
        folder: &Path,
        slice: Slice,
        finished: &mut BTreeMap<Slice, SliceValues>,
        observe: &Observer<'_>,
    ) -> Result<Vec<BuiltSlice>, BuildError> {
        let Some(options) = self.options else { return Ok(Vec::new()) };
        let path = self.scratch(options, folder, slice);
        let store = ScratchStore::open(path.clone())?;
        let job = Job {
            space,
            rules: options.rules,
            slice,
            memory: options.memory,
            tiling: self.tiles.tiling,
            relies_on: relies_on(folder, slice)?,
        };
        let built = solve(&job, &store, options, folder, finished, observe);
        if let Err(BuildError::Table(TableError::ScratchDamaged(_))) = built {
            store.clear()?;
        }
        let built = built?;
        observe(BuildEvent::Moved(slice, store.traffic()));
        drop(store);
        remove_scratch(&path)?;
        Ok(built)
    }

    fn tidy(&self, space: &Space, folder: &Path, present: &BTreeSet<Slice>) -> Result<(), TableError> {
        // A build may have been killed between its tables and its scratch.
        for slice in
            Slice::up_to(space.board().points(), space.board().points()).filter(|slice| present.contains(slice))
        {
            if let (Some(options), true) = (self.options, present.contains(&slice.twin())) {
                remove_scratch(&self.scratch(options, folder, slice))?;
            }
        }
        Ok(())
    }
}

/// The share of the memory allowed that finished slices may take while paikas are followed.
const WAITING: u64 = 8;

fn solve(
    job: &Job<'_>,
    store: &ScratchStore,
    options: &BuildOptions,
    folder: &Path,
    finished: &mut BTreeMap<Slice, SliceValues>,
    observe: &Observer<'_>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    let Job { space, slice, .. } = *job;
    let start = Instant::now();
    let report = |phase: Phase| observe(BuildEvent::Phase(slice, phase));
    let mut tiles = begin(job, store)?;
    let captures = tiles.captures();
    if captures {
        load_below::<SliceValues>(space, options, folder, slice, finished, observe)?;
    }
    let waiting = |finished: &BTreeMap<Slice, SliceValues>| finished.values().map(SliceValues::bytes).sum::<u64>();
    if waiting(finished) > job.memory / WAITING {
        let needed: BTreeSet<Slice> = with_twin(slice).flat_map(after_captures).collect();
        finished.retain(|slice, _| needed.contains(slice));
    }
    observe(BuildEvent::Begin(slice));
    observe(BuildEvent::Tiled(tiles.describe(scratch_bytes(space, slice))));
    if captures {
        for form in 0..tiles.layout().forms.len() {
            tiles.capture(form, |slice| &finished[&slice], &report)?;
        }
    }
    if waiting(finished) > job.memory / WAITING {
        finished.clear();
    }
    tiles.decide(&report)?;
    observe(BuildEvent::Phase(slice, Phase::Turning));
    let present = slices_in(folder, Metric::Wdl)?;
    let mut built = Vec::new();
    for form in (0..tiles.layout().forms.len()).rev() {
        let values = TiledValues::new(&tiles, form);
        let slice = values.slice();
        if !present.contains(&slice) {
            observe(BuildEvent::Writing(slice));
            let header = save_table(folder, space, job.rules, &values)?;
            let done = BuiltSlice { slice, header, seconds: start.elapsed().as_secs_f64() };
            observe(BuildEvent::Done(&done));
            built.push(done);
        }
    }
    Ok(built)
}

/// Stands for the tables of fewer stones that captures from a pair lead to.
fn relies_on(folder: &Path, slice: Slice) -> Result<u128, TableError> {
    let mut hash = Xxh3::new();
    hash.update(slice.to_string().as_bytes());
    for slice in with_twin(slice).flat_map(after_captures) {
        hash.update(&read_header(&folder.join(file_name(slice, Metric::Wdl)))?.identity.to_le_bytes());
    }
    Ok(hash.digest128())
}

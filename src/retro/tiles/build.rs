//! Builds of values in which pairs that do not fit in memory are solved from tiles in a scratch file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fs, io};

use xxhash_rust::xxh3::Xxh3;

use crate::index::{Slice, Space};
use crate::table::{Metric, SliceData, SliceValues, TableError, file_name, folder_name, read_header, slices_in};

use super::super::build::{
    BuildError, BuildEvent, BuildOptions, BuiltSlice, Large, Observer, build_all, check_memory_of,
};
use super::super::communicator::{Alone, Ranks};
use super::super::crowded::prefers_crowded;
use super::super::metrics::{Buildable, load_below};
use super::super::plan::pair_memory;
use super::super::slices::{Phase, after_captures, slices_below, with_twin};
use super::estimate::scratch_bytes;
use super::job::{Job, Tiling, begin, least_memory};
use super::store::{SCRATCH, ScratchStore, Store, Traffic, remove_scratch};
use super::values::{TiledValues, save_together};

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

impl TileOptions {
    /// The folder for the scratch of pairs, and how the names of the files of one begin.
    fn scratch_of(&self, options: &BuildOptions, folder: &Path, slice: Slice) -> (PathBuf, String) {
        match &self.scratch {
            Some(scratch) => (scratch.clone(), format!("{}-{slice}", folder_name(options.size, options.rules))),
            None => (folder.to_owned(), slice.to_string()),
        }
    }

    /// The scratch file of a pair on a rank.
    fn path(&self, options: &BuildOptions, folder: &Path, slice: Slice, ranks: &dyn Ranks) -> PathBuf {
        let (folder, name) = self.scratch_of(options, folder, slice);
        match ranks.size() {
            1 => folder.join(format!("{name}.{SCRATCH}")),
            size => folder.join(format!("{name}{OF_RANK}{}of{size}.{SCRATCH}", ranks.rank() + 1)),
        }
    }

    /// Removes the scratch of pairs of which both slices are present, whichever ranks it was of, as far as nobody uses it.
    ///
    /// # Errors
    /// [`TableError::Io`].
    pub fn tidy(&self, options: &BuildOptions, folder: &Path, present: &BTreeSet<Slice>) -> Result<(), TableError> {
        let complete = present.iter().filter(|slice| present.contains(&slice.twin()));
        let pairs: Vec<_> = complete.map(|&slice| self.scratch_of(options, folder, slice).1).collect();
        let folder = self.scratch.as_deref().unwrap_or(folder);
        let found = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found.map_err(TableError::io("read folder", folder))?,
        };
        for entry in found {
            let path = entry.map_err(TableError::io("read folder", folder))?.path();
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let of_pair = |name: &String| {
                stem.strip_prefix(&**name).is_some_and(|rest| rest.is_empty() || rest.starts_with(OF_RANK))
            };
            let is_scratch = path.extension().is_some_and(|extension| extension.to_string_lossy().starts_with(SCRATCH));
            if is_scratch && pairs.iter().any(of_pair) {
                remove_scratch(&path.with_extension(SCRATCH))?;
            }
        }
        Ok(())
    }
}

/// What comes before the number of a rank in the name of its scratch file.
const OF_RANK: &str = "-rank-";

impl Large<SliceValues> for LargeValues<'_> {
    fn memory(&self, space: &Space, slice: Slice) -> Option<u64> {
        let threads = rayon::current_num_threads();
        let fits = self.tiles.tiling.is_none() && pair_memory(space, slice, threads) <= self.allowed;
        (!fits && !prefers_crowded(space, slice)).then(|| match self.tiles.tiling {
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
        build_pair(space, options, self.tiles, &Alone, (folder, slice), finished, observe)
    }

    fn tidy(&self, folder: &Path, present: &BTreeSet<Slice>) -> Result<(), TableError> {
        // A build may have been killed between its tables and its scratch.
        self.options.map_or(Ok(()), |options| self.tiles.tidy(options, folder, present))
    }
}

/// Solves a pair from tiles, with what the scratch has of it, and writes what is not there; then the scratch goes. `finished` are slices in
/// memory, to be loaded as needed. What was written is told by the first rank only.
///
/// # Errors
/// [`BuildError`].
pub fn build_pair(
    space: &Space,
    options: &BuildOptions,
    tiles: &TileOptions,
    ranks: &dyn Ranks,
    (folder, slice): (&Path, Slice),
    finished: &mut BTreeMap<Slice, SliceValues>,
    observe: &Observer<'_>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    let path = tiles.path(options, folder, slice, ranks);
    let store = ScratchStore::open(path.clone())?;
    let job = Job {
        space,
        rules: options.rules,
        slice,
        memory: options.memory,
        tiling: tiles.tiling,
        relies_on: relies_on(folder, slice)?,
    };
    let sent = ranks.sent();
    let built = solve(&job, &store, ranks, options, folder, finished, observe);
    if let Err(BuildError::Table(TableError::ScratchDamaged(_))) = built {
        store.clear()?;
    }
    let built = built?;
    let Traffic { read, written, .. } = store.traffic();
    let mut sums = [read, written, ranks.sent() - sent];
    ranks.sum(&mut sums);
    let [read, written, sent] = sums;
    observe(BuildEvent::Moved(slice, Traffic { read, written, sent }));
    drop(store);
    remove_scratch(&path)?;
    Ok(built)
}

/// Of the memory allowed, finished slices may take one part in so many: beside those that captures need, and all together while paikas are followed.
const WAITING: u64 = 8;

/// Drops what the captures of a pair do not need if it takes more than it may.
fn drop_others(job: &Job<'_>, finished: &mut BTreeMap<Slice, SliceValues>) {
    let needed = slices_below(job.slice, finished);
    let others = finished.iter().filter(|(slice, _)| !needed.contains(slice)).map(|(_, values)| values.bytes());
    let least = least_memory(job.space, job.slice, rayon::current_num_threads());
    if others.sum::<u64>() > (job.memory / WAITING).min(job.memory.saturating_sub(least)) {
        finished.retain(|slice, _| needed.contains(slice));
    }
}

fn solve(
    job: &Job<'_>,
    store: &ScratchStore,
    ranks: &dyn Ranks,
    options: &BuildOptions,
    folder: &Path,
    finished: &mut BTreeMap<Slice, SliceValues>,
    observe: &Observer<'_>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    let Job { space, slice, .. } = *job;
    let start = Instant::now();
    let report = |phase: Phase| observe(BuildEvent::Phase(slice, phase));
    let mut tiles = begin(job, store, ranks)?;
    let captures = tiles.captures();
    if captures {
        drop_others(job, finished);
        load_below::<SliceValues>(space, options, folder, slice, finished, observe)?;
        // What it took to read them is not needed any more.
        drop_others(job, finished);
    }
    observe(BuildEvent::Begin(slice));
    observe(BuildEvent::Tiled(tiles.describe(scratch_bytes(space, slice))));
    if captures {
        for form in 0..tiles.layout().forms.len() {
            tiles.capture(form, |slice| &finished[&slice], &report)?;
        }
    }
    if finished.values().map(SliceValues::bytes).sum::<u64>() > job.memory / WAITING {
        finished.clear();
    }
    tiles.decide(&report)?;
    observe(BuildEvent::Phase(slice, Phase::Transposing));
    let present = slices_in(folder, Metric::Wdl)?;
    // Captures of larger pairs need them again; reading them back from tables would cost as much as their captures did.
    let bytes = with_twin(slice).map(|slice| space.orbits(slice.mover) * space.words(slice.opponent) * 16).sum::<u64>();
    let keeps = ranks.size() > 1 && slice.stones() < options.goal.stones() && bytes <= job.memory / WAITING;
    let first = ranks.rank() == 0;
    let mut built = Vec::new();
    for form in (0..tiles.layout().forms.len()).rev() {
        let values = TiledValues::new(&tiles, form);
        let slice = values.slice();
        if ranks.count(first && !present.contains(&slice)) == 0 {
            continue;
        }
        observe(BuildEvent::Writing(slice));
        let header = if keeps {
            let values = values.everywhere(space)?;
            let header = save_together(folder, space, job.rules, &values, ranks)?;
            finished.insert(slice, values.kept(space));
            header
        } else {
            save_together(folder, space, job.rules, &values, ranks)?
        };
        if let Some(header) = header {
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

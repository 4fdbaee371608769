//! Building the tables of a board, slice after slice, so that a build can stop and go on anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use thiserror::Error;

use crate::board::BoardSize;
use crate::index::{Slice, Space};
use crate::rules::RuleSet;
use crate::table::{
    Cell, Header, Metric, SliceDepths, SliceValues, TableError, folder_name, lock_folder, remove_leftovers, slices_in,
    write_manifest,
};

use super::metrics::{Buildable, load_below};
use super::plan::{Goal, most_stones};
use super::slices::{Phase, with_twin};
use super::tiles::Traffic;

/// What to build, and where.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The database folder.
    pub database: PathBuf,
    /// The board.
    pub size: BoardSize,
    /// The rules.
    pub rules: RuleSet,
    /// The slices; those that are there already are left as they are.
    pub goal: Goal,
    /// Bytes of memory that may be used.
    pub memory: u64,
}

/// Why a build did not start or did not finish.
#[derive(Debug, Error)]
pub enum BuildError {
    /// Something about the tables.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The board has too many points.
    #[error("{0} has {points} points; tables work up to 64 points", points = .0.points())]
    BoardTooLarge(BoardSize),
    /// The board has no room for a stone of each colour.
    #[error("{0} has a single point, and a position has at least one stone of each colour; choose a larger board")]
    NoRoom(BoardSize),
    /// There are no positions of so few stones.
    #[error("--stones {0}: a position has at least one stone of each colour, so give 2 or more")]
    TooFewStones(usize),
    /// Sets of so many stones cannot be numbered.
    #[error(
        "{size} with {stones} stones has too many sets to number; at most {most} stones are possible on this board"
    )]
    TooManyStones {
        /// The board.
        size: BoardSize,
        /// Stones asked for.
        stones: usize,
        /// The most that can be numbered.
        most: usize,
    },
    /// The slice has more stones than the board has points.
    #[error("--slice {slice}: {size} has {points} points, too few for {stones} stones", points = size.points(), stones = slice.stones())]
    SliceTooLarge {
        /// The board.
        size: BoardSize,
        /// The slice.
        slice: Slice,
    },
    /// The estimate is above the memory allowed.
    #[error(
        "{slice} and its twin need about {} of memory, and {} may be used; {}",
        amount(*needed), amount(*allowed),
        if *fitting >= 2 { format!("build to {fitting} stones, or allow more with --memory") } else { "allow more with --memory".to_owned() }
    )]
    Memory {
        /// The slice that needs most.
        slice: Slice,
        /// Its bytes.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
        /// The largest number of stones that would fit.
        fitting: usize,
    },
}

#[allow(clippy::cast_precision_loss)] // for people
fn amount(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// What a build tells as it goes.
#[derive(Clone, Copy, Debug)]
pub enum BuildEvent<'a> {
    /// Slices that are on disk already are read; the build needs them.
    Loading(Slice),
    /// A pair is begun; `slice` is the one with more stones to move.
    Begin(Slice),
    /// The pair is at this point.
    Phase(Slice, Phase),
    /// A slice is being compressed and written.
    Writing(Slice),
    /// The pair is solved from tiles, because it needs more memory than it may use; or the work on it goes on.
    Tiled(TiledPair),
    /// The pair from tiles is complete, and so many bytes of scratch were read and written for it since it was taken up.
    Moved(Slice, Traffic),
    /// A slice is on disk.
    Done(&'a BuiltSlice),
}

/// A pair that is solved from tiles.
#[derive(Clone, Copy, Debug)]
pub struct TiledPair {
    /// The slice with more stones to move.
    pub slice: Slice,
    /// Bands of its planes, and of those of the twin if it is another.
    pub bands: (usize, usize),
    /// How many of them stay in memory.
    pub resident: usize,
    /// The scratch file will have about so many bytes.
    pub scratch: u64,
    /// Half passes that were done before.
    pub steps: u64,
    /// The share of captures that were resolved before.
    pub captures: f64,
}

/// A finished slice.
#[derive(Clone, Copy, Debug)]
pub struct BuiltSlice {
    /// The slice.
    pub slice: Slice,
    /// The header of its file.
    pub header: Header,
    /// Seconds since the pair was begun.
    pub seconds: f64,
}

/// Refuses a build of values of these pairs if one of them needs more memory than is allowed.
///
/// # Errors
/// [`BuildError::Memory`], with the pair that needs most.
pub fn check_memory(space: &Space, allowed: u64, pairs: &[Slice]) -> Result<(), BuildError> {
    check_memory_of::<SliceValues>(space, allowed, pairs, None)
}

/// The same for a build of depths, as long as wins fit in cells of 8 bits.
///
/// # Errors
/// [`BuildError::Memory`], with the pair that needs most.
pub fn check_depth_memory(space: &Space, allowed: u64, pairs: &[Slice]) -> Result<(), BuildError> {
    check_memory_of::<SliceDepths<u8>>(space, allowed, pairs, None)
}

/// The same where large pairs go another way.
///
/// # Errors
/// [`BuildError::Memory`].
pub fn check_memory_of<M: Buildable>(
    space: &Space,
    allowed: u64,
    pairs: &[Slice],
    large: Option<&dyn Large<M>>,
) -> Result<(), BuildError> {
    let threads = rayon::current_num_threads();
    check_needs(allowed, pairs, |slice| {
        large.and_then(|large| large.memory(space, slice)).unwrap_or_else(|| M::memory(space, slice, threads))
    })
}

/// The same where each pair needs so many bytes.
///
/// # Errors
/// [`BuildError::Memory`].
pub fn check_needs(allowed: u64, pairs: &[Slice], need: impl Fn(Slice) -> u64) -> Result<(), BuildError> {
    let needs = pairs.iter().map(|&slice| (need(slice), slice));
    let first_too_large = needs.clone().find(|(needed, _)| *needed > allowed);
    match (first_too_large, needs.max()) {
        (Some((_, first)), Some((needed, slice))) => {
            Err(BuildError::Memory { slice, needed, allowed, fitting: first.stones() - 1 })
        }
        _ => Ok(()),
    }
}

/// Refuses boards and slices that tables cannot have at all.
///
/// # Errors
/// The reason.
pub fn check_size(size: BoardSize, goal: impl Into<Goal>) -> Result<(), BuildError> {
    let (points, goal) = (size.points(), goal.into());
    let stones = goal.stones();
    if points > 64 {
        return Err(BuildError::BoardTooLarge(size));
    }
    if points < 2 {
        return Err(BuildError::NoRoom(size));
    }
    if stones < 2 {
        return Err(BuildError::TooFewStones(stones));
    }
    if let Goal::Slice(slice) = goal
        && stones > points
    {
        return Err(BuildError::SliceTooLarge { size, slice });
    }
    let most = most_stones(points);
    if stones.min(points) > most {
        return Err(BuildError::TooManyStones { size, stones, most });
    }
    Ok(())
}

/// Events of a build, from any thread.
pub type Observer<'o> = dyn Fn(BuildEvent<'_>) + Sync + 'o;

/// Builds the values of every slice of the goal that is not on disk yet, on the current pool of threads. Slices
/// appear under their names when they are complete, so a build may be killed at any time and started again.
///
/// Returns what was built.
///
/// # Errors
/// [`BuildError`]. Whatever was finished before stays.
///
/// # Panics
/// With [`OutOfMemory`](crate::index::OutOfMemory) if the system has less memory than was allowed; then, too, what was
/// finished stays.
pub fn build(options: &BuildOptions, observe: &Observer<'_>) -> Result<Vec<BuiltSlice>, BuildError> {
    let mut built = Vec::new();
    build_all::<SliceValues>(options, &|_, _| Ok(()), None, observe, &mut built)?;
    Ok(built)
}

/// The same for depths. Their tables go with those of values, which have to be there. Slices are solved in cells of 8 bits;
/// from the first one with a win that is too long for that, in cells of 16, for twice the memory.
///
/// # Errors
/// [`BuildError`]; [`TableError::Missing`] for the first slice without values.
pub fn build_depths(options: &BuildOptions, observe: &Observer<'_>) -> Result<Vec<BuiltSlice>, BuildError> {
    let mut built = Vec::new();
    match build_depths_in::<u8>(options, observe, &mut built) {
        Err(BuildError::Table(TableError::TooDeep { .. })) => build_depths_in::<u16>(options, observe, &mut built)?,
        other => other?,
    }
    Ok(built)
}

/// Builds depths in cells of one width, which the tables do not tell, and adds what it built to `built`.
///
/// # Errors
/// As [`build_depths`]; [`TableError::TooDeep`] for the first slice with a win that cells of that width cannot hold.
pub fn build_depths_in<C: Cell>(
    options: &BuildOptions,
    observe: &Observer<'_>,
    built: &mut Vec<BuiltSlice>,
) -> Result<(), BuildError> {
    let values_are_there = |folder: &Path, pairs: &[Slice]| -> Result<(), TableError> {
        let present: BTreeSet<Slice> = slices_in(folder, Metric::Wdl)?.into_iter().collect();
        let missing = pairs.iter().flat_map(|&slice| with_twin(slice)).find(|slice| !present.contains(slice));
        missing.map_or(Ok(()), |slice| {
            Err(TableError::Missing { slice, folder: folder.to_owned(), board: options.size.to_string() })
        })
    };
    build_all::<SliceDepths<C>>(options, &values_are_there, None, observe, built)
}

/// What has to be there in a folder before pairs can be built.
pub type Condition<'c> = dyn Fn(&Path, &[Slice]) -> Result<(), TableError> + 'c;

/// Another way to build pairs, for those that are too large for the first.
pub trait Large<M> {
    /// Bytes of memory that a pair needs this way; `None` if it does not go this way.
    fn memory(&self, space: &Space, slice: Slice) -> Option<u64>;

    /// Builds a pair and writes what of it is not there. `finished` are slices in memory, to be loaded as needed.
    ///
    /// # Errors
    /// [`BuildError`].
    fn build(
        &self,
        space: &Space,
        folder: &Path,
        slice: Slice,
        finished: &mut BTreeMap<Slice, M>,
        observe: &Observer<'_>,
    ) -> Result<Vec<BuiltSlice>, BuildError>;

    /// Removes what interrupted builds have left of pairs that are complete.
    ///
    /// # Errors
    /// [`TableError::Io`].
    fn tidy(&self, folder: &Path, present: &BTreeSet<Slice>) -> Result<(), TableError>;
}

/// Builds what is missing of a goal, pair by pair.
///
/// # Errors
/// [`BuildError`].
pub fn build_all<M: Buildable>(
    options: &BuildOptions,
    check: &Condition<'_>,
    large: Option<&dyn Large<M>>,
    observe: &Observer<'_>,
    built: &mut Vec<BuiltSlice>,
) -> Result<(), BuildError> {
    check_size(options.size, options.goal)?;
    let space = Space::new(options.size, options.rules.diagonals);
    let points = options.size.points();
    let folder = options.database.join(folder_name(options.size, options.rules));
    let look = || {
        let present: BTreeSet<Slice> = slices_in(&folder, M::METRIC)?.into_iter().collect();
        let missing = |slice: &Slice| with_twin(*slice).any(|slice| !present.contains(&slice));
        let missing = options.goal.pairs(points).into_iter().filter(missing).collect();
        Ok::<(_, Vec<Slice>), TableError>((present, missing))
    };
    // A build that is refused leaves no trace; one that is not looks again when nobody else can change the folder.
    let missing = look()?.1;
    check(&folder, &missing)?;
    check_memory_of::<M>(&space, options.memory, &missing, large)?;
    let _lock = lock_folder(&folder)?;
    remove_leftovers(&folder)?;
    let (present, missing) = look()?;
    if let Some(large) = large {
        large.tidy(&folder, &present)?;
    }
    let mut slices = BTreeMap::new();
    for slice in missing {
        if let Some(large) = large.filter(|large| large.memory(&space, slice).is_some()) {
            built.extend(large.build(&space, &folder, slice, &mut slices, observe)?);
            continue;
        }
        built.extend(build_in_memory(&space, options, (&folder, slice), &present, &mut slices, observe)?);
    }
    // A build that was killed may have left the list behind the files.
    write_manifest(&folder)?;
    Ok(())
}

/// Builds a pair in memory and writes what of it is not there. `finished` are slices in memory, to be loaded as needed.
///
/// # Errors
/// [`BuildError`].
pub fn build_in_memory<M: Buildable>(
    space: &Space,
    options: &BuildOptions,
    (folder, slice): (&Path, Slice),
    present: &BTreeSet<Slice>,
    finished: &mut BTreeMap<Slice, M>,
    observe: &Observer<'_>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    load_below::<M>(space, options, folder, slice, finished, observe)?;
    observe(BuildEvent::Begin(slice));
    let (start, mut built) = (Instant::now(), Vec::new());
    let report = |phase| observe(BuildEvent::Phase(slice, phase));
    for solved in M::solve(space, options.rules, slice, finished, &report)? {
        let slice = solved.slice();
        if !present.contains(&slice) {
            observe(BuildEvent::Writing(slice));
            let header = solved.save(space, options.rules, folder)?;
            let done = BuiltSlice { slice, header, seconds: start.elapsed().as_secs_f64() };
            observe(BuildEvent::Done(&done));
            built.push(done);
        }
        if slice.stones() < options.goal.stones() {
            finished.insert(slice, solved.kept(space));
        }
    }
    Ok(built)
}

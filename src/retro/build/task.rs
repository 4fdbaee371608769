//! A pair to be built: what is reported of it, and what differs between values and depths: how it is solved, loaded, written and kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use zerocopy::IntoBytes as _;

use crate::index::{Crowded, Slice, Space, is_crowded};
use crate::rules::Outcome;
use crate::table::{
    Access, Cell, Header, Metric, Rows, SliceData, SliceDepths, SliceOf, SliceValue, SliceValues, TableError,
    open_table, save_table, save_table_if,
};

use super::super::communicator::Communicator;
use super::super::crowded::solve_crowded;
use super::super::depths::LayeredPair;
use super::super::error::BuildError;
use super::super::in_memory::{decode, decode_depths, solve_pair};
use super::super::plan::{Form, PairPlan, Plan};
use super::super::planes::Leaves;
use super::super::slices::{Needs, Phase, after_captures, slices_below, with_twin};
use super::super::tiles::{TiledPair, Traffic};
use super::kept::{keep, kept, take_up};

/// What a build reports as it goes.
#[derive(Clone, Copy, Debug)]
pub enum BuildEvent<'a> {
    /// A slice that is on disk already is read; the build needs it.
    Loading(Slice),
    /// This part of it has been read.
    Read(Slice, f64),
    /// A pair is begun.
    Begin(&'a PairPlan),
    /// The pair is at this point.
    Phase(Slice, Phase),
    /// A slice is being compressed and written; this part of it has been.
    Writing(Slice, f64),
    /// The pair is solved from tiles, or the work on it continues.
    Tiled(TiledPair),
    /// The depths of the pair are solved from layers in a scratch file, or the work on them continues.
    Layered(LayeredPair),
    /// The pair with a scratch file is complete; the bytes of scratch that were read and written for it since this build began with it.
    Moved(Slice, Traffic),
    /// A slice is on disk.
    Done(&'a BuiltSlice),
    /// A file under the name of a table cannot be used, for that reason; it has a new name now.
    SetAside(&'a Path, &'a TableError),
}

/// Events of a build, from any thread.
pub type Observer<'o> = dyn Fn(BuildEvent<'_>) + Sync + 'o;

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

/// A pair of a plan that is to be built.
#[derive(Clone)]
pub struct Task<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The pair.
    pub pair: &'a PairPlan,
    /// What it needs, and other pairs of the plan that are to be built with the same tables.
    pub needs: Arc<Needs>,
    /// Its number among these pairs.
    pub number: usize,
    /// The indexing.
    pub space: &'a Space,
    /// The processes.
    pub communicator: &'a dyn Communicator,
    /// Gets the events of the build.
    pub on_event: &'a Observer<'a>,
}

impl Task<'_> {
    /// Whether later pairs need a slice.
    pub fn is_needed_later(&self, slice: Slice) -> bool {
        self.needs.include(slice, self.number + 1)
    }

    /// Writes a slice of the pair by `save`, which gets a report of the part that is done, and returns the header, or `None` in a process that writes
    /// nothing itself. The pair was begun at `start`.
    ///
    /// # Errors
    /// Those of `save`.
    pub fn write(
        &self,
        slice: Slice,
        start: Instant,
        save: impl FnOnce(&dyn Fn(f64)) -> Result<Option<Header>, TableError>,
    ) -> Result<Option<BuiltSlice>, TableError> {
        let header = save(&|part| (self.on_event)(BuildEvent::Writing(slice, part)))?;
        let built = header.map(|header| BuiltSlice { slice, header, seconds: start.elapsed().as_secs_f64() });
        if let Some(built) = &built {
            (self.on_event)(BuildEvent::Done(built));
        }
        Ok(built)
    }
}

/// Values that slices can be built with, pair by pair from those of fewer stones.
pub trait Buildable: SliceValue {
    /// What tables of them hold.
    const METRIC: Metric;

    /// Computes a pair that needs nothing but memory from finished slices, in the form that is planned.
    fn solve(
        task: &Task<'_>,
        finished: &BTreeMap<Slice, SliceOf<Self>>,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<Vec<SliceOf<Self>>, TableError>;

    /// Reads a slice that is on disk already.
    fn load(
        task: &Task<'_>,
        slice: Slice,
        finished: &BTreeMap<Slice, SliceOf<Self>>,
    ) -> Result<SliceOf<Self>, TableError>;

    /// Writes a slice, and reports the part that is done.
    fn save(task: &Task<'_>, values: &SliceOf<Self>, report: &dyn Fn(f64)) -> Result<Header, TableError>;
}

impl Buildable for Outcome {
    const METRIC: Metric = Metric::Wdl;

    fn solve(
        task: &Task<'_>,
        finished: &BTreeMap<Slice, SliceValues>,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<Vec<SliceValues>, TableError> {
        let (space, rules, slice) = (task.space, task.plan.goal.rules, task.pair.slice);
        Ok(solve_pair(space, rules, slice, &|slice| &finished[&slice], report))
    }

    fn load(task: &Task<'_>, slice: Slice, finished: &BTreeMap<Slice, SliceValues>) -> Result<SliceValues, TableError> {
        let (space, rules) = (task.space, task.plan.goal.rules);
        let table = open_table((&task.plan.folder, &Access::Read), space, rules, (slice, Metric::Wdl))?;
        let leaves = match task.pair.form {
            Form::Tiles(budget) => budget.leaves,
            // Crowded pairs take less memory than all leaves would.
            Form::Crowded => Leaves::OfBatch,
            _ => Leaves::All,
        };
        decode(space, rules, &table, finished, leaves, &|part| (task.on_event)(BuildEvent::Read(slice, part)))
    }

    fn save(task: &Task<'_>, values: &SliceValues, report: &dyn Fn(f64)) -> Result<Header, TableError> {
        save_table(&task.plan.folder, task.space, task.plan.goal.rules, values, report)
    }
}

impl<C: Cell> Buildable for C {
    const METRIC: Metric = Metric::Dtw;

    fn solve(
        task: &Task<'_>,
        finished: &BTreeMap<Slice, SliceDepths<C>>,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<Vec<SliceDepths<C>>, TableError> {
        let (space, rules, slice) = (task.space, task.plan.goal.rules, task.pair.slice);
        solve_crowded(space, rules, slice, &|slice| &finished[&slice], report)
    }

    fn load(
        task: &Task<'_>,
        slice: Slice,
        finished: &BTreeMap<Slice, SliceDepths<C>>,
    ) -> Result<SliceDepths<C>, TableError> {
        let (space, rules) = (task.space, task.plan.goal.rules);
        let open = |metric| open_table((&task.plan.folder, &Access::Read), space, rules, (slice, metric));
        let [values, depths] = Metric::ALL.map(open);
        let report = |part| (task.on_event)(BuildEvent::Read(slice, part));
        decode_depths(space, rules, &values?, &depths?, finished, &report)
    }

    fn save(task: &Task<'_>, depths: &SliceDepths<C>, report: &dyn Fn(f64)) -> Result<Header, TableError> {
        save_depths(task, depths, report)
    }
}

/// Writes a slice with depths. Values and depths come from different passes; here their counts are compared, before the table gets its name.
///
/// # Errors
/// As [`save_table_if`].
pub fn save_depths(task: &Task<'_>, depths: &impl SliceData, report: &dyn Fn(f64)) -> Result<Header, TableError> {
    let (slice, rules, folder) = (depths.slice(), task.plan.goal.rules, &task.plan.folder);
    let values = *open_table((folder, &Access::Read), task.space, rules, (slice, Metric::Wdl))?.header();
    let agree = |header: &Header| header.counts == values.counts;
    save_table_if(folder, task.space, rules, depths, report, agree)
}

/// Solves a pair in memory and writes what is missing of it. `finished` are slices in memory, to be loaded as needed.
///
/// # Errors
/// [`BuildError`].
pub fn build_in_memory<V: Buildable>(
    task: &Task<'_>,
    finished: &mut BTreeMap<Slice, SliceOf<V>>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    let Task { pair, on_event, .. } = *task;
    load_below(task, finished)?;
    on_event(BuildEvent::Begin(pair));
    let (start, mut built) = (Instant::now(), Vec::new());
    let report = |phase| on_event(BuildEvent::Phase(pair.slice, phase));
    for solved in V::solve(task, finished, &report)? {
        let slice = solved.slice();
        if pair.missing.contains(&slice) {
            built.extend(task.write(slice, start, |report| V::save(task, &solved, report).map(Some))?);
        }
        keep_for_later(task, &solved)?;
        if task.is_needed_later(slice) {
            finished.insert(slice, solved);
        }
    }
    finished.retain(|&slice, _| task.is_needed_later(slice));
    Ok(built)
}

/// Keeps a slice by rows in a scratch file if later pairs need it; of several processes only the first does so, since it builds crowded
/// pairs alone.
///
/// # Errors
/// [`TableError`].
pub fn keep_for_later<V: Buildable>(task: &Task<'_>, values: &SliceOf<V>) -> Result<(), TableError> {
    match values.as_rows().filter(|_| task.communicator.rank() == 0 && task.is_needed_later(values.slice())) {
        Some(rows) => keep(task.plan, V::METRIC, values.slice(), rows.units().as_bytes()),
        None => Ok(()),
    }
}

/// Reads the slices that captures from a pair lead to, as far as they are not in memory, and those that these need. Keeps what the pair, later
/// pairs, or slices that are still to be read need. One that no planes need any more takes less memory by rows, and is converted once.
///
/// # Errors
/// [`TableError`].
pub fn load_below<V: Buildable>(task: &Task<'_>, finished: &mut BTreeMap<Slice, SliceOf<V>>) -> Result<(), TableError> {
    let (slice, points) = (task.pair.slice, task.space.board().points());
    let below: BTreeSet<Slice> = with_twin(slice).flat_map(after_captures).collect();
    // In the order of the plan, which keeps the fewest slices waiting.
    let pairs = task.plan.pairs.iter().filter(|pair| pair.metric == V::METRIC);
    let slices: Vec<Slice> = pairs.flat_map(|pair| with_twin(pair.slice)).collect();
    let others = slices.iter().copied().filter(|slice| !finished.contains_key(slice));
    let kept = kept(task.plan, V::METRIC, others)?;
    let mut needed = slices_below(slice, |slice| finished.contains_key(slice) || kept.contains(slice));
    needed.retain(|slice| !finished.contains_key(slice));
    let mut order = slices.into_iter().filter(|slice| needed.contains(slice)).collect::<Vec<_>>().into_iter();
    loop {
        let unread = || needed.iter().filter(|slice| !kept.contains(slice)).copied();
        let to_read: BTreeSet<Slice> = unread().flat_map(after_captures).collect();
        finished.retain(|slice, _| below.contains(slice) || to_read.contains(slice) || task.is_needed_later(*slice));
        let planes = unread().filter(|&slice| !is_crowded(points, slice)).flat_map(after_captures).collect();
        convert(task, finished, &planes)?;
        let Some(slice) = order.next() else { return Ok(()) };
        needed.remove(&slice);
        (task.on_event)(BuildEvent::Loading(slice));
        let loaded = if kept.contains(&slice) {
            let mut rows = Rows::new(Crowded::new(task.space, slice), V::DRAW);
            if !take_up(task.plan, V::METRIC, slice, rows.units_mut().as_mut_bytes())? {
                return load_below(task, finished);
            }
            SliceOf::from_rows(slice, rows)
        } else {
            let values = V::load(task, slice, finished)?;
            keep_for_later(task, &values)?;
            values
        };
        finished.insert(slice, loaded);
    }
}

/// Converts into rows what is not in `planes` and neither the pair nor a later one needs as planes.
fn convert<V: Buildable>(
    task: &Task<'_>,
    finished: &mut BTreeMap<Slice, SliceOf<V>>,
    planes: &BTreeSet<Slice>,
) -> Result<(), TableError> {
    let by_planes = finished.iter().filter(|(_, values)| values.as_rows().is_none()).map(|(&slice, _)| slice);
    let is_needed = |slice: &Slice| planes.contains(slice) || task.needs.include_planes(*slice, task.number);
    for slice in by_planes.filter(|slice| !is_needed(slice)).collect::<Vec<_>>() {
        if let Some(values) = finished.remove(&slice).map(|values| values.into_rows(task.space)) {
            keep_for_later(task, &values)?;
            finished.insert(slice, values);
        }
    }
    Ok(())
}

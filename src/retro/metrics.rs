//! The two metrics that slices are built in, as one plan: what it takes to solve, load and keep a slice.

use std::collections::BTreeMap;
use std::path::Path;

use crate::index::{Slice, Space};
use crate::rules::RuleSet;
use crate::table::{
    Access, Cell, Header, Metric, SliceData, SliceDepths, SliceValues, TableError, file_name, open_table, save_table,
};

use super::build::{BuildError, BuildEvent, BuildOptions, Observer};
use super::crowded::keeps_crowded;
use super::in_memory::{decode, decode_depths, solve_pair, solve_pair_depths};
use super::plan::{depth_memory, pair_memory};
use super::slices::{Phase, slices_below};

/// Slices that can be built pair by pair from those of fewer stones.
pub trait Buildable: SliceData + Sized {
    /// Computes a slice and its twin from finished slices.
    fn solve(
        space: &Space,
        rules: RuleSet,
        slice: Slice,
        finished: &BTreeMap<Slice, Self>,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<Vec<Self>, TableError>;

    /// Reads a slice that is on disk already.
    fn load(
        space: &Space,
        rules: RuleSet,
        folder: &Path,
        slice: Slice,
        finished: &BTreeMap<Slice, Self>,
    ) -> Result<Self, TableError>;

    /// Writes a slice.
    fn save(&self, space: &Space, rules: RuleSet, folder: &Path) -> Result<Header, TableError>;

    /// The form in which a finished slice waits.
    fn kept(self, space: &Space) -> Self;

    /// Bytes of memory that a pair needs at its peak.
    fn memory(space: &Space, slice: Slice, threads: usize) -> u64;
}

impl Buildable for SliceValues {
    fn solve(
        space: &Space,
        rules: RuleSet,
        slice: Slice,
        finished: &BTreeMap<Slice, Self>,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<Vec<Self>, TableError> {
        Ok(solve_pair(space, rules, slice, |slice| &finished[&slice], report))
    }

    fn load(
        space: &Space,
        rules: RuleSet,
        folder: &Path,
        slice: Slice,
        finished: &BTreeMap<Slice, Self>,
    ) -> Result<Self, TableError> {
        decode(space, rules, &open_table((folder, Access::Read), space, rules, (slice, Metric::Wdl))?, finished)
    }

    fn save(&self, space: &Space, rules: RuleSet, folder: &Path) -> Result<Header, TableError> {
        save_table(folder, space, rules, self)
    }

    /// Finished slices of crowded boards wait in compact form.
    fn kept(self, space: &Space) -> Self {
        if keeps_crowded(space, self.slice()) { self.into_crowded(space) } else { self }
    }

    fn memory(space: &Space, slice: Slice, threads: usize) -> u64 {
        pair_memory(space, slice, threads)
    }
}

impl<C: Cell> Buildable for SliceDepths<C> {
    fn solve(
        space: &Space,
        rules: RuleSet,
        slice: Slice,
        finished: &BTreeMap<Slice, Self>,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<Vec<Self>, TableError> {
        solve_pair_depths(space, rules, slice, |slice| &finished[&slice], report)
    }

    fn load(
        space: &Space,
        rules: RuleSet,
        folder: &Path,
        slice: Slice,
        finished: &BTreeMap<Slice, Self>,
    ) -> Result<Self, TableError> {
        let [values, depths] =
            Metric::ALL.map(|metric| open_table((folder, Access::Read), space, rules, (slice, metric)));
        decode_depths(space, rules, &values?, &depths?, finished)
    }

    /// Values and depths come from different passes; here they are held against each other.
    fn save(&self, space: &Space, rules: RuleSet, folder: &Path) -> Result<Header, TableError> {
        let slice = self.slice();
        let values = *open_table((folder, Access::Read), space, rules, (slice, Metric::Wdl))?.header();
        let header = save_table(folder, space, rules, self)?;
        if header.counts != values.counts {
            let path = folder.join(file_name(slice, Metric::Dtw));
            std::fs::remove_file(&path).map_err(TableError::io("remove", &path))?;
            return Err(TableError::Inconsistent(slice));
        }
        Ok(header)
    }

    fn kept(self, _: &Space) -> Self {
        self
    }

    fn memory(space: &Space, slice: Slice, _: usize) -> u64 {
        depth_memory::<C>(space, slice)
    }
}

/// Reads the slices that captures from a pair lead to, as far as they are not in memory, and those that these need.
///
/// # Errors
/// [`BuildError`].
pub fn load_below<M: Buildable>(
    space: &Space,
    options: &BuildOptions,
    folder: &Path,
    slice: Slice,
    slices: &mut BTreeMap<Slice, M>,
    observe: &Observer<'_>,
) -> Result<(), BuildError> {
    let mut needed = slices_below(slice, slices);
    needed.retain(|slice| !slices.contains_key(slice));
    for slice in Slice::up_to(slice.stones(), options.size.points()).filter(|slice| needed.contains(slice)) {
        observe(BuildEvent::Loading(slice));
        let loaded = M::load(space, options.rules, folder, slice, slices)?;
        slices.insert(slice, loaded.kept(space));
    }
    Ok(())
}

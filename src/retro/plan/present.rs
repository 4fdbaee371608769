//! The tables that are there already, as far as they can be used.

use std::collections::BTreeSet;

use crate::index::{Slice, Space};
use crate::table::{Access, Metric, TableError, open_table, slices_in};

use super::super::slices::with_twin;
use super::{Goal, Plan};

/// A table of a plan that is there and cannot be used, and why.
pub type Unusable = (Metric, Slice, TableError);

impl Plan {
    /// Refuses depths without values.
    pub(in super::super) fn check_values(&self) -> Result<(), TableError> {
        if self.goal.metrics.contains(&Metric::Wdl) {
            return Ok(());
        }
        let slices: BTreeSet<Slice> = self.missing().flat_map(|pair| with_twin(pair.slice)).collect();
        let (values, unusable) = self.find(Metric::Wdl, &slices)?;
        if let Some((.., error)) = unusable.into_iter().next() {
            return Err(error);
        }
        let Goal { size, rules, .. } = self.goal;
        let missing = |&slice: &Slice| TableError::Missing { slice, folder: self.folder.clone(), size, rules };
        slices.difference(&values).next().map(missing).map_or(Ok(()), Err)
    }

    /// The tables of the plan that the folder has at the moment, and those that cannot be used. Headers and block indexes are checked, no
    /// values.
    ///
    /// # Errors
    /// [`TableError::Io`].
    pub(in super::super) fn present(&self) -> Result<(BTreeSet<(Metric, Slice)>, Vec<Unusable>), TableError> {
        let (mut present, mut unusable) = (BTreeSet::new(), Vec::new());
        for &metric in self.goal.metrics {
            let pairs = self.pairs.iter().filter(|pair| pair.metric == metric);
            let (usable, others) = self.find(metric, &pairs.flat_map(|pair| with_twin(pair.slice)).collect())?;
            present.extend(usable.into_iter().map(|slice| (metric, slice)));
            unusable.extend(others);
        }
        Ok((present, unusable))
    }

    fn find(&self, metric: Metric, slices: &BTreeSet<Slice>) -> Result<(BTreeSet<Slice>, Vec<Unusable>), TableError> {
        let Goal { size, rules, .. } = self.goal;
        let (space, mut usable, mut unusable) = (Space::new(size, rules.diagonals), BTreeSet::new(), Vec::new());
        for slice in slices_in(&self.folder, metric)?.into_iter().filter(|slice| slices.contains(slice)) {
            match open_table((&self.folder, Access::Read), &space, rules, (slice, metric)) {
                Ok(_) => drop(usable.insert(slice)),
                // What a newer program has made is not replaced by an older one.
                Err(error @ TableError::Version { found, known, .. }) if found > known => return Err(error),
                Err(error @ TableError::Io { .. }) => return Err(error),
                Err(error) => unusable.push((metric, slice, error)),
            }
        }
        Ok((usable, unusable))
    }
}

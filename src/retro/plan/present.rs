//! The tables that exist already, and which of them can be used.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use crate::index::{Slice, Space};
use crate::table::{Access, Metric, TableError, file_name, open_table, read_header};

use super::super::slices::with_twin;
use super::{Goal, Plan};

/// The tables of a plan that the folder has at the moment.
pub struct Present {
    /// Those that can be used.
    pub usable: BTreeSet<(Metric, Slice)>,
    /// Those that cannot, and why.
    pub unusable: Vec<(Metric, Slice, TableError)>,
}

impl Plan {
    /// Refuses depths without values.
    pub(super) fn check_values(&self) -> Result<(), TableError> {
        if self.goal.metrics.contains(&Metric::Wdl) {
            return Ok(());
        }
        let slices: Vec<Slice> = self.pairs.iter().flat_map(|pair| with_twin(pair.slice)).collect();
        let values = self.find(slices.iter().map(|&slice| (Metric::Wdl, slice)))?;
        if let Some((.., error)) = values.unusable.into_iter().next() {
            return Err(error);
        }
        let Goal { size, rules, .. } = self.goal;
        let missing = || slices.iter().copied().filter(|&slice| !values.usable.contains(&(Metric::Wdl, slice)));
        let needed = Box::new(missing().collect());
        missing().next().map_or(Ok(()), |slice| {
            Err(TableError::Missing { slice, needed, folder: self.folder.clone(), size, rules })
        })
    }

    /// The tables of the plan that the folder has at the moment. Headers and block indexes are checked, no values.
    ///
    /// # Errors
    /// [`TableError::Io`].
    pub(in super::super) fn present(&self) -> Result<Present, TableError> {
        self.find(self.pairs.iter().flat_map(|pair| with_twin(pair.slice).map(|slice| (pair.metric, slice))))
    }

    fn find(&self, tables: impl Iterator<Item = (Metric, Slice)>) -> Result<Present, TableError> {
        let Goal { size, rules, .. } = self.goal;
        let space = Space::new(size, rules.diagonals);
        let mut present = Present { usable: BTreeSet::new(), unusable: Vec::new() };
        let open = |slice, metric| {
            let table = open_table((&self.folder, &Access::Read), &space, rules, (slice, metric))?;
            if metric == Metric::Wdl {
                return Ok(true);
            }
            // Depths are built again where there are no values to compare them with.
            let values = read_header(&self.folder.join(file_name(slice, Metric::Wdl)));
            values.map_or(Ok(false), |values| table.fits(Some(&values)).map(|()| true))
        };
        for (metric, slice) in tables {
            match open(slice, metric) {
                Ok(true) => drop(present.usable.insert((metric, slice))),
                Ok(false) => {}
                Err(TableError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
                // What a newer program has made is not replaced by an older one.
                Err(error @ TableError::Version { found, known, .. }) if found > known => return Err(error),
                Err(error @ TableError::Io { .. }) => return Err(error),
                Err(error) => present.unusable.push((metric, slice, error)),
            }
        }
        Ok(present)
    }
}

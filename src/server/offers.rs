//! What can be built for a board.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::api::FolderCache;
use crate::board::BoardSize;
use crate::report::{DEFAULT_DATABASE, quick_build_of};
use crate::retro::{Cost, Plan, ProposalLimits};
use crate::rules::RuleSet;
use crate::table::TableError;

use super::builder::Builder;

/// Tables of all slices up to a number of stones, and what is still to be built of them.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Offer {
    stones: usize,
    #[serde(flatten)]
    cost: Cost,
}

impl Offer {
    fn new(plan: &Plan, cost: Cost) -> Self {
        Self { stones: plan.goal.slices.most_stones(), cost }
    }
}

/// What can be built for a board.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    /// Tables to more stones, and what they take.
    pub tables: Vec<Offer>,
    /// The most stones that take less than half a minute; where all take longer, the fewest.
    pub recommended: Option<usize>,
    /// The tables for a proof of the start position, unless they are out of reach.
    pub proof: Option<Offer>,
    /// The recommended tables in words, with what they take and the command.
    pub advice: String,
}

impl Offers {
    /// What that builder can build. Planning it and measuring the machine take about half a second.
    fn new(builder: &Builder, size: BoardSize, rules: RuleSet) -> Self {
        let reach = builder.reach();
        let proposals = reach.proposals(size, rules, &builder.database().folder);
        let proof = builder.tables_for_proof(size, rules).ok().filter(|plan| plan.check().is_ok());
        Self {
            tables: proposals.iter().map(|found| Offer::new(&found.plan, found.cost)).collect(),
            recommended: ProposalLimits::recommended(&proposals).map(|quick| quick.plan.goal.slices.most_stones()),
            proof: proof.map(|plan| Offer::new(&plan, plan.cost(&reach.rates(size, rules)))),
            // Clients need not know where the database is.
            advice: quick_build_of(&proposals, size, rules, Path::new(DEFAULT_DATABASE)),
        }
    }
}

/// What a builder can build for the boards that were asked about.
#[derive(Debug)]
pub struct OfferCache {
    builder: Arc<Builder>,
    offers: FolderCache<Offers>,
}

impl OfferCache {
    /// Of a builder.
    pub fn new(builder: Arc<Builder>) -> Self {
        Self { builder, offers: FolderCache::default() }
    }

    /// What can be built for a board.
    ///
    /// # Errors
    /// [`TableError::Io`] if its folder cannot be read.
    pub fn get(&self, size: BoardSize, rules: RuleSet) -> Result<Arc<Offers>, TableError> {
        self.offers.get(self.builder.database(), (size, rules), || Ok(Offers::new(&self.builder, size, rules)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_are_planned_once_for_each_state_of_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let offering = OfferCache::new(Arc::new(Builder::new(folder.path().into(), 1 << 30)));
        let get = || offering.get("3x3".parse().expect("a board"), RuleSet::default()).expect("a folder");
        let first = get();
        assert!(!first.tables.is_empty() && Arc::ptr_eq(&first, &get()));
        std::fs::create_dir(folder.path().join("3x3")).expect("a folder");
        let second = get();
        assert!(!Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&second, &get()));
    }
}

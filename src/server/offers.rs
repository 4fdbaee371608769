//! What can be built for a board.

use std::path::Path;

use serde::Serialize;

use crate::board::BoardSize;
use crate::report::{DEFAULT_DATABASE, quick_build_of};
use crate::retro::{Cost, Plan, Reach};
use crate::rules::RuleSet;

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
        Self { stones: plan.goal.target.stones(), cost }
    }
}

/// What can be built for a board.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    /// Tables to more stones, and what they take.
    pub tables: Vec<Offer>,
    /// The most stones that take less than half a minute.
    pub recommended: Option<usize>,
    /// The tables for a proof of the start position, unless they are out of reach.
    pub proof: Option<Offer>,
    /// The recommended tables in words, with what they take and the command.
    pub advice: String,
}

impl Offers {
    /// What that builder can build. Planning it and measuring the machine take about half a second.
    pub fn new(builder: &Builder, size: BoardSize, rules: RuleSet) -> Self {
        let reach = builder.reach();
        let proposals = reach.proposals(size, rules, &builder.database().folder);
        let proof = builder.tables_for_proof(size, rules).ok().filter(|plan| plan.check().is_ok());
        Self {
            tables: proposals.iter().map(|found| Offer::new(&found.plan, found.cost)).collect(),
            recommended: Reach::recommended(&proposals).map(|quick| quick.plan.goal.target.stones()),
            proof: proof.map(|plan| Offer::new(&plan, plan.cost(&reach.rates(size, rules)))),
            // Where the database is, is nobody's business.
            advice: quick_build_of(&proposals, size, rules, Path::new(DEFAULT_DATABASE)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::server::per_folder::PerFolder;
    use crate::table::TableError;

    #[test]
    fn offers_are_planned_once_for_each_state_of_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let builder = Builder::new(folder.path().into(), 1 << 30);
        let (cache, size, rules) = (PerFolder::default(), "3x3".parse().expect("a board"), RuleSet::default());
        let plan = || Ok::<_, TableError>(Offers::new(&builder, size, rules));
        let get = || cache.get(builder.database(), (size, rules), plan).expect("a folder");
        let first = get();
        assert!(!first.tables.is_empty() && Arc::ptr_eq(&first, &get()));
        std::fs::create_dir(folder.path().join("3x3")).expect("a folder");
        let second = get();
        assert!(!Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&second, &get()));
    }
}

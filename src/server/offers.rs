//! What can be built for a board. It is planned once for each state of the board's folder.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use crate::board::BoardSize;
use crate::report::{DEFAULT_DATABASE, quick_build_of};
use crate::retro::{Cost, Plan, Reach};
use crate::rules::RuleSet;
use crate::table::{TableError, folder_name};

use super::builder::Builder;
use super::library::{Stamp, stamp};

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

/// The offers of all boards that were asked about, with the stamps of their folders.
#[derive(Debug, Default)]
pub struct OfferCache(Mutex<HashMap<Key, (Stamp, Arc<Offers>)>>);

/// A board with its rules.
type Key = (BoardSize, RuleSet);

impl OfferCache {
    /// What that builder can build. Planning it and measuring the machine take about half a second, and are repeated only after the
    /// board's folder has changed.
    ///
    /// # Errors
    /// [`TableError::Io`] if the folder cannot be read.
    pub fn get(&self, builder: &Builder, size: BoardSize, rules: RuleSet) -> Result<Arc<Offers>, TableError> {
        let database = builder.database();
        // Two measurements at once would disturb each other.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = stamp(database, &folder_name(size, rules))?;
        if let Some((_, offers)) = known.get(&(size, rules)).filter(|(then, _)| *then == stamp) {
            return Ok(offers.clone());
        }
        let reach = builder.reach();
        let proposals = reach.proposals(size, rules, database);
        let proof = builder.tables_for_proof(size, rules).ok().filter(|plan| plan.check().is_ok());
        let offers = Arc::new(Offers {
            tables: proposals.iter().map(|found| Offer::new(&found.plan, found.cost)).collect(),
            recommended: Reach::recommended(&proposals).map(|quick| quick.plan.goal.target.stones()),
            proof: proof.map(|plan| Offer::new(&plan, plan.cost(&reach.rates(size, rules)))),
            // Where the database is, is nobody's business.
            advice: quick_build_of(&proposals, size, rules, Path::new(DEFAULT_DATABASE)),
        });
        known.insert((size, rules), (stamp, offers.clone()));
        Ok(offers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_are_planned_once_for_each_state_of_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let builder = Builder::new(folder.path().into(), 1 << 30);
        let (cache, size, rules) = (OfferCache::default(), "3x3".parse().expect("a board"), RuleSet::default());
        let get = || cache.get(&builder, size, rules).expect("a folder");
        let first = get();
        assert!(!first.tables.is_empty() && Arc::ptr_eq(&first, &get()));
        std::fs::create_dir(folder.path().join("3x3")).expect("a folder");
        let second = get();
        assert!(!Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&second, &get()));
    }
}

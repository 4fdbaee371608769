//! What a build takes in all, and which tables are within reach of this machine.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::board::BoardSize;
use crate::files::free_space;
use crate::rules::RuleSet;
use crate::table::Metric;

use super::cost::Rates;
use super::{Budget, Goal, Plan, max_stones, plan};

/// What is still to be built of a plan, and what that takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Placements, symmetric ones counted each.
    pub positions: u64,
    /// Bytes of memory, at the peak.
    pub memory: u64,
    /// Bytes of the files.
    pub disk: u64,
    /// Estimated time.
    pub seconds: f64,
}

impl Plan {
    /// What is still to be built, and what it takes at those rates.
    #[must_use]
    pub fn cost(&self, rates: &Rates) -> Cost {
        let positions = |metric| self.missing().filter(move |pair| pair.metric == metric).map(|pair| pair.positions);
        let positions = Metric::ALL.map(|metric| positions(metric).fold(0, u64::saturating_add));
        Cost {
            positions: positions.into_iter().max().unwrap_or(0),
            memory: self.missing().map(|pair| pair.memory).max().unwrap_or(0),
            disk: self.missing().map(|pair| pair.disk).sum(),
            // The sum of nothing is -0.0.
            seconds: 0.0 + self.missing().map(|pair| rates.seconds(pair.work)).sum::<f64>(),
        }
    }

    /// Bytes on disk of what is still to be built, with the scratch files of one pair unless these are elsewhere.
    fn disk_at_peak(&self) -> u64 {
        let scratch = || self.missing().map(|pair| pair.scratch.bytes).max().unwrap_or(0);
        let scratch_here = if self.budget.scratch.is_none() { scratch() } else { 0 };
        self.missing().map(|pair| pair.disk).sum::<u64>().saturating_add(scratch_here)
    }

    /// The bytes that the build takes on the disk by its estimates, and those that are free, if these are too few.
    #[must_use]
    pub fn shortage(&self) -> Option<(u64, u64)> {
        free_space(&self.folder).and_then(|free| self.shortage_within(free))
    }

    fn shortage_within(&self, free: u64) -> Option<(u64, u64)> {
        let needed = self.disk_at_peak();
        (free < needed).then_some((needed, free))
    }
}

/// A plan that can be carried out within some limits.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The plan; something of it is still to be built.
    pub plan: Plan,
    /// What that takes.
    pub cost: Cost,
}

/// The limits within which tables are proposed: the budget of a build, its time, and what is free on the disk.
#[derive(Debug)]
pub struct ProposalLimits {
    /// What a build may use.
    pub budget: Budget,
    /// The longest time of a build, as estimated.
    pub time: Duration,
    /// Measured once for each board.
    rates: Arc<Mutex<HashMap<(BoardSize, RuleSet), Rates>>>,
}

impl ProposalLimits {
    /// The time of a build that a person may be advised to start.
    pub const PATIENT: Duration = Duration::from_secs(3600);

    /// The time of a build that somebody waits for.
    pub const SHORT: Duration = Duration::from_secs(30);

    /// The time of a build that starts without being asked for.
    pub const QUICK: Duration = Duration::from_secs(5);

    /// Builds that a person may be advised to start.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self { budget, time: Self::PATIENT, rates: Arc::default() }
    }

    /// The same limits, with at most that much time.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        Self { budget: self.budget.clone(), time, rates: self.rates.clone() }
    }

    /// The speed of this machine on a board. Measuring it takes a third of a second, the first time.
    #[must_use]
    pub fn rates(&self, size: BoardSize, rules: RuleSet) -> Rates {
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        *rates.entry((size, rules)).or_insert_with(|| Rates::calibrate(size, rules, max_stones(size.points())))
    }

    /// Proposes tables with the value of a position, whose slice `goal` is for: all with as many stones, or else those that the slice needs.
    /// `None` if both are built or out of reach.
    #[must_use]
    pub fn propose(&self, goal: Goal, database: &Path) -> Option<Proposal> {
        let all = Goal { slices: goal.slices.most_stones().into(), ..goal };
        [all, goal].into_iter().find_map(|goal| self.proposal(goal, database))
    }

    /// Whether only a lack of disk space keeps the tables of a goal out of reach.
    #[must_use]
    pub fn lacks_room(&self, goal: Goal, database: &Path) -> bool {
        let planned = self.planned(goal, database);
        planned.is_some_and(|plan| !plan.is_complete() && plan.shortage().is_some() && self.timed(plan).is_some())
    }

    /// Tables of values to every number of stones that is not complete and within reach.
    #[must_use]
    pub fn proposals(&self, size: BoardSize, rules: RuleSet, database: &Path) -> Vec<Proposal> {
        let goals = (2..=max_stones(size.points())).map(|stones| Goal::values(size, rules, stones));
        let mut plans = goals.map_while(|goal| self.fitting(goal, database)).skip_while(Plan::is_complete);
        let within = |plan: Plan| self.timed(plan);
        std::iter::from_fn(|| within(plans.next()?)).collect()
    }

    /// Of [`proposals`](Self::proposals) the largest that takes less than half a minute, or else the smallest.
    #[must_use]
    pub fn recommended(proposals: &[Proposal]) -> Option<&Proposal> {
        proposals.iter().take_while(|proposal| Self::is_short(proposal)).last().or(proposals.first())
    }

    /// Whether the build takes less than half a minute.
    #[must_use]
    pub fn is_short(proposal: &Proposal) -> bool {
        proposal.cost.seconds <= Self::SHORT.as_secs_f64()
    }

    /// The plan of a goal, if something is to be built and it is within reach.
    fn proposal(&self, goal: Goal, database: &Path) -> Option<Proposal> {
        self.timed(self.fitting(goal, database).filter(|plan| !plan.is_complete())?)
    }

    /// The plan of a goal if it fits in memory and on the disk.
    fn fitting(&self, goal: Goal, database: &Path) -> Option<Plan> {
        self.planned(goal, database).filter(|plan| plan.shortage().is_none())
    }

    /// The plan of a goal if it fits in memory.
    fn planned(&self, goal: Goal, database: &Path) -> Option<Plan> {
        plan(goal, database, self.budget.clone()).ok().filter(|plan| plan.check().is_ok())
    }

    /// The plan with what it takes, if the time is enough for it.
    fn timed(&self, plan: Plan) -> Option<Proposal> {
        // Boards that are far out of reach are not measured.
        let at_least = plan.cost(&Rates::TYPICAL).seconds / 64.0;
        if at_least > self.time.as_secs_f64() {
            return None;
        }
        let cost = plan.cost(&self.rates(plan.goal.size, plan.goal.rules));
        (cost.seconds <= self.time.as_secs_f64()).then_some(Proposal { plan, cost })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(database: &Path, stones: usize) -> Plan {
        let goal = Goal::values("9x5".parse().expect("a board"), RuleSet::default(), stones);
        plan(goal, database, Budget::new(256 << 20)).expect("a plan")
    }

    #[test]
    fn a_build_that_the_disk_has_no_space_for_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        // The folder that a build would make, too.
        for database in [folder.path().to_owned(), folder.path().join("new/db")] {
            let plan = planned(&database, 3);
            let needed = plan.disk_at_peak();
            assert_eq!([plan.shortage(), plan.shortage_within(needed)], [None, None]);
            assert_eq!(plan.shortage_within(needed - 1), Some((needed, needed - 1)));
        }
    }

    #[test]
    fn scratch_takes_space_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut plan = planned(folder.path(), 8);
        let scratch = plan.missing().map(|pair| pair.scratch.bytes).max().expect("a pair");
        let files: u64 = plan.missing().map(|pair| pair.disk).sum();
        assert!(scratch > 0);
        assert_eq!(plan.disk_at_peak(), files + scratch);
        plan.budget.scratch = Some(folder.path().to_owned());
        assert_eq!(plan.disk_at_peak(), files);
    }
}

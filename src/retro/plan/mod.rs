//! What a build will do, before it starts: which pairs, in which form, with how much memory, scratch and time.
//!
//! A [`Plan`] is the one place where that is decided. [`execute`](super::execute) carries it out, for any command and number of processes;
//! dry runs, refusals and progress read it. `form` chooses how a pair is solved by what each form needs, which `cost` and `tiled` estimate;
//! `present` finds the tables that exist, `staying` orders pairs and counts what waits in memory between them, `proposals` finds what is
//! within reach.

mod budget;
mod cost;
mod form;
mod present;
mod proposals;
mod staying;
mod tiled;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::board::{BoardSize, MAX_POINTS};
use crate::index::{Order, Slice, SliceSet, Space};
use crate::rules::RuleSet;
use crate::table::{Cell, Metric, folder_name};

use super::error::BuildError;
use super::slices::{first_of_pairs, with_twin};

pub use budget::Budget;
pub use cost::{Rates, Scratch, Work};
use cost::{disk_bytes, finished_bytes, finished_cells, pair_work};
pub use form::Form;
use form::{form_of_depths, form_of_values};
pub use present::Present;
pub use proposals::{Cost, Proposal, ProposalLimits};
use staying::{Staying, by_smaller_side, staying};

/// The tables that a build is to leave in a database.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// The board.
    pub size: BoardSize,
    /// The rules.
    pub rules: RuleSet,
    /// The slices.
    pub slices: SliceSet,
    /// The tables of each slice, in the order in which they are built: values before depths.
    metrics: &'static [Metric],
}

impl Goal {
    /// Values alone.
    #[must_use]
    pub fn values(size: BoardSize, rules: RuleSet, slices: impl Into<SliceSet>) -> Self {
        Self { size, rules, slices: slices.into(), metrics: &[Metric::Wdl] }
    }

    /// Depths alone; the values have to be there.
    #[must_use]
    pub fn depths(size: BoardSize, rules: RuleSet, slices: impl Into<SliceSet>) -> Self {
        Self { metrics: &[Metric::Dtw], ..Self::values(size, rules, slices) }
    }

    /// Values, then depths.
    #[must_use]
    pub fn both(size: BoardSize, rules: RuleSet, slices: impl Into<SliceSet>) -> Self {
        Self { metrics: &Metric::ALL, ..Self::values(size, rules, slices) }
    }

    /// The tables of each slice.
    #[must_use]
    pub fn metrics(&self) -> &'static [Metric] {
        self.metrics
    }
}

/// What one table of a slice and its twin will take.
#[derive(Clone, Debug, Serialize)]
pub struct PairPlan {
    /// The slice with more stones to move.
    #[serde(flatten)]
    pub slice: Slice,
    /// What is built.
    pub metric: Metric,
    /// How it is solved.
    pub form: Form,
    /// Those of the two slices that have no table yet.
    #[serde(skip)]
    pub missing: Vec<Slice>,
    /// Placements of both slices, symmetric ones counted each.
    pub positions: u64,
    /// The share of a plane's bits that are positions; the others are overlapping sets.
    pub fill: f64,
    /// Bytes of memory that each process needs, finished slices that it or later pairs need included.
    pub memory: u64,
    /// Bytes of scratch, and bytes read from it and written to it.
    pub scratch: Scratch,
    /// Bytes of the files.
    pub disk: u64,
    /// What the time depends on.
    #[serde(skip)]
    pub work: Work,
}

impl PairPlan {
    /// The plan for a pair beside which slices stay in memory.
    fn new(space: &Space, slice: Slice, metric: Metric, budget: &Budget, staying: Staying) -> Self {
        let (form, memory, scratch) = match metric {
            Metric::Wdl => form_of_values(space, slice, budget, staying),
            Metric::Dtw => form_of_depths::<u8>(space, slice, budget, staying),
        };
        let work = pair_work(space, slice, metric);
        Self {
            slice,
            metric,
            form,
            missing: with_twin(slice).collect(),
            positions: with_twin(slice).map(|slice| space.placements(slice)).fold(0, u64::saturating_add),
            fill: space.fill(slice),
            memory,
            scratch,
            disk: with_twin(slice).map(|slice| disk_bytes(space, slice, metric)).sum(),
            work: if let Form::Tiles(_) = form { work.from_tiles(scratch) } else { work },
        }
    }

    /// Whether both tables are there.
    #[must_use]
    pub fn is_built(&self) -> bool {
        self.missing.is_empty()
    }
}

/// What a build will do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The tables.
    pub goal: Goal,
    /// The folder of the board and rules.
    pub folder: PathBuf,
    /// What it may use.
    pub budget: Budget,
    /// Every pair of the goal, in building order, also those that are there already.
    pub pairs: Vec<PairPlan>,
}

/// Plans what a goal takes in a database folder. Nothing is written.
///
/// # Errors
/// [`BuildError`] for boards and slices that cannot have tables; [`TableError::Io`](crate::table::TableError::Io). [`Plan::check`] checks memory.
pub fn plan(goal: Goal, database: &Path, budget: Budget) -> Result<Plan, BuildError> {
    check_size(goal.size, goal.slices)?;
    if budget.processes > 1 && goal.metrics.contains(&Metric::Dtw) {
        return Err(BuildError::DepthsByMany);
    }
    let space = Space::new(goal.size, goal.rules.diagonals);
    let by_stones: Vec<Slice> = first_of_pairs(goal.slices.slices(goal.size.points())).collect();
    let mut pairs = plan_in_order(&space, &goal, &budget, &by_stones);
    // Where memory is short, the other order may need less.
    let short = shortage(&pairs, &budget);
    if short > (0, 0) {
        let others = plan_in_order(&space, &goal, &budget, &by_smaller_side(&by_stones));
        if shortage(&others, &budget) < short {
            pairs = others;
        }
    }
    let folder = database.join(folder_name(goal.size, goal.rules));
    let plan = Plan { goal, folder, budget, pairs };
    Ok(plan.with_present(&plan.present()?.usable))
}

/// The plan for pairs in a given order, as if there were none of their tables yet.
fn plan_in_order(space: &Space, goal: &Goal, budget: &Budget, slices: &[Slice]) -> Vec<PairPlan> {
    let tables = goal.metrics.iter().flat_map(|&metric| {
        let staying = match metric {
            Metric::Wdl => staying(space, slices, |slice, by_rows| finished_bytes(space, slice, by_rows)),
            Metric::Dtw => staying(space, slices, |slice, by_rows| finished_cells::<u8>(space, slice, by_rows)),
        };
        slices.iter().zip(staying).map(move |(&slice, staying)| (metric, slice, staying))
    });
    tables.map(|(metric, slice, staying)| PairPlan::new(space, slice, metric, budget, staying)).collect()
}

/// How many pairs do not fit in the memory allowed, and how many are solved with scratch that they would not need in more memory.
fn shortage(pairs: &[PairPlan], budget: &Budget) -> (usize, usize) {
    let too_large = pairs.iter().filter(|pair| pair.memory > budget.memory).count();
    (too_large, pairs.iter().filter(|pair| pair.form.uses_scratch()).count())
}

impl Plan {
    /// The same plan if exactly these tables are present.
    pub(super) fn with_present(&self, present: &BTreeSet<(Metric, Slice)>) -> Self {
        let mut plan = self.clone();
        for pair in &mut plan.pairs {
            let missing = with_twin(pair.slice).filter(|&slice| !present.contains(&(pair.metric, slice)));
            pair.missing = missing.collect();
        }
        plan
    }

    /// The same plan with depths in cells of that width.
    pub(super) fn in_cells<C: Cell>(&self) -> Self {
        let (mut plan, space) = (self.clone(), Space::new(self.goal.size, self.goal.rules.diagonals));
        let pairs = || self.pairs.iter().filter(|pair| pair.metric == Metric::Dtw).map(|pair| pair.slice);
        let staying =
            staying(&space, &pairs().collect::<Vec<_>>(), |slice, by_rows| finished_cells::<C>(&space, slice, by_rows));
        let depths = plan.pairs.iter_mut().filter(|pair| pair.metric == Metric::Dtw);
        for (pair, staying) in depths.zip(staying) {
            (pair.form, pair.memory, pair.scratch) = form_of_depths::<C>(&space, pair.slice, &self.budget, staying);
        }
        plan
    }

    /// Whether nothing is to be built.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing().next().is_none()
    }

    /// The pairs that are to be built.
    pub fn missing(&self) -> impl Iterator<Item = &PairPlan> {
        self.pairs.iter().filter(|pair| !pair.is_built())
    }

    /// Refuses the plan if it has depths without values, or some pair needs more memory than is allowed.
    ///
    /// # Errors
    /// [`TableError`](crate::table::TableError) of the values that depths need; [`BuildError::Memory`], with the pair that needs most.
    pub fn check(&self) -> Result<(), BuildError> {
        self.check_values()?;
        let allowed = self.budget.memory;
        // Larger slices with as many stones are not in the plan.
        let fitting = self.fitting(|pair| pair.memory <= allowed).min(self.goal.slices.stones());
        match self.missing().max_by_key(|pair| (pair.memory, pair.slice)) {
            Some(most) if most.memory > allowed => {
                let &PairPlan { slice, metric, memory: needed, .. } = most;
                Err(BuildError::Memory { slice, metric, needed, allowed, fitting })
            }
            _ => Ok(()),
        }
    }

    /// The largest number of stones to which the plan needs no scratch and no more memory than is allowed.
    #[must_use]
    pub fn stones_in_memory(&self) -> usize {
        self.fitting(|pair| pair.memory <= self.budget.memory && !pair.form.uses_scratch())
    }

    /// The largest number of stones up to which `is_right` holds for every missing pair.
    fn fitting(&self, is_right: impl Fn(&PairPlan) -> bool) -> usize {
        let wrong = self.missing().filter(|pair| !is_right(pair)).map(|pair| pair.slice.stones() - 1);
        wrong.min().unwrap_or(self.goal.slices.most_stones())
    }
}

/// Refuses boards and slices that tables cannot have at all.
///
/// # Errors
/// The reason.
pub fn check_size(size: BoardSize, slices: impl Into<SliceSet>) -> Result<(), BuildError> {
    let (points, slices) = (size.points(), slices.into());
    let stones = slices.most_stones();
    if points > MAX_POINTS {
        return Err(BuildError::BoardTooLarge(size));
    }
    if points < 2 {
        return Err(BuildError::NoRoom(size));
    }
    if stones < 2 {
        return Err(BuildError::TooFewStones);
    }
    if let Some(slice) = slices.beyond().find(|slice| slice.stones() > points) {
        return Err(BuildError::SliceTooLarge { size, slice });
    }
    match slices.slices(points).find(|&slice| !Order::exists(points, slice)) {
        Some(slice) if slice.stones() > slices.stones() => Err(BuildError::TooManySets { size, slice }),
        Some(_) => Err(BuildError::TooManyStones { size, stones: stones.min(points), most: max_stones(points) }),
        None => Ok(()),
    }
}

/// The largest number of stones to which all positions of a board can be numbered.
#[must_use]
pub fn max_stones(points: usize) -> usize {
    Slice::complete_up_to(points, |slice| Order::exists(points, slice))
}

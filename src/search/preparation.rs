//! The tables that a solve rests on.

use std::path::Path;

use crate::board::BoardSize;
use crate::index::{Slice, SliceSet};
use crate::retro::{Budget, BuildError, Goal, Plan, plan};

use super::session::Problem;

/// The number of stones to which tables are built by default: what pays off, see `experiments/08-tables`, and
/// `experiments/19-new-ground` for long columns of three.
fn usual_stones(size: BoardSize) -> usize {
    match (size.columns(), size.rows()) {
        (3, 11..) => 9,
        _ if (28..=44).contains(&size.points()) => 7,
        _ => 8,
    }
}

/// Plans the tables for a solve: up to `stones` stones, with tiles if memory is short; if that is `None`, up to as many as pay off and
/// fit in memory, and no more than the position has. The tables of `slices`, with all they need, come on top. `None` if the solve is to use no tables.
///
/// # Errors
/// As [`plan`].
pub fn plan_tables(
    problem: &Problem,
    database: &Path,
    stones: Option<usize>,
    slices: &[Slice],
    budget: &Budget,
) -> Result<Option<Plan>, BuildError> {
    let &Problem { size, rules, position } = problem;
    let usual = || usual_stones(size).min((position.white | position.black).count_ones() as usize);
    let wanted = stones.unwrap_or_else(usual).min(size.points());
    if wanted < 2 && slices.is_empty() {
        return Ok(None);
    }
    let plan_to = |stones: usize| {
        let tables = SliceSet::new(stones, slices.iter().copied());
        plan(Goal::values(size, rules, tables), database, budget.clone())
    };
    let plan = plan_to(wanted)?;
    let fitting = plan.stones_in_memory();
    if stones.is_some() || fitting >= wanted { Ok(Some(plan)) } else { plan_to(fitting.max(2)).map(Some) }
}

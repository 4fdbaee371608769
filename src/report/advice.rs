//! Advice where a value is unknown: the command that would find it, and what that takes.

use std::path::Path;

use crate::board::BoardSize;
use crate::index::{Slice, SliceSet};
use crate::retro::{Goal, Proposal, ProposalLimits};
use crate::rules::{Position, RuleSet};
use crate::table::Metric;

use super::numbers::{bytes, duration};

/// The database folder that commands use if none is given.
pub const DEFAULT_DATABASE: &str = "db";

/// The command that builds the tables of a goal in a database folder.
#[must_use]
pub fn build_command(goal: &Goal, database: &Path) -> String {
    let metric = match goal.metrics() {
        [Metric::Wdl] => "",
        [Metric::Dtw] => " --metric dtw",
        _ => " --metric both",
    };
    format!("fanorona build {} {}{metric}{}", goal.size, goal.slices, options(goal.rules, database))
}

/// The command that solves a position.
#[must_use]
fn solve_command(size: BoardSize, rules: RuleSet, position: &Position<u64>, database: &Path) -> String {
    let is_start = *position == Position::start(size);
    let place = if is_start { String::new() } else { format!(" --position \"{}\"", position.to_text(size)) };
    format!("fanorona solve {size}{place}{}", options(rules, database))
}

/// The command that checks a certificate.
#[must_use]
pub fn check_command(file: &Path, database: &Path) -> String {
    format!("fanorona check {}{}", quoted(file), folder_option(database))
}

/// Options for what differs from the defaults.
fn options(rules: RuleSet, database: &Path) -> String {
    let mut text = String::new();
    for (option, word) in rules.differing() {
        text.extend([" --", option, " ", word]);
    }
    text + &folder_option(database)
}

fn folder_option(database: &Path) -> String {
    if database == Path::new(DEFAULT_DATABASE) { String::new() } else { format!(" --db {}", quoted(database)) }
}

/// A path, quoted for a shell where necessary.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Which tables: `tables to 8 stones`, or `tables to 8 stones and of 5v4, 6v3`.
#[must_use]
pub fn tables_text(tables: SliceSet) -> String {
    let beyond = slice_names(tables.beyond());
    let beyond = if beyond.is_empty() { beyond } else { format!(" and of {beyond}") };
    format!("tables to {} stones{beyond}", tables.stones())
}

/// Slices by name: `5v4, 6v3`.
#[must_use]
pub fn slice_names(slices: impl IntoIterator<Item = Slice>) -> String {
    let names: Vec<String> = slices.into_iter().map(|slice| slice.to_string()).collect();
    names.join(", ")
}

/// The tables to build, with their time and disk space: `tables to 6 stones, about 3.2 s and 2.6 MB`.
#[must_use]
pub fn proposal_text(Proposal { plan, cost }: &Proposal) -> String {
    format!("{}, about {} and {}", tables_text(plan.goal.slices), duration(cost.seconds), bytes(cost.disk))
}

/// The command that builds the first tables of a database: to six stones of the standard board, which takes seconds.
#[must_use]
pub fn first_build(database: &Path) -> String {
    build_command(&Goal::values(BoardSize::STANDARD, RuleSet::default(), 6), database)
}

/// The largest build of a board that takes less than half a minute: its tables, cost and command.
#[must_use]
pub fn quick_build(size: BoardSize, rules: RuleSet, database: &Path, reach: &ProposalLimits) -> String {
    quick_build_of(&reach.proposals(size, rules, database), size, rules, database)
}

/// The same, from proposals that are already known.
#[must_use]
pub fn quick_build_of(proposals: &[Proposal], size: BoardSize, rules: RuleSet, database: &Path) -> String {
    let Some(quick) = ProposalLimits::recommended(proposals) else {
        // Too large for this machine; the command prints why.
        return format!("some: {}", build_command(&Goal::values(size, rules, 2), database));
    };
    format!("{}: {}", proposal_text(quick), build_command(&quick.plan.goal, database))
}

/// How to find the value of a position: build tables for its number of stones, like those of `goal`, if that takes less than half a
/// minute; otherwise solve it, or build them all the same.
#[must_use]
pub fn advice(
    goal: impl Fn(BoardSize, RuleSet, Slice) -> Goal,
    (size, rules): (BoardSize, RuleSet),
    position: &Position<u64>,
    database: &Path,
    reach: &ProposalLimits,
) -> String {
    let slice = Slice::of(position.mover(), position.opponent());
    let stones = slice.stones();
    let solve = format!("solve it: {}", solve_command(size, rules, position, database));
    let proposal = reach.propose(goal(size, rules, slice), database);
    let Some(proposal) = proposal else {
        if reach.lacks_room(goal(size, rules, slice), database) {
            let database = database.display();
            return format!(
                "the disk of {database} has no room for its tables; free some space, or choose another folder (--db)"
            );
        }
        return format!("the position has {stones} stones; {solve}");
    };
    let build = format!("build {}: {}", proposal_text(&proposal), build_command(&proposal.plan.goal, database));
    if ProposalLimits::is_short(&proposal) {
        format!("the position has {stones} stones; {build}")
    } else {
        format!("the position has {stones} stones; {solve}; or {build}")
    }
}

//! 5x5 under every rule set: its endgames to eight stones with their depths to six, and its start position, as CSV.
//!
//! `rules_study DB`; `run` does that.

use std::path::{Path, PathBuf};

use fanorona::board::BoardSize;
use fanorona::index::Space;
use fanorona::knowledge::{Knowledge, Trust};
use fanorona::report::{Shares, stats};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{Position, RuleSet};
use fanorona::search::{Control, SearchOptions, SolveScope, Solver, Tuning};
use fanorona::table::{Counts, Folder};

/// Values are built to this many stones, depths to fewer.
const STONES: usize = 8;
const DEPTH_STONES: usize = 6;

const MEMORY: u64 = 2 << 30;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let database = PathBuf::from(std::env::args().nth(1).ok_or("give the database folder")?);
    let size: BoardSize = "5x5".parse()?;
    println!(
        "diagonals,continuation,directions,stalemate,positions,wins,draws,losses,longest_win_plies,longest_win,start,nodes,safe_positions"
    );
    for rules in RuleSet::all() {
        eprintln!("{size}, {rules}");
        build(Goal::values(size, rules, STONES), &database, Budget::default())?;
        build(Goal::depths(size, rules, DEPTH_STONES), &database, Budget::default())?;
        let folder = Folder::open(&database, &Space::new(size, rules.diagonals), rules)?;
        let stats = stats(&folder, size, rules)?;
        let mut counts = Counts::default();
        stats.slices.iter().filter(|slice| slice.slice().stones() <= STONES).for_each(|slice| counts += slice.counts);
        let shares = Shares::from(counts);
        let depths = stats.slices.iter().filter_map(|slice| slice.depths.as_ref()?.longest_win.as_ref());
        let longest = depths.max_by_key(|longest| longest.plies).ok_or("no won position")?;
        let (value, nodes, safe) = start(&database, size, rules)?;
        println!(
            "{},{},{:.4},{:.4},{:.4},{},{},{value},{nodes},{safe}",
            rules.words().join(","),
            counts.positions,
            shares.wins,
            shares.draws,
            shares.losses,
            longest.plies,
            longest.position,
        );
    }
    Ok(())
}

/// The value of the start, the nodes it takes, and the positions that prove it.
fn start(
    database: &Path,
    size: BoardSize,
    rules: RuleSet,
) -> Result<(fanorona::Value, u64, usize), Box<dyn std::error::Error>> {
    let knowledge = Knowledge::open(database, size, rules, MEMORY / 4, Trust::None)?;
    let probe = knowledge.select(STONES);
    let options = SearchOptions { memory: MEMORY, threads: 1, tuning: Tuning::default() };
    let mut solver = Solver::new(knowledge.rules(), &probe, options)?;
    let solution = solver.solve(Position::start(size), SolveScope::POSITION, None, &mut |_| Control::Continue)?;
    Ok((solution.value, solver.nodes(), solution.safe.len() + solution.won.len()))
}

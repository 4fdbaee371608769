//! What tables save a search: nodes and seconds for both questions about the start, by the stones of the tables, as CSV.
//!
//! `tables_study DB SECONDS RUNS BOARD:FEWEST-MOST…`: SECONDS is the time limit for each
//! question. Tables that are missing are built first; `run` does that.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use fanorona::board::BoardSize;
use fanorona::knowledge::{Knowledge, Trust};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{Position, RuleSet};
use fanorona::search::{Answer, Control, SearchOptions, SolveScope, Solver, Tuning};
use studies::number;

const MEMORY: u64 = 8 << 30;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, seconds, runs, boards @ ..] = &arguments[..] else {
        return Err("give the database folder, seconds, runs, and boards such as 7x5:2-7".into());
    };
    let (database, runs): (PathBuf, usize) = (database.into(), number(runs)?);
    let limit = Some(Duration::from_secs(number(seconds)?));
    let rules = RuleSet::default();
    println!("board,stones,run,build_seconds,value,white_nodes,white_seconds,black_nodes,black_seconds,close_seconds");
    for board in boards {
        let (size, stones) = board.split_once(':').ok_or("boards are given as 7x5:2-7")?;
        let (fewest, most) = stones.split_once('-').ok_or("stones are given as 2-7")?;
        let (size, fewest, most): (BoardSize, usize, usize) = (size.parse()?, number(fewest)?, number(most)?);
        for stones in fewest..=most {
            let begun = Instant::now();
            build(Goal::values(size, rules, stones), &database, Budget::default())?;
            let building = begun.elapsed().as_secs_f64();
            for run in 1..=runs {
                let knowledge = Knowledge::open(&database, size, rules, MEMORY / 4, Trust::None)?;
                let probe = knowledge.select(stones);
                let threads = rayon::current_num_threads();
                let options = SearchOptions { memory: MEMORY / 4 * 3, threads, tuning: Tuning::default() };
                let mut solver = Solver::new(knowledge.rules(), &probe, options)?;
                let solution =
                    solver.solve(Position::start(size), SolveScope::POSITION, limit, &mut |_| Control::Continue)?;
                let question = |Answer { nodes, seconds, .. }| format!("{nodes},{seconds:.2}");
                println!(
                    "{size},{stones},{run},{building:.1},{},{},{},{:.2}",
                    solution.value,
                    question(solution.questions.white_wins),
                    question(solution.questions.black_wins),
                    solution.extraction_seconds,
                );
            }
        }
    }
    Ok(())
}

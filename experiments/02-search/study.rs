//! Compares parameters of the search: nodes and seconds for both questions on several boards, as CSV.
//!
//! `cargo run --release --example search_study -- DB BOARD:STONES…`; the tables must have been built. `run` does both.

use std::path::Path;
use std::time::Instant;

use fanorona::rules::{Position, RuleSet};
use fanorona::search::{Gather, SearchOptions, Solver, Tuning, UpTo, Wish};
use fanorona::table::Tables;

/// Searches are given up after so many nodes.
const MOST_NODES: u64 = 40_000_000;

fn variants() -> Vec<(String, Tuning)> {
    let base = Tuning::default();
    let mut variants = vec![("default".to_owned(), base)];
    for stone in [0, 16, 32, 48, 64, 96] {
        let tuning = Tuning { stone, capture: 0, quiet: 0, ..base };
        variants.push((format!("material alone, stone {stone}/16"), tuning));
    }
    for stone in [32, 64, 72, 96] {
        variants.push((format!("stone {stone}/16"), Tuning { stone, ..base }));
    }
    for (capture, quiet) in [(4, 0), (4, 4), (4, 8), (8, 8), (12, 4)] {
        variants.push((format!("capture {capture}/4, quiet {quiet}/4"), Tuning { capture, quiet, ..base }));
    }
    for patience in [1, 2, 8, 16] {
        variants.push((format!("thresholds 1 + 1/{patience}"), Tuning { patience, ..base }));
    }
    variants.push(("sum".to_owned(), Tuning { gather: Gather::Sum, ..base }));
    variants
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (database, boards) = arguments.split_first().ok_or("the database folder is missing")?;
    println!("variant,board,stones,side,wins,nodes,seconds");
    for board in boards {
        let (size, stones) = board.split_once(':').ok_or("boards are given as 7x5:6")?;
        let (size, stones) = (size.parse()?, stones.parse()?);
        let tables = Tables::open(Path::new(database), size, RuleSet::default(), 4 << 30)?;
        let probe = UpTo { tables: &tables, stones };
        for (name, tuning) in variants() {
            for attacker_moves in [true, false] {
                let options = SearchOptions { memory: 2 << 30, threads: 1, tuning };
                let mut solver = Solver::new(tables.game(), &probe, options)?;
                let start = Position::<u64>::start(size);
                let clock = Instant::now();
                let answer = solver.attacker_wins((start.white, start.black), attacker_moves, &mut |progress| {
                    if progress.nodes > MOST_NODES { Wish::Stop } else { Wish::GoOn }
                });
                let asked = if attacker_moves { "white" } else { "black" };
                let wins = answer.map_or("given up".to_owned(), |wins| wins.to_string());
                let seconds = clock.elapsed().as_secs_f64();
                println!("\"{name}\",{size},{stones},{asked},{wins},{},{seconds:.2}", solver.nodes());
            }
        }
    }
    Ok(())
}

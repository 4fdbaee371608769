//! Compares parameters of the search: nodes and seconds for both questions on several boards, as CSV.
//!
//! `search_study DB THREADS RUNS BOARD:STONES[:SIDE]…`, where a side, `white` or `black`, asks
//! one of the questions alone; the tables must have been built. `run` does both. With two threads or more no two runs are
//! alike, so several runs of each show the spread.

use std::path::Path;
use std::time::Instant;

use fanorona::rules::{Position, RuleSet};
use fanorona::search::{Control, INFINITE, SearchOptions, Solver, Tuning};
use fanorona::table::{Tables, TablesUpTo};

/// Node limit of a search.
const MAX_NODES: u64 = 150_000_000;

fn variants() -> Vec<(String, Tuning)> {
    let base = Tuning::default();
    let mut variants = vec![("default".to_owned(), base)];
    for (name, share, most) in [
        ("sum", 16, INFINITE),
        ("weak sum", 16, 1),
        ("half, bound 16", 8, 16),
        ("half, bound 64", 8, 64),
        ("share 4/16", 4, INFINITE),
        ("share 6/16", 6, INFINITE),
        ("share 12/16", 12, INFINITE),
    ] {
        variants.push((name.to_owned(), Tuning { share, most, ..base }));
    }
    for (name, leaf) in [("every leaf 1", u32::MAX), ("a leaf of 4 parts", 4), ("a leaf of 16 parts", 16)] {
        variants.push((name.to_owned(), Tuning { leaf, ..base }));
    }
    for (name, weak, strong) in [("stones alike", 20, 20), ("strong points 6", 26, 6), ("stones 34 and 17", 34, 17)] {
        variants.push((name.to_owned(), Tuning { weak, strong, ..base }));
    }
    let worth = |step, their_step, capture, their_capture| Tuning { step, their_step, capture, their_capture, ..base };
    for (name, tuning) in [
        ("stones alone", worth(0, 0, 0, 0)),
        ("no captures", worth(6, 3, 0, 0)),
        ("captures 24 and 12", worth(6, 3, 24, 12)),
        ("captures alike", worth(6, 3, 16, 16)),
        ("no steps", worth(0, 0, 16, 8)),
        ("steps 10 and 5", worth(10, 5, 16, 8)),
        ("steps alike", worth(6, 6, 16, 8)),
    ] {
        variants.push((name.to_owned(), tuning));
    }
    for patience in [1, 2, 8, 16] {
        variants.push((format!("thresholds 1 + 1/{patience}"), Tuning { patience, ..base }));
    }
    variants
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, threads, runs, boards @ ..] = &arguments[..] else {
        return Err("give the database folder, threads, runs, and boards such as 7x5:6".into());
    };
    let (threads, runs): (usize, u32) = (threads.parse()?, runs.parse()?);
    println!("variant,board,stones,side,run,wins,nodes,seconds");
    for board in boards {
        let parts: Vec<&str> = board.split(':').collect();
        let (size, stones, sides) = match parts[..] {
            [size, stones] => (size, stones, &[true, false][..]),
            [size, stones, "white"] => (size, stones, &[true][..]),
            [size, stones, "black"] => (size, stones, &[false][..]),
            _ => return Err("boards are given as 7x5:6 or 7x5:6:white".into()),
        };
        let (size, stones) = (size.parse()?, stones.parse()?);
        let tables = Tables::open(Path::new(database), size, RuleSet::default(), 4 << 30)?;
        let probe = TablesUpTo { tables: &tables, stones };
        for (name, tuning) in variants() {
            for (run, attacker_moves) in (1..=runs).flat_map(|run| sides.iter().map(move |&side| (run, side))) {
                let options = SearchOptions { memory: 8 << 30, threads, tuning };
                let mut solver = Solver::new(tables.rules(), &probe, options)?;
                let start = Position::<u64>::start(size);
                let clock = Instant::now();
                let answer = solver.attacker_wins((start.white, start.black), attacker_moves, &mut |progress| {
                    if progress.nodes > MAX_NODES { Control::Stop } else { Control::Continue }
                });
                let asked = if attacker_moves { "white" } else { "black" };
                let wins = answer.map_or("given up".to_owned(), |wins| wins.to_string());
                let seconds = clock.elapsed().as_secs_f64();
                println!("\"{name}\",{size},{stones},{asked},{run},{wins},{},{seconds:.2}", solver.nodes());
            }
        }
    }
    Ok(())
}

//! Telo noho dimy, three against five: how the ending goes, from all positions and from quiet ones, as CSV.
//!
//! `cargo run --release --example three_against_five_study -- DB`; the tables of 9x5 to eight stones must have been built.

use std::path::PathBuf;

use fanorona::board::BoardSize;
use fanorona::index::Slice;
use fanorona::rules::{Outcome, RuleSet};
use fanorona::table::{Counts, Tables};
use rayon::prelude::*;

/// Positions drawn for each estimate, in pieces that threads share.
const PIECES: u64 = 1000;
const PIECE: usize = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let database = PathBuf::from(std::env::args().nth(1).ok_or("give the database folder")?);
    let size: BoardSize = "9x5".parse()?;
    let tables = Tables::open(&database, size, RuleSet::default(), 4 << 30)?;
    println!("to_move,positions,method,won,drawn,lost,standard_error");
    for slice in [Slice::new(5, 3), Slice::new(3, 5)] {
        let counts = tables.folder().get(slice).ok_or("build 9x5 to eight stones first")?.header().counts;
        let Counts { positions, wins, draws, losses, .. } = counts;
        #[allow(clippy::cast_precision_loss)] // shares
        let [won, drawn, lost] = [wins, draws, losses].map(|count| count as f64 / positions as f64);
        println!("{},all,exact,{won:.5},{drawn:.5},{lost:.5},0", slice.mover);
        for (name, both) in [("no capture for the side to move", false), ("no capture for either side", true)] {
            let found = sampled(&tables, slice, both)?;
            #[allow(clippy::cast_precision_loss)] // shares
            let share = |count: u64| count as f64 / (PIECES * PIECE as u64) as f64;
            let error = found.map(|count| share(count) * (1.0 - share(count)));
            #[allow(clippy::cast_precision_loss)] // an error
            let error = (error.into_iter().fold(0.0, f64::max) / (PIECES * PIECE as u64) as f64).sqrt();
            let [won, drawn, lost] = found.map(share);
            println!("{},{name},sampled,{won:.5},{drawn:.5},{lost:.5},{error:.5}", slice.mover);
        }
    }
    Ok(())
}

/// Wins, draws and losses among random positions without a capture for the side to move, or for either side. The same
/// with any number of threads.
fn sampled(tables: &Tables, slice: Slice, both: bool) -> Result<[u64; 3], Box<dyn std::error::Error>> {
    let board = tables.game().board();
    let quiet = |own, enemy| board.capturing_stones(own, enemy) == 0;
    let piece = |seed| -> Result<[u64; 3], String> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut points: Vec<u64> = (0..board.points()).map(|point| 1 << point).collect();
        let mut counts = [0; 3];
        let mut found = 0;
        while found < PIECE {
            random.shuffle(&mut points);
            let (own, rest) = points.split_at(slice.mover);
            let set = |points: &[u64]| points.iter().sum::<u64>();
            let (own, enemy) = (set(own), set(&rest[..slice.opponent]));
            if !quiet(own, enemy) || both && !quiet(enemy, own) {
                continue;
            }
            found += 1;
            let outcome = tables.probe(own, enemy).map_err(|error| error.to_string())?.ok_or("a table is missing")?;
            counts[match outcome {
                Outcome::Win => 0,
                Outcome::Draw => 1,
                Outcome::Loss => 2,
            }] += 1;
        }
        Ok(counts)
    };
    let sum = |a: [u64; 3], b: [u64; 3]| std::array::from_fn(|i| a[i] + b[i]);
    Ok((0..PIECES).into_par_iter().map(piece).try_reduce(|| [0; 3], |a, b| Ok(sum(a, b)))?)
}

//! Telo noho dimy, three against five: how the ending goes, from all positions and from quiet ones, and how long it takes.
//!
//! `three_against_five_study DB FOLDER` reads tables with depths and writes the results; `run`
//! builds the tables too.

use std::fs;
use std::path::Path;

use fanorona::board::BoardSize;
use fanorona::index::Slice;
use fanorona::report::{DepthStats, board_svg, stats};
use fanorona::rules::{Outcome, PositionText, RuleSet};
use fanorona::table::{Counts, Tables};
use rayon::prelude::*;

/// The five to move, and the three.
const SLICES: [Slice; 2] = [Slice::new(5, 3), Slice::new(3, 5)];

const MISSING: &str = "tables are missing; fanorona build 9x5 --slice 5v3 --metric both makes them";

/// Positions drawn for each estimate, in pieces that threads share.
const PIECES: u64 = 1000;
const PIECE: usize = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, folder] = &arguments[..] else {
        return Err("give the database folder and a folder for the results".into());
    };
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    let size: BoardSize = "9x5".parse()?;
    let tables = Tables::open(Path::new(database), size, RuleSet::default(), 4 << 30)?;
    durations(&tables, folder)?;
    let mut table = csv::Writer::from_path(folder.join("shares.csv"))?;
    table.write_record(["to_move", "positions", "method", "wins", "draws", "losses", "standard_error"])?;
    for slice in SLICES {
        let counts = tables.folder().get(slice).ok_or(MISSING)?.header().counts;
        let Counts { positions, wins, draws, losses, .. } = counts;
        #[allow(clippy::cast_precision_loss)] // shares
        let [won, drawn, lost] = [wins, draws, losses].map(|count| count as f64 / positions as f64);
        let mut write = |positions: &str, method: &str, shares: [f64; 3], error: String| {
            let fields = [slice.mover.to_string(), positions.to_owned(), method.to_owned()];
            table.write_record(fields.into_iter().chain(shares.map(|share| format!("{share:.5}"))).chain([error]))
        };
        write("all", "exact", [won, drawn, lost], "0".to_owned())?;
        for (name, both) in [("no capture for the side to move", false), ("no capture for either side", true)] {
            let found = sampled(&tables, slice, both)?;
            #[allow(clippy::cast_precision_loss)] // shares
            let share = |count: u64| count as f64 / (PIECES * PIECE as u64) as f64;
            let error = found.map(|count| share(count) * (1.0 - share(count)));
            #[allow(clippy::cast_precision_loss)] // an error
            let error = (error.into_iter().fold(0.0, f64::max) / (PIECES * PIECE as u64) as f64).sqrt();
            write(name, "sampled", found.map(share), format!("{error:.5}"))?;
        }
    }
    Ok(table.flush()?)
}

/// Writes how many positions take how many plies, and a picture of one that takes the most.
fn durations(tables: &Tables, folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let board = tables.rules().board();
    let all = stats(tables.folder(), board.size(), RuleSet::default())?;
    let depths = |slice: Slice| -> Result<&DepthStats, &str> {
        let found = all.slices.iter().find(|one| one.slice() == slice);
        found.and_then(|one| one.depths.as_ref()).ok_or(MISSING)
    };
    let mut table = csv::Writer::from_path(folder.join("depths.csv"))?;
    table.write_record(["to_move", "plies", "wins", "losses"])?;
    for slice in SLICES {
        for (plies, [won, lost]) in depths(slice)?.by_plies() {
            table.write_record([slice.mover as u64, plies.into(), won, lost].map(|number| number.to_string()))?;
        }
    }
    table.flush()?;
    let longest = depths(SLICES[0])?.longest_win.as_ref().ok_or("the five never win")?;
    println!("the five to move win in {} plies: {}", longest.plies, longest.position);
    let picture = board_svg(board, &PositionText::parse(&longest.position)?.on(board.size())?);
    Ok(fs::write(folder.join("longest.svg"), picture + "\n")?)
}

/// Wins, draws and losses among random positions without a capture for the side to move, or for either side. The same
/// with any number of threads.
fn sampled(tables: &Tables, slice: Slice, both: bool) -> Result<[u64; 3], Box<dyn std::error::Error>> {
    let board = tables.rules().board();
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

//! Shares of wins, draws and losses in every slice of the standard board up to seven stones.
//!
//! `draws_study DB FOLDER` reads tables and writes the results; `run` builds the tables too.

use std::fs;
use std::path::Path;

use fanorona::board::BoardSize;
use fanorona::index::{Slice, Space};
use fanorona::report::plot::{Bar, Labels, bar_chart};
use fanorona::report::stats;
use fanorona::rules::RuleSet;
use fanorona::table::{Counts, Folder};

const STONES: usize = 7;
const PARTS: [&str; 3] = ["won by the side to move", "drawn", "lost"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, folder] = &arguments[..] else {
        return Err("give the database folder and a folder for the results".into());
    };
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    let size: BoardSize = "9x5".parse()?;
    let rules = RuleSet::default();
    let tables = Folder::open(Path::new(database), &Space::new(size, rules.diagonals), rules)?;
    let stats = stats(&tables, size, rules)?;
    let slices: Vec<(Slice, Counts)> = stats
        .slices
        .iter()
        .map(|slice| (Slice::new(slice.mover, slice.opponent), slice.counts))
        .filter(|(slice, _)| slice.stones() <= STONES)
        .collect();
    if slices.len() != Slice::up_to(STONES, size.points()).count() {
        return Err(format!("tables are missing in {database}; fanorona build 9x5 --stones {STONES} makes them").into());
    }
    let by_stones: Vec<(usize, Counts)> = (2..=STONES)
        .map(|stones| {
            let mut sum = Counts::default();
            slices.iter().filter(|(slice, _)| slice.stones() == stones).for_each(|(_, counts)| sum += *counts);
            (stones, sum)
        })
        .collect();
    let named: Vec<(String, Counts)> = slices.iter().map(|(slice, counts)| (slice.to_string(), *counts)).collect();
    write(folder, "slices", "Values on 9x5, slice by slice", "stones of the side to move v of the other", &named)?;
    let named: Vec<(String, Counts)> = by_stones.iter().map(|(stones, sum)| (stones.to_string(), *sum)).collect();
    write(folder, "stones", "Values on 9x5, by number of stones", "stones on the board", &named)?;
    Ok(())
}

/// The counts and shares of `rows`, as a table and as a chart.
fn write(
    folder: &Path,
    name: &str,
    title: &str,
    across: &str,
    rows: &[(String, Counts)],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut table = csv::Writer::from_path(folder.join(format!("{name}.csv")))?;
    table.write_record([name, "positions", "wins", "draws", "losses", "wins_%", "draws_%", "losses_%"])?;
    let mut bars = Vec::new();
    for (name, counts) in rows {
        let numbers = [counts.wins, counts.draws, counts.losses];
        let shares = numbers.map(|number| percent(number, counts.positions));
        table.serialize((name, counts.positions, numbers, shares.map(|share| format!("{share:.4}"))))?;
        bars.push(Bar { name, parts: shares.to_vec() });
    }
    table.flush()?;
    let labels = Labels { title, x: across, y: "share of positions, %" };
    fs::write(folder.join(format!("{name}.svg")), bar_chart(labels, &PARTS, &bars)?)?;
    Ok(())
}

#[allow(clippy::cast_precision_loss)] // a share
fn percent(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all as f64
}

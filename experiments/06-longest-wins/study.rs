//! The longest wins of the standard board with each number of stones up to seven.
//!
//! `longest_wins_study DB FOLDER` reads depth tables and writes the results; `run` builds
//! the tables too.

use std::fs;
use std::path::Path;

use fanorona::board::{Board, BoardSize};
use fanorona::index::{Slice, Space};
use fanorona::report::{board_svg, longest_wins, stats};
use fanorona::rules::{PositionText, RuleSet};
use fanorona::table::Folder;

const STONES: usize = 7;
/// Pictures are drawn from this many stones on.
const PICTURES_FROM: usize = 6;

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
    let mut stats = stats(&tables, size, rules)?;
    stats.slices.retain(|slice| slice.slice().stones() <= STONES);
    if stats.slices.iter().filter(|slice| slice.depths.is_some()).count() != Slice::up_to(STONES, size.points()).count()
    {
        let command = format!("fanorona build 9x5 --stones {STONES} --metric both");
        return Err(format!("depth tables are missing in {database}; {command} makes them").into());
    }

    let mut table = csv::Writer::from_path(folder.join("slices.csv"))?;
    table.write_record(["slice", "longest_win", "win_position", "longest_loss", "loss_position"])?;
    for slice in &stats.slices {
        let Some(depths) = &slice.depths else { continue };
        let [win, loss] = [&depths.longest_win, &depths.longest_loss].map(|longest| {
            let longest = longest.as_ref();
            [longest.map(|longest| longest.plies.to_string()), longest.map(|longest| longest.position.clone())]
        });
        let cells = win.into_iter().chain(loss).map(Option::unwrap_or_default);
        table.write_record(std::iter::once(slice.slice().to_string()).chain(cells))?;
    }
    table.flush()?;

    let board = Board::<u64>::new(size, rules.diagonals);
    for (slice, win) in longest_wins(&stats) {
        println!("{} stones: {} plies, {slice}, {}", slice.stones(), win.plies, win.position);
        if slice.stones() >= PICTURES_FROM {
            let picture = board_svg(&board, &PositionText::parse(&win.position)?.on(size)?);
            fs::write(folder.join(format!("{}-stones.svg", slice.stones())), picture + "\n")?;
        }
    }
    Ok(())
}

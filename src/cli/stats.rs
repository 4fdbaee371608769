//! `fanorona stats`: what the tables of a board hold.

use clap::Args as ClapArgs;

use crate::index::{Slice, Space};
use crate::report::{bits_per_canonical, stats};
use crate::retro::check_size;
use crate::table::{Counts, Folder};

use super::build::table;
use super::options::{TableOptions, bytes, grouped};
use super::{Done, Failure, print, print_json};

/// Count wins, draws and losses, slice by slice
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    #[command(flatten)]
    tables: TableOptions,
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Done {
    let rules = arguments.tables.rules.rules();
    check_size(arguments.tables.size, 2)?;
    let space = Space::new(arguments.tables.size, rules.diagonals);
    let folder = Folder::open(&arguments.tables.database.folder, &space, rules)?;
    let stats = stats(&folder, &arguments.tables.size.to_string(), rules);
    if stats.slices.is_empty() {
        let path = folder.path().display();
        return Err(Failure::Text(format!(
            "there are no tables in {path}; build some with: fanorona build {} --stones N",
            arguments.tables.size
        )));
    }
    if arguments.json {
        return print_json(&stats);
    }
    let order = space.symmetry().order();
    let mut table = table(["slice", "positions", "wins", "draws", "losses", "quiet", "size", "bits"]);
    let row = |name: String, counts: Counts, size: u64| {
        let numbers = [counts.positions, counts.wins, counts.draws, counts.losses, counts.quiet].map(grouped);
        let bits = format!("{:.4}", bits_per_canonical(size, counts.positions, order));
        std::iter::once(name).chain(numbers).chain([bytes(size), bits]).collect::<Vec<_>>()
    };
    for slice in &stats.slices {
        table.add_row(row(Slice::new(slice.mover, slice.opponent).to_string(), slice.counts, slice.bytes));
    }
    table.add_row(row("all".to_owned(), stats.totals.counts, stats.totals.bytes));
    print(&format!(
        "{}, {}. Every placement counts; values are for the side to move, bits per canonical position.\n{table}",
        arguments.tables.size, rules
    ))
}

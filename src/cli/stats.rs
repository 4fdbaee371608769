//! `fanorona stats`: statistics of the tables of a board.

use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args as ClapArgs;

use crate::report::{DepthStats, Longest, SliceStats, Stats, slice_names, stats, zugzwangs};
use crate::retro::{check_size, closed, load_values};
use crate::table::{DEFAULT_CACHE_BYTES, Tables};

use super::options::{TableOptions, bytes, grouped};
use super::output::{CliResult, Failure, print, print_json, printed, table};
use super::progress::{Loading, Progress};

/// Print wins, draws and losses of each slice; with depth tables also the longest win and loss
#[derive(ClapArgs, Debug)]
#[allow(clippy::struct_excessive_bools)] // switches of the command line
pub struct Arguments {
    #[command(flatten)]
    tables: TableOptions,
    /// Count mutual zugzwangs, positions in which either side does worse if it is to move; takes about as long as a build
    #[arg(long)]
    zugzwangs: bool,
    /// Print the number of wins and losses by plies
    #[arg(long)]
    histogram: bool,
    /// Print CSV, a line for each slice; with --histogram, a line for each slice and number of plies
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Zugzwangs printed for each slice.
const EXAMPLES: usize = 3;

pub fn run(arguments: &Arguments) -> CliResult {
    let (size, rules) = (arguments.tables.size, arguments.tables.rules.rule_set());
    if arguments.csv && arguments.histogram && arguments.zugzwangs {
        return Err(Failure::Text(
            "--csv --histogram has no column for zugzwangs; leave out --zugzwangs or --histogram".to_owned(),
        ));
    }
    check_size(size, 2)?;
    let tables = Tables::open(&arguments.tables.database, size, rules, DEFAULT_CACHE_BYTES)?;
    let folder = tables.folder();
    let mut stats = stats(folder, size, rules)?;
    if stats.slices.is_empty() {
        return Err(arguments.tables.missing("tables", folder));
    }
    if arguments.histogram && stats.slices.iter().all(|slice| slice.depths.is_none()) {
        return Err(arguments.tables.missing_depths(folder));
    }
    if arguments.zugzwangs {
        count_zugzwangs(&tables, &mut stats)?;
    }
    if arguments.json {
        return print_json(&stats);
    }
    if arguments.csv {
        return if arguments.histogram { print_histogram(&stats) } else { print_csv(&stats) };
    }
    print(&text(arguments, &stats))
}

/// Counts the zugzwangs of all slices of which the tables have all that they lead to.
#[allow(clippy::cast_precision_loss)] // for a progress bar
fn count_zugzwangs(tables: &Tables, stats: &mut Stats) -> CliResult {
    let points = tables.space().board().points();
    let within = closed(&stats.slices.iter().map(SliceStats::slice).collect());
    let loaded = load_values(tables, Loading::new(&within, points).slices())?;
    let is_within = |slice: &SliceStats| within.contains(&slice.slice());
    let rows: u64 = stats.slices.iter().filter(|slice| is_within(slice)).map(|slice| slice.counts.positions).sum();
    let progress = Progress::new(rows as f64);
    let done = AtomicU64::new(0);
    for slice in stats.slices.iter_mut().filter(|slice| is_within(slice)) {
        let each = slice.counts.positions / loaded.space().orbits(slice.mover);
        slice.zugzwangs = Some(zugzwangs(&loaded, slice.slice(), EXAMPLES, &|| {
            let done = done.fetch_add(each, Ordering::Relaxed) + each;
            progress.set(done as f64, || format!("zugzwangs of {}v{}", slice.mover, slice.opponent));
        }));
    }
    progress.finish();
    let left = slice_names(stats.slices.iter().filter(|slice| !is_within(slice)).map(SliceStats::slice));
    if !left.is_empty() {
        note!("Zugzwangs are not counted where tables that captures lead to are missing: {left}");
    }
    Ok(())
}

#[allow(clippy::cast_precision_loss)] // for display
fn text(arguments: &Arguments, stats: &Stats) -> String {
    let mut list = table(["slice", "positions", "wins", "draws", "losses", "shares", "quiet", "size", "bits"]);
    let row = |name: String, counts: crate::table::Counts, size: u64| {
        let [positions, wins, draws, losses, quiet] =
            [counts.positions, counts.wins, counts.draws, counts.losses, counts.quiet].map(grouped);
        let shares = crate::report::Shares::from(counts);
        let shares = [shares.wins, shares.draws, shares.losses].map(|share| format!("{:.1}", 100.0 * share)).join("  ");
        let bits = format!("{:.5}", size as f64 * 8.0 / counts.positions as f64);
        [name, positions, wins, draws, losses, format!("{shares} %"), quiet, bytes(size), bits]
    };
    for slice in &stats.slices {
        list.add_row(row(slice.slice().to_string(), slice.counts, slice.bytes));
    }
    list.add_row(row("all".to_owned(), stats.totals.counts, stats.totals.bytes));
    let mut text = format!(
        "{}, {}: complete up to {} stones. Symmetric positions are counted separately; values are for the side to move, bits of file per position.\n{list}",
        stats.board, stats.rules, stats.stones
    );
    if stats.slices.iter().any(|slice| slice.depths.is_some()) {
        text.push_str(
            "\n\nLongest wins and losses in plies to the end of the game, each with a position, White to move.\n",
        );
        text.push_str(&depths(stats).to_string());
    }
    if stats.slices.iter().any(|slice| slice.zugzwangs.is_some()) {
        text.push_str("\n\nMutual zugzwangs: the side to move would do better if the other side were to move.\n");
        let mut list = table(["slice", "zugzwangs", "full point", "examples, White to move"]);
        for slice in &stats.slices {
            let Some(found) = &slice.zugzwangs else { continue };
            let numbers = [found.count, found.full_point].map(grouped);
            let [name, count, whole] = [slice.slice().to_string(), numbers[0].clone(), numbers[1].clone()];
            list.add_row([name, count, whole, found.examples.join("  ")]);
        }
        text.push_str(&list.to_string());
    }
    if arguments.histogram {
        text.push_str("\n\nWins and losses by plies, all slices together.\n");
        let mut list = table(["plies", "wins", "losses"]);
        for (plies, counts) in stats.by_plies() {
            let [wins, losses] = counts.map(grouped);
            list.add_row([plies.to_string(), wins, losses]);
        }
        text.push_str(&list.to_string());
    }
    text
}

fn depths(stats: &Stats) -> comfy_table::Table {
    let mut list = table(["slice", "size", "longest win", "", "longest loss", ""]);
    let longest = |longest: &Option<Longest>| match longest {
        Some(Longest { plies, position }) => [plies.to_string(), position.clone()],
        None => ["-".to_owned(), String::new()],
    };
    for slice in &stats.slices {
        let Some(depths) = &slice.depths else { continue };
        let [name, size] = [slice.slice().to_string(), bytes(depths.bytes)];
        let longest = [&depths.longest_win, &depths.longest_loss].map(longest).concat();
        list.add_row([vec![name, size], longest].concat());
    }
    list
}

fn print_csv(stats: &Stats) -> CliResult {
    let mut written = csv::Writer::from_writer(Vec::new());
    written.write_record([
        "mover",
        "opponent",
        "positions",
        "wins",
        "draws",
        "losses",
        "quiet",
        "bytes",
        "depth_bytes",
        "longest_win",
        "longest_win_position",
        "longest_loss",
        "longest_loss_position",
        "zugzwangs",
        "full_point_zugzwangs",
        "identity",
    ])?;
    for slice in &stats.slices {
        let SliceStats { mover, opponent, counts, bytes, depths, zugzwangs, identity, .. } = slice;
        let numbers = [counts.positions, counts.wins, counts.draws, counts.losses, counts.quiet, *bytes];
        let mut record = vec![mover.to_string(), opponent.to_string()];
        record.extend(numbers.map(|number| number.to_string()));
        record.push(depths.as_ref().map_or(String::new(), |depths| depths.bytes.to_string()));
        for longest in
            [|depths: &DepthStats| depths.longest_win.clone(), |depths: &DepthStats| depths.longest_loss.clone()]
        {
            let longest = depths.as_ref().and_then(longest);
            record.push(longest.as_ref().map_or(String::new(), |longest| longest.plies.to_string()));
            record.push(longest.map_or(String::new(), |longest| longest.position));
        }
        let found = zugzwangs.as_ref().map(|found| [found.count, found.full_point].map(|number| number.to_string()));
        record.extend(found.unwrap_or_default());
        record.push(identity.clone());
        written.write_record(record)?;
    }
    print_lines(written)
}

fn print_histogram(stats: &Stats) -> CliResult {
    let mut written = csv::Writer::from_writer(Vec::new());
    written.write_record(["mover", "opponent", "plies", "wins", "losses"])?;
    for slice in &stats.slices {
        let Some(depths) = &slice.depths else { continue };
        for (plies, [wins, losses]) in depths.by_plies() {
            let numbers = [slice.mover as u64, slice.opponent as u64, plies.into(), wins, losses];
            written.write_record(numbers.map(|number| number.to_string()))?;
        }
    }
    print_lines(written)
}

fn print_lines(written: csv::Writer<Vec<u8>>) -> CliResult {
    use std::io::Write as _;
    printed(std::io::stdout().lock().write_all(&written.into_inner()?))
}

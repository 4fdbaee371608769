//! `fanorona build`: tables for every position of a board with up to a given number of stones.

use std::path::PathBuf;
use std::time::Instant;

use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::index::{Slice, Space};
use crate::report::{RuleNames, bits_per_canonical};
use crate::retro::{
    BuildOptions, BuiltSlice, Goal, Ranks, Rates, SliceEstimate, TileEstimate, TileOptions, check_depth_memory,
    check_memory_in_tiles, check_size, estimate, tile_estimate,
};
use crate::table::{Metric, folder_name};

use super::interrupt;
use super::options::{TableOptions, ThreadsOption, bytes, duration, free_memory, grouped};
use super::output::{CliResult, Failure, print, print_json, table};
use super::processes::Processes;
use super::watch::watched;

/// Build tables for every position with up to so many stones, or with given stones of each colour
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    tables: TableOptions,
    #[command(flatten)]
    goal: GoalOptions,
    /// What the tables tell: who wins, or also in how many plies
    #[arg(long, value_enum, default_value = "wdl")]
    metric: MetricOption,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Memory that may be used, such as 12G; what is free if not given
    #[arg(long, value_name = "SIZE")]
    memory: Option<ByteSize>,
    /// Folder for scratch files of values that need more memory; that of the tables if not given
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Only say what the build would take
    #[arg(long)]
    dry_run: bool,
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

/// Which slices to build.
#[derive(Args, Clone, Copy, Debug)]
#[group(required = true, multiple = false)]
struct GoalOptions {
    /// The largest number of stones, of both colours together
    #[arg(long, value_name = "N")]
    stones: Option<usize>,
    /// One slice, such as 5v3, with its twin 3v5 and what captures from them lead to
    #[arg(long, value_name = "SLICE")]
    slice: Option<Slice>,
}

impl GoalOptions {
    fn goal(self) -> Goal {
        self.slice.map_or(Goal::Stones(self.stones.unwrap_or(0)), Goal::Slice)
    }
}

/// What to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MetricOption {
    /// Win, draw or loss
    Wdl,
    /// Plies to the end of the game, for slices whose values are there
    Dtw,
    /// Values, then depths
    Both,
}

impl MetricOption {
    fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Wdl => &[Metric::Wdl],
            Self::Dtw => &[Metric::Dtw],
            Self::Both => &Metric::ALL,
        }
    }
}

pub fn run(arguments: &Arguments) -> CliResult {
    let processes = Processes::join()?;
    let done = run_on(arguments, &processes);
    processes.end(done)
}

fn run_on(arguments: &Arguments, processes: &Processes) -> CliResult {
    let options = BuildOptions {
        database: arguments.tables.database.folder.clone(),
        size: arguments.tables.size,
        rules: arguments.tables.rules.rules(),
        goal: arguments.goal.goal(),
        memory: arguments.memory.map_or_else(|| free_memory() / processes.neighbours(), |memory| memory.as_u64()),
    };
    check_size(options.size, options.goal)?;
    let (ranks, metrics) = (processes.ranks(), arguments.metric.metrics());
    // Only complete files have their names, so there is nothing else to put in order before leaving. What ends one of several
    // processes ends all of them, and the first one speaks.
    interrupt::ends_program(match ranks.rank() {
        0 => {
            "interrupted; the same command goes on from the last complete slice, and inside one that is built from tiles"
        }
        _ => "",
    })?;
    if ranks.size() > 1 && metrics.contains(&Metric::Dtw) {
        return Err(Failure::Text(
            "--metric: several processes can build values only; build depths afterwards, with one".to_owned(),
        ));
    }
    arguments.threads.run(|| {
        if !arguments.dry_run {
            start(&options, arguments, ranks)
        } else if ranks.rank() == 0 {
            dry_run(&options, metrics, arguments.json)
        } else {
            Ok(())
        }
    })?
}

#[derive(Serialize)]
struct DryRun {
    board: String,
    rules: RuleNames,
    threads: usize,
    slices: Vec<SliceEstimate>,
    totals: EstimateTotals,
    /// Pairs that are solved from tiles.
    tiles: Vec<TileEstimate>,
    memory_allowed: u64,
    fits: bool,
}

#[derive(Serialize)]
struct EstimateTotals {
    positions: u64,
    memory: u64,
    disk: u64,
    seconds: f64,
}

fn dry_run(options: &BuildOptions, metrics: &[Metric], json: bool) -> CliResult {
    let space = Space::new(options.size, options.rules.diagonals);
    let threads = rayon::current_num_threads();
    let rates = Rates::calibrate(&space, options.rules, options.goal.stones());
    let slices = estimate(&space, options.goal, threads, rates, metrics);
    let totals = EstimateTotals {
        positions: slices.iter().map(|slice| slice.positions).fold(0, u64::saturating_add),
        memory: slices.iter().map(|slice| slice.memory).max().unwrap_or(0),
        disk: slices.iter().map(|slice| slice.disk).sum(),
        seconds: slices.iter().map(|slice| slice.seconds).sum(),
    };
    let all = options.goal.pairs(options.size.points());
    let fits = metrics.iter().try_for_each(|metric| match metric {
        Metric::Wdl => check_memory_in_tiles(&space, options.memory, &all),
        Metric::Dtw => check_depth_memory(&space, options.memory, &all),
    });
    let values = metrics.contains(&Metric::Wdl);
    let from_tiles = |&slice: &Slice| tile_estimate(&space, slice, options.memory, threads).filter(|_| values);
    let tiles: Vec<TileEstimate> = all.iter().filter_map(from_tiles).collect();
    if json {
        print_json(&DryRun {
            board: options.size.to_string(),
            rules: options.rules.into(),
            threads,
            slices,
            totals,
            tiles,
            memory_allowed: options.memory,
            fits: fits.is_ok(),
        })?;
        return Ok(fits?);
    }
    let mut table = table(["slice", "positions", "form, fill", "memory", "disk", "time"]);
    let row = |name: &str, form: String, positions, memory, disk, seconds| {
        [name.to_owned(), grouped(positions), form, bytes(memory), bytes(disk), duration(seconds)]
    };
    for s in &slices {
        let form = format!("{}, {:.0} %", if s.compact { "compact" } else { "planes" }, 100.0 * s.fill);
        table.add_row(row(
            &Slice::new(s.mover, s.opponent).to_string(),
            form,
            s.positions,
            s.memory,
            s.disk,
            s.seconds,
        ));
    }
    table.add_row(row("all", String::new(), totals.positions, totals.memory, totals.disk, totals.seconds));
    let noun = if threads == 1 { "thread" } else { "threads" };
    print(&format!("{}, {}, {threads} {noun}: estimates for this machine\n{table}", options.size, options.rules))?;
    if slices.iter().any(|slice| slice.fill < 0.25) {
        print(
            "Fill is the share of a plane's bits that stand for positions; the others stand for overlapping sets. Where it\n\
             is very low, a slice is solved in compact form: without padding, but position by position.",
        )?;
    }
    for TileEstimate { mover, opponent, memory, scratch, read, written } in tiles {
        print(&format!(
            "{} and twin: values from tiles, in {} of memory at least; up to {} of scratch, about {} read from it and {} written to it.",
            Slice::new(mover, opponent),
            bytes(memory),
            bytes(scratch),
            bytes(read),
            bytes(written),
        ))?;
    }
    match fits {
        Ok(()) => print(&format!("This fits in {} of memory.", bytes(options.memory))),
        Err(error) => Err(error.into()),
    }
}

#[derive(Serialize)]
struct Built {
    board: String,
    rules: RuleNames,
    folder: String,
    slices: Vec<BuiltJson>,
    seconds: f64,
}

#[derive(Serialize)]
struct BuiltJson {
    metric: Metric,
    mover: usize,
    opponent: usize,
    positions: u64,
    bytes: u64,
    identity: String,
}

fn start(options: &BuildOptions, arguments: &Arguments, ranks: &dyn Ranks) -> CliResult {
    let (start, json) = (Instant::now(), arguments.json);
    let tiles = TileOptions { scratch: arguments.scratch.clone(), tiling: None };
    let folder = options.database.join(folder_name(options.size, options.rules));
    let mut built = Vec::new();
    for &metric in arguments.metric.metrics() {
        built.extend(watched(options, metric, Some((&tiles, ranks)))?);
    }
    let seconds = start.elapsed().as_secs_f64();
    if ranks.rank() > 0 {
        return Ok(());
    }
    if json {
        let slices = built.iter().map(|BuiltSlice { slice, header, .. }| BuiltJson {
            metric: header.metric,
            mover: slice.mover,
            opponent: slice.opponent,
            positions: header.counts.positions,
            bytes: header.file_bytes,
            identity: format!("{:032x}", header.identity),
        });
        return print_json(&Built {
            board: options.size.to_string(),
            rules: options.rules.into(),
            folder: folder.display().to_string(),
            slices: slices.collect(),
            seconds,
        });
    }
    if built.is_empty() {
        let what = match options.goal {
            Goal::Stones(stones) => format!("Every slice of up to {stones} stones"),
            Goal::Slice(slice) => format!("{slice} and what it takes"),
        };
        return print(&format!("{what} is already in {}.", folder.display()));
    }
    let of = |metric| built.iter().filter(move |slice| slice.header.metric == metric);
    let positions = |metric| of(metric).map(|slice| slice.header.counts.positions).sum::<u64>();
    let positions = Metric::ALL.map(positions).into_iter().max().unwrap_or(0);
    let size: u64 = built.iter().map(|slice| slice.header.file_bytes).sum();
    let order = if options.size.is_square() { 8 } else { 4 };
    print(&format!(
        "Built {} tables, {} positions, in {}: {} in {} ({:.3} bits per canonical position).",
        built.len(),
        grouped(positions),
        duration(seconds),
        bytes(size),
        folder.display(),
        bits_per_canonical(size, positions, order),
    ))
}

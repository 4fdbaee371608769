//! `fanorona build`: tables for every position of a board with up to a given number of stones.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use crate::index::{Slice, Space, placements};
use crate::report::{RuleNames, bits_per_canonical};
use crate::retro::{
    BuildEvent, BuildOptions, BuiltSlice, Goal, Phase, Rates, SliceEstimate, build, build_depths, check_depth_memory,
    check_memory, check_size, estimate, pair_work,
};
use crate::table::{Metric, folder_name, slices_in};

use super::interrupt;
use super::options::{TableOptions, ThreadsOption, bytes, duration, free_memory, grouped};
use super::progress::Progress;
use super::{Done, Failure, print, print_json};

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

/// A share of the work on a pair that each phase is taken to be, for the progress bar.
const CAPTURE_SHARE: f64 = 0.7;
const PAIKA_SHARE: f64 = 0.25;

pub fn run(arguments: &Arguments) -> Done {
    let options = BuildOptions {
        database: arguments.tables.database.folder.clone(),
        size: arguments.tables.size,
        rules: arguments.tables.rules.rules(),
        goal: arguments.goal.goal(),
        memory: arguments.memory.map_or_else(free_memory, |memory| memory.as_u64()),
    };
    check_size(options.size, options.goal)?;
    // Only complete files have their names, so there is nothing else to put in order before leaving.
    interrupt::ends_program("interrupted; the same command goes on from the last complete slice")?;
    arguments.threads.run(|| {
        if arguments.dry_run {
            dry_run(&options, arguments.metric.metrics(), arguments.json)
        } else {
            start(&options, arguments.metric.metrics(), arguments.json)
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

fn dry_run(options: &BuildOptions, metrics: &[Metric], json: bool) -> Done {
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
        Metric::Wdl => check_memory(&space, options.memory, &all),
        Metric::Dtw => check_depth_memory(&space, options.memory, &all),
    });
    if json {
        print_json(&DryRun {
            board: options.size.to_string(),
            rules: options.rules.into(),
            threads,
            slices,
            totals,
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
    match fits {
        Ok(()) => print(&format!("This fits in {} of memory.", bytes(options.memory))),
        Err(error) => Err(error.into()),
    }
}

/// A table without frames, numbers to the right.
pub fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
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

fn start(options: &BuildOptions, metrics: &[Metric], json: bool) -> Done {
    let start = Instant::now();
    let folder = options.database.join(folder_name(options.size, options.rules));
    let mut built = Vec::new();
    for &metric in metrics {
        built.extend(watched(options, metric)?);
    }
    let seconds = start.elapsed().as_secs_f64();
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

/// Builds what is missing, and shows progress.
pub fn watched(options: &BuildOptions, metric: Metric) -> Result<Vec<BuiltSlice>, Failure> {
    let folder = options.database.join(folder_name(options.size, options.rules));
    let watch = Watch::new(options, &slices_in(&folder, metric)?);
    let hear = |event: BuildEvent<'_>| watch.hear(event);
    let built = match metric {
        Metric::Wdl => build(options, &hear),
        Metric::Dtw => build_depths(options, &hear),
    };
    watch.progress.finish();
    Ok(built?)
}

/// Turns events of a build into progress.
struct Watch {
    progress: Progress,
    points: usize,
    /// Work of all pairs before each pair, and of the pair itself.
    pairs: Vec<(Slice, f64, f64)>,
    /// Positions of finished slices, for the rate.
    positions: AtomicU64,
    start: Instant,
    /// Opponent orbits whose captures are done in the pair, of those of both slices.
    captured: Mutex<Vec<(Slice, f64)>>,
}

impl Watch {
    fn new(options: &BuildOptions, present: &[Slice]) -> Self {
        let space = Space::new(options.size, options.rules.diagonals);
        let points = options.size.points();
        let mut sum = 0.0;
        let mut work = Vec::new();
        for slice in options.goal.pairs(points) {
            if present.contains(&slice) && present.contains(&slice.twin()) {
                continue;
            }
            let seconds = Rates::TYPICAL.seconds(pair_work(&space, slice));
            work.push((slice, sum, seconds));
            sum += seconds;
        }
        let progress = Progress::new(sum);
        let (positions, start) = (AtomicU64::new(0), Instant::now());
        Self { progress, points, pairs: work, positions, start, captured: Mutex::default() }
    }

    #[allow(clippy::cast_precision_loss)] // for a progress bar
    fn hear(&self, event: BuildEvent<'_>) {
        match event {
            BuildEvent::Loading(slice) => self.progress.line(&format!("reading {slice}")),
            BuildEvent::Begin(slice) => {
                self.captured.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
                self.show(slice, 0.0, || "captures".to_owned());
            }
            BuildEvent::Phase(pair, Phase::Captures { slice, done, total }) => {
                let mut captured = self.captured.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                captured.retain(|entry| entry.0 != slice);
                captured.push((slice, done as f64 / total as f64));
                let slices = if pair == pair.twin() { 1.0 } else { 2.0 };
                let share = captured.iter().map(|entry| entry.1).sum::<f64>() / slices * CAPTURE_SHARE;
                self.show(pair, share, || format!("captures of {slice}"));
            }
            BuildEvent::Phase(pair, Phase::Paikas { steps, .. }) => {
                // Steps become quicker as less changes; nobody knows beforehand how many there will be.
                let share = 1.0 - 1.0 / (1.0 + steps as f64 / 4.0);
                self.show(pair, CAPTURE_SHARE + PAIKA_SHARE * share, || format!("paikas, step {steps}"));
            }
            BuildEvent::Phase(pair, Phase::Turning) => {
                self.show(pair, CAPTURE_SHARE + PAIKA_SHARE, || "turning planes".to_owned());
            }
            BuildEvent::Writing(slice) => {
                let pair = if slice.mover < slice.opponent { slice.twin() } else { slice };
                self.show(pair, CAPTURE_SHARE + PAIKA_SHARE, || format!("writing {slice}"));
            }
            BuildEvent::Done(BuiltSlice { slice, header, seconds }) => {
                self.positions.fetch_add(placements(self.points, *slice), Ordering::Relaxed);
                let counts = header.counts;
                self.progress.line(&format!(
                    "{slice}.{}: {} positions, {} won, {} drawn, {} lost; {} after {}",
                    header.metric,
                    grouped(counts.positions),
                    grouped(counts.wins),
                    grouped(counts.draws),
                    grouped(counts.losses),
                    bytes(header.file_bytes),
                    duration(*seconds),
                ));
            }
        }
    }

    #[allow(clippy::cast_precision_loss)]
    fn show(&self, pair: Slice, share: f64, phase: impl FnOnce() -> String) {
        let Some((_, before, own)) = self.pairs.iter().find(|entry| entry.0 == pair) else { return };
        self.progress.set(before + own * share, || {
            let rate = self.positions.load(Ordering::Relaxed) as f64 / self.start.elapsed().as_secs_f64() / 1e6;
            format!("{pair} and twin: {}, {rate:.1} M positions/s", phase())
        });
    }
}

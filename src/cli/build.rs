//! `fanorona build`: tables for every position of a board with up to a given number of stones.

use std::path::PathBuf;
use std::time::Instant;

use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::board::BoardSize;
use crate::index::{Slice, SliceSet};
use crate::report::tables_text;
use crate::retro::{Budget, BuildError, BuiltSlice, Communicator, Cost, Form, Goal, PairPlan, Plan, Rates, plan};
use crate::rules::RuleSet;
use crate::table::Metric;

use super::build_progress::execute_with_progress;
use super::interrupt;
use super::options::{TableOptions, ThreadsOption, bytes, counted, duration, free_memory, grouped};
use super::output::{CliResult, Failure, print, print_json, table};
use super::processes::Processes;
use super::values::{read_number, read_size};

/// Build tables of all positions with up to N stones, or of single slices
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    tables: TableOptions,
    #[command(flatten)]
    slices: SliceOptions,
    /// What to build: values (who wins), depths (in how many plies), or both
    #[arg(long, value_enum, default_value = "wdl")]
    metric: MetricOption,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Memory for each process, such as 12G; what is free if not given
    #[arg(long, value_parser = read_size, value_name = "SIZE")]
    memory: Option<ByteSize>,
    /// Folder for scratch files, of pairs that need more memory and of crowded slices that wait; that of the tables if not given
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Print the plan of the build, and build nothing
    #[arg(long)]
    dry_run: bool,
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

/// Which slices to build.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
struct SliceOptions {
    /// The largest number of stones, of both colours together
    #[arg(long, value_parser = read_number::<usize>, value_name = "N")]
    stones: Option<usize>,
    /// A slice such as 5v3, with its twin 3v5 and every slice that captures lead to; may be given several times
    #[arg(long = "slice", value_name = "SLICE")]
    slices: Vec<Slice>,
}

impl SliceOptions {
    /// The slices on a board, which has no more stones than points.
    fn set(&self, size: BoardSize) -> SliceSet {
        let (stones, points) = (self.stones.unwrap_or(0), size.points());
        if stones > points {
            note!("{size} has {points} points: tables to {points} stones have every position");
        }
        SliceSet::new(stones.min(points), self.slices.iter().copied())
    }
}

/// What to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MetricOption {
    /// Win, draw or loss
    Wdl,
    /// Plies to the end of the game, for slices whose values are built already
    Dtw,
    /// Values, then depths
    Both,
}

pub fn run(arguments: &Arguments) -> CliResult {
    let processes = Processes::join()?;
    let done = run_on(arguments, &processes);
    processes.end(done)
}

fn run_on(arguments: &Arguments, processes: &Processes) -> CliResult {
    let communicator = processes.communicator();
    // Only complete files have their final names, so there is nothing else to clean up. What ends one of several processes
    // ends all of them, and the first one reports it.
    interrupt::ends_program(match communicator.rank() {
        0 => {
            "interrupted; the same command continues from the last complete slice, and inside one that is built from tiles or layers"
        }
        _ => "",
    })?;
    arguments.threads.run(|| {
        let memory = arguments.memory.map_or_else(|| free_memory() / processes.neighbours(), |memory| memory.as_u64());
        let tables = &arguments.tables;
        let goal = match arguments.metric {
            MetricOption::Wdl => Goal::values,
            MetricOption::Dtw => Goal::depths,
            MetricOption::Both => Goal::both,
        };
        let goal = goal(tables.size, tables.rules.rule_set(), arguments.slices.set(tables.size));
        let there = arguments.scratch.iter().find_map(|scratch| scratch.ancestors().find(|path| path.exists()));
        if let Some(scratch) = there.filter(|path| !path.is_dir()) {
            return Err(Failure::Text(format!("{} is not a folder; choose another (--scratch)", scratch.display())));
        }
        let budget = Budget { scratch: arguments.scratch.clone(), ..Budget::new(memory) }.shared(communicator);
        let plan = plan(goal, &tables.database.folder, budget)?;
        if !arguments.dry_run {
            start(&plan, arguments.json, communicator)
        } else if communicator.rank() == 0 {
            print_plan(&plan, arguments.json)
        } else {
            Ok(())
        }
    })?
}

#[derive(Serialize)]
struct PlanJson<'p> {
    board: String,
    rules: RuleSet,
    threads: usize,
    pairs: Vec<PairJson<'p>>,
    totals: Cost,
    memory_allowed: u64,
    fits: bool,
}

#[derive(Serialize)]
struct PairJson<'p> {
    #[serde(flatten)]
    pair: &'p PairPlan,
    /// Both tables are there already.
    built: bool,
    seconds: f64,
}

impl<'p> PairJson<'p> {
    fn new(pair: &'p PairPlan, rates: &Rates) -> Self {
        Self { pair, built: pair.is_built(), seconds: rates.seconds(pair.work) }
    }
}

fn print_plan(plan: &Plan, json: bool) -> CliResult {
    let (goal, threads) = (&plan.goal, plan.budget.threads);
    let rates = Rates::calibrate(goal.size, goal.rules, goal.slices.most_stones());
    let totals = plan.cost(&rates);
    let fits = plan.check();
    if json {
        print_json(&PlanJson {
            board: goal.size.to_string(),
            rules: goal.rules,
            threads,
            pairs: plan.pairs.iter().map(|pair| PairJson::new(pair, &rates)).collect(),
            totals,
            memory_allowed: plan.budget.memory,
            fits: !matches!(fits, Err(BuildError::Memory { .. })),
        })?;
        return Ok(fits?);
    }
    let mut table = table(["pair", "table", "positions", "form, fill", "memory", "disk", "time"]);
    for pair in &plan.pairs {
        let form = if pair.is_built() { "built".to_owned() } else { pair.form.to_string() };
        table.add_row([
            pair.slice.to_string(),
            pair.metric.to_string(),
            grouped(pair.positions),
            format!("{form}, {:.0} %", 100.0 * pair.fill),
            bytes(pair.memory),
            bytes(pair.disk),
            duration(rates.seconds(pair.work)),
        ]);
    }
    let Cost { positions, memory, disk, seconds } = totals;
    let empty = String::new;
    table.add_row([
        "all".to_owned(),
        empty(),
        grouped(positions),
        empty(),
        bytes(memory),
        bytes(disk),
        duration(seconds),
    ]);
    let noun = if threads == 1 { "thread" } else { "threads" };
    print(&format!("{}, {}, {threads} {noun}: estimates for this machine\n{table}", goal.size, goal.rules))?;
    print("A pair is a slice and its twin. The last line adds up the pairs of which a table is still to be built.")?;
    if plan.pairs.iter().any(|pair| pair.form == Form::Crowded) {
        print(
            "Fill is the share of a plane's bits that stand for positions; in the others the two sets overlap. Where it\n\
             is low, a pair is solved in crowded form: by rows of the same empty points, without padding.",
        )?;
    }
    for PairPlan { slice, form, memory, scratch, .. } in plan.missing().filter(|pair| pair.form.uses_scratch()) {
        let what = if *form == Form::Layers { "depths from layers" } else { "values from tiles" };
        print(&format!(
            "{slice} and twin: {what}, in {} of memory at least; up to {} of scratch, about {} read from it and {} written to it.",
            bytes(*memory),
            bytes(scratch.bytes),
            bytes(scratch.read),
            bytes(scratch.written),
        ))?;
    }
    let waiting = plan.missing().filter(|pair| pair.form == Form::Crowded).map(|pair| pair.scratch.bytes).max();
    if let Some(most) = waiting.filter(|&most| most > plan.budget.kept) {
        print(&format!("Slices in crowded form that later pairs need are kept in up to {} of scratch.", bytes(most)))?;
    }
    match fits {
        Ok(()) => print(&format!("This fits in {} of memory.", bytes(plan.budget.memory))),
        Err(error) => Err(error.into()),
    }
}

#[derive(Serialize)]
struct Built {
    board: String,
    rules: RuleSet,
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

fn start(plan: &Plan, json: bool, communicator: &dyn Communicator) -> CliResult {
    let (start, goal, folder) = (Instant::now(), &plan.goal, &plan.folder);
    if let Some((needed, free)) = plan.shortage().filter(|_| communicator.rank() == 0) {
        let (needed, free) = (bytes(needed), bytes(free));
        note!(
            "The build may take {needed} on the disk, and {free} are free. Should it run out of space, the same command continues."
        );
    }
    let built = execute_with_progress(plan, communicator)?;
    let seconds = start.elapsed().as_secs_f64();
    if communicator.rank() > 0 {
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
            board: goal.size.to_string(),
            rules: goal.rules,
            folder: folder.display().to_string(),
            slices: slices.collect(),
            seconds,
        });
    }
    if built.is_empty() {
        return print(&format!("{} already has {}.", folder.display(), tables_text(goal.slices)));
    }
    let of = |metric| built.iter().filter(move |slice| slice.header.metric == metric);
    let positions = |metric| of(metric).map(|slice| slice.header.counts.positions).sum::<u64>();
    let positions = Metric::ALL.map(positions).into_iter().max().unwrap_or(0);
    let size: u64 = built.iter().map(|slice| slice.header.file_bytes).sum();
    print(&format!(
        "Built {}, {}, in {}: {} in {}.",
        counted(built.len() as u64, "table"),
        counted(positions, "position"),
        duration(seconds),
        bytes(size),
        folder.display(),
    ))
}

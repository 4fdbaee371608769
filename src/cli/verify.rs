//! `fanorona verify`: checks the tables of a board.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

use clap::Args as ClapArgs;
use serde::Serialize;

use crate::index::{Slice, SliceSet, placements};
use crate::knowledge::{Extent, forget_verified, record_verified};
use crate::report::{slice_names, tables_text};
use crate::retro::{check_size, closed, load_depths, load_values};
use crate::rules::RuleSet;
use crate::table::{Counts, DEFAULT_CACHE_BYTES, Depths, LoadedDepths, Metric, TableError, Tables, file_name};
use crate::verify::{Failure as Wrong, Tally, Timed, Values, Verifier};

use super::options::{TableOptions, ThreadsOption, duration, grouped};
use super::output::{CliResult, Failure, print, print_json};
use super::progress::{Loading, Progress};
use super::values::read_number;

/// Verify tables: every checksum, then values against the values one turn later
///
/// The checksums cover every byte. Values are compared with the values after each turn, which an independent move generator
/// finds: samples, or with --full all of them. If all are consistent, every draw is proved. A win is proved not to contradict
/// any other value, which rules out single errors but not wins that depend on each other in a circle. With depth tables every
/// win and loss is proved too: its depth falls by one with every turn.
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    #[command(flatten)]
    tables: TableOptions,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Random positions to check in each slice; all, if it has no more [default: 20000, or like --full where that takes no longer]
    #[arg(long, value_name = "N", conflicts_with = "full", value_parser = read_number::<NonZero<u64>>)]
    sample: Option<NonZero<u64>>,
    /// Random seed
    #[arg(long, value_parser = read_number::<u64>, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Check every position of every slice, and recount wins, draws and losses
    #[arg(long)]
    full: bool,
    /// Print JSON at the end
    #[arg(long)]
    json: bool,
}

/// The usual number of random positions in each slice.
const SAMPLE: u64 = 20_000;

/// A random position takes as long as this many when all are checked, or longer.
const TOGETHER: u64 = 16;

/// A verification: the JSON form.
#[derive(Serialize)]
struct Report {
    board: String,
    rules: RuleSet,
    /// Files whose checksums are correct.
    files: usize,
    checks: Vec<Check>,
    /// Tables that rest on missing ones.
    unverified: Vec<Unverified>,
}

/// What was held against the positions one turn later, and found right.
#[derive(Serialize)]
struct Check {
    /// What of the tables, in words.
    checked: &'static str,
    slices: Vec<Slice>,
    positions: u64,
    verdict: &'static str,
    seconds: f64,
}

#[derive(Serialize)]
struct Unverified {
    mover: usize,
    opponent: usize,
    metric: Metric,
}

pub fn run(arguments: &Arguments) -> CliResult {
    check_size(arguments.tables.size, 2)?;
    arguments.threads.run(|| verify(arguments))?
}

fn verify(arguments: &Arguments) -> CliResult {
    let (size, rules) = (arguments.tables.size, arguments.tables.rules.rule_set());
    let tables = Tables::open(&arguments.tables.database, size, rules, DEFAULT_CACHE_BYTES)?;
    let folder = tables.folder();
    if folder.tables().next().is_none() {
        return Err(arguments.tables.missing("tables", folder));
    }
    let slices = closed(&folder.tables().map(|(slice, _)| slice).collect());
    check_sums(&tables)?;
    let files = folder.tables().count() + folder.depth_tables().count();
    if !arguments.json {
        print(&format!("{files} files: every checksum is correct"))?;
    }
    let points = size.points();
    let count = |most: u64| slices.iter().map(|&slice| placements(points, slice).min(most)).sum::<u64>();
    let full = arguments.full || arguments.sample.is_none() && count(u64::MAX) <= TOGETHER * count(SAMPLE);
    let mut checks = Vec::new();
    let mut run = |checked, slices: &[Slice], verdict, check: &dyn Fn() -> CliResult<u64>| {
        let start = Instant::now();
        let positions = check()?;
        let check =
            Check { checked, slices: slices.to_vec(), positions, verdict, seconds: start.elapsed().as_secs_f64() };
        if !arguments.json {
            print(&format!("{size}, {rules}, {}", check.text(points)))?;
        }
        checks.push(check);
        CliResult::Ok(())
    };
    let deep: BTreeSet<Slice> = folder.depth_tables().map(|(slice, _)| slice).collect();
    let deep = closed(&slices.iter().copied().filter(|slice| deep.contains(slice)).collect());
    // Proved depths also prove values.
    let shallow: Vec<Slice> = slices.iter().copied().filter(|slice| !full || !deep.contains(slice)).collect();
    let mut extents: BTreeMap<Slice, Extent> = BTreeMap::new();
    if !shallow.is_empty() {
        let checked = if shallow.len() == slices.len() { "values" } else { "values without depths" };
        run(checked, &shallow, "consistent", &|| {
            if !full {
                return sample(arguments, &tables, &shallow, &tables);
            }
            let values = load_values(&tables, Loading::new(&slices, points).slices())?;
            every_position(&tables, &shallow, &values, &|_, _| Ok(()))
        })?;
        let extent = if full { Extent::Values } else { Extent::Samples };
        extents.extend(shallow.iter().map(|&slice| (slice, extent)));
    }
    if !deep.is_empty() {
        let [checked, verdict] = if full { ["values and depths", "proved"] } else { ["depths", "consistent"] };
        run(checked, &deep, verdict, &|| {
            if !full {
                return sample(arguments, &tables, &deep, &DepthsOf(&tables));
            }
            let depths = load_depths(&tables, Loading::new(&deep, points).slices())?;
            every_position(&tables, &deep, &depths, &|slice, tally| confirm_summary(&tables, &depths, slice, tally))
        })?;
        if full {
            extents.extend(deep.iter().map(|&slice| (slice, Extent::Depths)));
        }
    }
    let mut unverified = left_out("Values", Metric::Wdl, folder.tables().map(|(slice, _)| slice), &slices);
    unverified.extend(left_out("Depths", Metric::Dtw, folder.depth_tables().map(|(slice, _)| slice), &deep));
    let today = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    if let Err(error) = record_verified(folder, extents, today.split('T').next().unwrap_or_default()) {
        note!("The verification is not recorded: {error}");
    }
    if arguments.json {
        print_json(&Report { board: size.to_string(), rules, files, checks, unverified })?;
    }
    Ok(())
}

impl Check {
    /// In words; `points` are those of the board.
    fn text(&self, points: usize) -> String {
        // The set has whatever its slices lead to.
        let set: SliceSet = self.slices.iter().copied().collect();
        let is_whole = set.slices(points).count() == self.slices.len();
        let tables = if is_whole { tables_text(set) } else { slice_names(self.slices.iter().copied()) };
        let all: u64 = self.slices.iter().map(|&slice| placements(points, slice)).sum();
        let random = if self.positions == all { "" } else { "random " };
        let (positions, seconds) = (grouped(self.positions), duration(self.seconds));
        format!(
            "{} of {tables}: {positions} {random}positions checked, all {}, in {seconds}",
            self.checked, self.verdict
        )
    }
}

/// Compares the summary of a depth table with its positions.
fn confirm_summary(tables: &Tables, depths: &LoadedDepths, slice: Slice, tally: &Tally) -> CliResult {
    let table = tables.folder().depths(slice).ok_or_else(|| gone(slice))?;
    let Depths { wins, losses, longest_win, longest_loss } = table.depths()?;
    let label = |mover, opponent| depths.value(mover, opponent).ok().flatten();
    if tally.confirms([&wins, &losses], [longest_win, longest_loss], label) {
        return Ok(());
    }
    let text = format!(
        "{slice}: the summary of its depths does not match its positions; delete {} and build again",
        file_name(slice, Metric::Dtw)
    );
    Err(refuted(tables, text))
}

/// The tables that have been left out, which it reports.
fn left_out(what: &str, metric: Metric, all: impl Iterator<Item = Slice>, verified: &[Slice]) -> Vec<Unverified> {
    let left: Vec<Slice> = all.filter(|slice| !verified.contains(slice)).collect();
    if !left.is_empty() {
        let names = slice_names(left.iter().copied());
        note!("{what} that are not verified, because tables that they depend on are missing: {names}");
    }
    left.into_iter().map(|Slice { mover, opponent }| Unverified { mover, opponent, metric }).collect()
}

/// Verifies every checksum, and names every file that is damaged.
#[allow(clippy::cast_precision_loss)] // for a progress bar
fn check_sums(tables: &Tables) -> CliResult {
    let folder = tables.folder();
    let both = || folder.tables().chain(folder.depth_tables());
    let blocks: u64 = both().map(|(_, table)| table.header().entries()).sum();
    let progress = Progress::new(blocks as f64);
    let done = AtomicU64::new(0);
    let mut wrong = Vec::new();
    for (slice, table) in both() {
        let verified = table.verify(&|| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.set(done as f64, || format!("checksums of {slice}"));
        });
        wrong.extend(verified.err());
    }
    progress.finish();
    let last = wrong.pop();
    for error in wrong {
        note!("{error}");
    }
    last.map_or(Ok(()), |error| Err(error.into()))
}

#[allow(clippy::cast_precision_loss)]
fn sample<V: Values>(arguments: &Arguments, tables: &Tables, slices: &[Slice], values: &V) -> CliResult<u64>
where
    V::Error: std::fmt::Display,
{
    let rules = tables.rules();
    let verifier = Verifier::new(rules.board().clone(), rules.rule_set(), values);
    let (points, most) = (arguments.tables.size.points(), arguments.sample.map_or(SAMPLE, NonZero::get));
    let total: u64 = slices.iter().map(|&slice| placements(points, slice).min(most)).sum();
    let progress = Progress::new(total as f64);
    let done = AtomicU64::new(0);
    for &slice in slices {
        let all = placements(points, slice);
        let advance = |count| {
            let done = done.fetch_add(count, Ordering::Relaxed) + count;
            progress.set(done as f64, || format!("sampling {slice}"));
        };
        let result = if all <= most {
            verifier.full(slice, &advance).map(drop)
        } else {
            verifier.sample(slice, most, arguments.seed, &advance)
        };
        result.map_err(|wrong| describe(tables, slice, wrong))?;
    }
    progress.finish();
    Ok(total)
}

#[allow(clippy::cast_precision_loss)]
fn every_position<V: Values>(
    tables: &Tables,
    slices: &[Slice],
    values: &V,
    compare: &dyn Fn(Slice, &Tally) -> CliResult,
) -> CliResult<u64>
where
    V::Error: std::fmt::Display,
{
    let (space, rules) = (tables.space(), tables.rules());
    let verifier = Verifier::new(rules.board().clone(), rules.rule_set(), values);
    let total: f64 = slices.iter().map(|&slice| space.placements(slice) as f64).sum();
    let progress = Progress::new(total);
    let done = AtomicU64::new(0);
    let mut positions = 0;
    for &slice in slices {
        let tally = verifier.full(slice, &|count| {
            let done = done.fetch_add(count, Ordering::Relaxed) + count;
            progress.set(done as f64, || format!("every position of {slice}"));
        });
        let tally = tally.map_err(|wrong| describe(tables, slice, wrong))?;
        let Counts { positions: all, wins, draws, losses, quiet } =
            tables.folder().get(slice).ok_or_else(|| gone(slice))?.header().counts;
        if (tally.wins, tally.draws, tally.losses, tally.quiet) != (wins, draws, losses, quiet) {
            let text = format!(
                "{slice}: recounted {} wins, {} draws, {} losses and {} quiet positions, but its header says {wins}, {draws}, \
                 {losses} and {quiet}; delete the file and build again",
                tally.wins, tally.draws, tally.losses, tally.quiet
            );
            return Err(refuted(tables, text));
        }
        compare(slice, &tally)?;
        positions += all;
    }
    progress.finish();
    Ok(positions)
}

fn gone(slice: Slice) -> Failure {
    Failure::Text(format!("the table of {slice} disappeared while it was being verified"))
}

/// The depths of mapped tables.
struct DepthsOf<'a>(&'a Tables);

impl Values for DepthsOf<'_> {
    type Label = Timed;
    type Error = TableError;

    fn value(&self, mover: u64, opponent: u64) -> Result<Option<Timed>, TableError> {
        Ok(self.0.score(mover, opponent)?.map(Timed::from))
    }
}

fn describe<E: std::fmt::Display>(tables: &Tables, slice: Slice, wrong: Wrong<E>) -> Failure {
    match wrong {
        Wrong::Contradiction(contradiction) => {
            refuted(tables, format!("{slice}: {contradiction}; delete the tables of this board and build again"))
        }
        Wrong::Unreadable(error) => Failure::Text(error.to_string()),
    }
}

/// What is wrong with tables; that they were once verified no longer counts.
fn refuted(tables: &Tables, text: String) -> Failure {
    match forget_verified(tables.folder()) {
        Ok(()) => Failure::Text(text),
        Err(error) => {
            Failure::Text(format!("{text} (the record of earlier verifications could not be removed: {error})"))
        }
    }
}

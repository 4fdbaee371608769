//! `fanorona verify`: checks the tables of a board.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

use clap::Args as ClapArgs;

use crate::index::{Slice, binomial};
use crate::knowledge::{Extent, record_verified};
use crate::retro::{check_size, closed, load_depths, load_values};
use crate::table::{Counts, DEFAULT_CACHE_BYTES, Depths, Metric, TableError, Tables, file_name};
use crate::verify::{Failure as Wrong, Tally, Timed, Values, Verifier};

use super::options::{TableOptions, ThreadsOption, duration, grouped};
use super::output::{CliResult, Failure, print};
use super::progress::Progress;

/// Verify tables: every checksum, then each value against the values one turn later
///
/// The checksums cover every byte. Each value is compared with the values after each turn, which an independent move generator
/// finds. If all are consistent, every draw is proved. A win is proved not to contradict any other value, which rules out
/// single errors but not wins that depend on each other in a circle. With depth tables every win and loss is proved too: its
/// depth falls by one with every turn.
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    #[command(flatten)]
    tables: TableOptions,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Random positions to check in each slice
    #[arg(long, value_name = "N", default_value_t = 20_000, conflicts_with = "full", value_parser = clap::value_parser!(u64).range(1..))]
    sample: u64,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Check every position of every slice, and recount wins, draws and losses
    #[arg(long)]
    full: bool,
}

pub fn run(arguments: &Arguments) -> CliResult {
    check_size(arguments.tables.size, 2)?;
    arguments.threads.run(|| verify(arguments))?
}

fn verify(arguments: &Arguments) -> CliResult {
    let (size, rules) = (arguments.tables.size, arguments.tables.rules.rule_set());
    let tables = Tables::open(&arguments.tables.database, size, rules, DEFAULT_CACHE_BYTES)?;
    let folder = tables.folder();
    let slices = closed(&folder.tables().map(|(slice, _)| slice).collect());
    if slices.is_empty() {
        return Err(arguments.tables.missing("complete tables", folder));
    }
    let stones = folder.complete_up_to(size.points());
    check_sums(&tables)?;
    let files = tables.folder().tables().count() + tables.folder().depth_tables().count();
    print(&format!("{files} files: every checksum is correct"))?;
    let deep: BTreeSet<Slice> = folder.depth_tables().map(|(slice, _)| slice).collect();
    let deep = closed(&slices.iter().copied().filter(|slice| deep.contains(slice)).collect());
    // Proved depths also prove values.
    let shallow: Vec<Slice> = slices.iter().copied().filter(|slice| !arguments.full || !deep.contains(slice)).collect();
    let mut extents: BTreeMap<Slice, Extent> = BTreeMap::new();
    if !shallow.is_empty() {
        let start = Instant::now();
        let checked = if arguments.full {
            let values = load_values(&tables, slices.iter().copied())?;
            every_position(&tables, &shallow, &values, &|_, _| Ok(()))?
        } else {
            sample(arguments, &tables, &shallow, &tables)?
        };
        let which = if shallow.len() == slices.len() { "values" } else { "values without depths" };
        let reach = reach(stones, &shallow);
        print_checked(arguments, &format!("{which} {reach}"), checked, "consistent", start)?;
        let extent = if arguments.full { Extent::Values } else { Extent::Samples };
        extents.extend(shallow.iter().map(|&slice| (slice, extent)));
    }
    if !deep.is_empty() {
        let start = Instant::now();
        let reach = reach(folder.depths_up_to(size.points()), &deep);
        if arguments.full {
            let depths = load_depths(&tables, deep.iter().copied())?;
            let label = |mover, opponent| depths.value(mover, opponent).ok().flatten();
            let checked = every_position(&tables, &deep, &depths, &|slice, tally| {
                let table = tables.folder().depths(slice).ok_or_else(|| gone(slice))?;
                let summary = table.depths()?;
                let Depths { wins, losses, longest_win, longest_loss } = &summary;
                if tally.confirms([wins, losses], [*longest_win, *longest_loss], label) {
                    return Ok(());
                }
                Err(Failure::Text(format!(
                    "{slice}: the summary of its depths is not what its positions make it; delete {} and build again",
                    file_name(slice, Metric::Dtw)
                )))
            })?;
            print_checked(arguments, &format!("values and depths {reach}"), checked, "proved", start)?;
            extents.extend(deep.iter().map(|&slice| (slice, Extent::Depths)));
        } else {
            let checked = sample(arguments, &tables, &deep, &DepthsOf(&tables))?;
            print_checked(arguments, &format!("depths {reach}"), checked, "consistent", start)?;
        }
    }
    note_left("Values", folder.tables().map(|(slice, _)| slice), &slices);
    note_left("Depths", folder.depth_tables().map(|(slice, _)| slice), &deep);
    let today = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    if let Err(error) = record_verified(folder, extents, today.split('T').next().unwrap_or_default()) {
        note!("The verification is not recorded: {error}");
    }
    Ok(())
}

/// Says which tables have been left out.
fn note_left(what: &str, all: impl Iterator<Item = Slice>, verified: &[Slice]) {
    let left: Vec<String> = all.filter(|slice| !verified.contains(slice)).map(|slice| slice.to_string()).collect();
    if !left.is_empty() {
        note!("{what} that are not verified, because tables that they rest on are missing: {}", left.join(", "));
    }
}

fn print_checked(arguments: &Arguments, what: &str, checked: u64, verdict: &str, start: Instant) -> CliResult {
    let (size, rules) = (arguments.tables.size, arguments.tables.rules.rule_set());
    let (checked, seconds) = (grouped(checked), duration(start.elapsed().as_secs_f64()));
    print(&format!("{size}, {rules}, {what}: {checked} positions checked, all {verdict}, in {seconds}"))
}

/// Describes slices as [`closed`] returns them: all up to `stones`, and others.
fn reach(stones: usize, slices: &[Slice]) -> String {
    let more: Vec<String> = slices.iter().filter(|s| s.stones() > stones).map(ToString::to_string).collect();
    if more.is_empty() { format!("to {stones} stones") } else { format!("to {stones} stones and {}", more.join(", ")) }
}

/// Verifies every checksum.
#[allow(clippy::cast_precision_loss)] // for a progress bar
fn check_sums(tables: &Tables) -> CliResult {
    let folder = tables.folder();
    let both = || folder.tables().chain(folder.depth_tables());
    let blocks: u64 = both().map(|(_, table)| table.header().entries()).sum();
    let progress = Progress::new(blocks as f64);
    let done = AtomicU64::new(0);
    for (slice, table) in both() {
        table.verify(tables.space(), &|| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.set(done as f64, || format!("checksums of {slice}"));
        })?;
    }
    progress.finish();
    Ok(())
}

#[allow(clippy::cast_precision_loss)]
fn sample<V: Values>(arguments: &Arguments, tables: &Tables, slices: &[Slice], values: &V) -> CliResult<u64>
where
    V::Error: std::fmt::Display,
{
    let rules = tables.rules();
    let verifier = Verifier::new(rules.board().clone(), rules.rule_set(), values);
    let per_slice =
        |slice: Slice| arguments.sample.min(crate::index::placements(arguments.tables.size.points(), slice));
    let total: u64 = slices.iter().map(|&slice| per_slice(slice)).sum();
    let progress = Progress::new(total as f64);
    let done = AtomicU64::new(0);
    for &slice in slices {
        let result = verifier.sample(slice, per_slice(slice), arguments.seed, &|count| {
            let done = done.fetch_add(count, Ordering::Relaxed) + count;
            progress.set(done as f64, || format!("sampling {slice}"));
        });
        result.map_err(|wrong| describe(slice, wrong))?;
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
    let size = rules.board().size();
    let verifier = Verifier::new(rules.board().clone(), rules.rule_set(), values);
    let total: f64 = slices.iter().map(|&slice| space.placements(slice) as f64).sum();
    let progress = Progress::new(total);
    let done = AtomicU64::new(0);
    let mut positions = 0;
    for &slice in slices {
        let each = space.placements(slice) / binomial(size.points(), slice.opponent);
        let tally = verifier.full(slice, &|sets| {
            let done = done.fetch_add(sets * each, Ordering::Relaxed) + sets * each;
            progress.set(done as f64, || format!("every position of {slice}"));
        });
        let tally = tally.map_err(|wrong| describe(slice, wrong))?;
        let Counts { wins, draws, losses, .. } = tables.folder().get(slice).ok_or_else(|| gone(slice))?.header().counts;
        if (tally.wins, tally.draws, tally.losses) != (wins, draws, losses) {
            return Err(Failure::Text(format!(
                "{slice}: recounted {} wins, {} draws and {} losses, but its header says {wins}, {draws} and {losses}; \
                 delete the file and build again",
                tally.wins, tally.draws, tally.losses
            )));
        }
        compare(slice, &tally)?;
        positions += wins + draws + losses;
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

fn describe<E: std::fmt::Display>(slice: Slice, wrong: Wrong<E>) -> Failure {
    Failure::Text(match wrong {
        Wrong::Contradiction(contradiction) => {
            format!("{slice}: {contradiction}; delete the tables of this board and build again")
        }
        Wrong::Unreadable(error) => error.to_string(),
    })
}

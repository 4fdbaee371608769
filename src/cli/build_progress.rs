//! How the progress of a build is shown.

use crate::retro::{
    BuildError, BuildEvent, BuildProgress, BuildStatus, BuiltSlice, Communicator, LayeredPair, Plan, TiledPair,
    Traffic, execute,
};

use super::options::{bytes, duration, grouped};
use super::output::CliResult;
use super::progress::Progress;

/// Carries a plan out, and shows progress with a line for each table; of several processes the first does so.
pub fn execute_with_progress(plan: &Plan, communicator: &dyn Communicator) -> CliResult<Vec<BuiltSlice>> {
    Ok(execute_with_bar(plan, communicator, &|event| line(event))?)
}

/// Carries a plan out and shows progress, with the line that `line` makes of an event.
pub fn execute_with_bar(
    plan: &Plan,
    communicator: &dyn Communicator,
    line: &(dyn Fn(&BuildEvent<'_>) -> Option<String> + Sync),
) -> Result<Vec<BuiltSlice>, BuildError> {
    if communicator.rank() > 0 {
        return execute(plan, communicator, &|_| ());
    }
    let progress = BuildProgress::new(plan);
    let bar = Progress::new(progress.total());
    let built = execute(plan, communicator, &|event| {
        if let Some(status) = progress.on_event(&event) {
            show(&bar, &status);
        }
        if let BuildEvent::Read(slice, part) = event {
            bar.show(|| format!("reading {slice}: {:.0} %", 100.0 * part));
        }
        if let Some(line) = line(&event) {
            bar.line(&line);
        }
    });
    bar.finish();
    built
}

fn show(bar: &Progress, status: &BuildStatus) {
    bar.set_after(status.before, status.done, || {
        format!("{} and twin: {}, {:.1} M positions/s", status.slice, status.step, status.rate / 1e6)
    });
}

/// The line that stays after an event.
fn line(event: &BuildEvent<'_>) -> Option<String> {
    match event {
        BuildEvent::Loading(slice) => Some(format!("reading {slice}")),
        BuildEvent::Tiled(pair) => Some(tiled(pair)),
        BuildEvent::Layered(pair) => Some(layered(pair)),
        BuildEvent::Moved(slice, Traffic { read, written, sent }) => {
            let sent = if *sent == 0 { String::new() } else { format!(", {} sent", bytes(*sent)) };
            let (read, written) = (bytes(*read), bytes(*written));
            Some(format!("{slice} and twin: {read} of scratch read, {written} written{sent}"))
        }
        BuildEvent::Done(BuiltSlice { slice, header, seconds }) => {
            let counts = header.counts;
            Some(format!(
                "{slice}.{}: {} positions, {} wins, {} draws, {} losses; {} after {}",
                header.metric,
                grouped(counts.positions),
                grouped(counts.wins),
                grouped(counts.draws),
                grouped(counts.losses),
                bytes(header.file_bytes),
                duration(*seconds),
            ))
        }
        BuildEvent::SetAside(path, error) => {
            Some(format!("{error} (being rebuilt; the old file is kept as {})", path.display()))
        }
        BuildEvent::Read(..) | BuildEvent::Begin(_) | BuildEvent::Phase(..) | BuildEvent::Writing(..) => None,
    }
}

/// The line for a pair from tiles that is begun or continued.
fn tiled(pair: &TiledPair) -> String {
    let TiledPair { slice, bands: (first, second), resident, scratch, visits, captures } = *pair;
    let resumed = resumed(captures, visits, "visits to bands");
    let (bands, scratch) = (first + second, bytes(scratch));
    format!("{slice} and twin: from {bands} bands, {resident} of them in memory, up to {scratch} of scratch{resumed}")
}

/// The line for a pair from layers in a scratch file that is begun or continued.
fn layered(pair: &LayeredPair) -> String {
    let LayeredPair { slice, scratch, steps, captures } = *pair;
    let (scratch, resumed) = (bytes(scratch), resumed(captures, steps, "steps"));
    format!("{slice} and twin: depths from layers, up to {scratch} of scratch{resumed}")
}

/// Where the work on a pair continues.
fn resumed(captures: f64, steps: u64, noun: &str) -> String {
    match (steps, captures) {
        (0, 0.0) => String::new(),
        (0, share) => format!("; continuing after {:.0} % of the captures", 100.0 * share),
        (steps, _) => format!("; continuing after {steps} {noun}"),
    }
}

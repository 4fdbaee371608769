//! How the progress of a build is shown.

use std::sync::Mutex;
use std::time::Instant;

use crate::index::Slice;
use crate::retro::{BuildEvent, BuiltSlice, Communicator, PairPlan, Phase, Plan, Rates, TiledPair, Traffic, execute};
use crate::table::Metric;

use super::options::{bytes, duration, grouped};
use super::output::CliResult;
use super::progress::Progress;

/// The shares of the work on a pair that captures and paikas are taken to be, for the progress bar: in memory, and from tiles, which are read
/// again in every half pass.
const SHARES: (f64, f64) = (0.7, 0.25);
const TILED_SHARES: (f64, f64) = (0.3, 0.65);

/// Carries a plan out, and shows progress; of several processes the first does so.
pub fn execute_with_progress(plan: &Plan, communicator: &dyn Communicator) -> CliResult<Vec<BuiltSlice>> {
    if communicator.rank() > 0 {
        return Ok(execute(plan, communicator, &|_| ())?);
    }
    let progress = BuildProgress::new(plan);
    let built = execute(plan, communicator, &|event| progress.on_event(event));
    progress.bar.finish();
    Ok(built?)
}

/// Turns events of a build into progress.
struct BuildProgress {
    bar: Progress,
    pairs: Vec<Pair>,
    start: Instant,
    now: Mutex<Now>,
}

/// What is known of the pair that is being solved.
struct Now {
    /// Its number among all that are to be built.
    number: usize,
    /// The largest share of it that was reported.
    share: f64,
    /// The part that earlier builds have done, of all pairs so far.
    skipped: Amount,
    /// The shares of captures and paikas in it.
    shares: (f64, f64),
    /// The share of opponent orbits whose captures are done, by slice.
    captured: Vec<(Slice, f64)>,
    /// How many the last step has found, and the most that two steps in turn have found.
    last: usize,
    most: usize,
}

impl Default for Now {
    fn default() -> Self {
        let (shares, skipped) = (SHARES, Amount::default());
        Self { number: 0, share: 0.0, skipped, shares, captured: Vec::new(), last: 0, most: 0 }
    }
}

/// A pair that is to be built.
struct Pair {
    slice: Slice,
    metric: Metric,
    before: Amount,
    own: Amount,
}

/// Seconds that something is expected to take, and the positions in it.
#[derive(Clone, Copy, Default)]
struct Amount {
    seconds: f64,
    positions: f64,
}

impl Amount {
    /// With so large a part of something else.
    fn with_share_of(self, other: Self, share: f64) -> Self {
        Self { seconds: self.seconds + other.seconds * share, positions: self.positions + other.positions * share }
    }
}

impl BuildProgress {
    #[allow(clippy::cast_precision_loss)] // for a progress bar
    fn new(plan: &Plan) -> Self {
        let mut sum = Amount::default();
        let pair = |pair: &PairPlan| {
            let own = Amount { seconds: Rates::TYPICAL.seconds(pair.work), positions: pair.positions as f64 };
            let before = sum;
            sum = sum.with_share_of(own, 1.0);
            Pair { slice: pair.slice, metric: pair.metric, before, own }
        };
        let pairs = plan.missing().map(pair).collect();
        Self { bar: Progress::new(sum.seconds), pairs, start: Instant::now(), now: Mutex::default() }
    }

    #[allow(clippy::cast_precision_loss)] // for a progress bar
    fn on_event(&self, event: BuildEvent<'_>) {
        let now = &mut *self.now.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (captures, paikas) = now.shares;
        match event {
            BuildEvent::Loading(slice) => self.bar.line(&format!("reading {slice}")),
            BuildEvent::Begin(&PairPlan { slice, metric, .. }) => {
                let number = self.pairs.iter().position(|pair| (pair.slice, pair.metric) == (slice, metric));
                *now = Now { number: number.unwrap_or(0), skipped: now.skipped, ..Now::default() };
                self.show(now, 0.0, || "captures".to_owned());
            }
            BuildEvent::Phase(pair, Phase::Captures { slice, done, total }) => {
                now.captured.retain(|entry| entry.0 != slice);
                now.captured.push((slice, done as f64 / total as f64));
                let slices = if pair == pair.twin() { 1.0 } else { 2.0 };
                let share = now.captured.iter().map(|entry| entry.1).sum::<f64>() / slices;
                self.show(now, share * captures, || format!("captures of {slice}"));
            }
            BuildEvent::Phase(_, Phase::Paikas { steps, found }) => {
                // Ever fewer are decided, roughly by the same factor in every step, and in the end none; steps of the two slices take turns where they
                // are in tiles. How far an earlier build came is not known, so its share is too small.
                let both = found + now.last;
                (now.last, now.most) = (found, now.most.max(both));
                let left = if now.most == 0 { 1.0 } else { (both as f64).ln_1p() / (now.most as f64).ln_1p() };
                self.show(now, captures + paikas * (1.0 - left), || format!("paikas, step {steps}"));
            }
            BuildEvent::Phase(_, Phase::Transposing) => {
                self.show(now, captures + paikas, || "transposing planes".to_owned());
            }
            BuildEvent::Writing(slice) => {
                self.show(now, captures + paikas, || format!("writing {slice}"));
            }
            BuildEvent::Tiled(pair) => {
                now.shares = TILED_SHARES;
                now.share = pair.captures * TILED_SHARES.0;
                if let Some(Pair { own, .. }) = self.pairs.get(now.number) {
                    now.skipped = now.skipped.with_share_of(*own, now.share);
                }
                self.bar.line(&tiled(&pair));
            }
            BuildEvent::Moved(slice, Traffic { read, written, sent }) => {
                let sent = if sent == 0 { String::new() } else { format!(", {} sent", bytes(sent)) };
                let (read, written) = (bytes(read), bytes(written));
                self.bar.line(&format!("{slice} and twin: {read} of scratch read, {written} written{sent}"));
            }
            BuildEvent::Done(BuiltSlice { slice, header, seconds }) => {
                let counts = header.counts;
                self.bar.line(&format!(
                    "{slice}.{}: {} positions, {} wins, {} draws, {} losses; {} after {}",
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

    fn show(&self, now: &mut Now, share: f64, phase: impl FnOnce() -> String) {
        let Some(Pair { slice, before, own, .. }) = self.pairs.get(now.number) else { return };
        now.share = now.share.max(share);
        let done = before.with_share_of(*own, now.share);
        self.bar.set_after(now.skipped.seconds, done.seconds, || {
            let rate = (done.positions - now.skipped.positions) / self.start.elapsed().as_secs_f64() / 1e6;
            format!("{slice} and twin: {}, {rate:.1} M positions/s", phase())
        });
    }
}

/// The line for a pair from tiles that is begun or continued.
fn tiled(pair: &TiledPair) -> String {
    let TiledPair { slice, bands: (first, second), resident, scratch, steps, captures } = *pair;
    let resumed = match (steps, captures) {
        (0, 0.0) => String::new(),
        (0, share) => format!("; continuing after {:.0} % of the captures", 100.0 * share),
        (steps, _) => format!("; continuing after {steps} half passes"),
    };
    let (bands, scratch) = (first + second, bytes(scratch));
    format!("{slice} and twin: from {bands} bands, {resident} of them in memory, up to {scratch} of scratch{resumed}")
}

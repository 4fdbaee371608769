//! How the progress of a build is shown.

use std::sync::Mutex;
use std::time::Instant;

use crate::index::{Slice, Space, placements};
use crate::retro::{
    BuildEvent, BuildOptions, BuiltSlice, Phase, Ranks, Rates, TileOptions, TiledPair, Traffic, build, build_depths,
    build_on_ranks, pair_work,
};
use crate::table::{Metric, folder_name, slices_in};

use super::options::{bytes, duration, grouped};
use super::output::CliResult;
use super::progress::Progress;

/// The shares of the work on a pair that captures and paikas are taken to be, for the progress bar: in memory, and from tiles, which are read
/// again in every half pass.
const SHARES: (f64, f64) = (0.7, 0.25);
const TILED_SHARES: (f64, f64) = (0.3, 0.65);

/// Builds what is missing, and shows progress; of several processes the first does so.
pub fn watched(
    options: &BuildOptions,
    metric: Metric,
    tiles: Option<(&TileOptions, &dyn Ranks)>,
) -> CliResult<Vec<BuiltSlice>> {
    if let Some((tiles, ranks)) = tiles.filter(|(_, ranks)| ranks.rank() > 0) {
        return Ok(build_on_ranks(options, tiles, ranks, &|_| ())?);
    }
    let folder = options.database.join(folder_name(options.size, options.rules));
    let watch = Watch::new(options, &slices_in(&folder, metric)?);
    let hear = |event: BuildEvent<'_>| watch.hear(event);
    let built = match metric {
        Metric::Wdl => match tiles {
            Some((tiles, ranks)) => build_on_ranks(options, tiles, ranks, &hear),
            None => build(options, &hear),
        },
        Metric::Dtw => build_depths(options, &hear),
    };
    watch.progress.finish();
    Ok(built?)
}

/// Turns events of a build into progress.
struct Watch {
    progress: Progress,
    pairs: Vec<Pair>,
    start: Instant,
    now: Mutex<Now>,
}

/// What is known of the pair that is being solved.
struct Now {
    /// The largest share of it that was heard of.
    share: f64,
    /// What earlier builds have left, of all pairs so far.
    skipped: Amount,
    /// What captures and paikas are of it.
    shares: (f64, f64),
    /// Opponent orbits whose captures are done, of those of both slices.
    captured: Vec<(Slice, f64)>,
    /// What the last step has found, and the most that two in turn have.
    last: usize,
    most: usize,
}

impl Default for Now {
    fn default() -> Self {
        Self { share: 0.0, skipped: Amount::default(), shares: SHARES, captured: Vec::new(), last: 0, most: 0 }
    }
}

/// A pair that is to be built.
struct Pair {
    slice: Slice,
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

impl Watch {
    #[allow(clippy::cast_precision_loss)] // for a progress bar
    fn new(options: &BuildOptions, present: &[Slice]) -> Self {
        let space = Space::new(options.size, options.rules.diagonals);
        let points = options.size.points();
        let mut sum = Amount::default();
        let mut pairs = Vec::new();
        for slice in options.goal.pairs(points) {
            if present.contains(&slice) && present.contains(&slice.twin()) {
                continue;
            }
            let slices = if slice == slice.twin() { 1.0 } else { 2.0 };
            let seconds = Rates::TYPICAL.seconds(pair_work(&space, slice));
            let own = Amount { seconds, positions: slices * placements(points, slice) as f64 };
            pairs.push(Pair { slice, before: sum, own });
            sum = sum.with_share_of(own, 1.0);
        }
        Self { progress: Progress::new(sum.seconds), pairs, start: Instant::now(), now: Mutex::default() }
    }

    #[allow(clippy::cast_precision_loss)] // for a progress bar
    fn hear(&self, event: BuildEvent<'_>) {
        let now = &mut *self.now.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (captures, paikas) = now.shares;
        match event {
            BuildEvent::Loading(slice) => self.progress.line(&format!("reading {slice}")),
            BuildEvent::Begin(slice) => {
                *now = Now { skipped: now.skipped, ..Now::default() };
                self.show(now, slice, 0.0, || "captures".to_owned());
            }
            BuildEvent::Phase(pair, Phase::Captures { slice, done, total }) => {
                now.captured.retain(|entry| entry.0 != slice);
                now.captured.push((slice, done as f64 / total as f64));
                let slices = if pair == pair.twin() { 1.0 } else { 2.0 };
                let share = now.captured.iter().map(|entry| entry.1).sum::<f64>() / slices;
                self.show(now, pair, share * captures, || format!("captures of {slice}"));
            }
            BuildEvent::Phase(pair, Phase::Paikas { steps, found }) => {
                // Ever fewer are decided, roughly by the same factor in every step, and in the end none; steps of the two slices take turns where they
                // live in tiles. How far an earlier build came is not known, so that its share is too small.
                let both = found + now.last;
                (now.last, now.most) = (found, now.most.max(both));
                let left = if now.most == 0 { 1.0 } else { (both as f64).ln_1p() / (now.most as f64).ln_1p() };
                self.show(now, pair, captures + paikas * (1.0 - left), || format!("paikas, step {steps}"));
            }
            BuildEvent::Phase(pair, Phase::Transposing) => {
                self.show(now, pair, captures + paikas, || "transposing planes".to_owned());
            }
            BuildEvent::Writing(slice) => {
                let pair = if slice.mover < slice.opponent { slice.twin() } else { slice };
                self.show(now, pair, captures + paikas, || format!("writing {slice}"));
            }
            BuildEvent::Tiled(pair) => {
                now.shares = TILED_SHARES;
                now.share = pair.captures * TILED_SHARES.0;
                if let Some(Pair { own, .. }) = self.pair(pair.slice) {
                    now.skipped = now.skipped.with_share_of(*own, now.share);
                }
                self.progress.line(&tiled(&pair));
            }
            BuildEvent::Moved(slice, Traffic { read, written, sent }) => {
                let sent = if sent == 0 { String::new() } else { format!(", {} sent", bytes(sent)) };
                let (read, written) = (bytes(read), bytes(written));
                self.progress.line(&format!("{slice} and twin: {read} of scratch read, {written} written{sent}"));
            }
            BuildEvent::Done(BuiltSlice { slice, header, seconds }) => {
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

    fn pair(&self, pair: Slice) -> Option<&Pair> {
        self.pairs.iter().find(|entry| entry.slice == pair)
    }

    fn show(&self, now: &mut Now, pair: Slice, share: f64, phase: impl FnOnce() -> String) {
        let Some(Pair { before, own, .. }) = self.pair(pair) else { return };
        now.share = now.share.max(share);
        let done = before.with_share_of(*own, now.share);
        self.progress.set_after(now.skipped.seconds, done.seconds, || {
            let rate = (done.positions - now.skipped.positions) / self.start.elapsed().as_secs_f64() / 1e6;
            format!("{pair} and twin: {}, {rate:.1} M positions/s", phase())
        });
    }
}

/// What is said when a pair is taken up that is larger than memory.
fn tiled(pair: &TiledPair) -> String {
    let TiledPair { slice, bands: (first, second), resident, scratch, steps, captures } = *pair;
    let goes_on = match (steps, captures) {
        (0, 0.0) => String::new(),
        (0, share) => format!("; going on after {:.0} % of the captures", 100.0 * share),
        (steps, _) => format!("; going on after {steps} half passes"),
    };
    let (bands, scratch) = (first + second, bytes(scratch));
    format!("{slice} and twin: from {bands} bands, {resident} of them in memory, up to {scratch} of scratch{goes_on}")
}

//! The progress of a build, from its events.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::index::Slice;
use crate::table::Metric;

use super::super::depths::LayeredPair;
use super::super::plan::{PairPlan, Plan, Rates};
use super::super::slices::{Phase, with_twin};
use super::super::tiles::TiledPair;
use super::task::BuildEvent;

/// The shares of the work on a pair that captures and paikas are assumed to take: in memory, and from tiles, whose bands are read again
/// and again.
const SHARES: (f64, f64) = (0.7, 0.25);
const TILED_SHARES: (f64, f64) = (0.3, 0.65);

/// Turns the events of a build into [`BuildStatus`].
#[derive(Debug)]
pub struct BuildProgress {
    pairs: Vec<Pair>,
    total: f64,
    start: Instant,
    now: Mutex<Now>,
}

/// How far a build is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuildStatus {
    /// The pair that is being built.
    pub slice: Slice,
    /// What is being done.
    pub step: Step,
    /// The work that earlier builds have done on pairs of this one, in the unit of `total`.
    pub before: f64,
    /// The work that is done, `before` included.
    pub done: f64,
    /// All of the work.
    pub total: f64,
    /// Positions solved in each second.
    pub rate: f64,
    /// Seconds since the build began.
    pub elapsed: f64,
}

impl BuildStatus {
    /// The share of the work that is done.
    #[must_use]
    pub fn share(&self) -> f64 {
        (self.done / self.total.max(1e-9)).clamp(0.0, 1.0)
    }

    /// Seconds until the end, if enough is done to estimate them.
    #[must_use]
    pub fn seconds_left(&self) -> Option<f64> {
        seconds_left(self.elapsed, self.before, self.done, self.total)
    }
}

/// Seconds until all work is done. Of the part that is done, `before` took no time in this build.
#[must_use]
pub fn seconds_left(elapsed: f64, before: f64, done: f64, total: f64) -> Option<f64> {
    (done > before).then(|| elapsed * ((total - done) / (done - before)).max(0.0))
}

/// What is being done on a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The work begins.
    Beginning,
    /// Resolving the captures of a slice.
    Captures(Slice),
    /// Following paikas, for the given number of steps.
    Paikas(u64),
    /// Putting the planes into the order of tables.
    Transposing,
    /// Writing a slice.
    Writing(Slice),
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Beginning => f.write_str("captures"),
            Self::Captures(slice) => write!(f, "captures of {slice}"),
            Self::Paikas(steps) => write!(f, "paikas, step {steps}"),
            Self::Transposing => f.write_str("transposing planes"),
            Self::Writing(slice) => write!(f, "writing {slice}"),
        }
    }
}

/// What is known of the pair that is being solved.
#[derive(Debug)]
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
    /// What was due before.
    due: u64,
    /// Earlier builds have followed paikas; the first report shows how far.
    continues: bool,
    /// Slices that are written.
    written: u64,
}

impl Default for Now {
    fn default() -> Self {
        let (shares, skipped) = (SHARES, Amount::default());
        Self { number: 0, share: 0.0, skipped, shares, captured: Vec::new(), due: 0, continues: false, written: 0 }
    }
}

/// A pair that is to be built.
#[derive(Debug)]
struct Pair {
    slice: Slice,
    metric: Metric,
    before: Amount,
    own: Amount,
}

/// Seconds that something is expected to take, and the positions in it.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    seconds: f64,
    positions: f64,
}

impl Amount {
    /// The sum with a share of another amount.
    fn with_share_of(self, other: Self, share: f64) -> Self {
        Self { seconds: self.seconds + other.seconds * share, positions: self.positions + other.positions * share }
    }
}

impl BuildProgress {
    /// The progress of a plan that is about to be carried out.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // for people
    pub fn new(plan: &Plan) -> Self {
        let mut sum = Amount::default();
        let pair = |pair: &PairPlan| {
            let own = Amount { seconds: Rates::TYPICAL.seconds(pair.work), positions: pair.positions as f64 };
            let before = sum;
            sum = sum.with_share_of(own, 1.0);
            Pair { slice: pair.slice, metric: pair.metric, before, own }
        };
        let pairs = plan.missing().map(pair).collect();
        Self { pairs, total: sum.seconds, start: Instant::now(), now: Mutex::default() }
    }

    /// All of the work, in the unit of [`BuildStatus::done`].
    #[must_use]
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Takes an event into account, and returns the status if the event changes it. Cheap enough for every event.
    #[allow(clippy::cast_precision_loss)] // for people
    pub fn on_event(&self, event: &BuildEvent<'_>) -> Option<BuildStatus> {
        let now = &mut *self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let (captures, paikas) = now.shares;
        match *event {
            BuildEvent::Begin(&PairPlan { slice, metric, .. }) => {
                let number = self.pairs.iter().position(|pair| (pair.slice, pair.metric) == (slice, metric));
                *now = Now { number: number.unwrap_or(0), skipped: now.skipped, ..Now::default() };
                self.status(now, 0.0, Step::Beginning)
            }
            BuildEvent::Phase(pair, Phase::Captures { slice, done, total }) => {
                now.captured.retain(|entry| entry.0 != slice);
                now.captured.push((slice, done as f64 / total as f64));
                let share = now.captured.iter().map(|entry| entry.1).sum::<f64>() / with_twin(pair).count() as f64;
                self.status(now, share * captures, Step::Captures(slice))
            }
            BuildEvent::Phase(_, Phase::Paikas { steps, due }) => {
                // It falls, roughly by the same factor in each step; but steps for wins and for losses take turns.
                let more = due.max(std::mem::replace(&mut now.due, due));
                let all = self.pairs.get(now.number)?.own.positions;
                let left = ((more as f64).ln_1p() / all.ln_1p()).min(1.0);
                let share = captures + paikas * (1.0 - left);
                if std::mem::take(&mut now.continues) {
                    self.continue_after(now, share);
                }
                self.status(now, share, Step::Paikas(steps))
            }
            BuildEvent::Phase(_, Phase::Transposing) => self.status(now, captures + paikas, Step::Transposing),
            BuildEvent::Writing(slice, part) => {
                let share = (now.written as f64 + part) / with_twin(slice).count() as f64;
                self.status(now, captures + paikas + (1.0 - captures - paikas) * share, Step::Writing(slice))
            }
            BuildEvent::Done(_) => {
                now.written += 1;
                None
            }
            BuildEvent::Tiled(TiledPair { captures, visits, .. }) => {
                (now.shares, now.continues) = (TILED_SHARES, visits > 0);
                self.continue_after(now, captures * TILED_SHARES.0);
                None
            }
            BuildEvent::Layered(LayeredPair { captures, steps, .. }) => {
                now.continues = steps > 0;
                self.continue_after(now, captures * now.shares.0);
                None
            }
            BuildEvent::Loading(_) | BuildEvent::Read(..) | BuildEvent::Moved(..) | BuildEvent::SetAside(..) => None,
        }
    }

    /// Takes into account that a share of the pair was solved before.
    fn continue_after(&self, now: &mut Now, share: f64) {
        if let Some(Pair { own, .. }) = self.pairs.get(now.number) {
            now.skipped = now.skipped.with_share_of(*own, share - now.share);
        }
        now.share = share;
    }

    fn status(&self, now: &mut Now, share: f64, step: Step) -> Option<BuildStatus> {
        let Pair { slice, before, own, .. } = self.pairs.get(now.number)?;
        now.share = now.share.max(share);
        let done = before.with_share_of(*own, now.share);
        let elapsed = self.start.elapsed().as_secs_f64();
        Some(BuildStatus {
            slice: *slice,
            step,
            before: now.skipped.seconds,
            done: done.seconds,
            total: self.total,
            rate: (done.positions - now.skipped.positions).max(0.0) / elapsed,
            elapsed,
        })
    }
}

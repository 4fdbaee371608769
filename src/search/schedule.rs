//! When a search makes strongholds, and which.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::index::OutOfMemory;

use super::canonical::Canonical;
use super::dfpn::Shared;
use super::error::SolveError;
use super::progress::{Control, Progress, progress};
use super::strongholds::{Allowance, PlacementCounts, Plan, Strongholds};
use super::watch::watch;

/// The share of the memory of a search that strongholds have.
const SHARE: u64 = 8;

/// With less memory than this for strongholds, none are made.
const MIN_BYTES: u64 = 16 << 20;

/// They are made again after this many times the nodes.
const RARER: u64 = 4;

/// Nodes of the search for each position in their rows. A position takes two to four microseconds of a processor, about as long as two
/// to four nodes, so making them takes one to two times as long as the search before.
const NODES: u64 = 2;

/// What a search has learnt about strongholds.
#[derive(Debug)]
pub struct StrongholdSchedule {
    /// Those it has made.
    pub strongholds: Option<Strongholds>,
    /// In which placements defenders hold.
    pub tally: Mutex<PlacementCounts>,
    /// Nodes after which it makes the next ones.
    pub next: u64,
    /// Bytes for them.
    pub bytes: u64,
}

impl StrongholdSchedule {
    /// For a search with `memory` bytes that makes strongholds for the first time after `next` nodes; `None` if it makes none.
    pub fn new(memory: u64, next: u64) -> Option<Self> {
        let bytes = memory / SHARE;
        let learns = next > 0 && bytes >= MIN_BYTES;
        learns.then(|| Self { strongholds: None, tally: Mutex::default(), next, bytes })
    }

    /// Begins to make strongholds after `nodes` nodes, and returns what they are made of. Even if this is interrupted, the next ones
    /// have to wait: the next question searches first.
    pub fn begin(&mut self, nodes: u64) -> (PlacementCounts, Allowance) {
        self.next = self.next.max(nodes).saturating_mul(RARER);
        let tally = std::mem::take(&mut self.tally).into_inner().unwrap_or_else(PoisonError::into_inner);
        (tally, Allowance { positions: nodes / NODES, bytes: self.bytes })
    }

    /// Takes over what was made; if nothing was, or after an error, the earlier strongholds remain.
    ///
    /// # Errors
    /// Why none were made.
    pub fn end(
        &mut self,
        tally: PlacementCounts,
        made: Result<Option<Strongholds>, SolveError>,
    ) -> Result<(), SolveError> {
        self.tally = Mutex::new(tally);
        self.strongholds = made?.or(self.strongholds.take());
        Ok(())
    }
}

/// Makes strongholds with `threads` threads; `None` if the system has no memory for them, or no threads: the search can do without.
/// `observe` is called about ten times a second, with the root of the search.
///
/// # Errors
/// [`SolveError::Stopped`] if the observer or an interrupt stopped it; [`SolveError::Table`].
pub fn make(
    shared: &Shared<'_>,
    threads: usize,
    tally: &PlacementCounts,
    allowance: Allowance,
    (root, attacker_moves): (Canonical, bool),
    observe: &mut dyn FnMut(&Progress<'_>) -> Control,
) -> Result<Option<Strongholds>, SolveError> {
    let (rules, done) = (shared.expander.rules, AtomicU64::new(0));
    let plan = Plan::new(rules.board(), tally, shared.expander.strongholds, allowance);
    // Threads of the caller's pool may be waiting for this search.
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { return Ok(None) };
    let all = plan.positions();
    let made = Mutex::new(Err(SolveError::Stopped));
    let work = || {
        let carry_out = || pool.install(|| plan.carry_out(rules, shared.expander.tables, shared.stop, &done));
        let strongholds = match catch_unwind(AssertUnwindSafe(carry_out)) {
            Ok(strongholds) => strongholds.map(Some),
            Err(panic) if panic.is::<OutOfMemory>() => Ok(None),
            Err(panic) => resume_unwind(panic),
        };
        *made.lock().unwrap_or_else(PoisonError::into_inner) = strongholds;
    };
    let mut stops = false;
    watch(shared.stop, 1, &work, &mut || {
        let mut progress = progress(shared, root, attacker_moves);
        #[allow(clippy::cast_precision_loss)] // a share
        let share = done.load(Ordering::Relaxed) as f64 / all.max(1) as f64;
        progress.strongholds = Some(share);
        stops = shared.interrupt.load(Ordering::Relaxed) || observe(&progress) == Control::Stop;
        stops
    })?;
    if stops {
        return Err(SolveError::Stopped);
    }
    made.into_inner().unwrap_or_else(PoisonError::into_inner)
}

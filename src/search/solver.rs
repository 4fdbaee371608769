//! The search for an answer by all threads together, in a transposition table that grows as it fills.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use web_time::Instant;

use crate::rules::Rules;
use crate::table::{Probe, TableError};

use super::canonical::{Canonical, Key, Mirror};
use super::dfpn::{Budget, Busy, Shared, Worker};
use super::error::SolveError;
use super::estimate::Tuning;
use super::expand::Expander;
use super::growing::is_full;
use super::numbers::{Effort, Numbers};
use super::pair::SearchTables;
use super::progress::{Control, Progress, progress};
use super::transposition::{Memory, TranspositionTable, TtEntry};

/// What a search may use.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// Bytes for the transposition table. It grows to four fifths of that: while it grows, the smaller one is still there.
    pub memory: u64,
    /// Threads; 0 to search in the thread that calls, as where there are no others.
    pub threads: usize,
    /// Parameters.
    pub tuning: Tuning,
}

/// Time between looks at what the threads are doing.
const INTERVAL: Duration = Duration::from_millis(100);

/// Nodes between looks of a search without threads: some ten milliseconds.
const NODES_AT_ONCE: u64 = 4096;

/// Answers questions about positions of one board, and keeps what it learns from one question to the next.
pub struct Solver<'a, P> {
    rules: &'a Rules<u64>,
    tables: &'a P,
    options: SearchOptions,
    interrupt: Arc<AtomicBool>,
    end: Option<Instant>,
    found: SearchTables,
    budget: Budget,
    nodes: u64,
    probes: u64,
}

impl<'a, P: Probe> Solver<'a, P> {
    /// A solver with an empty table.
    ///
    /// # Errors
    /// [`SolveError::Memory`].
    pub fn new(rules: &'a Rules<u64>, tables: &'a P, options: SearchOptions) -> Result<Self, SolveError> {
        let found = SearchTables::new(options.memory)?;
        let (interrupt, budget) = (Arc::default(), Budget::ENDLESS);
        Ok(Self { rules, tables, options, interrupt, end: None, found, budget, nodes: 0, probes: 0 })
    }

    /// The table, for another solver of the same board and with the same values to look up.
    #[must_use]
    pub fn into_memory(self) -> Memory {
        self.found.main.memory
    }

    /// Continues with the table of another solver, which had the same options.
    #[must_use]
    pub fn with_memory(mut self, memory: Memory) -> Self {
        self.found.main.memory = memory;
        self
    }

    /// The rules on the board.
    #[must_use]
    pub fn rules(&self) -> &'a Rules<u64> {
        self.rules
    }

    /// The values that it looks up.
    #[must_use]
    pub fn tables(&self) -> &'a P {
        self.tables
    }

    /// The parameters.
    #[must_use]
    pub fn tuning(&self) -> Tuning {
        self.options.tuning
    }

    /// Stops the solver, now or later, as soon as that is set; what has been found stays in the table.
    pub fn interrupt_by(&mut self, interrupt: Arc<AtomicBool>) {
        self.interrupt = interrupt;
    }

    /// From that time on, if there is one, a solve leaves open what it has not answered and proved.
    pub fn end_at(&mut self, time: Option<Instant>) {
        self.end = time;
    }

    /// See [`end_at`](Self::end_at).
    pub(super) fn end(&self) -> Option<Instant> {
        self.end
    }

    /// Positions expanded so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Turns that the rules, tables or certificates settled so far.
    #[must_use]
    pub fn probes(&self) -> u64 {
        self.probes
    }

    /// The transposition table, with all it holds.
    pub fn entries(&mut self) -> TranspositionTable<'_> {
        self.found.main.entries()
    }

    /// Puts entries into the table, which grows for them as far as it may; may be called with one part of them after another,
    /// in any order, or in that of [`TranspositionTable::list`].
    pub fn restore(&mut self, found: &[(Key, TtEntry)]) {
        self.found.main.restore(found);
    }

    /// What was restored is a hint, which may be false. From now on a fresh search, with a tenth of the memory and of the nodes, is at
    /// work beside the one that continues from it, after that many nodes if that is true. The first that has an answer ends both.
    pub fn search_afresh_beside(&mut self, nodes_before: u64) {
        self.found.add_fresh(nodes_before);
    }

    /// The tables of the search that is at work, and of another one if there is.
    pub(super) fn found(&mut self) -> &mut SearchTables {
        &mut self.found
    }

    /// How far the search may go.
    pub(super) fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }

    /// Calls `work` with the table and all that a search needs, and counts what it expands.
    pub(super) fn with_shared<R>(&mut self, work: impl FnOnce(&Shared<'_, P>) -> R) -> R {
        let expander = Expander {
            rules: self.rules,
            mirror: Mirror::new(self.rules.board()),
            tables: self.tables,
            tuning: self.options.tuning,
        };
        let (nodes, probes) = (AtomicU64::new(self.nodes), AtomicU64::new(self.probes));
        let (entries, kept) = self.found.entries();
        let result = work(&Shared {
            expander: &expander,
            entries,
            kept,
            busy: &Busy::new(self.options.threads),
            stop: &AtomicBool::new(false),
            interrupt: &self.interrupt,
            budget: self.budget,
            nodes: &nodes,
            probes: &probes,
        });
        (self.nodes, self.probes) = (nodes.into_inner(), probes.into_inner());
        result
    }

    /// Whether the attacker wins from a position, which may be one that the rules or the tables settle. `observe` is
    /// called about ten times a second.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn attacker_wins(
        &mut self,
        position: (u64, u64),
        attacker_moves: bool,
        observe: &mut dyn FnMut(&Progress<'_>) -> Control,
    ) -> Result<bool, SolveError> {
        let root = Mirror::new(self.rules.board()).canonical(position.0, position.1);
        let settled = self.with_shared(|shared| shared.expander.settled(root, attacker_moves))?;
        if let Some(reached) = settled {
            return Ok(reached == attacker_moves);
        }
        let key = root.key(attacker_moves);
        loop {
            if let Some(found) = self.found.current().entries().get(key).filter(|found| found.holds()) {
                let reached = found.numbers == Numbers::REACHED;
                return Ok(reached == attacker_moves);
            }
            let threads = self.options.threads;
            let may_grow = self.found.current().may_grow();
            let ended = self.with_shared(|shared| match threads {
                0 => round_here(shared, root, attacker_moves, may_grow, observe),
                _ => round(shared, root, attacker_moves, threads, may_grow, observe),
            })?;
            match ended {
                Ended::Settled(reached) => return Ok(reached == attacker_moves),
                Ended::Stopped => return Err(SolveError::Stopped),
                Ended::Full => self.found.current().grow(),
            }
        }
    }

    /// Forgets the answer to a question about a position, but not what it rests on.
    pub fn reopen(&mut self, position: (u64, u64), attacker_moves: bool) {
        let root = Mirror::new(self.rules.board()).canonical(position.0, position.1);
        let open = TtEntry::new(Numbers { phi: 1, delta: 1 }, Effort::default());
        self.found.current().entries().replace(root.key(attacker_moves), open);
    }
}

/// How a round of all threads ended.
enum Ended {
    /// The mover of the root reaches its goal, or never will.
    Settled(bool),
    Stopped,
    /// The table is filling up.
    Full,
}

/// Does something at the end of a block, however that ends.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

fn round<P: Probe>(
    shared: &Shared<'_, P>,
    root: Canonical,
    attacker_moves: bool,
    threads: usize,
    may_grow: bool,
    observe: &mut dyn FnMut(&Progress<'_>) -> Control,
) -> Result<Ended, TableError> {
    let result = Mutex::new(Ok(Ended::Stopped));
    let left = AtomicUsize::new(0);
    let watcher = thread::current();
    let work = || {
        let _leaving = OnDrop(|| {
            shared.stop.store(true, Ordering::Relaxed);
            left.fetch_sub(1, Ordering::Release);
            watcher.unpark();
        });
        let numbers = Worker::new(shared, u64::MAX).settle(root, attacker_moves);
        let mut result = result.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match numbers.map(Numbers::settled) {
            Ok(Some(reached)) => *result = Ok(Ended::Settled(reached)),
            Ok(None) => {}
            Err(error) => *result = Err(error),
        }
    };
    let mut full = false;
    thread::scope(|scope| {
        // The scope waits for its threads, also if the observer panics.
        let _leaving = OnDrop(|| shared.stop.store(true, Ordering::Relaxed));
        let mut started = Vec::with_capacity(threads);
        for _ in 0..threads {
            left.fetch_add(1, Ordering::Relaxed);
            match thread::Builder::new().spawn_scoped(scope, work) {
                Ok(thread) => started.push(thread),
                Err(error) => {
                    left.fetch_sub(1, Ordering::Relaxed);
                    // Those that run search on; without any there is nothing to wait for.
                    if started.is_empty() {
                        *result.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
                            Err(TableError::threads(error));
                    }
                    break;
                }
            }
        }
        let mut next = Instant::now() + INTERVAL;
        while left.load(Ordering::Acquire) > 0 {
            thread::park_timeout(next.saturating_duration_since(Instant::now()));
            if Instant::now() < next || shared.stop.load(Ordering::Relaxed) {
                continue;
            }
            next = Instant::now() + INTERVAL;
            let progress = progress(shared, root, attacker_moves);
            full = may_grow && is_full(&shared.entries);
            if full || observe(&progress) == Control::Stop {
                shared.stop.store(true, Ordering::Relaxed);
            }
        }
        for thread in started {
            // Such as a lack of memory, which the caller can name.
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    let result = result.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    result.map(|ended| if full && matches!(ended, Ended::Stopped) { Ended::Full } else { ended })
}

/// The same without threads: the search pauses for each look at it.
fn round_here<P: Probe>(
    shared: &Shared<'_, P>,
    root: Canonical,
    attacker_moves: bool,
    may_grow: bool,
    observe: &mut dyn FnMut(&Progress<'_>) -> Control,
) -> Result<Ended, TableError> {
    let mut next = Instant::now() + INTERVAL;
    while !shared.stopped() {
        let numbers = Worker::new(shared, NODES_AT_ONCE).settle(root, attacker_moves)?;
        if let Some(reached) = numbers.settled() {
            return Ok(Ended::Settled(reached));
        }
        if may_grow && is_full(&shared.entries) {
            return Ok(Ended::Full);
        }
        if Instant::now() >= next {
            if observe(&progress(shared, root, attacker_moves)) == Control::Stop {
                break;
            }
            next = Instant::now() + INTERVAL;
        }
    }
    Ok(Ended::Stopped)
}

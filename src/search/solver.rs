//! The search for an answer by all threads together, in a transposition table that grows as it fills.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use web_time::Instant;

use crate::rules::Rules;
use crate::table::{Probe, TableError};

use super::canonical::{Canonical, Key, Mirror};
use super::dfpn::{Busy, Shared, Worker};
use super::error::SolveError;
use super::estimate::Tuning;
use super::expand::Expander;
use super::numbers::{Effort, Numbers};
use super::progress::{Control, Progress, progress};
use super::transposition::Memory;
use super::transposition::{BUCKET_BYTES, TranspositionTable, TtEntry};

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

/// The table begins with at least this many bytes, or what is allowed if that is less.
const FIRST_BYTES: u64 = 16 << 20;

/// By how much the table grows.
const GROWTH: u64 = 4;

/// It grows when this share of it is in use.
const FULL: f64 = 0.6;

/// Too few entries to judge how dense the others are.
const FEW: f64 = 256.0;

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
    memory: Memory,
    bytes: u64,
    /// Bytes that the table may grow to.
    max_bytes: u64,
    nodes: u64,
    probes: u64,
}

impl<'a, P: Probe> Solver<'a, P> {
    /// A solver with an empty table.
    ///
    /// # Errors
    /// [`SolveError::Memory`].
    pub fn new(rules: &'a Rules<u64>, tables: &'a P, options: SearchOptions) -> Result<Self, SolveError> {
        let max_bytes = max_bytes(options);
        let mut bytes = max_bytes;
        while bytes / GROWTH >= FIRST_BYTES {
            bytes /= GROWTH;
        }
        let memory = reserve(bytes)?;
        let interrupt = Arc::default();
        Ok(Self { rules, tables, options, interrupt, memory, bytes, max_bytes, nodes: 0, probes: 0 })
    }

    /// The table, for another solver of the same board and with the same values to look up.
    #[must_use]
    pub fn into_memory(self) -> Memory {
        self.memory
    }

    /// Continues with the table of another solver, which had the same options.
    #[must_use]
    pub fn with_memory(self, memory: Memory) -> Self {
        Self { memory, ..self }
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

    /// Positions expanded so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Values taken from tables so far.
    #[must_use]
    pub fn probes(&self) -> u64 {
        self.probes
    }

    /// The transposition table, with all it holds.
    pub fn entries(&mut self) -> TranspositionTable<'_> {
        TranspositionTable::new(&mut self.memory)
    }

    /// Puts entries into the table, which grows for them as far as it may; may be called with one part of them after another,
    /// in any order, or in that of [`TranspositionTable::list`].
    pub fn restore(&mut self, found: &[(Key, TtEntry)]) {
        // In that order a part fills its own stretch of the table, while the rest is still empty.
        let checks = || found.iter().map(|(key, _)| key.check);
        let stretch = checks().max().unwrap_or_default() - checks().min().unwrap_or_default();
        #[allow(clippy::cast_precision_loss)] // shares
        let (stretch, count) = (stretch as f64 / u64::MAX as f64, found.len() as f64 - FEW);
        #[allow(clippy::cast_precision_loss)] // a share
        loop {
            let entries = self.entries();
            let full = count > FULL * stretch * entries.capacity() as f64 || entries.fill() > FULL;
            if !full || self.bytes >= self.max_bytes {
                break;
            }
            self.grow();
        }
        let entries = self.entries();
        for &(key, found) in found {
            entries.put(key, found);
        }
    }

    /// Bytes of the allowed memory that the table does not take.
    pub(super) fn spare_bytes(&self) -> u64 {
        self.bytes.min(self.options.memory.saturating_sub(self.max_bytes)).max(BUCKET_BYTES)
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
        let result = work(&Shared {
            expander: &expander,
            entries: TranspositionTable::new(&mut self.memory),
            busy: &Busy::new(self.options.threads),
            stop: &AtomicBool::new(false),
            interrupt: &self.interrupt,
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
            if let Some(found) = self.entries().get(key).filter(|found| found.holds()) {
                let reached = found.numbers == Numbers::REACHED;
                return Ok(reached == attacker_moves);
            }
            let threads = self.options.threads;
            let may_grow = self.bytes < self.max_bytes;
            let ended = self.with_shared(|shared| match threads {
                0 => round_here(shared, root, attacker_moves, may_grow, observe),
                _ => round(shared, root, attacker_moves, threads, may_grow, observe),
            })?;
            match ended {
                Ended::Settled(reached) => return Ok(reached == attacker_moves),
                Ended::Stopped => return Err(SolveError::Stopped),
                Ended::Full => self.grow(),
            }
        }
    }

    /// Forgets the answer to a question about a position, but not what it rests on.
    pub fn reopen(&mut self, position: (u64, u64), attacker_moves: bool) {
        let root = Mirror::new(self.rules.board()).canonical(position.0, position.1);
        let open = TtEntry::new(Numbers { phi: 1, delta: 1 }, Effort::default());
        self.entries().replace(root.key(attacker_moves), open);
    }

    /// Makes the table larger. If the system has no memory for that, it stays as it is: a smaller table costs time, while
    /// ending the search would lose everything.
    fn grow(&mut self) {
        let bytes = self.bytes.saturating_mul(GROWTH).min(self.max_bytes);
        let Ok(mut memory) = reserve(bytes) else {
            self.max_bytes = self.bytes;
            return;
        };
        let larger = TranspositionTable::new(&mut memory);
        self.entries().list(Effort::default()).for_each(|(key, found)| larger.put(key, found));
        (self.memory, self.bytes) = (memory, bytes);
    }
}

/// What the table may grow to.
fn max_bytes(options: SearchOptions) -> u64 {
    (options.memory / (GROWTH + 1) * GROWTH).max(BUCKET_BYTES)
}

/// Zeroed memory for a table of that many bytes.
pub(super) fn reserve(bytes: u64) -> Result<Memory, SolveError> {
    let words = usize::try_from(bytes / 8).unwrap_or(usize::MAX);
    Memory::words(words).map_err(|reason| SolveError::Memory { bytes, reason })
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
        for number in 0..threads {
            left.fetch_add(1, Ordering::Relaxed);
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                left.fetch_sub(1, Ordering::Relaxed);
                // Those that run search on; without any there is nothing to wait for.
                if number == 0 {
                    *result.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Err(TableError::threads(error));
                }
                break;
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
            full = may_grow && shared.entries.fill() > FULL;
            if full || observe(&progress) == Control::Stop {
                shared.stop.store(true, Ordering::Relaxed);
            }
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
        if may_grow && shared.entries.fill() > FULL {
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

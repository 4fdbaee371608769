//! The search for an answer by all threads together, in a transposition table that grows as it fills.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use web_time::Instant;

use crate::rules::{Position, Rules, Side};
use crate::table::{Known, Probe, TableError, rate};

use super::canonical::{Canonical, Key, Mirror};
use super::dfpn::{Budget, Busy, Shared, Worker};
use super::error::SolveError;
use super::estimate::Tuning;
use super::expand::Expander;
use super::growing::is_full;
use super::numbers::{Effort, Numbers};
use super::progress::{Control, Progress, progress};
use super::schedule::{StrongholdSchedule, make};
use super::search_tables::SearchTables;
use super::settled::settled;
use super::transposition::{Memory, TranspositionTable, TtEntry};
use super::watch::{INTERVAL, watch};

/// What a search may use.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// Bytes, at least 1000: with less a search may go on for ever. An eighth is for strongholds, if that is enough for any; the
    /// transposition table grows to four fifths of the rest: while it grows, the smaller one is still there.
    pub memory: u64,
    /// Threads; 0 to search in the thread that calls, as where there are no others. Sets that prove answers are closed on the current pool.
    pub threads: usize,
    /// Parameters.
    pub tuning: Tuning,
}

/// Nodes between two checks of a search without threads: some ten milliseconds.
const NODES_AT_ONCE: u64 = 4096;

/// Answers questions about positions of one board, and keeps what it learns from one question to the next.
pub struct Solver<'a> {
    rules: &'a Rules<u64>,
    tables: &'a dyn Probe,
    options: SearchOptions,
    interrupt: Arc<AtomicBool>,
    end: Option<Instant>,
    found: SearchTables,
    learning: Option<StrongholdSchedule>,
    budget: Budget,
    nodes: u64,
    probes: u64,
}

impl<'a> Solver<'a> {
    /// Whether what tables and certificates know of a position and its moves settles whether a side can force a win.
    pub(super) fn is_settled(&self, position: &Position<u64>, side: Side) -> Result<bool, SolveError> {
        let rating = rate(self.rules, position, &mut |mover, opponent| self.tables.look_up(mover, opponent))?;
        let Some(Known { bounds, .. }) = rating.known else { return Ok(false) };
        Ok(if side == position.to_move { bounds } else { bounds.reversed() }.settle_win())
    }

    /// A solver with an empty table.
    ///
    /// # Errors
    /// [`SolveError::Memory`].
    pub fn new(rules: &'a Rules<u64>, tables: &'a dyn Probe, options: SearchOptions) -> Result<Self, SolveError> {
        let learning =
            StrongholdSchedule::new(if options.threads > 0 { options.memory } else { 0 }, options.tuning.strongholds);
        let for_strongholds = learning.as_ref().map_or(0, |learning| learning.bytes);
        let found = SearchTables::new(options.memory - for_strongholds)?;
        let (interrupt, budget) = (Arc::default(), Budget::ENDLESS);
        Ok(Self { rules, tables, options, interrupt, end: None, found, learning, budget, nodes: 0, probes: 0 })
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
    pub fn tables(&self) -> &'a dyn Probe {
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
    /// work beside the one that continues from it, which is said to have taken `nodes_before` nodes. The first that answers a question
    /// ends both.
    pub fn search_afresh_beside(&mut self, nodes_before: u64) {
        self.found.add_fresh(nodes_before);
    }

    /// The tables of the search that is at work, and of the one beside it, if there is one.
    pub(super) fn found(&mut self) -> &mut SearchTables {
        &mut self.found
    }

    /// How far the search may go.
    pub(super) fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }

    /// Calls `work` with the table and all that a search needs, and counts what it expands.
    pub(super) fn with_shared<R>(&mut self, work: impl FnOnce(&Shared<'_>) -> R) -> R {
        let learning = self.learning.as_ref();
        let expander = Expander {
            rules: self.rules,
            mirror: Mirror::new(self.rules.board().size()),
            tables: self.tables,
            strongholds: learning.and_then(|learning| learning.strongholds.as_ref()),
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
            pause: u64::MAX,
            tally: learning.map(|learning| &learning.tally),
            wins: None,
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
        let root = Mirror::new(self.rules.board().size()).canonical(position.0, position.1);
        if let Some(reached) = settled(self.tables, root, attacker_moves)? {
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
            let pause = self.learning.as_ref().map_or(u64::MAX, |learning| learning.next);
            let ended = self.with_shared(|shared| match threads {
                0 => round_here(shared, root, attacker_moves, may_grow, observe),
                _ => round(&Shared { pause, ..*shared }, root, attacker_moves, threads, may_grow, observe),
            })?;
            match ended {
                Ended::Settled(reached) => return Ok(reached == attacker_moves),
                Ended::Stopped => return Err(SolveError::Stopped),
                Ended::Full => self.found.current().grow(),
                Ended::Paused => self.learn(root, attacker_moves, observe)?,
            }
        }
    }

    /// Makes strongholds of what has been counted so far.
    fn learn(
        &mut self,
        root: Canonical,
        attacker_moves: bool,
        observe: &mut dyn FnMut(&Progress<'_>) -> Control,
    ) -> Result<(), SolveError> {
        let Some(learning) = &mut self.learning else { return Ok(()) };
        let (tally, allowance) = learning.begin(self.nodes);
        let root = (root, attacker_moves);
        let threads = self.options.threads;
        let made = self.with_shared(|shared| make(shared, threads, &tally, allowance, root, observe));
        self.learning.as_mut().map_or(Ok(()), |learning| learning.end(tally, made))
    }

    /// Forgets the answer to a question about a position, but not what it rests on.
    pub fn reopen(&mut self, position: (u64, u64), attacker_moves: bool) {
        let root = Mirror::new(self.rules.board().size()).canonical(position.0, position.1);
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
    /// It is time to make strongholds.
    Paused,
}

fn round(
    shared: &Shared<'_>,
    root: Canonical,
    attacker_moves: bool,
    threads: usize,
    may_grow: bool,
    observe: &mut dyn FnMut(&Progress<'_>) -> Control,
) -> Result<Ended, TableError> {
    let result = Mutex::new(Ok(None));
    let work = || {
        let numbers = Worker::new(shared, u64::MAX).settle(root, attacker_moves);
        let mut result = result.lock().unwrap_or_else(PoisonError::into_inner);
        match numbers.map(Numbers::settled) {
            Ok(None) => {}
            settled => *result = settled,
        }
    };
    let (mut full, mut stopped) = (false, false);
    watch(shared.stop, threads, &work, &mut || {
        full = may_grow && is_full(&shared.entries);
        stopped = !full && observe(&progress(shared, root, attacker_moves)) == Control::Stop;
        full || stopped
    })?;
    let settled = result.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    let nodes = shared.nodes.load(Ordering::Relaxed);
    Ok(match settled {
        Some(reached) => Ended::Settled(reached),
        None if full => Ended::Full,
        None if stopped || shared.interrupt.load(Ordering::Relaxed) || shared.budget.is_spent(nodes) => Ended::Stopped,
        None if nodes >= shared.pause => Ended::Paused,
        None => Ended::Stopped,
    })
}

/// As `round`, in the calling thread: the search pauses for each check.
fn round_here(
    shared: &Shared<'_>,
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

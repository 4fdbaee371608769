//! Depth-first proof-number search (df-pn; Nagai 2002): one thread at work on a question.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use web_time::Instant;

use crate::table::TableError;

use super::canonical::{Canonical, Key};
use super::estimate::bounded;
use super::expand::{Child, Expander, NOWHERE};
use super::numbers::{Effort, INFINITE, Numbers};
use super::path::{Frame, Path};
use super::strongholds::{Placement, PlacementCounts};
use super::transposition::{TranspositionTable, TtEntry};

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// It stops once it has expanded that many positions.
    pub nodes: u64,
    /// And at that time, wherever it is.
    pub until: Option<Instant>,
}

impl Budget {
    /// Without limits.
    pub const ENDLESS: Self = Self { nodes: u64::MAX, until: None };

    /// Whether a search that has expanded `nodes` positions has to stop.
    pub fn is_spent(&self, nodes: u64) -> bool {
        nodes >= self.nodes || is_over(self.until)
    }
}

/// Whether that time has come, if there is one.
pub fn is_over(time: Option<Instant>) -> bool {
    time.is_some_and(|time| Instant::now() >= time)
}

/// What the threads of a search share, each part by reference, so that one part can be replaced.
pub struct Shared<'a> {
    /// Finds children.
    pub expander: &'a Expander<'a>,
    /// What is known so far.
    pub entries: TranspositionTable<'a>,
    /// The table that is saved in a checkpoint: the same, or that of the search that continues from one.
    pub kept: TranspositionTable<'a>,
    /// How many threads are at work below a position, by part of its key. Other threads then prefer to look elsewhere.
    pub busy: &'a Busy,
    /// Threads return as soon as they see that it is set.
    pub stop: &'a AtomicBool,
    /// As `stop`, set from outside.
    pub interrupt: &'a AtomicBool,
    /// Threads also return when it is spent.
    pub budget: Budget,
    /// Threads also return after this many nodes, so that strongholds can be made.
    pub pause: u64,
    /// In which placements defenders hold: counted while a pause is to come.
    pub tally: Option<&'a Mutex<PlacementCounts>>,
    /// All positions that the attacker turned out to win, where they are kept, each with the position after its reply. Any answer to
    /// that is settled by the rules or the tables, or known to be won before.
    pub wins: Option<&'a Mutex<HashMap<Canonical, Canonical>>>,
    /// Positions expanded.
    pub nodes: &'a AtomicU64,
    /// Turns that the rules, tables, certificates or strongholds settled.
    pub probes: &'a AtomicU64,
}

impl Shared<'_> {
    /// True when threads should return.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.interrupt.load(Ordering::Relaxed)
    }
}

/// Where threads are at work.
#[derive(Debug)]
pub struct Busy(Vec<AtomicU16>);

impl Busy {
    /// For that many threads; one thread alone has no others to avoid.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        const COUNTERS: usize = 1 << 16;
        Self((0..if threads > 1 { COUNTERS } else { 0 }).map(|_| AtomicU16::new(0)).collect())
    }

    fn counter(&self, key: Key) -> Option<&AtomicU16> {
        self.0.get(usize::from(key.more))
    }

    fn enter(&self, key: Key) {
        self.counter(key).map(|counter| counter.fetch_add(1, Ordering::Relaxed));
    }

    fn leave(&self, key: Key) {
        self.counter(key).map(|counter| counter.fetch_sub(1, Ordering::Relaxed));
    }

    #[inline]
    fn threads(&self, key: Key) -> u64 {
        self.counter(key).map_or(0, |counter| counter.load(Ordering::Relaxed).into())
    }
}

/// A thread's search: the path and, one after the other, the children of the positions on it.
pub struct Worker<'a, 'b> {
    shared: &'b Shared<'a>,
    path: Path,
    children: Vec<Child>,
    nodes: u64,
    /// Nodes after which it gives up.
    max_nodes: u64,
    probes: u64,
    reported: u64,
    tally: PlacementCounts,
    /// A frame that another thread has settled, and how.
    overtaken: Option<(usize, TtEntry)>,
}

/// Nodes between looks at what other threads have found.
const REPORT: u64 = 256;

/// Frames from the root on that are checked then.
const NEAR: usize = 256;

/// Placements are counted in positions with at most this many stones more than the tables have.
const ABOVE: usize = 2;

/// Nodes below a child after which its siblings' entries are read again.
const STALE: u64 = 512;

const NO_LIMITS: Numbers = Numbers { phi: INFINITE, delta: INFINITE };

impl<'a, 'b> Worker<'a, 'b> {
    /// A worker that gives up after `max_nodes` nodes.
    pub fn new(shared: &'b Shared<'a>, max_nodes: u64) -> Self {
        let (path, children) = (Path::new(), Vec::new());
        let tally = PlacementCounts::default();
        Self { shared, path, children, nodes: 0, max_nodes, probes: 0, reported: 0, tally, overtaken: None }
    }

    /// Searches a position that has stones of both sides, until it is settled, a stop is asked for, or it gives up. What it
    /// finds is left in the entries either way.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    pub fn settle(&mut self, position: Canonical, attacker_moves: bool) -> Result<Numbers, TableError> {
        let result = self.search(position, attacker_moves);
        if result.is_err() {
            self.abandon();
        }
        self.report();
        if let Some(tally) = self.shared.tally {
            tally.lock().unwrap_or_else(PoisonError::into_inner).take(&mut self.tally);
        }
        result
    }

    /// The position after the reply by which the mover of the position that was searched reaches its goal, if one was found.
    pub fn reply(&self) -> Option<Canonical> {
        good_reply(&self.children).map(|child| child.position)
    }

    fn search(&mut self, position: Canonical, attacker_moves: bool) -> Result<Numbers, TableError> {
        self.children.clear();
        self.enter(position, position.key(attacker_moves), attacker_moves, NO_LIMITS, 0)?;
        while let Some(top) = self.path.last().copied() {
            let depth = self.path.len() - 1;
            let overtaken = self.overtaken.filter(|&(frame, _)| frame <= depth);
            let (found, depends_on) = match overtaken {
                Some((frame, found)) if frame == depth => {
                    self.overtaken = None;
                    (found, NOWHERE)
                }
                _ => self.found(&top, depth),
            };
            let Numbers { phi, delta } = found.numbers;
            let stop = overtaken.is_some() || self.nodes >= self.max_nodes || self.shared.stopped();
            if stop || phi >= top.limits.phi || delta >= top.limits.delta {
                self.leave(&top, found, depends_on);
                if self.path.is_empty() {
                    return Ok(found.numbers);
                }
                continue;
            }
            self.descend(&top)?;
            if self.nodes - self.reported >= REPORT {
                self.report();
                self.look_around();
            }
        }
        unreachable!("the root is left by a return")
    }

    fn report(&mut self) {
        let new = self.nodes - self.reported;
        let nodes = new + self.shared.nodes.fetch_add(new, Ordering::Relaxed);
        if nodes >= self.shared.pause || self.shared.budget.is_spent(nodes) {
            self.shared.stop.store(true, Ordering::Relaxed);
        }
        self.shared.probes.fetch_add(std::mem::take(&mut self.probes), Ordering::Relaxed);
        self.reported = self.nodes;
    }

    /// Checks whether another thread has settled a position on the path. The root is left out, since its caller needs the
    /// reason as well, and so is what is far below it, since a path may be thousands of paikas long.
    fn look_around(&mut self) {
        let settled = |frame: &Frame| self.shared.entries.get(frame.key).filter(|found| found.holds());
        let mut below_root = self.path.iter().enumerate().take(NEAR).skip(1);
        self.overtaken = below_root.find_map(|(depth, frame)| settled(frame).map(|found| (depth, found)));
    }

    /// Drops the path, and stops the other threads.
    fn abandon(&mut self) {
        while let Some(frame) = self.path.pop() {
            self.shared.busy.leave(frame.key);
        }
        self.children.clear();
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// What follows from the children for the last frame, number `depth`, and which frame further up that depends on.
    ///
    /// What depends on the frame itself, or on those below it, holds whatever the path: the positions below that come back to
    /// it make a closed set with it.
    fn found(&self, frame: &Frame, depth: usize) -> (TtEntry, usize) {
        let children = &self.children[frame.children..];
        let numbers = self.shared.expander.tuning.parent(frame.detour, children.iter().map(|child| child.numbers));
        let (height, depends_on) = match numbers.settled() {
            // One good reply is enough for the mover. A mover without any fails by all of them.
            Some(true) => {
                let (height, depends_on) =
                    good_reply(children).map_or((0, NOWHERE), |child| (child.height, child.depends_on));
                if frame.attacker_moves { (height + 1, NOWHERE) } else { (0, depends_on) }
            }
            Some(false) => {
                let highest = children.iter().map(|child| child.height).max().unwrap_or_default();
                let most = children.iter().map(|child| child.depends_on).min().unwrap_or(NOWHERE);
                if frame.attacker_moves { (0, most) } else { (highest + 1, NOWHERE) }
            }
            None => (0, NOWHERE),
        };
        let depends_on = if depends_on < depth { depends_on } else { NOWHERE };
        let path_dependency = self.path.get(depends_on).map(|frame| frame.key.more);
        let nodes = frame.effort + self.nodes - frame.entered_at + 1;
        (TtEntry { numbers, effort: Effort::of(nodes), height, path_dependency }, depends_on)
    }

    /// Continues with the most promising child of the last frame.
    fn descend(&mut self, top: &Frame) -> Result<(), TableError> {
        let tuning = &self.shared.expander.tuning;
        let (mut best, mut first, mut second) = (0, u64::MAX, u64::MAX);
        let mut sum = 0;
        for (number, child) in self.children[top.children..].iter().enumerate() {
            let Numbers { phi, delta } = child.numbers;
            sum += u64::from(phi);
            if delta == INFINITE {
                continue;
            }
            let delta = u64::from(delta);
            // A virtual loss for each thread that is there (Pawlewicz and Hayward 2013). It is small, so that threads split up
            // where children are much alike, and stay together elsewhere.
            let delta = delta + (delta / 32 + 1) * self.shared.busy.threads(child.key);
            if delta < first {
                (best, second, first) = (number, first, delta);
            } else if delta < second {
                second = delta;
            }
        }
        let Child { position, key, numbers, .. } = self.children[top.children + best];
        let phi = match top.limits.delta {
            INFINITE => INFINITE,
            limit => limit.saturating_sub(bounded(tuning.others(numbers.phi, sum), INFINITE)),
        };
        let patient = bounded(second.saturating_add(1 + second / u64::from(tuning.patience)), INFINITE);
        let delta = match top.limits.phi {
            INFINITE => patient,
            limit => limit.saturating_sub(top.detour).min(patient),
        };
        // At least one more than now, or the same choice would come up for ever.
        let limits = Numbers { phi: phi.max(numbers.phi + 1), delta: delta.max(numbers.delta + 1) };
        let (depth, nodes) = (self.path.len(), self.nodes);
        if let Some(frame) = self.path.last_mut() {
            (frame.chosen, frame.chosen_at) = (best, nodes);
        }
        let reversible = if top.quiet { top.reversible } else { depth };
        self.enter(position, key, !top.attacker_moves, limits, reversible)
    }

    fn enter(
        &mut self,
        position: Canonical,
        key: Key,
        attacker_moves: bool,
        limits: Numbers,
        reversible: usize,
    ) -> Result<(), TableError> {
        let shared = self.shared;
        let effort = shared.entries.get(key).map_or(0, |found| found.effort.nodes());
        let start = self.children.len();
        let path = &self.path;
        let frame = |key_part| path.find_part(key_part, reversible);
        let expansion = shared.expander.expand(position, attacker_moves, &shared.entries, frame, &mut self.children)?;
        let quiet = expansion.quiet;
        if quiet {
            for child in self.children[start..].iter_mut().filter(|child| !child.fixed) {
                if let Some(earlier) = path.find(child.position, child.key, reversible) {
                    child.repeat(path[earlier].attacker_moves, earlier);
                }
            }
        }
        self.nodes += 1;
        self.probes += expansion.probes;
        shared.busy.enter(key);
        let (chosen_at, entered_at) = (self.nodes, self.nodes);
        let detour = shared.expander.tuning.detour(path.len() - reversible);
        let frame = Frame {
            position,
            key,
            attacker_moves,
            limits,
            children: start,
            reversible,
            detour,
            quiet,
            chosen: 0,
            chosen_at,
            entered_at,
            effort,
        };
        self.path.push(frame);
        Ok(())
    }

    /// Keeps a win, before others can rely on it. A position that another thread has settled is kept already.
    fn keep(&self, top: &Frame, numbers: Numbers) {
        let Some(wins) = self.shared.wins.filter(|_| top.attacker_moves && numbers == Numbers::REACHED) else { return };
        let Some(reply) = good_reply(&self.children[top.children..]) else { return };
        wins.lock().unwrap_or_else(PoisonError::into_inner).entry(top.position).or_insert(reply.position);
    }

    /// Counts the placement of a defender that holds.
    fn count(&mut self, top: &Frame, numbers: Numbers) {
        let holds = numbers.settled() == Some(!top.attacker_moves);
        let counted = holds && self.shared.pause < u64::MAX;
        if !counted || top.position.stones() > self.shared.expander.tables.table_stones().saturating_add(ABOVE) {
            return;
        }
        let Canonical { mover, opponent } = top.position;
        let (defender, attacker) = if top.attacker_moves { (opponent, mover) } else { (mover, opponent) };
        let defender = self.shared.expander.mirror.canonical(defender, 0).mover;
        self.tally.count(Placement { defender, attackers: attacker.count_ones() });
    }

    /// Stores what was found of the last frame, and passes it to its parent.
    fn leave(&mut self, top: &Frame, found: TtEntry, depends_on: usize) {
        self.shared.busy.leave(top.key);
        self.keep(top, found.numbers);
        self.shared.entries.put(top.key, found);
        self.count(top, found.numbers);
        self.path.pop();
        let Some(parent) = self.path.last() else { return };
        self.children.truncate(top.children);
        self.children[parent.children + parent.chosen].learn(found, |_| Some(depends_on));
        if self.nodes - parent.chosen_at > STALE {
            let path = &self.path;
            // Only the children of a quiet position come after paikas.
            let reversible = if parent.quiet { parent.reversible } else { path.len() };
            for child in &mut self.children[parent.children..] {
                if child.fixed || child.numbers.settled().is_some() {
                    continue;
                }
                if let Some(found) = self.shared.entries.get(child.key) {
                    child.learn(found, |key_part| path.find_part(key_part, reversible));
                }
            }
        }
    }
}

/// Of the replies by which the mover reaches its goal, the one that depends on the least; if it attacks, the lowest.
fn good_reply(children: &[Child]) -> Option<&Child> {
    let good = children.iter().filter(|child| child.numbers.delta == 0);
    good.min_by_key(|child| (Reverse(child.depends_on), child.height))
}

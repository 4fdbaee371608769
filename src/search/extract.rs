//! Draws closed sets from the transposition table: a reply for each position, and every answer to it in the set again.
//!
//! The set grows from its seeds, a layer at a time. For each position of a layer a reply is chosen that the transposition
//! table has as good; the answers to it, where no table settles them, are the next layer. Where it has no good reply, the
//! position is searched again. If the position turns out to be bad, or stays open and is not a win, every position whose reply
//! led to it is decided again, until the set closes or a seed cannot be kept.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::Serialize;

use crate::table::TableError;

use super::canonical::Canonical;
use super::closed_set::{ClosedSet, Extracted, ranks};
use super::dfpn::{Shared, Worker};
use super::error::SolveError;
use super::growing::reserve;
use super::numbers::{Effort, Numbers};
use super::progress::{Control, Progress};
use super::reply::{Decision, answers, decide, open_answers};
use super::solver::Solver;
use super::transposition::{TranspositionTable, TtEntry};

/// What the transposition table lacked, or had wrong, when sets were drawn from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repairs {
    /// Positions that were searched again because the table had no good reply (any more).
    #[serde(rename = "searched_again")]
    pub searched: u64,
    /// Positions that turned out to be bad though the search had relied on them: disproofs that depended on a path.
    pub refuted: u64,
    /// Positions that the search had relied on and that stayed open when they were searched again.
    pub reopened: u64,
}

impl Repairs {
    /// Positions that the search had relied on wrongly.
    #[must_use]
    pub fn withdrawn(self) -> u64 {
        self.refuted + self.reopened
    }
}

/// Called with how many positions are in a set, how many need a reply, and how far the search is.
pub type OnClosing<'o> = dyn FnMut(u64, u64, &Progress<'_>) -> Control + 'o;

/// The most positions that are decided together, between looks at whether to stop.
const LAYER: usize = 1 << 13;

/// If that took more nodes, half as many are decided together next.
const LONG: u64 = 1 << 18;

/// The most positions that are searched together because their replies lead in circles.
const CIRCULAR: usize = 1 << 8;

/// A search that was given too few nodes is given this many times as many.
pub const MORE: u64 = 4;

impl Solver<'_> {
    /// Finds positions that make a closed set together with `base`, which is one itself, or empty, and that contain `seeds`:
    /// positions in which the mover wins, if it is the attacker, or else does not lose. Seeds that the rules or the tables
    /// settle are left out.
    ///
    /// A position whose reply the table does not know is searched again, with up to `max_nodes` nodes. If that is not enough, a
    /// position of the defender is dropped like a bad one, which may lead back to a seed. Then there is no set (`None`): the
    /// question that led to the seed has to be asked again. To search on right here would mean to settle that very position,
    /// however hard, although an easier one may do. Wins are certain, so a position of the attacker waits, and is searched with
    /// more nodes when those around it are settled, which may make it easy.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn extract(
        &mut self,
        base: &ClosedSet,
        seeds: &[(u64, u64)],
        attacker_moves: bool,
        max_nodes: u64,
        repairs: &mut Repairs,
        observe: &mut OnClosing<'_>,
    ) -> Result<Option<ClosedSet>, SolveError> {
        let before = *repairs;
        let spare = self.found().spare_bytes();
        self.with_shared(|shared| {
            let held = ClosedPositions { base, added: ClosedSet::new() };
            let mut set = Set { shared, attacker_moves, max_nodes, seeds: HashSet::new(), held, repairs };
            for &(mover, opponent) in seeds {
                let seed = shared.expander.mirror.canonical(mover, opponent);
                match shared.expander.settled(seed, attacker_moves)? {
                    None => base.contains_key(&seed) || set.seeds.insert(seed),
                    Some(true) => true,
                    Some(false) => return Ok(None),
                };
            }
            let mut open = set.seeds.clone();
            while !open.is_empty() {
                let Some(still_open) = set.close(open.into_iter().collect(), observe)? else { return Ok(None) };
                (open, set.max_nodes) = (still_open, set.max_nodes.saturating_mul(MORE));
            }
            if attacker_moves && !set.rank(max_nodes, spare, observe)? {
                return Ok(None);
            }
            if *set.repairs != before {
                set.prune()?;
            }
            Ok(Some(set.held.added))
        })
    }
}

/// The positions of a set.
struct ClosedPositions<'c> {
    /// Those that are closed among themselves.
    base: &'c ClosedSet,
    /// The others.
    added: ClosedSet,
}

impl ClosedPositions<'_> {
    fn contains(&self, position: &Canonical) -> bool {
        self.added.contains_key(position) || self.base.contains_key(position)
    }

    fn len(&self) -> u64 {
        (self.base.len() + self.added.len()) as u64
    }
}

/// A set while it grows.
struct Set<'a, 'b, 'c> {
    shared: &'b Shared<'a>,
    attacker_moves: bool,
    max_nodes: u64,
    seeds: HashSet<Canonical>,
    held: ClosedPositions<'c>,
    repairs: &'c mut Repairs,
}

impl Set<'_, '_, '_> {
    /// Decides every position of `layer`, and all that follow. Returns those of the attacker that stay open, or `None` if a seed
    /// cannot be kept.
    fn close(
        &mut self,
        mut layer: Vec<Canonical>,
        observe: &mut OnClosing<'_>,
    ) -> Result<Option<HashSet<Canonical>>, SolveError> {
        let mut open = HashSet::new();
        // Positions that cannot stay in the set: whether each is lost, or merely open.
        let mut bad = HashMap::new();
        let (mut together, least) = (LAYER, rayon::current_num_threads());
        loop {
            while !layer.is_empty() {
                layer.sort_unstable();
                layer.dedup();
                observe(self.held.len(), (layer.len() + open.len()) as u64, &self.progress()).check()?;
                let before = self.shared.nodes.load(Ordering::Relaxed);
                let some = layer.split_off(layer.len().saturating_sub(together));
                layer.extend(self.decide_all(some, &mut bad, &mut open)?);
                let took_long = self.shared.nodes.load(Ordering::Relaxed) - before > LONG;
                together = if took_long { (together / 2).max(least) } else { (2 * together).min(LAYER) };
            }
            if bad.is_empty() {
                return Ok(Some(open));
            }
            let lost = bad.values().filter(|&&lost| lost).count() as u64;
            self.repairs.refuted += lost;
            self.repairs.reopened += bad.len() as u64 - lost;
            layer = self.retract(&bad);
            if bad.keys().any(|position| self.seeds.contains(position)) {
                return Ok(None);
            }
            bad.clear();
        }
    }

    fn progress(&self) -> Progress<'_> {
        let nodes = self.shared.nodes.load(Ordering::Relaxed);
        let probes = self.shared.probes.load(Ordering::Relaxed);
        Progress { nodes, probes, numbers: None, entries: self.shared.kept, strongholds: None, line: Vec::new() }
    }

    /// Decides positions that may be in the set already, or known to be bad, or to be open. Returns the answers that are next.
    fn decide_all(
        &mut self,
        positions: Vec<Canonical>,
        bad: &mut HashMap<Canonical, bool>,
        open: &mut HashSet<Canonical>,
    ) -> Result<Vec<Canonical>, SolveError> {
        let new = |at: &Canonical| !self.held.contains(at) && !bad.contains_key(at) && !open.contains(at);
        let holds = |answer: &Canonical| self.held.contains(answer);
        let decided = positions.into_par_iter().filter(new).map(|position| {
            let decision = decide(self.shared, &holds, position, self.attacker_moves, self.max_nodes)?;
            Ok((position, decision))
        });
        let decided: Vec<_> = decided.collect::<Result<_, TableError>>()?;
        let mut next = Vec::new();
        for (position, decision) in decided {
            match decision {
                Decision::Open if self.shared.stopped() => return Err(SolveError::Stopped),
                Decision::Open if self.attacker_moves => _ = open.insert(position),
                Decision::Open => _ = bad.insert(position, false),
                Decision::Bad => _ = bad.insert(position, true),
                Decision::Good { reply, answers, searched } => {
                    self.repairs.searched += u64::from(searched);
                    if self.held.added.insert(position, Extracted { reply, rank: 0 }).is_none() {
                        next.extend(answers.into_iter().filter(|answer| !self.held.contains(answer)));
                    }
                }
            }
        }
        Ok(next)
    }

    /// Takes out of the set every position whose reply allows one of the bad ones; they have to be decided again.
    fn retract(&mut self, bad: &HashMap<Canonical, bool>) -> Vec<Canonical> {
        let (shared, attacker_moves) = (self.shared, self.attacker_moves);
        let concerned: Vec<(Canonical, Canonical, bool)> = self
            .held
            .added
            .par_iter()
            .filter_map(|(&position, extracted)| extracted.reply.map(|reply| (position, reply)))
            .filter_map(|(position, reply)| {
                let lost = answers(shared, reply).into_iter().filter_map(|answer| bad.get(&answer)).max()?;
                Some((position, reply, *lost))
            })
            .collect();
        let mut again = Vec::with_capacity(concerned.len());
        for (position, reply, lost) in concerned {
            let numbers = if lost { Numbers::REACHED } else { Numbers { phi: 1, delta: 1 } };
            let withdrawn = TtEntry::new(numbers, Effort::of(1 << 20));
            shared.entries.replace(reply.key(!attacker_moves), withdrawn);
            self.held.added.remove(&position);
            again.push(position);
        }
        again
    }

    /// Drops what cannot be reached from the seeds any more.
    fn prune(&mut self) -> Result<(), TableError> {
        let mut reached: HashSet<Canonical> = self.seeds.clone();
        let mut layer: Vec<Canonical> = reached.iter().copied().collect();
        while !layer.is_empty() {
            let replies = layer.par_iter().filter_map(|position| self.held.added.get(position)?.reply);
            let answers: Vec<Vec<Canonical>> =
                replies.map(|reply| open_answers(self.shared, reply, self.attacker_moves)).collect::<Result<_, _>>()?;
            let new = |answer: &Canonical| !self.held.base.contains_key(answer) && reached.insert(*answer);
            layer = answers.into_iter().flatten().filter(new).collect();
        }
        self.held.added.retain(|position, _| reached.contains(position));
        Ok(())
    }

    /// Gives every position of a won set its rank; false if a seed cannot be kept. Positions that are searched again have up to
    /// `max_nodes` nodes at first. May use `spare` more bytes.
    fn rank(&mut self, mut max_nodes: u64, spare: u64, observe: &mut OnClosing<'_>) -> Result<bool, SolveError> {
        loop {
            let ClosedPositions { base, added } = &mut self.held;
            let circular = ranks(base, added, &|reply| open_answers(self.shared, reply, self.attacker_moves))?;
            if circular.is_empty() {
                return Ok(true);
            }
            // Replies that were found at different times lead in a circle. Those positions are searched again in a separate table,
            // given only the positions that have a rank, and all wins that are found are kept, so that replies lead to earlier wins.
            let before: ClosedSet = circular.iter().filter_map(|position| added.remove_entry(position)).collect();
            let mut memory = reserve(spare)?;
            let wins = Mutex::default();
            let afresh = Shared { entries: TranspositionTable::new(&mut memory), wins: Some(&wins), ..*self.shared };
            for (position, extracted) in base.iter().chain(&*added) {
                let won = TtEntry { height: extracted.rank, ..TtEntry::new(Numbers::REACHED, Effort::of(1 << 20)) };
                afresh.entries.put(position.key(true), won);
            }
            let Some(open) = self.search_again(&afresh, &circular, max_nodes, observe)? else {
                // Wins do not depend on a path, so a false one has come from outside, and there may be more of them.
                self.shared.entries.clear();
                return Ok(false);
            };
            let added = &mut self.held.added;
            for (position, reply) in wins.into_inner().unwrap_or_else(PoisonError::into_inner) {
                added.entry(position).or_insert(Extracted { reply: Some(reply), rank: 0 });
            }
            // The replies of those that stay open may lead to wins by now.
            added.extend(open.iter().filter_map(|position| before.get_key_value(position)));
            max_nodes = max_nodes.saturating_mul(MORE);
        }
    }

    /// Searches positions that the attacker wins. Returns those that stay open, or `None` if one is lost.
    fn search_again(
        &mut self,
        afresh: &Shared<'_>,
        circular: &[Canonical],
        max_nodes: u64,
        observe: &mut OnClosing<'_>,
    ) -> Result<Option<Vec<Canonical>>, SolveError> {
        let mut open = Vec::new();
        for (number, some) in circular.chunks(CIRCULAR).enumerate() {
            let waiting = circular.len() - number * CIRCULAR + open.len();
            observe(self.held.len(), waiting as u64, &self.progress()).check()?;
            let search = |&position: &Canonical| Worker::new(afresh, max_nodes).settle(position, true);
            let numbers: Vec<Numbers> = some.par_iter().map(search).collect::<Result<_, _>>()?;
            if self.shared.stopped() {
                return Err(SolveError::Stopped);
            }
            for (&position, numbers) in some.iter().zip(numbers) {
                match numbers.settled() {
                    Some(true) => self.repairs.searched += 1,
                    Some(false) => return Ok(None),
                    None => open.push(position),
                }
            }
        }
        Ok(Some(open))
    }
}

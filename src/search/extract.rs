//! From what a search remembers to closed sets: a reply for each position, and every answer to it in the set again.
//!
//! The set grows from its seeds, a layer at a time. For each position of a layer a reply is chosen that the transposition
//! table holds for good; the answers to it, where no table settles them, are the next layer. Where the table knows no good
//! reply, the position is searched again. If that shows the position to be bad after all, or not enough, every position whose
//! reply led to it is decided anew, until the set closes or a seed cannot be kept.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use crate::table::TableError;

use super::Probe;
use super::children::Expander;
use super::entries::Found;
use super::mirror::Canonical;
use super::numbers::{Effort, Numbers};
use super::rank::ranks;
use super::solver::{SolveError, Solver, Wish};
use super::worker::{Shared, Worker};

/// A closed set: for each position, the position after the reply of its mover, where there is a reply; and its rank, if
/// the mover wins.
pub type Closed = HashMap<Canonical, Extracted>;

/// What the transposition table did not know, or had wrong, when sets were drawn from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Positions that had to be searched again because the table did not know a good reply (any more).
    pub searched: u64,
    /// Positions that turned out to be bad though the search had counted on them: disproofs that leaned on a path.
    pub refuted: u64,
    /// Positions that the search had counted on and that stayed open when they were searched again.
    pub reopened: u64,
}

impl Repairs {
    /// Positions that the search had counted on in vain.
    fn withdrawn(self) -> u64 {
        self.refuted + self.reopened
    }
}

/// What to do in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extracted {
    /// The position after the reply, its mover the other side. `None`: no turn, and stalemate is a draw.
    pub reply: Option<Canonical>,
    /// Falls from each position to those that can come up two turns later, where the mover wins. Otherwise 0.
    pub rank: u32,
}

/// Positions that are decided together, between looks at whether to stop.
const LAYER: usize = 1 << 13;

/// What came of looking at one position.
enum Decision {
    /// The position after the reply, and answers that have to be in the set.
    Good { reply: Option<Canonical>, answers: Vec<Canonical>, searched: bool },
    /// The mover does not reach what it wants.
    Bad,
    /// Not decided before the stop, or with so many nodes.
    Open,
}

impl<P: Probe> Solver<'_, P> {
    /// Finds positions that make a closed set together with `base`, which is one itself, or empty, and that contain `seeds`:
    /// positions in which the mover wins, if it is the attacker, or else does not lose. Seeds that the rules or the tables
    /// settle are left out. `observe` hears how many positions are in the set, and how many more are waiting.
    ///
    /// A position whose reply the table does not know is searched again, with up to `patience` nodes where the defender
    /// moves. If that is not enough, its place in the set is given up like that of a bad one, which may go up to a seed.
    /// Then there is no set (`None`): the question that led to the seed has to be asked again. To search on right here
    /// would mean to settle that very position, however hard, instead of the easiest that does.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn extract(
        &mut self,
        base: &Closed,
        seeds: &[(u64, u64)],
        attacker_moves: bool,
        patience: u64,
        repairs: &mut Repairs,
        observe: &mut dyn FnMut(u64, u64) -> Wish,
    ) -> Result<Option<Closed>, SolveError> {
        // Wins are never withdrawn: all that can be wrong with them is that the table is too small to hold them.
        let patience = if attacker_moves { u64::MAX } else { patience };
        let withdrawn = repairs.withdrawn();
        self.with_shared(|shared| {
            let held = Held { base, added: Closed::new() };
            let mut set = Set { shared, attacker_moves, patience, seeds: HashSet::new(), held, repairs };
            for &(mover, opponent) in seeds {
                let seed = shared.expander.mirror.canonical(mover, opponent);
                match shared.expander.known(seed)? {
                    None => base.contains_key(&seed) || set.seeds.insert(seed),
                    Some(outcome) if Expander::<P>::reaches(outcome, attacker_moves) => true,
                    Some(_) => return Ok(None),
                };
            }
            if !set.close(set.seeds.iter().copied().collect(), observe)? {
                return Ok(None);
            }
            if set.repairs.withdrawn() > withdrawn {
                set.prune()?;
            }
            if attacker_moves && !set.rank(observe)? {
                return Ok(None);
            }
            Ok(Some(set.held.added))
        })
    }
}

/// The positions of a set.
struct Held<'c> {
    /// Those that are closed among themselves.
    base: &'c Closed,
    /// The others.
    added: Closed,
}

impl Held<'_> {
    fn contains(&self, position: &Canonical) -> bool {
        self.added.contains_key(position) || self.base.contains_key(position)
    }

    fn len(&self) -> u64 {
        (self.base.len() + self.added.len()) as u64
    }
}

/// A set while it grows.
struct Set<'a, 'b, 'c, P> {
    shared: &'b Shared<'a, P>,
    attacker_moves: bool,
    patience: u64,
    seeds: HashSet<Canonical>,
    held: Held<'c>,
    repairs: &'c mut Repairs,
}

impl<P: Probe> Set<'_, '_, '_, P> {
    /// Decides every position of `layer`, and all that follow; false if a seed cannot be kept.
    fn close(
        &mut self,
        mut layer: Vec<Canonical>,
        observe: &mut dyn FnMut(u64, u64) -> Wish,
    ) -> Result<bool, SolveError> {
        // Positions that cannot stay in the set: whether each is lost, or merely open.
        let mut bad = HashMap::new();
        loop {
            while !layer.is_empty() {
                if observe(self.held.len(), layer.len() as u64) == Wish::Stop {
                    return Err(SolveError::Stopped);
                }
                let some = layer.split_off(layer.len().saturating_sub(LAYER));
                layer.extend(self.decide_all(some, &mut bad)?);
                layer.sort_unstable();
                layer.dedup();
            }
            if bad.is_empty() {
                return Ok(true);
            }
            let lost = bad.values().filter(|&&lost| lost).count() as u64;
            self.repairs.refuted += lost;
            self.repairs.reopened += bad.len() as u64 - lost;
            layer = self.retract(&bad);
            if bad.keys().any(|position| self.seeds.contains(position)) {
                return Ok(false);
            }
            bad.clear();
        }
    }

    /// Decides positions that may be in the set already, or known to be bad; hands out answers that are next.
    fn decide_all(
        &mut self,
        positions: Vec<Canonical>,
        bad: &mut HashMap<Canonical, bool>,
    ) -> Result<Vec<Canonical>, SolveError> {
        let new = |position: &Canonical| !self.held.contains(position) && !bad.contains_key(position);
        let decide = |position| {
            decide(self.shared, &self.held, position, self.attacker_moves, self.patience)
                .map(|decision| (position, decision))
        };
        let decisions = positions.into_par_iter().filter(new).map(decide).collect::<Result<Vec<_>, _>>()?;
        let mut next = Vec::new();
        for (position, decision) in decisions {
            match decision {
                Decision::Open if self.shared.stopped() => return Err(SolveError::Stopped),
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
            let withdrawn = Found::new(numbers, Effort::of(1 << 20));
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
                replies.map(|reply| open_answers(self.shared, reply)).collect::<Result<_, _>>()?;
            let new = |answer: &Canonical| !self.held.base.contains_key(answer) && reached.insert(*answer);
            layer = answers.into_iter().flatten().filter(new).collect();
        }
        self.held.added.retain(|position, _| reached.contains(position));
        Ok(())
    }

    /// Gives every position of a won set its rank; false if a seed cannot be kept.
    fn rank(&mut self, observe: &mut dyn FnMut(u64, u64) -> Wish) -> Result<bool, SolveError> {
        loop {
            let Held { base, added } = &mut self.held;
            let circular = ranks(base, added, |reply| open_answers(self.shared, reply))?;
            if circular.is_empty() {
                return Ok(true);
            }
            // Replies that were found at different times lead round in a circle. Those positions are searched afresh, on the
            // ground of what has a rank; then every reply is better founded than the position it is for.
            self.shared.entries.clear();
            for position in &circular {
                self.held.added.remove(position);
            }
            for (position, extracted) in self.held.base.iter().chain(&self.held.added) {
                let won = Found { height: extracted.rank, ..Found::new(Numbers::REACHED, Effort::of(1 << 20)) };
                self.shared.entries.put(position.key(true), won);
            }
            if !self.close(circular, observe)? {
                return Ok(false);
            }
        }
    }
}

/// The positions after each turn, each once.
fn answers<P>(shared: &Shared<'_, P>, position: Canonical) -> Vec<Canonical> {
    let after = shared.expander.game.successors(position.mover, position.opponent);
    let mut answers: Vec<_> =
        after.iter().map(|after| shared.expander.mirror.canonical(after.next, after.moved)).collect();
    answers.sort_unstable();
    answers.dedup();
    answers
}

/// Those that neither the rules nor the tables settle, of a position that they do not settle itself.
fn open_answers<P: Probe>(shared: &Shared<'_, P>, position: Canonical) -> Result<Vec<Canonical>, TableError> {
    let mut open = Vec::new();
    if shared.expander.known(position)?.is_some() {
        return Ok(open);
    }
    for answer in answers(shared, position) {
        if shared.expander.known(answer)?.is_none() {
            open.push(answer);
        }
    }
    Ok(open)
}

/// Chooses a reply, after a search of up to `patience` nodes if need be.
fn decide<P: Probe>(
    shared: &Shared<'_, P>,
    held: &Held<'_>,
    position: Canonical,
    attacker_moves: bool,
    patience: u64,
) -> Result<Decision, TableError> {
    let mut searched = false;
    loop {
        if let Some((reply, answers)) = choose(shared, held, position, attacker_moves)? {
            return Ok(Decision::Good { reply, answers, searched });
        }
        let numbers = Worker::new(shared, patience).settle(position, attacker_moves)?;
        match numbers.settled() {
            None => {
                // What the table held for settled it would hold on to.
                let open = Found::new(numbers, Effort::of(patience));
                shared.entries.replace(position.key(attacker_moves), open);
                return Ok(Decision::Open);
            }
            Some(false) => return Ok(Decision::Bad),
            // The search knows a good reply now; if it is lost from the table again at once, it is found again.
            Some(true) => searched = true,
        }
    }
}

/// A reply, where there is a turn, and the answers to it that have to be good as well.
type Choice = (Option<Canonical>, Vec<Canonical>);

/// The best reply that is known to be good: for the attacker the one with the lowest height, for the defender the one that
/// brings the fewest new positions into the set.
fn choose<P: Probe>(
    shared: &Shared<'_, P>,
    held: &Held<'_>,
    position: Canonical,
    attacker_moves: bool,
) -> Result<Option<Choice>, TableError> {
    let replies = answers(shared, position);
    if replies.is_empty() {
        let drawn = !attacker_moves && shared.expander.game.rules().stalemate == crate::rules::Stalemate::Draw;
        return Ok(drawn.then(|| (None, Vec::new())));
    }
    let mut good = Vec::new();
    for reply in replies {
        match shared.expander.known(reply)? {
            Some(outcome) if Expander::<P>::reaches(outcome, !attacker_moves) => {}
            Some(_) => return Ok(Some((Some(reply), Vec::new()))),
            None => {
                let found = shared.entries.get(reply.key(!attacker_moves));
                good.extend(found.filter(|found| found.numbers == Numbers::MISSED).map(|found| {
                    // A win by falling heights ends; a defence had better be short, and not lean on a path.
                    let cost = if attacker_moves { found.height } else { u32::from(found.effort.0) };
                    (found.lean.is_some(), cost, reply)
                }));
            }
        }
    }
    good.sort_unstable();
    let mut best: Option<(usize, Choice)> = None;
    for (.., reply) in good {
        let Some(answers) = unspoilt_answers(shared, reply, attacker_moves)? else {
            let refuted = Found::new(Numbers::REACHED, Effort::of(1));
            shared.entries.replace(reply.key(!attacker_moves), refuted);
            continue;
        };
        let new = answers.iter().filter(|answer| !held.contains(answer)).count();
        if best.as_ref().is_none_or(|&(least, _)| new < least) {
            best = Some((new, (Some(reply), answers)));
        }
        // Heights have to fall; nothing is better than no new position.
        if attacker_moves || new == 0 {
            break;
        }
    }
    Ok(best.map(|(_, choice)| choice))
}

/// The answers to a reply that have to be good, or `None` if one of them is known not to be.
fn unspoilt_answers<P: Probe>(
    shared: &Shared<'_, P>,
    reply: Canonical,
    attacker_moves: bool,
) -> Result<Option<Vec<Canonical>>, TableError> {
    let mut open = Vec::new();
    for answer in answers(shared, reply) {
        match shared.expander.known(answer)? {
            Some(outcome) if Expander::<P>::reaches(outcome, attacker_moves) => {}
            Some(_) => return Ok(None),
            None => {
                let found = shared.entries.get(answer.key(attacker_moves));
                if found.is_some_and(|found| found.numbers == Numbers::MISSED) {
                    return Ok(None);
                }
                open.push(answer);
            }
        }
    }
    Ok(Some(open))
}

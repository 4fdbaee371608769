//! From what a search remembers to closed sets: a reply for each position, and every answer to it in the set again.
//!
//! The set grows from its seeds, a layer at a time. For each position of a layer a reply is chosen that the transposition
//! table holds for good; the answers to it, where no table settles them, are the next layer. Where the table knows no good
//! reply, the position is searched again. If that shows the position to be bad after all, every position whose
//! reply led to it is decided anew, until the set closes or a seed turns out to be bad itself.

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
#[derive(Clone, Debug, Default)]
pub struct Extraction {
    /// By position.
    pub replies: HashMap<Canonical, Extracted>,
    /// Positions that had to be searched again because the table did not know a good reply (any more).
    pub searched: u64,
    /// Positions that turned out to be bad though the search had counted on them: disproofs that leaned on a path.
    pub refuted: u64,
}

/// What to do in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extracted {
    /// The position after the reply, its mover the other side. `None`: no turn, and stalemate is a draw.
    pub reply: Option<Canonical>,
    /// Falls from each position to those that can come up two turns later, where the mover wins. Otherwise 0.
    pub rank: u32,
}

/// Positions of a layer that are decided together, between looks at whether to stop.
const LAYER: usize = 1 << 16;

/// What came of looking at one position.
enum Decision {
    /// The position after the reply, and answers that have to be in the set.
    Good { reply: Option<Canonical>, answers: Vec<Canonical>, searched: bool },
    /// The mover does not reach what it wants.
    Bad,
    /// Not decided before the stop.
    Open,
}

impl<P: Probe> Solver<'_, P> {
    /// Finds a closed set that contains `seeds`: positions in which the mover wins, if it is the attacker, or else does not
    /// lose. Seeds that the rules or the tables settle are left out. `observe` hears how many positions are in the set,
    /// and how many more are waiting.
    ///
    /// The inner result is a seed that is bad after all: the question that led to it has to be asked again.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn extract(
        &mut self,
        seeds: &[(u64, u64)],
        attacker_moves: bool,
        observe: &mut dyn FnMut(u64, u64) -> Wish,
    ) -> Result<Result<Extraction, Canonical>, SolveError> {
        self.with_shared(|shared| {
            let mut set = Set { shared, attacker_moves, seeds: HashSet::new(), set: Extraction::default() };
            for &(mover, opponent) in seeds {
                let seed = shared.expander.mirror.canonical(mover, opponent);
                match shared.expander.known(seed)? {
                    None => set.seeds.insert(seed),
                    Some(outcome) if Expander::<P>::reaches(outcome, attacker_moves) => true,
                    Some(_) => return Ok(Err(seed)),
                };
            }
            if let Err(seed) = set.close(set.seeds.iter().copied().collect(), observe)? {
                return Ok(Err(seed));
            }
            set.prune()?;
            if attacker_moves {
                if let Err(seed) = set.rank(observe)? {
                    return Ok(Err(seed));
                }
            }
            Ok(Ok(set.set))
        })
    }
}

/// A set while it grows.
struct Set<'a, 'b, P> {
    shared: &'b Shared<'a, P>,
    attacker_moves: bool,
    seeds: HashSet<Canonical>,
    set: Extraction,
}

impl<P: Probe> Set<'_, '_, P> {
    /// Decides every position of `layer`, and all that follow.
    fn close(
        &mut self,
        mut layer: Vec<Canonical>,
        observe: &mut dyn FnMut(u64, u64) -> Wish,
    ) -> Result<Result<(), Canonical>, SolveError> {
        while !layer.is_empty() {
            let rest = layer.split_off(layer.len().saturating_sub(LAYER));
            let (waiting, current) = (layer, rest);
            if observe(self.set.replies.len() as u64, (waiting.len() + current.len()) as u64) == Wish::Stop {
                return Err(SolveError::Stopped);
            }
            layer = waiting;
            let attacker_moves = self.attacker_moves;
            let decisions: Vec<(Canonical, Decision)> = current
                .par_iter()
                .filter(|position| !self.set.replies.contains_key(position))
                .map(|&position| decide(self.shared, position, attacker_moves).map(|decision| (position, decision)))
                .collect::<Result<_, _>>()?;
            let mut bad = HashSet::new();
            for (position, decision) in decisions {
                match decision {
                    Decision::Open => return Err(SolveError::Stopped),
                    Decision::Bad if self.seeds.contains(&position) => return Ok(Err(position)),
                    Decision::Bad => {
                        bad.insert(position);
                    }
                    Decision::Good { reply, answers, searched } => {
                        self.set.searched += u64::from(searched);
                        if self.set.replies.insert(position, Extracted { reply, rank: 0 }).is_none() {
                            layer.extend(answers.iter().filter(|&answer| !self.set.replies.contains_key(answer)));
                        }
                    }
                }
            }
            if !bad.is_empty() {
                self.set.refuted += bad.len() as u64;
                layer.extend(self.retract(&bad)?);
            }
            layer.sort_unstable();
            layer.dedup();
        }
        Ok(Ok(()))
    }

    /// Takes out of the set every position whose reply allows one of the bad ones; they have to be decided again.
    fn retract(&mut self, bad: &HashSet<Canonical>) -> Result<Vec<Canonical>, TableError> {
        let (shared, attacker_moves) = (self.shared, self.attacker_moves);
        let concerned: Vec<(Canonical, Canonical)> = self
            .set
            .replies
            .par_iter()
            .filter_map(|(&position, extracted)| extracted.reply.map(|reply| (position, reply)))
            .filter(|&(_, reply)| {
                let after = shared.expander.game.successors(reply.mover, reply.opponent);
                after.iter().any(|after| bad.contains(&shared.expander.mirror.canonical(after.next, after.moved)))
            })
            .collect();
        let mut again = Vec::with_capacity(concerned.len());
        for (position, reply) in concerned {
            // The other side has an answer that spoils it.
            let refuted = Found { numbers: Numbers::REACHED, effort: Effort::of(1 << 20), height: 0 };
            shared.entries.replace(reply.key(!attacker_moves), refuted);
            self.set.replies.remove(&position);
            again.push(position);
        }
        Ok(again)
    }

    /// Drops what cannot be reached from the seeds any more.
    fn prune(&mut self) -> Result<(), TableError> {
        if self.set.refuted == 0 {
            return Ok(());
        }
        let mut reached: HashSet<Canonical> = self.seeds.clone();
        let mut layer: Vec<Canonical> = reached.iter().copied().collect();
        while !layer.is_empty() {
            let replies = layer.par_iter().filter_map(|position| self.set.replies.get(position)?.reply);
            let answers: Vec<Vec<Canonical>> =
                replies.map(|reply| open_answers(self.shared, reply)).collect::<Result<_, _>>()?;
            layer = answers.into_iter().flatten().filter(|&answer| reached.insert(answer)).collect();
        }
        self.set.replies.retain(|position, _| reached.contains(position));
        Ok(())
    }

    /// Gives every position of a won set its rank.
    fn rank(&mut self, observe: &mut dyn FnMut(u64, u64) -> Wish) -> Result<Result<(), Canonical>, SolveError> {
        loop {
            let circular = ranks(&mut self.set.replies, |reply| open_answers(self.shared, reply))?;
            if circular.is_empty() {
                return Ok(Ok(()));
            }
            // Replies that were found at different times lead round in a circle. Those positions are searched afresh, on the
            // ground of what has a rank; then every reply is better founded than the position it is for.
            self.shared.entries.clear();
            for position in &circular {
                self.set.replies.remove(position);
            }
            for (position, extracted) in &self.set.replies {
                let won = Found { numbers: Numbers::REACHED, effort: Effort::of(1 << 20), height: extracted.rank };
                self.shared.entries.put(position.key(true), won);
            }
            if let Err(seed) = self.close(circular, observe)? {
                return Ok(Err(seed));
            }
        }
    }
}

/// The positions after each turn that neither the rules nor the tables settle.
fn open_answers<P: Probe>(shared: &Shared<'_, P>, position: Canonical) -> Result<Vec<Canonical>, TableError> {
    let mut answers = Vec::new();
    if shared.expander.known(position)?.is_some() {
        return Ok(answers);
    }
    for after in shared.expander.game.successors(position.mover, position.opponent) {
        let answer = shared.expander.mirror.canonical(after.next, after.moved);
        if shared.expander.known(answer)?.is_none() {
            answers.push(answer);
        }
    }
    answers.sort_unstable();
    answers.dedup();
    Ok(answers)
}

/// Chooses a reply, after a search if need be.
fn decide<P: Probe>(shared: &Shared<'_, P>, position: Canonical, attacker_moves: bool) -> Result<Decision, TableError> {
    let mut searched = false;
    loop {
        if let Some((reply, answers)) = choose(shared, position, attacker_moves)? {
            return Ok(Decision::Good { reply, answers, searched });
        }
        let numbers = Worker::new(shared).settle(position, attacker_moves)?;
        match numbers.settled() {
            None => return Ok(Decision::Open),
            Some(false) => return Ok(Decision::Bad),
            // The search knows a good reply now; if it is lost from the table again at once, it is found again.
            Some(true) => searched = true,
        }
    }
}

/// The best reply that is known to be good, and the answers to it that have to be good as well.
#[allow(clippy::type_complexity)] // a reply and its answers
fn choose<P: Probe>(
    shared: &Shared<'_, P>,
    position: Canonical,
    attacker_moves: bool,
) -> Result<Option<(Option<Canonical>, Vec<Canonical>)>, TableError> {
    let turns = shared.expander.game.successors(position.mover, position.opponent);
    if turns.is_empty() {
        let drawn = !attacker_moves && shared.expander.game.rules().stalemate == crate::rules::Stalemate::Draw;
        return Ok(drawn.then(|| (None, Vec::new())));
    }
    let mut good = Vec::new();
    for after in turns {
        let reply = shared.expander.mirror.canonical(after.next, after.moved);
        match shared.expander.known(reply)? {
            Some(outcome) if Expander::<P>::reaches(outcome, !attacker_moves) => {}
            Some(_) => return Ok(Some((Some(reply), Vec::new()))),
            None => {
                let found = shared.entries.get(reply.key(!attacker_moves));
                good.extend(found.filter(|found| found.numbers == Numbers::MISSED).map(|found| {
                    // A win by falling heights ends; a defence had better be short.
                    let cost = if attacker_moves { found.height } else { u32::from(found.effort.0) };
                    (cost, reply)
                }));
            }
        }
    }
    good.sort_unstable();
    for (_, reply) in good {
        let answers = shared.expander.game.successors(reply.mover, reply.opponent);
        let mut open = Vec::new();
        let mut spoilt = false;
        for after in answers {
            let answer = shared.expander.mirror.canonical(after.next, after.moved);
            match shared.expander.known(answer)? {
                None => {
                    // What is known to be bad need not be gone into.
                    let found = shared.entries.get(answer.key(attacker_moves));
                    spoilt |= found.is_some_and(|found| found.numbers == Numbers::MISSED);
                    open.push(answer);
                }
                Some(outcome) => spoilt |= !Expander::<P>::reaches(outcome, attacker_moves),
            }
        }
        if !spoilt {
            open.sort_unstable();
            open.dedup();
            return Ok(Some((Some(reply), open)));
        }
        let refuted = Found { numbers: Numbers::REACHED, effort: Effort::of(1), height: 0 };
        shared.entries.replace(reply.key(!attacker_moves), refuted);
    }
    Ok(None)
}

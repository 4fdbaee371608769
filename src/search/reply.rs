//! Chooses the reply in a position of a closed set, from the transposition table and the strongholds.

use crate::table::TableError;

use super::canonical::Canonical;
use super::dfpn::{Shared, Worker};
use super::numbers::{Effort, Numbers};
use super::transposition::TtEntry;

/// The result for one position.
pub enum Decision {
    /// The position after the reply, and answers that have to be in the set.
    Good { reply: Option<Canonical>, answers: Vec<Canonical>, searched: bool },
    /// The mover does not reach its goal.
    Bad,
    /// Not decided before the stop, or within `max_nodes` nodes.
    Open,
}

/// The positions after each turn, each once.
pub fn answers(shared: &Shared<'_>, position: Canonical) -> Vec<Canonical> {
    let after = shared.expander.rules.successors(position.mover, position.opponent);
    let mut answers: Vec<_> =
        after.iter().map(|after| shared.expander.mirror.canonical(after.next, after.moved)).collect();
    answers.sort_unstable();
    answers.dedup();
    answers
}

/// The answers to a reply that neither rules nor tables settle; none if they settle the reply itself. `attacker_moves` is for the answers.
pub fn open_answers(shared: &Shared<'_>, reply: Canonical, attacker_moves: bool) -> Result<Vec<Canonical>, TableError> {
    let mut open = Vec::new();
    if shared.expander.settled(reply, !attacker_moves)?.is_some() {
        return Ok(open);
    }
    for answer in answers(shared, reply) {
        if shared.expander.settled(answer, attacker_moves)?.is_none() {
            open.push(answer);
        }
    }
    Ok(open)
}

/// Chooses a reply, after a search of up to `max_nodes` nodes if need be.
pub fn decide(
    shared: &Shared<'_>,
    is_held: &dyn Fn(&Canonical) -> bool,
    position: Canonical,
    attacker_moves: bool,
    max_nodes: u64,
) -> Result<Decision, TableError> {
    if let Some((reply, answers)) = choose(shared, is_held, position, attacker_moves)? {
        return Ok(Decision::Good { reply, answers, searched: false });
    }
    let mut worker = Worker::new(shared, max_nodes);
    let numbers = worker.settle(position, attacker_moves)?;
    match (numbers.settled(), worker.reply()) {
        (Some(true), Some(reply)) => {
            let answers = open_answers(shared, reply, attacker_moves)?;
            Ok(Decision::Good { reply: Some(reply), answers, searched: true })
        }
        (Some(false), _) => Ok(Decision::Bad),
        _ => {
            // A win is certain even so. Nothing else is, and `put` would keep an entry that counts as settled.
            if !attacker_moves && !shared.stopped() {
                shared.entries.replace(position.key(attacker_moves), TtEntry::new(numbers, Effort::of(max_nodes)));
            }
            Ok(Decision::Open)
        }
    }
}

/// A reply, if there is any turn, and the answers to it that have to be good as well.
type Choice = (Option<Canonical>, Vec<Canonical>);

/// The best reply that is known to be good: for the attacker the one with the lowest height, for the defender the one that
/// brings the fewest new positions into the set.
fn choose(
    shared: &Shared<'_>,
    is_held: &dyn Fn(&Canonical) -> bool,
    position: Canonical,
    attacker_moves: bool,
) -> Result<Option<Choice>, TableError> {
    let replies = answers(shared, position);
    if replies.is_empty() {
        let drawn = !attacker_moves && shared.expander.rules.rule_set().stalemate == crate::rules::Stalemate::Draw;
        return Ok(drawn.then(|| (None, Vec::new())));
    }
    let mut good = Vec::new();
    for reply in replies {
        match shared.expander.settled(reply, !attacker_moves)? {
            Some(true) => {}
            Some(false) => return Ok(Some((Some(reply), Vec::new()))),
            None if shared.expander.held(reply, !attacker_moves) == Some(false) => good.push((false, 0, reply)),
            None => {
                let found = shared.entries.get(reply.key(!attacker_moves));
                good.extend(found.filter(|found| found.numbers == Numbers::MISSED).map(|found| {
                    // A win by falling heights ends; a short defence that depends on no path is best.
                    let cost = if attacker_moves { found.height } else { u32::from(found.effort.0) };
                    (found.path_dependency.is_some(), cost, reply)
                }));
            }
        }
    }
    good.sort_unstable();
    let mut best: Option<(usize, Choice)> = None;
    for (.., reply) in good {
        let Some(answers) = unspoilt_answers(shared, reply, attacker_moves)? else {
            let refuted = TtEntry::new(Numbers::REACHED, Effort::of(1));
            shared.entries.replace(reply.key(!attacker_moves), refuted);
            continue;
        };
        let new = answers.iter().filter(|answer| !is_held(answer)).count();
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

/// The answers to a reply that have to be good; `None` if one of them is known to be bad.
fn unspoilt_answers(
    shared: &Shared<'_>,
    reply: Canonical,
    attacker_moves: bool,
) -> Result<Option<Vec<Canonical>>, TableError> {
    let mut open = Vec::new();
    for answer in answers(shared, reply) {
        match shared.expander.settled(answer, attacker_moves)? {
            Some(true) => {}
            Some(false) => return Ok(None),
            // Whatever the transposition table says: wins are certain, and so are strongholds.
            None if attacker_moves || shared.expander.held(answer, attacker_moves) == Some(true) => open.push(answer),
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

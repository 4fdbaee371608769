//! Prints where the nodes of a question went, once it has an answer.
//!
//! `search_effort DB BOARD STONES SIDE POSITION [NODES]`, on one thread, in a table of 2 GB. First for the positions of the set that proves the
//! answer, by their work: how many there are, their mean work, which part of it is the reply's and which that of all other turns, and
//! how many of the turns were expanded. Then, by slice, the positions in the transposition table: how many are open, settled, and in the set.
//! After so many nodes the search is stopped, and there is no set; that shows which slice would save most.

mod question;

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::path::Path;

use fanorona::knowledge::{Knowledge, Trust};
use fanorona::rules::RuleSet;
use fanorona::search::{
    Canonical, ClosedSet, Control, Effort, Memory, Mirror, SearchOptions, SolveError, SolveEvent, SolveScope, Solver,
    Tuning,
};
use studies::number;

use question::parse_question;

/// Words of the transposition table, which does not grow.
const WORDS: usize = 1 << 28;

/// Sums over the positions of the set that took about the same work.
#[derive(Default)]
struct Held {
    positions: u32,
    nodes: u64,
    /// Below the reply, and below all other turns.
    reply: u64,
    others: u64,
    /// Other turns that were expanded, and all turns.
    expanded: u32,
    turns: u32,
}

/// Positions with as many stones in the transposition table, and in the set.
#[derive(Default)]
struct Stored {
    open: u64,
    settled: u64,
    in_set: u64,
}

/// The solver after a question, and the kind of positions in the set that proves its answer.
struct Answered<'s, 'a> {
    solver: &'s mut Solver<'a>,
    mirror: Mirror,
    /// Whether the attacker moves in the positions of the set.
    wins: bool,
}

impl Answered<'_, '_> {
    /// The positions after each turn, each once.
    fn after(&self, position: Canonical) -> HashSet<Canonical> {
        let after = self.solver.rules().successors(position.mover, position.opponent);
        after.iter().map(|after| self.mirror.canonical(after.next, after.moved)).collect()
    }

    fn effort(&mut self, position: Canonical, attacker_moves: bool) -> Option<Effort> {
        self.solver.entries().get(position.key(attacker_moves)).map(|entry| entry.effort)
    }

    /// The positions of the set, by the logarithm of their work.
    fn held(&mut self, set: &ClosedSet) -> BTreeMap<u32, Held> {
        let mut held = BTreeMap::<u32, Held>::new();
        for (&position, extracted) in set {
            let Some(reply) = extracted.reply else { continue };
            let Some(nodes) = self.effort(position, self.wins).map(Effort::nodes) else { continue };
            let sums = held.entry(nodes.max(1).ilog2()).or_default();
            (sums.positions, sums.nodes) = (sums.positions + 1, sums.nodes + nodes);
            for after in self.after(position) {
                sums.turns += 1;
                let Some(effort) = self.effort(after, !self.wins) else { continue };
                if after == reply {
                    sums.reply += effort.nodes();
                } else {
                    sums.others += effort.nodes();
                    sums.expanded += 1;
                }
            }
        }
        held
    }

    /// What is stored of the positions that can be reached from that one through others that are, by their stones and those of the
    /// attacker.
    fn stored(&mut self, root: Canonical, attacker_moves: bool) -> BTreeMap<(u32, u32), Stored> {
        let mut stored = BTreeMap::<_, Stored>::new();
        let (mut open, mut seen) = (vec![(root, attacker_moves)], HashSet::from([(root, attacker_moves)]));
        while let Some((position, attacker_moves)) = open.pop() {
            let Some(entry) = self.solver.entries().get(position.key(attacker_moves)) else { continue };
            let sums = stored.entry(stones_of(position, attacker_moves)).or_default();
            *(if entry.numbers.settled().is_some() { &mut sums.settled } else { &mut sums.open }) += 1;
            let after = self.after(position).into_iter().filter(|after| after.mover != 0 && after.opponent != 0);
            open.extend(after.map(|after| (after, !attacker_moves)).filter(|&after| seen.insert(after)));
        }
        stored
    }
}

/// All stones, and those of the attacker.
fn stones_of(position: Canonical, attacker_moves: bool) -> (u32, u32) {
    let (mover, opponent) = (position.mover.count_ones(), position.opponent.count_ones());
    (mover + opponent, if attacker_moves { mover } else { opponent })
}

#[allow(clippy::cast_precision_loss)] // shares
fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (arguments, most) = match &*arguments {
        [question @ .., most] if question.len() == 5 => (question, number(most)?),
        question => (question, u64::MAX),
    };
    let [database, board, stones, attacker, position] = arguments else {
        return Err(
            "give a database, a board, a number of stones, white or black, a position or start, and nodes if not all"
                .into(),
        );
    };
    let (size, attacker, position) = parse_question(board, attacker, position)?;
    let knowledge = Knowledge::open(Path::new(database), size, RuleSet::default(), 1 << 30, Trust::None)?;
    let probe = knowledge.select(number::<usize>(stones)?);
    let options = SearchOptions { memory: 1 << 20, threads: 1, tuning: Tuning::default() };
    let mut solver = Solver::new(knowledge.rules(), &probe, options)?.with_memory(Memory::words(WORDS)?);
    let result = solver.solve(position, SolveScope::only(attacker), None, &mut |event| match event {
        SolveEvent::Searching { progress, .. } if progress.nodes >= most => Control::Stop,
        _ => Control::Continue,
    });
    let (mut set, mut wins, mut answer) = (ClosedSet::new(), false, "open");
    match result {
        Err(SolveError::Stopped) => {}
        result => {
            let solution = result?;
            wins = solution.answer(attacker).wins == Some(true);
            (set, answer) = if wins { (solution.won, "yes") } else { (solution.safe, "no") };
        }
    }
    println!("{} nodes: {answer}, {} positions in the set", solver.nodes(), set.len());
    let mirror = Mirror::new(knowledge.rules().board().size());
    let root = mirror.canonical(position.mover(), position.opponent());
    let mut answered = Answered { solver: &mut solver, mirror, wins };
    println!("nodes below  positions  mean nodes  reply  others  others expanded  turns");
    for (power, sums) in answered.held(&set) {
        let (each, all) = (f64::from(sums.positions), sums.nodes as f64);
        println!(
            "{:>11} {:>10} {:>11.0} {:>6.2} {:>7.2} {:>16.1} {:>6.1}",
            2_u64 << power,
            sums.positions,
            all / each,
            sums.reply as f64 / all,
            sums.others as f64 / all,
            f64::from(sums.expanded) / each,
            f64::from(sums.turns) / each
        );
    }
    let mut stored = answered.stored(root, position.to_move == attacker);
    for &position in set.keys() {
        stored.entry(stones_of(position, wins)).or_default().in_set += 1;
    }
    println!("attacker v defender       open    settled  in the set");
    for ((all, attackers), Stored { open, settled, in_set }) in stored {
        println!("{:>19} {open:>10} {settled:>10} {in_set:>11}", format!("{attackers}v{}", all - attackers));
    }
    Ok(())
}

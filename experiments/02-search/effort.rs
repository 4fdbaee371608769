//! Prints where the nodes of a question went, once it has an answer.
//!
//! `search_effort DB BOARD STONES SIDE POSITION`, on one thread, in a table of 2 GB. First for the positions of the set that proves the
//! answer, by their work: how many there are, their mean work, which part of it is the reply's and which that of all other turns, and
//! how many of the turns were expanded. Then, by stones, the positions in the transposition table: how many are open, settled, and in the set.

mod question;

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::path::Path;

use fanorona::rules::RuleSet;
use fanorona::search::{
    Canonical, ClosedSet, Control, Effort, Memory, Mirror, SearchOptions, SolveScope, Solver, Tuning,
};
use fanorona::table::{Probe, Tables, TablesUpTo};

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

/// Positions with as many stones in the transposition table.
#[derive(Default)]
struct Stored {
    open: u64,
    settled: u64,
}

/// The solver after a question, and the kind of positions in the set that proves its answer.
struct Answered<'s, 'a, P> {
    solver: &'s mut Solver<'a, P>,
    mirror: Mirror,
    /// Whether the attacker moves in the positions of the set.
    wins: bool,
}

impl<P: Probe> Answered<'_, '_, P> {
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

    /// What is stored of the positions that can be reached from that one through others that are, by stones.
    fn stored(&mut self, root: Canonical, attacker_moves: bool) -> BTreeMap<usize, Stored> {
        let mut stored = BTreeMap::<usize, Stored>::new();
        let (mut open, mut seen) = (vec![(root, attacker_moves)], HashSet::from([(root, attacker_moves)]));
        while let Some((position, attacker_moves)) = open.pop() {
            let Some(entry) = self.solver.entries().get(position.key(attacker_moves)) else { continue };
            let sums = stored.entry(position.stones()).or_default();
            *(if entry.numbers.settled().is_some() { &mut sums.settled } else { &mut sums.open }) += 1;
            let after = self.after(position).into_iter().filter(|after| after.mover != 0 && after.opponent != 0);
            open.extend(after.map(|after| (after, !attacker_moves)).filter(|&after| seen.insert(after)));
        }
        stored
    }
}

#[allow(clippy::cast_precision_loss)] // shares
fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, board, stones, attacker, position] = &*arguments else {
        return Err("give a database, a board, a number of stones, white or black, and a position or start".into());
    };
    let (size, attacker, position) = parse_question(board, attacker, position)?;
    let tables = Tables::open(Path::new(database), size, RuleSet::default(), 1 << 30)?;
    let probe = TablesUpTo { tables: &tables, stones: stones.parse()? };
    let options = SearchOptions { memory: 1 << 20, threads: 1, tuning: Tuning::default() };
    let mut solver = Solver::new(tables.rules(), &probe, options)?.with_memory(Memory::words(WORDS)?);
    let solution = solver.solve(position, SolveScope::Question(attacker), None, &mut |_| Control::Continue)?;
    let wins = solution.answer(attacker).wins == Some(true);
    let set = if wins { &solution.won } else { &solution.safe };
    println!("{} nodes: {}, {} positions in the set", solver.nodes(), if wins { "yes" } else { "no" }, set.len());
    let mirror = Mirror::new(tables.rules().board());
    let root = mirror.canonical(position.mover(), position.opponent());
    let mut answered = Answered { solver: &mut solver, mirror, wins };
    println!("nodes below  positions  mean nodes  reply  others  others expanded  turns");
    for (power, sums) in answered.held(set) {
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
    println!("stones       open    settled  in the set");
    for (stones, sums) in answered.stored(root, position.to_move == attacker) {
        let in_set = set.keys().filter(|position| position.stones() == stones).count();
        println!("{stones:>6} {:>10} {:>10} {in_set:>11}", sums.open, sums.settled);
    }
    Ok(())
}

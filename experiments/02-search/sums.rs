//! Compares remedies for positions that a proof-number search counts as often as there are ways to them: the sum of the children's
//! numbers, the weak sum, half of what goes beyond the largest, and source-node detection (Kishimoto, *Dealing with
//! infinite loops, underestimation, and overestimation of depth-first proof-number search*, 2010); and orders of children with
//! equal numbers. Nodes for both questions on several boards, as CSV.
//!
//! `sums_study DB RUNS BOARD:STONES…`; the tables must have been built. A separate, plain search
//! on one thread that never forgets, so that only the ways to count differ; `bench.rs` measures the program's search.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

use fanorona::board::Board;
use fanorona::knowledge::{Knowledge, Selection, Trust};
use fanorona::rules::{Outcome, Position, RuleSet, Rules};
use fanorona::search::{Canonical, Mirror};
use fanorona::table::{Probe, TableError};
use studies::number;

/// Node limit of a search.
const MAX_NODES: u64 = 5_000_000;

/// The number that means "never".
const INFINITE: u64 = 1 << 60;

/// Parents that are followed from a position upwards, at most.
const CHAIN: usize = 256;

/// How the numbers of children are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Sum,
    WeakSum,
    Half,
    /// The sum, but of the children from which ways to the same position have been seen, the largest alone.
    Sources,
}

/// Which of several children with the same numbers is first.
#[derive(Clone, Copy, Debug)]
enum Order {
    Boards,
    BoardsBackwards,
    MostCaptured,
    FewestCaptured,
    Random(u64),
}

/// A position and whether its mover is the side that tries to win.
type Node = (Canonical, bool);

#[derive(Clone, Copy)]
struct Entry {
    phi: u64,
    delta: u64,
    /// The position from which this one was searched first.
    parent: Option<Canonical>,
}

struct Search<'a> {
    game: &'a Rules<u64>,
    mirror: Mirror,
    tables: Selection<'a>,
    way: Way,
    order: Order,
    entries: HashMap<Node, Entry>,
    /// Children of a position from which ways lead to the same one.
    meeting: HashMap<Node, Vec<Canonical>>,
    path: Vec<Node>,
    /// The place of each position on the path.
    places: HashMap<Node, usize>,
    nodes: u64,
}

/// What is known of a child.
struct Child {
    position: Canonical,
    numbers: Option<(u64, u64)>,
}

/// The numbers of a position whose mover reaches its goal, or never will.
const fn settled(reached: bool) -> (u64, u64) {
    if reached { (0, INFINITE) } else { (INFINITE, 0) }
}

impl<'a> Search<'a> {
    fn new(game: &'a Rules<u64>, tables: Selection<'a>, way: Way, order: Order) -> Self {
        Self {
            game,
            mirror: Mirror::new(game.board().size()),
            tables,
            way,
            order,
            entries: HashMap::new(),
            meeting: HashMap::new(),
            path: Vec::new(),
            places: HashMap::new(),
            nodes: 0,
        }
    }

    /// Whether White, to move at the start, can force a win, or Black; `None` after the node limit.
    fn answer(&mut self, white_attacks: bool) -> Result<Option<bool>, TableError> {
        let start = Position::<u64>::start(self.game.board().size());
        let root = (self.mirror.canonical(start.white, start.black), white_attacks);
        self.search(root, INFINITE, INFINITE)?;
        let entry = self.entries[&root];
        Ok((entry.phi == 0 || entry.delta == 0).then_some((entry.phi == 0) == white_attacks))
    }

    fn children(&self, (position, attacker_moves): Node) -> Result<Vec<Child>, TableError> {
        let mut boards: Vec<Canonical> = Vec::new();
        for after in self.game.successors(position.mover, position.opponent) {
            let board = self.mirror.canonical(after.next, after.moved);
            if !boards.contains(&board) {
                boards.push(board);
            }
        }
        match self.order {
            Order::Boards => {}
            Order::BoardsBackwards => boards.reverse(),
            Order::MostCaptured => boards.sort_by_key(|board| board.mover.count_ones()),
            Order::FewestCaptured => boards.sort_by_key(|board| Reverse(board.mover.count_ones())),
            Order::Random(seed) => {
                let mixed = position.mover.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ position.opponent.rotate_left(32);
                fastrand::Rng::with_seed(mixed ^ seed).shuffle(&mut boards);
            }
        }
        let known = |board: Canonical| -> Result<Option<(u64, u64)>, TableError> {
            let outcome = if board.mover == 0 {
                Some(Outcome::Loss)
            } else if board.stones() <= self.tables.stones() {
                self.tables.probe(board.mover, board.opponent)?.exact()
            } else {
                None
            };
            // The mover of a child attacks where the one before did not.
            let least = if attacker_moves { Outcome::Draw } else { Outcome::Win };
            Ok(outcome.map(|outcome| settled(outcome >= least)))
        };
        boards.into_iter().map(|position| Ok(Child { position, numbers: known(position)? })).collect()
    }

    /// The present numbers of a child.
    fn numbers(&self, child: &Child, attacker_moves: bool) -> (u64, u64) {
        let node = (child.position, attacker_moves);
        if let Some(numbers) = child.numbers {
            numbers
        } else if self.places.contains_key(&node) {
            // Play without end is not won.
            settled(!attacker_moves)
        } else if let Some(entry) = self.entries.get(&node) {
            (entry.phi, entry.delta)
        } else {
            let (mover, opponent) = (child.position.mover.count_ones(), child.position.opponent.count_ones());
            (1 + 3 * u64::from(opponent.saturating_sub(mover)), 1 + 3 * u64::from(mover.saturating_sub(opponent)))
        }
    }

    /// The combined number of children, and how much of that is not from the one numbered `own`.
    fn combined(&self, node: Node, children: &[Child], numbers: &[u64], own: usize) -> (u64, u64) {
        if numbers.iter().any(|&number| number >= INFINITE) {
            return (INFINITE, 0);
        }
        let sum: u64 = numbers.iter().sum();
        let largest = numbers.iter().copied().max().unwrap_or(0);
        let (all, others) = match self.way {
            Way::Sum => (sum, sum - numbers[own]),
            Way::WeakSum => {
                let open = numbers.iter().filter(|&&number| number > 0).count().saturating_sub(1) as u64;
                (largest + open, open)
            }
            Way::Half => (largest + (sum - largest) / 2, (sum - numbers[own]) / 2),
            Way::Sources => {
                let meeting = self.meeting.get(&node);
                let meets = |index: usize| meeting.is_some_and(|those| those.contains(&children[index].position));
                let (mut apart, mut together) = (0, 0);
                for (index, &number) in numbers.iter().enumerate() {
                    if meets(index) {
                        together = together.max(number);
                    } else {
                        apart += number;
                    }
                }
                (apart + together, if meets(own) { apart } else { apart + together - numbers[own] })
            }
        };
        (all.min(INFINITE - 1), others)
    }

    /// Marks the places above where a way to one of the children parts from the one that is being searched.
    fn find_sources(&mut self, node: Node, children: &[Child]) {
        for child in children.iter().filter(|child| child.numbers.is_none()) {
            let mut at = (child.position, !node.1);
            let Some(mut parent) = self.entries.get(&at).and_then(|entry| entry.parent) else { continue };
            for _ in 0..CHAIN {
                let above = (parent, !at.1);
                if let Some(&place) = self.places.get(&above) {
                    let (one, other) = (at.0, self.path.get(place + 1).map(|node| node.0));
                    if let Some(other) = other.filter(|&other| other != one) {
                        let meeting = self.meeting.entry(above).or_default();
                        for position in [one, other] {
                            if !meeting.contains(&position) {
                                meeting.push(position);
                            }
                        }
                    }
                    break;
                }
                at = above;
                match self.entries.get(&at).and_then(|entry| entry.parent) {
                    Some(next) => parent = next,
                    None => break,
                }
            }
        }
    }

    fn search(&mut self, node: Node, phi_limit: u64, delta_limit: u64) -> Result<(), TableError> {
        self.nodes += 1;
        let children = self.children(node)?;
        let parent = self.path.last().map(|before| before.0);
        self.places.insert(node, self.path.len());
        self.path.push(node);
        if self.way == Way::Sources {
            self.find_sources(node, &children);
        }
        loop {
            let numbers: Vec<(u64, u64)> = children.iter().map(|child| self.numbers(child, !node.1)).collect();
            let phis: Vec<u64> = numbers.iter().map(|numbers| numbers.0).collect();
            let best = (0..children.len()).min_by_key(|&index| numbers[index].1);
            let (phi, delta, others) = match best {
                // A side that cannot move has lost.
                None => (INFINITE, 0, 0),
                Some(best) => {
                    let (delta, others) = self.combined(node, &children, &phis, best);
                    (numbers[best].1, delta, others)
                }
            };
            let entry = self.entries.entry(node).or_insert(Entry { phi, delta, parent });
            (entry.phi, entry.delta) = (phi, delta);
            let Some(best) = best else { break };
            if phi >= phi_limit || delta >= delta_limit || phi == 0 || delta == 0 || self.nodes >= MAX_NODES {
                break;
            }
            let second = (0..children.len()).filter(|&index| index != best).map(|index| numbers[index].1).min();
            let second = second.unwrap_or(INFINITE).min(INFINITE);
            let child_phi = if delta_limit >= INFINITE { INFINITE } else { delta_limit.saturating_sub(others) };
            let child_delta = phi_limit.min(second + second / 4 + 1);
            self.search((children[best].position, !node.1), child_phi.max(phis[best] + 1), child_delta)?;
        }
        self.path.pop();
        self.places.remove(&node);
        Ok(())
    }
}

fn study(database: &str, runs: u64, boards: &[String]) -> Result<(), String> {
    println!("board,stones,way,order,run,question,answer,nodes,largest");
    for board in boards {
        let (size, stones) = board.split_once(':').ok_or("boards are given as 7x5:6")?;
        let size = size.parse().map_err(|error| format!("{error}"))?;
        let stones = stones.parse::<usize>().map_err(|error| format!("{error}"))?;
        let rules = RuleSet::default();
        let knowledge = Knowledge::open(Path::new(database), size, rules, 2 << 30, Trust::None)
            .map_err(|error| error.to_string())?;
        let game = Rules::new(Board::new(size, rules.diagonals), rules);
        let mut cases = Vec::new();
        for way in [Way::Sum, Way::WeakSum, Way::Half, Way::Sources] {
            cases.extend((1..=runs).map(|run| (way, Order::Random(run), run)));
        }
        for order in [Order::Boards, Order::BoardsBackwards, Order::MostCaptured, Order::FewestCaptured] {
            cases.push((Way::Half, order, 1));
        }
        for (way, order, run) in cases {
            for white_attacks in [true, false] {
                let mut search = Search::new(&game, knowledge.select(stones), way, order);
                let answer = search.answer(white_attacks).map_err(|error| error.to_string())?;
                let answer = answer.map_or("given up".to_owned(), |wins| wins.to_string());
                let question = if white_attacks { "white" } else { "black" };
                let order = match order {
                    Order::Random(_) => "random".to_owned(),
                    order => format!("{order:?}"),
                };
                let finite = |number: u64| if number < INFINITE { number } else { 0 };
                let largest = search.entries.values().map(|entry| finite(entry.phi).max(finite(entry.delta))).max();
                println!(
                    "{size},{stones},{way:?},{order},{run},{question},{answer},{},{}",
                    search.nodes,
                    largest.unwrap_or(0)
                );
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, runs, boards @ ..] = &arguments[..] else {
        return Err("give the database folder, runs, and boards such as 7x5:6".into());
    };
    let (runs, database, boards) = (number(runs)?, database.clone(), boards.to_vec());
    // Paths are long.
    let thread = std::thread::Builder::new().stack_size(4 << 30);
    let done = thread.spawn(move || study(&database, runs, &boards))?.join();
    Ok(done.map_err(|_| "the search came to a bad end")??)
}

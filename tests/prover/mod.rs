//! A slow prover: certificates made from the oracle's values, for tests.

// Every test binary includes this module and uses only a part of it.
#![allow(dead_code)]

use std::collections::{BTreeMap, HashMap, HashSet};

use fanorona::board::{BoardSize, Diagonals, Symmetry};
use fanorona::proof::{Certificate, Claim, Claimed, Entry, Ranked, TableUse};
use fanorona::rules::{Continuation, Position, PositionText, RuleSet, Side, Stalemate};

use crate::oracle::{self, Rules, Value};

/// The rules as the oracle needs them.
pub fn oracle_rules(rules: RuleSet) -> Rules {
    Rules {
        corner: rules.diagonals == Diagonals::Corner,
        optional: rules.continuation == Continuation::Optional,
        stalemate_is_loss: rules.stalemate == Stalemate::Loss,
    }
}

pub fn position(text: &str) -> Position<u64> {
    let parsed = PositionText::parse(text).expect("a position");
    parsed.on(parsed.size()).expect("a position")
}

/// The code of a position by its definition.
pub fn code(mover: u64, opponent: u64) -> u128 {
    (0..64u32).map(|p| (u128::from(mover >> p & 1) + 2 * u128::from(opponent >> p & 1)) * 3u128.pow(p)).sum()
}

/// The symmetry that takes a position to its image of least code, and that image.
pub fn canonical(symmetry: &Symmetry, mover: u64, opponent: u64) -> (usize, (u64, u64)) {
    let image = |element, set: u64| {
        (0..64).filter(|p| set >> p & 1 == 1).fold(0u64, |image, p| image | 1 << symmetry.point(element, p))
    };
    let images = (0..symmetry.order()).map(|e| (e, (image(e, mover), image(e, opponent))));
    images.min_by_key(|&(_, (mover, opponent))| code(mover, opponent)).expect("there is the identity")
}

/// Every position that can come up after some position, and its value.
pub struct Solved {
    pub size: BoardSize,
    pub rules: RuleSet,
    pub root: String,
    pub values: HashMap<String, (Value, Option<u32>)>,
}

impl Solved {
    pub fn new(root: &str, rules: RuleSet) -> Self {
        let size = PositionText::parse(root).expect("a position").size();
        let mut found = HashSet::from([root.to_owned()]);
        let mut waiting = vec![root.to_owned()];
        while let Some(text) = waiting.pop() {
            for after in oracle::successors(&text, oracle_rules(rules)) {
                if found.insert(after.clone()) {
                    waiting.push(after);
                }
            }
        }
        let values = oracle::solve(&found, oracle_rules(rules));
        Self { size, rules, root: root.to_owned(), values }
    }

    pub fn start(board: &str, rules: RuleSet) -> Self {
        let size: BoardSize = board.parse().expect("a board");
        Self::new(&oracle::start(size.columns(), size.rows()), rules)
    }

    pub fn value(&self, text: &str) -> Value {
        self.values[text].0
    }

    pub fn successors(&self, text: &str) -> Vec<String> {
        oracle::successors(text, oracle_rules(self.rules)).into_iter().collect()
    }

    /// What can be claimed of a position.
    pub fn claimed(&self, text: &str) -> Claimed {
        match (self.value(text), position(text).to_move) {
            (Value::Draw, _) => Claimed::Draw,
            (Value::Win, Side::White) | (Value::Loss, Side::Black) => Claimed::WhiteWins,
            (Value::Win, Side::Black) | (Value::Loss, Side::White) => Claimed::BlackWins,
        }
    }

    /// A certificate of the root and of the positions after each first move, with tables of up to so many stones.
    pub fn prove(&self, stones: u32, tables: Vec<TableUse>) -> Certificate {
        let mut proof = Proof {
            solved: self,
            symmetry: Symmetry::new(self.size),
            stones,
            safe: BTreeMap::new(),
            won: BTreeMap::new(),
        };
        let mut claims = Vec::new();
        for text in std::iter::once(self.root.clone()).chain(self.successors(&self.root)) {
            claims.push(Claim { position: position(&text), value: self.claimed(&text) });
            if self.value(&text) != Value::Loss {
                proof.add(&text);
            }
            if self.value(&text) != Value::Win {
                self.successors(&text).iter().for_each(|after| proof.add(after));
            }
        }
        let Proof { safe, won, .. } = proof;
        let (safe, won) = (safe.into_values().collect(), won.into_values().collect());
        Certificate { size: self.size, rules: self.rules, tables, claims, safe, won }
    }
}

struct Proof<'a> {
    solved: &'a Solved,
    symmetry: Symmetry,
    stones: u32,
    safe: BTreeMap<u128, Entry>,
    won: BTreeMap<u128, Ranked>,
}

impl Proof<'_> {
    /// Adds a position that its mover does not lose, and all that follow from it.
    fn add(&mut self, text: &str) {
        let mut waiting = vec![text.to_owned()];
        while let Some(text) = waiting.pop() {
            let before = position(&text);
            let (mover, opponent) = (before.mover(), before.opponent());
            if opponent == 0 || (mover | opponent).count_ones() <= self.stones {
                continue;
            }
            let (element, sides) = canonical(&self.symmetry, mover, opponent);
            let code = code(sides.0, sides.1);
            let (value, plies) = self.solved.values[&text];
            assert_ne!(value, Value::Loss, "{text}");
            if self.safe.contains_key(&code) || self.won.contains_key(&code) {
                continue;
            }
            let successors = self.solved.successors(&text);
            // For a win the one that it is known by, with a ply less to go.
            let good = |after: &&String| match value {
                Value::Win => self.solved.values[*after] == (Value::Loss, plies.map(|plies| plies - 1)),
                _ => self.solved.value(after) == Value::Draw,
            };
            let reply = successors.iter().find(good);
            let board = |after: &String| {
                let after = position(after);
                let image = |set| self.symmetry.set(element, set);
                (image(after.opponent()), image(after.mover()))
            };
            let mut boards: Vec<(u64, u64)> = successors.iter().map(board).collect();
            boards.sort_unstable();
            boards.dedup();
            let number =
                reply.map_or(0, |reply| boards.iter().position(|&other| other == board(reply)).expect("it is there"));
            let number = u32::try_from(number).expect("few");
            let (mover, opponent) = sides;
            if value == Value::Win {
                let rank = plies.expect("wins have an end");
                self.won.insert(code, Ranked { mover, opponent, reply: number, rank });
            } else {
                self.safe.insert(code, Entry { mover, opponent, reply: number });
            }
            if let Some(reply) = reply {
                waiting.extend(self.solved.successors(reply));
            }
        }
    }
}

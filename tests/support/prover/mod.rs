//! A slow prover, and the definition of a proof, both from the oracle's turns and values, for tests.

// Every test program that includes this module uses only a part of it.
#![allow(dead_code)]

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use fanorona::board::{BoardSize, Diagonals, Symmetry};
use fanorona::proof::{Certificate, Claim, Member, TableUse};
use fanorona::rules::{Continuation, Directions, Position, PositionText, RuleSet, Side, Stalemate, Value as Claimed};

use crate::oracle::{self, Rules, Value, Values};

/// The rules as the oracle needs them.
pub fn oracle_rules(rules: RuleSet) -> Rules {
    Rules {
        corner: rules.diagonals == Diagonals::Corner,
        optional: rules.continuation == Continuation::Optional,
        directions: match rules.directions {
            Directions::NotRepeated => oracle::Directions::NotRepeated,
            Directions::Once => oracle::Directions::Once,
        },
        stalemate_is_loss: rules.stalemate == Stalemate::Loss,
    }
}

/// The default rules, and those that differ in three options of four: each two words of different options occur together.
pub fn few_rules() -> impl Iterator<Item = RuleSet> {
    RuleSet::all().filter(|rules| [0, 3].contains(&rules.options().iter().filter(|&&differs| differs).count()))
}

pub fn position(text: &str) -> Position<u64> {
    let parsed = PositionText::parse(text).expect("a position");
    parsed.on(parsed.size()).expect("a position")
}

/// The code of a position by its definition.
pub fn code(mover: u64, opponent: u64) -> u128 {
    let digit = |p: u32| u128::from(mover >> p & 1) + 2 * u128::from(opponent >> p & 1);
    (0..64).rev().fold(0, |code, p| 3 * code + digit(p))
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
    pub values: Arc<Values>,
}

impl Solved {
    pub fn new(root: &str, rules: RuleSet) -> Self {
        let size = PositionText::parse(root).expect("a position").size();
        let values = oracle::solve_after(root, oracle_rules(rules));
        Self { size, rules, root: root.to_owned(), values }
    }

    /// Every position of a small board with both colours, and those that captures lead to.
    pub fn everything(board: &str, rules: RuleSet) -> Self {
        let size: BoardSize = board.parse().expect("a board");
        let (columns, rows) = (size.columns(), size.rows());
        let found = oracle::all_positions(columns, rows, size.points());
        let root = oracle::start(columns, rows);
        Self { size, rules, root, values: oracle::solve(&found, oracle_rules(rules)).into() }
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

    /// A certificate of the root and of the positions after each first move, with tables of up to `stones` stones.
    pub fn prove(&self, stones: u32, tables: Vec<TableUse>) -> Certificate {
        self.prove_root(&self.root, stones, tables)
    }

    /// The same for any of the positions.
    pub fn prove_root(&self, root: &str, stones: u32, tables: Vec<TableUse>) -> Certificate {
        let mut proof = Proof::new(self, stones);
        let mut claims = Vec::new();
        for text in std::iter::once(root.to_owned()).chain(self.successors(root)) {
            claims.push(Claim { position: position(&text), value: self.claimed(&text) });
            if self.value(&text) != Value::Loss {
                proof.add(&text);
            }
            if self.value(&text) != Value::Win {
                self.successors(&text).iter().for_each(|after| proof.add(after));
            }
        }
        proof.certificate(tables, claims)
    }

    /// A certificate with a claim and nothing else.
    pub fn claim_alone(&self) -> Certificate {
        let claim = Claim { position: position(&self.root), value: self.claimed(&self.root) };
        Proof::new(self, 0).certificate(Vec::new(), vec![claim])
    }

    /// A certificate that holds every position that is not lost, and claims the root.
    pub fn prove_everything(&self) -> Certificate {
        let mut proof = Proof::new(self, 0);
        for (text, &(value, _)) in self.values.iter() {
            if value != Value::Loss {
                proof.add(text);
            }
        }
        proof.certificate(Vec::new(), vec![Claim { position: position(&self.root), value: self.claimed(&self.root) }])
    }
}

struct Proof<'a> {
    solved: &'a Solved,
    symmetry: Symmetry,
    stones: u32,
    safe: BTreeMap<u128, Member>,
    won: BTreeMap<u128, Member>,
}

impl<'a> Proof<'a> {
    fn new(solved: &'a Solved, stones: u32) -> Self {
        let symmetry = Symmetry::new(solved.size);
        Self { solved, symmetry, stones, safe: BTreeMap::new(), won: BTreeMap::new() }
    }

    fn certificate(self, tables: Vec<TableUse>, claims: Vec<Claim>) -> Certificate {
        let (safe, won) = (self.safe.into_values().collect(), self.won.into_values().collect());
        Certificate { size: self.solved.size, rules: self.solved.rules, tables, claims, safe, won }
    }

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
                self.won.insert(code, Member { mover, opponent, reply: number, rank });
            } else {
                self.safe.insert(code, Member { mover, opponent, reply: number, rank: 0 });
            }
            if let Some(reply) = reply {
                waiting.extend(self.solved.successors(reply));
            }
        }
    }
}

/// What a proof is, by its definition: sets of texts and turns of the oracle.
pub struct Definition<'a> {
    solved: &'a Solved,
    symmetry: Symmetry,
    turns: RefCell<HashMap<Sides, Rc<Vec<Sides>>>>,
}

/// Two sets of stones.
type Sides = (u64, u64);

/// The sets of a certificate by code, for the definition.
struct Sets {
    safe: HashSet<u128>,
    won: HashMap<u128, u32>,
    tables: HashSet<(usize, usize)>,
}

impl<'a> Definition<'a> {
    pub fn new(solved: &'a Solved) -> Self {
        Self { solved, symmetry: Symmetry::new(solved.size), turns: RefCell::default() }
    }

    fn text(&self, mover: u64, opponent: u64) -> String {
        Position::of_sides(Side::White, mover, opponent).to_text(self.solved.size)
    }

    /// The boards after each turn, as the mover's stones and the opponent's.
    fn turns(&self, mover: u64, opponent: u64) -> Rc<Vec<Sides>> {
        let known = self.turns.borrow().get(&(mover, opponent)).cloned();
        known.unwrap_or_else(|| {
            let texts = self.solved.successors(&self.text(mover, opponent));
            let mut boards: Vec<_> =
                texts.iter().map(|text| position(text)).map(|p| (p.opponent(), p.mover())).collect();
            boards.sort_unstable();
            let boards = Rc::new(boards);
            self.turns.borrow_mut().insert((mover, opponent), boards.clone());
            boards
        })
    }

    /// Whether a position is good for its mover: not lost, or won, and that by a rank below `below`.
    fn is_good(&self, sets: &Sets, mover: u64, opponent: u64, win: bool, below: u64) -> bool {
        if mover == 0 || opponent == 0 {
            return mover != 0;
        }
        let (_, sides) = canonical(&self.symmetry, mover, opponent);
        let code = code(sides.0, sides.1);
        let listed = sets.tables.contains(&(mover.count_ones() as usize, opponent.count_ones() as usize));
        let value = listed.then(|| self.solved.value(&self.text(mover, opponent)));
        value == Some(Value::Win)
            || sets.won.get(&code).is_some_and(|&rank| !win || u64::from(rank) < below)
            || !win && (value == Some(Value::Draw) || sets.safe.contains(&code))
    }

    /// Whether the side that has just moved has reached its aim.
    fn is_good_after_turn(&self, sets: &Sets, own: u64, enemy: u64, win: bool, below: u64) -> bool {
        let turns = self.turns(enemy, own);
        if enemy != 0 && turns.is_empty() && win {
            return self.solved.rules.stalemate == Stalemate::Loss;
        }
        turns.iter().all(|&(enemy, own)| self.is_good(sets, own, enemy, win, below))
    }

    fn is_closed(&self, sets: &Sets, mover: u64, opponent: u64, reply: u32, rank: Option<u32>) -> bool {
        let turns = self.turns(mover, opponent);
        if turns.is_empty() {
            return rank.is_none() && reply == 0 && self.solved.rules.stalemate == Stalemate::Draw;
        }
        let Some(&(own, enemy)) = turns.get(reply as usize) else { return false };
        self.is_good_after_turn(sets, own, enemy, rank.is_some(), rank.unwrap_or(0).into())
    }

    fn is_shown(&self, sets: &Sets, claim: &Claim) -> bool {
        let parts: &[(Side, bool)] = match claim.value {
            Claimed::WhiteWins => &[(Side::White, true)],
            Claimed::BlackWins => &[(Side::Black, true)],
            Claimed::Draw => &[(Side::White, false), (Side::Black, false)],
            Claimed::WhiteDoesNotLose => &[(Side::White, false)],
            Claimed::BlackDoesNotLose => &[(Side::Black, false)],
            Claimed::Unknown => &[],
        };
        let (mover, opponent) = (claim.position.mover(), claim.position.opponent());
        parts.iter().all(|&(side, win)| {
            let stalemate = self.solved.rules.stalemate == Stalemate::Draw && mover != 0 && opponent != 0;
            if side == claim.position.to_move {
                self.is_good(sets, mover, opponent, win, u64::MAX)
                    || stalemate && !win && self.turns(mover, opponent).is_empty()
            } else {
                opponent != 0 && self.is_good_after_turn(sets, opponent, mover, win, u64::MAX)
            }
        })
    }

    /// Where a well-formed certificate fails first: a set and a position, or a claim by number.
    pub fn first_flaw(&self, certificate: &Certificate) -> Option<(&'static str, String)> {
        let sets = Sets {
            safe: certificate.safe.iter().map(|entry| code(entry.mover, entry.opponent)).collect(),
            won: certificate.won.iter().map(|won| (code(won.mover, won.opponent), won.rank)).collect(),
            tables: certificate.tables.iter().map(|table| (table.slice.mover, table.slice.opponent)).collect(),
        };
        let safe = certificate.safe.iter().map(|entry| ("safe", entry.mover, entry.opponent, entry.reply, None));
        let won = certificate.won.iter().map(|won| ("won", won.mover, won.opponent, won.reply, Some(won.rank)));
        let mut positions = safe.chain(won);
        let open =
            positions.find(|&(_, mover, opponent, reply, rank)| !self.is_closed(&sets, mover, opponent, reply, rank));
        let open = open.map(|(set, mover, opponent, ..)| (set, self.text(mover, opponent)));
        open.or_else(|| {
            let claim = certificate.claims.iter().position(|claim| !self.is_shown(&sets, claim))?;
            Some(("claim", (claim + 1).to_string()))
        })
    }

    /// Whether everything that a certificate says is true, by the values of the oracle.
    pub fn is_true(&self, certificate: &Certificate) -> bool {
        let value = |mover, opponent| self.solved.value(&self.text(mover, opponent));
        let claims = certificate.claims.iter().all(|claim| {
            let truth = match claim.position {
                Position { white: 0, .. } => Claimed::BlackWins,
                Position { black: 0, .. } => Claimed::WhiteWins,
                position => self.solved.claimed(&position.to_text(self.solved.size)),
            };
            match claim.value {
                Claimed::WhiteDoesNotLose => truth != Claimed::BlackWins,
                Claimed::BlackDoesNotLose => truth != Claimed::WhiteWins,
                value => value == truth,
            }
        });
        claims
            && certificate.safe.iter().all(|entry| value(entry.mover, entry.opponent) != Value::Loss)
            && certificate.won.iter().all(|won| value(won.mover, won.opponent) == Value::Win)
    }
}

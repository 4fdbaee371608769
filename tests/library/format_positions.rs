//! Rules, points and the places of positions in tables, written from FORMAT.md alone for a second reader.

use std::collections::HashMap;

use fanorona::board::Diagonals;
use fanorona::rules::{Continuation, Directions, Outcome, RuleSet, Stalemate};

/// What the format calls options: the bytes in the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    pub diagonals: u8,
    /// Bit 0: obligatory continuation, bit 1: no direction twice in a turn.
    pub chains: u8,
    pub stalemate: u8,
}

impl Rules {
    pub fn of(rules: RuleSet) -> Self {
        Self {
            diagonals: u8::from(rules.diagonals == Diagonals::Centre),
            chains: u8::from(rules.continuation == Continuation::Obligatory)
                + 2 * u8::from(rules.directions == Directions::Once),
            stalemate: u8::from(rules.stalemate == Stalemate::Draw),
        }
    }

    pub fn folder(self, columns: usize, rows: usize) -> String {
        let chains = [(self.chains & 1, "-obligatory"), (self.chains >> 1, "-once")];
        let words = [(self.diagonals, "-centre"), chains[0], chains[1], (self.stalemate, "-draw")];
        let words: String = words.iter().filter(|(set, _)| *set == 1).map(|(_, word)| *word).collect();
        format!("{columns}x{rows}{words}")
    }
}

/// Worse before better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    Loss,
    Draw,
    Win,
}

impl Value {
    pub fn for_the_other_side(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

impl From<Outcome> for Value {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Loss => Self::Loss,
            Outcome::Draw => Self::Draw,
            Outcome::Win => Self::Win,
        }
    }
}

// Points and lines

#[derive(Clone, Copy)]
pub struct Grid {
    pub columns: usize,
    pub rows: usize,
    pub rules: Rules,
}

type Direction = (isize, isize);

const DIRECTIONS: [Direction; 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (-1, 1), (1, -1)];

impl Grid {
    pub fn points(self) -> usize {
        self.columns * self.rows
    }

    /// The next point on the line from `point` in a direction.
    fn next(self, point: usize, (right, up): Direction) -> Option<usize> {
        let (column, row) = (point % self.columns, point / self.columns);
        let strong_parity = if self.rules.diagonals == 1 { (self.columns / 2 + self.rows / 2) % 2 } else { 0 };
        if right != 0 && up != 0 && (column + row) % 2 != strong_parity {
            return None;
        }
        let column = column.checked_add_signed(right).filter(|&column| column < self.columns)?;
        let row = row.checked_add_signed(up).filter(|&row| row < self.rows)?;
        Some(column + self.columns * row)
    }

    fn order(self) -> usize {
        if self.columns == self.rows { 8 } else { 4 }
    }

    /// Where symmetry `element` takes a set.
    fn image(self, element: usize, set: u64) -> u64 {
        members(set).fold(0, |image, point| {
            let (mut column, mut row) = (point % self.columns, point / self.columns);
            if element & 4 != 0 {
                (column, row) = (row, column);
            }
            if element & 1 != 0 {
                column = self.columns - 1 - column;
            }
            if element & 2 != 0 {
                row = self.rows - 1 - row;
            }
            image | 1 << (column + self.columns * row)
        })
    }

    /// The capturing steps of a stone: where to, in which direction, and the run that is taken.
    fn captures(self, from: usize, own: u64, enemy: u64) -> Vec<(usize, Direction, u64)> {
        let mut found = Vec::new();
        for direction in DIRECTIONS {
            let back = (-direction.0, -direction.1);
            let Some(to) = self.next(from, direction).filter(|&to| (own | enemy) >> to & 1 == 0) else { continue };
            for (first, along) in [(self.next(to, direction), direction), (self.next(from, back), back)] {
                let run = std::iter::successors(first, |&point| self.next(point, along));
                let run = run.take_while(|&point| enemy >> point & 1 == 1).fold(0, |run, point| run | 1 << point);
                if run != 0 {
                    found.push((to, direction, run));
                }
            }
        }
        found
    }

    pub fn is_quiet(self, own: u64, enemy: u64) -> bool {
        members(own).all(|from| self.captures(from, own, enemy).is_empty())
    }

    /// Every board that a capturing turn can lead to: the mover's stones, and what is left of the enemy.
    pub fn after_captures(self, own: u64, enemy: u64) -> Vec<(u64, u64)> {
        let mut boards = Vec::new();
        for from in members(own) {
            self.extend(from, own & !(1 << from), enemy, 1 << from, &[], &mut boards);
        }
        boards
    }

    /// Continues a chain whose stone has come to `at` over the points `visited`; returns whether it could.
    fn extend(
        self,
        at: usize,
        rest: u64,
        enemy: u64,
        visited: u64,
        steps: &[Direction],
        boards: &mut Vec<(u64, u64)>,
    ) -> bool {
        let mut any = false;
        for (to, direction, run) in self.captures(at, rest, enemy) {
            let compared = if self.rules.chains & 2 == 0 { &steps[steps.len().saturating_sub(1)..] } else { steps };
            if visited >> to & 1 == 1 || compared.contains(&direction) {
                continue;
            }
            any = true;
            let more = self.extend(to, rest, enemy & !run, visited | 1 << to, &[steps, &[direction]].concat(), boards);
            if self.rules.chains & 1 == 0 || !more {
                boards.push((rest | 1 << to, enemy & !run));
            }
        }
        any
    }
}

fn members(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |point| set >> point & 1 == 1)
}

/// All sets of `size` of the first `points` points, ascending as numbers.
pub fn sets(points: usize, size: usize) -> Vec<u64> {
    if size == 0 {
        return vec![0];
    }
    (0..points).flat_map(|top| sets(top, size - 1).into_iter().map(move |below| below | 1 << top)).collect()
}

// Slots

pub struct Slots {
    grid: Grid,
    pub representatives: Vec<u64>,
    /// The first slot of each set.
    first: HashMap<u64, usize>,
    /// By the number of a symmetry, that of the one that takes it back.
    inverses: Vec<usize>,
}

impl Slots {
    pub fn new(grid: Grid, size: usize) -> Self {
        let (mut representatives, mut first) = (Vec::new(), HashMap::new());
        for set in sets(grid.points(), size) {
            if first.contains_key(&set) {
                continue;
            }
            for element in 0..grid.order() {
                let slot = grid.order() * representatives.len() + element;
                first.entry(grid.image(element, set)).or_insert(slot);
            }
            representatives.push(set);
        }
        let back = |element| {
            let is_back = |&back: &usize| {
                (0..grid.points()).all(|point| grid.image(back, grid.image(element, 1 << point)) == 1 << point)
            };
            (0..grid.order()).find(is_back).expect("an inverse")
        };
        Self { grid, representatives, first, inverses: (0..grid.order()).map(back).collect() }
    }

    fn count(&self) -> usize {
        self.grid.order() * self.representatives.len()
    }

    fn set(&self, slot: usize) -> u64 {
        self.grid.image(slot % self.grid.order(), self.representatives[slot / self.grid.order()])
    }

    pub fn orbit_size(&self, orbit: usize) -> usize {
        let order = self.grid.order();
        (order * orbit..order * (orbit + 1)).filter(|&slot| self.first[&self.set(slot)] == slot).count()
    }
}

/// The rows and columns of a table.
pub struct Order<'a> {
    pub grid: Grid,
    pub mover: usize,
    /// What the rows are orbits of: the sets of the mover's stones, or of empty points on a crowded board.
    pub bases: &'a Slots,
    columns: Columns<'a>,
}

enum Columns<'a> {
    /// Slots of the opponent's sets.
    Slots(&'a Slots),
    /// The mover's sets among the occupied points, which are numbered upwards.
    Splits(Vec<u64>),
}

impl<'a> Order<'a> {
    /// `slots` are by the number of points of their sets.
    pub fn new(grid: Grid, (mover, opponent): (usize, usize), slots: &'a [Slots]) -> Self {
        if is_crowded(grid.points(), mover, opponent) {
            let bases = &slots[grid.points() - mover - opponent];
            return Self { grid, mover, bases, columns: Columns::Splits(sets(mover + opponent, mover)) };
        }
        Self { grid, mover, bases: &slots[mover], columns: Columns::Slots(&slots[opponent]) }
    }

    pub fn scheme(&self) -> u8 {
        if matches!(self.columns, Columns::Splits(_)) { 2 } else { 1 }
    }

    pub fn columns(&self) -> usize {
        match &self.columns {
            Columns::Slots(slots) => slots.count(),
            Columns::Splits(splits) => splits.len(),
        }
    }

    /// The two sides' stones, if there is a position in that place.
    pub fn position(&self, row: usize, column: usize) -> Option<(u64, u64)> {
        let base = self.bases.representatives[row];
        match &self.columns {
            Columns::Slots(slots) => {
                let enemy = slots.set(column);
                (enemy & base == 0 && slots.first[&enemy] == column).then_some((base, enemy))
            }
            Columns::Splits(splits) => {
                let occupied = (0..self.grid.points()).filter(|point| base >> point & 1 == 0);
                Some(occupied.enumerate().fold((0, 0), |(own, enemy), (label, point)| {
                    if splits[column] >> label & 1 == 1 { (own | 1 << point, enemy) } else { (own, enemy | 1 << point) }
                }))
            }
        }
    }

    /// Row and column of a position.
    pub fn place(&self, own: u64, enemy: u64) -> (usize, usize) {
        let crowded = matches!(self.columns, Columns::Splits(_));
        let base = if crowded { ((1 << self.grid.points()) - 1) & !(own | enemy) } else { own };
        let slot = self.bases.first[&base];
        let (row, element) = (slot / self.grid.order(), slot % self.grid.order());
        let [own, enemy] = [own, enemy].map(|set| self.grid.image(self.bases.inverses[element], set));
        match &self.columns {
            Columns::Slots(slots) => (row, slots.first[&enemy]),
            Columns::Splits(splits) => {
                let all = members(own | enemy).enumerate();
                let labels =
                    all.filter(|&(_, point)| own >> point & 1 == 1).fold(0, |set, (label, _)| set | 1 << label);
                (row, splits.binary_search(&labels).expect("one of the splits"))
            }
        }
    }
}

/// Whether a table numbers positions by their empty points.
fn is_crowded(points: usize, mover: usize, opponent: usize) -> bool {
    8 * number_of_sets(points - mover, opponent) < number_of_sets(points, opponent)
}

/// How many sets of `size` of that many points there are.
fn number_of_sets(points: usize, size: usize) -> usize {
    (0..size).fold(1, |sets, chosen| sets * points.saturating_sub(chosen) / (chosen + 1))
}

//! Every position of whole small boards, under every rule set, by a second solver: written from the rules alone, without
//! symmetry, slices, bit planes or any other part of the library, and compared with the tables position by position.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use fanorona::board::{BoardSize, Diagonals};
use fanorona::index::Slice;
use fanorona::retro::{Budget, Goal, build, load_depths};
use fanorona::rules::{Continuation, Directions, Outcome, RuleSet, Stalemate};
use fanorona::table::{DEFAULT_CACHE_BYTES, Known, Tables};
use rayon::prelude::*;

const BOARDS: [&str; 3] = ["3x3", "3x5", "5x3"];

/// One of this many positions is looked up in the files as well.
const IN_FILES: usize = 50;

// The second solver

/// The stone on a point, for the side to move.
const EMPTY: u8 = 0;
const OWN: u8 = 1;
const ENEMY: u8 = 2;

/// The number of points is 9 or 15; those of a board beyond that are not used.
type Points = [u8; 15];

struct Simple {
    columns: i32,
    rows: i32,
    rules: RuleSet,
}

/// Who wins in how many plies; a draw has none.
type Value = Option<(bool, u16)>;

impl Simple {
    fn points(&self) -> usize {
        usize::try_from(self.columns * self.rows).expect("small boards")
    }

    /// Points as the digits of a number, base 3.
    fn read(&self, mut number: usize) -> Points {
        let mut points = [EMPTY; 15];
        for point in &mut points[..self.points()] {
            *point = [EMPTY, OWN, ENEMY][number % 3];
            number /= 3;
        }
        points
    }

    /// The number of a position for the side that moves next: own stones are enemy stones there.
    fn number_after(&self, points: &Points) -> u32 {
        let digit = |&point: &u8| [EMPTY, ENEMY, OWN][usize::from(point)];
        points[..self.points()].iter().rev().fold(0, |number, point| 3 * number + u32::from(digit(point)))
    }

    /// The point at a column and a row, if there is one.
    fn at(&self, column: i32, row: i32) -> Option<usize> {
        let inside = (0..self.columns).contains(&column) && (0..self.rows).contains(&row);
        inside.then(|| usize::try_from(row * self.columns + column).expect("inside"))
    }

    fn is_strong(&self, column: i32, row: i32) -> bool {
        let (strong_column, strong_row) = match self.rules.diagonals {
            Diagonals::Corner => (0, 0),
            Diagonals::Centre => (self.columns / 2, self.rows / 2),
        };
        (column - strong_column + row - strong_row) % 2 == 0
    }

    /// The directions of the lines through a point.
    fn directions(&self, column: i32, row: i32) -> impl Iterator<Item = (i32, i32)> {
        let strong = self.is_strong(column, row);
        let all = (-1..=1).flat_map(|right| (-1..=1).map(move |up| (right, up)));
        all.filter(move |&(right, up)| (right, up) != (0, 0) && (strong || right == 0 || up == 0))
    }

    /// Takes the run of enemy stones that begins at a place off the board; returns whether there was one.
    fn take(&self, points: &mut Points, (mut column, mut row): (i32, i32), (right, up): (i32, i32)) -> bool {
        let mut any = false;
        while let Some(point) = self.at(column, row).filter(|&point| points[point] == ENEMY) {
            points[point] = EMPTY;
            any = true;
            (column, row) = (column + right, row + up);
        }
        any
    }

    /// Adds the positions after capturing turns of the stone; returns whether it can capture.
    fn chains(
        &self,
        points: &Points,
        (column, row): (i32, i32),
        been: &[usize],
        gone: &[(i32, i32)],
        found: &mut BTreeSet<u32>,
    ) -> bool {
        let mut can = false;
        for (right, up) in self.directions(column, row) {
            let Some(to) = self.at(column + right, row + up) else { continue };
            let forbidden = match self.rules.directions {
                Directions::NotRepeated => gone.last() == Some(&(right, up)),
                Directions::Once => gone.contains(&(right, up)),
            };
            if points[to] != EMPTY || been.contains(&to) || forbidden {
                continue;
            }
            let from = self.at(column, row).expect("a stone stands there");
            let approach = ((column + 2 * right, row + 2 * up), (right, up));
            let withdrawal = ((column - right, row - up), (-right, -up));
            for (first, direction) in [approach, withdrawal] {
                let mut after = *points;
                if !self.take(&mut after, first, direction) {
                    continue;
                }
                can = true;
                (after[from], after[to]) = (EMPTY, OWN);
                let been = [been, &[to]].concat();
                let gone = [gone, &[(right, up)]].concat();
                let further = self.chains(&after, (column + right, row + up), &been, &gone, found);
                if !further || self.rules.continuation == Continuation::Optional {
                    found.insert(self.number_after(&after));
                }
            }
        }
        can
    }

    /// The numbers of all positions that a turn leads to.
    fn after_turns(&self, points: &Points) -> BTreeSet<u32> {
        let places = || (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (column, row)));
        let stones =
            || places().filter(|&(column, row)| self.at(column, row).is_some_and(|point| points[point] == OWN));
        let mut found = BTreeSet::new();
        let mut captures = false;
        for (column, row) in stones() {
            let from = self.at(column, row).expect("a stone");
            captures |= self.chains(points, (column, row), &[from], &[], &mut found);
        }
        if captures {
            return found;
        }
        for (column, row) in stones() {
            let from = self.at(column, row).expect("a stone");
            for (right, up) in self.directions(column, row) {
                if let Some(to) = self.at(column + right, row + up).filter(|&to| points[to] == EMPTY) {
                    let mut after = *points;
                    (after[from], after[to]) = (EMPTY, OWN);
                    found.insert(self.number_after(&after));
                }
            }
        }
        found
    }

    /// The values of all positions by their numbers: round n finds those decided in n plies.
    fn solve(&self) -> Vec<Value> {
        let count = 3usize.pow(u32::try_from(self.points()).expect("small boards"));
        let turns: Vec<Box<[u32]>> = (0..count)
            .into_par_iter()
            .map(|number| {
                let points = self.read(number);
                let over = !points.contains(&OWN) || !points.contains(&ENEMY);
                if over { Box::default() } else { self.after_turns(&points).into_iter().collect() }
            })
            .collect();
        let mut values: Vec<Value> = vec![None; count];
        let mut open = Vec::new();
        for number in 0..count {
            let points = self.read(number);
            if !points.contains(&OWN) {
                values[number] = Some((false, 0));
            } else if points.contains(&ENEMY) {
                if !turns[number].is_empty() {
                    open.push(number);
                } else if self.rules.stalemate == Stalemate::Loss {
                    values[number] = Some((false, 0));
                }
            }
        }
        for round in 1.. {
            let decided = |&number: &usize| {
                let after = || turns[number].iter().map(|&after| values[after as usize]);
                if after().any(|value| matches!(value, Some((false, _)))) {
                    return Some((number, (true, round)));
                }
                after().all(|value| matches!(value, Some((true, _)))).then_some((number, (false, round)))
            };
            let news: Vec<_> = open.par_iter().filter_map(decided).collect();
            if news.is_empty() {
                break;
            }
            for (number, value) in news {
                values[number] = Some(value);
            }
            open.retain(|&number| values[number].is_none());
        }
        values
    }
}

// The comparison

fn known(value: Value) -> Known {
    match value {
        None => Outcome::Draw.into(),
        Some((won, plies)) => {
            Known { plies: Some(plies.into()), ..if won { Outcome::Win } else { Outcome::Loss }.into() }
        }
    }
}

/// The result of one board under one rule set.
#[derive(Default)]
struct Row {
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    longest: u32,
    in_files: u64,
}

fn compare(size: BoardSize, simple: &Simple, values: &[Value], tables: &Tables) -> Result<Row, Box<dyn Error>> {
    let loaded = load_depths(tables, Slice::up_to(size.points(), size.points()))?;
    let mut row = Row::default();
    for (number, &value) in values.iter().enumerate() {
        let points = simple.read(number);
        let set = |what| (0..simple.points()).filter(|&point| points[point] == what).fold(0u64, |set, p| set | 1 << p);
        let (own, enemy) = (set(OWN), set(ENEMY));
        if own == 0 || enemy == 0 {
            continue;
        }
        let expected = known(value);
        let found = loaded.probe(own, enemy).map(Known::from);
        if found.as_ref() != Some(&expected) {
            return Err(
                format!("{size}: own {own:#x}, enemy {enemy:#x}: {expected:?} here, {found:?} in tables").into()
            );
        }
        if number % IN_FILES == 0 {
            let found = tables.look_up(own, enemy)?;
            if found.as_ref() != Some(&expected) {
                let message = format!("{size}: own {own:#x}, enemy {enemy:#x}: {expected:?} here, {found:?} in files");
                return Err(message.into());
            }
            row.in_files += 1;
        }
        row.positions += 1;
        match expected.outcome() {
            Some(Outcome::Win) => row.wins += 1,
            Some(Outcome::Loss) => row.losses += 1,
            Some(Outcome::Draw) | None => row.draws += 1,
        }
        row.longest = row.longest.max(expected.plies.unwrap_or(0));
    }
    Ok(row)
}

fn main() -> Result<(), Box<dyn Error>> {
    let database = PathBuf::from(std::env::args().nth(1).ok_or("usage: cross_check FOLDER")?);
    println!(
        "board,rules,positions,wins,draws,losses,longest_plies,looked_up_in_files,build_seconds,second_solver_seconds"
    );
    for board in BOARDS {
        let size: BoardSize = board.parse()?;
        // Directions that are taken once are compared on the smallest board alone.
        for rules in RuleSet::all().filter(|rules| rules.directions == Directions::default() || size.points() < 15) {
            let start = Instant::now();
            build(Goal::both(size, rules, size.points()), &database, Budget::default())?;
            let tables = Tables::open(&database, size, rules, DEFAULT_CACHE_BYTES)?;
            let build_seconds = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let [columns, rows] = [size.columns(), size.rows()].map(i32::try_from);
            let simple = Simple { columns: columns?, rows: rows?, rules };
            let values = simple.solve();
            let seconds = start.elapsed().as_secs_f64();
            let Row { positions, wins, draws, losses, longest, in_files } = compare(size, &simple, &values, &tables)?;
            println!(
                "{board},\"{rules}\",{positions},{wins},{draws},{losses},{longest},{in_files},{build_seconds:.1},{seconds:.1}"
            );
        }
    }
    Ok(())
}

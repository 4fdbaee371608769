//! Positions without a capture, decided layer by layer: a row is looked at when one that its paikas lead to has changed.
//!
//! Step number n of losses finds the quiet positions lost in 2n plies, step n of wins those won in 2n + 1. Outcomes without
//! depth count every loss as one in 0 plies, so that each step finds whatever is decided by then.

use std::sync::atomic::{AtomicU16, Ordering};

use rayon::prelude::*;

use crate::board::{DIRECTIONS, PointSet};
use crate::index::{Crowded, Slice, Space};
use crate::rules::{RuleSet, Stalemate};
use crate::table::{RowValue, Rows};

use super::super::planes::Step;
use super::super::slices::Phase;
use super::pass::{CHUNK_WORDS, Pass, Row, TooDeep, Turn, columns};

/// In place of the number of a step: there is nothing to look for in the row.
const NEVER: u16 = u16::MAX;

/// For each row, the number of the step that looks at it next.
struct Due(Vec<AtomicU16>);

impl Due {
    fn new(rows: usize) -> Self {
        Self((0..rows).map(|_| AtomicU16::new(0)).collect())
    }

    fn mark(&self, row: usize, step: u16) {
        self.0[row].fetch_min(step, Ordering::Relaxed);
    }

    fn take(&self, row: usize, step: u16) -> bool {
        let due = self.0[row].load(Ordering::Relaxed) <= step;
        if due {
            self.0[row].store(NEVER, Ordering::Relaxed);
        }
        due
    }

    fn is_any(&self) -> bool {
        self.0.par_iter().any(|due| due.load(Ordering::Relaxed) != NEVER)
    }
}

/// Rows that are looked at before what they found is written.
const BATCH: usize = 4096;

/// What a step has found in a row.
type Found<V> = Vec<(usize, V)>;

/// Decides the quiet positions of a pair.
///
/// # Errors
/// [`TooDeep`].
pub fn decide<V: RowValue>(
    space: &Space,
    rules: RuleSet,
    slices: &[Slice],
    grids: &mut [Rows<V>],
    report: &(dyn Fn(Phase) + Sync),
) -> Result<(), TooDeep> {
    let sets: Vec<Vec<u64>> = slices.iter().map(|&slice| space.splits(slice).sets().collect()).collect();
    let rows = Crowded::new(space, slices[0]).empties().orbits();
    // By side, rows to look at for losses and for wins.
    let due: Vec<[Due; 2]> = slices.iter().map(|_| [Due::new(rows), Due::new(rows)]).collect();
    let mut steps = 0;
    for number in 0..NEVER {
        for step in [Step::Losses, Step::Wins] {
            let mut found = 0;
            for side in 0..slices.len() {
                let twin = slices.len() - 1 - side;
                for start in (0..rows).step_by(BATCH) {
                    let rows = start..rows.min(start + BATCH);
                    let search = Search { space, rules, step, number, slice: slices[side], sets: &sets[side] };
                    let found_here =
                        search.find(rows.clone(), &grids[side], &grids[twin], &due[side][step as usize])?;
                    let stride = grids[side].stride();
                    for (row, all) in rows.zip(found_here) {
                        if all.is_empty() {
                            continue;
                        }
                        found += all.len();
                        let units = &mut grids[side].units_mut()[row * stride..][..stride];
                        for (column, value) in all {
                            V::set(units, column, value);
                        }
                        let next = if step == Step::Losses { number } else { number + 1 };
                        search.spread(row, &due[twin][step.next() as usize], next);
                    }
                }
            }
            steps += 1;
            report(Phase::Paikas { steps, due: found as u64 });
        }
        if !due.iter().flatten().any(Due::is_any) {
            return Ok(());
        }
    }
    Err(TooDeep)
}

struct Search<'a> {
    space: &'a Space,
    rules: RuleSet,
    step: Step,
    number: u16,
    slice: Slice,
    sets: &'a [u64],
}

impl Search<'_> {
    fn find<V: RowValue>(
        &self,
        rows: std::ops::Range<usize>,
        own: &Rows<V>,
        twin: &Rows<V>,
        due: &Due,
    ) -> Result<Vec<Found<V>>, TooDeep> {
        let crowded = Crowded::new(self.space, self.slice);
        let empties = crowded.empties().representatives();
        let after = std::iter::once((self.slice.opponent, twin));
        let pass = Pass::new(self.space, self.rules, self.slice, self.sets, after);
        let all = rows.into_par_iter().map_init(Row::new, |row, number| {
            let mut found = Vec::new();
            if due.take(number, self.number) {
                for start in (0..pass.splits.words()).step_by(CHUNK_WORDS) {
                    self.look(&pass, row, (empties[number], start), own.row(number), &mut found, (due, number))?;
                }
            }
            Ok(found)
        });
        all.collect()
    }

    /// Looks at a stretch of a row.
    fn look<V: RowValue>(
        &self,
        pass: &Pass<'_, V>,
        row: &mut Row<V>,
        (empty, start): (u64, usize),
        known: &[V::Unit],
        found: &mut Found<V>,
        (due, number): (&Due, usize),
    ) -> Result<(), TooDeep> {
        row.begin(pass, empty, start);
        pass.crowded.mark_quiet(empty, start, &mut row.open);
        for (word, open) in row.open.iter_mut().enumerate() {
            let first = 64 * (start + word);
            let decided = open.iter().filter(|bit| V::get(known, first + bit) != V::DRAW);
            *open = open.without(decided.fold(0, |decided, bit| decided | 1 << bit));
        }
        if row.open.iter().all(|&open| open == 0) {
            return Ok(());
        }
        let undecided = row.open.clone();
        let mut movable = vec![0; undecided.len()];
        for from in pass.board().all().without(empty).iter() {
            let with = &pass.splits.with(row.label(from))[start..][..undecided.len()];
            for direction in 0..DIRECTIONS {
                let Some(to) = pass.board().next(from, direction).filter(|&to| empty.contains(to)) else { continue };
                for (movable, with) in movable.iter_mut().zip(with) {
                    *movable |= with;
                }
                pass.lead(row, Turn { from, to, captured: 0 }, with);
            }
        }
        for column in columns(&undecided) {
            let (least, can_move) = (row.least[column], movable[column / 64] >> (column % 64) & 1 == 1);
            let decided = match self.step {
                Step::Losses if !can_move => (self.rules.stalemate == Stalemate::Loss).then(|| V::loss(0)),
                Step::Losses => (least > V::DRAW).then(|| least.before()),
                Step::Wins if !can_move || least >= V::DRAW => None,
                Step::Wins if least > V::loss(self.number) => {
                    due.mark(number, least.number());
                    None
                }
                Step::Wins => Some(least.before()),
            };
            if decided == Some(V::DRAW) {
                return Err(TooDeep);
            }
            found.extend(decided.map(|value| (64 * start + column, value)));
        }
        Ok(())
    }

    /// Marks the rows whose paikas lead to a row.
    fn spread(&self, row: usize, due: &Due, step: u16) {
        let empties = self.space.subsets(self.space.board().points() - self.slice.stones());
        let empty = empties.representatives()[row];
        for from in empty.iter() {
            for direction in 0..DIRECTIONS {
                let next = self.space.board().next(from, direction).filter(|&to| !empty.contains(to));
                if let Some(to) = next {
                    due.mark(empties.orbit(empty ^ u64::point(from) ^ u64::point(to)).0, step);
                }
            }
        }
    }
}

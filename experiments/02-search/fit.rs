//! Fits the weights of first numbers to what a few nodes make of them.
//!
//! Positions that a question expanded for some nodes are searched again, each with an empty table. The logarithms of phi and
//! delta after that are fitted by least squares to the counts of the position.

use std::collections::HashSet;
use std::ops::ControlFlow;

use fanorona::rules::{Position, Side};
use fanorona::search::{
    COUNTS, Canonical, Effort, Mirror, Numbers, SearchOptions, Solver, Weights, counts, weights_of,
};
use nalgebra::{SMatrix, SVector};
use rayon::prelude::*;

use super::Failure;

/// Positions count that were expanded for so many nodes.
const EXPANDED: u64 = 8;

/// How much of a fit goes into the weights: more is worse.
const SLOPE: f64 = 0.5;

/// Slopes of less than one make small numbers, which are multiplied by that.
const SCALE: f64 = 2.0;

/// What a number that is settled counts as, and a large one.
const LEAST: f64 = 0.5;
const MOST: f64 = 1000.0;

/// How the positions are chosen and searched.
#[derive(Clone, Copy)]
pub struct Sample {
    /// Nodes for each position.
    pub nodes: u64,
    /// One position in so many is taken.
    pub one_in: u64,
}

/// The sums of a least-squares fit of two numbers to the counts: of products of counts, and of products with the numbers.
#[derive(Clone, Copy, Default)]
struct Sums {
    positions: u64,
    counts: SMatrix<f64, COUNTS, COUNTS>,
    numbers: SMatrix<f64, COUNTS, 2>,
}

impl Sums {
    fn add(&mut self, counts: [i32; COUNTS], Numbers { phi, delta }: Numbers) {
        let counts = SVector::from(counts.map(f64::from));
        let numbers = [phi, delta].map(|number| f64::from(number).clamp(LEAST, MOST).log2());
        self.positions += 1;
        self.counts += counts * counts.transpose();
        self.numbers += counts * SVector::from(numbers).transpose();
    }

    fn join(&mut self, other: &Self) {
        self.positions += other.positions;
        self.counts += other.counts;
        self.numbers += other.numbers;
    }

    /// The two rows of weights. Counts that are always zero weigh nothing.
    #[allow(clippy::cast_possible_truncation)] // small
    fn weights(&self) -> Result<[[i32; COUNTS]; 2], Failure> {
        let fitted = self.counts.svd(true, true).solve(&self.numbers, 1e-6)?;
        Ok([0, 1].map(|number| {
            std::array::from_fn(|count| {
                let scale = if count == 0 { SCALE.log2() } else { 0.0 };
                (256.0 * (SLOPE * fitted[(count, number)] + scale)).round() as i32
            })
        }))
    }
}

/// The fit so far.
#[derive(Clone, Copy, Default)]
pub struct Fit([Sums; 4]);

impl Fit {
    /// Adds the positions that a solver has expanded for a question.
    pub fn add(
        &mut self,
        solver: &mut Solver<'_>,
        start: Position<u64>,
        asked: Side,
        sample: Sample,
    ) -> Result<(), Failure> {
        let positions = expanded(solver, start, asked, sample.one_in);
        let (rules, tables, tuning) = (solver.rules(), solver.tables(), solver.tuning());
        let parts = positions.par_chunks(1 << 10).map(|positions| -> Result<Self, Failure> {
            let options = SearchOptions { memory: 1 << 16, threads: 1, tuning };
            let mut solver = Solver::new(rules, tables, options)?;
            let mut fit = Self::default();
            for &(position, attacker_moves) in positions {
                solver.entries().clear();
                solver.attacker_wins_within((position.mover, position.opponent), attacker_moves, sample.nodes)?;
                let counts = counts(rules.board(), position);
                if let Some(entry) = solver.entries().get(position.key(attacker_moves)) {
                    fit.0[weights_of(counts, attacker_moves)].add(counts, entry.numbers);
                }
            }
            Ok(fit)
        });
        for part in parts.collect::<Result<Vec<_>, _>>()? {
            self.0.iter_mut().zip(&part.0).for_each(|(sums, part)| sums.join(part));
        }
        Ok(())
    }

    /// How many positions there are.
    pub fn positions(&self) -> u64 {
        self.0.iter().map(|sums| sums.positions).sum()
    }

    /// The weights.
    pub fn weights(&self) -> Result<Weights, Failure> {
        let [a, b, c, d] = self.0.each_ref().map(Sums::weights);
        Ok([a?, b?, c?, d?])
    }
}

/// The weights as the program includes them: arrays in JSON and in Rust.
pub fn text(weights: &Weights) -> String {
    let rows: Vec<_> = weights.iter().map(|rows| format!("  {rows:?}")).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// One in so many of the positions that were expanded for some nodes, and whether the attacker moves: those that can be reached
/// from the start through such positions.
fn expanded(solver: &mut Solver<'_>, start: Position<u64>, asked: Side, one_in: u64) -> Vec<(Canonical, bool)> {
    let (rules, stones) = (solver.rules(), solver.tables().stones());
    let (mirror, entries) = (Mirror::new(rules.board().size()), solver.entries());
    let root = (mirror.canonical(start.mover(), start.opponent()), start.to_move == asked);
    let (mut open, mut seen) = (vec![root], HashSet::from([root]));
    while let Some((position, attacker_moves)) = open.pop() {
        let _ = rules.for_each_turn(position.mover, position.opponent, |_, after| {
            let child = (mirror.canonical(after.next, after.moved), !attacker_moves);
            let entry = (child.0.stones() > stones).then(|| entries.get(child.0.key(child.1))).flatten();
            if entry.is_some_and(|entry| entry.effort >= Effort::of(EXPANDED)) && seen.insert(child) {
                open.push(child);
            }
            ControlFlow::<()>::Continue(())
        });
    }
    let mut positions: Vec<_> =
        seen.into_iter().filter(|(position, attacks)| position.key(*attacks).check % one_in == 0).collect();
    positions.sort_unstable(); // the same sums each time
    positions
}

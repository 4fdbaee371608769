//! Retrograde analysis position by position, for crowded boards: no columns for overlapping sets, no wide rows.
//!
//! Where most pairs of sets overlap, planes would be mostly padding. Here a slice is a cell for each position while it is
//! solved, in the order of [`Crowded`], and captures and paikas are followed one position at a time with the rules' own generator. Values and depths differ in what a cell holds and in how paikas decide it.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::board::{Board, DIRECTIONS, PointSet};
use crate::index::{Crowded, Place, Slice, Space};
use crate::rules::{Outcome, RuleSet, Rules, Stalemate};
use crate::table::{Cell, CellRows, Held, Score, SliceDepths, SliceValues, TableError, ValueRows};

use super::planes::Step;
use super::slices::{Phase, with_twin};

/// A slice while it is solved: a cell for each position, in the order of tables.
pub struct CrowdedSide<'a, C> {
    space: &'a Space,
    crowded: Crowded<'a>,
    cells: Vec<C>,
    /// The cell of a quiet position that is not decided yet.
    undecided: C,
}

/// An undecided position: the mover's set, the opponent's, and the place of its cell.
type Open = (u64, u64, usize);

/// Undecided positions that are evaluated before the results are written.
const BATCH: usize = 1 << 16;

impl<'a, C: Copy + Eq + Send + Sync> CrowdedSide<'a, C> {
    /// Resolves all captures of a slice with `resolve`, which gives a position's cell, or nothing if none can hold it.
    fn new(
        space: &'a Space,
        slice: Slice,
        undecided: C,
        resolve: impl Fn(u64, u64) -> Option<C> + Sync,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Option<Self> {
        report(Phase::Captures { slice, done: 0, total: 1 });
        let crowded = Crowded::new(space, slice);
        let rows = crowded.empties().representatives().par_iter();
        let positions = rows.flat_map_iter(|&empty| crowded.positions(empty));
        let cells = positions.map(|(own, enemy)| resolve(own, enemy)).collect::<Option<_>>()?;
        Some(Self { space, crowded, cells, undecided })
    }

    fn at(&self, own: u64, enemy: u64) -> C {
        let Place { row, column, .. } = self.crowded.locate(own, enemy);
        self.cells[row * self.crowded.splits().count() + column]
    }

    /// Sets undecided positions to what is known from elsewhere, by row and column.
    pub fn fill(&mut self, known: impl Fn(usize, usize) -> C) {
        for (row, cells) in self.cells.chunks_exact_mut(self.crowded.splits().count()).enumerate() {
            for (column, cell) in cells.iter_mut().enumerate().filter(|(_, cell)| **cell == self.undecided) {
                *cell = known(row, column);
            }
        }
    }

    fn open(&self) -> Vec<Open> {
        let columns = self.crowded.splits().count();
        let rows = self.crowded.empties().representatives().par_iter().enumerate();
        let open = rows.flat_map_iter(|(row, &empty)| {
            let positions = self.crowded.positions(empty).zip(row * columns..);
            let open = positions.filter(|&(_, place)| self.cells[place] == self.undecided);
            open.map(|((own, enemy), place)| (own, enemy, place))
        });
        open.collect()
    }

    /// Decides what `decide` can of the open positions of a slice and its twin (or of one that is its own twin), and returns how
    /// many these were. `decide` gets the twin and the sets of mover and opponent.
    fn sweep(
        sides: &mut [Self],
        open: &mut [Vec<Open>],
        decide: impl Fn(&Self, u64, u64) -> Option<C> + Sync,
    ) -> usize {
        let (last, mut found) = (sides.len() - 1, 0);
        for (side, open) in open.iter_mut().enumerate() {
            let mut kept = 0;
            for start in (0..open.len()).step_by(BATCH) {
                let batch = start..open.len().min(start + BATCH);
                let twin = &sides[last - side];
                let decided = open[batch.clone()].par_iter().map(|&(own, enemy, _)| decide(twin, own, enemy));
                for (number, decided) in batch.zip(decided.collect::<Vec<_>>()) {
                    if let Some(cell) = decided {
                        sides[side].cells[open[number].2] = cell;
                    } else {
                        open[kept] = open[number];
                        kept += 1;
                    }
                }
            }
            found += open.len() - kept;
            open.truncate(kept);
        }
        found
    }
}

/// The finished slices that captures lead to, by the number of stones left to the opponent; none where there are none left.
fn lower<'v, T>(slice: Slice, lookup: impl Fn(Slice) -> &'v T) -> Vec<Option<&'v T>> {
    (0..slice.opponent).map(|left| (left > 0).then(|| lookup(Slice::new(left, slice.mover)))).collect()
}

/// The mover's sets after each of its paikas.
fn after_paikas(board: &Board<u64>, own: u64, enemy: u64) -> impl Iterator<Item = u64> {
    own.iter().flat_map(move |from| {
        let targets = (0..DIRECTIONS).filter_map(move |direction| board.next(from, direction));
        let free = targets.filter(move |&to| !(own | enemy).contains(to));
        free.map(move |to| own ^ u64::point(from) ^ u64::point(to))
    })
}

/// Values of a slice after its captures.
pub type CrowdedValues<'a> = CrowdedSide<'a, Option<Outcome>>;

impl<'a> CrowdedValues<'a> {
    /// Resolves all captures of a slice; quiet positions are undecided. `lookup` gives the finished slices with fewer stones.
    pub fn captures<'v>(
        space: &'a Space,
        rules: RuleSet,
        slice: Slice,
        lookup: impl Fn(Slice) -> &'v SliceValues,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Self {
        let (rules, finished) = (Rules::new(space.board().clone(), rules), lower(slice, lookup));
        let resolve = |own: u64, enemy: u64| {
            let mut best = None;
            let _ = rules.for_each_capture(own, enemy, |_, after| {
                let outcome = finished[after.next.count()]
                    .map_or(Outcome::Win, |values| values.value(space, after.next, after.moved).reversed());
                best = best.max(Some(outcome));
                if outcome == Outcome::Win { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            Some(best)
        };
        Self::new(space, slice, None, resolve, report).expect("a cell holds any outcome")
    }

    /// The finished values; what is still open is drawn.
    pub fn finish(self) -> SliceValues {
        let columns = self.crowded.splits().count();
        let mut rows = ValueRows::new(self.crowded, Outcome::Draw);
        let stride = rows.stride();
        for (row, cells) in rows.units_mut().chunks_exact_mut(stride).zip(self.cells.chunks_exact(columns)) {
            for (column, cell) in cells.iter().enumerate() {
                Outcome::set(row, column, cell.unwrap_or(Outcome::Draw));
            }
        }
        SliceValues::from_rows(self.crowded.slice(), rows)
    }
}

/// Computes the values of a slice and, if it is another, its twin. `lookup` gives finished slices with fewer stones.
///
/// Values only ever become known, and the fixpoint does not depend on the order in which they do.
pub fn solve_crowded<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceValues,
    report: &(dyn Fn(Phase) + Sync),
) -> Vec<SliceValues> {
    let side = |slice| CrowdedValues::captures(space, rules, slice, &lookup, report);
    let mut sides: Vec<CrowdedValues<'_>> = with_twin(slice).map(side).collect();
    let mut open: Vec<Vec<Open>> = sides.iter().map(CrowdedSide::open).collect();
    let decide = |twin: &CrowdedValues<'_>, own: u64, enemy: u64| {
        let (mut any, mut all_won) = (false, true);
        for moved in after_paikas(space.board(), own, enemy) {
            any = true;
            // The position after it is the opponent's: what it loses, the mover wins.
            match twin.at(enemy, moved) {
                Some(Outcome::Loss) => return Some(Some(Outcome::Win)),
                after => all_won &= after == Some(Outcome::Win),
            }
        }
        match (any, all_won) {
            (false, _) if rules.stalemate == Stalemate::Draw => Some(Some(Outcome::Draw)),
            (_, true) => Some(Some(Outcome::Loss)),
            _ => None,
        }
    };
    for steps in 1.. {
        let found = CrowdedSide::sweep(&mut sides, &mut open, decide);
        report(Phase::Paikas { steps, found });
        if found == 0 {
            break;
        }
    }
    sides.into_iter().map(CrowdedValues::finish).collect()
}

impl<'a, C: Cell> CrowdedSide<'a, C> {
    /// Resolves all captures of a slice with depth; quiet positions are undecided. `lookup` gives the finished slices with fewer stones.
    ///
    /// # Errors
    /// [`TableError::TooDeep`].
    pub fn captures_by_depth<'v>(
        space: &'a Space,
        rules: RuleSet,
        slice: Slice,
        lookup: impl Fn(Slice) -> &'v SliceDepths<C>,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<Self, TableError> {
        let (rules, finished) = (Rules::new(space.board().clone(), rules), lower(slice, lookup));
        let resolve = |own: u64, enemy: u64| {
            let mut least = None;
            let _ = rules.for_each_capture(own, enemy, |_, after| {
                let score = finished[after.next.count()]
                    .map_or(Score::loss(0), |depths| depths.score(space, after.next, after.moved));
                least = Some(least.map_or(score, |least: Score| least.min(score)));
                ControlFlow::<()>::Continue(())
            });
            let Some(score) = least.map(Score::before) else { return Some(C::NONE) };
            (score.step().unwrap_or(0) <= C::MAX_STEPS).then(|| C::of(score))
        };
        Self::new(space, slice, C::NONE, resolve, report).ok_or_else(|| TableError::too_deep::<C>(slice))
    }

    /// The finished scores; what is still open is drawn.
    pub fn finish_depths(mut self) -> SliceDepths<C> {
        for cell in self.cells.iter_mut().filter(|cell| **cell == C::NONE) {
            *cell = C::DRAW;
        }
        let mut rows = CellRows::new(self.crowded, <C as Cell>::DRAW);
        rows.units_mut().copy_from_slice(&self.cells);
        SliceDepths::from_rows(self.crowded.slice(), rows)
    }
}

/// Computes the scores of a slice and, if it is another, its twin, layer by layer: what a step finds depends only on positions that
/// are nearer to the end. `lookup` gives finished slices with fewer stones.
///
/// # Errors
/// [`TableError::TooDeep`] if cells of that width cannot hold them.
pub fn solve_crowded_depths<'v, C: Cell>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: impl Fn(Slice) -> &'v SliceDepths<C>,
    report: &(dyn Fn(Phase) + Sync),
) -> Result<Vec<SliceDepths<C>>, TableError> {
    let side = |slice| CrowdedSide::captures_by_depth(space, rules, slice, &lookup, report);
    let mut sides: Vec<CrowdedSide<'_, C>> = with_twin(slice).map(side).collect::<Result<_, _>>()?;
    let mut open: Vec<Vec<Open>> = sides.iter().map(CrowdedSide::open).collect();
    let deepest = |side: &CrowdedSide<'_, C>| {
        let scores = side.cells.par_iter().filter(|&&cell| cell != C::NONE);
        scores.filter_map(|cell| cell.score().step()).max().unwrap_or(0)
    };
    // Captures may decide something up to that step.
    let waiting = sides.iter().map(deepest).max().unwrap_or(0);
    let (mut steps, mut idle) = (0, 0);
    for number in 0..C::MAX_STEPS {
        for step in [Step::Losses, Step::Wins] {
            let cell = if step == Step::Wins { C::win(number) } else { C::loss(number) };
            let found = CrowdedSide::sweep(&mut sides, &mut open, |twin, own, enemy| {
                decides(rules, twin, step, number, own, enemy).then_some(cell)
            });
            steps += 1;
            report(Phase::Paikas { steps, found });
            idle = if found == 0 { idle + 1 } else { 0 };
            if idle >= 2 && number > waiting {
                return Ok(sides.into_iter().map(CrowdedSide::finish_depths).collect());
            }
        }
    }
    Err(TableError::too_deep::<C>(slice))
}

/// Whether a quiet position is decided by that step.
fn decides<C: Cell>(rules: RuleSet, twin: &CrowdedSide<'_, C>, step: Step, number: u16, own: u64, enemy: u64) -> bool {
    let mut any = false;
    for moved in after_paikas(twin.space.board(), own, enemy) {
        any = true;
        let after = twin.at(enemy, moved);
        match step {
            // Lost for the opponent, no later than this.
            Step::Wins if after <= C::loss(number) => return true,
            // Losses of step n + 1 need wins of step n.
            Step::Losses if number == 0 || after == C::NONE || after < C::win(number - 1) => return false,
            _ => {}
        }
    }
    step == Step::Losses && (any || rules.stalemate == Stalemate::Loss)
}

//! Scores position by position, for crowded boards; see [`super::super::compact`] for plain values.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::board::{DIRECTIONS, PointSet, inverse};
use crate::index::{ComplementRank, Slice, Space};
use crate::rules::{RuleSet, Rules, Stalemate};
use crate::table::{Cell, Score, SliceDepths, TableError, ranks};

use super::super::pair::Phase;
use super::super::quiet::Step;

/// A slice while it is solved.
pub struct CompactDepths<'a, C> {
    space: &'a Space,
    slice: Slice,
    ranks: &'a ComplementRank,
    /// Cells of scores; [`Cell::NONE`] for quiet positions that are not decided yet.
    cells: Vec<C>,
}

/// An undecided position: the mover's set, the opponent's, and the place of its cell.
type Open = (u64, u64, u32);

impl<'a, C: Cell> CompactDepths<'a, C> {
    /// Resolves all captures of a slice. `lookup` gives the finished slices with fewer stones.
    ///
    /// # Errors
    /// [`TableError::TooDeep`].
    pub fn new<'v>(
        space: &'a Space,
        rules: RuleSet,
        slice: Slice,
        lookup: impl Fn(Slice) -> &'v SliceDepths<C> + Sync,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Result<Self, TableError> {
        let points = space.board().points();
        let ranks = ranks(space, slice);
        let game = Rules::new(space.board().clone(), rules);
        report(Phase::Captures { slice, done: 0, total: 1 });
        let finished: Vec<Option<&SliceDepths<C>>> =
            (0..slice.opponent).map(|left| (left > 0).then(|| lookup(Slice::new(left, slice.mover)))).collect();
        let score = |own: u64, enemy: u64| {
            let mut least = None;
            let _ = game.for_each_capture(own, enemy, |_, after| {
                let score = finished[after.next.count()]
                    .map_or(Score::loss(0), |depths| depths.score(space, after.next, after.moved));
                least = Some(least.map_or(score, |least: Score| least.min(score)));
                ControlFlow::<()>::Continue(())
            });
            let Some(score) = least.map(Score::before) else { return Some(C::NONE) };
            (score.step().unwrap_or(0) <= C::MOST_STEPS).then(|| C::of(score))
        };
        let rows = space.subsets(slice.mover).representatives().par_iter();
        let positions = rows.flat_map_iter(|&own| ranks.sets(own, points).map(move |enemy| (own, enemy)));
        let cells: Option<Vec<C>> = positions.map(|(own, enemy)| score(own, enemy)).collect();
        Ok(Self { space, slice, ranks, cells: cells.ok_or_else(|| TableError::too_deep::<C>(slice))? })
    }

    fn at(&self, own: u64, enemy: u64) -> C {
        let (row, element) = self.space.subsets(self.slice.mover).orbit(own);
        let representative = self.space.subsets(self.slice.mover).representatives()[row];
        let turned = self.space.symmetry().set(inverse(element), enemy);
        self.cells[row * self.ranks.count() + self.ranks.rank(representative, turned)]
    }

    /// Sets quiet positions to scores known from elsewhere.
    pub fn fill(&mut self, known: impl Fn(usize, u64) -> Score) {
        let points = self.space.board().points();
        for (row, &own) in self.space.subsets(self.slice.mover).representatives().iter().enumerate() {
            let cells = &mut self.cells[row * self.ranks.count()..][..self.ranks.count()];
            for (cell, enemy) in cells.iter_mut().zip(self.ranks.sets(own, points)) {
                if *cell == C::NONE {
                    *cell = C::of(known(row, enemy));
                }
            }
        }
    }

    /// The finished scores; what is still open is drawn.
    pub fn finish(mut self) -> SliceDepths<C> {
        for cell in self.cells.iter_mut().filter(|cell| **cell == C::NONE) {
            *cell = C::DRAW;
        }
        SliceDepths::compact(self.space, self.slice, self.cells)
    }

    fn open(&self) -> Vec<Open> {
        let (points, row) = (self.space.board().points(), self.ranks.count());
        let rows = self.space.subsets(self.slice.mover).representatives().par_iter().enumerate();
        let open = rows.flat_map_iter(|(number, &own)| {
            let positions = self.ranks.sets(own, points).zip(number * row..(number + 1) * row);
            let open = positions.filter(|&(_, place)| self.cells[place] == C::NONE);
            #[allow(clippy::cast_possible_truncation)] // such slices have fewer than 2^32 positions
            open.map(move |(enemy, place)| (own, enemy, place as u32))
        });
        open.collect()
    }
}

/// Decides the open positions of a slice and its twin (or one that is its own twin), layer by layer: what a step finds
/// depends only on positions that are nearer to the end.
///
/// # Errors
/// [`TableError::TooDeep`].
pub fn decide<C: Cell>(
    rules: RuleSet,
    sides: &mut [CompactDepths<'_, C>],
    report: &(dyn Fn(Phase) + Sync),
) -> Result<(), TableError> {
    let mut open: Vec<Vec<Open>> = sides.iter().map(CompactDepths::open).collect();
    let deepest = |side: &CompactDepths<'_, C>| {
        let scores = side.cells.par_iter().filter(|&&cell| cell != C::NONE);
        scores.filter_map(|cell| cell.score().step()).max().unwrap_or(0)
    };
    // Captures may decide something up to that step.
    let waiting = sides.iter().map(deepest).max().unwrap_or(0);
    let (mut steps, mut idle) = (0, 0);
    for number in 0..C::MOST_STEPS {
        for step in [Step::Losses, Step::Wins] {
            let mut found = 0;
            for (side, open) in open.iter_mut().enumerate() {
                let twin = &sides[sides.len() - 1 - side];
                let decided: Vec<bool> =
                    open.par_iter().map(|&(own, enemy, _)| decides(rules, twin, step, number, own, enemy)).collect();
                let cell = if step == Step::Wins { C::win(number) } else { C::loss(number) };
                let mut decided = decided.into_iter();
                let before = open.len();
                open.retain(|&(_, _, place)| {
                    let decided = decided.next().unwrap_or(false);
                    if decided {
                        sides[side].cells[place as usize] = cell;
                    }
                    !decided
                });
                found += before - open.len();
            }
            steps += 1;
            report(Phase::Paikas { steps, found });
            idle = if found == 0 { idle + 1 } else { 0 };
            if idle >= 2 && number > waiting {
                return Ok(());
            }
        }
    }
    Err(TableError::too_deep::<C>(sides[0].slice))
}

/// Whether a quiet position is decided by that step.
fn decides<C: Cell>(
    rules: RuleSet,
    twin: &CompactDepths<'_, C>,
    step: Step,
    number: u16,
    own: u64,
    enemy: u64,
) -> bool {
    let board = twin.space.board();
    let mut any = false;
    for from in own.iter() {
        for direction in 0..DIRECTIONS {
            let Some(to) = board.next(from, direction).filter(|&to| !(own | enemy).contains(to)) else { continue };
            any = true;
            let after = twin.at(enemy, own ^ u64::point(from) ^ u64::point(to));
            match step {
                // Lost for the opponent, no later than this.
                Step::Wins if after <= C::loss(number) => return true,
                // Losses of step n + 1 need wins of step n.
                Step::Losses if number == 0 || after == C::NONE || after < C::win(number - 1) => {
                    return false;
                }
                _ => {}
            }
        }
    }
    step == Step::Losses && (any || rules.stalemate == Stalemate::Loss)
}

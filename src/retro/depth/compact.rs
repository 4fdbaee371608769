//! Scores position by position, for crowded boards; see [`super::super::compact`] for plain values.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU16, Ordering};

use rayon::prelude::*;

use crate::board::{DIRECTIONS, PointSet, inverse};
use crate::index::{ComplementRank, Slice, Space};
use crate::rules::{Game, RuleSet, Stalemate};
use crate::table::{Score, SliceDepths, ranks};

use super::super::pair::Phase;
use super::super::quiet::Step;

/// A slice while it is solved.
pub struct CompactDepths<'a> {
    space: &'a Space,
    slice: Slice,
    ranks: &'a ComplementRank,
    /// Cells of scores; [`Score::NONE`] for quiet positions that are not decided yet.
    cells: Vec<AtomicU16>,
}

/// An undecided position: the mover's set, the opponent's, and the place of its cell.
type Open = (u64, u64, u32);

impl<'a> CompactDepths<'a> {
    /// Resolves all captures of a slice. `lookup` gives the finished slices with fewer stones.
    pub fn new<'v>(
        space: &'a Space,
        rules: RuleSet,
        slice: Slice,
        lookup: impl Fn(Slice) -> &'v SliceDepths + Sync,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Self {
        let points = space.board().points();
        let ranks = ranks(space, slice);
        let game = Game::new(space.board().clone(), rules);
        report(Phase::Captures { slice, done: 0, total: 1 });
        let finished: Vec<Option<&SliceDepths>> =
            (0..slice.opponent).map(|left| (left > 0).then(|| lookup(Slice::new(left, slice.mover)))).collect();
        let score = |own: u64, enemy: u64| {
            let mut least = Score::NONE;
            let _ = game.for_each_capture(own, enemy, |_, after| {
                let score = finished[after.next.count()]
                    .map_or(Score::loss(0), |depths| depths.score(space, after.next, after.moved));
                least = least.min(score.cell());
                ControlFlow::<()>::Continue(())
            });
            if least == Score::NONE { least } else { Score::of_cell(least).before().cell() }
        };
        let rows = space.subsets(slice.mover).representatives().par_iter();
        let positions = rows.flat_map_iter(|&own| ranks.sets(own, points).map(move |enemy| (own, enemy)));
        let cells = positions.map(|(own, enemy)| AtomicU16::new(score(own, enemy))).collect();
        Self { space, slice, ranks, cells }
    }

    fn at(&self, own: u64, enemy: u64) -> u16 {
        let (row, element) = self.space.subsets(self.slice.mover).orbit(own);
        let representative = self.space.subsets(self.slice.mover).representatives()[row];
        let turned = self.space.symmetry().set(inverse(element), enemy);
        self.cells[row * self.ranks.count() + self.ranks.rank(representative, turned)].load(Ordering::Relaxed)
    }

    /// Sets quiet positions to scores known from elsewhere.
    pub fn fill(&self, known: impl Fn(usize, u64) -> Score) {
        let points = self.space.board().points();
        for (row, &own) in self.space.subsets(self.slice.mover).representatives().iter().enumerate() {
            let cells = &self.cells[row * self.ranks.count()..][..self.ranks.count()];
            for (cell, enemy) in cells.iter().zip(self.ranks.sets(own, points)) {
                if cell.load(Ordering::Relaxed) == Score::NONE {
                    cell.store(known(row, enemy).cell(), Ordering::Relaxed);
                }
            }
        }
    }

    /// The finished scores; what is still open is drawn.
    pub fn finish(self) -> SliceDepths {
        let cells = self.cells.into_iter().map(AtomicU16::into_inner);
        let cells = cells.map(|cell| if cell == Score::NONE { Score::DRAW.cell() } else { cell });
        SliceDepths::compact(self.space, self.slice, cells.collect())
    }

    fn open(&self) -> Vec<Open> {
        let (points, row) = (self.space.board().points(), self.ranks.count());
        let rows = self.space.subsets(self.slice.mover).representatives().par_iter().enumerate();
        let open = rows.flat_map_iter(|(number, &own)| {
            let positions = self.ranks.sets(own, points).zip(number * row..(number + 1) * row);
            let open = positions.filter(|&(_, place)| self.cells[place].load(Ordering::Relaxed) == Score::NONE);
            #[allow(clippy::cast_possible_truncation)] // such slices have fewer than 2^32 positions
            open.map(move |(enemy, place)| (own, enemy, place as u32))
        });
        open.collect()
    }
}

/// Decides the open positions of a slice and its twin (or one that is its own twin), layer by layer: what a step finds
/// depends only on positions that are nearer to the end.
pub fn decide(rules: RuleSet, sides: &[CompactDepths<'_>], report: &(dyn Fn(Phase) + Sync)) {
    let mut open: Vec<Vec<Open>> = sides.iter().map(CompactDepths::open).collect();
    let deepest = |side: &CompactDepths<'_>| {
        let scores = side.cells.par_iter().map(|cell| cell.load(Ordering::Relaxed)).filter(|&cell| cell != Score::NONE);
        scores.filter_map(|cell| Score::of_cell(cell).step()).max().unwrap_or(0)
    };
    // Captures may decide something up to that step.
    let waiting = sides.iter().map(deepest).max().unwrap_or(0);
    let (mut steps, mut idle) = (0, 0);
    for number in 0..Score::MOST_STEPS {
        for step in [Step::Losses, Step::Wins] {
            let mut found = 0;
            for (side, open) in open.iter_mut().enumerate() {
                let twin = &sides[sides.len() - 1 - side];
                let decided: Vec<bool> =
                    open.par_iter().map(|&(own, enemy, _)| decides(rules, twin, step, number, own, enemy)).collect();
                let score = if step == Step::Wins { Score::win(number) } else { Score::loss(number) };
                let mut decided = decided.into_iter();
                let before = open.len();
                open.retain(|&(_, _, place)| {
                    let decided = decided.next().unwrap_or(false);
                    if decided {
                        sides[side].cells[place as usize].store(score.cell(), Ordering::Relaxed);
                    }
                    !decided
                });
                found += before - open.len();
            }
            steps += 1;
            report(Phase::Paikas { steps, found });
            idle = if found == 0 { idle + 1 } else { 0 };
            if idle >= 2 && number > waiting {
                return;
            }
        }
    }
    assert!(open.iter().all(Vec::is_empty), "a win of more than {} plies", 2 * u32::from(Score::MOST_STEPS));
}

/// Whether a quiet position is decided by that step.
fn decides(rules: RuleSet, twin: &CompactDepths<'_>, step: Step, number: u16, own: u64, enemy: u64) -> bool {
    let board = twin.space.board();
    let mut any = false;
    for from in own.iter() {
        for direction in 0..DIRECTIONS {
            let Some(to) = board.next(from, direction).filter(|&to| !(own | enemy).contains(to)) else { continue };
            any = true;
            let after = twin.at(enemy, own ^ u64::point(from) ^ u64::point(to));
            match step {
                // Lost for the opponent, no later than this.
                Step::Wins if after <= Score::loss(number).cell() => return true,
                // Losses of step n + 1 need wins of step n.
                Step::Losses if number == 0 || after == Score::NONE || after < Score::win(number - 1).cell() => {
                    return false;
                }
                _ => {}
            }
        }
    }
    step == Step::Losses && (any || rules.stalemate == Stalemate::Loss)
}

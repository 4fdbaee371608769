//! Retrograde analysis position by position, for crowded boards: no columns for overlapping sets, no wide rows.
//!
//! Where most pairs of sets overlap, planes would be mostly padding. Here a slice is a byte for each position while it is
//! solved (rows by orbits of the mover's sets, columns by rank among the sets that avoid it), and captures and paikas are
//! followed one position at a time with the rules' own generator. Slower for each position, by a factor of about thirty,
//! and smaller by the share of padding.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use crate::board::{DIRECTIONS, PointSet, inverse};
use crate::index::{ComplementRank, Slice, Space};
use crate::rules::{Outcome, RuleSet, Rules, Stalemate};
use crate::table::SliceValues;

use super::pair::Phase;

/// A quiet position that is not decided yet; other bytes are outcomes.
const OPEN: u8 = 3;

/// A slice while it is solved.
pub struct CompactSide<'a> {
    space: &'a Space,
    slice: Slice,
    ranks: &'a ComplementRank,
    values: Vec<AtomicU8>,
}

impl<'a> CompactSide<'a> {
    /// Resolves all captures of a slice; quiet positions are open. `lookup` gives the finished slices with fewer stones.
    pub fn new<'v>(
        space: &'a Space,
        rules: RuleSet,
        slice: Slice,
        lookup: impl Fn(Slice) -> &'v SliceValues + Sync,
        report: &(dyn Fn(Phase) + Sync),
    ) -> Self {
        let points = space.board().points();
        let ranks = space.complement_rank(points - slice.mover, slice.opponent);
        let game = Rules::new(space.board().clone(), rules);
        let movers = space.subsets(slice.mover);
        report(Phase::Captures { slice, done: 0, total: 1 });
        let finished: Vec<Option<&SliceValues>> =
            (0..slice.opponent).map(|left| (left > 0).then(|| lookup(Slice::new(left, slice.mover)))).collect();
        let value = |own: u64, enemy: u64| -> u8 {
            let mut best = None;
            let _ = game.for_each_capture(own, enemy, |_, after| {
                let outcome = finished[after.next.count()]
                    .map_or(Outcome::Win, |values| values.value(space, after.next, after.moved).reversed());
                best = best.max(Some(outcome));
                if outcome == Outcome::Win { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            best.map_or(OPEN, |outcome| outcome as u8)
        };
        let rows = movers.representatives().par_iter();
        let values = rows.flat_map_iter(|&own| ranks.sets(own, points).map(move |enemy| (own, enemy)));
        let values = values.map(|(own, enemy)| AtomicU8::new(value(own, enemy))).collect();
        Self { space, slice, ranks, values }
    }

    fn at(&self, own: u64, enemy: u64) -> u8 {
        let (row, element) = self.space.subsets(self.slice.mover).orbit(own);
        let representative = self.space.subsets(self.slice.mover).representatives()[row];
        let turned = self.space.symmetry().set(inverse(element), enemy);
        let number = row * self.ranks.count() + self.ranks.rank(representative, turned);
        self.values[number].load(Ordering::Relaxed)
    }

    /// Sets quiet positions to values known from elsewhere.
    pub fn fill(&self, known: impl Fn(usize, u64) -> Outcome) {
        let points = self.space.board().points();
        for (row, &own) in self.space.subsets(self.slice.mover).representatives().iter().enumerate() {
            let values = &self.values[row * self.ranks.count()..][..self.ranks.count()];
            for (value, enemy) in values.iter().zip(self.ranks.sets(own, points)) {
                if value.load(Ordering::Relaxed) == OPEN {
                    value.store(known(row, enemy) as u8, Ordering::Relaxed);
                }
            }
        }
    }

    /// The finished values; what is still open is drawn.
    pub fn finish(self) -> SliceValues {
        let outcomes = self.values.into_iter().map(|value| match value.into_inner() {
            value if value == Outcome::Win as u8 => Outcome::Win,
            value if value == Outcome::Loss as u8 => Outcome::Loss,
            _ => Outcome::Draw,
        });
        SliceValues::compact(self.space, self.slice, outcomes)
    }
}

/// Decides the open positions of a slice and its twin (or one that is its own twin), sweep after sweep. Values only ever
/// become known, and the fixpoint does not depend on the order in which they do.
pub fn decide(rules: RuleSet, sides: &[CompactSide<'_>], report: &(dyn Fn(Phase) + Sync)) {
    let mut open: Vec<Vec<(u64, u64, u32)>> = sides.iter().map(open_positions).collect();
    let mut steps = 0;
    loop {
        let mut found = 0;
        for (number, open) in open.iter_mut().enumerate() {
            let (side, twin) = (&sides[number], &sides[sides.len() - 1 - number]);
            let before = open.len();
            let decided: Vec<bool> = open
                .par_iter()
                .map(|&(own, enemy, place)| {
                    let value = paika_value(rules, side, twin, own, enemy);
                    side.values[place as usize].store(value, Ordering::Relaxed);
                    value != OPEN
                })
                .collect();
            let mut decided = decided.into_iter();
            open.retain(|_| !decided.next().unwrap_or(false));
            found += before - open.len();
        }
        steps += 1;
        report(Phase::Paikas { steps, found });
        if found == 0 {
            return;
        }
    }
}

fn open_positions(side: &CompactSide<'_>) -> Vec<(u64, u64, u32)> {
    let (points, row) = (side.space.board().points(), side.ranks.count());
    let rows = side.space.subsets(side.slice.mover).representatives().par_iter().enumerate();
    let open = rows.flat_map_iter(|(number, &own)| {
        let places = number * row..(number + 1) * row;
        let positions = side.ranks.sets(own, points).zip(places);
        let open = positions.filter(|&(_, place)| side.values[place].load(Ordering::Relaxed) == OPEN);
        open.map(move |(enemy, place)| {
            #[allow(clippy::cast_possible_truncation)] // `fits` sees to that
            let place = place as u32;
            (own, enemy, place)
        })
    });
    open.collect()
}

/// True if a slice can be solved in compact form.
pub fn fits(space: &Space, slice: Slice) -> bool {
    let orbits = space.orbits(slice.mover);
    let row = crate::index::binomial(space.board().points() - slice.mover, slice.opponent);
    u32::try_from(orbits.saturating_mul(row)).is_ok()
}

fn paika_value(rules: RuleSet, side: &CompactSide<'_>, twin: &CompactSide<'_>, own: u64, enemy: u64) -> u8 {
    let board = side.space.board();
    let (mut any, mut all_won) = (false, true);
    for from in own.iter() {
        for direction in 0..DIRECTIONS {
            let Some(to) = board.next(from, direction).filter(|&to| !(own | enemy).contains(to)) else { continue };
            any = true;
            // The position after it is the opponent's: what it loses, the mover wins.
            let after = twin.at(enemy, own ^ u64::point(from) ^ u64::point(to));
            if after == Outcome::Loss as u8 {
                return Outcome::Win as u8;
            }
            all_won &= after == Outcome::Win as u8;
        }
    }
    match (any, all_won) {
        (false, _) if rules.stalemate == Stalemate::Draw => Outcome::Draw as u8,
        (_, true) => Outcome::Loss as u8,
        _ => OPEN,
    }
}

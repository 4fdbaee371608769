//! The capture pass of a lone stone: position by position, but only where a capture can be worth something.
//!
//! A lone stone against many loses nearly always, also after most captures: against five stones of 9x5 it has lost, and it
//! holds out against 46 of 6 million placements of four. So the sets that a lone stone does not always lose against are found
//! first ([`Needed`]): a capture has to leave one of these, which says how many stones it has to take. Where the stone can
//! capture at all, and where a chain can take that many ([`Reach`]), is found for all its points at once, as sets of points.
//! Only there its chains are walked. That is some 200 operations on words for each set and about one walk, in place of forty.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use crate::board::{PointSet, inverse};
use crate::index::{Slice, Space, binomial, filled, zeroed};
use crate::rules::{RuleSet, Rules};
use crate::simd;
use crate::table::ValuePlanes;

use super::chains::OrbitCache;
use super::reach::Reach;

/// What all threads read while the captures of a lone stone are resolved.
pub struct LonePass<'a> {
    space: &'a Space,
    slice: Slice,
    rules: Rules<u64>,
    /// The finished slices by the number of stones that are left to the opponent.
    planes: Vec<Cow<'a, ValuePlanes>>,
    /// By point, the slot of the stone.
    slots: Vec<usize>,
    /// By word of a row, byte of a set of points and its bits: the slots of the points.
    rows: Vec<[[u64; 256]; 8]>,
    needed: Needed,
}

impl<'a> LonePass<'a> {
    /// A pass over a slice in which the mover has one stone; see [`super::capture::CapturePass`].
    pub fn new(space: &'a Space, rules: RuleSet, slice: Slice, planes: Vec<Cow<'a, ValuePlanes>>) -> Self {
        let stones = space.subsets(1);
        let slots = (0..space.board().points()).map(|point| stones.slot(1 << point)).collect();
        let needed = Needed::new(space, slice.opponent, &planes);
        let rules = Rules::new(space.board().clone(), rules);
        Self { space, slice, rules, planes, slots, rows: point_rows(space), needed }
    }

    /// Resolves the captures against the opponent orbits from `first` on, into rows of `stride` words.
    pub fn resolve(&self, first: usize, stride: usize, loss: &mut [u64], not_win: &mut [u64], cache: &mut OrbitCache) {
        let sets = &self.space.subsets(self.slice.opponent).representatives()[first..];
        let rows = loss.chunks_exact_mut(stride).zip(not_win.chunks_exact_mut(stride));
        for (row, ((loss, not_win), &enemy)) in (first..).zip(rows.zip(sets)) {
            let needed = self.needed.of(row);
            let (reach, promising) = simd::run(
                #[inline(always)]
                || {
                    let reach = Reach::new(self.space.board(), enemy);
                    let promising = reach.at_least(needed);
                    (reach, promising)
                },
            );
            // A position without captures is neither lost nor won so far.
            let (mut losing, mut winning) = (reach.capturing(), 0);
            for from in promising.iter() {
                let (wins, holds) = self.walk(from, enemy, needed, &reach, cache);
                losing &= !(u64::from(wins || holds) << from);
                winning |= u64::from(wins) << from;
            }
            self.write(losing, loss);
            self.write(self.space.board().all().without(enemy | winning), not_win);
        }
    }

    /// Whether some chain of the stone wins, and whether some holds.
    fn walk(&self, from: usize, enemy: u64, needed: usize, reach: &Reach<'_>, cache: &mut OrbitCache) -> (bool, bool) {
        let (mut wins, mut holds) = (false, false);
        let enough = enemy.count() - needed;
        let missing = |left: u64| left.count().saturating_sub(enough);
        let _ = self.rules.for_each_chain_where(
            from,
            enemy,
            |direction, path, left| reach.goes_on(path.length(), direction, path.last().to, missing(left)),
            |path, left| {
                if missing(left) > 0 {
                    return ControlFlow::Continue(());
                }
                let (orbit, element) = cache.orbit(self.space, left);
                let slot = self.slots[self.space.symmetry().point(inverse(element), path.last().to)];
                let after = &self.planes[left.count()];
                holds |= after.not_win.get(orbit, slot);
                wins = after.loss.get(orbit, slot);
                if wins { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        (wins, holds)
    }

    /// Writes a row: the slots of some points, equal ones included.
    fn write(&self, points: u64, row: &mut [u64]) {
        row.fill(0);
        for (word, bytes) in row.iter_mut().zip(&self.rows) {
            *word =
                bytes.iter().zip(points.to_le_bytes()).fold(0, |word, (slots, byte)| word | slots[usize::from(byte)]);
        }
    }
}

/// By word of a row, byte of a set of points and its bits: the slots of the points.
fn point_rows(space: &Space) -> Vec<[[u64; 256]; 8]> {
    let stones = space.subsets(1);
    let mut rows = filled([[0; 256]; 8], stones.words());
    for slot in 0..stones.slots() {
        let point = stones.subset(slot).trailing_zeros() as usize;
        for bits in (0..256).filter(|bits| bits >> (point % 8) & 1 == 1) {
            rows[slot / 64][point / 8][bits] |= 1 << (slot % 64);
        }
    }
    rows
}

/// How many stones of an enemy set a lone stone has to capture so as not to lose.
struct Needed {
    opponent: usize,
    /// The most stones that may be left, for most sets.
    usual: usize,
    /// By orbit, the same for sets of which more may be left, otherwise 0; empty if there are none.
    more: Vec<AtomicU8>,
}

impl Needed {
    fn new(space: &Space, opponent: usize, planes: &[Cow<'_, ValuePlanes>]) -> Self {
        let larger = space.subsets(opponent);
        let points = space.board().points();
        let mut more = Vec::new();
        for left in (1..opponent).rev() {
            let plane = &planes[left].not_win;
            let holds = |&row: &usize| plane.row(row).iter().any(|&word| word != 0);
            let rows: Vec<usize> = (0..plane.rows()).into_par_iter().with_min_len(1 << 10).filter(holds).collect();
            if rows.is_empty() {
                continue;
            }
            // Listing a set costs about what looking for chains against it does.
            let listed = (rows.len() as u64).saturating_mul(binomial(points - left, opponent - left));
            if listed > larger.orbits() as u64 {
                return Self { opponent, usual: left, more };
            }
            if more.is_empty() {
                more = zeroed(larger.orbits());
            }
            rows.par_iter().for_each(|&row| {
                let set = space.subsets(left).representatives()[row];
                for_each_superset(set, space.board().all().without(set), opponent - left, &mut |superset| {
                    #[allow(clippy::cast_possible_truncation)] // at most 64
                    more[larger.orbit(superset).0].fetch_max(left as u8, Ordering::Relaxed);
                });
            });
        }
        Self { opponent, usual: 0, more }
    }

    fn of(&self, row: usize) -> usize {
        let more = self.more.get(row).map_or(0, |more| more.load(Ordering::Relaxed));
        self.opponent - self.usual.max(more.into())
    }
}

/// Calls `visit` with every set of `set` and `more` of some other points.
fn for_each_superset(set: u64, others: u64, more: usize, visit: &mut impl FnMut(u64)) {
    if more == 0 {
        return visit(set);
    }
    for point in others.iter() {
        // Points are added in ascending order, so that each superset is visited once.
        for_each_superset(set | 1 << point, others & (u64::MAX << point << 1), more - 1, visit);
    }
}

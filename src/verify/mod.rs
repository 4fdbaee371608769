//! Verification of tables: compares each value with the values of the positions one turn later.
//!
//! **What is proved.** A value is *consistent* if it is the best of the values after each turn, from the mover's point of
//! view (or the value of a finished game). If every value of every slice is consistent, then
//!
//! * a side to move with a *draw* or *loss* label cannot win: each of its turns leads to a position that is not labelled
//!   a loss for the opponent, who has a turn that keeps it so; the mover never reaches a won ending;
//! * so every position labelled draw is a draw: the mover has a turn after which the opponent cannot win either;
//! * a *win* label, and a *loss* label that depends on it, could still be wrong in one way: positions whose wins depend
//!   only on each other, in a circle, would be draws. (The builder starts from endings and cannot label such a circle, but
//!   that is an argument about the builder, not a check of the table.) A side to move with a *win* label still does not
//!   lose: it has a turn to a *loss* label, whose mover cannot win.
//!
//! **Depths** rule out that last case. A depth is consistent if it is one ply more than that of the best turn: the least
//! of the opponent's losses for a win, the greatest of its wins for a loss. So along best play it falls by one with every
//! turn, down to a finished game. By induction on the depth, every win and every loss is right, in exactly that many
//! plies.
//!
//! The move generator here is not the one that built the tables, and positions are enumerated without their index;
//! `docs/guarantees.md` lists what is shared.

mod label;
mod moves;
mod tally;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use crate::board::{Board, Symmetry};
use crate::index::{Slice, is_crowded};
use crate::rules::{Continuation, Directions, Outcome, Position, RuleSet, Side, Stalemate};

pub use label::{Label, Timed};
pub use moves::{Options, Stones, for_each_turn};
pub use tally::Tally;

impl From<RuleSet> for Options {
    fn from(rules: RuleSet) -> Self {
        Self { obligatory: rules.continuation == Continuation::Obligatory, once: rules.directions == Directions::Once }
    }
}

/// A source of values.
pub trait Values: Sync {
    /// A value: an outcome, with or without its depth.
    type Label: Label;

    /// Why a value could not be read.
    type Error: Send;

    /// The value of a position, given the stones of the side to move and of the other; `None` if it is unknown.
    ///
    /// # Errors
    /// If a value cannot be read.
    fn value(&self, mover: u64, opponent: u64) -> Result<Option<Self::Label>, Self::Error>;
}

/// A value that contradicts the values one turn later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The position, White to move.
    pub position: String,
    /// The value in the table.
    pub stored: String,
    /// The value that follows from the positions after each turn; unknown if one of them is.
    pub follows: String,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, stored, follows } = self;
        write!(f, "position \"{position}\" is stored as {stored}, but its turns make it {follows}")
    }
}

/// Why a verification ended early.
#[derive(Debug)]
pub enum Failure<E> {
    /// A value is wrong, or one of those it depends on is.
    Contradiction(Contradiction),
    /// A value could not be read.
    Unreadable(E),
}

impl<E> From<E> for Failure<E> {
    fn from(error: E) -> Self {
        Self::Unreadable(error)
    }
}

/// Checks values on one board under one rule set.
pub struct Verifier<'a, V> {
    board: Board<u64>,
    symmetry: Symmetry,
    rules: RuleSet,
    values: &'a V,
}

impl<'a, V: Values> Verifier<'a, V> {
    /// A verifier of these values.
    pub fn new(board: Board<u64>, rules: RuleSet, values: &'a V) -> Self {
        Self { symmetry: Symmetry::new(board.size()), board, rules, values }
    }

    /// The value that the positions after each turn imply, and whether the position is quiet: no turn captures.
    fn implied(&self, stones: Stones) -> Result<(Option<V::Label>, bool), V::Error> {
        let options = self.rules.into();
        let mut best: Option<V::Label> = None;
        let (mut unknown, mut quiet) = (false, true);
        let mut failed = None;
        let any = for_each_turn(&self.board, options, stones, &mut |after| {
            // If one turn captures, all do.
            quiet = after.enemy == stones.enemy;
            let value =
                if after.enemy == 0 { Ok(Some(V::Label::LOST)) } else { self.values.value(after.enemy, after.own) };
            match value {
                Ok(Some(value)) => best = best.max(Some(value.before())),
                Ok(None) => unknown = true,
                Err(error) => failed = Some(error),
            }
            failed.is_none() && best != Some(V::Label::BEST)
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let value = match best {
            Some(best) if best == V::Label::BEST => Some(best),
            _ if unknown => None,
            _ if any => best,
            _ if self.rules.stalemate == Stalemate::Draw => Some(V::Label::DRAWN),
            _ => Some(V::Label::LOST),
        };
        Ok((value, quiet))
    }

    /// Checks one position; returns its value, and whether it is quiet.
    fn check(&self, own: u64, enemy: u64) -> Result<(V::Label, bool), Failure<V::Error>> {
        let stored = self.values.value(own, enemy)?;
        let (follows, quiet) = self.implied(Stones { own, enemy })?;
        match (stored, follows) {
            (Some(stored), Some(follows)) if stored == follows => Ok((stored, quiet)),
            _ => {
                let name = |label: Option<V::Label>| label.map_or("unknown".to_owned(), |label| label.to_string());
                let (stored, follows) = (name(stored), name(follows));
                let position = Position::of_sides(Side::White, own, enemy).to_text(self.board.size());
                Err(Failure::Contradiction(Contradiction { position, stored, follows }))
            }
        }
    }

    /// Checks `count` random positions of a slice, drawn uniformly from all its placements; the same seed draws the same.
    ///
    /// # Errors
    /// [`Failure`], for the first position that fails.
    pub fn sample(
        &self,
        slice: Slice,
        count: u64,
        seed: u64,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<(), Failure<V::Error>> {
        const PIECE: u64 = 50;
        (0..count.div_ceil(PIECE)).into_par_iter().try_for_each(|piece| {
            let mut random =
                fastrand::Rng::with_seed(seed ^ (piece << 16) ^ ((slice.mover << 8 | slice.opponent) as u64));
            let here = PIECE.min(count - piece * PIECE);
            for _ in 0..here {
                let (own, enemy) = random_placement(self.board.points(), slice, &mut random);
                self.check(own, enemy)?;
            }
            progress(here);
            Ok(())
        })
    }

    /// Checks every value that a table stores: for one set of each orbit, of the mover's points or in a crowded slice of the empty points,
    /// with every opponent set. A symmetric set has images of a position in several places of its row, and each is checked: a look-up
    /// finds another one from another side of the board. Counts all placements. `progress` is called with the number of positions that
    /// are done.
    ///
    /// The order keeps what a piece of work reads close together in memory. The opponent set is in the outer loop: a paika does not
    /// change it, so the values of all positions that a paika leads to are near each other. Opponent sets and the sets of rows follow in
    /// the order of their orbits, so the stored values of a piece are near each other too.
    ///
    /// # Errors
    /// [`Failure`], for one position that fails.
    pub fn full(&self, slice: Slice, progress: &(dyn Fn(u64) + Sync)) -> Result<Tally, Failure<V::Error>> {
        /// Rows in a piece of work, at most: a cache holds a line for each.
        const ROWS: usize = 1 << 11;
        /// Approximate number of pairs of orbits in a piece.
        const PIECE: usize = 1 << 15;
        let points = self.board.points();
        let crowded = is_crowded(points, slice);
        let of_row = if crowded { points - slice.stones() } else { slice.mover };
        let rows: Vec<(u64, u64)> =
            self.representatives(of_row).map(|set| (set, self.orbit(set).count() as u64)).collect();
        let total = Mutex::new(Tally::default());
        let stop = AtomicBool::new(false);
        let mut opponents = self.representatives(slice.opponent);
        let together = (PIECE / rows.len().clamp(1, ROWS)).max(1);
        let batches = std::iter::from_fn(move || {
            let batch: Vec<u64> = opponents.by_ref().take(together).flat_map(|set| self.orbit(set)).collect();
            (!batch.is_empty()).then(|| Arc::new(batch))
        });
        let work = batches.flat_map(|batch| rows.chunks(ROWS).map(move |piece| (batch.clone(), piece)));
        let result = work.par_bridge().try_for_each(|(batch, rows)| {
            let mut tally = Tally::default();
            for &enemy in batch.iter() {
                if stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                for &(set, weight) in rows.iter().filter(|(set, _)| set & enemy == 0) {
                    let own = if crowded { self.board.all() & !(set | enemy) } else { set };
                    let (label, quiet) = self.check(own, enemy).inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
                    tally.count(label, quiet, weight);
                }
            }
            progress(tally.positions());
            total.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(&tally);
            Ok(())
        });
        result.map(|()| total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// The smallest set of `size` points of each orbit, ascending.
    fn representatives(&self, size: usize) -> impl Iterator<Item = u64> {
        let is_smallest = |&set: &u64| self.symmetry.images(set).none_is_smaller();
        Combinations::new(self.board.points(), size).filter(is_smallest)
    }

    /// The different sets of an orbit.
    fn orbit(&self, set: u64) -> impl Iterator<Item = u64> {
        let image = move |element| self.symmetry.set(element, set);
        let is_new = move |&element: &usize| (0..element).all(|earlier| image(earlier) != image(element));
        (0..self.symmetry.order()).filter(is_new).map(image)
    }
}

fn random_placement(points: usize, slice: Slice, random: &mut fastrand::Rng) -> (u64, u64) {
    let mut draw = |count: usize, taken: u64| {
        let mut set = 0u64;
        while (set.count_ones() as usize) < count {
            let point = 1u64 << random.usize(..points);
            if (taken | set) & point == 0 {
                set |= point;
            }
        }
        set
    };
    let own = draw(slice.mover, 0);
    (own, draw(slice.opponent, own))
}

/// All subsets of `size` of the first `points` points, as bits, ascending as numbers.
struct Combinations {
    next: Option<Vec<usize>>,
    points: usize,
}

impl Combinations {
    fn new(points: usize, size: usize) -> Self {
        Self { next: (size <= points).then(|| (0..size).collect()), points }
    }
}

impl Iterator for Combinations {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let chosen = self.next.as_mut()?;
        let set = chosen.iter().fold(0, |set, point| set | 1u64 << point);
        // The first point that can still move up moves, and the earlier ones start again.
        match (0..chosen.len()).find(|&i| chosen[i] + 1 < chosen.get(i + 1).copied().unwrap_or(self.points)) {
            Some(i) => {
                chosen[i] += 1;
                (0..i).for_each(|j| chosen[j] = j);
            }
            None => self.next = None,
        }
        Some(set)
    }
}

impl Values for crate::table::Tables {
    type Label = Outcome;
    type Error = crate::table::TableError;

    fn value(&self, mover: u64, opponent: u64) -> Result<Option<Outcome>, Self::Error> {
        self.probe(mover, opponent)
    }
}

impl Values for crate::table::Loaded {
    type Label = Outcome;
    type Error = std::convert::Infallible;

    fn value(&self, mover: u64, opponent: u64) -> Result<Option<Outcome>, Self::Error> {
        Ok(self.probe(mover, opponent))
    }
}

impl Values for crate::table::LoadedDepths {
    type Label = Timed;
    type Error = std::convert::Infallible;

    fn value(&self, mover: u64, opponent: u64) -> Result<Option<Timed>, Self::Error> {
        Ok(self.probe(mover, opponent).map(Timed::from))
    }
}

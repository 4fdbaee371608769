//! Slices in memory, to be probed without files.

use std::collections::BTreeMap;

use crate::index::{Slice, Space};
use crate::rules::Outcome;

use super::cell::Cell;
use super::score::Score;
use super::values::{SliceDepths, SliceValues};

/// Slices in memory. `T` holds what is known of a slice.
pub struct InMemory<T> {
    space: Space,
    /// By the mover's stones, then the opponent's, so that a probe finds its slice without a search.
    slices: Vec<Vec<Option<T>>>,
}

/// Values in memory.
pub type Loaded = InMemory<SliceValues>;

/// Depths in memory: in cells of 8 bits if all of them fit.
pub enum LoadedDepths {
    /// Wins and losses take up to 253 plies.
    Bytes(InMemory<SliceDepths<u8>>),
    /// Some take more.
    Words(InMemory<SliceDepths<u16>>),
}

impl<T> InMemory<T> {
    /// Slices of the board of `space`.
    #[must_use]
    pub fn new(space: Space, slices: BTreeMap<Slice, T>) -> Self {
        let most = slices.keys().map(|slice| slice.mover.max(slice.opponent)).max().unwrap_or(0);
        let mut by_stones: Vec<Vec<Option<T>>> = Vec::new();
        by_stones.resize_with(most + 1, || std::iter::repeat_with(|| None).take(most + 1).collect());
        for (slice, values) in slices {
            by_stones[slice.mover][slice.opponent] = Some(values);
        }
        Self { space, slices: by_stones }
    }

    /// The indexing.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    #[inline]
    fn slice(&self, mover: u64, opponent: u64) -> Option<&T> {
        self.slices.get(mover.count_ones() as usize)?.get(opponent.count_ones() as usize)?.as_ref()
    }
}

impl Loaded {
    /// The value for the side to move, or `None` in a slice that is not loaded. One or two memory accesses.
    #[inline]
    #[must_use]
    pub fn probe(&self, mover: u64, opponent: u64) -> Option<Outcome> {
        if mover == 0 {
            return Some(Outcome::Loss);
        }
        if opponent == 0 {
            return Some(Outcome::Win);
        }
        Some(self.slice(mover, opponent)?.value(&self.space, mover, opponent))
    }
}

impl LoadedDepths {
    /// The score for the side to move, or `None` in a slice that is not loaded; a game that the opponent has
    /// lost already has no score. One or two memory accesses.
    #[inline]
    #[must_use]
    pub fn probe(&self, mover: u64, opponent: u64) -> Option<Score> {
        match self {
            Self::Bytes(slices) => slices.score(mover, opponent),
            Self::Words(slices) => slices.score(mover, opponent),
        }
    }
}

impl<C: Cell> InMemory<SliceDepths<C>> {
    #[inline]
    fn score(&self, mover: u64, opponent: u64) -> Option<Score> {
        if mover == 0 {
            return Some(Score::loss(0));
        }
        if opponent == 0 {
            return None;
        }
        Some(self.slice(mover, opponent)?.value(&self.space, mover, opponent).score())
    }
}

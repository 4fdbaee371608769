//! Strongholds in use: what they know of a position.

use std::collections::{BTreeMap, HashMap};

use crate::board::inverse;
use crate::index::Space;

use super::super::canonical::Canonical;
use super::tally::Placement;

/// Positions that the defender is known to hold.
#[derive(Debug)]
pub struct Strongholds {
    /// The numbering of their rows and columns.
    pub space: Space,
    /// By the defender's stones and the attacker's.
    pub slices: BTreeMap<(usize, usize), Rows>,
    /// Stones of the largest slice.
    pub max_stones: usize,
}

/// The rows of one slice: a bit for each placement of the attacker's stones, by its slot.
#[derive(Debug)]
pub struct Rows {
    /// By the representatives of the defender's placements.
    pub numbers: HashMap<u64, usize>,
    /// Words of a row.
    pub words: usize,
    /// All rows, one after another, with the attacker to move.
    pub attacker_moves: Vec<u64>,
    /// The same with the defender to move.
    pub defender_moves: Vec<u64>,
}

impl Strongholds {
    /// Whether the defender is known to hold.
    #[inline]
    #[must_use]
    pub fn hold(&self, defender: u64, attacker: u64, attacker_moves: bool) -> bool {
        let slice = (defender.count_ones() as usize, attacker.count_ones() as usize);
        if slice.0 + slice.1 > self.max_stones {
            return false;
        }
        let Some(rows) = self.slices.get(&slice) else { return false };
        let (representative, element) = self.space.symmetry().smallest(defender);
        let Some(row) = rows.numbers.get(&representative) else { return false };
        let column = self.space.symmetry().set(inverse(element), attacker);
        let slot = self.space.subsets(slice.1).slot(column);
        let bits = if attacker_moves { &rows.attacker_moves } else { &rows.defender_moves };
        bits[row * rows.words + slot / 64] >> (slot % 64) & 1 == 1
    }

    /// The placements that have a row.
    pub fn placements(&self) -> impl Iterator<Item = Placement> {
        #[allow(clippy::cast_possible_truncation)] // at most 64
        let placement = |attackers: usize, defender| Placement { defender, attackers: attackers as u32 };
        let slices = self.slices.iter();
        slices.flat_map(move |(&(_, attackers), rows)| rows.numbers.keys().map(move |&set| placement(attackers, set)))
    }

    /// Whether the side to move reaches its goal in a position, if they settle that.
    #[inline]
    #[must_use]
    pub fn settle(&self, position: Canonical, attacker_moves: bool) -> Option<bool> {
        let Canonical { mover, opponent } = position;
        let (defender, attacker) = if attacker_moves { (opponent, mover) } else { (mover, opponent) };
        self.hold(defender, attacker, attacker_moves).then_some(!attacker_moves)
    }
}

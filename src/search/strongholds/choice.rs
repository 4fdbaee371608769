//! Which rows are worth their work.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use crate::index::{Space, Subsets, binomial};

use super::tally::{Placement, PlacementCounts};

/// What strongholds may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Positions in their rows, at most.
    pub positions: u64,
    /// Bytes of memory while they are made, about.
    pub bytes: u64,
}

/// Chosen rows: for each slice, by its stones and the defender's, the representatives of the defender's placements. Slices with fewer
/// stones come first, since captures lead to them.
pub type Chosen = BTreeMap<(usize, usize), Vec<u64>>;

/// Bytes of memory for each byte of a row, which has a bit for every placement of the attacker's stones: four for the rows while they
/// are made, one while they are put together, and two of earlier strongholds.
const BYTES: u64 = 7;

/// Bytes to number the placements of the attacker's stones, for each of them: lists, and for each point the placements with it.
const NUMBERING_BYTES: u64 = 8;

/// Chooses placements: first the earlier ones, whose positions are not counted any more, then those with the highest counts for each
/// position of their rows. Also returns how many positions the chosen rows have.
pub fn choose(space: &Space, tally: &PlacementCounts, earlier: &[Placement], allowance: Allowance) -> (Chosen, u64) {
    let points = space.board().points();
    let positions = |placement| {
        let (defenders, attackers) = stones(placement);
        binomial(points - defenders, attackers)
    };
    let kept: HashSet<_> = earlier.iter().collect();
    let new = tally.iter().filter(|(placement, _)| !kept.contains(placement));
    let new = new.map(|(placement, count)| (density(count, positions(placement)), Reverse(placement)));
    let mut candidates: Vec<_> = earlier.iter().map(|&placement| (u64::MAX, Reverse(placement))).chain(new).collect();
    candidates.sort_unstable_by(|one, other| other.cmp(one));
    let (mut chosen, mut left) = (Chosen::new(), allowance);
    for (_, Reverse(placement)) in candidates {
        let (defenders, attackers) = stones(placement);
        let positions = positions(placement);
        if positions > left.positions {
            continue;
        }
        let is_numbered = chosen.keys().any(|(all, defenders)| all - defenders == attackers);
        let numbers = if is_numbered { 0 } else { binomial(points, attackers) };
        let row = space.words(attackers).saturating_mul(8 * BYTES);
        let bytes = numbers.saturating_mul(NUMBERING_BYTES).saturating_add(row);
        if bytes <= left.bytes && binomial(points, attackers) <= Subsets::MAX {
            left = Allowance { positions: left.positions - positions, bytes: left.bytes - bytes };
            chosen.entry((defenders + attackers, defenders)).or_default().push(placement.defender);
        }
    }
    (chosen, allowance.positions - left.positions)
}

fn stones(placement: Placement) -> (usize, usize) {
    (placement.defender.count_ones() as usize, placement.attackers as usize)
}

/// How often a position of the row was found to hold, in billionths: whole numbers have one order.
fn density(count: u64, positions: u64) -> u64 {
    count.saturating_mul(1_000_000_000) / positions.max(1)
}

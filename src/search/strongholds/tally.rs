//! Counts of the placements in which defenders hold.

use std::collections::HashMap;

/// A placement of the defender's stones, as one of its images, and the number of the attacker's stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Placement {
    /// The defender's stones: the smallest of their images.
    pub defender: u64,
    /// How many stones the attacker has.
    pub attackers: u32,
}

/// How often the defender was found to hold, by the placement of its stones. The rarest are forgotten when there are too many.
#[derive(Debug, Default)]
pub struct PlacementCounts(HashMap<Placement, u64>);

/// Placements at most; each takes about 50 bytes.
const MAX_PLACEMENTS: usize = 1 << 17;

impl PlacementCounts {
    /// Counts a placement once more.
    pub fn count(&mut self, placement: Placement) {
        *self.0.entry(placement).or_default() += 1;
        self.forget_the_rarest();
    }

    /// Adds the counts of another tally, and empties it.
    pub fn take(&mut self, other: &mut Self) {
        for (placement, count) in other.0.drain() {
            *self.0.entry(placement).or_default() += count;
        }
        self.forget_the_rarest();
    }

    /// All counts, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Placement, u64)> {
        self.0.iter().map(|(&placement, &count)| (placement, count))
    }

    fn forget_the_rarest(&mut self) {
        let mut least = 1;
        while self.0.len() > MAX_PLACEMENTS || (least > 1 && self.0.len() > MAX_PLACEMENTS / 2) {
            least *= 2;
            self.0.retain(|_, &mut count| count >= least);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rarest_placements_are_forgotten_first() {
        let placement = |defender| Placement { defender, attackers: 3 };
        let (mut tally, mut other) = (PlacementCounts::default(), PlacementCounts::default());
        for defender in 0..MAX_PLACEMENTS as u64 {
            (0..=defender % 2).for_each(|_| other.count(placement(defender)));
        }
        (0..9).for_each(|_| tally.count(placement(u64::MAX)));
        tally.take(&mut other);
        assert!(other.iter().next().is_none());
        let counts: Vec<_> = tally.iter().map(|(_, count)| count).collect();
        // Half of the others were counted once, half twice: these and the first are still more than half of the most.
        assert_eq!(counts, [9]);
    }
}

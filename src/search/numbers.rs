//! Proof and disproof numbers.

/// The number of a goal that cannot be reached.
pub const INFINITE: u32 = (1 << 20) - 1;

/// The largest number that is not [`INFINITE`]: sums stop growing there.
pub const MAX_FINITE: u32 = INFINITE - 1;

/// How far a position is from being settled, seen by its side to move: `phi` estimates how many positions have to be
/// settled, at least, for the mover to reach its goal, `delta` the same for the opponent. A mover who attacks wants to
/// win; a mover who defends wants not to lose. `phi == 0`: the mover reaches its goal. `delta == 0`: it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The mover's.
    pub phi: u32,
    /// The opponent's.
    pub delta: u32,
}

impl Numbers {
    /// The mover reaches its goal.
    pub const REACHED: Self = Self { phi: 0, delta: INFINITE };
    /// The mover does not reach its goal.
    pub const MISSED: Self = Self { phi: INFINITE, delta: 0 };

    /// The numbers of a settled position.
    #[must_use]
    pub fn of(reached: bool) -> Self {
        if reached { Self::REACHED } else { Self::MISSED }
    }

    /// Whether the position is settled, and how: `Some(true)` if the mover reaches its goal.
    #[inline]
    #[must_use]
    pub fn settled(self) -> Option<bool> {
        match (self.phi, self.delta) {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }
}

/// Work as a logarithm: eight steps for each doubling, so that any amount fits a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effort(pub u8);

impl Effort {
    /// Of that many expanded positions; all numbers from 2^32 on are the same.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // below 256
    pub fn of(nodes: u64) -> Self {
        let nodes = nodes.clamp(1, u32::MAX.into());
        let doublings = nodes.ilog2();
        // The three bits below the leading one.
        let fraction = if doublings >= 3 { nodes >> (doublings - 3) } else { nodes << (3 - doublings) } & 7;
        Self((8 * doublings + fraction as u32) as u8)
    }

    /// About how many positions that is.
    #[inline]
    #[must_use]
    pub fn nodes(self) -> u64 {
        let (doublings, fraction) = (self.0 / 8, u64::from(self.0 % 8));
        if doublings >= 3 { (8 + fraction) << (doublings - 3) } else { (8 + fraction) >> (3 - doublings) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efforts_keep_the_order_and_an_eighth_of_the_size() {
        let mut last = Effort::default();
        for nodes in (1..5000).chain((13..40).map(|doublings| 3 << doublings)) {
            let effort = Effort::of(nodes);
            assert!(effort >= last);
            last = effort;
            let (back, nodes) = (effort.nodes(), nodes.min(u32::MAX.into()));
            assert!(back <= nodes && nodes - back <= nodes / 8, "{nodes} {back}");
        }
        assert_eq!(Effort::of(u64::MAX).0, 255);
    }
}

//! How many positions of a slice have each value.

/// Unreduced counts of a slice: symmetric placements count each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// All placements.
    pub positions: u64,
    /// Won by the side to move.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the side to move.
    pub losses: u64,
    /// Those in which the side to move cannot capture.
    pub quiet: u64,
}

impl Counts {
    /// Whether these can be the counts of a slice with that many placements.
    #[must_use]
    pub fn are_of(&self, placements: u64) -> bool {
        let decided = self.wins.checked_add(self.draws).and_then(|sum| sum.checked_add(self.losses));
        self.positions == placements && decided == Some(placements) && self.quiet <= placements
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.positions += other.positions;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.quiet += other.quiet;
    }
}

//! Counts of the values that a verification has seen.

use crate::rules::Outcome;
use crate::table::Depths;

use super::label::{Label, Timed};

/// Unreduced counts of values, and of their depths if they have any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Won by the side to move.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the side to move.
    pub losses: u64,
    /// By plies: how many of the wins take so many.
    win_plies: Vec<u64>,
    /// By plies: how many of the losses take so many.
    loss_plies: Vec<u64>,
}

impl Tally {
    /// Counts positions with that label.
    pub(super) fn count(&mut self, label: impl Label, positions: u64) {
        let (count, plies) = match label.outcome() {
            Outcome::Win => (&mut self.wins, &mut self.win_plies),
            Outcome::Draw => return self.draws += positions,
            Outcome::Loss => (&mut self.losses, &mut self.loss_plies),
        };
        *count += positions;
        if let Some(number) = label.plies() {
            if plies.len() <= number {
                plies.resize(number + 1, 0);
            }
            plies[number] += positions;
        }
    }

    /// Adds the counts of other positions.
    pub(super) fn add(&mut self, other: &Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        for (plies, more) in [(&mut self.win_plies, &other.win_plies), (&mut self.loss_plies, &other.loss_plies)] {
            if plies.len() < more.len() {
                plies.resize(more.len(), 0);
            }
            plies.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
    }

    /// Whether the summary of a depth table has these counts, and positions that take the most plies. `label` looks up a position.
    #[must_use]
    pub fn confirms(&self, summary: &Depths, label: impl Fn(u64, u64) -> Option<Timed>) -> bool {
        let longest = |of: &[u64]| of.len().checked_sub(1).and_then(|plies| u32::try_from(plies).ok());
        let at = |place: Option<(u64, u64)>| place.and_then(|(mover, opponent)| label(mover, opponent));
        // A win takes an odd number of plies, a loss an even one.
        let steps =
            |plies: &[u64], first: usize| -> Vec<u64> { plies.iter().skip(first).step_by(2).copied().collect() };
        let others = self.win_plies.iter().step_by(2).chain(self.loss_plies.iter().skip(1).step_by(2));
        others.sum::<u64>() == 0
            && steps(&self.win_plies, 1) == summary.wins
            && steps(&self.loss_plies, 0) == summary.losses
            && at(summary.longest_win) == longest(&self.win_plies).map(Timed::Win)
            && at(summary.longest_loss) == longest(&self.loss_plies).map(Timed::Loss)
    }
}

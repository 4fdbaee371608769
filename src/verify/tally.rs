//! Counts of the values that a verification has seen.

use crate::rules::Outcome;

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
    /// Without a capture.
    pub quiet: u64,
    /// By plies: the number of wins that take that many.
    win_plies: Vec<u64>,
    /// By plies: the number of losses that take that many.
    loss_plies: Vec<u64>,
}

impl Tally {
    /// All positions.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Counts positions with that label, quiet or not.
    pub(super) fn count(&mut self, label: impl Label, quiet: bool, positions: u64) {
        if quiet {
            self.quiet += positions;
        }
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
        self.quiet += other.quiet;
        for (plies, more) in [(&mut self.win_plies, &other.win_plies), (&mut self.loss_plies, &other.loss_plies)] {
            if plies.len() < more.len() {
                plies.resize(more.len(), 0);
            }
            plies.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
    }

    /// Whether a summary of depths agrees with the counts. `steps` has, by step, how many wins take 2 · step + 1 plies and how many losses
    /// take 2 · step. `longest` has a win and a loss that take the most plies, as mover's and opponent's points; `label` looks them up.
    #[must_use]
    pub fn confirms(
        &self,
        steps: [&[u64]; 2],
        longest: [Option<(u64, u64)>; 2],
        label: impl Fn(u64, u64) -> Option<Timed>,
    ) -> bool {
        let sides = [(&self.win_plies, 1, Timed::Win as fn(u32) -> Timed), (&self.loss_plies, 0, Timed::Loss)];
        sides.into_iter().zip(steps).zip(longest).all(|(((plies, first, timed), steps), longest)| {
            let most = plies.len().checked_sub(1).and_then(|most| u32::try_from(most).ok());
            let others = plies.iter().skip(1 - first).step_by(2);
            plies.iter().skip(first).step_by(2).eq(steps)
                && others.sum::<u64>() == 0
                && longest.and_then(|(mover, opponent)| label(mover, opponent)) == most.map(timed)
        })
    }
}

//! The results of a match, counted by games and by pairs of games, and what they say about the strength of the engines.

use std::f64::consts::LN_10;

use serde::Serialize;

use crate::rules::Outcome;

use super::likelihood::{deviance, mean};

/// Twice the logarithm of the likelihood ratio that a 95 % interval allows: the quantile of chi-squared with one degree of
/// freedom, 1.96 squared.
const CHI_SQUARED_95: f64 = 3.841_459;

/// Results of the first engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Pairs of games from one opening with both colours, by the points of the first engine: 0, ½, 1, 1½, 2. The games of a
    /// pair are not independent, because one opening may favour a side, but pairs are.
    pub pairs: [u64; 5],
}

/// An estimate with a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// The low end of the interval.
    pub low: f64,
    /// The high end of the interval.
    pub high: f64,
}

impl Tally {
    /// Counts a game.
    pub fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Loss => self.losses += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Win => self.wins += 1,
        }
    }

    /// Counts both games of an opening as a pair. As games they are counted by [`count`](Self::count).
    pub fn count_pair(&mut self, outcomes: [Outcome; 2]) {
        self.pairs[outcomes[0] as usize + outcomes[1] as usize] += 1;
    }

    /// The number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points that the first engine got, in all games; `None` without games.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // far fewer games than 2^52
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / self.games() as f64)
    }

    /// The difference in Elo by the complete pairs; `None` without one. The ends of the interval are those differences that a
    /// likelihood ratio test does not reject (Owen, Empirical likelihood ratio confidence intervals, Biometrika 75, 1988);
    /// for many pairs they are 1.96 standard errors from the value. An end is infinite if one engine won everything.
    #[must_use]
    pub fn elo(&self) -> Option<Estimate> {
        if self.pairs == [0; 5] {
            return None;
        }
        let score = mean(&self.pairs);
        let end = |mut outside: f64| {
            let mut inside = score;
            // Halves the interval to the precision of the numbers; at an end of the scale it is empty.
            for _ in 0..60 {
                let middle = f64::midpoint(inside, outside);
                if (inside - outside).abs() > 0.0 && deviance(&self.pairs, middle) > CHI_SQUARED_95 {
                    outside = middle;
                } else {
                    inside = middle;
                }
            }
            inside
        };
        let (low, high) = (end(0.0), end(1.0));
        Some(Estimate { value: elo_of(score), low: elo_of(low), high: elo_of(high) })
    }

    /// The likelihood of superiority: how certain it is that the first engine is the stronger one; `None` without pairs. It is
    /// the normal distribution at the signed root of the likelihood ratio.
    #[must_use]
    pub fn superiority(&self) -> Option<f64> {
        if self.pairs == [0; 5] {
            return None;
        }
        let root = deviance(&self.pairs, 0.5).max(0.0).sqrt();
        Some(normal(if mean(&self.pairs) < 0.5 { -root } else { root }))
    }
}

/// The difference in Elo that leads to a score: 400 for ten to one.
#[must_use]
pub fn elo_of(score: f64) -> f64 {
    400.0 / LN_10 * (score / (1.0 - score)).ln()
}

/// The score that a difference in Elo leads to.
#[must_use]
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo * LN_10 / 400.0).exp())
}

/// The standard normal distribution function.
fn normal(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

//! The sequential probability ratio test: it ends a match as soon as the result is clear enough.

use std::str::FromStr;

use serde::Serialize;

use super::likelihood::log_ratio;
use super::tally::{Tally, score_of};

/// A test whether the first engine is stronger than the second by `elo1` or only by `elo0`, on pairs of games.
///
/// It is Wald's test with the generalised likelihood ratio for an unknown distribution of the results of a pair, as fishtest
/// and fastchess use it (their model *logistic*, *pentanomial*).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The difference in Elo by the null hypothesis.
    pub elo0: f64,
    /// The difference in Elo by the alternative.
    pub elo1: f64,
    /// How often the alternative is accepted where the null hypothesis is true.
    pub alpha: f64,
    /// How often the null hypothesis is accepted where the alternative is true.
    pub beta: f64,
}

/// What a test has decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Nothing yet.
    Open,
    /// The difference is `elo0` rather than `elo1`.
    H0,
    /// The difference is `elo1` rather than `elo0`.
    H1,
}

impl Sprt {
    /// The bounds of the logarithm of the likelihood ratio (Wald 1945).
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// The logarithm of the likelihood ratio of the pairs so far; 0 without pairs.
    #[must_use]
    pub fn log_ratio(&self, tally: &Tally) -> f64 {
        if tally.pairs == [0; 5] {
            return 0.0;
        }
        log_ratio(&tally.pairs, score_of(self.elo0), score_of(self.elo1))
    }

    /// What the pairs so far decide.
    #[must_use]
    pub fn decision(&self, tally: &Tally) -> Decision {
        let ([low, high], ratio) = (self.bounds(), self.log_ratio(tally));
        if ratio >= high {
            Decision::H1
        } else if ratio <= low {
            Decision::H0
        } else {
            Decision::Open
        }
    }

    /// About how many more games the test takes if the pairs go on as so far; `None` before that can be said.
    #[must_use]
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // an estimate
    pub fn games_left(&self, tally: &Tally) -> Option<u64> {
        let (pairs, ratio) = (tally.pairs.iter().sum::<u64>(), self.log_ratio(tally));
        let [low, high] = self.bounds();
        let to_go = if ratio > 0.0 { high / ratio - 1.0 } else { low / ratio - 1.0 };
        (pairs > 0 && to_go.is_finite()).then(|| (2.0 * pairs as f64 * to_go.max(0.0)).ceil() as u64)
    }
}

/// `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.
impl FromStr for Sprt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        let sprt = match numbers.as_deref() {
            Ok(&[elo0, elo1]) => Self { elo0, elo1, alpha: 0.05, beta: 0.05 },
            Ok(&[elo0, elo1, alpha, beta]) => Self { elo0, elo1, alpha, beta },
            _ => return Err("expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, such as 0,10 or 0,10,0.05,0.05".to_owned()),
        };
        let rate = |rate: f64| rate > 0.0 && rate < 0.5;
        if !(sprt.elo0 < sprt.elo1 && sprt.elo0.abs() <= 1000.0 && sprt.elo1.abs() <= 1000.0) {
            Err("ELO0 must be less than ELO1, both from -1000 to 1000".to_owned())
        } else if !(rate(sprt.alpha) && rate(sprt.beta)) {
            Err("ALPHA and BETA are error rates between 0 and 0.5".to_owned())
        } else {
            Ok(sprt)
        }
    }
}

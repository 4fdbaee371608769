//! The likelihood of results in pairs of games, without assuming how wins and draws are distributed.
//!
//! The result of a pair is one of five, with points 0, ½, 1, 1½, 2 of 2. Nothing is assumed of their probabilities but the
//! mean, the expected score s. The most likely probabilities with that mean are p̂ᵢ / (1 + θ (aᵢ − s)), where p̂ᵢ are the
//! frequencies, aᵢ the scores, and θ makes the mean right (Van den Bergh, *Comments on Normalized Elo*, proposition 1.1;
//! Owen 1988 has it as empirical likelihood).

/// In place of a count of zero, so that no result is impossible; as in fishtest and fastchess.
const ALMOST_NONE: f64 = 1e-3;

/// Frequencies of the five results, and how many pairs there are.
#[allow(clippy::cast_precision_loss)] // far fewer pairs than 2^52
fn frequencies(pairs: &[u64; 5]) -> ([f64; 5], f64) {
    let counts = pairs.map(|count| if count == 0 { ALMOST_NONE } else { count as f64 });
    let total: f64 = counts.iter().sum();
    (counts.map(|count| count / total), total)
}

/// The score of a result, from 0 to 1.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The mean score; not a number without pairs.
#[allow(clippy::cast_precision_loss)]
pub fn mean(pairs: &[u64; 5]) -> f64 {
    let points: f64 = SCORES.iter().zip(pairs).map(|(score, &count)| score * count as f64).sum();
    points / pairs.iter().sum::<u64>() as f64
}

/// θ for an expected score between 0 and 1: the root of a function that falls all the way between its two poles.
fn theta(frequencies: &[f64; 5], score: f64) -> f64 {
    let slope = |theta: f64| -> f64 {
        let terms = SCORES.iter().zip(frequencies).map(|(a, frequency)| {
            let away = a - score;
            frequency * away / (1.0 + theta * away)
        });
        terms.sum()
    };
    let (mut low, mut high) = (-1.0 / (1.0 - score), 1.0 / score);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The logarithm of the likelihood that the expected score is `score`, relative to that of the frequencies themselves, over
/// all pairs; never positive.
fn log_likelihood(pairs: &[u64; 5], score: f64) -> f64 {
    let (frequencies, total) = frequencies(pairs);
    let theta = theta(&frequencies, score);
    let terms = SCORES.iter().zip(frequencies).map(|(a, frequency)| -frequency * (theta * (a - score)).ln_1p());
    total * terms.sum::<f64>()
}

/// Twice the logarithm of the ratio between the best likelihood and that for the expected score; about chi-squared
/// distributed with one degree of freedom if that is the true one.
pub fn deviance(pairs: &[u64; 5], score: f64) -> f64 {
    -2.0 * log_likelihood(pairs, score)
}

/// The logarithm of the likelihood ratio between two expected scores, positive if the second is the likelier one.
pub fn log_ratio(pairs: &[u64; 5], score0: f64, score1: f64) -> f64 {
    log_likelihood(pairs, score1) - log_likelihood(pairs, score0)
}

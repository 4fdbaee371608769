//! Elo and SPRT: values that others give, a slow twin of the likelihood, and tests of matches of known strength.

use fanorona::matches::{Decision, Sprt, Tally, elo_of, score_of};
use fanorona::rules::Outcome;

fn tally(pairs: [u64; 5]) -> Tally {
    Tally { pairs, ..Tally::default() }
}

fn close(value: f64, expected: f64, within: f64) {
    assert!((value - expected).abs() <= within, "{value} instead of {expected}");
}

fn sprt(text: &str) -> Sprt {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn elo_and_scores_belong_together() {
    close(elo_of(10.0 / 11.0), 400.0, 1e-9);
    close(elo_of(0.75), 190.848_501_9, 1e-6);
    close(score_of(-400.0), 1.0 / 11.0, 1e-12);
    for elo in [-300.0, -1.0, 0.0, 55.0] {
        close(elo_of(score_of(elo)), elo, 1e-9);
    }
}

#[test]
fn the_test_agrees_with_fishtest_and_fastchess() {
    // From the tests of fastchess: model logistic, pentanomial.
    close(sprt("0.5,2.5").log_ratio(&tally([223, 9_863, 21_279, 10_037, 246])), -3.07, 0.03);
    close(sprt("0,2").log_ratio(&tally([871, 26_175, 55_983, 26_678, 821])), -4.98, 0.05);
    let [low, high] = sprt("0,2").bounds();
    close(low, -2.944_439, 1e-6);
    close(high, 2.944_439, 1e-6);
    assert_eq!(sprt("0.5,2.5").decision(&tally([223, 9_863, 21_279, 10_037, 246])), Decision::H0);
    assert_eq!(sprt("0,2").decision(&tally([0; 5])), Decision::Open);
}

#[test]
fn intervals_are_those_of_the_normal_distribution_for_many_pairs() {
    let pairs: [u64; 5] = [300, 1_400, 4_200, 3_200, 900];
    let (total, scores) = (10_000.0, [0.0, 0.25, 0.5, 0.75, 1.0]);
    let frequencies = pairs.map(|count| f64::from(u32::try_from(count).unwrap()) / total);
    let mean: f64 = scores.iter().zip(frequencies).map(|(score, share)| score * share).sum();
    let variance: f64 = scores.iter().zip(frequencies).map(|(score, share)| share * (score - mean).powi(2)).sum();
    let error = 1.96 * (variance / total).sqrt();
    let elo = tally(pairs).elo().unwrap();
    close(elo.value, elo_of(mean), 1e-9);
    close(elo.low, elo_of(mean - error), 0.02);
    close(elo.high, elo_of(mean + error), 0.02);
    // Where the low end is even strength, 97.5 % of the distribution lie above it.
    assert!(tally(pairs).superiority().unwrap() > 0.999_9);
    close(tally([50, 0, 0, 0, 50]).superiority().unwrap(), 0.5, 1e-9);
    // 60 of 100 fair coins: the exact binomial tail with half of the middle is 0.9770.
    close(tally([40, 0, 0, 0, 60]).superiority().unwrap(), 0.977, 0.001);
    close(tally([60, 0, 0, 0, 40]).superiority().unwrap(), 0.023, 0.001);
}

#[test]
fn one_sided_results_have_an_end_that_is_known() {
    assert_eq!((tally([0; 5]).elo(), tally([0; 5]).superiority(), tally([0; 5]).score()), (None, None, None));
    let won = tally([0, 0, 0, 0, 10]).elo().unwrap();
    assert_eq!((won.value, won.high), (f64::INFINITY, f64::INFINITY));
    // Ten pairs won: not rejected where s^10 is at least exp(-1.92).
    // A count of zero is taken as a thousandth, hence the tolerance.
    close(won.low, elo_of((-1.920_729_f64 / 10.0).exp()), 1.5);
    let lost = tally([10, 0, 0, 0, 0]).elo().unwrap();
    assert_eq!((lost.value, lost.low), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    close(lost.high, -won.low, 1e-6);
    let drawn = tally([0, 0, 20, 0, 0]).elo().unwrap();
    close(drawn.value, 0.0, 1e-9);
    close(drawn.low, -drawn.high, 1e-6);
    assert!(drawn.high > 10.0 && drawn.high < 100.0, "{drawn:?}");
}

#[test]
fn games_and_pairs_are_counted() {
    use Outcome::{Draw, Loss, Win};
    let mut tally = Tally::default();
    for pair in [[Win, Win], [Loss, Win], [Draw, Draw], [Draw, Loss], [Win, Draw], [Loss, Loss]] {
        for points in pair {
            tally.count(points);
        }
        tally.count_pair(pair);
    }
    assert_eq!((tally.wins, tally.draws, tally.losses, tally.games()), (4, 4, 4, 12));
    assert_eq!(tally.pairs, [1, 1, 2, 1, 1]);
    assert_eq!(tally.score(), Some(0.5));
}

/// The largest likelihood of an expected score: a climb in steps that change neither the sum of the probabilities nor their
/// mean. The logarithm is concave, so there is one top.
fn slow_log_likelihood(counts: [f64; 5], mean: f64) -> f64 {
    let value = |p: &[f64; 5]| counts.iter().zip(p).map(|(count, p)| count * p.ln()).sum::<f64>();
    // All results with the same probability, mixed with the one at the end.
    let weight = (mean - 0.5).abs() / 0.5;
    let mut p = [0.2 * (1.0 - weight); 5];
    p[if mean > 0.5 { 4 } else { 0 }] += weight;
    for _ in 0..3_000 {
        for (i, j, k) in [(0, 1, 2), (1, 2, 3), (2, 3, 4), (0, 2, 4), (0, 1, 4), (0, 3, 4)] {
            let mut step = [0.0; 5];
            let [near, far] = [j - i, k - j].map(|distance| f64::from(u8::try_from(distance).unwrap()));
            (step[i], step[j], step[k]) = (far, -(near + far), near);
            let moved = |t: f64| std::array::from_fn(|index| p[index] + t * step[index]);
            let (mut low, mut high) = (-(p[i] / far).min(p[k] / near), p[j] / (near + far));
            for _ in 0..60 {
                let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if value(&moved(left)) < value(&moved(right)) { low = left } else { high = right }
            }
            p = moved(f64::midpoint(low, high));
        }
    }
    value(&p)
}

#[test]
fn the_likelihood_has_a_slow_twin() {
    for (pairs, elo0, elo1) in [
        ([3, 14, 42, 32, 9], 0.0, 20.0),
        ([50, 1, 0, 7, 12], -100.0, 50.0),
        ([1, 0, 5, 0, 2], 10.0, 200.0),
        ([0, 0, 9, 1, 0], -5.0, 5.0),
    ] {
        let counts = pairs.map(|count: u64| if count == 0 { 1e-3 } else { f64::from(u32::try_from(count).unwrap()) });
        let [slow0, slow1] = [elo0, elo1].map(|elo| slow_log_likelihood(counts, score_of(elo)));
        let test = Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 };
        close(test.log_ratio(&tally(pairs)), slow1 - slow0, 1e-3);
    }
}

/// How many of so many matches accept the alternative. Openings favour a side, so that the games of a pair depend on each other.
fn accepted(test: Sprt, elo: f64, matches: u64) -> u64 {
    let draws = 0.3;
    let mut accepted = 0;
    for seed in 0..matches {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut tally = Tally::default();
        let decision = loop {
            let favour = if random.bool() { 0.15 } else { -0.15 };
            let pair = [favour, -favour].map(|favour| {
                let win = score_of(elo) + favour - draws / 2.0;
                match random.f64() {
                    x if x < win => Outcome::Win,
                    x if x < win + draws => Outcome::Draw,
                    _ => Outcome::Loss,
                }
            });
            for points in pair {
                tally.count(points);
            }
            tally.count_pair(pair);
            match test.decision(&tally) {
                Decision::Open => {}
                decision => break decision,
            }
        };
        accepted += u64::from(decision == Decision::H1);
    }
    accepted
}

#[test]
fn the_test_errs_as_rarely_as_it_says() {
    let test = sprt("0,80,0.05,0.1");
    let matches = 300;
    // Expected are 15 of 300, and 30 of 300 the other way. The seeds are fixed.
    let wrong = accepted(test, 0.0, matches);
    assert!((3..=30).contains(&wrong), "{wrong} of {matches} accept what is not true");
    let missed = matches - accepted(test, 80.0, matches);
    assert!((8..=48).contains(&missed), "{missed} of {matches} miss what is true");
    assert_eq!(accepted(test, -150.0, 50), 0);
    assert_eq!(accepted(test, 200.0, 50), 50);
}

#[test]
fn tests_are_read_with_their_rates() {
    assert_eq!(sprt("0,10"), Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 });
    assert_eq!(sprt("-5, 0.5, 0.1, 0.2"), Sprt { elo0: -5.0, elo1: 0.5, alpha: 0.1, beta: 0.2 });
    for bad in ["", "5", "10,0", "0,0", "0,10,0.05", "0,10,0,0.05", "0,10,0.05,0.5", "0,x", "0,NaN", "0,1e9"] {
        assert!(bad.parse::<Sprt>().is_err(), "{bad}");
    }
}

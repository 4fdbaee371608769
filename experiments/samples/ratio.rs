//! Means and standard errors of measurements along sampled games.

use std::ops::AddAssign;

/// For each sampled game a number of positions x and a total y over them, as integer sums that do not depend on the order of
/// games.
///
/// Positions of one game are correlated, so games are the independent units: every standard error is that of a ratio estimate
/// with the game as the unit (Cochran, *Sampling Techniques*, chapter 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratio {
    games: u64,
    x: u64,
    y: u64,
    xx: u128,
    yy: u128,
    xy: u128,
}

impl Ratio {
    /// Adds a game with `x` positions and the total `y`; a game without positions must be added too.
    pub fn add(&mut self, x: u64, y: u64) {
        let (wide_x, wide_y) = (u128::from(x), u128::from(y));
        *self += Self { games: 1, x, y, xx: wide_x * wide_x, yy: wide_y * wide_y, xy: wide_x * wide_y };
    }

    /// Number of games added.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Number of positions in all games, the sum of x.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.x
    }

    /// The sum of y.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.y
    }

    /// Positions per game, with the standard error.
    #[must_use]
    pub fn length(&self) -> (f64, f64) {
        (self.mean_x(), self.error(1.0, 0.0))
    }

    /// The mean of y over all positions, with the standard error.
    #[must_use]
    pub fn mean(&self) -> (f64, f64) {
        let mean = self.mean_y() / self.mean_x();
        (mean, self.error(-mean, 1.0) / self.mean_x())
    }

    /// The decimal logarithm of mean^length, with the standard error to first order.
    #[must_use]
    pub fn log_size(&self) -> (f64, f64) {
        let (length, (mean, _)) = (self.mean_x(), self.mean());
        // d (x log m) = log m dx + x dm / (m ln 10), where x dm = dy - m dx.
        let per_y = 1.0 / (mean * std::f64::consts::LN_10);
        (length * mean.log10(), self.error(mean.log10() - mean * per_y, per_y))
    }

    /// The standard error of the mean over games of a x + b y.
    #[allow(clippy::cast_precision_loss)] // estimates
    fn error(&self, a: f64, b: f64) -> f64 {
        let games = self.games as f64;
        let squares = a * a * self.xx as f64 + 2.0 * a * b * self.xy as f64 + b * b * self.yy as f64;
        let mean = a * self.mean_x() + b * self.mean_y();
        ((squares / games - mean * mean).max(0.0) / (games - 1.0)).sqrt()
    }

    #[allow(clippy::cast_precision_loss)] // estimates
    fn mean_x(&self) -> f64 {
        self.x as f64 / self.games as f64
    }

    #[allow(clippy::cast_precision_loss)] // estimates
    fn mean_y(&self) -> f64 {
        self.y as f64 / self.games as f64
    }
}

impl AddAssign for Ratio {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.x += other.x;
        self.y += other.y;
        self.xx += other.xx;
        self.yy += other.yy;
        self.xy += other.xy;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() < 1e-9 * right.abs().max(1.0), "{left} and {right}");
    }

    /// The mean and its standard error by the definition.
    fn mean_and_error(values: &[f64]) -> (f64, f64) {
        #[allow(clippy::cast_precision_loss)] // few
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, (variance / n).sqrt())
    }

    const GAMES: [(u32, u32); 6] = [(3, 12), (7, 40), (1, 5), (0, 0), (12, 31), (4, 22)];

    fn ratio() -> Ratio {
        let mut ratio = Ratio::default();
        for (x, y) in GAMES {
            ratio.add(x.into(), y.into());
        }
        ratio
    }

    #[test]
    fn lengths_and_means_are_those_of_the_definition() {
        let ratio = ratio();
        assert_eq!((ratio.games(), ratio.positions(), ratio.total()), (6, 27, 110));
        let (length, length_error) = mean_and_error(&GAMES.map(|(x, _)| x.into()));
        close(ratio.length().0, length);
        close(ratio.length().1, length_error);
        let mean = 110.0 / 27.0;
        let (_, error) = mean_and_error(&GAMES.map(|(x, y)| f64::from(y) - mean * f64::from(x)));
        close(ratio.mean().0, mean);
        close(ratio.mean().1, error / length);
    }

    /// Leaving out one game at a time estimates the same error; with many games the two meet.
    #[test]
    fn the_error_of_the_logarithm_is_that_of_the_jackknife() {
        let mut random = fastrand::Rng::with_seed(1);
        let games: Vec<(u64, u64)> = (0..2000)
            .map(|_| {
                let x = random.u64(10..60);
                (x, (0..x).map(|_| random.u64(1..20)).sum())
            })
            .collect();
        let without = |left_out: Option<usize>| {
            let mut ratio = Ratio::default();
            for (_, &(x, y)) in games.iter().enumerate().filter(|&(i, _)| Some(i) != left_out) {
                ratio.add(x, y);
            }
            ratio.log_size()
        };
        let values: Vec<f64> = (0..games.len()).map(|i| without(Some(i)).0).collect();
        let jackknife = mean_and_error(&values).1 * 1999.0;
        let (_, error) = without(None);
        assert!((jackknife / error - 1.0).abs() < 0.01, "{jackknife} and {error}");
    }

    #[test]
    fn equal_games_have_no_error() {
        let mut ratio = Ratio::default();
        for _ in 0..5 {
            ratio.add(10, 30);
        }
        let (log_size, error) = ratio.log_size();
        close(log_size, 10.0 * 3f64.log10());
        assert!(error < 1e-6);
    }
}

//! What a player sees: how far ahead, and how well a position is judged.

use super::transposition::Mixer;

/// What a player sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sight {
    /// Plies that are searched.
    pub depth: i32,
    /// Plies that captures are followed beyond the depth.
    pub captures: i32,
    /// Positions are misjudged by up to so many hundredths of a stone, and most of them by less.
    pub error: i32,
    /// Which positions are misjudged, and how.
    pub seed: u64,
}

impl Sight {
    /// Part of the keys of the transposition table, because scores depend on the sight.
    pub fn salt(&self) -> u64 {
        Mixer::key(&(self.captures, self.error, if self.error == 0 { 0 } else { self.seed }))
    }

    /// A score as the player misjudges it. `key` identifies the position, which is always misjudged the same way.
    #[inline]
    pub fn judge(&self, score: i32, key: impl FnOnce() -> u64) -> i32 {
        if self.error == 0 {
            return score;
        }
        // The mean of two numbers from -1 to 1, so that small errors are more likely.
        let bytes = Mixer::key(&(key(), self.seed)).to_le_bytes();
        let part = |low, high| i32::from(i16::from_le_bytes([bytes[low], bytes[high]]));
        score + (part(2, 3) + part(6, 7)) * self.error / (1 << 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_stay_within_their_limit_and_have_both_signs() {
        let sight = Sight { depth: 1, captures: 0, error: 600, seed: 3 };
        let errors: Vec<i32> = (0..10_000_u64).map(|key| sight.judge(40, || key) - 40).collect();
        assert!(errors.iter().all(|error| error.abs() <= 600));
        let share = |of: &dyn Fn(i32) -> bool| errors.iter().filter(|&&error| of(error)).count();
        assert!((4_700..5_300).contains(&share(&|error| error > 0)));
        // Three quarters are below half of the limit.
        assert!((7_200..7_800).contains(&share(&|error| error.abs() < 300)));
        assert_eq!(sight.judge(40, || 7), sight.judge(40, || 7));
        assert_eq!(Sight { error: 0, ..sight }.judge(40, || 7), 40);
    }
}

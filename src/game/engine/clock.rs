//! The time for a turn, by a clock for the whole game.

use std::time::Duration;

/// How many more turns a side is expected to make, if the clock does not say how many.
const TURNS_EXPECTED: u32 = 25;

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// The time left.
    pub left: Duration,
    /// The time that is added after each turn.
    pub increment: Duration,
    /// The turns until more time is added; `None` if what is left has to last for the game.
    pub turns: Option<u32>,
}

impl Clock {
    /// The time for this turn, at most. `margin` stays on the clock, because the answer takes time to arrive; if at most
    /// twice `margin` is left, half of what is left stays.
    #[must_use]
    pub fn time_for_turn(&self, margin: Duration) -> Duration {
        let usable = self.left.saturating_sub(margin.min(self.left / 2));
        let turns = self.turns.unwrap_or(TURNS_EXPECTED).clamp(1, TURNS_EXPECTED);
        // Increments of later turns are there only if this turn is made in time.
        let share = (usable / turns).saturating_add(self.increment.saturating_mul(turns - 1) / turns);
        // A turn that is not the last one leaves half for those that follow.
        share.min(if turns == 1 { usable } else { usable / 2 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_turn_takes_its_share_of_the_clock() {
        let clock = Clock { left: ms(60_030), ..Clock::default() };
        assert_eq!(clock.time_for_turn(ms(30)), ms(60_000) / TURNS_EXPECTED);
        let clock = Clock { turns: Some(10), ..clock };
        assert_eq!(clock.time_for_turn(ms(30)), ms(6_000));
        // The increment is almost all used, unless the clock is low.
        let clock = Clock { increment: ms(1_000), ..clock };
        assert_eq!(clock.time_for_turn(ms(30)), ms(6_900));
        let clock = Clock { left: ms(1_030), ..clock };
        assert_eq!(clock.time_for_turn(ms(30)), ms(500));
        // The last turn before more time comes may take all there is.
        let clock = Clock { turns: Some(1), ..clock };
        assert_eq!(clock.time_for_turn(ms(30)), ms(1_000));
    }

    #[test]
    fn no_game_loses_on_time() {
        let increments = [0, 1, 100, 5_000].map(ms);
        for (left, margin) in [0, 1, 20, 61, 1_000, 600_000].into_iter().flat_map(|left| [(left, 0), (left, 30)]) {
            for (turns, increment) in
                [None, Some(0), Some(1), Some(40)].into_iter().flat_map(|turns| increments.map(|it| (turns, it)))
            {
                let mut clock = Clock { left: ms(left), increment, turns };
                for turn in 0..500 {
                    let time = clock.time_for_turn(ms(margin));
                    let kept = clock.left.checked_sub(time).expect("no more than what is left");
                    assert!(kept >= ms(margin).min(clock.left / 2), "{clock:?}, turn {turn}: {time:?}");
                    clock.left = kept + clock.increment;
                    clock.turns = clock.turns.map(|turns| turns.saturating_sub(1));
                }
            }
        }
    }
}

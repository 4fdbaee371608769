//! The time by which an answer is due.

use std::time::Duration;

use web_time::Instant;

/// The longest deadline, because clocks cannot add arbitrary times.
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// The time by which an answer is due.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// `time` from now, at most a year.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self(Instant::now() + time.min(YEAR))
    }

    /// The moment.
    #[must_use]
    pub fn at(self) -> Instant {
        self.0
    }

    /// Whether it has passed.
    #[must_use]
    pub fn is_over(self) -> bool {
        Instant::now() >= self.0
    }
}

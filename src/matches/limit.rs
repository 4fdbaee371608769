//! Limits of searches in a match: nodes, time for each move, or a clock.

use std::fmt;
use std::time::Duration;

/// What an engine may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many nodes for each move: fair on a busy machine, and games can be repeated.
    Nodes(u64),
    /// So much time for each move.
    Time(Duration),
    /// So much time for the game, and more after each move.
    Clock {
        /// At the start.
        base: Duration,
        /// After each move.
        increment: Duration,
    },
}

/// The time that is left to each side, White first; negative where a side is late and still in the game.
#[derive(Clone, Copy, Debug)]
pub struct Clocks([i64; 2]);

impl Clocks {
    /// Clocks at the start of a game, by the limits of White and Black.
    #[must_use]
    pub fn new(limits: [Limit; 2]) -> Self {
        Self(limits.map(|limit| match limit {
            Limit::Clock { base, .. } => milliseconds(base),
            _ => 0,
        }))
    }

    /// The time that a side has for its next move, 0 where nodes are counted.
    #[must_use]
    pub fn allowed(&self, limit: Limit, side: usize) -> Duration {
        match limit {
            Limit::Nodes(_) => Duration::ZERO,
            Limit::Time(time) => time,
            Limit::Clock { .. } => Duration::from_millis(u64::try_from(self.0[side]).unwrap_or(0)),
        }
    }

    /// By how much a side is late already.
    #[must_use]
    pub fn late(&self, side: usize) -> Duration {
        Duration::from_millis(u64::try_from(-self.0[side]).unwrap_or(0))
    }

    /// A side has made a move.
    pub fn moved(&mut self, limit: Limit, side: usize, took: Duration) {
        if let Limit::Clock { increment, .. } = limit {
            self.0[side] = self.0[side].saturating_add(milliseconds(increment) - milliseconds(took));
        }
    }

    /// The command that starts a search for a side under its limit; `limits` are those of White and Black.
    #[must_use]
    pub fn go(&self, limits: [Limit; 2], side: usize) -> String {
        match limits[side] {
            Limit::Nodes(nodes) => format!("go nodes {nodes}"),
            Limit::Time(time) => format!("go movetime {}", time.as_millis()),
            Limit::Clock { .. } => {
                let [white, black] = self.0.map(|left| left.max(1));
                let [white_more, black_more] = limits.map(|limit| match limit {
                    Limit::Clock { increment, .. } => increment.as_millis(),
                    _ => 0,
                });
                format!("go wtime {white} btime {black} winc {white_more} binc {black_more}")
            }
        }
    }
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 4)
}

/// `2000 nodes a move`, `0.3 s a move`, `60 s + 0.6 s`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
            Self::Time(time) => write!(f, "{} s a move", time.as_secs_f64()),
            Self::Clock { base, increment } => write!(f, "{} s + {} s", base.as_secs_f64(), increment.as_secs_f64()),
        }
    }
}

//! The two kinds of tables: values and depths.

use std::fmt;

/// What a table holds for each position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Win, draw or loss.
    Wdl,
    /// Depth to win: plies to the end of the game when the winner shortens it and the loser lengthens it.
    Dtw,
}

impl Metric {
    /// Every metric, in the order of their numbers in files.
    pub const ALL: [Self; 2] = [Self::Wdl, Self::Dtw];

    /// The extension of its files.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Wdl => "wdl",
            Self::Dtw => "dtw",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.extension())
    }
}

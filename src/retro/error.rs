//! Why a build is not possible, does not start, or does not finish.

use thiserror::Error;

use crate::board::{BoardSize, MAX_POINTS};
use crate::index::Slice;
use crate::table::{Metric, TableError};

/// Why a build did not start or did not finish.
#[derive(Debug, Error)]
pub enum BuildError {
    /// Something about the tables.
    #[error(transparent)]
    Table(#[from] TableError),
    /// It was stopped by [`Budget::interrupt`](super::Budget::interrupt).
    #[error("the build was stopped; the next one continues where it was")]
    Stopped,
    /// The board has too many points.
    #[error("{0} has {points} points; tables and searches for values work up to {MAX_POINTS} points", points = .0.points())]
    BoardTooLarge(BoardSize),
    /// The board has no room for a stone of each colour.
    #[error("{0} has a single point, and a position has at least one stone of each colour; choose a larger board")]
    NoRoom(BoardSize),
    /// There are no positions of so few stones.
    #[error("a position has at least one stone of each colour, so build to 2 stones or more")]
    TooFewStones,
    /// Sets of that many stones cannot be numbered.
    #[error(
        "{size} with {stones} stones has too many sets to number; at most {most} stones are possible on this board"
    )]
    TooManyStones {
        /// The board.
        size: BoardSize,
        /// Stones asked for.
        stones: usize,
        /// The most that can be numbered.
        most: usize,
    },
    /// The positions of a slice cannot be numbered.
    #[error("{slice} of {size} has too many sets to number; choose a slice with fewer stones")]
    TooManySets {
        /// The board.
        size: BoardSize,
        /// The slice.
        slice: Slice,
    },
    /// The slice has more stones than the board has points.
    #[error("{size} has {points} points, too few for the {stones} stones of {slice}", points = size.points(), stones = slice.stones())]
    SliceTooLarge {
        /// The board.
        size: BoardSize,
        /// The slice.
        slice: Slice,
    },
    /// Depths are built by one process.
    #[error("several processes can build values only; build depths afterwards, with one")]
    DepthsByMany,
    /// The processes of a job have different goals.
    #[error(
        "the processes of this job would build different tables; give all of them the same board, rules, slices and metric"
    )]
    OtherGoals,
    /// A pair needs more memory than is allowed.
    #[error(
        "the {what} of {slice} and its twin need about {} of memory, and {} may be used; {}",
        amount(*needed), amount(*allowed),
        if *fitting >= 2 { format!("build to {fitting} stones, or allow more memory") } else { "allow more memory".to_owned() },
        what = match metric { Metric::Wdl => "values", Metric::Dtw => "depths" },
    )]
    Memory {
        /// The slice that needs most.
        slice: Slice,
        /// Its values or its depths.
        metric: Metric,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
        /// The largest number of stones that would fit.
        fitting: usize,
    },
}

#[allow(clippy::cast_precision_loss)] // for people
fn amount(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

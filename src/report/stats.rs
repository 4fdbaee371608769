//! Statistics of the slices of a database.

use serde::Serialize;

use crate::rules::{Continuation, RuleSet, Stalemate};
use crate::table::{Counts, Folder};

/// One slice.
#[derive(Clone, Debug, Serialize)]
pub struct SliceStats {
    /// Stones of the side to move.
    pub mover: usize,
    /// Stones of the other side.
    pub opponent: usize,
    /// Unreduced counts.
    #[serde(flatten)]
    pub counts: Counts,
    /// Bytes of the file.
    pub bytes: u64,
    /// xxh3 (128 bits, hexadecimal) of the packed values before compression.
    pub identity: String,
}

/// The sum over all slices.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Totals {
    /// Unreduced counts.
    #[serde(flatten)]
    pub counts: Counts,
    /// Bytes of all files.
    pub bytes: u64,
}

/// The rules by name.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RuleNames {
    /// `corner` or `centre`.
    pub diagonals: &'static str,
    /// `optional` or `obligatory`.
    pub continuation: &'static str,
    /// `loss` or `draw`.
    pub stalemate: &'static str,
}

impl From<RuleSet> for RuleNames {
    fn from(rules: RuleSet) -> Self {
        Self {
            diagonals: match rules.diagonals {
                crate::board::Diagonals::Corner => "corner",
                crate::board::Diagonals::Centre => "centre",
            },
            continuation: match rules.continuation {
                Continuation::Optional => "optional",
                Continuation::Obligatory => "obligatory",
            },
            stalemate: match rules.stalemate {
                Stalemate::Loss => "loss",
                Stalemate::Draw => "draw",
            },
        }
    }
}

/// All slices of a board and rule set.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    /// The board.
    pub board: String,
    /// The rules.
    pub rules: RuleNames,
    /// The slices, in building order.
    pub slices: Vec<SliceStats>,
    /// Their sum.
    pub totals: Totals,
}

/// Reads the statistics off the headers.
#[must_use]
pub fn stats(folder: &Folder, board: &str, rules: RuleSet) -> Stats {
    let mut slices: Vec<_> = folder.tables().collect();
    slices.sort_by_key(|(slice, _)| (slice.stones(), slice.mover.min(slice.opponent), slice.opponent));
    let mut totals = Totals::default();
    let slices = slices.into_iter().map(|(slice, table)| {
        let header = table.header();
        totals.counts += header.counts;
        totals.bytes += header.file_bytes;
        SliceStats {
            mover: slice.mover,
            opponent: slice.opponent,
            counts: header.counts,
            bytes: header.file_bytes,
            identity: format!("{:032x}", header.identity),
        }
    });
    let slices = slices.collect();
    Stats { board: board.to_owned(), rules: rules.into(), slices, totals }
}

/// Bits per canonical position: unreduced positions divided by the order of the symmetry group.
#[must_use]
#[allow(clippy::cast_precision_loss)] // for people
pub fn bits_per_canonical(bytes: u64, positions: u64, order: usize) -> f64 {
    bytes as f64 * 8.0 * order as f64 / positions as f64
}

//! Statistics of the slices of a database.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::BoardSize;
use crate::index::Slice;
use crate::rules::{Position, RuleSet, Side};
use crate::table::{Counts, Depths, Folder, Score, TableError};

use super::zugzwang::Zugzwangs;

/// Shares of all positions; symmetric positions are counted separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// Won by the side to move.
    pub wins: f64,
    /// Drawn.
    pub draws: f64,
    /// Lost by the side to move.
    pub losses: f64,
}

impl From<Counts> for Shares {
    #[allow(clippy::cast_precision_loss)] // shares
    fn from(counts: Counts) -> Self {
        let share = |count: u64| count as f64 / counts.positions.max(1) as f64;
        Self { wins: share(counts.wins), draws: share(counts.draws), losses: share(counts.losses) }
    }
}

/// The position of a slice that takes the most plies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Longest {
    /// Plies to the end of the game.
    pub plies: u32,
    /// The position, White to move.
    pub position: String,
}

/// The depths of a slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DepthStats {
    /// Bytes of the file.
    pub bytes: u64,
    /// The longest win.
    pub longest_win: Option<Longest>,
    /// The longest loss.
    pub longest_loss: Option<Longest>,
    /// Number of wins by plies.
    pub wins: BTreeMap<u32, u64>,
    /// Number of losses by plies.
    pub losses: BTreeMap<u32, u64>,
}

/// The number of wins and of losses, by plies.
pub type ByPlies = BTreeMap<u32, [u64; 2]>;

impl DepthStats {
    fn new(size: BoardSize, bytes: u64, depths: &Depths) -> Self {
        let longest = |score: fn(u16) -> Score, counts: &[u64], sets: Option<(u64, u64)>| {
            let plies = score(u16::try_from(counts.len().checked_sub(1)?).ok()?).plies()?;
            let (own, enemy) = sets?;
            Some(Longest { plies, position: Position::of_sides(Side::White, own, enemy).to_text(size) })
        };
        let by_plies = |score: fn(u16) -> Score, counts: &[u64]| -> BTreeMap<u32, u64> {
            let plies = (0..).map_while(|step| score(step).plies());
            plies.zip(counts.iter().copied()).filter(|&(_, count)| count > 0).collect()
        };
        Self {
            bytes,
            longest_win: longest(Score::win, &depths.wins, depths.longest_win),
            longest_loss: longest(Score::loss, &depths.losses, depths.longest_loss),
            wins: by_plies(Score::win, &depths.wins),
            losses: by_plies(Score::loss, &depths.losses),
        }
    }

    /// Adds its counts to others.
    fn add_to(&self, sum: &mut ByPlies) {
        for (which, counts) in [&self.wins, &self.losses].into_iter().enumerate() {
            for (&plies, count) in counts {
                sum.entry(plies).or_default()[which] += count;
            }
        }
    }

    /// Wins and losses side by side.
    #[must_use]
    pub fn by_plies(&self) -> ByPlies {
        let mut sum = ByPlies::new();
        self.add_to(&mut sum);
        sum
    }
}

/// One slice.
#[derive(Clone, Debug, Serialize)]
pub struct SliceStats {
    /// Stones of the side to move.
    pub mover: usize,
    /// Stones of the other side.
    pub opponent: usize,
    /// Counts, not reduced by symmetry.
    #[serde(flatten)]
    pub counts: Counts,
    /// The same as shares.
    pub shares: Shares,
    /// Bytes of the file.
    pub bytes: u64,
    /// xxh3 (128 bits, hexadecimal) of the packed values before compression.
    pub identity: String,
    /// Statistics of its depth table, if it has one.
    pub depths: Option<DepthStats>,
    /// Mutual zugzwangs, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zugzwangs: Option<Zugzwangs>,
}

impl SliceStats {
    /// The slice.
    #[must_use]
    pub fn slice(&self) -> Slice {
        Slice::new(self.mover, self.opponent)
    }
}

/// The sum over all slices.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Totals {
    /// Counts, not reduced by symmetry.
    #[serde(flatten)]
    pub counts: Counts,
    /// Bytes of all files.
    pub bytes: u64,
    /// Bytes of all depth tables.
    pub depth_bytes: u64,
}

/// All slices of a board and rule set.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    /// The board.
    pub board: String,
    /// The rules.
    pub rules: RuleSet,
    /// Every slice up to this many stones has a table.
    pub stones: usize,
    /// The slices, in building order.
    pub slices: Vec<SliceStats>,
    /// Their sum.
    pub totals: Totals,
}

impl Stats {
    /// Wins and losses by plies, summed over all slices with depth tables.
    #[must_use]
    pub fn by_plies(&self) -> ByPlies {
        let mut sum = ByPlies::new();
        for depths in self.slices.iter().filter_map(|slice| slice.depths.as_ref()) {
            depths.add_to(&mut sum);
        }
        sum
    }
}

/// Reads the statistics from the headers of tables and the summaries of depth tables.
///
/// # Errors
/// [`TableError::Damaged`] if the checksum of a summary is wrong.
pub fn stats(folder: &Folder, size: BoardSize, rules: RuleSet) -> Result<Stats, TableError> {
    let mut tables: Vec<_> = folder.tables().collect();
    tables.sort_by_key(|(slice, _)| slice.building_order());
    let mut totals = Totals::default();
    let mut slices = Vec::new();
    for (slice, table) in tables {
        let header = table.header();
        totals.counts += header.counts;
        totals.bytes += header.file_bytes;
        let depths = match folder.depths(slice) {
            Some(table) => Some(DepthStats::new(size, table.header().file_bytes, &table.depths()?)),
            None => None,
        };
        totals.depth_bytes += depths.as_ref().map_or(0, |depths| depths.bytes);
        slices.push(SliceStats {
            mover: slice.mover,
            opponent: slice.opponent,
            counts: header.counts,
            shares: header.counts.into(),
            bytes: header.file_bytes,
            identity: format!("{:032x}", header.identity),
            depths,
            zugzwangs: None,
        });
    }
    Ok(Stats { board: size.to_string(), rules, stones: folder.complete_up_to(size.points()), slices, totals })
}

//! What people and programs are told: pictures, answers, statistics, sizes and samples of the game, charts.

mod answer;
mod line;
mod moves;
mod picture;
#[cfg(feature = "cli")]
pub mod plot;
mod ratio;
mod sample;
mod space_size;
mod stats;
mod zugzwang;

pub use answer::{Answer, Category, MoveAnswer, answer, known, rated_moves};
pub use line::{Line, LineEnd, LineMove, line};
pub use moves::ValuedMove;
pub use picture::picture;
pub use ratio::Ratio;
pub use sample::{Sample, Sampling, sample};
pub use space_size::{placements_up_to, reachable, start_stones};
pub use stats::{DepthStats, Longest, RuleNames, Shares, SliceStats, Stats, Totals, bits_per_canonical, stats};
pub use zugzwang::{Zugzwangs, zugzwangs};

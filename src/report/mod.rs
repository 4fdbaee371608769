//! What people and programs are told: pictures, answers, statistics.

mod answer;
mod line;
mod moves;
mod picture;
mod stats;

pub use answer::{Answer, Category, MoveAnswer, answer, known, rated_moves};
pub use line::{Line, LineEnd, LineMove, line};
pub use moves::ValuedMove;
pub use picture::picture;
pub use stats::{RuleNames, SliceStats, Stats, Totals, bits_per_canonical, stats};

//! What people and programs are told: pictures, answers, statistics.

mod answer;
mod moves;
mod picture;
mod stats;

pub use answer::{Answer, Category, MoveAnswer, answer};
pub use moves::ValuedMove;
pub use picture::picture;
pub use stats::{RuleNames, SliceStats, Stats, Totals, bits_per_canonical, stats};

//! Random games and counts of positions, for the studies of the size of the game and of its branching.

mod ratio;
mod sample;
mod space_size;

pub use ratio::Ratio;
pub use sample::{Sample, Sampling, sample};
pub use space_size::{placements_up_to, reachable, start_stones};

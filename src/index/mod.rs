//! Numbering positions: subsets by orbit, slots, slices, and the bit rows over them.

mod complement;
mod memory;
mod plane;
mod rows;
mod share;
mod slice;
mod space;
mod subsets;

pub use complement::ComplementRank;
pub use memory::{OutOfMemory, filled, with_room, zeroed};
pub use plane::{Cells, Plane, act_on_cells, block_words, padded_cells, padded_words};
pub use rows::{Occupancy, QuietMask, STRETCH, act, invert_elements};
pub use slice::Slice;
pub use space::{Space, placements};
pub use subsets::{Subsets, binomial};

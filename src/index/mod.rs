//! Numbering positions: subsets by orbit, slots, slices, and the bit rows over them.

mod cells;
mod complement;
mod memory;
mod plane;
mod quiet;
mod rows;
mod share;
mod slice;
mod space;
mod subsets;

pub use cells::{Cells, act_on_cells, padded_cells};
pub use complement::ComplementRank;
pub use memory::{OutOfMemory, filled, with_room, zeroed};
pub use plane::{Plane, block_words, padded_words};
pub use quiet::{QuietMask, STRETCH};
pub use rows::{Occupancy, act, invert_elements};
pub use slice::Slice;
pub use space::{Space, placements};
pub use subsets::{Subsets, binomial};

//! Numbering positions: subsets by orbit, slots, slices, and the bit rows over them.
//!
//! `colex` ranks the sets of one size. `marks` marks the ranks of representatives, a part at a time; `count` counts those before
//! a part. `subsets` makes orbits and slots of them, and `occupancy` makes the rows that mark the sets with each point, also a part
//! at a time. `rows` and `plane` compute with bits and cells in the order of slots. `splits` numbers the ways to split occupied
//! points between the sides. `space` has all of it for one board; `crowded` numbers the positions of a crowded slice with it, and
//! `order` those of any slice. `slice_set` says which slices a build makes, or a search uses.

mod colex;
mod count;
mod crowded;
mod marks;
mod memory;
mod occupancy;
mod order;
mod plane;
mod rows;
mod share;
mod slice;
mod slice_set;
mod space;
mod splits;
mod subsets;

pub use colex::binomial;
pub use crowded::{CaptureMask, Crowded};
pub use marks::Representatives;
pub use memory::{OutOfMemory, filled, with_room, zeroed};
pub use occupancy::{STRETCH, Stretch};
pub use order::{Mask, Order};
pub use plane::{Cells, Plane, act_on_cells, block_words, padded_cells, padded_words};
pub use rows::{QuietMask, act, invert_elements};
pub use slice::Slice;
pub use slice_set::SliceSet;
pub use space::{Place, Space, placements};
pub use splits::{MAX_STONES, Splits, is_crowded};
pub use subsets::Subsets;

//! Tables: the values of slices, in memory and on disk, and probing them.

mod values;

pub use values::{Counts, SliceValues};

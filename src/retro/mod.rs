//! Retrograde analysis: from finished slices with fewer stones to the values of the next pair of slices.

mod build;
mod communicator;
mod crowded;
mod depths;
mod in_memory;
mod metrics;
mod parallel;
mod plan;
mod planes;
mod slices;
mod tiles;

pub use build::{
    BuildError, BuildEvent, BuildOptions, BuiltSlice, TiledPair, build, build_depths, build_depths_in,
    check_depth_memory, check_memory, check_size,
};
pub use communicator::{Alone, Ranks};
pub use crowded::{solve_crowded, solve_crowded_depths};
pub use depths::solve_cells;
pub use in_memory::{
    DepthSlices, Slices, decode, decode_depths, load_depths, load_values, solve_pair, solve_pair_depths,
};
pub use plan::{Goal, Rates, SliceEstimate, Work, depth_memory, estimate, most_stones, pair_memory, pair_work};
pub use planes::solve_planes;
pub use slices::{Phase, after_captures, closed, pairs, with_twin};
pub use tiles::{
    MemoryStore, Store, TileEstimate, TileOptions, Tiling, Traffic, build_in_tiles, build_on_ranks,
    check_memory_in_tiles, solve_tiles, tile_estimate,
};

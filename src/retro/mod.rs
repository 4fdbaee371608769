//! Retrograde analysis: from finished slices with fewer stones to the values of the next pair of slices.

mod build;
mod capture;
mod chains;
mod compact;
mod depth;
mod extended;
mod lanes;
mod load;
mod lone;
mod marks;
mod metrics;
mod pair;
mod parallel;
mod plan;
mod quiet;
mod tiles;
mod transpose;

pub use build::{
    BuildError, BuildEvent, BuildOptions, BuiltSlice, TiledPair, build, build_depths, build_depths_in,
    check_depth_memory, check_memory, check_size,
};
pub use depth::{DepthSlices, decode_depths, depth_memory, solve_cells, solve_compact_depths, solve_pair_depths};
pub use load::{InMemory, Loaded, LoadedDepths, Slices, after_captures, closed, decode};
pub use pair::{Phase, prefers_compact, solve_compact, solve_pair, solve_planes};
pub use plan::{Goal, Rates, SliceEstimate, Work, estimate, most_stones, pair_memory, pair_work, pairs, with_twin};
pub use tiles::{
    Alone, MemoryStore, Ranks, Store, TileEstimate, TileOptions, Tiling, Traffic, build_in_tiles, build_on_ranks,
    check_memory_in_tiles, solve_tiles, tile_estimate,
};

//! Retrograde analysis: from finished slices with fewer stones to the values of the next pair of slices.
//!
//! Data takes this way:
//!
//! | room | what it does |
//! |---|---|
//! | `slices`, `communicator`, `parallel`, `error` | what all rooms use |
//! | `planes` | values by whole rows of bits |
//! | `depths` | values with depth by whole rows of cells |
//! | `crowded` | both, position by position, where boards are crowded |
//! | `in_memory` | a pair in memory in the form that suits it, solved or read from tables |
//! | `tiles` | values by bands of columns, in a scratch file or shared by processes |
//! | `plan` | which pairs, in which form, with what memory, scratch and time |
//! | `build` | carries the plan out |

mod build;
mod communicator;
mod crowded;
mod depths;
mod error;
mod in_memory;
mod parallel;
mod plan;
mod planes;
mod slices;
mod tiles;

pub use build::{BuildEvent, BuiltSlice, Observer, build, execute, execute_in};
pub use communicator::{Alone, Communicator};
pub use crowded::{solve_crowded, solve_crowded_depths};
pub use depths::solve_cells;
pub use error::BuildError;
pub use in_memory::{
    DepthSlices, Slices, decode, decode_depths, load_depths, load_values, solve_pair, solve_pair_depths,
};
pub use plan::{Budget, Form, Goal, PairPlan, Plan, Rates, Scratch, Target, Work, check_size, max_stones, plan};
pub use planes::solve_planes;
pub use slices::{Phase, after_captures, closed, pairs, with_twin};
pub use tiles::{Store, TileBudget, TiledPair, Tiling, Traffic, solve_tiles};

//! Retrograde analysis: from finished slices with fewer stones to the values of the next pair of slices.
//!
//! The modules, in the order in which data passes through them:
//!
//! | module | what it does |
//! |---|---|
//! | `slices`, `communicator`, `parallel`, `window`, `error` | what several modules use |
//! | `planes` | values by whole rows of bits |
//! | `depths` | values with depth by whole rows, layer by layer, in memory or with a scratch file |
//! | `crowded` | both where boards are crowded, by rows of positions with the same empty points |
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
mod window;

pub use build::{BuildEvent, BuildProgress, BuildStatus, BuiltSlice, Observer, Step, build, execute};
pub use communicator::{Alone, Communicator};
pub use depths::LayeredPair;
pub use error::BuildError;
pub use in_memory::{load_depths, load_values};
pub use plan::{
    Budget, Cost, Form, Goal, PairPlan, Plan, Proposal, ProposalLimits, Rates, Scratch, Work, check_size, max_stones,
    plan,
};
pub use slices::Phase;
pub use tiles::{SCRATCH, TiledPair, Traffic};

// For the program and its tests.
#[doc(hidden)]
pub use self::{
    build::{execute_in, seconds_left},
    crowded::solve_crowded,
    depths::{DepthJob, solve_cells, solve_layers},
    in_memory::{DepthSlices, Slices, decode, decode_depths, solve_pair},
    planes::{Leaves, solve_planes},
    slices::{after_captures, closed, pairs, with_twin},
    tiles::{Store, TileBudget, Tiling, solve_tiles},
};

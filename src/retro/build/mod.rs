//! Carrying out a plan: one flow for every form, for values and depths, for one process and for many.
//!
//! [`execute`] locks the folder, reads what is there, and goes through the missing pairs in order. `task` has what differs between values and
//! depths: how a pair is solved, loaded and written. `tiled` solves a pair from tiles in a scratch file (`scratch`), `layered` depths from
//! layers; `kept` has finished slices that wait in scratch files, and `share` copies tables to processes that have their own folders.
//! `progress` turns events into how far a build has come.

mod execute;
mod kept;
mod layered;
mod progress;
mod scratch;
mod share;
mod task;
mod tiled;

pub use execute::{build, execute, execute_in};
pub use progress::{BuildProgress, BuildStatus, Step, seconds_left};
pub use task::{BuildEvent, BuiltSlice, Observer};

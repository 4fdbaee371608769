//! Carrying out a plan: one flow for every form, for values and depths, for one process and for many.
//!
//! [`execute`] locks the folder, looks what is there, and goes through the missing pairs in order. `metrics` has what differs between values and
//! depths: how a pair is solved, loaded and written. `tiled` solves a pair from tiles in a scratch file, `share` gives tables to
//! processes with folders of their own.

mod events;
mod execute;
mod metrics;
mod share;
mod tiled;

pub use events::{BuildEvent, BuiltSlice, Observer};
pub use execute::{build, execute, execute_in};

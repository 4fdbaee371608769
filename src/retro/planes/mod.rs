//! Values by whole rows of bits, for boards with room: a bit for each pair of sets, 64 positions to a word.
//!
//! Data takes this way through a pair ([`solve_planes`]):
//!
//! 1. `capture`: finished planes of fewer stones become leaves (`lanes`), programs of chains (`chains`) run over them, and
//!    every position with a capture has its value, by the opponent's orbits.
//! 2. `quiet`: paikas are followed until nothing new is decided. Each step looks where `marks` say so, and what it finds by the
//!    mover's orbits is `transpose`d into the planes by the opponent's.
//! 3. `transpose`: the finished planes are put into the order of tables, by the mover's orbits.

mod capture;
mod chains;
mod lanes;
mod marks;
mod quiet;
mod solve;
mod transpose;

pub use capture::{CapturePass, CaptureScratch, OpponentPlanes, capture_pass, lane_bytes, slot_mask};
pub use chains::{OrbitCache, Program};
pub use lanes::{Extensions, extended_bytes, transpose_cells};
pub use marks::Marks;
pub use quiet::{Neighbours, Pair, Search, Step, quiet_plane, spread};
pub use solve::{solve_planes, transposed};
pub use transpose::{Merge, group_rows, transpose};

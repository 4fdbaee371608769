//! Values with depth by whole rows: not only who wins, but in how many plies.
//!
//! The way is that of plain values, with cells of 8 bits in place of two bits, or of 16 where wins take more than 253 plies;
//! see [`Cell`](crate::table::Cell). `captures` gives the least score that a capture leads to, `layers` follows paikas step by step,
//! and `solve` does both for a pair and puts the scores into the order of tables.

mod captures;
mod layers;
mod solve;

pub use captures::capture_bytes;
pub use solve::{capture_scores, solve_cells};

//! Retrograde analysis: from finished slices with fewer stones to the values of the next pair of slices.

mod capture;
mod chains;
mod extended;
mod lanes;
mod marks;
mod pair;
mod parallel;
mod quiet;
mod simd;
mod transpose;

pub use pair::{Phase, solve_pair};

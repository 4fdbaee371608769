//! What several studies share.

pub mod games;
pub mod samples;

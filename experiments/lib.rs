//! What several studies share.

pub mod samples;

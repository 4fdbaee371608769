//! The fuzz targets, each a body that takes any bytes, and what they share with the tests.

pub mod bodies;
#[path = "../oracle/mod.rs"]
pub mod oracle;
#[path = "../prover/mod.rs"]
pub mod prover;
#[path = "../server/mod.rs"]
pub mod server;

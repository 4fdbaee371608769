//! The fuzz targets, each a body that takes any bytes, and what they share with the tests.

pub mod bodies;
#[path = "../support/oracle/mod.rs"]
pub mod oracle;
#[path = "../support/prover/mod.rs"]
pub mod prover;
#[path = "../support/server/mod.rs"]
pub mod server;

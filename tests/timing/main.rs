//! The program killed, interrupted, and without disk space, memory or rights: tests that depend on processes and time.

#[path = "../support/program/mod.rs"]
mod program;
#[cfg(all(feature = "server", unix))]
#[path = "../support/served/mod.rs"]
mod served;

mod faults;
mod interrupt;
mod kill;
mod tiles;

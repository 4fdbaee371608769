//! The HTTP service: its router without a socket, its connections, and the command `serve`.

#[cfg(feature = "cli")]
#[path = "../support/docs.rs"]
mod docs;
#[cfg(feature = "cli")]
#[path = "../support/oracle/mod.rs"]
mod oracle;
#[cfg(feature = "cli")]
#[path = "../support/program/mod.rs"]
mod program;
#[cfg(all(feature = "cli", unix))]
#[path = "../support/served/mod.rs"]
mod served;
#[path = "../support/server/mod.rs"]
mod server;

#[cfg(feature = "cli")]
mod build;
mod computer;
mod connections;
mod game;
mod limits;
mod live;
mod pages;
mod practice;
mod review;
#[cfg(feature = "cli")]
mod search;
mod serve;
mod stores;
mod tables;

//! The program from outside: each command's output, files and errors.

#[path = "../support/docs.rs"]
mod docs;
#[path = "../support/oracle/mod.rs"]
mod oracle;
#[path = "../support/program/mod.rs"]
mod program;
#[path = "../support/prover/mod.rs"]
mod prover;
#[path = "../support/state.rs"]
mod state;

mod access;
mod build;
mod certificates;
mod check;
mod checkpoints;
mod damage_checkpoints;
mod damage_tables;
mod dependencies;
mod depths;
mod guis;
mod interruptions;
mod json;
mod matches;
mod output;
mod pages;
mod plan;
mod play;
mod query;
mod refusals;
mod report;
mod reproduce;
mod review;
mod solve;
mod stats;
mod stream;
mod tables;
mod talk;
mod uci;
mod verify;

//! The program from outside: each command's output, files and errors.

#[path = "../support/docs.rs"]
mod docs;
#[path = "../support/oracle/mod.rs"]
mod oracle;
#[path = "../support/program/mod.rs"]
mod program;
#[path = "../support/prover/mod.rs"]
mod prover;

mod access;
mod check;
mod command_line;
mod damage_checkpoints;
mod dependencies;
mod depths;
mod guis;
mod matches;
mod pages;
mod plan;
mod play;
mod report;
mod review;
mod solve;
mod talk;
mod uci;

//! The library from inside: rules, tables, search, certificates and games, against slow twins and golden numbers.

#[path = "../support/communicator.rs"]
mod communicator;
#[path = "../support/oracle/mod.rs"]
mod oracle;
#[path = "../support/prover/mod.rs"]
mod prover;
#[path = "../../experiments/samples/mod.rs"]
#[allow(dead_code, unused_imports)] // what studies use
mod samples;
#[path = "../support/state.rs"]
mod state;
#[path = "../support/threads/mod.rs"]
mod threads;

mod architecture;
mod builds;
mod certificate;
mod certificate_file;
mod certificate_flaws;
mod certificate_forgeries;
mod certificate_tables;
mod communicators;
mod damage;
mod damage_depths;
mod damage_files;
mod damage_forgeries;
mod damage_records;
mod depth_cells;
mod depth_tables;
mod format;
mod format_positions;
mod format_reader;
mod forms;
mod french;
mod game_draws;
mod game_engine;
mod game_history;
mod game_progress;
mod game_proofs;
mod game_record;
mod game_rules;
mod games_of_others;
mod golden;
mod knowledge;
mod layers;
mod match_openings;
mod match_statistics;
mod oracle_rules;
mod oracle_tables;
mod reviews;
mod rules;
mod search;
mod search_questions;
mod search_stops;
mod session;
mod stores;
mod tiles;
mod verifier;

//! Endgame databases and a solver for Fanorona, the national game of Madagascar, on every board size.
//!
//! The layers, each of which uses only those above it:
//!
//! | module | what it knows |
//! |---|---|
//! | [`board`] | sizes, points, lines, symmetries |
//! | [`rules`] | positions, turns, endings, notation |
//! | [`index`] | how positions are numbered: subsets by orbit, slots, slices, bit planes |
//! | [`table`] | values of slices in memory and on disk, probing |
//! | [`retro`] | retrograde analysis: how the values come about |
//! | [`verify`] | whether they are right, with a move generator of its own |
//! | [`proof`] | certificates: proofs of values, and their checker |
//! | [`search`] | values beyond the tables: proof-number search, closed sets |
//! | [`report`] | what people and programs are told |
//! | [`game`] | games in progress: rules of play, history, results, records |
//! | `server` | the page and the HTTP API (feature `server`) |
//!
//! To look positions up in tables that `fanorona build` has made:
//!
//! ```no_run
//! use fanorona::{rules::{PositionText, RuleSet}, table::{DEFAULT_CACHE_BYTES, Tables}};
//!
//! let text = PositionText::parse("9/9/9/B6B1/B3WW2W w")?;
//! let tables = Tables::open("db", text.size(), RuleSet::default(), DEFAULT_CACHE_BYTES)?;
//! let position = text.on::<u64>(text.size())?;
//! let value = tables.probe(position.mover(), position.opponent())?; // None: no table says
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod board;
#[cfg(feature = "cli")]
pub mod cli;
pub mod files;
pub mod game;
pub mod index;
pub mod proof;
pub mod report;
pub mod retro;
pub mod rules;
pub mod search;
#[cfg(feature = "server")]
pub mod server;
mod simd;
pub mod table;
pub mod verify;

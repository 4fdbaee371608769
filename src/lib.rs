//! Endgame databases and a solver for Fanorona.

pub mod board;
pub mod index;
pub mod retro;
pub mod rules;
pub mod table;

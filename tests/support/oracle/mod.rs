//! A slow Fanorona written straight from the rules, for tests to check the fast library against.
//!
//! `board` reads and prints positions and finds captures, `turns` makes turns of them, `values` solves positions by their
//! turns, and `play` adds the rules of play.

// Every test program that includes this module uses only a part of it.
#![allow(dead_code, unused_imports)]
// Grids are a few points wide, so coordinates fit any number type.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod board;
pub mod play;
mod turns;
mod values;

pub use board::start;
pub use turns::{perft, successors, turns};
pub use values::{Values, all_positions, solve, solve_after};

/// The rule options that change moves or values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The strong points: true = those of a1's kind, false = those of the middle point's kind.
    pub corner: bool,
    /// Whether a player may stop a chain early: true = optional, false = obligatory.
    pub optional: bool,
    /// Which way a chain may not go on.
    pub directions: Directions,
    /// What a side with stones but no legal move gets: true = loss, false = draw.
    pub stalemate_is_loss: bool,
}

impl Rules {
    pub const DEFAULT: Self =
        Self { corner: true, optional: true, directions: Directions::NotRepeated, stalemate_is_loss: true };
}

/// Directions that a capturing step may not take, by the steps before it in the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Directions {
    /// That of the step before.
    NotRepeated,
    /// Those of all steps before.
    Once,
    /// That of the step before and the opposite one.
    Turning,
}

/// The value of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    Win,
    Draw,
    Loss,
}

//! What the moves of a solved position are worth.

use serde::Serialize;

use crate::board::BoardSize;
use crate::rules::turn_text;
use crate::search::{Effect, Value};

/// A move and the value of the position after it.
#[derive(Clone, Debug, Serialize)]
pub struct ValuedMove {
    /// The move, in notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The value.
    pub value: Value,
}

impl ValuedMove {
    /// The moves of a solution.
    #[must_use]
    pub fn all(size: BoardSize, effects: &[Effect]) -> Vec<Self> {
        effects.iter().map(|Effect { turn, value, .. }| Self { text: turn_text(size, turn), value: *value }).collect()
    }
}

//! The claims of a certificate.

use crate::rules::{Position, Side, Value};

/// A position and its claimed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The position, with its side to move.
    pub position: Position<u64>,
    /// Its value, which is not [`Value::Unknown`].
    pub value: Value,
}

/// Every value that can be claimed, in the order of their numbers in files.
pub const VALUES: [Value; 5] =
    [Value::WhiteWins, Value::BlackWins, Value::Draw, Value::WhiteDoesNotLose, Value::BlackDoesNotLose];

impl Claim {
    /// What has to be proved: for each of these sides, that it wins, or else that it does not lose.
    #[must_use]
    pub fn parts(&self) -> &'static [(Side, bool)] {
        const WINS: bool = true;
        const HOLDS: bool = false;
        match self.value {
            Value::WhiteWins => &[(Side::White, WINS)],
            Value::BlackWins => &[(Side::Black, WINS)],
            Value::Draw => &[(Side::White, HOLDS), (Side::Black, HOLDS)],
            Value::WhiteDoesNotLose => &[(Side::White, HOLDS)],
            Value::BlackDoesNotLose => &[(Side::Black, HOLDS)],
            Value::Unknown => &[],
        }
    }
}

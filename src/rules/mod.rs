//! The rules of the game: positions, turns, endings and their notation. Knows no files and no threads.

mod notation;
mod outcome;
mod position;
mod ruleset;
mod turns;
mod value;

pub use notation::{MoveError, turn_text};
pub use outcome::{Bounds, Outcome};
pub use position::{Position, PositionError, PositionText, Side};
pub use ruleset::{Continuation, Directions, RuleSet, Stalemate};
pub use turns::{After, Capture, Path, Rules, Step, Turn, perft};
pub use value::Value;

// For the program and its tests.
#[doc(hidden)]
pub use notation::{WrittenPath, read_capture, read_path};

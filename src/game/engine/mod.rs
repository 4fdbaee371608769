//! The computer as a player: tables where they reach, elsewhere a search, within a time, at five levels.
//!
//! The search is alpha-beta with iterative deepening: principal variation search, a transposition table, killers and
//! history for the order of turns, late turns less deep at first, captures followed beyond the depth, since a side that
//! can capture has to. Every node asks the [`Referee`](super::Referee), so that all rules of play hold in it. A position that
//! comes back counts as a draw. A win or a loss is called sure only if no turn of the losing side was left out.

mod advice;
mod candidates;
mod choose;
mod deepening;
mod draws;
mod evaluate;
mod level;
mod search;
mod transposition;
mod values;

pub use choose::{DEFAULT_ENTRIES, Engine, EngineError, How, Reply, SearchLimits};
pub use deepening::Info;
pub use draws::DrawAnswer;
pub use level::{Level, LevelError};
pub use values::{NoValues, Reaching, Values, prepare};

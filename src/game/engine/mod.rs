//! The computer as a player: tables where they reach, a search elsewhere, at five levels.
//!
//! The search is alpha-beta with iterative deepening: principal variation search, a transposition table, killers and
//! history for the order of turns, late move reductions, and captures searched beyond the depth, because they are
//! compulsory. Every node asks the [`Referee`](super::Referee), so all rules of play apply. A repeated position counts as a
//! draw. A loss counts as known only if no turn of the losing side was left out.
//!
//! **Won positions come to an end.** Depth tables have the quickest way. Where there are values alone, a short proof-number
//! search plans a forced way to fewer stones in a won position. The engine keeps its plan from turn to turn, and the search
//! where it did not find one. Even if it never did, play would end: until there is a plan, the engine makes those winning turns
//! whose positions have occurred least often in the game.

mod advice;
mod candidates;
mod choose;
mod deepening;
mod draws;
mod evaluate;
mod level;
mod plan;
mod search;
mod transposition;
mod values;

pub use choose::{DEFAULT_ENTRIES, Engine, EngineError, How, Reply, SearchLimits};
pub use deepening::Info;
pub use draws::DrawAnswer;
pub use level::{Level, LevelError};
pub use values::prepare;

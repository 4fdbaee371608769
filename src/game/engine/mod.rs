//! The computer as a player: tables and proofs where they reach, searches elsewhere, at nine levels.
//!
//! The search is alpha-beta with iterative deepening: principal variation search from a narrow window, a transposition table that
//! several threads may share, killers, counter moves and history for the order of turns, reductions that grow with depth and
//! number, and captures searched beyond the depth, because they are compulsory. Where the side to move captures nothing, it
//! prunes positions that are far outside of the window, or that stay above it though the side passes; where it has many captures,
//! only the first of them are searched near the leaves. Every node asks the [`Referee`](super::Referee), so all rules of play
//! apply. A repeated position counts as a draw. A loss counts as known only if no turn of the losing side was left out.
//!
//! The evaluation is a sum of weights for numbers of the whole board and for patterns of three by three points ([`features`]).
//! They are fitted on 9x5, with few stones to values of tables and elsewhere to scores of searches, and serve all boards.
//!
//! **It keeps what is proved.** If tables and proofs know that the side to move does not lose, the best level makes a turn after which
//! they still know it. There is one, because the sets of a certificate are closed: each position has a reply, and every answer to it
//! leads back into the sets or the tables. So once a position is held, play stays there, and the game is not lost. Among the turns that
//! hold, alpha-beta chooses. Another turn is made only if alpha-beta or proof-number search proves that it wins.
//!
//! **Won positions come to an end.** Depth tables have the quickest way. Where there are values alone, a short proof-number
//! search plans a forced way to fewer stones in a won position. An engine that plays the whole game keeps its plan from turn to
//! turn, and the search where it did not find one. Until there is a plan, the engine makes those winning turns whose positions
//! have occurred least often in the game. So play does not go round in circles, unless a rule ends the game at a repetition.

mod advice;
mod candidates;
mod choose;
mod clock;
mod deepening;
mod draws;
mod evaluate;
#[doc(hidden)]
pub mod features;
mod level;
mod ordering;
mod plan;
mod reply;
mod search;
mod selection;
mod sight;
mod subject;
mod threads;
mod transposition;
mod values;
mod weights;

pub use choose::{DEFAULT_ENTRIES, Engine};
pub use clock::Clock;
pub use deepening::SearchInfo;
pub use draws::{DrawAnswer, FORCED};
pub use evaluate::{TABLE_WON, expected_score, plies_to_end};
pub use level::{Level, LevelError};
pub use reply::{EngineError, How, MAX_THREADS, Reply, SearchLimits};

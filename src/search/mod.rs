//! Proof-number search: values of positions that no table holds.
//!
//! **The questions.** The value of a position is the answer to two questions with yes or no: can White force a win? Can Black?
//! If neither can, it is a draw. In each question one side, the *attacker*, tries to win; the other defends.
//!
//! **The method.** Depth-first proof-number search (df-pn) goes, time and again, to the position that looks easiest to settle,
//! and remembers what it finds in a transposition table. Positions with few stones are settled by the tables of [`retro`](crate::retro)
//! when they first come up. All threads work on one question over one table; each counts as a virtual loss where it is,
//! so that the others look elsewhere (Pawlewicz and Hayward, *Scalable Parallel DFPN Search*, 2013). [`Numbers`] explains
//! what is counted, [`Tuning`] how.
//!
//! **Cycles.** Play without end is a draw, so a position that comes back on the path is as good as lost for the attacker. A
//! win never leans on that: a *proof* holds wherever it was found. But a *disproof* can path_dependency on a position further up the path,
//! and be met again where that position does not lie on the path, or turns out to be won after all (graph history
//! interaction; Kishimoto and Müller, *A Solution to the GHI Problem for Depth-First Proof-Number Search*, 2004). So an entry
//! says which position it leans on, the first on the path if there are several, and is taken for settled only where that
//! position lies on the path again; elsewhere it is nearly settled, and looked at anew. When the position that it leans on is
//! disproved itself and leans on nothing, the positions between have closed a circle, and are settled again at the first look.
//!
//! With several positions to path_dependency on that is still not proof. What is taken for true in the end is only what
//! [`Solver::extract`] finds: a set of positions that is closed, in which the defender always has a reply that stays in the
//! set. Such a set needs no path. Where a remembered disproof does not close, a short search looks for another reply. If
//! there is none, the disproof is withdrawn, with all that rests on it; if that goes up to the position in question, the
//! question is asked again, and settled again on the ground of what has been learnt. [`Repairs`] counts how often. All that
//! is done for each question as soon as it has an answer: later on, the table forgets what the answer rests on.

mod canonical;
mod certify;
mod checkpoint;
mod closed_set;
mod dfpn;
mod estimate;
mod expand;
mod extract;
mod numbers;
mod questions;
mod reply;
mod session;
mod solution;
mod solver;
mod transposition;

pub use canonical::{Canonical, Key, Mirror};
pub use certify::CertificateFile;
pub use checkpoint::{CheckpointError, Piece, SearchTotals, load, read, save};
pub use closed_set::{ClosedSet, Extracted};
pub use estimate::Tuning;
pub use extract::Repairs;
pub use numbers::{Effort, INFINITE, MAX_FINITE, Numbers};
pub use questions::{OnEvent, SolveEvent, SolveScope};
pub use session::{Checkpoint, Problem, SolveOptions, Solved, solve};
pub use solution::{Answer, Guarantee, MoveValue, Solution, Value, turns_along};
pub use solver::{Control, Progress, SearchOptions, SolveError, Solver};
pub use transposition::{BUCKET_BYTES, Memory, TranspositionTable, TtEntry};

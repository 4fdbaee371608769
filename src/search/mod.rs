//! Proof-number search: values of positions that no table covers.
//!
//! **The questions.** The value of a position is the answer to two questions: can White force a win? Can Black? If neither
//! can, it is a draw. In each question one side, the *attacker*, tries to win; the other defends.
//!
//! **How a solve works**, from top to bottom; each file uses only those below it:
//!
//! ```text
//! preparation    which tables a solve builds and uses
//! report         what a solve found out, as programs read it
//! session        solve(): tables, checkpoint, limits, certificate; timed_value: search_value(): a value within seconds
//! ├─ questions   Solver::solve: which questions are asked, of the position and its moves
//! │  ├─ solver   one question, by all threads, in a table that grows; node_limited: by one, within some nodes; progress: how far it is
//! │  │  └─ dfpn     one thread: the most promising child of each position on its path
//! │  │     ├─ path     the positions from the root to where it is
//! │  │     └─ expand   the children: rules, tables, strongholds, transposition table, or else estimate
//! │  └─ extract  the set that proves the answer, out of the transposition table
//! │     └─ reply    the reply in one position, after another dfpn if need be; closed_set: ranks
//! ├─ certify     the sets as a certificate; adopt: with what it takes from others; solution: values and the main line
//! └─ checkpoint  the transposition table on disk
//!    search_tables: that of a fresh search beside one that continues; shares: whose turn it is
//!    schedule     when strongholds are made; strongholds: tables of positions in which the defender keeps to few placements
//!    growing, transposition, numbers, canonical: what is stored, for which position; settled: what rules and tables say
//!    watch: threads at work; error: why there is no answer
//! ```
//!
//! **The method.** Depth-first proof-number search (df-pn) returns again and again to the position that looks easiest to
//! settle, and stores what it finds in a transposition table. Positions with few stones are settled by the tables of
//! [`retro`](crate::retro) when they first come up. All threads work on one question with one table. Each counts as a
//! small virtual loss at its position, so that the others search elsewhere if another position looks nearly as good
//! (Pawlewicz and Hayward, *Scalable Parallel DFPN Search*, 2013). [`Numbers`] explains what is counted, [`Tuning`] how.
//!
//! **Cycles.** Play without end is a draw, so a position that comes back on the path is as good as lost for the attacker. A
//! win never depends on that: a *proof* is right wherever it was found. But a *disproof* can depend on a position further up
//! the path, and be met again where that position is not on the path, or turns out to be won after all (graph history
//! interaction; Kishimoto and Müller, *A Solution to the GHI Problem for Depth-First Proof-Number Search*, 2004). So an entry
//! stores the position it depends on, the first on the path if there are several, and counts as settled only where that
//! position is on the path again. Elsewhere it is nearly settled, and searched again. When the position that it depends on is
//! disproved without such a dependency, the positions between have closed a circle, and are settled again at once.
//!
//! With several such positions that is still no proof. The only disproofs that count in the end are those of
//! [`Solver::extract`]: a closed set of positions, in which the defender always has a reply that stays in the set. Such a set
//! needs no path. If a stored disproof does not close, a short search tries to find another reply. If there is none, the
//! disproof is withdrawn, with all that depends on it. If that reaches the position in question, the question is asked again,
//! with what has been learnt. [`Repairs`] counts how often. A win that the table has lost is found again, sooner or later: first
//! those that take few nodes, which makes others easy. Replies that lead in a circle are replaced by those of a search that keeps
//! all wins in the order in which it finds them. All that is done for each question as soon as it has an answer,
//! because the table later forgets what the answer depends on.

mod adopt;
mod canonical;
mod certify;
mod checkpoint;
mod closed_set;
mod dfpn;
mod error;
mod estimate;
mod expand;
mod extract;
mod growing;
mod node_limited;
mod numbers;
mod path;
mod preparation;
mod progress;
mod questions;
mod reply;
mod report;
mod schedule;
mod search_tables;
mod session;
mod settled;
mod shares;
mod solution;
mod solver;
mod strongholds;
mod timed_value;
mod transposition;
mod watch;

pub use canonical::Canonical;
pub use certify::CertificateFile;
pub use checkpoint::{CheckpointError, SearchTotals};
pub use closed_set::ClosedSet;
pub use error::SolveError;
pub use extract::Repairs;
pub use preparation::plan_tables;
pub use progress::{Control, Progress};
pub use questions::{OnEvent, SolveEvent};
pub use report::{Closure, SolveReport};
pub use session::{Checkpoint, Problem, SolveOptions, Solved, solve};
pub use solution::{Answer, MoveValue, Questions, Solution, SolveScope, turns_along};
pub use solver::{SearchOptions, Solver};
pub use timed_value::{Searched, ShortSearch, search_value};
pub use transposition::TranspositionTable;
pub(crate) use watch::OnDrop;

// For the program and its tests.
#[doc(hidden)]
pub use self::{
    canonical::{Key, Mirror},
    checkpoint::{Subject, read, save},
    closed_set::Extracted,
    estimate::{COUNTS, Tuning, Weights, counts, weights_of},
    numbers::{Effort, INFINITE, MAX_FINITE, Numbers},
    transposition::{BUCKET_BYTES, Memory, TtEntry},
};

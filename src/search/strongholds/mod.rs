//! Strongholds: tables in memory of positions in which the defender keeps to few placements of its stones.
//!
//! In quiet endgames a search has to find out again and again that the defender can hold, with the attacker's stones nearly
//! anywhere. But the defender's stones stand in few places then. So a search counts the placements in which defenders were
//! found to hold, and once in a while it stops and makes tables of the most frequent ones: a row for each, with a bit for each
//! placement of the attacker's stones. The defender may go from one row to another, and leave them all by captures, to positions
//! that tables know or that rows with fewer stones do.
//!
//! The bits are the largest sets that close: with the defender to move, some turn leads to a position that holds; with the
//! attacker to move, every turn does. So a set bit is always true, whichever rows are chosen; a position without one may
//! hold as well. A position that holds is settled for a search, and belongs in the set that proves its answer, where its replies
//! are those that hold. A defender without a turn never has the bit, though with `stalemate draw` it holds.
//!
//! | file | what it does |
//! |---|---|
//! | `tally` | counts placements |
//! | `choice` | chooses rows that are worth their work |
//! | `captures` | what holds after captures, by tables and by strongholds with fewer stones |
//! | `rows` | makes the rows of one slice |
//! | `plan` | plans which rows are made, and makes them |
//! | `known` | looks positions up |

mod captures;
mod choice;
mod known;
mod plan;
mod rows;
mod tally;

pub use choice::Allowance;
pub use known::Strongholds;
pub use plan::Plan;
pub use tally::{Placement, PlacementCounts};

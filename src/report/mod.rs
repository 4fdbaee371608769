//! Reports for people and programs: answers, lines, pictures, statistics, charts, and a page about a database.

mod answer;
#[cfg(feature = "cli")]
mod board_svg;
mod build_command;
mod line;
mod longest;
#[cfg(feature = "cli")]
mod numbers;
mod overview;
#[cfg(feature = "cli")]
mod page;
mod picture;
#[cfg(feature = "cli")]
pub mod plot;
mod stats;
mod zugzwang;

pub use answer::{Answer, MoveAnswer, answer};
#[cfg(feature = "cli")]
pub use board_svg::board_svg;
pub use build_command::build_command;
pub use line::{Line, LineEnd, LineMove, line};
pub use longest::longest_wins;
#[cfg(feature = "cli")]
pub use numbers::{bytes, grouped};
pub use overview::{BoardResult, BoardTables, CERTIFICATES, FiledCertificate, Overview, OverviewError, overview};
#[cfg(feature = "cli")]
pub use page::{PageError, page};
pub use picture::picture;
pub use stats::{ByPlies, DepthStats, Longest, Shares, SliceStats, Stats, Totals, stats};
pub use zugzwang::{Zugzwangs, zugzwangs};

// For the program and its tests.
#[doc(hidden)]
pub use self::{
    overview::{certificate_name, rules_in_short},
    stats::bits_per_canonical,
};

//! Reports for people and programs: answers, lines, pictures, statistics, charts, and a page about a database.

#[cfg(any(feature = "cli", feature = "server"))]
mod advice;
mod answer;
#[cfg(feature = "svg")]
mod board_svg;
mod line;
mod longest;
#[cfg(any(feature = "cli", feature = "server"))]
mod numbers;
mod overview;
#[cfg(feature = "cli")]
mod page;
mod picture;
#[cfg(feature = "cli")]
pub mod plot;
mod stats;
mod zugzwang;

#[cfg(any(feature = "cli", feature = "server"))]
pub use advice::{
    DEFAULT_DATABASE, advice, build_command, check_command, first_build, proposal_text, quick_build, quick_build_of,
    slice_names, tables_text,
};
pub use answer::{Answer, MoveAnswer, SearchSummary, ValueAnswer, answer};
#[cfg(feature = "svg")]
pub use board_svg::board_svg;
pub use line::{Line, LineEnd, LineMove, line};
pub use longest::longest_wins;
#[cfg(any(feature = "cli", feature = "server"))]
pub use numbers::{bytes, duration, grouped};
pub use overview::{BoardResult, BoardTables, ClaimSummary, FiledCertificate, Overview, UnusedCertificate, overview};
#[cfg(feature = "cli")]
pub use page::{PageError, page};
pub use picture::picture;
pub use stats::{ByPlies, DepthStats, Longest, Shares, SliceStats, Stats, Totals, stats};
pub use zugzwang::{Zugzwangs, zugzwangs};

// For the program and its tests.
#[doc(hidden)]
pub use self::overview::rules_in_short;

//! Matches between engines that speak `uci`, and what their results say about strength.
//!
//! A [`Match`] takes [`Openings`] and plays each with both colours. An [`Engine`] is a process that reads and prints lines;
//! this program decides which moves are legal and how a game ends. [`Results`] count games and pairs of games, a [`Tally`]
//! estimates the difference in Elo, and an [`Sprt`] decides when it is clear enough. A [`RecordFile`] keeps the games, and a
//! match continues from it.

mod adjudicator;
mod balance;
mod engine;
mod likelihood;
mod limit;
mod openings;
mod play;
mod process;
mod record;
mod results;
mod run;
mod sprt;
mod tally;

pub use adjudicator::{Adjudicator, Winner};
pub use engine::{Engine, StartError};
pub use limit::Limit;
pub use openings::{OpeningError, Openings, RandomOpenings};
pub use play::PlayedGame;
pub use process::NoAnswer;
pub use record::{RecordFile, RecordFileError};
pub use results::{Conduct, Results};
pub use run::{FinishedGame, Match, MatchError, OnGame};
pub use sprt::{Decision, Sprt};
pub use tally::{Estimate, Tally, elo_of, score_of};

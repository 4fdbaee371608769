//! Games that are played: more rules than tables know, a history to go back in, results, records.
//!
//! A [`Course`] is a game on one kind of board, a [`Match`] a game on any. [`GameRequest`] is a game as programs hand it over,
//! replayed by [`GameRequest::replay`]; [`View`] shows it to them. [`PlayRules`] says what the rules of play mean, the
//! [`Referee`] applies them.

mod chain;
mod course;
pub mod engine;
mod error;
mod matches;
mod perft;
mod play_rules;
mod read_record;
mod record;
mod record_words;
mod referee;
mod refusal;
mod request;
mod result;
mod view;
mod why;
mod written;

pub use chain::Chain;
pub use course::{Course, Played};
pub use error::GameError;
pub use matches::Match;
pub use perft::perft;
pub use play_rules::{PlayRules, VELA_STONES};
pub use read_record::{ReadRecord, RecordError, RecordFault, read_record};
pub use record::record;
pub use referee::{Action, Referee, State};
pub use refusal::Refusal;
pub use request::{End, FREE_TAGS, GameRequest};
pub use result::{GameResult, Reason, Score};
pub use view::{Geometry, MOST_TURNS, TablesApply, View, ViewPlayed, ViewStep, ViewTurn};
pub use why::{Try, Why};
pub use written::{ActionError, Read, read_action};

//! Games that are played: more rules than tables know, a history to go back in, results, records.
//!
//! A [`GameHistory`] is a game on one kind of board, a [`Game`] a game on any. [`GameRequest`] is a game as programs hand it over,
//! replayed by [`GameRequest::replay`]; [`View`] shows it to them. [`PlayRules`] says what the rules of play mean, the
//! [`Referee`] applies them.

mod any_board;
mod chain;
pub mod engine;
mod error;
mod history;
mod lexeme;
mod parse_action;
mod parse_record;
mod perft;
mod play_rules;
mod record_error;
mod referee;
mod refusal;
mod request;
mod result;
mod view;
mod why;
mod write_record;

pub use any_board::Game;
pub use chain::Chain;
pub use error::GameError;
pub use history::{FREE_TAGS, GameHistory, Played};
pub use parse_action::{ActionError, ParsedAction, parse_action};
pub use parse_record::{ParsedRecord, parse_record};
pub use perft::perft;
pub use play_rules::{PlayRules, VELA_STONES};
pub use record_error::{RecordError, RecordFault};
pub use referee::{Action, Referee, State};
pub use refusal::Refusal;
pub use request::GameRequest;
pub use result::{End, GameResult, Reason, Score};
pub use view::{Geometry, MAX_TURNS, TablesApply, View, ViewPlayed, ViewStep, ViewTurn};
pub use why::{Attempt, Why};
pub use write_record::write_record;

//! Games in progress: rules of play beyond those of the tables, history, results, records, and the computer as a player.
//!
//! A [`GameRequest`] (JSON) or a record of this program or another ([`parse_game`]) becomes a [`Game`] by [`GameRequest::replay`]. A game is a
//! [`GameHistory`] on one of two kinds of board. The history parses actions ([`parse_action`]), asks the [`Referee`] which turns
//! are legal under the [`PlayRules`], and explains what is not ([`Refusal`]). A [`View`] is the game as JSON,
//! [`write_record`] writes it as text. The [`engine`] chooses turns.

mod any_board;
mod chain;
pub mod engine;
mod error;
mod forms;
mod history;
mod lexeme;
mod parse_action;
mod parse_record;
mod perft;
mod play_rules;
mod raw_record;
mod record_error;
mod records;
mod referee;
mod refusal;
mod request;
mod result;
mod variation;
mod view;
mod why;
mod write_record;

pub use any_board::Game;
pub use chain::Chain;
pub use error::GameError;
pub use forms::parse_game;
pub use history::{FREE_TAGS, GameHistory, Played};
pub use parse_action::{ActionError, ParsedAction, parse_action};
pub use parse_record::parse_record;
pub use perft::perft;
pub use play_rules::{PlayRules, VELA_STONES};
pub use raw_record::ParsedRecord;
pub use record_error::{RecordError, RecordFault};
pub use records::Records;
pub use referee::{Action, Referee, State};
pub use refusal::Refusal;
pub use request::GameRequest;
pub use result::{End, GameResult, Reason};
pub use variation::Variation;
pub use view::{Geometry, MAX_LISTED, TablesApply, View, ViewPlayed, ViewStep, ViewTurn};
pub use why::{Attempt, RefusalText};
pub use write_record::{Note, move_number, write_record};

//! Reads games in the forms of this program and of others.
//!
//! [`parse_game`] finds out which form a text has. Each form becomes a [`RawRecord`]; [`written`] makes turns of the words that
//! stand for them, and [`replay`] finds out what they mean where letters are missing.

#[cfg(feature = "json")]
mod abstract_play;
mod boardspace;
mod list;
mod replay;
mod written;

use super::lexeme::{Lexeme, lexemes, without_variations};
use super::parse_record::parse_record;
use super::raw_record::{ParsedRecord, fault};
use super::record_error::{RecordError, RecordFault};

/// Parses a game: a record of this program, SGF of `BoardSpace`, PGN of vchess, a list of moves in one of their notations,
/// and, with the feature `json`, JSON of Abstract Play or a [`GameRequest`](super::GameRequest). Games of other programs are
/// on 9x5, have the default rules, and are read without their variations. A list of moves may begin with a board size or a
/// position.
///
/// # Errors
/// [`RecordError`] for the first fault.
pub fn parse_game(text: &str) -> Result<ParsedRecord, RecordError> {
    let begin = text.trim_start_matches('\u{feff}').trim_start();
    if begin.starts_with('(') {
        return boardspace::parse(text);
    }
    #[cfg(feature = "json")]
    if let Some(value) = abstract_play::json(begin) {
        return abstract_play::parse(text, value);
    }
    if !begin.starts_with(['[', '{', ';']) && !list::begins(begin) {
        return Err(fault(1, RecordFault::Unknown));
    }
    let lexemes = lexemes(text)?;
    let has = |name: &str| lexemes.iter().any(|(_, lexeme)| matches!(lexeme, Lexeme::Tag(tag, _) if tag == name));
    if has("Variant") || has("Fen") {
        list::parse_vchess(text, without_variations(lexemes))
    } else if lexemes.iter().any(|(_, lexeme)| matches!(lexeme, Lexeme::Tag(..))) {
        parse_record(text)
    } else {
        list::parse(text, without_variations(lexemes))
    }
}

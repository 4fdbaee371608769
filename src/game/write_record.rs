//! Writes game records, similar to PGN: tags in brackets, numbered moves, the score.

use std::fmt::Write as _;

use crate::board::PointSet;
use crate::rules::Side;

use super::history::{FREE_TAGS, GameHistory};

/// The longest line of moves.
const LINE: usize = 80;

/// The score of an unfinished game.
pub(super) const OPEN: &str = "*";

/// The termination of an unfinished game.
pub(super) const UNFINISHED: &str = "unfinished";

/// What a record says of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// A mark after the turn, such as `?`.
    pub suffix: &'static str,
    /// A comment, without braces; empty for none.
    pub comment: String,
}

/// The game as a record: tags Event, Date, White, Black (question marks if unknown), Board, Rules, FEN, Result,
/// Termination; then the numbered moves, each with its time in seconds if known, as `{[%emt 1.250]}`.
#[must_use]
pub fn write_record<P: PointSet>(game: &GameHistory<P>) -> String {
    write_annotated(game, &[])
}

/// The same with a note for each turn, as far as there are any.
#[must_use]
pub fn write_annotated<P: PointSet>(game: &GameHistory<P>, notes: &[Note]) -> String {
    let size = game.size();
    let result = game.result();
    let score = result.as_ref().map_or(OPEN, |result| result.score.text());
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[{name} \"{}\"]", escaped(value));
    };
    for name in FREE_TAGS {
        let nobody = if name == "Date" { "????.??.??" } else { "?" };
        let said = game.tags.get(name).filter(|text| !is_question(text));
        tag(name, said.map_or(nobody, String::as_str));
    }
    tag("Board", &size.to_string());
    tag("Rules", &game.referee().rules().to_string());
    tag("FEN", &game.start().position.to_text(size));
    tag("Result", score);
    tag("Termination", result.as_ref().map_or(UNFINISHED, |result| result.reason.word()));
    text.push('\n');
    let mut words = Vec::new();
    let black_begins = usize::from(game.start().position.to_move == Side::Black);
    for (ply, played) in game.played().iter().enumerate() {
        let count = ply + black_begins;
        let number = count / 2 + 1;
        if count.is_multiple_of(2) {
            words.push(format!("{number}."));
        } else if ply == 0 {
            words.push(format!("{number}..."));
        }
        let note = notes.get(ply).cloned().unwrap_or_default();
        words.push(played.action.text(size) + note.suffix);
        if let Some(time) = played.time {
            words.push(format!("{{[%emt {}.{:03}]}}", time / 1000, time % 1000));
        }
        if !note.comment.is_empty() {
            // Its lines may be broken like others.
            words.extend(format!("{{{}}}", note.comment).split_whitespace().map(str::to_owned));
        }
    }
    words.push(score.to_owned());
    let mut width = 0;
    for word in words {
        if width > 0 && width + 1 + word.len() > LINE {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        width += word.len();
        text.push_str(&word);
    }
    text.push('\n');
    text
}

/// The text of a tag: quotes and backslashes get a backslash, and line ends become spaces.
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for character in value.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

/// Whether the value of a tag means unknown.
pub(super) fn is_question(text: &str) -> bool {
    text.chars().all(|character| character == '?' || character == '.')
}

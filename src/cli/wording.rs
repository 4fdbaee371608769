//! Values and lines as several commands print them.

use std::fmt::Write as _;

use crate::report::{Line, LineEnd};
use crate::rules::{Outcome, Side};

/// A value with the plies it takes, as in `wins in 11 plies`.
pub fn value_text(value: Option<Outcome>, dtw: Option<u32>, side: Side) -> String {
    let plies = dtw.map_or(String::new(), |plies| format!(" in {plies} {}", if plies == 1 { "ply" } else { "plies" }));
    match value {
        Some(Outcome::Win) => format!("{} to move wins{plies}", side.name()),
        Some(Outcome::Draw) => "draw".to_owned(),
        Some(Outcome::Loss) => format!("{} to move loses{plies}", side.name()),
        None => "unknown".to_owned(),
    }
}

/// A line for people: the moves with their numbers, and why it ends.
pub fn moves_text(line: &Line, to_move: Side) -> String {
    let mut text = "Line:".to_owned();
    let black_begins = usize::from(to_move == Side::Black);
    for (number, one) in line.line.iter().enumerate() {
        let ply = number + black_begins;
        if ply.is_multiple_of(2) {
            // Writing to a string cannot fail.
            let _ = write!(text, " {}.", ply / 2 + 1);
        } else if number == 0 {
            text.push_str(" 1…");
        }
        text.push(' ');
        text.push_str(&one.text);
    }
    text.push_str(match line.end {
        LineEnd::Over if line.line.is_empty() => " the game is over.",
        LineEnd::Over => ", and the game is over.",
        LineEnd::Repetition => ", and the position repeats.",
        LineEnd::Unknown => " unknown from here.",
    });
    text
}

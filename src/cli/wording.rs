//! Values and lines as several commands print them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::game::move_number;
use crate::knowledge::{Proofs, Why};
use crate::report::{Line, LineEnd, ValueAnswer, check_command};
use crate::rules::{Outcome, Side, Value};

use super::advice::of_proof;

/// A value with the plies it takes and how it is known, as in `White to move wins in 11 plies, by tables`.
pub fn value_text(known: &ValueAnswer, side: Side) -> String {
    let plies =
        known.dtw.map_or(String::new(), |plies| format!(" in {plies} {}", if plies == 1 { "ply" } else { "plies" }));
    let value = match known.bounds.exact() {
        Some(Outcome::Win) => format!("{} to move wins{plies}", side.name()),
        Some(Outcome::Loss) => format!("{} to move loses{plies}", side.name()),
        Some(Outcome::Draw) | None => Value::of_bounds(known.bounds, side).to_string(),
    };
    let how = known.how().map_or(String::new(), |how| format!(", {how}"));
    format!("{value}{how}")
}

/// The value of a move of a side in a list, as in `draw, proved`.
pub fn move_value_text(known: &ValueAnswer, side: Side) -> String {
    let plies = known.dtw.map_or(String::new(), |plies| format!(" in {}", plies + 1));
    let how = known.proved().map_or(String::new(), |word| format!(", {word}"));
    let value =
        known.bounds.exact().map_or_else(|| Value::of_bounds(known.bounds, side).to_string(), |it| it.to_string());
    format!("{value}{plies}{how}")
}

/// Prints which certificates of a database folder are not used, and why; each line once, however many boards are opened.
pub fn note_unused(proofs: &Proofs, database: &Path) {
    static NOTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    for unused in proofs.unused() {
        let help = match &unused.why {
            Why::Unchecked => format!("; to check it: {}", check_command(&unused.file, database)),
            Why::Unusable(error) => of_proof(error),
            _ => String::new(),
        };
        let line = format!("{unused}{help}");
        if NOTED.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
            note!("{line}");
        }
    }
}

/// A line for people: the moves with their numbers, and why it ends.
pub fn moves_text(line: &Line, to_move: Side) -> String {
    let mut text = "Line:".to_owned();
    for (ply, one) in line.line.iter().enumerate() {
        if let Some(number) = move_number(to_move, ply, ply == 0) {
            // Writing to a string cannot fail.
            let _ = write!(text, " {number}");
        }
        text.push(' ');
        text.push_str(&one.text);
    }
    text.push_str(match line.end {
        LineEnd::Over if line.line.is_empty() => " the game is over.",
        LineEnd::Over => ", and the game is over.",
        LineEnd::Repetition => ", and the position repeats.",
        LineEnd::Unknown if line.line.is_empty() => " unknown from here.",
        LineEnd::Unknown => ", and unknown from here.",
    });
    text
}

//! A reviewed game as a record with comments.

use crate::game::{Game, Note};

use super::Review;
use super::assess::{Mark, TurnReview};

/// The game as a record with marks, values and better moves, which can be read like any other.
#[must_use]
pub fn annotated_record(game: &Game, review: &Review) -> String {
    game.annotated_record(&review.turns.iter().map(note).collect::<Vec<_>>())
}

fn note(turn: &TurnReview) -> Note {
    let suffix = turn.mark.filter(|mark| mark.is_error()).map_or("", Mark::text);
    let mut comment = turn.after.words();
    if turn.mark == Some(Mark::OnlyMove) {
        comment.push_str("; only move");
    }
    if let Some(better) = &turn.better {
        comment.push_str("; better ");
        comment.push_str(&better.line.join(" "));
    }
    // A comment ends with its first brace.
    Note { suffix, comment: comment.replace(['{', '}'], "'") }
}

//! A reviewed game as a record with comments and variations.

use crate::game::{Game, Note};

use super::Review;
use super::assess::{Mark, TurnReview};

/// The game as a record with marks, values, and better lines as variations, which can be read like any other.
#[must_use]
pub fn annotated_record(game: &Game, review: &Review) -> String {
    let mut game = game.clone();
    for turn in &review.turns {
        if let Some(better) = &turn.better {
            game.add_variation(turn.ply - 1, &better.line);
        }
    }
    game.annotated_record(&review.turns.iter().map(note).collect::<Vec<_>>())
}

fn note(turn: &TurnReview) -> Note {
    let suffix = turn.mark.filter(|mark| mark.is_error()).map_or("", Mark::text);
    let mut comment = turn.after.words();
    if turn.mark == Some(Mark::OnlyMove) {
        comment.push_str("; only move");
    }
    // A comment ends with its first brace.
    Note { suffix, comment: comment.replace(['{', '}'], "'") }
}

//! A question of the studies of the search: can that side force a win in that position?

use std::error::Error;

use fanorona::BoardSize;
use fanorona::rules::{Position, PositionText, Side};

/// Parses a question: a board, `white` or `black`, and a position or `start`.
pub fn parse_question(
    board: &str,
    attacker: &str,
    position: &str,
) -> Result<(BoardSize, Side, Position<u64>), Box<dyn Error + Send + Sync>> {
    let size = board.parse()?;
    let attacker = match attacker {
        "white" => Side::White,
        "black" => Side::Black,
        other => return Err(format!("\"{other}\" is not a side; use white or black").into()),
    };
    let position = match position {
        "start" => Position::start(size),
        text => PositionText::parse(text)?.on(size)?,
    };
    Ok((size, attacker, position))
}

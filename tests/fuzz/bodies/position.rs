//! Positions as text: what parses has the stones of the text, prints, and parses back to the same.

use fanorona::board::{BoardSize, PointSet, Wide};
use fanorona::rules::{PositionError, PositionText, Side};

use super::check_message;

pub fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w",
        "1B1/3/WW1 b",
        "1B1/3/WW1_w",
        " ..b/3/wW1   B ",
        "9/9/9/B6B1/B3WW2W w",
        "13/13/13/13/13/13/6W6/13/13/13/13/12B/13 b",
        "W w",
        "3/3/3 w",
        "4/4 w",
        "1B1/3/0W1 w",
        "1B1/3/éW1 w",
        "1B1/3/W1 w",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let parsed = match PositionText::parse(&text) {
        Ok(parsed) => parsed,
        Err(error) => return check_message(&error.to_string()),
    };
    let size = parsed.size();
    let position = parsed.on::<Wide>(size).expect("a position is on its own board");
    let off_board = (size.points()..Wide::CAPACITY).any(|point| (position.white | position.black).contains(point));
    assert!((position.white & position.black).is_empty() && !off_board);
    let (board, to_move) = text.trim().split_once([' ', '_']).expect("a side to move");
    let written = |stone: char| board.chars().filter(|c| c.eq_ignore_ascii_case(&stone)).count();
    assert_eq!((position.white.count(), position.black.count()), (written('W'), written('B')));
    assert_eq!(position.to_move == Side::White, to_move.contains(['w', 'W']));
    let printed = position.to_text(size);
    assert_eq!(PositionText::parse(&printed).expect("what is printed reads back"), parsed);
    if size.points() <= u64::CAPACITY {
        assert_eq!(parsed.on::<u64>(size).expect("a small board").to_text(size), printed);
    }
    let other = BoardSize::new(if size.columns() == 1 { 3 } else { 1 }, 5).expect("a board");
    assert!(matches!(parsed.on::<Wide>(other), Err(PositionError::OtherBoard { .. })));
}

//! Turns with sacrificed stones and vela, written straight from the rules: the block has its own character on the grid.

use super::Rules;
use super::board::{BLACK, Board, EMPTY, Point, WHITE, forward, other, parse, point_name, print};
use super::turns::add_capturing_turns;

/// A sacrificed stone: neither empty nor anybody's.
const BLOCK: char = 'X';

/// What is legal, besides the table rules.
#[derive(Clone, Copy, Debug)]
pub struct Play {
    pub rules: Rules,
    pub sacrifice: bool,
    /// The side that is bound by vela.
    pub vela: Option<char>,
}

/// A turn: its text, the position after it with the block still among its owner's stones, and the block.
pub type PlayTurn = (String, String, Option<String>);

/// Every turn, unmerged, sacrifices last. `block` is the sacrificed stone of the side not to move.
pub fn turns(position: &str, block: Option<&str>, play: Play) -> Vec<PlayTurn> {
    let mut board = parse(position);
    let mine = board.stones_of(board.mover);
    if mine.is_empty() || board.stones_of(other(board.mover)).is_empty() {
        return Vec::new();
    }
    if let Some(block) = block {
        let at = point_of(&board, block);
        assert_eq!(board.at(at), Some(other(board.mover)), "the block is a stone of the side not to move");
        board.put(at, BLOCK);
    }
    let bound = play.vela == Some(board.mover) && mine.len() > 5;
    let mut found = Vec::new();
    if !bound {
        for &from in &mine {
            add_capturing_turns(&board, &point_name(from), &[from], play.rules, &mut found);
        }
    }
    if found.is_empty() {
        for &from in &mine {
            for step in board.steps_to_empty_points(from, play.rules) {
                let to = forward(from, step);
                let text = format!("{}-{}", point_name(from), point_name(to));
                found.push((text, print(&board.after_step(from, to, &[]).passed_on())));
            }
        }
    }
    // The block has stood for one turn.
    let gone = |position: &str| position_without_block(position);
    let mut all: Vec<PlayTurn> = found.into_iter().map(|(text, after)| (text, gone(&after), None)).collect();
    if play.sacrifice {
        for &stone in &mine {
            let after = gone(&print(&board.clone().passed_on()));
            all.push((format!("{}x", point_name(stone)), after, Some(point_name(stone))));
        }
    }
    all
}

/// The printed form with the block taken away.
fn position_without_block(position: &str) -> String {
    print(&parse(&position.replace(BLOCK, &EMPTY.to_string())))
}

fn point_of(board: &Board, name: &str) -> Point {
    board.points().into_iter().find(|&point| point_name(point) == name).expect("a point of the board")
}

/// How a game is over because a side has no stones or no turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    Won(char),
    Drawn,
}

pub fn over(position: &str, block: Option<&str>, play: Play) -> Option<Over> {
    let board = parse(position);
    let loser = [board.mover, other(board.mover)].into_iter().find(|&side| board.stones_of(side).is_empty());
    if let Some(loser) = loser {
        return Some(Over::Won(other(loser)));
    }
    if !turns(position, block, play).is_empty() {
        return None;
    }
    Some(if play.rules.stalemate_is_loss { Over::Won(other(board.mover)) } else { Over::Drawn })
}

/// The characters for the sides.
pub const SIDES: [char; 2] = [WHITE, BLACK];

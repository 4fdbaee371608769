//! Every turn of a position, and the positions that turns end in.

use std::collections::BTreeSet;

use super::board::{BLACK, Board, Point, Step, WHITE, forward, opposite, parse, point_name, print};
use super::{Directions, Rules};

/// Every turn, unmerged: the move text, dashed and with its A and W, and the position it ends in.
pub fn turns(position: &str, rules: Rules) -> Vec<(String, String)> {
    let board = parse(position);
    let mut turns = Vec::new();
    // Once a side has no stones the game is over, whichever side is to move.
    if board.stones_of(WHITE).is_empty() || board.stones_of(BLACK).is_empty() {
        return turns;
    }
    for from in board.stones_of(board.mover) {
        add_capturing_turns(&board, &point_name(from), &[from], rules, &mut turns);
    }
    // Capturing is compulsory: paika only where no stone at all can capture.
    if turns.is_empty() {
        for from in board.stones_of(board.mover) {
            for step in board.steps_to_empty_points(from, rules) {
                let to = forward(from, step);
                let text = format!("{}-{}", point_name(from), point_name(to));
                turns.push((text, print(&board.after_step(from, to, &[]).passed_on())));
            }
        }
    }
    turns
}

/// Adds every turn that goes on with a capturing step from here, and says whether there is one.
/// `text` is the move so far, `visited` the points the stone has stood on this turn, its present one last.
pub fn add_capturing_turns(
    board: &Board,
    text: &str,
    visited: &[Point],
    rules: Rules,
    turns: &mut Vec<(String, String)>,
) -> bool {
    let from = *visited.last().expect("the origin is always there");
    let steps_made: Vec<Step> = visited.windows(2).map(|two| (two[1].0 - two[0].0, two[1].1 - two[0].1)).collect();
    let last_step = steps_made.last().copied();
    let mut can_capture = false;
    for step in board.steps_to_empty_points(from, rules) {
        let to = forward(from, step);
        let forbidden = match rules.directions {
            Directions::NotRepeated => last_step == Some(step),
            Directions::Once => steps_made.contains(&step),
            Directions::Turning => last_step == Some(step) || last_step == Some(opposite(step)),
        };
        if visited.contains(&to) || forbidden {
            continue;
        }
        for (letter, captured) in board.captures_of(from, step) {
            can_capture = true;
            let after = board.after_step(from, to, &captured);
            let text = format!("{text}-{}{letter}", point_name(to));
            let visited = [visited, &[to]].concat();
            let goes_on = add_capturing_turns(&after, &text, &visited, rules, turns);
            // Obligatory: the turn ends only where the chain cannot go on.
            if rules.optional || !goes_on {
                turns.push((text, print(&after.passed_on())));
            }
        }
    }
    can_capture
}

/// The merged moves: every different position that a turn can end in.
pub fn successors(position: &str, rules: Rules) -> BTreeSet<String> {
    turns(position, rules).into_iter().map(|(_, result)| result).collect()
}

/// The number of ways to play `depth` merged moves.
pub fn perft(position: &str, depth: u32, rules: Rules) -> u64 {
    if depth == 0 {
        return 1;
    }
    let successors = successors(position, rules);
    let counts = successors.iter().map(|next| perft(next, depth - 1, rules));
    counts.sum()
}

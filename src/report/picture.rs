//! Draws a position as text.

use crate::board::{Board, PointSet};
use crate::rules::Position;

/// Stones `W` and `B`, empty points `+` (strong) and `·` (weak), the lines between them, and coordinates.
#[must_use]
pub fn picture<P: PointSet>(board: &Board<P>, position: &Position<P>) -> String {
    let (columns, rows) = (board.size().columns(), board.size().rows());
    let point = |column: usize, row: usize| column + columns * row;
    let strong = |column: usize, row: usize| board.is_strong(point(column, row));
    let mut lines = Vec::new();
    for row in (0..rows).rev() {
        let stones: Vec<&str> = (0..columns)
            .map(|column| match point(column, row) {
                p if position.white.contains(p) => "W",
                p if position.black.contains(p) => "B",
                _ if strong(column, row) => "+",
                _ => "·",
            })
            .collect();
        lines.push(format!("{:>3} {}", row + 1, stones.join("---")));
        if row > 0 {
            let mut between = String::from("    |");
            for column in 1..columns {
                // The diagonals of each square meet in its strong corners.
                between.push_str(if strong(column - 1, row) { " \\ |" } else { " / |" });
            }
            lines.push(between);
        }
    }
    let letters: Vec<String> =
        (0..columns).map(|column| crate::board::point_name(board.size(), column)[..1].to_owned()).collect();
    lines.push(format!("    {}", letters.join("   ")));
    lines.push(format!("    {} to move", position.to_move.name()));
    lines.join("\n")
}

//! The board as a grid of characters, its steps and captures, and its text.

use super::Rules;

pub const WHITE: char = 'W';
pub const BLACK: char = 'B';
pub const EMPTY: char = '.';

/// The letters of the columns, from the left; also the limit on the size of a board, both ways.
const COLUMN_LETTERS: &str = "abcdefghijklm";

/// The eight directions as (columns to the right, rows up).
const STRAIGHT: [Step; 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
const DIAGONAL: [Step; 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// A point as (column, row), both from 0: a1 is (0, 0). It may be off the board.
pub type Point = (i32, i32);
/// A direction, or the way from one point to a neighbour.
pub type Step = (i32, i32);

/// A position: a grid of characters and the colour whose turn it is.
#[derive(Clone, Debug)]
pub struct Board {
    columns: usize,
    /// Row after row from the bottom: the opposite order of the position text.
    grid: Vec<char>,
    pub mover: char,
}

impl Board {
    pub fn empty(columns: usize, rows: usize) -> Self {
        Self { columns, grid: vec![EMPTY; columns * rows], mover: WHITE }
    }

    fn columns(&self) -> i32 {
        self.columns as i32
    }

    fn rows(&self) -> i32 {
        (self.grid.len() / self.columns) as i32
    }

    /// What stands on a point: `W`, `B` or `.`; nothing off the board.
    pub fn at(&self, (column, row): Point) -> Option<char> {
        if column < 0 || row < 0 || column >= self.columns() || row >= self.rows() {
            return None;
        }
        Some(self.grid[row as usize * self.columns + column as usize])
    }

    pub fn put(&mut self, (column, row): Point, what: char) {
        self.grid[row as usize * self.columns + column as usize] = what;
    }

    pub fn points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for row in 0..self.rows() {
            for column in 0..self.columns() {
                points.push((column, row));
            }
        }
        points
    }

    pub fn stones_of(&self, colour: char) -> Vec<Point> {
        self.points().into_iter().filter(|&point| self.at(point) == Some(colour)).collect()
    }

    /// Strong and weak points alternate; either a1 or the middle point is strong.
    fn is_strong(&self, (column, row): Point, rules: Rules) -> bool {
        let (strong_column, strong_row) = if rules.corner { (0, 0) } else { (self.columns() / 2, self.rows() / 2) };
        // An even distance along the lines of the grid leads to a point of the same kind.
        ((column - strong_column).abs() + (row - strong_row).abs()) % 2 == 0
    }

    /// The steps a stone on `from` can take to an empty point along a line, capturing or not.
    pub fn steps_to_empty_points(&self, from: Point, rules: Rules) -> Vec<Step> {
        let mut steps = STRAIGHT.to_vec();
        if self.is_strong(from, rules) {
            steps.extend(DIAGONAL); // A diagonal joins two strong points: one end tells.
        }
        steps.retain(|&step| self.at(forward(from, step)) == Some(EMPTY));
        steps
    }

    /// Every enemy stone in line from `first` on, until an empty point, an own stone or the edge.
    fn enemy_run(&self, first: Point, direction: Step) -> Vec<Point> {
        let mut run = Vec::new();
        let mut point = first;
        while self.at(point) == Some(other(self.mover)) {
            run.push(point);
            point = forward(point, direction);
        }
        run
    }

    /// The captures a step offers, letter and captured stones: none, one, or two different moves.
    pub fn captures_of(&self, from: Point, step: Step) -> Vec<(char, Vec<Point>)> {
        let to = forward(from, step);
        let approach = self.enemy_run(forward(to, step), step);
        let withdrawal = self.enemy_run(forward(from, opposite(step)), opposite(step));
        let mut captures = vec![('A', approach), ('W', withdrawal)];
        captures.retain(|(_, captured)| !captured.is_empty());
        captures
    }

    /// The board after one step, the mover still to move.
    pub fn after_step(&self, from: Point, to: Point, captured: &[Point]) -> Board {
        let mut after = self.clone();
        after.put(from, EMPTY);
        after.put(to, self.mover);
        for &point in captured {
            after.put(point, EMPTY);
        }
        after
    }

    /// The same stones with the other side to move: what a turn ends in.
    pub fn passed_on(self) -> Board {
        Board { mover: other(self.mover), ..self }
    }
}

pub fn other(colour: char) -> char {
    if colour == WHITE { BLACK } else { WHITE }
}

pub fn forward(point: Point, step: Step) -> Point {
    (point.0 + step.0, point.1 + step.1)
}

pub fn opposite(step: Step) -> Step {
    (-step.0, -step.1)
}

// Texts

/// Reads a position text; panics on a bad one, since tests write them all.
pub fn parse(position: &str) -> Board {
    let text = position.replace('_', " ");
    let (stones, side) = text.split_once(' ').unwrap_or_else(|| panic!("no side to move in {position:?}"));
    let mover = match side {
        "w" => WHITE,
        "b" => BLACK,
        _ => panic!("the side to move in {position:?} is neither w nor b"),
    };
    let mut ranks: Vec<Vec<char>> = stones.split('/').map(|rank| parse_rank(rank, position)).collect();
    ranks.reverse(); // The text begins at the top, the grid at the bottom.
    let columns = ranks[0].len();
    assert!(columns > 0, "{position:?} has no columns");
    assert!(ranks.iter().all(|rank| rank.len() == columns), "{position:?} has ranks of different lengths");
    Board { columns, grid: ranks.concat(), mover }
}

/// One rank of a position text as characters, runs of empties spelt out.
fn parse_rank(rank: &str, position: &str) -> Vec<char> {
    let mut points = Vec::new();
    let mut digits = String::new(); // Kept until a run ends: `13` is thirteen, not one and three.
    for character in rank.chars().chain(['\n']) {
        if character.is_ascii_digit() {
            digits.push(character);
            continue;
        }
        if !digits.is_empty() {
            let run: usize = digits.parse().expect("only digits were collected");
            points.extend(vec![EMPTY; run]);
            digits.clear();
        }
        match character {
            WHITE | BLACK | EMPTY => points.push(character),
            '\n' => {} // The end mark put there to flush the last run.
            _ => panic!("bad character {character:?} in {position:?}"),
        }
    }
    points
}

/// The printed form of a position: ranks from the top, run lengths, side to move.
pub fn print(board: &Board) -> String {
    let mut text = String::new();
    for rank in board.grid.chunks(board.columns).rev() {
        // Pieces are all empties or all of one colour.
        for piece in rank.chunk_by(|left, right| left == right) {
            if piece[0] == EMPTY {
                text.push_str(&piece.len().to_string());
            } else {
                text.extend(piece);
            }
        }
        text.push('/');
    }
    text.pop(); // There is none after the last rank.
    text.push_str(if board.mover == WHITE { " w" } else { " b" });
    text
}

/// The name of a point, such as `b2`.
pub fn point_name((column, row): Point) -> String {
    let letter = COLUMN_LETTERS.chars().nth(column as usize).expect("a column beyond m");
    format!("{letter}{}", row + 1)
}

/// The position text of the start position.
pub fn start(columns: usize, rows: usize) -> String {
    for size in [columns, rows] {
        assert!(size % 2 == 1 && size <= COLUMN_LETTERS.len(), "{columns}x{rows}: sizes are odd, 1 to 13");
    }
    // The middle row alternates from black at the left; the empty middle point takes no turn in it.
    let mut middle_row = Vec::new();
    let mut next = BLACK;
    for column in 0..columns {
        if column == columns / 2 {
            middle_row.push(EMPTY);
        } else {
            middle_row.push(next);
            next = other(next);
        }
    }
    let side = columns * (rows / 2);
    let grid = [vec![WHITE; side], middle_row, vec![BLACK; side]].concat();
    print(&Board { columns, grid, mover: WHITE })
}

//! A slow Fanorona written straight from the rules, for tests to check the fast library against.

// Every test program that includes this module uses only a part of it.
#![allow(dead_code)]
// Grids are a few points wide, so coordinates fit any number type.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

pub mod play;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

/// The rule options that change moves or values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The strong points: true = those of a1's kind, false = those of the middle point's kind.
    pub corner: bool,
    /// Whether a player may stop a chain early: true = optional, false = obligatory.
    pub optional: bool,
    /// Which way a chain may not go on.
    pub directions: Directions,
    /// What a side with stones but no legal move gets: true = loss, false = draw.
    pub stalemate_is_loss: bool,
}

impl Rules {
    pub const DEFAULT: Self =
        Self { corner: true, optional: true, directions: Directions::NotRepeated, stalemate_is_loss: true };
}

/// Directions that a capturing step may not take, by the steps before it in the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Directions {
    /// That of the step before.
    NotRepeated,
    /// Those of all steps before.
    Once,
    /// That of the step before and the opposite one.
    Turning,
}

/// The value of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    Win,
    Draw,
    Loss,
}

// The board

const WHITE: char = 'W';
const BLACK: char = 'B';
const EMPTY: char = '.';

/// The letters of the columns, from the left; also the limit on the size of a board, both ways.
const COLUMN_LETTERS: &str = "abcdefghijklm";

/// The eight directions as (columns to the right, rows up).
const STRAIGHT: [Step; 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
const DIAGONAL: [Step; 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// A point as (column, row), both from 0: a1 is (0, 0). It may be off the board.
type Point = (i32, i32);
/// A direction, or the way from one point to a neighbour.
type Step = (i32, i32);

/// A position: a grid of characters and the colour whose turn it is.
#[derive(Clone, Debug)]
struct Board {
    /// `grid[row][column]`, row 0 at the bottom: the opposite order of the position text.
    grid: Vec<Vec<char>>,
    mover: char,
}

impl Board {
    fn columns(&self) -> i32 {
        self.grid[0].len() as i32
    }

    fn rows(&self) -> i32 {
        self.grid.len() as i32
    }

    /// What stands on a point: `W`, `B` or `.`; nothing off the board.
    fn at(&self, (column, row): Point) -> Option<char> {
        if column < 0 || row < 0 || column >= self.columns() || row >= self.rows() {
            return None;
        }
        Some(self.grid[row as usize][column as usize])
    }

    fn put(&mut self, (column, row): Point, what: char) {
        self.grid[row as usize][column as usize] = what;
    }

    fn points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for row in 0..self.rows() {
            for column in 0..self.columns() {
                points.push((column, row));
            }
        }
        points
    }

    fn stones_of(&self, colour: char) -> Vec<Point> {
        self.points().into_iter().filter(|&point| self.at(point) == Some(colour)).collect()
    }

    /// Strong and weak points alternate; either a1 or the middle point is strong.
    fn is_strong(&self, (column, row): Point, rules: Rules) -> bool {
        let (strong_column, strong_row) = if rules.corner { (0, 0) } else { (self.columns() / 2, self.rows() / 2) };
        // An even distance along the lines of the grid leads to a point of the same kind.
        ((column - strong_column).abs() + (row - strong_row).abs()) % 2 == 0
    }

    /// The steps a stone on `from` can take to an empty point along a line, capturing or not.
    fn steps_to_empty_points(&self, from: Point, rules: Rules) -> Vec<Step> {
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
    fn captures_of(&self, from: Point, step: Step) -> Vec<(char, Vec<Point>)> {
        let to = forward(from, step);
        let approach = self.enemy_run(forward(to, step), step);
        let withdrawal = self.enemy_run(forward(from, opposite(step)), opposite(step));
        let mut captures = vec![('A', approach), ('W', withdrawal)];
        captures.retain(|(_, captured)| !captured.is_empty());
        captures
    }

    /// The board after one step, the mover still to move.
    fn after_step(&self, from: Point, to: Point, captured: &[Point]) -> Board {
        let mut after = self.clone();
        after.put(from, EMPTY);
        after.put(to, self.mover);
        for &point in captured {
            after.put(point, EMPTY);
        }
        after
    }

    /// The same stones with the other side to move: what a turn ends in.
    fn passed_on(&self) -> Board {
        Board { grid: self.grid.clone(), mover: other(self.mover) }
    }
}

fn other(colour: char) -> char {
    if colour == WHITE { BLACK } else { WHITE }
}

fn forward(point: Point, step: Step) -> Point {
    (point.0 + step.0, point.1 + step.1)
}

fn opposite(step: Step) -> Step {
    (-step.0, -step.1)
}

// Texts

/// Reads a position text; panics on a bad one, since tests write them all.
fn parse(position: &str) -> Board {
    let text = position.replace('_', " ");
    let (stones, side) = text.split_once(' ').unwrap_or_else(|| panic!("no side to move in {position:?}"));
    let mover = match side {
        "w" => WHITE,
        "b" => BLACK,
        _ => panic!("the side to move in {position:?} is neither w nor b"),
    };
    let mut grid: Vec<Vec<char>> = stones.split('/').map(|rank| parse_rank(rank, position)).collect();
    grid.reverse(); // The text begins at the top, the grid at the bottom.
    assert!(!grid[0].is_empty(), "{position:?} has no columns");
    assert!(grid.iter().all(|rank| rank.len() == grid[0].len()), "{position:?} has ranks of different lengths");
    Board { grid, mover }
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
fn print(board: &Board) -> String {
    let ranks: Vec<String> = board.grid.iter().rev().map(|rank| print_rank(rank)).collect();
    let side = if board.mover == WHITE { "w" } else { "b" };
    format!("{} {side}", ranks.join("/"))
}

fn print_rank(rank: &[char]) -> String {
    let mut text = String::new();
    // Pieces are all empties or all of one colour.
    for piece in rank.chunk_by(|left, right| left == right) {
        if piece[0] == EMPTY {
            text.push_str(&piece.len().to_string());
        } else {
            text.extend(piece);
        }
    }
    text
}

/// The name of a point, such as `b2`.
fn point_name((column, row): Point) -> String {
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
    let mut grid = Vec::new();
    grid.extend(vec![vec![WHITE; columns]; rows / 2]);
    grid.push(middle_row);
    grid.extend(vec![vec![BLACK; columns]; rows / 2]);
    print(&Board { grid, mover: WHITE })
}

// Turns

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
fn add_capturing_turns(
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

// Sets of positions

/// Every placement of at most `max_stones` stones with both colours present, either side to move.
/// Also, so that the set is closed under successors, every board of one colour with fewer than
/// `max_stones` stones where the side without stones is to move.
pub fn all_positions(columns: usize, rows: usize, max_stones: usize) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut board = Board { grid: vec![vec![EMPTY; columns]; rows], mover: WHITE };
    let points = board.points();
    add_placements(&mut board, &points, max_stones, max_stones, &mut found);
    found
}

/// Fills the remaining points in every way with at most `stones_left` more stones.
fn add_placements(
    board: &mut Board,
    remaining: &[Point],
    stones_left: usize,
    max_stones: usize,
    found: &mut HashSet<String>,
) {
    if let [point, remaining @ ..] = remaining {
        add_placements(board, remaining, stones_left, max_stones, found);
        if stones_left > 0 {
            for colour in [WHITE, BLACK] {
                board.put(*point, colour);
                add_placements(board, remaining, stones_left - 1, max_stones, found);
            }
            board.put(*point, EMPTY);
        }
        return;
    }
    for mover in [WHITE, BLACK] {
        board.mover = mover;
        let own = board.stones_of(mover).len();
        let enemy = board.stones_of(other(mover)).len();
        let both_are_there = own > 0 && enemy > 0;
        // The enemy has just taken the last stones, so there was one stone more before.
        let mover_has_lost = own == 0 && enemy > 0 && enemy < max_stones;
        if both_are_there || mover_has_lost {
            found.insert(print(board));
        }
    }
}

// Values

/// Value for the side to move and, for a win or a loss, the plies to the end of the game (the winner shortens, the loser
/// lengthens), by the printed form of the position.
pub type Values = HashMap<String, (Value, Option<u32>)>;

/// Solves every position of a set that is closed under successors and written in printed form.
pub fn solve(positions: &HashSet<String>, rules: Rules) -> Values {
    // Numbers in place of texts, so that the rounds below are quick.
    let texts: Vec<String> = positions.iter().cloned().collect();
    let index_of: HashMap<&str, usize> = texts.iter().enumerate().map(|(index, text)| (text.as_str(), index)).collect();
    let index = |text: &str, after: String| {
        *index_of.get(after.as_str()).unwrap_or_else(|| panic!("{text} leads out of the set, to {after}"))
    };
    let successors_of: Vec<Vec<usize>> = texts
        .iter()
        .map(|text| successors(text, rules).into_iter().map(|after| index(text, after)).collect())
        .collect();
    solve_graph(texts, &successors_of, rules)
}

/// Solves a position and all that can come up after it; once for all tests of a program.
pub fn solve_after(first: &str, rules: Rules) -> Arc<Values> {
    type Solved = HashMap<(String, Rules), Arc<OnceLock<Arc<Values>>>>;
    static SOLVED: LazyLock<Mutex<Solved>> = LazyLock::new(Mutex::default);
    let cell = SOLVED.lock().expect("no panics").entry((first.to_owned(), rules)).or_default().clone();
    let solve = || {
        let (mut texts, mut successors_of) = (vec![first.to_owned()], Vec::new());
        let mut index_of = HashMap::from([(first.to_owned(), 0)]);
        while let Some(text) = texts.get(successors_of.len()) {
            let mut indices = Vec::new();
            for after in successors(text, rules) {
                let next = index_of.len();
                indices.push(*index_of.entry(after.clone()).or_insert_with(|| {
                    texts.push(after);
                    next
                }));
            }
            successors_of.push(indices);
        }
        Arc::new(solve_graph(texts, &successors_of, rules))
    };
    cell.get_or_init(solve).clone()
}

/// Values of positions from the numbers of those that follow each.
fn solve_graph(texts: Vec<String>, successors_of: &[Vec<usize>], rules: Rules) -> Values {
    // Round 0: the games that are over.
    let mut known: Vec<Known> = Vec::new();
    for (text, successors) in texts.iter().zip(successors_of) {
        known.push(value_if_over(text, successors.is_empty(), rules));
    }

    // Round n finds what is decided in n plies, looking only at what the rounds before it found.
    loop {
        let mut news = Vec::new();
        for index in 0..texts.len() {
            if known[index].is_none()
                && let Some(value) = value_by_definition(&successors_of[index], &known)
            {
                news.push((index, value));
            }
        }
        if news.is_empty() {
            break;
        }
        for (index, value) in news {
            known[index] = Some(value);
        }
    }

    let value = |known: Known| known.map_or((Value::Draw, None), |(value, plies)| (value, Some(plies)));
    texts.into_iter().zip(known.into_iter().map(value)).collect()
}

/// Value and plies of a position found won or lost so far; what stays `None` to the end is a draw.
type Known = Option<(Value, u32)>;

/// The value of a position where the game is over and not drawn.
fn value_if_over(position: &str, no_turns: bool, rules: Rules) -> Known {
    let board = parse(position);
    if board.stones_of(board.mover).is_empty() {
        Some((Value::Loss, 0))
    } else if board.stones_of(other(board.mover)).is_empty() {
        Some((Value::Win, 0))
    } else if no_turns && rules.stalemate_is_loss {
        Some((Value::Loss, 0))
    } else {
        None
    }
}

/// A win if some successor is lost (the quickest counts), a loss if all are won (the slowest).
fn value_by_definition(successors: &[usize], known: &[Known]) -> Known {
    let mut losses = Vec::new(); // The plies of the lost successors,
    let mut wins = Vec::new(); // and of the won ones.
    for &successor in successors {
        match known[successor] {
            Some((Value::Loss, plies)) => losses.push(plies),
            Some((Value::Win, plies)) => wins.push(plies),
            _ => {}
        }
    }
    if let Some(quickest) = losses.iter().min() {
        return Some((Value::Win, 1 + quickest));
    }
    if wins.len() < successors.len() {
        return None;
    }
    // No successors at all is a stalemate that counts as a draw: no slowest win, so not a loss.
    wins.iter().max().map(|slowest| (Value::Loss, 1 + slowest))
}

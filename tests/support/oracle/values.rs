//! Sets of positions, and the value of every position in them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use super::board::{BLACK, Board, EMPTY, Point, WHITE, other, parse, print};
use super::turns::successors;
use super::{Rules, Value};

// Sets of positions

/// Every placement of at most `max_stones` stones with both colours present, either side to move.
/// Also, so that the set is closed under successors, every board of one colour with fewer than
/// `max_stones` stones where the side without stones is to move.
pub fn all_positions(columns: usize, rows: usize, max_stones: usize) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut board = Board::empty(columns, rows);
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

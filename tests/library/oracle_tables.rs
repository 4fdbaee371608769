//! The values and depths that the retrograde generator finds, in memory, against the slow oracle: every position of small
//! boards.

use std::collections::BTreeMap;

use fanorona::board::{BoardSize, Diagonals};
use fanorona::index::{Slice, Space, is_crowded};
use fanorona::retro::{DepthSlices, pairs, solve_cells, solve_crowded, solve_pair};
use fanorona::rules::{Continuation, Directions, Outcome, PositionText, RuleSet, Stalemate};
use fanorona::table::{Cell, Score, SliceValues};

use crate::oracle;
use crate::prover::oracle_rules;

/// Without optimisation the oracle takes ten times as long, and gets smaller sets.
const THOROUGH: bool = !cfg!(debug_assertions);

const DEFAULT: RuleSet = RuleSet {
    diagonals: Diagonals::Corner,
    continuation: Continuation::Optional,
    directions: Directions::NotRepeated,
    stalemate: Stalemate::Loss,
};
const OTHER_RULES: RuleSet = RuleSet {
    diagonals: Diagonals::Centre,
    continuation: Continuation::Obligatory,
    directions: Directions::Once,
    stalemate: Stalemate::Draw,
};
const ONCE: RuleSet = RuleSet { directions: Directions::Once, ..DEFAULT };

/// All slices of a board up to some number of stones.
struct Solved {
    space: Space,
    rules: RuleSet,
    slices: BTreeMap<Slice, SliceValues>,
    depths: DepthSlices<u8>,
}

impl Solved {
    fn new((columns, rows): (usize, usize), rules: RuleSet, stones: usize) -> Self {
        let size = BoardSize::new(columns, rows).unwrap();
        let space = Space::new(size, rules.diagonals);
        let (mut slices, mut depths) = (BTreeMap::new(), DepthSlices::new());
        for slice in pairs(stones, size.points()) {
            let values = solve_pair(&space, rules, slice, &|slice| &slices[&slice], &|_| ());
            slices.extend(values.into_iter().map(|values| (values.slice(), values)));
            let solve = if is_crowded(size.points(), slice) { solve_crowded } else { solve_cells };
            let scores = solve(&space, rules, slice, &|slice| &depths[&slice], &|_| ()).unwrap();
            depths.extend(scores.into_iter().map(|scores| (scores.slice(), scores)));
        }
        Self { space, rules, slices, depths }
    }

    /// The value of a position, and its score; nothing if a side has no stones, since there are no tables for that.
    fn look_up(&self, text: &str) -> Option<(Outcome, Score)> {
        let position = PositionText::parse(text).unwrap().on::<u64>(self.space.board().size()).unwrap();
        let (mover, opponent) = (position.mover(), position.opponent());
        if mover == 0 || opponent == 0 {
            return None;
        }
        let slice = Slice::new(mover.count_ones() as usize, opponent.count_ones() as usize);
        let score = self.depths[&slice].value(&self.space, mover, opponent).score();
        Some((self.slices[&slice].value(&self.space, mover, opponent), score))
    }

    fn value(&self, text: &str) -> Option<Outcome> {
        self.look_up(text).map(|(outcome, _)| outcome)
    }

    fn plies(&self, text: &str) -> Option<u32> {
        self.look_up(text)?.1.plies()
    }

    /// Compares value and depth of each position with the oracle's; gives the number of positions compared.
    fn compare(&self, values: &oracle::Values) -> usize {
        let mut compared = 0;
        for (text, &(expected, plies)) in values {
            let expected = match expected {
                oracle::Value::Win => Outcome::Win,
                oracle::Value::Draw => Outcome::Draw,
                oracle::Value::Loss => Outcome::Loss,
            };
            if let Some((found, score)) = self.look_up(text) {
                assert_eq!(found, expected, "{text}, {}", self.rules);
                assert_eq!((score.outcome(), score.plies()), (expected, plies), "{text}, {}", self.rules);
                compared += 1;
            }
        }
        compared
    }
}

/// Solves and compares every position up to some number of stones; checks that none was left out.
fn compare_all(board: (usize, usize), rules: RuleSet, stones: usize) -> Solved {
    let solved = Solved::new(board, rules, stones);
    let positions = oracle::all_positions(board.0, board.1, stones);
    let compared = solved.compare(&oracle::solve(&positions, oracle_rules(rules)));
    let placements: u64 = Slice::up_to(stones, board.0 * board.1).map(|slice| solved.space.placements(slice)).sum();
    assert_eq!(compared as u64, 2 * placements, "White to move and Black to move");
    solved
}

#[test]
fn complete_3x3_under_all_rules() {
    for rules in RuleSet::all() {
        compare_all((3, 3), rules, 9);
    }
}

#[test]
fn complete_boards_of_one_row_or_column() {
    for board in [(1, 3), (1, 5), (1, 7), (3, 1), (5, 1), (7, 1)] {
        for rules in RuleSet::all() {
            compare_all(board, rules, board.0 * board.1);
        }
    }
}

#[test]
fn boards_of_15_points_to_few_stones() {
    for board in [(3, 5), (5, 3)] {
        compare_all(board, DEFAULT, if THOROUGH { 5 } else { 4 });
        compare_all(board, OTHER_RULES, 4);
        compare_all(board, ONCE, 4);
    }
}

#[test]
fn larger_boards_to_few_stones() {
    compare_all((5, 5), DEFAULT, if THOROUGH { 4 } else { 3 });
    compare_all((5, 5), OTHER_RULES, 3);
    compare_all((9, 5), DEFAULT, 2);
    compare_all((9, 5), OTHER_RULES, 2);
}

/// Slices to the last point of the board, of which play from the start visits those with many stones.
#[test]
fn reachable_positions_of_complete_boards() {
    compare_reachable((3, 3), DEFAULT, Some((1_012, 11)));
    compare_reachable((3, 5), DEFAULT, Some((185_204, 13)));
    compare_reachable((3, 5), ONCE, None);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn reachable_positions_of_more_boards() {
    compare_reachable((5, 3), DEFAULT, Some((444_908, 11)));
    compare_reachable((3, 5), OTHER_RULES, None);
}

/// `known` has the number of positions, and in how many plies White wins the start, as is published.
fn compare_reachable(board: (usize, usize), rules: RuleSet, known: Option<(usize, u32)>) {
    let solved = Solved::new(board, rules, board.0 * board.1);
    let start = oracle::start(board.0, board.1);
    let values = oracle::solve_after(&start, oracle_rules(rules));
    if let Some((count, plies)) = known {
        assert_eq!(values.len(), count, "{board:?}");
        assert_eq!((solved.value(&start), solved.plies(&start)), (Some(Outcome::Win), Some(plies)), "{board:?}");
    }
    let with_both = values.keys().filter(|text| text.contains('W') && text.contains('B')).count();
    assert_eq!(solved.compare(&values), with_both);
}

/// The 3x3 example of the ICGA page: of White's four moves, one draws.
#[test]
fn icga_example_on_3x3() {
    let solved = Solved::new((3, 3), DEFAULT, 3);
    assert_eq!(solved.value("1B1/1W1/1W1 w"), Some(Outcome::Draw));
    for lost_by_white in ["WB1/3/1W1 b", "1B1/W2/1W1 b", "1B1/3/WW1 b"] {
        assert_eq!(solved.value(lost_by_white), Some(Outcome::Win), "{lost_by_white}");
    }
    assert_eq!(solved.value("1B1/1W1/W2 b"), Some(Outcome::Draw));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // Sparse slices are solved by planes, crowded ones position by position.
    for (board, stones) in [((5, 5), 5), ((3, 5), 15)] {
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let solved = pool.install(|| Solved::new(board, DEFAULT, stones));
            (solved.slices, solved.depths)
        };
        let one = with_threads(1);
        assert_eq!(one.0.len(), stones * (stones - 1) / 2); // 1v1, 2v1, 1v2, and so on
        // Not assert_eq, which would print every bit.
        assert!(one == with_threads(3), "{board:?}");
    }
}

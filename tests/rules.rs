//! The rules against golden numbers and the examples of the ICGA page.

use fanorona::board::{Board, BoardSize};
use fanorona::rules::{Game, Position, RuleSet, perft};

fn start_perft(size: &str, depth: u32) -> u64 {
    let size: BoardSize = size.parse().unwrap();
    let rules = RuleSet::default();
    let game = Game::new(Board::<u64>::new(size, rules.diagonals), rules);
    let start = Position::start(size);
    perft(&game, start.mover(), start.opponent(), depth)
}

#[test]
fn perft_of_the_start_positions() {
    let counts: Vec<u64> = (1..=5).map(|depth| start_perft("9x5", depth)).collect();
    assert_eq!(counts, [5, 39, 724, 18_026, 431_830]);
    let counts: Vec<u64> = (1..=5).map(|depth| start_perft("5x5", depth)).collect();
    assert_eq!(counts, [5, 21, 202, 3_469, 34_608]);
}

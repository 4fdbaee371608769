//! Openings of matches: random ones are even by a slow twin of the search, different, and always the same; lists are read.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicBool;

use fanorona::BoardSize;
use fanorona::game::PlayRules;
use fanorona::matches::{Adjudicator, OpeningError, Openings, RandomOpenings};

use crate::oracle;

const RULES: oracle::Rules = oracle::Rules::DEFAULT;

fn board() -> BoardSize {
    "3x5".parse().unwrap()
}

/// The positions of random openings, as far as there are so many.
fn positions(by: RandomOpenings, count: usize) -> Vec<String> {
    let mut openings = Openings::random(by, board(), PlayRules::default());
    let found =
        (0..count).map_while(|number| openings.get(number, Adjudicator::default(), &AtomicBool::new(false)).ok());
    found
        .map(|opening| {
            assert_eq!(opening.moves.len(), usize::try_from(by.plies).unwrap());
            opening.replay().unwrap().view().position
        })
        .collect()
}

type Seen = BTreeMap<(String, u32), i32>;

/// The stones by which the side to move is ahead after the best turns of both.
fn lead(position: &str, depth: u32, seen: &mut Seen) -> i32 {
    if let Some(&known) = seen.get(&(position.to_owned(), depth)) {
        return known;
    }
    let next = if depth == 0 { None } else { Some(oracle::successors(position, RULES)) };
    let value = next.into_iter().flatten().map(|next| -lead(&next, depth - 1, seen)).max();
    let value = value.unwrap_or_else(|| {
        let (ranks, mover) = position.split_once(' ').unwrap();
        let count = |side: char| i32::try_from(ranks.chars().filter(|&stone| stone == side).count()).unwrap();
        if mover == "w" { count('W') - count('B') } else { count('B') - count('W') }
    });
    seen.insert((position.to_owned(), depth), value);
    value
}

#[test]
fn random_openings_are_even_and_different() {
    let mut seen = Seen::new();
    for balance in [0, 1] {
        let even = positions(RandomOpenings { plies: 3, balance, seed: 7 }, 6);
        assert!(even.len() >= 2, "{balance}: {even:?}");
        assert_eq!(even.iter().collect::<HashSet<_>>().len(), even.len());
        for position in &even {
            assert!(lead(position, 6, &mut seen).unsigned_abs() <= balance, "{position}");
        }
    }
    // Without the condition there are others too.
    let all = positions(RandomOpenings { plies: 3, balance: 99, seed: 7 }, 6);
    assert!(all.iter().any(|position| lead(position, 6, &mut seen).abs() > 1), "{all:?}");
    // Every even position is found before the search for openings gives up.
    let count = 200;
    let found: HashSet<String> =
        positions(RandomOpenings { plies: 2, balance: 1, seed: 1 }, count).into_iter().collect();
    let start = oracle::start(3, 5);
    let second = oracle::successors(&start, RULES).into_iter().flat_map(|first| oracle::successors(&first, RULES));
    let expected: HashSet<String> =
        second.filter(|position| lead(position, 6, &mut seen).abs() <= 1 && !is_over(position)).collect();
    assert!(found.len() < count);
    assert_eq!(found, expected);
}

fn is_over(position: &str) -> bool {
    oracle::successors(position, RULES).is_empty()
}

#[test]
fn the_seed_decides() {
    let by = |seed| positions(RandomOpenings { plies: 4, balance: 2, seed }, 5);
    assert_eq!(by(1), by(1));
    assert_ne!(by(1), by(2));
}

#[test]
fn lists_are_read_line_by_line() {
    let text = "# two\n\nb2-c3A # a move\n5/5/2B2/5/W1W2 b\n";
    let (size, rules) = ("5x5".parse().unwrap(), PlayRules::default());
    let mut openings = Openings::list(text, size, rules).unwrap();
    assert_eq!(openings.listed(), Some(2));
    let mut get = |number| openings.get(number, Adjudicator::default(), &AtomicBool::new(false));
    assert_eq!(get(0).unwrap().moves, ["b2-c3A"]);
    assert_eq!(get(1).unwrap().position.as_deref(), Some("5/5/2B2/5/W1W2 b"));
    assert!(matches!(get(2), Err(OpeningError::TooFew { found: 2, ended: false })));
    let stopped = Openings::random(RandomOpenings { plies: 4, balance: 2, seed: 1 }, size, rules).get(
        0,
        Adjudicator::default(),
        &AtomicBool::new(true),
    );
    assert!(matches!(stopped, Err(OpeningError::Interrupted)));
    for (text, words) in [
        ("", "is empty"),
        ("b2-c3A\nb2-b9\n", "line 2 of the openings: move 1"),
        ("3/3/W1B w", "is on a 3x3 board, the match on 5x5"),
        ("5/5/5/5/W4 b", "the game is over"),
        ("5/5/5", "line 1 of the openings"),
    ] {
        let error = Openings::list(text, size, rules).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn positions_of_one_row_are_read() {
    let list = Openings::list("BW1BW w\n", "5x1".parse().unwrap(), PlayRules::default());
    let opening = list.expect("an opening").get(0, Adjudicator::default(), &AtomicBool::new(false)).expect("the first");
    assert_eq!(opening.replay().unwrap().view().position, "BW1BW w");
}

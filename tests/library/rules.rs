//! The rules against golden numbers, the examples of the ICGA page, and the text forms.

use std::collections::BTreeSet;

use fanorona::board::{Board, BoardSize, BoardSizeError, PointSet, Wide};
use fanorona::game::{Action, ActionError, Referee, State, parse_action};
use fanorona::rules::{
    Directions, MoveError, Position, PositionError, PositionText, RuleSet, Rules, Side, Turn, perft, turn_text,
};
use fanorona::verify::{Stones, for_each_turn};

use crate::oracle;

/// The referee and the position that a text describes.
fn read<P: PointSet>(text: &str, rules: RuleSet) -> (Referee<P>, Position<P>) {
    let text = PositionText::parse(text).unwrap();
    (Referee::new(text.size(), rules.into()), text.on(text.size()).unwrap())
}

/// The turn that a text describes, and the position after it.
pub fn read_turn<P: PointSet>(
    referee: &Referee<P>,
    position: &Position<P>,
    text: &str,
) -> Result<(Turn, Position<P>), ActionError> {
    parse_action(referee, &State::from(*position), text).map(|read| match read.action {
        Action::Move(turn) => (turn, read.after.position),
        Action::Sacrifice(_) => panic!("{text} is no turn"),
    })
}

/// Plays a move text on a position text; gives the text of the position after it.
fn play(position: &str, turn: &str) -> Result<String, ActionError> {
    let (referee, position) = read::<Wide>(position, RuleSet::default());
    read_turn(&referee, &position, turn).map(|(_, after)| after.to_text(referee.board().size()))
}

/// The legal turns of that stone, from the error that a text for an illegal turn gives.
fn refused(position: &str, turn: &str) -> Vec<String> {
    match play(position, turn) {
        Err(ActionError::Illegal { text, candidates, stone, .. }) => {
            assert_eq!((text.as_str(), stone.as_str()), (turn, &turn[..2]));
            // Those of all stones where it has none.
            candidates.into_iter().filter(|candidate| candidate.starts_with(&stone)).collect()
        }
        other => panic!("{turn} on {position}: {other:?}"),
    }
}

fn sizes() -> impl Iterator<Item = BoardSize> {
    let odd = || (1..=13).step_by(2);
    odd().flat_map(move |columns| odd().map(move |rows| BoardSize::new(columns, rows).unwrap()))
}

fn start_perft<P: PointSet>(size: &str, rules: RuleSet, depths: std::ops::RangeInclusive<u32>) -> Vec<u64> {
    let size: BoardSize = size.parse().unwrap();
    let (game, start) = (Rules::new(Board::new(size, rules.diagonals), rules), Position::<P>::start(size));
    depths.map(|depth| perft(&game, start.mover(), start.opponent(), depth)).collect()
}

#[test]
fn perft_of_the_start_positions() {
    let rules = RuleSet::default();
    assert_eq!(start_perft::<u64>("9x5", rules, 1..=6), [5, 39, 724, 18_026, 431_830, 9_204_447]);
    assert_eq!(start_perft::<u64>("5x5", rules, 1..=5), [5, 21, 202, 3_469, 34_608]);
    assert_eq!(start_perft::<Wide>("9x5", rules, 0..=4), [1, 5, 39, 724, 18_026]);
}

/// The numbers are also those of the slow oracle, and of the verifier's generator.
#[test]
fn perft_where_no_direction_occurs_twice_in_a_turn() {
    let rules = RuleSet { directions: Directions::Once, ..RuleSet::default() };
    assert_eq!(start_perft::<u64>("9x5", rules, 1..=6), [5, 39, 643, 13_550, 270_194, 5_260_514]);
    assert_eq!(start_perft::<u64>("5x5", rules, 1..=5), [5, 21, 180, 2_506, 24_071]);
    for (board, depth, count) in [("9x5", 4, 13_550), ("5x5", 5, 24_071)] {
        let size: BoardSize = board.parse().unwrap();
        let oracle_rules = oracle::Rules { directions: oracle::Directions::Once, ..oracle::Rules::DEFAULT };
        assert_eq!(oracle::perft(&oracle::start(size.columns(), size.rows()), depth, oracle_rules), count);
        let board = Board::new(size, rules.diagonals);
        let start = Position::<u64>::start(size);
        assert_eq!(verifier_perft(&board, rules, Stones { own: start.white, enemy: start.black }, depth), count);
    }
}

fn verifier_perft(board: &Board<u64>, rules: RuleSet, stones: Stones, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut boards = BTreeSet::new();
    if stones.own != 0 && stones.enemy != 0 {
        for_each_turn(board, rules.into(), stones, &mut |after| {
            boards.insert((after.enemy, after.own));
            true
        });
    }
    boards.into_iter().map(|(own, enemy)| verifier_perft(board, rules, Stones { own, enemy }, depth - 1)).sum()
}

/// To the right, up, and to the right again.
#[test]
fn a_direction_may_come_again_unless_the_rules_say_once() {
    let position = "9/2B2WBWB/4B4/1W1BB1B2/9 w";
    assert_eq!(play(position, "b2-c2A-c3A-d3A").unwrap(), "9/5WBWB/3W5/6B2/9 b");
    let rules = RuleSet { directions: Directions::Once, ..RuleSet::default() };
    let (referee, position) = read::<u64>(position, rules);
    assert!(read_turn(&referee, &position, "b2-c2A-c3A").is_ok());
    let error = read_turn(&referee, &position, "b2-c2A-c3A-d3A").unwrap_err();
    assert!(matches!(error, ActionError::Illegal { candidates, .. } if candidates.contains(&"b2-c2A-c3A".to_owned())));
}

/// Three of the four lines of the 3x3 example; that the fourth draws is a matter of tables.
#[test]
fn icga_example_on_3x3() {
    let position = "1B1/1W1/1W1 w";
    for (turn, reply) in [("b2-a3", "b3-b2A-c1W"), ("b2-a2", "b3-b2A-c2W"), ("b2-a1", "b3-b2A-c3W")] {
        let end = play(&play(position, turn).unwrap(), reply).unwrap();
        let (referee, end) = read::<u64>(&end, RuleSet::default());
        assert_eq!((end.to_move, end.white, end.black.count()), (Side::White, 0, 1), "{turn} {reply}");
        assert_eq!(referee.board_rules().ending(end.mover(), end.opponent()), Some(fanorona::rules::Outcome::Loss));
    }
    assert_eq!(play(position, "b1-a1").unwrap(), "1B1/1W1/W2 b");
}

#[test]
fn icga_example_on_9x5() {
    let position = "9/2B2WBWB/9/1W1BB1B2/9 w";
    // d2 and e2 are captured, g2 behind the gap is not; and White may stop here.
    assert_eq!(play(position, "b2-c2A").unwrap(), "9/2B2WBWB/9/2W3B2/9 b");
    assert_eq!(play(position, "b2-c2A-c3A").unwrap(), "9/5WBWB/2W6/6B2/9 b");
    // g4 is captured, i4 behind White's own stone is not.
    assert_eq!(play(position, "f4-e4W").unwrap(), "9/2B1W2WB/9/1W1BB1B2/9 b");
    // The same direction twice.
    let legal = refused(position, "f4-e4W-d4A");
    assert!(legal.iter().any(|turn| turn == "f4-e4W") && legal.iter().all(|turn| turn.starts_with("f4-")), "{legal:?}");
    // A paika where captures exist, of the same stone and of one that has none.
    assert!(refused(position, "b2-b1").contains(&"b2-c2A".to_owned()));
    assert_eq!(refused("9/2B2WBWB/9/1W1BB1B2/8W w", "i1-h1"), [""; 0]);

    let with_g5 = "6B2/2B2WBWB/9/1W1BB1B2/9 w";
    assert_eq!(play(with_g5, "f4-e4W-e3A").unwrap(), "6B2/2B4WB/4W4/1W1B2B2/9 b");
    // A point visited, for the step itself is there: a stone that starts on e3 takes g5.
    assert!(refused(with_g5, "f4-e4W-e3A-f4A").contains(&"f4-e4W-e3A".to_owned()));
    assert_eq!(play("6B2/9/4W4/9/9 w", "e3-f4A").unwrap(), "9/5W3/9/9/9 b");
}

#[test]
fn turns_read_back_with_and_without_dashes_and_letters() {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut unneeded, mut ambiguous) = (0, 0);
    for size in ["9x5", "5x5", "3x5", "7x9", "13x13", "1x7", "11x1"] {
        let size: BoardSize = size.parse().unwrap();
        for _ in 0..6 {
            let start = Position::<Wide>::start(size).to_text(size);
            let (referee, mut position) = read::<Wide>(&start, RuleSet::default());
            for _ in 0..12 {
                let turns = referee.board_rules().turns(&position);
                for (turn, after) in &turns {
                    let text = turn_text(size, turn);
                    let expected = Ok((turn.clone(), *after));
                    assert_eq!(read_turn(&referee, &position, &text), expected);
                    assert_eq!(read_turn(&referee, &position, &format!(" {} ", text.replace('-', ""))), expected);
                    match read_turn(&referee, &position, &text.replace(['A', 'W'], "")) {
                        Ok((_, found)) => {
                            assert_eq!(found, *after);
                            unneeded += 1;
                        }
                        Err(ActionError::Ambiguous { candidates, .. }) => {
                            // Another turn may stand for the same board, but this board is among the candidates.
                            let boards = candidates.iter().map(|text| read_turn(&referee, &position, text).unwrap().1);
                            assert!(boards.into_iter().any(|board| board == *after), "{text}: {candidates:?}");
                            ambiguous += 1;
                        }
                        Err(other) => panic!("{text}: {other}"),
                    }
                }
                let Some((_, after)) = random.choice(turns) else { break };
                position = after;
            }
        }
    }
    assert!(unneeded > 100 && ambiguous > 100, "{unneeded} {ambiguous}");
}

#[test]
fn refused_moves_list_candidates() {
    let start = "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w";
    let Err(ActionError::Ambiguous { text, mut candidates }) = play(start, "d3e3") else { panic!() };
    candidates.sort();
    assert_eq!((text.as_str(), candidates), ("d3e3", vec!["d3-e3A".to_owned(), "d3-e3W".to_owned()]));
    assert!(play(start, "d3-e3").unwrap_err().to_string().contains("could be d3-e3"));
    assert_eq!(play(start, "e2e3"), play(start, "e2-e3A"));
    assert_eq!(play(start, "E2-E3"), play(start, "e2-e3A"));

    assert_eq!(refused(start, "e2-e3W"), ["e2-e3A"]);
    assert_eq!(refused(start, "e2-e3A-e4"), ["e2-e3A"]);
    assert!(play(start, "e2-d3").unwrap_err().to_string().ends_with("legal from e2: e2-e3A"));
    for stone in ["a1-a2", "e3-e2", "f3-e3"] {
        assert_eq!(refused(start, stone), [""; 0]); // blocked, empty, and the other side's
    }
    for (text, rest) in
        [("", ""), ("pass", "pass"), ("d3", ""), ("d3-", ""), ("d3--e3", "-e3"), ("d3-e6A", "e6A"), ("d3e3AA", "A")]
    {
        let Err(ActionError::Syntax(MoveError { rest: found, .. })) = play(start, text) else { panic!("{text}") };
        assert_eq!(found, rest, "{text}");
    }
}

#[test]
fn start_positions() {
    for size in sizes() {
        let start = Position::<Wide>::start(size);
        let last = size.points() - 1;
        let turned = |set: Wide| set.iter().fold(Wide::default(), |set, point| set | Wide::point(last - point));
        assert_eq!((turned(start.white), turned(start.black)), (start.black, start.white), "{size}");
        assert_eq!((start.white.count(), start.to_move), (last / 2, Side::White), "{size}");
        let text = start.to_text(size);
        if size.points() <= 64 {
            assert_eq!(Position::<u64>::start(size).to_text(size), text);
        }
        let columns = size.columns();
        let middle = ["1", "B1W", "BW1BW", "BWB1WBW", "BWBW1BWBW", "BWBWB1WBWBW", "BWBWBW1BWBWBW"][columns / 2];
        let half = |stone: &str| vec![stone.repeat(columns); size.rows() / 2];
        let ranks = [half("B"), vec![middle.to_owned()], half("W")].concat();
        assert_eq!(text, format!("{} w", ranks.join("/")));
        for text in [text, format!(" {size} ")] {
            assert_eq!(PositionText::parse(&text).unwrap().on(size), Ok(start), "{text}");
        }
    }
}

#[test]
fn forms_of_a_position() {
    for text in ["B.W/.../WW. w", "B1W/3/WW1_w", " b1w/1.1/WW1   W ", "B1W/.2/WW. w"] {
        let (referee, position) = read::<u64>(text, RuleSet::default());
        assert_eq!(position.to_text(referee.board().size()), "B1W/3/WW1 w", "{text}");
    }
    let (_, position) = read::<Wide>("13/13/13/13/13/13/13/13/13/13/13/13/W11B b", RuleSet::default());
    assert_eq!((position.to_move, position.white, position.black), (Side::Black, Wide::point(0), Wide::point(12)));
}

#[test]
fn malformed_positions() {
    use PositionError::{Character, OtherBoard, Ragged, RankLength, SideToMove, Size};
    let long = "9".repeat(40) + " w";
    for (text, expected) in [
        ("", SideToMove(String::new())),
        ("4x", SideToMove("4x".to_owned())),
        ("4x4", PositionError::Board(BoardSizeError::Impossible(4, 4))),
        ("B1W/3/WW1", SideToMove("B1W/3/WW1".to_owned())),
        ("B1W/3/WW1 x", SideToMove("B1W/3/WW1 x".to_owned())),
        ("B1W/3/WW1 w w", SideToMove("B1W/3/WW1 w w".to_owned())),
        ("B1X/3/WW1 w", Character { character: 'X', place: 3 }),
        ("B1W/3/WéW w", Character { character: 'é', place: 8 }),
        ("B1W/-3/WW1 w", Character { character: '-', place: 5 }),
        ("B1W//WW1 w", RankLength { rank: 2 }),
        ("B1W/3/WW1/ w", RankLength { rank: 4 }),
        ("B1W0/3/WW1 w", RankLength { rank: 1 }),
        ("1/WWWWWWWWWWWWWW/1 w", RankLength { rank: 2 }),
        ("14 w", RankLength { rank: 1 }),
        // What comes after too many points is not read.
        ("WWWWWWWWWWWWWWX/1 w", RankLength { rank: 1 }),
        (&long, RankLength { rank: 1 }),
        ("B1W/4/WW1 w", Ragged { rank: 2, found: 4, expected: 3 }),
        ("BW/2/WW w", Size(2, 3)),
        ("3/3 w", Size(3, 2)),
        ("1/1/1/1/1/1/1/1/1/1/1/1/1/1/1 w", Size(1, 15)),
    ] {
        assert_eq!(PositionText::parse(text), Err(expected), "{text}");
    }
    let (found, expected) = (BoardSize::new(3, 3).unwrap(), BoardSize::new(9, 5).unwrap());
    let text = PositionText::parse("B1W/3/WW1 w").unwrap();
    assert_eq!(text.on::<u64>(expected), Err(OtherBoard { found, expected }));
}

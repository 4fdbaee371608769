//! When the computer agrees to a draw.

use fanorona::game::engine::Engine;
use fanorona::game::{GameRequest, PlayRules};

use crate::game_engine::{BEST, limits};

#[test]
fn a_draw_is_agreed_on_where_it_is_one() {
    let answer = |position: &str, moves: &[&str], level: u8| {
        let moves = moves.iter().map(|&text| text.to_owned()).collect();
        let request = GameRequest {
            board: "5x5".to_owned(),
            position: Some(position.to_owned()),
            rules: PlayRules { repetition: false, ..PlayRules::default() },
            moves,
            ..GameRequest::default()
        };
        let game = request.replay().unwrap();
        Engine::new(1 << 12).answer_draw(&game, None, &limits(level, 3, 0)).unwrap()
    };
    let even = "4B/5/5/5/W4 w";
    assert_eq!(answer(even, &[], BEST).why, "It is too early for a draw.");
    let moves: Vec<&str> = ["a1-a2", "e5-e4", "a2-a1", "e4-e5"].into_iter().cycle().take(12).collect();
    assert!(answer(even, &moves, BEST).accept);
    // Black has three stones more, and is asked.
    let uneven = "BBB1B/5/5/5/W4 w";
    let ahead = answer(uneven, &moves, 3);
    assert!(!ahead.accept, "{ahead:?}");
    let behind = answer("4B/5/5/5/W1WWW w", &moves, 3);
    assert!(behind.accept, "{behind:?}");
    // White has one move, which takes the last stone.
    let forced: Vec<&str> =
        ["e5-d5", "e1-d1", "d5-e5", "d1-e1"].into_iter().cycle().take(12).chain(["e5-d4"]).collect();
    for level in [3, BEST] {
        let lost = answer("4B/5/5/1W3/1WW1W b", &forced, level);
        assert!(lost.accept && lost.why == "The computer has a lost position.", "{lost:?}");
    }
    let over = GameRequest { board: "3x3".to_owned(), position: Some("3/3/W2 w".to_owned()), ..GameRequest::default() };
    let over = over.replay().unwrap();
    assert!(Engine::default().answer_draw(&over, None, &limits(BEST, 1, 0)).is_err());
    assert!(Engine::default().reply(&over, None, &limits(BEST, 1, 0), &mut |_| ()).is_err());
}

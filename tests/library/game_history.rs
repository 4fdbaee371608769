//! Games by hand: sacrifices as their specification has them, vela, ends of every kind, refusals, and the forms in JSON.

use fanorona::game::{Game, GameRequest, Reason};
use serde_json::{Value, json};

/// The game of a request in JSON.
fn game(request: &Value) -> Game {
    let request: GameRequest = serde_json::from_value(request.clone()).expect("a game");
    request.replay().unwrap_or_else(|error| panic!("{error}"))
}

fn refused(request: &Value) -> String {
    match serde_json::from_value::<GameRequest>(request.clone()) {
        Ok(request) => request.replay().expect_err("no such game").to_string(),
        Err(error) => error.to_string(),
    }
}

fn result(game: &Game) -> (&'static str, Reason, String) {
    let result = game.result().expect("a game that is over");
    (result.score, result.reason, result.text)
}

#[test]
fn a_block_is_not_captured() {
    // White sacrifices d1, which Black could capture by approach: c1-... no more.
    let mut game = game(&json!({"board": "5x3", "position": "5/5/B2WW w", "rules": {"sacrifice": true}}));
    assert_eq!(game.view().sacrifices, ["d1", "e1"]);
    game.play("d1x", None).unwrap();
    let view = game.view();
    assert_eq!(view.block.as_deref(), Some("d1"));
    // The stone still stands, and still is White's to look at.
    assert_eq!(view.position, "5/5/B2WW b");
    assert!(!view.can_capture);
    // a1-b1 would capture nothing yet; with the stone one nearer it would, were it no block.
    assert_eq!(game.turns(), ["a1-b1", "a1-a2", "a1-b2"]);
    game.play("a1-b1", None).unwrap();
    assert_eq!(game.view().position, "5/5/1B2W w");
    assert_eq!(game.view().block, None);
}

#[test]
fn the_same_capture_without_and_with_a_block() {
    let position = "5/5/B1WWW b";
    let free = game(&json!({"board": "5x3", "position": position}));
    let approach = &free.view().turns[0];
    assert_eq!((approach.text.as_str(), approach.steps[0].captured.len()), ("a1-b1A", 3));
    // Before, White to move, one stone in the run sacrificed: the run ends at the block.
    let request = |stone: &str| json!({"board": "5x3", "position": "5/5/B1WWW w", "rules": {"sacrifice": true}, "moves": [stone]});
    let captured = |stone: &str| {
        let view = game(&request(stone)).view();
        view.turns.iter().find(|turn| turn.text == "a1-b1A").map(|turn| turn.steps[0].captured.clone())
    };
    let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
    assert_eq!(captured("e1x"), names(&["c1", "d1"]));
    assert_eq!(captured("d1x"), names(&["c1"]));
    // The block at the head of the run: no capture, and so a paika.
    assert_eq!(captured("c1x"), None);
    assert!(game(&request("c1x")).turns().contains(&"a1-b1".to_owned()));
    // After the capture the block is gone as well.
    let mut game = game(&request("d1x"));
    game.play("a1b1", None).unwrap();
    assert_eq!(game.view().position, "5/5/1B2W w");
}

#[test]
fn a_block_keeps_its_point() {
    let game = game(&json!({"board": "3x3", "position": "3/3/BWW w", "rules": {"sacrifice": true}, "moves": ["b1x"]}));
    assert_eq!(game.turns(), ["a1-a2", "a1-b2"]);
    let why = |from: &str, to: &str| {
        let tried = serde_json::from_value(json!({"from": from, "path": [], "to": to})).unwrap();
        game.why(&tried).unwrap().why.unwrap()
    };
    assert_eq!(why("a1", "b1"), "b1 is occupied by the sacrificed stone, which stays for one turn as a block.");
    assert_eq!(why("b1", "b2"), "The stone on b1 is White's, and Black is to move.");
    // a1-a2 would take b1 by … nothing: a block in line is named where a capture fails for it.
    assert_eq!(why("a1", "c3"), "c3 is not next to a1: a step goes to a neighbouring point along a line.");
}

#[test]
fn who_sacrifices_the_last_stone_has_lost_after_the_turn_of_the_other() {
    let mut game =
        game(&json!({"board": "3x3", "position": "3/3/W1B w", "rules": {"sacrifice": true}, "moves": ["a1x"]}));
    assert_eq!(game.result(), None, "the block stands");
    game.play("c1-c2", None).unwrap();
    assert_eq!(result(&game), ("0-1", Reason::NoStones, "Black wins: White has no stones left".to_owned()));
    // Black may answer with a sacrifice too; White's stone goes first.
    assert!(game.undo());
    game.play("c1x", None).unwrap();
    assert_eq!(result(&game).0, "0-1");
    // A block among captured stones: all others are taken, and the owner is left with nothing.
    let position =
        json!({"board": "5x3", "position": "5/5/B1WW1 w", "rules": {"sacrifice": true}, "moves": ["d1x", "a1-b1A"]});
    assert_eq!(result(&self::game(&position)).1, Reason::NoStones);
}

#[test]
fn sacrifices_are_allowed_beside_captures_and_only_by_the_rule() {
    let request =
        |sacrifice: bool, moves: &[&str]| json!({"board": "9x5", "rules": {"sacrifice": sacrifice}, "moves": moves});
    let view = game(&request(true, &[])).view();
    assert!(view.can_capture);
    assert_eq!(view.sacrifices.len(), 22);
    assert_eq!(game(&request(true, &["a1X"])).view().block.as_deref(), Some("a1"));
    assert_eq!(game(&request(false, &[])).view().sacrifices, [""; 0]);
    let error = refused(&request(false, &["a1x"]));
    assert_eq!(
        error,
        "move 1 of the game: a1x is not legal: sacrifices are not part of the rules of this game; nothing is legal from a1; legal moves: \
         d2-e3A, e2-e3A, f2-e3A, d3-e3W, d3-e3A"
    );
    let error = refused(&request(true, &["a1x", "a1x"]));
    assert!(
        error.starts_with("move 2 of the game: a1x is not legal: the stone on a1 is White's, and Black is to move"),
        "{error}"
    );
    let error = refused(&request(true, &["a4x"]));
    assert!(error.contains("the stone on a4 is Black's"), "{error}");
    let error = refused(&request(true, &["e3x"]));
    assert!(error.contains("e3 is empty"), "{error}");
}

#[test]
fn a_bound_side_steps_where_others_capture() {
    let request = |vela: Value, position: &str| json!({"board": "5x5", "position": position, "rules": {"vela": vela}});
    let six = "5/2B2/5/2WWW/WWW2 w";
    let free = game(&request(Value::Null, six));
    assert!(free.view().can_capture && free.turns().iter().all(|turn| turn.ends_with(['A', 'W'])));
    let bound = game(&request(json!("white"), six));
    let view = bound.view();
    assert!(view.bound && !view.can_capture && !view.tables.apply);
    assert!(bound.turns().contains(&"c2-c3".to_owned()), "a step that captures for others");
    assert!(!bound.turns().iter().any(|turn| turn.ends_with(['A', 'W'])));
    let error = refused(&json!({"board": "5x5", "position": six, "rules": {"vela": "white"}, "moves": ["c2-c3A"]}));
    assert!(error.contains("White is bound by vela and may not capture while it has more than 5 stones"), "{error}");
    // Five stones, or the other side bound: nothing of the kind.
    let five = game(&request(json!("white"), "5/2B2/5/2WWW/WW3 w"));
    assert!(!five.view().bound && five.view().can_capture && five.view().tables.apply);
    assert!(!game(&request(json!("black"), six)).view().bound);
}

#[test]
fn a_bound_side_without_an_empty_point_has_no_move() {
    // Six white stones; every empty point is out of their reach.
    let request = |stalemate: &str, sacrifice: bool| {
        let rules = json!({"vela": "white", "stalemate": stalemate, "sacrifice": sacrifice});
        json!({"board": "7x3", "position": "WWBB3/WWBB3/WWBB3 w", "rules": rules})
    };
    let lost = game(&request("loss", false));
    assert_eq!(result(&lost), ("0-1", Reason::NoMoves, "Black wins: White cannot move".to_owned()));
    assert_eq!(
        result(&game(&request("draw", false))),
        ("1/2-1/2", Reason::Stalemate, "Draw: White cannot move".to_owned())
    );
    let sacrifice = game(&request("loss", true)).view();
    assert!(sacrifice.result.is_none() && sacrifice.turns.is_empty() && sacrifice.sacrifices.len() == 6);
}

#[test]
fn games_end_by_rules_by_players_and_by_referees() {
    let position = "4B/5/5/5/W4 w";
    let game_of = |rules: Value, rounds: usize, end: Value| {
        let moves: Vec<&str> = ["a1-a2", "e5-e4", "a2-a1", "e4-e5"].into_iter().cycle().take(rounds).collect();
        json!({"board": "5x5", "position": position, "rules": rules, "moves": moves, "end": end})
    };
    let seven = game(&game_of(json!({}), 7, Value::Null));
    assert_eq!((seven.result(), seven.view().repetitions), (None, 2));
    let eight = game(&game_of(json!({}), 8, Value::Null));
    assert_eq!((result(&eight).1, eight.view().repetitions), (Reason::Repetition, 3));
    assert_eq!(game(&game_of(json!({"repetition": false}), 8, Value::Null)).result(), None);
    let limited = game(&game_of(json!({"move_limit": 6}), 6, Value::Null));
    assert_eq!(result(&limited), ("1/2-1/2", Reason::MoveLimit, "Draw: 6 turns have been made".to_owned()));
    assert_eq!(game(&game_of(json!({"move_limit": 6}), 4, Value::Null)).view().turns_left, Some(2));
    let error = refused(&game_of(json!({"move_limit": 6}), 7, Value::Null));
    assert!(error.starts_with("move 7 of the game: the game is over: Draw: 6 turns"), "{error}");

    let ended = |end: Value| result(&game(&game_of(json!({"move_time": 1000}), 3, end)));
    assert_eq!(ended(json!({"by": "agreement"})).1, Reason::Agreement);
    assert_eq!(
        ended(json!({"by": "resignation", "side": "white"})),
        ("0-1", Reason::Resignation, "Black wins: White has resigned".to_owned())
    );
    assert_eq!(
        ended(json!({"by": "time", "side": "black"})),
        ("1-0", Reason::Time, "White wins: Black has exceeded the time for a turn".to_owned())
    );
    assert_eq!(
        ended(json!({"by": "adjudication", "winner": "black"})),
        ("0-1", Reason::Adjudication, "Black wins: the position is known to be won".to_owned())
    );
    assert_eq!(
        ended(json!({"by": "adjudication", "winner": null})),
        ("1/2-1/2", Reason::Adjudication, "Draw: the position is known to be drawn".to_owned())
    );
    assert_eq!(
        ended(json!({"by": "forfeit", "side": "white"})),
        ("0-1", Reason::Forfeit, "Black wins: White has broken the rules or stopped answering".to_owned())
    );
    let wrong = |rules: Value, end: Value| refused(&game_of(rules, 3, end));
    assert!(wrong(json!({}), json!({"by": "time", "side": "black"})).contains("no move_time"));
    assert!(wrong(json!({"move_time": 5}), json!({"by": "time", "side": "white"})).contains("Black is to move"));
    assert!(wrong(json!({}), json!({"by": "resignation"})).contains("side"));
    assert!(wrong(json!({}), json!({"by": "forfeit"})).contains("side"));
    assert!(wrong(json!({}), json!({"by": "boredom"})).contains("boredom"));

    let timed = |times: Value| json!({"board": "5x5", "position": position, "rules": {"move_time": 1000}, "moves": ["a1-a2", "e5-e4"], "times": times});
    assert_eq!(game(&timed(json!([1000, 1000]))).result(), None);
    assert_eq!(
        result(&game(&timed(json!([null, 1001]))).clone()),
        ("1-0", Reason::Time, "White wins: Black has exceeded the time for a turn".to_owned())
    );
    assert!(refused(&timed(json!([1001, 1]))).starts_with("move 2 of the game: the game is over: Black wins"));
    assert!(refused(&timed(json!([1, 1, 1]))).contains("3 times"));
}

#[test]
fn undo_takes_back_the_end_first_and_another_move_forgets_the_undone() {
    let mut game = game(&json!({"board": "9x5", "moves": ["d3-e3A"], "end": {"by": "resignation", "side": "black"}}));
    assert!(game.result().is_some() && !game.redo());
    assert!(game.undo());
    assert_eq!((game.result(), game.ply()), (None, 1));
    assert!(game.undo() && !game.undo());
    assert!(game.redo() && !game.redo());
    assert!(game.undo());
    assert_eq!(game.play("f2e3", None), Ok("f2-e3A".to_owned()));
    assert!(!game.redo());
    assert_eq!(game.to_request().moves, ["f2-e3A"]);
}

#[test]
fn refusals_say_why() {
    // The example of the ICGA page.
    let icga = "9/2B2WBWB/9/1W1BB1B2/9 w";
    let why_at = |position: &str, rules: Value, from: &str, path: &[&str], to: Value| {
        let game = game(&json!({"board": "9x5", "position": position, "rules": rules}));
        let tried = serde_json::from_value(json!({"from": from, "path": path, "to": to})).unwrap();
        game.why(&tried).unwrap().why
    };
    let why_in = |rules: Value, from: &str, path: &[&str], to: Value| why_at(icga, rules, from, path, to);
    let why = |from: &str, path: &[&str], to: &str| why_in(json!({}), from, path, json!(to));
    assert_eq!(why("b2", &[], "c2"), None);
    assert_eq!(
        why("b2", &[], "b1").unwrap(),
        "A capture is possible, so this paika is not allowed: b2-b1 captures nothing; b2 and f4 can capture."
    );
    assert_eq!(why("c4", &[], "c3").unwrap(), "The stone on c4 is Black's, and White is to move.");
    assert_eq!(why("a1", &[], "a2").unwrap(), "a1 is empty: a turn begins with one of White's stones.");
    assert_eq!(why("b2", &[], "b2").unwrap(), "The stone is on b2 already.");
    assert_eq!(
        why("b2", &[], "c4").unwrap(),
        "c4 is not next to b2: a step goes to a neighbouring point along a line."
    );
    assert_eq!(why("f4", &[], "g4").unwrap(), "g4 is occupied.");
    assert_eq!(why("f4", &["e4"], "d4").unwrap(), "The step to d4 has the same direction as the step before it.");
    assert_eq!(why("b2", &["c2"], "b2").unwrap(), "The stone has already visited b2 in this turn.");
    assert_eq!(
        why("b2", &["c2"], "c1").unwrap(),
        "The step to c1 captures nothing, and a chain goes on only with captures."
    );
    assert_eq!(why("b2", &["c2W"], "c3").unwrap(), "The step b2-c2 captures nothing by withdrawal.");
    assert_eq!(why("b2", &["c2"], "d3").unwrap(), "No line joins c2 and d3: c2 is a weak point and has no diagonals.");
    assert_eq!(why("b2", &["c2"], "c3"), None);
    assert_eq!(why_in(json!({}), "b2", &["c2"], Value::Null), None);
    assert_eq!(
        why_in(json!({"continuation": "obligatory"}), "b2", &["c2"], Value::Null).unwrap(),
        "The chain must go on while it can (obligatory continuation), and it can go on from c2."
    );
    let with_e3 = "9/2B2WBWB/4B4/1W1BB1B2/9 w";
    let right_again = |rules: Value| why_at(with_e3, rules, "b2", &["c2", "c3"], json!("d3"));
    assert_eq!(right_again(json!({})), None);
    assert_eq!(right_again(json!({"directions": "turning"})), None);
    assert_eq!(
        right_again(json!({"directions": "once"})).unwrap(),
        "The step to d3 has the same direction as an earlier step (no direction twice in a turn)."
    );
    let tried = serde_json::from_value(json!({"from": "z9"})).unwrap();
    let error = game(&json!({"board": "5x5"})).why(&tried).unwrap_err().to_string();
    assert_eq!(error, "\"z9\" is not a point of the 5x5 board; points look like c3");
}

#[test]
fn forms_are_those_of_the_contract() {
    let view = serde_json::to_value(game(&json!({"board": "9x5", "moves": ["d3-e3A"]})).view()).unwrap();
    let after = "BBBBBBBBB/BBBBBBBBB/BWB1W1WBW/WWWWWWWWW/WWWWWWWWW b";
    let played = &view["history"][0];
    let expected = json!({"move": "d3-e3A", "side": "white", "from": "d3", "path": ["e3"], "captured": ["f3"],
        "position": after, "time": null});
    assert_eq!((played, &view["position"]), (&expected, &json!(after)));
    assert_eq!(view["to_move"], "black");
    assert_eq!(view["geometry"]["columns"], 9);
    assert_eq!(view["geometry"]["lines"].as_array().unwrap().len(), 8 * 5 + 9 * 4 + 8 * 4);
    assert_eq!(view["tables"], json!({"apply": true, "why": null}));
    assert_eq!(view["result"], Value::Null);
    assert_eq!(
        view["rules"],
        json!({"diagonals": "corner", "continuation": "optional", "directions": "not-repeated",
        "stalemate": "loss", "sacrifice": false, "vela": null, "move_limit": null, "move_time": null, "repetition": true})
    );
    let turn = &view["turns"][0];
    assert!(turn["steps"][0]["capture"] == "approach" || turn["steps"][0]["capture"] == "withdrawal");
    let over = json!({"board": "3x3", "position": "3/3/W1B w", "rules": {}, "moves": [], "end": {"by": "agreement"}});
    let view = serde_json::to_value(game(&over).view()).unwrap();
    assert_eq!(
        view["result"],
        json!({"score": "1/2-1/2", "winner": null, "reason": "agreement", "text": "Draw: agreed by the players"})
    );
    assert_eq!(view["turns"], json!([]));
}

#[test]
fn what_a_game_does_not_have_is_refused() {
    let of = |more: Value| {
        let mut request = json!({"board": "3x3"});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value::<GameRequest>(request)
    };
    assert!(of(json!({"end": {"by": "agreement"}})).is_ok());
    for (wrong, field) in [
        (json!({"move": ["a1-a2"]}), "move"),
        (json!({"rules": {"velo": 1}}), "velo"),
        (json!({"end": {"by": "agreement", "side": "white"}}), "side"),
        (json!({"end": {"by": "time", "side": "white", "ms": 5}}), "ms"),
    ] {
        let error = of(wrong).unwrap_err().to_string();
        assert!(error.contains(&format!("unknown field `{field}`")), "{error}");
    }
}

#[test]
fn a_variation_that_is_played_goes_on_after_its_turn() {
    let mut game = GameRequest { board: "5x5".to_owned(), ..GameRequest::default() }.replay().expect("a game");
    game.add_variation(0, &["b2-c3A", "c5-d4A"].map(str::to_owned));
    game.play("b2-c3A", None).expect("a turn");
    let request = game.to_request();
    let found: Vec<_> = request.variations.iter().map(|variation| (variation.ply, variation.moves.clone())).collect();
    assert_eq!(found, [(1, vec!["c5-d4A".to_owned()])]);
    assert_eq!(request.replay().expect("the same game").to_request(), request);
}

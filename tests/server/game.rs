//! The game half of the HTTP API, without a socket.

use std::path::Path;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use fanorona::server::BODY_BYTES;
use serde_json::{Value, json};

use crate::server::{self, ask, conflict, post, schema, send};

/// The service without any tables: games need none.
fn service() -> Router {
    server::service(Path::new("no such folder"))
}

#[tokio::test]
async fn games_are_shown_with_their_state() {
    let service = service();
    let view = ask(&service, "/api/game", &json!({"board": "9x5"})).await;
    assert_eq!(view["position"], "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w");
    assert_eq!((&view["to_move"], &view["ply"], &view["can_capture"]), (&"white".into(), &0.into(), &true.into()));
    let moves: Vec<&str> =
        view["turns"].as_array().unwrap().iter().map(|turn| turn["move"].as_str().unwrap()).collect();
    assert_eq!(moves.len(), 5);
    for one in ["d3-e3A", "d3-e3W", "d2-e3A", "e2-e3A", "f2-e3A"] {
        assert!(moves.contains(&one), "{moves:?}");
    }
    // Every turn that is offered is taken.
    for turn in view["turns"].as_array().unwrap() {
        let after = ask(&service, "/api/game", &json!({"board": "9x5", "moves": [turn["move"]]})).await;
        assert_eq!((&after["position"], &after["to_move"]), (&turn["position"], &"black".into()));
        assert_eq!(after["history"][0]["move"], turn["move"]);
    }
    let wide = ask(&service, "/api/game", &json!({"board": "13x13"})).await;
    assert_eq!(wide["tables"]["apply"], false);
    assert!(!wide["turns"].as_array().unwrap().is_empty());
}

/// One stone among crossing rows of the other side's has hundreds of captures, of twenty steps each.
#[tokio::test]
async fn a_view_of_a_crowded_board_has_a_bound() {
    let stone = |column, row| match (column, row) {
        (5, 5) => 'W',
        (column, row) if column % 3 == 0 || row % 3 == 0 => 'B',
        _ => '.',
    };
    let ranks: Vec<String> = (0..13).map(|row| (0..13).map(|column| stone(column, row)).collect()).collect();
    let position = format!("{} w", ranks.join("/"));
    let view = ask(&service(), "/api/game", &json!({"board": "13x13", "position": position})).await;
    assert_eq!(view["turns_cut"], true);
    let turns = view["turns"].as_array().unwrap();
    let steps: usize = turns.iter().map(|turn| turn["steps"].as_array().unwrap().len()).sum();
    assert!(turns.len() < 4_000 && steps <= 10_000, "{} turns, {steps} steps", turns.len());
    assert!(view.to_string().len() < 1 << 20, "{} bytes", view.to_string().len());
}

#[tokio::test]
async fn games_with_every_rule_and_every_end_fit_their_description() {
    let service = service();
    let rules = json!({"diagonals": "centre", "continuation": "obligatory", "directions": "once", "stalemate": "draw",
        "sacrifice": true, "vela": "black", "move_limit": 50, "move_time": 5000, "repetition": true});
    let tags = json!({"White": "A", "Black": "B", "Event": "E", "Date": "2026.01.01"});
    let game = json!({"board": "5x5", "position": null, "rules": rules, "moves": ["a1x"], "times": [1250], "end": null,
        "tags": tags});
    let view = ask(&service, "/api/game", &game).await;
    assert_eq!((&view["block"], &view["bound"], &view["turns_left"]), (&"a1".into(), &true.into(), &49.into()));
    assert_eq!((&view["tables"]["apply"], &view["history"][0]["time"]), (&false.into(), &1250.into()));
    let read = ask(&service, "/api/record", &json!({"record": view["record"]})).await;
    assert_eq!(conflict(&read["game"], &schema("Game")), None);
    assert_eq!((&read["game"]["moves"], &read["game"]["rules"]), (&json!(["a1x"]), &rules));
    assert_eq!(read["tags"]["White"], "A");
    for (end, winner, reason) in [
        (json!({"by": "agreement"}), Value::Null, "agreement"),
        (json!({"by": "resignation", "side": "white"}), "black".into(), "resignation"),
        (json!({"by": "time", "side": "black"}), "white".into(), "time"),
        (json!({"by": "adjudication", "winner": null}), Value::Null, "adjudication"),
        (json!({"by": "forfeit", "side": "white"}), "black".into(), "forfeit"),
    ] {
        let mut ended = game.clone();
        ended["end"] = end;
        let view = ask(&service, "/api/game", &ended).await;
        assert_eq!((&view["result"]["winner"], &view["result"]["reason"]), (&winner, &reason.into()));
        assert_eq!((&view["turns"], &view["sacrifices"]), (&json!([]), &json!([])));
    }
    let last = json!({"board": "3x3", "position": "3/3/W1B b", "moves": ["c1-b1A"]});
    assert_eq!(ask(&service, "/api/game", &last).await["result"]["text"], "Black wins: White has no stones left");
}

#[tokio::test]
async fn refused_clicks_are_explained() {
    let service = service();
    let why = async |click: Value| ask(&service, "/api/game/why", &click).await["why"].clone();
    let sentence = why(json!({"board": "9x5", "from": "a2", "to": "a3"})).await;
    assert!(sentence.as_str().is_some_and(|why| why.ends_with('.')), "{sentence}");
    let sentence =
        why(json!({"board": "5x5", "position": "4B/5/B4/5/W4 w", "from": "a1", "path": [], "to": "c1"})).await;
    assert!(sentence.as_str().is_some_and(|why| why.contains("c1")), "{sentence}");
    // Nothing is wrong with this one.
    assert_eq!(why(json!({"board": "9x5", "from": "d3", "to": "e3"})).await, Value::Null);
}

#[tokio::test]
async fn what_is_wrong_with_a_body_is_said_with_its_place() {
    let service = service();
    let cases: [(&str, &str, &[&str]); 21] = [
        ("/api/game", "", &["JSON", "line 1"]),
        ("/api/game", "{\"board\":\n\"3x3\",,}", &["line 2 column 7"]),
        ("/api/game", "[]", &["JSON object"]),
        ("/api/game", "null", &["JSON object"]),
        ("/api/game", "{}", &["board"]),
        ("/api/game", r#"{"board": 3}"#, &["board", "integer"]),
        ("/api/game", r#"{"board": "4x4"}"#, &["4x4", "odd"]),
        ("/api/game", r#"{"board": "3x3", "colour": 1}"#, &["colour"]),
        ("/api/game", r#"{"board": "3x3", "rules": {"vela": "grey"}}"#, &["rules.vela", "grey", "white"]),
        ("/api/game", r#"{"board": "3x3", "rules": {"velo": "white"}}"#, &["rules.velo"]),
        ("/api/game", r#"{"board": "3x3", "rules": {"move_limit": -1}}"#, &["rules.move_limit"]),
        ("/api/game", r#"{"board": "3x3", "position": "3/3 w"}"#, &["3x2"]),
        ("/api/game", r#"{"board": "3x3", "moves": ["b1-b2A", 3]}"#, &["moves[1]"]),
        ("/api/game", r#"{"board": "3x3", "moves": ["b1-b2A", "a1-a2"]}"#, &["move 2", "a1"]),
        ("/api/game", r#"{"board": "3x3", "moves": ["a1-c3"]}"#, &["move 1", "legal from a1: a1-b2A"]),
        ("/api/game", r#"{"board": "3x3", "end": {"by": "resignation"}}"#, &["end", "side"]),
        ("/api/game/why", r#"{"board": "3x3"}"#, &["from"]),
        ("/api/game/why", r#"{"board": "3x3", "from": "a9"}"#, &["a9", "3x3"]),
        ("/api/record", r#"{"record": "[Board \"3x3\"]\n\n1. b1-b9 *\n"}"#, &["line 3", "b1-b9"]),
        ("/api/record", r#"{"record": ""}"#, &["line", "record"]),
        ("/api/record", r#"{"text": ""}"#, &["text"]),
    ];
    for (path, body, words) in cases {
        post(&service, path, body.to_owned()).await.fails(400, words);
    }
    let moves = vec!["a1-a2"; 10_001];
    post(&service, "/api/game", json!({"board": "9x5", "moves": moves}).to_string())
        .await
        .fails(400, &["10001", "10000"]);
    // A nest that a careless reader would fall into.
    let deep = format!("{{\"board\": {}", "[".repeat(BODY_BYTES - 10));
    post(&service, "/api/game", deep).await.fails(400, &["recursion"]);
    post(&service, "/api/game", b"{\"board\": \"\xff\"}".to_vec()).await.fails(400, &["line 1"]);
}

#[tokio::test]
async fn bodies_are_json_and_not_too_long() {
    let service = service();
    let request = |kind: Option<&str>, body: String| {
        let mut request = Request::post("/api/game");
        if let Some(kind) = kind {
            request = request.header(header::CONTENT_TYPE, kind);
        }
        request.body(Body::from(body)).unwrap()
    };
    let body = r#"{"board": "3x3"}"#;
    for kind in [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("application/jsonp")] {
        send(&service, request(kind, body.to_owned())).await.fails(415, &["application/json"]);
    }
    for kind in ["application/json; charset=utf-8", "Application/JSON"] {
        send(&service, request(Some(kind), body.to_owned())).await.done();
    }
    let padded = |length: usize| format!("{body}{}", " ".repeat(length - body.len()));
    post(&service, "/api/game", padded(BODY_BYTES)).await.done();
    post(&service, "/api/game", padded(BODY_BYTES + 1)).await.fails(413, &["262144"]);
    let request = Request::post("/api/game").header(header::CONTENT_TYPE, "application/json");
    let request = request.header(header::CONTENT_LENGTH, "9999999999").body(Body::empty()).unwrap();
    send(&service, request).await.fails(413, &["262144"]);
    for twice in [r#"{"board": "3x3", "board": "5x5"}"#, r#"{"board": "3x3", "rules": {"vela": true, "vela": false}}"#]
    {
        post(&service, "/api/game", twice).await.fails(400, &["is given twice", "line 1"]);
    }
}

#[tokio::test]
async fn game_paths_take_posts_alone() {
    let service = service();
    for path in ["/api/game", "/api/game/why", "/api/record"] {
        let answer = server::get(&service, path).await;
        answer.fails(405, &[path, "GET"]);
        assert_eq!(answer.headers[header::ALLOW], "POST");
    }
}

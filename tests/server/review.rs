//! Reviews of games over the HTTP API, without a socket.
#![cfg(feature = "cli")]

use std::num::NonZero;
use std::path::Path;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use fanorona::server::{Settings, router};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::program::Place;
use crate::server::{ask, conflict, post, schema, service};

fn lines(body: &[u8]) -> Vec<Value> {
    body.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[tokio::test]
async fn a_review_comes_line_by_line_and_ends_with_all_of_it() {
    let service = service(Path::new("none"));
    let game = json!({"board": "5x5", "moves": ["b2-c3A", "c5-d4A", "c3-b2W"], "time": 20});
    assert_eq!(conflict(&game, &schema("GameForReview")), None);
    let answer = post(&service, "/api/game/review", game.to_string()).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers["content-type"]),
        (200, &"application/x-ndjson".parse().unwrap())
    );
    let lines = lines(&answer.body);
    let (whole, progress) = lines.split_last().expect("lines");
    assert_eq!(conflict(whole, &schema("WholeReview")), None, "{whole}");
    let mut turns = vec![Value::Null; 3];
    for line in progress {
        assert_eq!(conflict(line, &schema("ReviewProgress")), None, "{line}");
        for turn in line["turns"].as_array().unwrap() {
            let place = usize::try_from(turn["ply"].as_u64().unwrap()).unwrap() - 1;
            turns[place] = turn.clone();
        }
    }
    // Whoever takes the lines as they come has the whole review in the end.
    assert_eq!(whole["review"]["turns"], json!(turns));
    assert_eq!((whole["review"]["complete"].as_bool(), progress.len() > 2), (Some(true), true), "{whole}");
}

#[tokio::test]
async fn tables_need_no_search() {
    let place = Place::new();
    place.run("build 3x3 --stones 9 --metric both").done();
    let service = service(&place.path().join("db"));
    let record = ask(&service, "/api/record", &json!({"record": "3x3 c2b2+ c3c2+ b2c1-"})).await;
    assert_eq!(record["game"]["moves"], json!(["c2-b2A", "c3-c2A", "b2-c1W"]));
    let answer = post(&service, "/api/game/review", record["game"].to_string()).await;
    let lines = lines(&answer.body);
    let review = &lines.last().unwrap()["review"];
    assert!(lines[..lines.len() - 1].iter().all(|line| line["to_search"] == 0), "{lines:?}");
    for turn in review["turns"].as_array().unwrap() {
        assert_eq!((turn["fact"].as_bool(), turn["after"]["source"].as_str()), (Some(true), Some("table")));
    }
}

#[tokio::test]
async fn what_is_wrong_with_the_game_is_said() {
    let service = service(Path::new("none"));
    for (body, words) in [
        (json!({"board": "3x3", "moves": ["a1-c3"]}), ["move 1", "legal from a1"]),
        (json!({"board": "3x3", "time": "1s"}), ["time", "string"]),
        (json!({"board": "3x3", "level": 3}), ["level", "unknown field"]),
        (json!({"moves": []}), ["board", "missing"]),
    ] {
        post(&service, "/api/game/review", body.to_string()).await.fails(400, &words);
    }
    let unknown = json!({"record": "hello"}).to_string();
    post(&service, "/api/record", unknown).await.fails(400, &["BoardSpace", "a list of moves"]);
}

#[tokio::test]
async fn a_review_takes_no_longer_than_the_server_allows() {
    let mut settings = Settings::new("none");
    settings.api.think = Duration::from_millis(10);
    let service = router(settings);
    let moves = json!(["b2-c3A", "c5-d4A"]);
    let body = json!({"board": "5x5", "moves": moves, "time": 3_600_000});
    let answer = post(&service, "/api/game/review", body.to_string()).await;
    // The deadline of the request would be over an hour away.
    assert_eq!(lines(&answer.body).last().unwrap()["review"]["complete"], true);
}

#[tokio::test]
async fn a_review_for_which_there_is_no_time_has_what_is_known() {
    let mut settings = Settings::new("none");
    (settings.api.time_limit, settings.api.think) = (Duration::ZERO, Duration::ZERO);
    let body = json!({"board": "5x5", "moves": ["b2-c3A", "c5-d4A"]});
    let answer = post(&router(settings), "/api/game/review", body.to_string()).await;
    assert_eq!(lines(&answer.body).last().unwrap()["review"]["complete"], false);
}

/// A game on 13x13 in which White goes along the first row and Black through the upper half, so that no position comes a third time.
fn long_game() -> Value {
    let round = |points: usize, point: &dyn Fn(usize) -> String| -> Vec<String> {
        (0..points).chain((1..points - 1).rev()).cycle().take(151).map(point).collect()
    };
    let column = |place: usize| &"abcdefghijklm"[place..=place];
    let white = round(13, &|place| format!("{}1", column(place)));
    let black = round(78, &|place| {
        let (row, along) = (place / 13, place % 13);
        format!("{}{}", column(if row % 2 == 0 { along } else { 12 - along }), 8 + row)
    });
    let steps = |points: &[String]| points.windows(2).map(|ends| ends.join("-")).collect::<Vec<_>>();
    let moves: Vec<String> = steps(&white).into_iter().zip(steps(&black)).flat_map(<[String; 2]>::from).collect();
    let position = ["13", "13", "13", "13", "13", "B12", "13", "13", "13", "13", "13", "13", "W12 w"].join("/");
    json!({"board": "13x13", "position": position, "moves": moves, "time": 1})
}

#[tokio::test]
async fn few_lines_of_a_review_wait_for_a_client_that_does_not_read() {
    let service = router(Settings { searchers: NonZero::<usize>::MIN, ..Settings::new("none") });
    let request = Request::post("/api/game/review").header(header::CONTENT_TYPE, "application/json");
    let request = request.body(Body::from(long_game().to_string())).expect("a request");
    let unread = service.clone().oneshot(request).await.expect("an answer");
    // The one searcher has ended the first review when it ends another.
    post(&service, "/api/game/review", json!({"board": "3x3", "moves": [], "time": 1}).to_string()).await;
    let body = to_bytes(unread.into_body(), usize::MAX).await.expect("a body");
    let lines = lines(&body);
    let (whole, progress) = lines.split_last().expect("lines");
    assert_eq!(
        (whole["review"]["turns"].as_array().map(Vec::len), &whole["review"]["complete"]),
        (Some(300), &json!(true))
    );
    // The first has all turns; of 301 others some wait.
    assert_eq!(progress[0]["turns"].as_array().map(Vec::len), Some(300));
    let waiting: usize = progress[1..].iter().map(|line| line.to_string().len() + 1).sum();
    assert!((32 << 10..=64 << 10).contains(&waiting), "{waiting} bytes in {} lines", progress.len());
}

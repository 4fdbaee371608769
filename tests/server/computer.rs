//! The computer as an opponent over the HTTP API, without a socket.
#![cfg(feature = "cli")]

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, header};
use fanorona::Level;
use fanorona::server::{Settings, router};
use serde_json::{Value, json};
use tokio::time::timeout;
use tower::ServiceExt;

use crate::program::Place;
use crate::server::{ask, conflict, get, post, schema, service};

#[tokio::test]
async fn with_tables_of_the_whole_board_the_computer_wins_what_is_won() {
    let place = Place::new();
    place.run("build 3x3 --stones 9 --metric both").done();
    let service = service(&place.path().join("db"));
    let start = get(&service, "/api/3x3?position=BBB/B1W/WWW_w").await.done();
    assert_eq!(start["value"], "win");
    let mut left = start["dtw"].as_u64().expect("a depth");
    let mut game = json!({"board": "3x3", "moves": [], "level": 9, "time": 1000});
    while left > 0 {
        let reply = ask(&service, "/api/game/reply", &game).await;
        let value = if left.is_multiple_of(2) { "loss" } else { "win" };
        assert_eq!((&reply["value"], &reply["dtw"]), (&value.into(), &left.into()), "{game} {reply}");
        assert!(["table", "only move"].contains(&reply["how"].as_str().unwrap()), "{reply}");
        game["moves"].as_array_mut().unwrap().push(reply["move"].clone());
        left -= 1;
    }
    let view = ask(&service, "/api/game", &json!({"board": "3x3", "moves": game["moves"]})).await;
    assert_eq!(view["result"]["winner"], "white");
    // There is nothing more to do.
    post(&service, "/api/game/reply", game.to_string()).await.fails(400, &["over"]);
    post(&service, "/api/game/draw", json!({"board": "3x3", "moves": game["moves"]}).to_string()).await.fails(400, &[]);
    // Where tables do not hold, it searches.
    let rules = json!({"sacrifice": true});
    let reply = ask(&service, "/api/game/reply", &json!({"board": "3x3", "rules": rules, "time": 100})).await;
    assert_eq!(reply["how"], "search");
}

#[tokio::test]
async fn without_tables_every_level_has_a_legal_reply() {
    let service = service(Path::new("none"));
    for (board, level) in [("9x5", 1), ("9x5", 2), ("5x5", 3), ("5x5", 6), ("9x5", 8), ("9x5", 9), ("13x13", 9)] {
        let mut game = json!({"board": board, "moves": [], "level": level, "time": 50});
        for _ in 0..4 {
            let reply = ask(&service, "/api/game/reply", &game).await;
            assert_ne!(reply["how"], "table");
            game["moves"].as_array_mut().unwrap().push(reply["move"].clone());
        }
        let view = ask(&service, "/api/game", &json!({"board": board, "moves": game["moves"]})).await;
        assert_eq!(view["ply"], 4);
    }
    // All but the board may be left out.
    ask(&service, "/api/game/reply", &json!({"board": "3x3"})).await;
    ask(&service, "/api/game/draw", &json!({"board": "3x3"})).await;
}

#[tokio::test]
async fn the_computer_agrees_to_draws_and_not_to_wins() {
    let place = Place::new();
    place.run("build 3x3 --stones 9").done();
    let service = service(&place.path().join("db"));
    // After White's best first move Black is lost.
    let start = get(&service, "/api/3x3?position=BBB/B1W/WWW_w").await.done();
    let lost = start["moves"][0]["position"].as_str().unwrap();
    for (position, value, accept) in
        [("1B1/1W1/1W1 w", "draw", true), ("3/3/W1B b", "win", true), (lost, "loss", false)]
    {
        let known = get(&service, &format!("/api/3x3?position={}", position.replace(' ', "_"))).await.done();
        assert_eq!(known["value"], value, "{position}");
        let answer = ask(&service, "/api/game/draw", &json!({"board": "3x3", "position": position, "level": 9})).await;
        assert_eq!(answer["accept"], accept, "{position}: {answer}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_the_player_is_said() {
    let service = service(Path::new("none"));
    for (body, words) in [
        (r#"{"board": "3x3", "level": 0}"#, ["level", "1 to 9"]),
        (r#"{"board": "3x3", "level": 10}"#, ["level", "1 to 9"]),
        (r#"{"board": "3x3", "level": "best"}"#, ["level", "string"]),
        (r#"{"board": "3x3", "time": -1}"#, ["time", "-1"]),
        (r#"{"board": "3x3", "time": "1s"}"#, ["time", "string"]),
        (r#"{"board": "3x3", "speed": 1}"#, ["speed", "unknown field"]),
        (r#"{"board": "3x3", "moves": ["a1-c3"]}"#, ["move 1", "legal from a1"]),
        (r#"{"level": 1}"#, ["board", "missing"]),
    ] {
        for path in ["/api/game/reply", "/api/game/watch", "/api/game/draw"] {
            post(&service, path, body.to_owned()).await.fails(400, &words);
        }
    }
    get(&service, "/api/game/reply").await.fails(405, &["/api/game/reply"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_have_threads_of_their_own_which_are_free_when_their_clients_go() {
    for path in ["/api/game/reply", "/api/game/watch"] {
        search_and_go(path).await;
    }
}

async fn search_and_go(path: &'static str) {
    let place = Place::new();
    place.run("build 3x3 --stones 3").done();
    let one = NonZero::<usize>::MIN;
    let settings = Settings::new(place.path().join("db"));
    let mut settings = Settings { workers: one, searchers: one, queue: 0, ..settings };
    settings.api.think = Duration::from_secs(600);
    let service = router(settings);
    let long = json!({"board": "9x5", "time": 600_000}).to_string();
    let think = || {
        let (service, long) = (service.clone(), long.clone());
        tokio::spawn(async move { post(&service, path, long).await.status })
    };
    let short = json!({"board": "9x5", "time": 1}).to_string();
    let end = Instant::now() + Duration::from_secs(60);
    let mut thinking = think();
    while post(&service, "/api/game/reply", short.clone()).await.status != 503 {
        assert!(Instant::now() < end, "two searches on one thread");
        // The short one may have come first.
        if thinking.is_finished() {
            thinking = think();
        }
    }
    post(&service, "/api/game/draw", short.clone()).await.fails(503, &["busy"]);
    // Tables are not for searchers alone.
    get(&service, "/api/3x3?position=3/3/W1B_b").await.done();
    thinking.abort();
    assert!(thinking.await.unwrap_err().is_cancelled());
    while post(&service, "/api/game/reply", short.clone()).await.status != 200 {
        assert!(Instant::now() < end, "the search goes on for nobody");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_while_waiting_makes_room() {
    let one = NonZero::<usize>::MIN;
    let mut settings = Settings { searchers: one, queue: 1, ..Settings::new("none") };
    settings.api.think = Duration::from_secs(600);
    let service = router(settings);
    let search = |path: &str, time: u64| {
        let body = json!({"board": "9x5", "moves": ["f2-e3A"], "time": time}).to_string();
        let request = Request::post(path).header(header::CONTENT_TYPE, "application/json").body(Body::from(body));
        service.clone().oneshot(request.expect("a request"))
    };
    // The answer begins with its first line.
    let running = search("/api/game/watch", 600_000).await.expect("an answer");
    // The status of a request, unless it waits.
    let short = || async {
        timeout(Duration::from_millis(200), search("/api/game/reply", 1))
            .await
            .ok()
            .map(|answer| answer.expect("an answer").status())
    };
    for path in ["/api/game/reply", "/api/game/watch", "/api/game/review"] {
        let mut waiting = tokio::spawn(search(path, 600_000));
        while short().await.is_none() {
            // The short one may have come first.
            if waiting.is_finished() {
                waiting = tokio::spawn(search(path, 600_000));
            }
        }
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        let end = Instant::now() + Duration::from_secs(60);
        while let Some(status) = short().await {
            assert!(status == 503 && Instant::now() < end, "{path}: {status}");
        }
    }
    drop(running);
    assert_eq!(search("/api/game/reply", 1).await.expect("an answer").status(), 200);
}

#[tokio::test]
async fn a_search_can_be_watched_and_its_last_line_is_the_move() {
    let service = service(Path::new("none"));
    let game = json!({"board": "9x5", "level": 6, "time": 60_000});
    assert_eq!(conflict(&game, &schema("GameForReply")), None);
    let answer = post(&service, "/api/game/watch", game.to_string()).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers["content-type"]),
        (200, &"application/x-ndjson".parse().unwrap())
    );
    let lines: Vec<Value> =
        answer.body.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    assert!(answer.body.ends_with(b"\n") && lines.len() > 1, "{lines:?}");
    let (reply, depths) = lines.split_last().unwrap();
    assert_eq!(conflict(reply, &schema("Reply")), None);
    for (number, line) in depths.iter().enumerate() {
        assert_eq!(conflict(line, &schema("SearchProgress")), None);
        assert_eq!(line["depth"], number + 1);
    }
    assert_eq!(depths.last().unwrap()["line"][0], reply["move"]);

    let three = json!({"board": "9x5", "level": 4, "time": 60_000, "lines": 3});
    assert_eq!(conflict(&three, &schema("GameForReply")), None);
    let answer = post(&service, "/api/game/watch", three.to_string()).await;
    let lines: Vec<Value> =
        answer.body.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let (reply, depths) = lines.split_last().unwrap();
    let best = &depths[depths.len() - 3..];
    assert_eq!(best.iter().map(|line| line["rank"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(best[0]["line"][0], reply["move"]);
    assert!(best[0]["score"].as_i64() >= best[1]["score"].as_i64() && best[1]["line"][0] != best[0]["line"][0]);
    let many = json!({"board": "9x5", "lines": 9});
    post(&service, "/api/game/watch", many.to_string()).await.fails(400, &["9 lines are out of range: 1 to 8"]);
    // What fails before the first line is an error like others.
    let over = json!({"board": "3x3", "position": "3/3/W2 w"});
    post(&service, "/api/game/watch", over.to_string()).await.fails(400, &["no turn to choose"]);
}

#[tokio::test]
async fn the_computer_thinks_no_longer_than_the_server_allows() {
    let mut settings = Settings::new("none");
    settings.api.think = Duration::from_millis(100);
    let service = router(settings);
    let begin = Instant::now();
    let body = json!({"board": "9x5", "time": 3_600_000});
    let reply = ask(&service, "/api/game/reply", &body).await;
    assert!(begin.elapsed() < Duration::from_secs(60), "{reply}");
    let body = json!({"board": "9x5", "time": u64::MAX});
    ask(&service, "/api/game/reply", &body).await;
}

#[tokio::test]
async fn games_go_on_where_tables_are_damaged() {
    static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let place = Place::new();
    place.run("build 3x3 --stones 9").done();
    let file = place.path().join("db/3x3/2v2.wdl");
    fs::write(&file, &fs::read(&file).unwrap()[..100]).unwrap();
    let mut settings = Settings::new(place.path().join("db"));
    settings.api.log = |line| LOG.lock().unwrap().push(line.to_owned());
    let service = router(settings);
    let reply = ask(&service, "/api/game/reply", &json!({"board": "3x3", "time": 100})).await;
    assert_eq!(reply["how"], "search");
    assert!(LOG.lock().unwrap().iter().any(|line| line.contains("2v2.wdl")), "{:?}", LOG.lock().unwrap());
}

#[tokio::test]
async fn the_page_offers_the_levels_by_their_names() {
    let names: Vec<String> = Level::all().map(|level| format!("\"{}\"", level.name())).collect();
    let answer = get(&service(Path::new("none")), "/assets/newgame.js").await;
    let script = String::from_utf8(answer.body.to_vec()).expect("text");
    assert!(script.contains(&format!("[{}]", names.join(", "))), "{names:?}");
}

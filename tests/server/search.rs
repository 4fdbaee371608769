//! Searches by the server for values that neither a table nor a proof has.

use std::time::{Duration, Instant};

use fanorona::server::{Settings, router};
use serde_json::{Value, json};

use crate::program::Place;
use crate::server::{ask, get, post, service};

#[tokio::test]
async fn starts_are_answered_by_a_search_as_by_query() {
    let place = Place::new();
    for (board, stones, value) in [("5x5", 5, "draw"), ("5x3", 4, "win"), ("3x3", 2, "win")] {
        place.run(&format!("build {board} --stones {stones}")).done();
        let service = service(&place.path().join("db"));
        let start = get(&service, &format!("/api/{board}/start")).await.done()["position"].clone();
        let position = start.as_str().expect("a position");
        let path = format!("/api/{board}?position={}", position.replace(' ', "_"));
        assert_eq!(get(&service, &path).await.done()["value"], "unknown");
        let time = if cfg!(debug_assertions) { 30_000 } else { 5_000 };
        let answer = ask(&service, "/api/search", &json!({"board": board, "time": time})).await;
        assert_eq!((&answer["value"], &answer["source"]), (&value.into(), &"search".into()), "{answer}");
        let outside = if value == "draw" { "draw" } else { "white wins" };
        assert_eq!((&answer["position"], &answer["search"]["value"]), (&start, &outside.into()));
        // The best move keeps the value.
        let best = &answer["moves"][0];
        assert_eq!(best["value"], value, "{answer}");
        let query = place.run_with(&["query", position, "--no-build", "--search", "60s", "--json"]).json();
        // Which of several moves with that value comes first depends on the threads.
        assert_eq!((&query["value"], &query["moves"][0]["value"]), (&answer["value"], &best["value"]));
    }
}

#[tokio::test]
async fn nothing_is_searched_where_the_value_is_known_and_nothing_is_made_up_where_it_is_not() {
    let place = Place::new();
    place.run("build 5x5 --stones 3").done();
    let service = service(&place.path().join("db"));
    let known = ask(&service, "/api/search", &json!({"board": "5x5", "position": "5/5/5/5/W3B w"})).await;
    assert_eq!((&known["value"], &known["source"], &known["search"]), (&"win".into(), &"table".into(), &Value::Null));
    // There is no time for the start of 9x5, with tables or without.
    let start = Instant::now();
    let unknown = ask(&service, "/api/search", &json!({"board": "9x5", "time": 300})).await;
    assert_eq!((&unknown["value"], &unknown["source"]), (&"unknown".into(), &Value::Null), "{unknown}");
    assert_eq!((&unknown["search"]["value"], unknown["moves"].as_array().map(Vec::len)), (&"unknown".into(), Some(5)));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    // Other rules, without tables.
    let rules = json!({"stalemate": "draw"});
    let body = json!({"board": "3x3", "rules": rules, "position": "1BB/1W1/WW1 w", "time": 20_000});
    assert_ne!(ask(&service, "/api/search", &body).await["value"], "unknown");
    // The time limit of the server is one of searches, too.
    let mut settings = Settings::new(place.path().join("db"));
    settings.api.think = Duration::from_millis(200);
    let hasty = router(settings);
    let start = Instant::now();
    assert_eq!(ask(&hasty, "/api/search", &json!({"board": "9x5", "time": 60_000})).await["value"], "unknown");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[tokio::test]
async fn searches_that_make_no_sense_are_refused() {
    let place = Place::new();
    let service = service(&place.path().join("db"));
    let cases: [(&str, &[&str]); 7] = [
        ("{}", &["board"]),
        (r#"{"board": "5x4"}"#, &["5x4"]),
        (r#"{"board": "13x13"}"#, &["169 points"]),
        (r#"{"board": "5x5", "position": "5/5/5 w"}"#, &["3", "5"]),
        (r#"{"board": "5x5", "position": "1B1/3/1W1 w"}"#, &["3x3", "5x5"]),
        (r#"{"board": "5x5", "rules": {"sacrifice": true}}"#, &["rules", "sacrifice"]),
        (r#"{"board": "5x5", "time": -1}"#, &["time"]),
    ];
    for (body, words) in cases {
        post(&service, "/api/search", body).await.fails(400, words);
    }
}

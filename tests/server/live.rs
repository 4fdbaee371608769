//! Live games: two clients with a key each, who cannot move for each other, and miss nothing.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::http::{Request, header};
use fanorona::server::{Settings, router};
use serde_json::{Value, json};
use tokio::time::timeout;
use tower::ServiceExt;

use crate::server::{Answer, answers, conflict, get, post, schema, send, service};

/// Longer than anything takes here on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// A service without tables, and the keys of a game: White's, Black's, and for watching.
async fn begun(game: &Value) -> (Router, [String; 3]) {
    let service = service("none".as_ref());
    let keys = begin(&service, game).await;
    (service, keys)
}

async fn begin(service: &Router, game: &Value) -> [String; 3] {
    let keys = post(service, "/api/live", game.to_string()).await.done();
    assert_eq!(conflict(&keys, &answers("post", "/api/live", "200")), None);
    ["white", "black", "watch"].map(|name| keys[name].as_str().expect("a key").to_owned())
}

async fn act(service: &Router, key: &str, action: &Value) -> Answer {
    assert_eq!(conflict(action, &schema("LiveAction")), None);
    post(service, &format!("/api/live/{key}"), action.to_string()).await
}

fn play(text: &str, ply: usize) -> Value {
    json!({"action": "move", "move": text, "ply": ply})
}

async fn state(service: &Router, key: &str) -> Value {
    let state = get(service, &format!("/api/live/{key}")).await.done();
    assert_eq!(conflict(&state, &answers("get", "/api/live/{key}", "200")), None);
    state
}

/// The events of a game as a client gets them.
struct Events {
    body: Body,
    text: String,
}

impl Events {
    async fn of(service: &Router, key: &str) -> Self {
        let request = Request::get(format!("/api/live/{key}/events")).body(Body::empty()).expect("a request");
        let response = service.clone().oneshot(request).await.expect("services answer");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
        Self { body: response.into_body(), text: String::new() }
    }

    /// The next state that fits; those before it are passed over.
    async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            while let Some((event, _)) = self.text.split_once("\n\n") {
                let data: Option<String> = event.lines().find_map(|line| Some(line.strip_prefix("data: ")?.to_owned()));
                self.text.drain(..event.len() + 2);
                let Some(data) = data else { continue };
                let state: Value = serde_json::from_str(&data).expect("JSON");
                assert_eq!(conflict(&state, &schema("LiveGame")), None);
                if fits(&state) {
                    return state;
                }
            }
            let frame = timeout(LONG, poll_fn(|context| Pin::new(&mut self.body).poll_frame(context))).await;
            let frame = frame.expect("an event").expect("more events").expect("a frame");
            self.text.push_str(std::str::from_utf8(frame.data_ref().expect("data")).expect("text"));
        }
    }
}

#[tokio::test]
async fn two_people_play_a_game_by_their_keys() {
    let (service, [white, black, watch]) = begun(&json!({"board": "3x3"})).await;
    let mut of_white = Events::of(&service, &white).await;
    let first = of_white.until(|_| true).await;
    assert_eq!((&first["side"], &first["here"]), (&json!("white"), &json!({"white": true, "black": false})));
    assert_eq!((&first["begun"], &first["game"]["moves"]), (&false.into(), &json!([])));
    let mut of_black = Events::of(&service, &black).await;
    assert_eq!(of_black.until(|_| true).await["side"], "black");
    assert_eq!(of_white.until(|state| state["begun"] == true).await["here"]["black"], true);
    let mut watching = Events::of(&service, &watch).await;
    assert_eq!(watching.until(|_| true).await["side"], Value::Null);

    // Nobody moves for the other, or when it is not their turn, or with no key or one for watching.
    act(&service, &black, &play("c2-b2A", 0)).await.fails(409, &["White's turn"]);
    act(&service, &watch, &play("c2-b2A", 0)).await.fails(403, &["watching"]);
    act(&service, &white, &play("a1-a2", 0)).await.fails(400, &["a1-a2"]);
    let other = if white.starts_with('0') { "1" } else { "0" };
    act(&service, &format!("{other}{}", &white[1..]), &play("c2-b2A", 0)).await.fails(404, &["restarted"]);
    act(&service, "white", &play("c2-b2A", 0)).await.fails(400, &["32 hexadecimal digits"]);
    assert_eq!(state(&service, &white).await["game"]["moves"], json!([]));

    act(&service, &white, &play("c2b2A", 0)).await.done();
    // Sent again, it is not made again.
    act(&service, &white, &play("c2b2A", 0)).await.fails(409, &["the game is at turn 1"]);
    let seen = of_black.until(|state| state["game"]["moves"] != json!([])).await;
    assert_eq!((&seen["game"]["moves"], &seen["to_move"]), (&json!(["c2-b2A"]), &json!("black")));
    act(&service, &white, &play("b2-c1W", 1)).await.fails(409, &["Black's turn"]);

    // Black's connection is lost, and White plays on; after connecting again Black has the whole game.
    drop(of_black);
    of_white.until(|state| state["here"]["black"] == false).await;
    act(&service, &black, &play("c3-c2A", 1)).await.done();
    act(&service, &white, &play("b2-c1W", 2)).await.done();
    let mut of_black = Events::of(&service, &black).await;
    let again = of_black.until(|_| true).await;
    assert_eq!(again["game"]["moves"], json!(["c2-b2A", "c3-c2A", "b2-c1W"]));

    act(&service, &black, &json!({"action": "resign"})).await.done();
    for events in [&mut of_white, &mut of_black, &mut watching] {
        let end = events.until(|state| state["result"] != Value::Null).await;
        assert_eq!(end["result"]["text"], "White wins: Black has resigned");
        assert_eq!(end["game"]["end"], json!({"by": "resignation", "side": "black"}));
    }
    act(&service, &black, &play("b3-b2W", 3)).await.fails(409, &["over", "resigned"]);
    act(&service, &white, &json!({"action": "draw"})).await.fails(409, &["over"]);
}

#[tokio::test]
async fn a_draw_is_offered_declined_and_agreed_on() {
    let (service, [white, black, _]) = begun(&json!({"board": "9x5"})).await;
    let draw = json!({"action": "draw"});
    act(&service, &black, &json!({"action": "decline"})).await.fails(409, &["White offers no draw"]);
    assert_eq!(act(&service, &white, &draw).await.done()["draw_offer"], "white");
    act(&service, &white, &draw).await.fails(409, &["after the next turn"]);
    act(&service, &white, &json!({"action": "decline"})).await.fails(409, &["Black offers no draw"]);
    assert_eq!(act(&service, &black, &json!({"action": "decline"})).await.done()["draw_offer"], Value::Null);
    // Who offers a draw may move; a move of the other side declines it.
    act(&service, &white, &draw).await.fails(409, &["after the next turn"]);
    act(&service, &white, &play("d3-e3A", 0)).await.done();
    assert_eq!(act(&service, &white, &draw).await.done()["draw_offer"], "white");
    let moves = post(&service, "/api/game", r#"{"board": "9x5", "moves": ["d3-e3A"]}"#).await.done();
    let reply = moves["turns"][0]["move"].as_str().expect("a move");
    assert_eq!(act(&service, &black, &play(reply, 1)).await.done()["draw_offer"], Value::Null);
    act(&service, &black, &draw).await.done();
    let end = act(&service, &white, &draw).await.done();
    assert_eq!((&end["result"]["reason"], &end["draw_offer"]), (&json!("agreement"), &Value::Null));
}

#[tokio::test]
async fn the_time_runs_when_both_have_come_and_is_claimed() {
    let game = json!({"board": "3x3", "rules": {"move_time": 1}});
    let (service, [white, black, _]) = begun(&game).await;
    let claim = json!({"action": "time"});
    act(&service, &black, &claim).await.fails(409, &["White has 1 ms left"]);
    let mut of_white = Events::of(&service, &white).await;
    of_white.until(|state| state["here"]["white"] == true).await;
    act(&service, &black, &claim).await.fails(409, &["ms left"]);
    // A request for the head of the events follows nothing.
    let head = Request::head(format!("/api/live/{black}/events")).body(Body::empty()).expect("a request");
    service.clone().oneshot(head).await.expect("services answer");
    assert_eq!(state(&service, &white).await["begun"], false);
    let mut of_black = Events::of(&service, &black).await;
    of_black.until(|state| state["begun"] == true).await;
    let wait = async {
        while state(&service, &black).await["spent"].as_u64().expect("a number") < 2 {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, wait).await.expect("time passes");
    assert_eq!(
        act(&service, &black, &claim).await.done()["result"]["text"],
        "Black wins: White has exceeded the time for a turn"
    );
    // Without a limit there is nothing to claim.
    let keys = begin(&service, &json!({"board": "3x3"})).await;
    act(&service, &keys[0], &claim).await.fails(400, &["move_time"]);
}

#[tokio::test]
async fn live_games_have_limits() {
    let of = |live_games| router(Settings { live_games, ..Settings::new("none") });
    let none = of(0);
    post(&none, "/api/live", r#"{"board": "3x3"}"#).await.fails(403, &["no live games", "--live-games"]);
    let service = of(1);
    post(&service, "/api/live", r#"{"board": "3x4"}"#).await.fails(400, &["3x4"]);
    let over = json!({"board": "3x3", "end": {"by": "resignation", "side": "white"}});
    post(&service, "/api/live", over.to_string()).await.fails(400, &["over"]);
    let moves = ["a1-a2", "e5-e4", "a2-a1", "e4-e5"].into_iter().cycle();
    let circles = |turns| {
        let moves: Vec<&str> = moves.clone().take(turns).collect();
        json!({"board": "5x5", "position": "4B/5/5/5/W4 w", "rules": {"repetition": false}, "moves": moves})
    };
    post(&service, "/api/live", circles(1000).to_string()).await.fails(400, &["1000 turns"]);
    let [white, black, _] = begin(&service, &circles(999)).await;
    post(&service, "/api/live", r#"{"board": "3x3"}"#).await.fails(503, &["1 live games"]);
    act(&service, &black, &play("e4-e5", 999)).await.done();
    act(&service, &white, &play("a1-a2", 1000)).await.fails(409, &["1000 turns", "draw"]);
    // A game that is over makes place for another one, and is then gone.
    act(&service, &white, &json!({"action": "resign"})).await.done();
    assert_eq!(state(&service, &white).await["result"]["winner"], "black");
    let [next, ..] = begin(&service, &json!({"board": "3x3"})).await;
    get(&service, &format!("/api/live/{white}")).await.fails(404, &["no live game"]);
    get(&service, &format!("/api/live/{white}/events")).await.fails(404, &["no live game"]);
    state(&service, &next).await;
}

#[tokio::test]
async fn pages_of_other_sites_change_no_live_game() {
    let (service, [white, ..]) = begun(&json!({"board": "3x3"})).await;
    let request = async |path: &str, origin: &str, body: String| {
        let request = Request::post(path).header("content-type", "application/json").header("host", "localhost:9000");
        send(&service, request.header("origin", origin).body(Body::from(body)).expect("a request")).await
    };
    let path = format!("/api/live/{white}");
    let action = || play("c2-b2A", 0).to_string();
    request(&path, "http://evil.example", action()).await.fails(403, &["other sites"]);
    request("/api/live", "http://evil.example", r#"{"board": "3x3"}"#.to_owned()).await.fails(403, &["other sites"]);
    request(&path, "http://localhost:9000", action()).await.done();
}

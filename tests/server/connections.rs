//! Connections that are slow, idle or too many, and bodies that never come.

use std::net::SocketAddr;
use std::num::NonZero;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{Request, StatusCode, header};
use fanorona::server::{Connections, serve};
use hyper::body::Frame;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower::ServiceExt;

use crate::server::{self, send, service};

const PATIENCE: Duration = Duration::from_millis(300);

/// Longer than anything takes here on a busy machine.
const LONG: Duration = Duration::from_secs(60);

fn limits(max: usize, per_client: usize, client_timeout: Duration, shutdown_timeout: Duration) -> Connections {
    let [max, per_client] = [max, per_client].map(|most| NonZero::new(most).expect("a connection"));
    Connections { max, per_client, client_timeout, shutdown_timeout }
}

/// A server on a free port with room for `most` connections; it ends when asked to, and returns how many it has cut off.
async fn serving(most: usize) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<std::io::Result<usize>>) {
    serving_each(most, most).await
}

/// The same with room for `per_client` connections of a client.
async fn serving_each(
    most: usize,
    per_client: usize,
) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<std::io::Result<usize>>) {
    serving_within(limits(most, per_client, PATIENCE, PATIENCE)).await
}

/// The same within those limits.
async fn serving_within(limits: Connections) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<std::io::Result<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = serve(listener, service(Path::new("none")), limits, async move {
        let _ = stopped.await;
    });
    (address, stop, tokio::spawn(server))
}

/// Asks on a connection of its own.
async fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    timeout(LONG, stream.read_to_string(&mut text)).await.expect("an answer").unwrap();
    text
}

/// Everything that comes until the server closes.
async fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What is cut off may end with an error as well.
    let _ = timeout(LONG, stream.read_to_end(&mut bytes)).await.expect("an end");
    bytes
}

#[tokio::test]
async fn slow_heads_and_idle_connections_are_cut_off() {
    let (address, stop, server) = serving(8).await;
    let begin = Instant::now();
    let mut silent = TcpStream::connect(address).await.unwrap();
    let mut half = TcpStream::connect(address).await.unwrap();
    half.write_all(b"GET /health HTTP/1.1\r\nHost: lo").await.unwrap();
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    assert!(!String::from_utf8(rest(&mut silent).await).unwrap().contains("200 OK"));
    assert!(!String::from_utf8(rest(&mut half).await).unwrap().contains("200 OK"));
    // This one has had its answer before.
    assert!(String::from_utf8(rest(&mut idle).await).unwrap().starts_with("HTTP/1.1 200 OK"));
    assert!(begin.elapsed() >= PATIENCE);
    stop.send(()).unwrap();
    assert_eq!(timeout(LONG, server).await.unwrap().unwrap().unwrap(), 0);
}

#[tokio::test]
async fn only_connections_that_took_too_long_count_as_cut_off() {
    let limits = limits(8, 8, LONG, 10 * PATIENCE);
    let (address, stop, server) = serving_within(limits).await;
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    idle.read_u8().await.unwrap();
    // The rest of this request never comes.
    let mut half = TcpStream::connect(address).await.unwrap();
    let head = "POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n";
    half.write_all(format!("{head}Expect: 100-continue\r\n\r\n").as_bytes()).await.unwrap();
    half.read_u8().await.unwrap();
    stop.send(()).unwrap();
    assert_eq!(timeout(LONG, server).await.unwrap().unwrap().unwrap(), 1);
    drop((idle, half));
}

/// The status of an answer that has a head and nothing else.
fn status_alone(answer: &str) -> &str {
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(body.is_empty() && head.to_lowercase().contains("\r\ncontent-length: 0"), "{answer:?}");
    head.split(' ').nth(1).expect("a status")
}

#[tokio::test]
async fn heads_that_cannot_be_read_get_a_status_without_a_body() {
    let (address, stop, server) = serving(8).await;
    let fields = "A: b\r\n".repeat(200);
    let long = "a".repeat(100 << 10);
    let heads = [
        ("\0\r\n\r\n".to_owned(), "400"),
        ("GET /health\r\n\r\n".to_owned(), "400"),
        ("GET /health HTTP/9.9\r\n\r\n".to_owned(), "400"),
        ("GET /health HTTP/1.1\r\nno field\r\n\r\n".to_owned(), "400"),
        ("GET /\u{1} HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "400"),
        (format!("GET /health HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n"), "431"),
        (format!("GET /health HTTP/1.1\r\nHost: localhost\r\nA: {long}\r\n\r\n"), "431"),
        (format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"), "431"),
    ];
    for (head, status) in heads {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // The answer may come before all of the head has been read.
        let _ = stream.write_all(head.as_bytes()).await;
        // It ends the connection.
        let answer = String::from_utf8(rest(&mut stream).await).unwrap();
        assert_eq!(status_alone(&answer), status, "{answer:?} to {:?}", &head[..head.len().min(80)]);
    }
    // Every other error has a body.
    let answer = get(address, "/nowhere").await;
    assert!(answer.starts_with("HTTP/1.1 404 ") && answer.contains("{\"error\":{\"status\":404"), "{answer}");
    stop.send(()).unwrap();
    timeout(LONG, server).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn the_health_check_is_answered_where_all_places_are_taken() {
    let limits = limits(1, 8, LONG, PATIENCE);
    let (address, stop, server) = serving_within(limits).await;
    let mut first = TcpStream::connect(address).await.unwrap();
    let request = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // A place is taken once a connection is accepted.
    first.write_all(request("/health").as_bytes()).await.unwrap();
    first.readable().await.unwrap();
    for _ in 0..3 {
        assert!(get(address, "/health").await.starts_with("HTTP/1.1 200 OK"));
        let refused = get(address, "/api/tables").await.to_lowercase();
        assert!(refused.starts_with("http/1.1 503") && refused.contains("retry-after: 1"), "{refused}");
    }
    // Those that ask nothing are closed soon, and a client has few of them.
    let mut silent = Vec::new();
    for _ in 0..3 {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    let begin = Instant::now();
    for stream in &mut silent {
        timeout(LONG, rest(stream)).await.expect("the server to lose its patience");
    }
    assert!(begin.elapsed() < LONG / 2);
    drop(first);
    let free = async { while !get(address, "/api/tables").await.starts_with("HTTP/1.1 200 OK") {} };
    timeout(LONG, free).await.expect("the place of the first");
    stop.send(()).unwrap();
    assert_eq!(timeout(LONG, server).await.unwrap().unwrap().unwrap(), 0);
}

#[tokio::test]
async fn clients_that_do_not_take_their_answers_are_cut_off() {
    let (address, stop, server) = serving(1).await;
    let mut greedy = TcpStream::connect(address).await.unwrap();
    let moves: Vec<&str> = ["a1-a2", "i1-i2", "a2-a1", "i2-i1"].into_iter().cycle().take(2000).collect();
    let game = json!({"board": "9x5", "rules": {"repetition": false}, "position": "9/9/9/9/W7B w", "moves": moves})
        .to_string();
    let head = "POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ";
    let request = format!("{head}{}\r\n\r\n{game}", game.len());
    // Answers of a quarter of a megabyte each, of which none is read, until the server no longer takes requests either.
    let ask = async { while greedy.write_all(request.as_bytes()).await.is_ok() {} };
    timeout(LONG, ask).await.expect("the server to lose its patience");
    // Its place is free for others.
    assert!(get(address, "/health").await.starts_with("HTTP/1.1 200 OK"));
    stop.send(()).unwrap();
    timeout(LONG, server).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn a_client_with_too_many_connections_gets_no_more() {
    let (address, stop, server) = serving_each(8, 2).await;
    let mut first = TcpStream::connect(address).await.unwrap();
    let second = TcpStream::connect(address).await.unwrap();
    let mut third = TcpStream::connect(address).await.unwrap();
    assert!(rest(&mut third).await.is_empty());
    first.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.unwrap();
    assert!(String::from_utf8(rest(&mut first).await).unwrap().starts_with("HTTP/1.1 200 OK"));
    drop((first, second));
    // The server notices in its own time that they are gone.
    let again = async {
        loop {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let request = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            let sent = stream.write_all(request).await.is_ok();
            if sent && rest(&mut stream).await.starts_with(b"HTTP/1.1 200 OK") {
                break;
            }
        }
    };
    timeout(LONG, again).await.expect("a free place");
    stop.send(()).unwrap();
    timeout(LONG, server).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn answers_that_nobody_reads_are_limited() {
    let service = service(Path::new("none"));
    let moves: Vec<&str> = ["a1-a2", "i1-i2", "a2-a1", "i2-i1"].into_iter().cycle().take(4000).collect();
    let game = json!({"board": "9x5", "position": "9/9/9/9/W7B w", "rules": {"repetition": false}, "moves": moves})
        .to_string();
    let request = || {
        let request = Request::post("/api/game").header(header::CONTENT_TYPE, "application/json");
        service.clone().oneshot(request.body(Body::from(game.clone())).unwrap())
    };
    let (mut unread, mut bytes) = (Vec::new(), 0);
    let refused = loop {
        let answer = request().await.unwrap();
        if answer.status() != StatusCode::OK {
            break answer;
        }
        bytes += answer.body().size_hint().exact().expect("a length");
        assert!(bytes <= 64 << 20, "{bytes} bytes are unread");
        unread.push(answer);
    };
    assert!(refused.status() == StatusCode::SERVICE_UNAVAILABLE && bytes > 60 << 20, "{bytes}");
    drop(unread.pop());
    assert_eq!(request().await.unwrap().status(), StatusCode::OK);
}

/// A body that never comes.
struct Never;

impl HttpBody for Never {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Pending
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let request = Request::post("/api/game").header(header::CONTENT_TYPE, "application/json").body(Body::new(Never));
    let answer = send(&service(Path::new("none")), request.unwrap()).await;
    answer.fails(408, &["10 seconds"]);
    assert_eq!(server::conflict(&answer.json(), &server::answers("post", "/api/game", "408")), None);
}

/// Begins a live game; returns the answer.
async fn begin_live(address: SocketAddr) -> String {
    let mut asking = TcpStream::connect(address).await.unwrap();
    let body = r#"{"board": "3x3"}"#;
    let fields = "Host: localhost\r\nConnection: close\r\nContent-Type: application/json";
    let head = format!("POST /api/live HTTP/1.1\r\n{fields}\r\nContent-Length: {}\r\n\r\n", body.len());
    asking.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    String::from_utf8(rest(&mut asking).await).unwrap()
}

/// Opens the events of a live game; returns the connection and the head of the answer.
async fn follow(address: SocketAddr, key: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /api/live/{key}/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = vec![0; 4096];
    let length = timeout(LONG, stream.read(&mut bytes)).await.expect("an answer").unwrap();
    (stream, String::from_utf8_lossy(&bytes[..length]).into_owned())
}

#[tokio::test]
async fn who_follows_live_games_leaves_room_for_others() {
    // A third of four connections, rounded up, and half of all eight.
    let (address, stop, server) = serving_each(8, 4).await;
    let answer = begin_live(address).await;
    let key = answer.split("\"white\":\"").nth(1).unwrap()[..32].to_owned();
    let (first, text) = follow(address, &key).await;
    assert!(text.starts_with("HTTP/1.1 200 OK") && text.contains("text/event-stream"), "{text}");
    let (second, text) = follow(address, &key).await;
    assert!(text.starts_with("HTTP/1.1 200 OK"), "{text}");
    let (third, text) = follow(address, &key).await;
    assert!(text.starts_with("HTTP/1.1 503"), "{text}");
    drop((second, third));
    // A connection that is gone makes room.
    let again = async { while !follow(address, &key).await.1.starts_with("HTTP/1.1 200 OK") {} };
    timeout(LONG, again).await.expect("room");
    // The server does not wait for those who follow.
    let _first = first;
    stop.send(()).unwrap();
    assert_eq!(timeout(LONG, server).await.unwrap().unwrap().unwrap(), 0);
}

#[tokio::test]
async fn an_address_begins_only_so_many_live_games() {
    let (address, stop, server) = serving_each(8, 2).await;
    for status in ["200 OK", "200 OK", "429 Too Many Requests"] {
        let answer = begin_live(address).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
    }
    stop.send(()).unwrap();
    timeout(LONG, server).await.unwrap().unwrap().unwrap();
}

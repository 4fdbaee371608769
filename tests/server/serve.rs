//! `fanorona serve` from outside: over a real socket, until a signal ends it.
#![cfg(all(feature = "cli", unix))]

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::program::Place;
use crate::served::{Server, all_of, body};

#[test]
fn it_serves_until_a_signal_and_ends_well() {
    let place = Place::new();
    place.run("build 3x3 --stones 3").done();
    for signal in ["TERM", "INT"] {
        let server = Server::start(&place, "");
        let response = server.get("/api/3x3?position=3/3/W1B_b");
        assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
        assert_eq!(body(&response)["value"], "win");
        assert!(server.get("/").contains("<title>Fanorona</title>"));
        assert!(server.get("/nothing").starts_with("HTTP/1.1 404 "));
        // An idle connection does not keep it from ending.
        let idle = server.connect();
        let start = Instant::now();
        server.signal(signal);
        let ran = server.ends();
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert!(start.elapsed() < Duration::from_secs(20));
        drop(idle);
    }
}

#[test]
fn requests_that_are_open_when_it_ends_are_answered() {
    let place = Place::new();
    fs::create_dir(place.path().join("page")).unwrap();
    let pipe = place.path().join("page/index.html");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let server = Server::start(&place, "--page page --workers 1");
    let mut open = server.connect();
    open.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    // Opening the pipe waits for the server to have begun to read.
    let mut page = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    server.signal("TERM");
    // It takes no more connections, and finishes what is open.
    let end = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(&server.address).is_ok() {
        assert!(Instant::now() < end, "it goes on listening");
        std::thread::sleep(Duration::from_millis(10));
    }
    page.write_all(b"<p>the last page").unwrap();
    drop(page);
    let response = all_of(open);
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n") && response.ends_with("<p>the last page"), "{response}");
    assert_eq!(server.ends().code, Some(0));
}

#[test]
fn it_does_not_wait_for_ever_for_what_is_open() {
    let place = Place::new();
    fs::create_dir(place.path().join("page")).unwrap();
    let pipe = place.path().join("page/index.html");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let server = Server::start(&place, "--page page --timeout 1h");
    let mut open = server.connect();
    open.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let page = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    let start = Instant::now();
    server.signal("TERM");
    let ran = server.ends();
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("1 connection") && start.elapsed() < Duration::from_secs(30), "{}", ran.err);
    drop((page, open));
}

#[test]
fn malformed_requests_harm_no_other_client() {
    let place = Place::new();
    let server = Server::start(&place, "");
    assert!(server.exchange("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(200_000));
    let refused = server.exchange(&long);
    assert!(refused.starts_with("HTTP/1.1 431 ") || refused.starts_with("HTTP/1.1 414 "), "{refused:?}");
    let many = "X-Field: x\r\n".repeat(2000);
    assert!(server.exchange(&format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n")).starts_with("HTTP/1.1 431 "));
    let both = "POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert!(!server.exchange(&format!("{both}GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")).is_empty());
    let chunks = "POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let malformed = server.exchange(&format!("{chunks}zz\r\n{{}}\r\n0\r\n\r\n"));
    assert!(malformed.starts_with("HTTP/1.1 400 ") && malformed.contains("chunks are malformed"), "{malformed}");
    // A body that ends too early.
    let mut half = server.connect();
    let head =
        "POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    half.write_all(head.as_bytes()).unwrap();
    drop(half);
    let response = server.get("/health");
    assert_eq!(body(&response)["status"], "ok");
    server.signal("TERM");
    let ran = server.ends();
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), NO_TABLES));
}

#[test]
fn requests_for_other_hosts_are_refused() {
    let place = Place::new();
    let ask = |server: &Server, host: &str| {
        server.exchange(&format!("GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    };
    let server = Server::start(&place, "--host fanorona.example");
    for host in ["localhost:9000", "127.0.0.1", "192.168.0.7:80", "[::1]:9000", "Fanorona.example:443"] {
        assert!(ask(&server, host).starts_with("HTTP/1.1 200 OK"), "{host}");
    }
    let refused = ask(&server, "evil.example");
    assert!(refused.starts_with("HTTP/1.1 421 "), "{refused}");
    let message = body(&refused)["error"]["message"].as_str().expect("a message").to_owned();
    assert!(message.contains("\"evil.example\"") && message.contains("--host"), "{message}");
    // Where other machines reach the server too, any name may lead to it.
    let open = Server::start_at(&place, "0.0.0.0:0", "");
    assert!(ask(&open, "workstation").starts_with("HTTP/1.1 200 OK"));
    for server in [server, open] {
        server.signal("TERM");
        assert_eq!(server.ends().code, Some(0));
    }
}

/// What the server says where there is no database folder.
const NO_TABLES: &str = "There is no database folder db yet; the page can build tables.\n";

#[test]
fn several_requests_on_one_connection_are_answered_in_order() {
    let place = Place::new();
    let server = Server::start(&place, "");
    let mut requests = String::new();
    for size in ["3x3", "5x5", "9x5"] {
        write!(requests, "GET /api/{size}/start HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    }
    requests += "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let answers = server.exchange(&requests);
    let places: Vec<_> =
        ["\"3x3\"", "\"5x5\"", "\"9x5\"", "\"ok\""].iter().map(|word| answers.find(word).unwrap()).collect();
    assert!(places.is_sorted(), "{answers}");
    server.signal("TERM");
    assert_eq!(server.ends().code, Some(0));
}

#[test]
fn an_address_in_use_is_an_error_in_one_line() {
    let place = Place::new();
    fs::create_dir(place.path().join("db")).unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    place.run(&format!("serve --bind {address}")).fails_silently(&[&address, "in use", "--bind"]);
    place.run("serve --bind nonsense").fails_silently(&["nonsense", "--bind"]);
    place.run("serve --bind 127.0.0.1:99999").fails_silently(&["127.0.0.1:99999", "--bind"]);
    place.run("serve --workers 0").misused(&["--workers"]);
    place.run("serve --timeout soon").misused(&["--timeout"]);
    place.run("serve --cache lots").misused(&["--cache"]);
}

#[test]
fn a_public_address_is_warned_of() {
    let place = Place::new();
    fs::create_dir(place.path().join("db")).unwrap();
    let server = Server::start_at(&place, "0.0.0.0:0", "");
    server.signal("TERM");
    let ran = server.ends();
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.starts_with("Warning: 0.0.0.0:") && ran.err.lines().count() == 1, "{}", ran.err);
}

#[test]
fn the_unit_of_systemd_starts_and_stops_it() {
    const UNIT: &str = include_str!("../../docs/fanorona.service");
    const PROGRAM: &str = "/usr/local/bin/fanorona";
    let set = |name: &str| {
        let value = UNIT.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.unwrap_or_else(|| panic!("no {name}"))
    };
    let place = Place::new();
    place.run("build 3x3 --stones 3").done();
    let command = set("ExecStart").replace("127.0.0.1:9000", "127.0.0.1:0").replace("/var/lib/fanorona/db", "db");
    let arguments: Vec<&str> = command.strip_prefix(PROGRAM).expect("the program").split_whitespace().collect();
    let server = Server::of(&mut place.command(&arguments));
    assert_eq!(body(&server.get("/api/3x3?position=3/3/W1B_b"))["value"], "win");
    let asked = Instant::now();
    server.signal(set("KillSignal").strip_prefix("SIG").expect("a signal"));
    assert_eq!(server.ends().code, Some(0));
    assert!(asked.elapsed() < Duration::from_secs(set("TimeoutStopSec").parse().expect("seconds")));
    // What systemd says of all the rest, where it is installed.
    let unit = place.path().join("fanorona.service");
    fs::write(&unit, UNIT.replace(PROGRAM, env!("CARGO_BIN_EXE_fanorona"))).expect("a file");
    if let Ok(checked) = Command::new("systemd-analyze").arg("verify").arg(&unit).output() {
        let told = String::from_utf8_lossy(&checked.stderr);
        assert!(!told.contains("fanorona.service"), "{told}");
    }
}

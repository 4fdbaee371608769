//! Builds by the server: offered with what they take, run in the background, stopped, killed and continued, and refused.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use fanorona::server::{Builds, Settings, router};
use serde_json::{Value, json};

use crate::program::Place;
use crate::server::{Answer, answers, ask, conflict, get, post, send};

/// A service that builds.
fn builds(database: &Path) -> Router {
    router(Settings { builds: Builds::Always, ..Settings::new(database.to_owned()) })
}

async fn stop(service: &Router) -> Answer {
    send(service, Request::delete("/api/build").body(Body::empty()).expect("a request")).await
}

/// What the latest build is doing, as the description has it.
async fn state(service: &Router) -> Value {
    let state = get(service, "/api/build").await.done();
    assert_eq!(conflict(&state, &answers("get", "/api/build", "200")), None);
    state
}

/// Waits until the build has ended, with growing shares; returns its last state.
async fn ended(service: &Router) -> Value {
    let (start, mut share) = (Instant::now(), 0.0);
    loop {
        let state = state(service).await;
        if state["state"] != "running" {
            return state;
        }
        if state["build"]["proof"] == false {
            let now = state["share"].as_f64().expect("a share");
            assert!(now >= share && state["seconds_left"].is_number(), "{state}");
            share = now;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "{state}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn offers(service: &Router, board: &str) -> Value {
    let offers = get(service, &format!("/api/{board}/build")).await.done();
    assert_eq!(conflict(&offers, &answers("get", "/api/{size}/build", "200")), None);
    offers
}

/// The files of a folder, without locks, with their bytes.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut files: Vec<_> = entries.map(|path| (name(&path), fs::read(&path).expect("a file"))).collect();
    files.retain(|(name, _)| !name.starts_with('.'));
    files.sort_unstable();
    files
}

#[tokio::test]
async fn pages_of_others_do_not_build() {
    let place = Place::new();
    let database = place.path().join("db");
    let service = router(Settings { builds: Builds::Local, ..Settings::new(database.clone()) });
    let request = async |method: &str, path: &str, host: Option<&str>| {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let request = host.into_iter().fold(request, |request, host| request.header("host", host));
        let body = if method == "POST" { r#"{"board": "3x3", "stones": 3}"# } else { "" };
        send(&service, request.body(Body::from(body)).expect("a request")).await
    };
    // Names that lead to this machine only today.
    for host in [Some("evil.example:9000"), Some("localhost.evil.example"), Some("192.168.0.1:9000"), None] {
        for method in ["POST", "DELETE"] {
            request(method, "/api/build", host).await.fails(403, &["localhost, 127.0.0.1 or [::1]", "--build"]);
        }
        assert_eq!(request("GET", "/api/3x3/build", host).await.done()["allowed"], false);
        assert_eq!(request("GET", "/api/build", host).await.done()["state"], "idle");
    }
    assert!(!database.exists());
    // A page of another site asks at the right address.
    let foreign = Request::delete("/api/build").header("host", "localhost").header("origin", "http://evil.example");
    send(&service, foreign.body(Body::empty()).expect("a request")).await.fails(403, &["other sites"]);
    for host in ["localhost", "localhost:9000", "127.0.0.1:9000", "[::1]:9000"] {
        assert_eq!(request("GET", "/api/3x3/build", Some(host)).await.done()["allowed"], true);
        request("POST", "/api/build", Some(host)).await.done();
        assert_eq!(ended(&service).await["state"], "done");
        request("DELETE", "/api/build", Some(host)).await.done();
    }
}

const START: &str = "/api/5x5?position=5/1BB2/5/2W2/WW3_w";

#[tokio::test]
async fn what_is_offered_is_built_and_used_at_once() {
    let place = Place::new();
    let service = builds(&place.path().join("db"));
    assert_eq!(state(&service).await["state"], "idle");
    get(&service, START).await.fails(404, &["no tables of 5x5"]);
    let before = offers(&service, "5x5").await;
    assert_eq!((&before["allowed"], &before["stones"]), (&true.into(), &0.into()));
    let list = before["offers"].as_array().expect("a list");
    assert!(list.len() > 4 && list.iter().zip(2..).all(|(offer, stones)| offer["stones"] == stones), "{before}");
    // They are what the plan says.
    let plan = place.run("build 5x5 --stones 5 --dry-run --json").json();
    for field in ["positions", "memory", "disk"] {
        assert_eq!(list[3][field], plan["totals"][field], "{field}");
    }
    let begun = ask(&service, "/api/build", &json!({"board": "5x5", "stones": 5})).await;
    assert!(["running", "done"].contains(&begun["state"].as_str().expect("a word")), "{begun}");
    let done = ended(&service).await;
    let rules =
        json!({"diagonals": "corner", "continuation": "optional", "directions": "not-repeated", "stalemate": "loss"});
    assert_eq!(done["build"], json!({"board": "5x5", "rules": rules, "stones": 5, "proof": false}));
    assert_eq!((&done["state"], &done["message"]), (&"done".into(), &Value::Null), "{done}");
    let answer = get(&service, START).await.done();
    assert_ne!(answer["value"], "unknown");
    let after = offers(&service, "5x5").await;
    assert_eq!((&after["stones"], &after["offers"][0]["stones"]), (&5.into(), &6.into()));
    // They are the tables of `build`.
    place.run("build 5x5 --stones 5 --db built").done();
    assert!(files(&place.path().join("db/5x5")) == files(&place.path().join("built/5x5")));
    // Tables for other rules are another build.
    let body = json!({"board": "3x3", "rules": {"stalemate": "draw"}, "stones": 4});
    ask(&service, "/api/build", &body).await;
    assert_eq!(ended(&service).await["state"], "done");
    assert_ne!(get(&service, "/api/3x3?position=1B1/1W1/1W1_w&stalemate=draw").await.done()["value"], "unknown");
}

#[tokio::test]
async fn one_build_runs_at_a_time_and_can_be_stopped() {
    let place = Place::new();
    let service = builds(&place.path().join("db"));
    // Half a minute of work.
    ask(&service, "/api/build", &json!({"board": "9x5", "stones": 7})).await;
    let other = json!({"board": "3x3", "stones": 3}).to_string();
    let refused = post(&service, "/api/build", other.clone()).await;
    refused.fails(409, &["9x5 to 7 stones is running"]);
    assert_eq!(conflict(&refused.json(), &answers("post", "/api/build", "409")), None);
    // Nothing is planned meanwhile, so what else is wrong is not found.
    post(&service, "/api/build", r#"{"board": "5x5", "stones": 1}"#).await.fails(409, &["9x5 to 7 stones is running"]);
    while !place.path().join("db/9x5/2v2.wdl").exists() {
        assert_eq!(state(&service).await["state"], "running");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let stopped = stop(&service).await.done();
    assert_eq!(conflict(&stopped, &answers("delete", "/api/build", "200")), None);
    let start = Instant::now();
    let stopped = ended(&service).await;
    assert_eq!((&stopped["state"], &stopped["message"]), (&"stopped".into(), &Value::Null), "{stopped}");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    // What is finished stays and is used, and the next build continues.
    let names: Vec<String> = files(&place.path().join("db/9x5")).into_iter().map(|(name, _)| name).collect();
    assert!(names.contains(&"2v2.wdl".to_owned()) && !names.iter().any(|name| name.contains(".tmp")), "{names:?}");
    assert!(!names.contains(&"4v3.wdl".to_owned()), "{names:?}");
    ask(&service, "/api/build", &json!({"board": "9x5", "stones": 4})).await;
    assert_eq!(ended(&service).await["state"], "done");
    place.run("build 9x5 --stones 4 --db built").done();
    let both = ["db/9x5", "built/9x5"].map(|folder| files(&place.path().join(folder)));
    assert!(both[1].iter().filter(|(name, _)| name.ends_with("wdl")).all(|file| both[0].contains(file)));
    // Stopping nothing changes nothing.
    assert_eq!(stop(&service).await.done()["state"], "done");
    ask(&service, "/api/build", &json!({"board": "3x3", "stones": 3})).await;
    assert_eq!(ended(&service).await["state"], "done");
}

#[tokio::test]
async fn builds_that_cannot_be_are_refused_with_the_reason() {
    let place = Place::new();
    let database = place.path().join("db");
    let service = builds(&database);
    let cases: [(&str, u16, &[&str]); 11] = [
        (r#"{"board": "5x5", "stones": 1}"#, 400, &["2 stones or more"]),
        (r#"{"board": "9x5", "stones": 44}"#, 400, &["9x5 with 44 stones", "at most"]),
        (r#"{"board": "13x13", "stones": 3}"#, 400, &["169 points"]),
        (r#"{"board": "4x5", "stones": 3}"#, 400, &["4x5"]),
        (r#"{"board": "5x5"}"#, 400, &["stones", "proof"]),
        (r#"{"stones": 4}"#, 400, &["board"]),
        (r#"{"board": "5x5", "stones": 4, "threads": 1}"#, 400, &["threads"]),
        (r#"{"board": "5x5", "stones": 4, "rules": {"vela": "white"}}"#, 400, &["rules", "vela"]),
        (r#"{"board": "5x5", "stones": 4, "proof": true}"#, 400, &["either stones", "proof"]),
        (r#"{"board": "13x13", "proof": true}"#, 400, &["169 points"]),
        ("[]", 400, &["not a JSON object"]),
    ];
    for (body, status, words) in cases {
        post(&service, "/api/build", body).await.fails(status, words);
    }
    get(&service, "/api/13x13/build").await.fails(404, &["169 points"]);
    get(&service, "/api/5x5/build?position=5/5/5/5/W3B_w").await.fails(400, &["no position"]);
    assert!(!database.exists());

    // Too little memory is reported before anything is written.
    let little = router(Settings { builds: Builds::Always, build_memory: 1 << 20, ..Settings::new(database.clone()) });
    let nine = json!({"board": "9x5", "stones": 6}).to_string();
    post(&little, "/api/build", nine.clone()).await.fails(422, &["about ", " MB of memory", "1.0 MB may be used"]);
    assert!(offers(&little, "9x5").await["offers"].as_array().expect("a list").len() < 4);

    // Where builds are not allowed, nothing is offered.
    let closed = router(Settings::new(database.clone()));
    let refused = post(&closed, "/api/build", nine).await;
    refused.fails(403, &["builds no tables"]);
    assert_eq!(conflict(&refused.json(), &answers("post", "/api/build", "403")), None);
    stop(&closed).await.fails(403, &["builds no tables"]);
    let nothing = offers(&closed, "5x5").await;
    assert_eq!((&nothing["allowed"], &nothing["offers"], &nothing["proof"]), (&false.into(), &json!([]), &Value::Null));
    assert_eq!(state(&closed).await["state"], "idle");

    // What goes wrong later is the message of the build.
    let (tables, proof) = (json!({"board": "5x5", "stones": 3}), json!({"board": "3x3", "proof": true}));
    let (build, solve) = ("in use by another build", "another search writes the same certificate");
    for (name, request, why) in [("5x5/.lock", tables, build), ("certificates/3x3.proof.lock", proof, solve)] {
        let name = database.join(name);
        fs::create_dir_all(name.parent().expect("a folder")).expect("a folder");
        let _lock = fanorona::files::Lock::on(&name).expect("a file");
        ask(&service, "/api/build", &request).await;
        let failed = ended(&service).await;
        assert!(failed["state"] == "failed" && failed["message"].to_string().contains(why), "{failed}");
    }
    ask(&service, "/api/build", &json!({"board": "5x5", "stones": 3})).await;
    assert_eq!(ended(&service).await["state"], "done");
}

#[tokio::test]
async fn the_proof_of_a_start_is_made_and_used() {
    let place = Place::new();
    let service = builds(&place.path().join("db"));
    for (board, value) in [("3x5", "win"), ("7x5", "draw")] {
        let start = get(&service, &format!("/api/{board}/start")).await.done()["position"].clone();
        let path = format!("/api/{board}?position={}", start.as_str().expect("a position").replace(' ', "_"));
        let before = offers(&service, board).await;
        assert!(before["proof"]["stones"].as_u64() > Some(2) && before["proof"]["disk"].as_u64() > Some(0), "{before}");
        let begun = ask(&service, "/api/build", &json!({"board": board, "proof": true})).await;
        assert_eq!((&begun["build"]["proof"], &begun["build"]["stones"]), (&true.into(), &before["proof"]["stones"]));
        if board == "7x5" {
            // It is stopped while it searches, which takes more than one report of progress, and continues.
            let start = Instant::now();
            while !state(&service).await["step"].as_str().unwrap_or_default().starts_with("searching") {
                assert!(start.elapsed() < Duration::from_secs(120));
            }
            stop(&service).await.done();
            assert_eq!(ended(&service).await["state"], "stopped");
            assert_eq!(get(&service, &path).await.done()["value"], "unknown");
            ask(&service, "/api/build", &json!({"board": board, "proof": true})).await;
        }
        let done = ended(&service).await;
        assert_eq!((&done["state"], &done["message"]), (&"done".into(), &Value::Null), "{done}");
        let answer = get(&service, &path).await.done();
        assert_eq!((&answer["value"], &answer["source"]), (&value.into(), &"proof".into()), "{answer}");
        assert_eq!(offers(&service, board).await["proof"], Value::Null);
    }
    // One that is there is checked, and not replaced.
    let certificates = place.path().join("db/certificates");
    fs::remove_file(certificates.join("3x5.proof.checked")).expect("a record");
    let bytes = fs::read(certificates.join("3x5.proof")).expect("a certificate");
    ask(&service, "/api/build", &json!({"board": "3x5", "proof": true})).await;
    assert_eq!(ended(&service).await["state"], "done");
    assert!(certificates.join("3x5.proof.checked").exists());
    assert!(fs::read(certificates.join("3x5.proof")).expect("a certificate") == bytes);
    fs::write(certificates.join("3x3.proof"), "damaged").expect("a file");
    ask(&service, "/api/build", &json!({"board": "3x3", "proof": true})).await;
    assert_eq!(ended(&service).await["state"], "done");
    // What is of no use stays as it is, and another stands beside it.
    assert_eq!(fs::read(certificates.join("3x3.proof")).expect("a file"), b"damaged");
    // It is a certificate like any other.
    let name = place.path().join("db/certificates/7x5.proof");
    let checked = place.run_with(&["check", name.to_str().expect("a path")]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    assert!(!place.path().join("db/7x5/start.checkpoint").exists());
}

#[tokio::test]
async fn a_bound_that_nobody_has_checked_is_checked_and_proved_further() {
    let place = Place::new();
    place.run("solve 5x5 --stones 5 --question black").done();
    let record = place.path().join("db/certificates/5x5.proof.checked");
    fs::remove_file(&record).expect("a record");
    let service = builds(&place.path().join("db"));
    let start = "/api/5x5?position=BBBBB/BBBBB/BW1BW/WWWWW/WWWWW_w";
    assert_eq!(get(&service, start).await.done()["value"], "unknown");
    ask(&service, "/api/build", &json!({"board": "5x5", "proof": true})).await;
    let done = ended(&service).await;
    assert_eq!((&done["state"], &done["message"]), (&"done".into(), &Value::Null), "{done}");
    let answer = get(&service, start).await.done();
    assert_eq!((&answer["value"], &answer["source"]), (&"draw".into(), &"proof".into()), "{answer}");
    assert!(record.exists());
}

#[cfg(unix)]
mod killed {
    use std::fs;
    use std::process::Command;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use serde_json::Value;

    use super::files;
    use crate::program::Place;
    use crate::served::{Server, body};

    fn request(server: &Server, method: &str, text: &str) -> Value {
        let length = text.len();
        body(&server.exchange(&format!(
            "{method} /api/build HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{text}"
        )))
    }

    #[test]
    fn a_build_goes_on_when_the_server_was_killed() {
        let place = Place::new();
        let six = r#"{"board": "9x5", "stones": 6}"#;
        for (signal, slice) in [("KILL", "1v1"), ("KILL", "2v2"), ("TERM", "3v2")] {
            let server = Server::start(&place, "");
            assert_eq!(request(&server, "POST", six)["state"], "running");
            let start = Instant::now();
            while !place.path().join(format!("db/9x5/{slice}.wdl")).exists() {
                assert!(start.elapsed() < Duration::from_secs(60));
                sleep(Duration::from_millis(2));
            }
            let end = Instant::now();
            server.signal(signal);
            let ran = server.ends();
            assert!(end.elapsed() < Duration::from_secs(5), "{:?}", end.elapsed());
            if signal == "TERM" {
                assert_eq!(ran.code, Some(0), "{}", ran.err);
                let left = fs::read_dir(place.path().join("db/9x5")).expect("a folder");
                let left = left.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
                assert!(left.into_iter().all(|name| !name.contains(".tmp")));
            }
        }
        let server = Server::start(&place, "");
        request(&server, "POST", six);
        assert_eq!(ended(&server)["state"], "done");
        server.signal("TERM");
        assert_eq!(server.ends().code, Some(0));
        place.run("build 9x5 --stones 6 --db built").done();
        assert!(files(&place.path().join("db/9x5")) == files(&place.path().join("built/9x5")));
    }

    /// Waits until the build has ended.
    fn ended(server: &Server) -> Value {
        let start = Instant::now();
        loop {
            let state = request(server, "GET", "");
            if state["state"] != "running" {
                return state;
            }
            assert!(start.elapsed() < Duration::from_secs(120), "{state}");
            sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn a_build_that_reaches_a_limit_of_the_system_says_so_and_the_server_goes_on() {
        // Files of at most some kilobytes; then less memory than the build was promised.
        let cases = [("-f 8", 5, "limit of the size of files"), ("-v 900000", 7, "cannot allocate")];
        for (limit, stones, words) in cases {
            let place = Place::new();
            let script =
                format!("ulimit {limit}; exec {} serve --bind 127.0.0.1:0 --memory 4G", env!("CARGO_BIN_EXE_fanorona"));
            let mut shell = Command::new("sh");
            let server = Server::of(shell.args(["-c", &script]).current_dir(place.path()));
            let task = format!("{{\"board\": \"9x5\", \"stones\": {stones}}}");
            assert_eq!(request(&server, "POST", &task)["state"], "running");
            let state = ended(&server);
            let message = state["message"].as_str().unwrap_or_else(|| panic!("{state}"));
            assert!(state["state"] == "failed" && message.contains(words) && message.lines().count() == 1, "{state}");
            // What was finished is used, and another build runs.
            assert_eq!(body(&server.get("/api/9x5?position=9/9/9/9/W7B_w"))["source"], "table");
            request(&server, "POST", r#"{"board": "3x3", "stones": 3}"#);
            assert_eq!(ended(&server)["state"], "done");
            server.signal("TERM");
            let ran = server.ends();
            assert!(ran.code == Some(0) && ran.err.contains("a build of 9x5 ended early"), "{}", ran.err);
        }
    }

    #[test]
    fn only_this_machine_builds_unless_it_is_said() {
        let place = Place::new();
        let allowed = |arguments: &str, bind: &str| {
            let server = Server::start_at(&place, bind, arguments);
            let offers = body(&server.get("/api/3x3/build"));
            server.signal("TERM");
            assert_eq!(server.ends().code, Some(0));
            offers["allowed"].as_bool().expect("yes or no")
        };
        assert!(allowed("", "127.0.0.1:0"));
        assert!(!allowed("--no-build", "127.0.0.1:0"));
        assert!(!allowed("", "0.0.0.0:0"));
        assert!(allowed("--build", "0.0.0.0:0"));
        place.run("serve --build --no-build").misused(&["--build", "--no-build"]);
    }
}

//! A database in a store, without files: the answers are those from the disk, byte for byte.
#![cfg(feature = "cli")]

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use fanorona::api::{self, LocalApi};
use fanorona::server::{Settings, router};
use fanorona::table::{Access, Database, Store, StoredFile};

use crate::program::Place;
use crate::server::{get, post, send, service};

/// Files in memory, by their paths.
#[derive(Debug)]
struct InMemory(BTreeMap<PathBuf, Vec<u8>>);

impl InMemory {
    /// The files of a folder and of the folders in it.
    fn of(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(open) = folders.pop() {
            for entry in open.read_dir().expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = Path::new("store").join(path.strip_prefix(folder).expect("a path inside"));
                    files.insert(name, std::fs::read(&path).expect("a file"));
                }
            }
        }
        Self(files)
    }

    fn database(self) -> Database {
        Database { folder: "store".into(), access: Access::Store(Arc::new(self)) }
    }
}

impl Store for InMemory {
    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let below = self.0.keys().filter_map(|path| path.strip_prefix(folder).ok()?.iter().next()?.to_str());
        let mut names: Vec<String> = below.map(str::to_owned).collect();
        names.dedup();
        if names.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(names) }
    }

    fn changed(&self, folder: &Path) -> io::Result<SystemTime> {
        self.names(folder).map(|_| SystemTime::UNIX_EPOCH)
    }

    fn open(&self, file: &Path) -> io::Result<Box<dyn StoredFile>> {
        let bytes = self.0.get(file).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(bytes.clone()))
    }
}

/// All of 3x3 with depths, 5x3 to five stones with some depths, and a certificate.
fn database() -> Place {
    let place = Place::new();
    place.run("build 3x3 --stones 9 --metric both").done();
    place.run("build 5x3 --stones 4 --metric both").done();
    place.run("build 5x3 --stones 5").done();
    place.run("solve 3x5 --stones 4").done();
    place
}

const READ: [&str; 16] = [
    "/api/tables",
    "/api/3x3?position=1B1/1W1/1W1_w",
    "/api/3x3?position=BBB/B1W/WWW_w",
    "/api/3x3/line?position=1B1/3/WW1_b",
    "/api/3x3/stats",
    "/api/3x3/zugzwangs",
    "/api/3x3/start",
    "/api/3x3/certificates",
    "/api/5x3?position=1BB2/5/W3W_w",
    "/api/5x3/line?position=1BB2/5/W3W_w",
    "/api/5x3/stats",
    "/api/3x5?position=BBB/BBB/B1W/WWW/WWW_w",
    "/api/3x5/certificates",
    "/api/3x5/line?position=BBB/BBB/B1W/WWW/WWW_w",
    "/api/9x5?position=1B1",
    "/api/9x5/stats?diagonals=up",
];

const POSTED: [(&str, &str); 5] = [
    ("/api/practice", r#"{"board": "3x3", "kind": "win", "difficulty": "easy", "seed": 7}"#),
    ("/api/practice", r#"{"board": "3x3", "kind": "any", "difficulty": "easy"}"#),
    ("/api/search", r#"{"board": "3x3", "position": "BBB/B1W/WWW w"}"#),
    ("/api/game/draw", r#"{"board": "3x3", "moves": ["c2-b2A"], "level": 5, "time": 50}"#),
    ("/api/game/reply", r#"{"board": "3x3", "moves": ["a1-a2"]}"#),
];

async fn assert_same(disk: &Router, store: &Router) {
    for path in READ {
        let (one, other) = (get(disk, path).await, get(store, path).await);
        assert_eq!((one.status, &one.body), (other.status, &other.body), "{path}");
    }
    for (path, body) in POSTED {
        let (one, other) = (post(disk, path, body).await, post(store, path, body).await);
        assert_eq!((one.status, &one.body), (other.status, &other.body), "{path} {body}");
    }
}

#[tokio::test]
async fn a_store_answers_as_the_disk_does() {
    let place = database();
    let folder = place.path().join("db");
    let store = router(Settings::new(InMemory::of(&folder).database()));
    assert_same(&service(&folder), &store).await;
}

/// What was sent line by line before an answer was complete.
static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The program without a server, over a store.
fn here(database: Database) -> LocalApi {
    let settings = api::Settings {
        database,
        cache_bytes: 1 << 20,
        trust: fanorona::knowledge::Trust::Checked,
        time_limit: Duration::from_secs(60),
        think: Duration::from_secs(60),
        search_threads: 0,
        search_memory: 1 << 24,
        log: |_| (),
    };
    LocalApi::new(settings, |line| LINES.lock().expect("lines").extend_from_slice(line))
}

fn request(method: &str, path: &str, body: &str) -> Request<Body> {
    let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
    request.body(body.to_owned().into()).expect("a request")
}

/// Bodies of every request, with answers that depend on no clock and no chance.
fn posted() -> Vec<(&'static str, &'static str)> {
    let games = [
        ("/api/game", r#"{"board": "3x3", "moves": ["c2-b2A"]}"#),
        ("/api/game", r#"{"board": "3x3", "moves": ["a1-a2"]}"#),
        ("/api/game/why", r#"{"board": "3x3", "from": "a1", "path": [], "to": "c3"}"#),
        ("/api/record", r#"{"record": "3x3 c2-b2A c3-c2A b2-c1W"}"#),
        ("/api/game", "[]"),
    ];
    games.into_iter().chain(POSTED).collect()
}

#[tokio::test]
async fn answers_without_a_server_are_those_of_the_server() {
    let place = database();
    let folder = place.path().join("db");
    let (server, here) = (service(&folder), here(InMemory::of(&folder).database()));
    let mut asked = Vec::new();
    for (method, path, body) in
        READ.iter().map(|path| ("GET", *path, "")).chain(posted().into_iter().map(|(path, body)| ("POST", path, body)))
    {
        // What to do where something is missing differs.
        let of_server = send(&server, request(method, path, body)).await;
        let answer = here.answer(request(method, path, body));
        asked.push((path.split('?').next().unwrap_or_default(), method));
        assert_eq!(answer.status, of_server.status, "{path} {body}");
        if answer.status == StatusCode::NOT_FOUND {
            continue;
        }
        assert_eq!(answer.body, of_server.body, "{path} {body}");
        assert_eq!(answer.headers[header::CONTENT_TYPE], of_server.headers[header::CONTENT_TYPE]);
    }
    // The computer's move is one of several, and says how long it took.
    let body = r#"{"board": "3x3", "moves": ["c2-b2A"], "level": 5, "time": 50}"#;
    let names = |body: &[u8]| {
        let fields: serde_json::Value = serde_json::from_slice(body).expect("JSON");
        fields.as_object().expect("an object").keys().cloned().collect::<Vec<_>>()
    };
    let of_server = send(&server, request("POST", "/api/game/reply", body)).await;
    assert_eq!(names(&here.answer(request("POST", "/api/game/reply", body)).body), names(&of_server.body));
    // The rest are answers line by line, below.
    for (path, method, _) in api::routes() {
        let path = path.replace("{size}", "3x3");
        let lines = ["/api/game/watch", "/api/game/review"].contains(&path.as_str());
        assert!(lines || asked.contains(&(path.as_str(), &method.to_uppercase())), "{method} {path} was not asked");
    }
}

#[test]
fn lines_go_out_before_the_answer_is_complete() {
    let place = database();
    let here = here(InMemory::of(&place.path().join("db")).database());
    // A server would drop lines of this review while nobody reads them; here nobody reads before the end.
    let mut game = fanorona::GameRequest { board: "13x13".to_owned(), ..Default::default() }.replay().expect("a game");
    while game.result().is_none() && game.ply() < 60 {
        let turns = game.turns();
        game.play(&turns[turns.len() / 2], None).expect("a legal turn");
    }
    let long = serde_json::json!({ "board": "13x13", "moves": game.to_request().moves, "time": 1 }).to_string();
    for (path, body, last, least) in [
        ("/api/game/watch", r#"{"board": "5x5", "level": 2, "time": 60000}"#, "move", 0),
        ("/api/game/review", r#"{"board": "5x5", "moves": ["b2-c3A"], "time": 20}"#, "review", 0),
        ("/api/game/review", &long, "review", 1 << 16),
    ] {
        LINES.lock().expect("lines").clear();
        let answer = here.answer(request("POST", path, body));
        assert_eq!(answer.status, StatusCode::OK, "{:?}", answer.body);
        let sent = LINES.lock().expect("lines").clone();
        assert!(sent.len() > least, "{}", sent.len());
        let rest = answer.body.strip_prefix(&sent[..]).expect("the lines that were sent");
        assert!(sent.ends_with(b"\n") && rest.ends_with(b"\n"), "{path}");
        let rest: serde_json::Value = serde_json::from_slice(rest).expect("JSON");
        assert!(rest[last].is_string() || rest[last].is_object(), "{rest}");
    }
    LINES.lock().expect("lines").clear();
    let refused = here.answer(request("POST", "/api/game/review", r#"{"board": "3x3", "moves": ["a1-c3"]}"#));
    assert!(refused.status == StatusCode::BAD_REQUEST && LINES.lock().expect("lines").is_empty());
}

#[test]
fn what_needs_a_server_is_refused_with_a_sentence() {
    let here = here(InMemory(BTreeMap::new()).database());
    for (method, path) in [
        ("GET", "/api/build"),
        ("POST", "/api/live"),
        ("GET", "/api/live/0"),
        ("GET", "/api/3x3/build"),
        ("GET", "/health"),
    ] {
        let answer = here.answer(request(method, path, "{}"));
        let message = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(answer.status == StatusCode::NOT_FOUND && message.contains("needs a server"), "{path}: {message}");
    }
    let missing =
        here.answer(request("GET", "/api/9x5?position=BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW_w", ""));
    let message = String::from_utf8_lossy(&missing.body).into_owned();
    assert!(
        missing.status == StatusCode::NOT_FOUND && message.contains("no tables of 9x5 here; build them"),
        "{message}"
    );
}

#[test]
fn without_a_log_an_answer_names_the_file() {
    let place = database();
    let mut store = InMemory::of(&place.path().join("db"));
    store.0.get_mut(Path::new("store/3x3/1v2.wdl")).expect("a table").truncate(100);
    let answer = here(store.database()).answer(request("GET", "/api/3x3?position=1B1/1W1/1W1_b", ""));
    let message = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(answer.status == StatusCode::INTERNAL_SERVER_ERROR && message.contains("store/3x3/1v2.wdl"), "{message}");
}

#[tokio::test]
async fn damaged_and_missing_files_of_a_store_are_errors_and_no_values() {
    let place = database();
    let intact = InMemory::of(&place.path().join("db"));
    let table = Path::new("store/3x3/1v2.wdl");
    for cut in [true, false] {
        let mut files = intact.0.clone();
        let bytes = files.get_mut(table).expect("a table");
        let end = bytes.len() - 1;
        if cut {
            bytes.truncate(end);
        } else {
            bytes[end] ^= 1;
        }
        let service = router(Settings::new(InMemory(files).database()));
        get(&service, "/api/3x3?position=1B1/1W1/1W1_b").await.fails(500, &["a table cannot be used"]);
    }
    // Without the table its positions are as unknown as with a folder that lacks it.
    let folder = place.path().join("db");
    std::fs::remove_file(folder.join("3x3/1v2.wdl")).expect("a table");
    let store = router(Settings::new(InMemory::of(&folder).database()));
    assert_same(&service(&folder), &store).await;
}

/// Files of which one is gone once, when it is opened, as where a build replaces them.
#[derive(Debug)]
struct Changing {
    files: InMemory,
    /// Files that are opened before.
    before: AtomicUsize,
}

impl Store for Changing {
    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.files.names(folder)
    }

    fn changed(&self, folder: &Path) -> io::Result<SystemTime> {
        self.files.changed(folder)
    }

    fn open(&self, file: &Path) -> io::Result<Box<dyn StoredFile>> {
        // It passes zero once.
        if self.before.fetch_sub(1, Ordering::Relaxed) == 0 {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.files.open(file)
    }
}

#[tokio::test]
async fn a_table_that_is_replaced_while_it_is_opened_is_found_by_a_second_look() {
    let place = Place::new();
    place.run("build 3x3 --stones 3 --metric both").done();
    let files = InMemory::of(&place.path().join("db"));
    let path = "/api/3x3?position=1B1/3/1W1_w";
    let expected = get(&router(Settings::new(InMemory(files.0.clone()).database())), path).await.done();
    for before in 0..4 {
        let store = Changing { files: InMemory(files.0.clone()), before: AtomicUsize::new(before) };
        let store = Arc::new(store);
        let database = Database { folder: "store".into(), access: Access::Store(store.clone()) };
        assert_eq!(get(&router(Settings::new(database)), path).await.done(), expected, "after {before} files");
        assert!(store.before.load(Ordering::Relaxed) > before, "no file was gone after {before}");
    }
}

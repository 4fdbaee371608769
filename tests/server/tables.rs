//! The table half of the HTTP API, without a socket: its answers are those of the commands, its errors have their status.
#![cfg(feature = "cli")]

use std::fs;
use std::sync::Mutex;

use axum::body::Body;
use axum::http::{Method, Request, header};
use fanorona::server::{Settings, router};

use crate::program::Place;
use crate::server::{answers, conflict, get, send, service};

/// A folder with all of 3x3, depths included, and 5x5 to four stones.
fn with_tables() -> Place {
    let place = Place::new();
    place.run("build 3x3 --stones 9 --metric both").done();
    place.run("build 5x5 --stones 4").done();
    place
}

const POSITIONS: [&str; 7] = [
    "1B1/3/1W1 w",
    "1B1/1W1/1W1 w",
    "BBB/B1W/WWW w",
    "3/3/W1B b",
    "3/3/WW1 b",
    "5/1BB2/5/5/W4 w",
    "BBBBB/BBBBB/BW1BW/WWWWW/WWWWW w",
];

fn size_of(position: &str) -> &'static str {
    if position.split('/').count() == 3 { "3x3" } else { "5x5" }
}

#[tokio::test]
async fn answers_are_those_of_the_commands() {
    let place = with_tables();
    let service = service(&place.path().join("db"));
    for position in POSITIONS {
        let size = size_of(position);
        for written in [position.replace(' ', "_"), position.replace(' ', "+"), position.replace(' ', "%20")] {
            let body = get(&service, &format!("/api/{size}?position={written}")).await.done();
            assert_eq!(body, place.run_with(&["query", position, "--json", "--no-build", "--search", "0"]).json());
            assert_eq!(conflict(&body, &answers("get", "/api/{size}", "200")), None);
        }
        let body = get(&service, &format!("/api/{size}/line?position={}", position.replace(' ', "_"))).await.done();
        assert_eq!(body, place.run_with(&["line", position, "--json"]).json());
        assert_eq!(conflict(&body, &answers("get", "/api/{size}/line", "200")), None);
    }
    let won = get(&service, "/api/3x3?position=1B1/1W1/1W1_w").await.done();
    assert_eq!((won["value"].as_str(), won["dtw"].is_null()), (Some("draw"), true));
    for size in ["3x3", "5x5"] {
        let body = get(&service, &format!("/api/{size}/stats")).await.done();
        assert_eq!(body, place.run_with(&["stats", size, "--json"]).json());
        assert_eq!(conflict(&body, &answers("get", "/api/{size}/stats", "200")), None);
    }
    // The folder has depths, and they are given.
    let depths = get(&service, "/api/3x3/stats").await.done();
    let slices = depths["slices"].as_array().unwrap();
    assert!(slices.iter().any(|slice| slice["depths"]["longest_win"]["plies"].as_u64() > Some(5)), "{depths}");
    assert!(get(&service, "/api/3x3?position=3/3/W1B_b").await.done()["moves"][0]["dtw"].is_u64());
    let start = get(&service, "/api/9x5/start").await.done();
    assert_eq!(start["position"], "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w");
    assert_eq!(conflict(&start, &answers("get", "/api/{size}/start", "200")), None);
    let start = get(&service, "/api/13x13/start?diagonals=centre").await.done();
    assert_eq!(start["position"].as_str().unwrap().matches('W').count(), 84);
}

#[tokio::test]
async fn zugzwangs_are_those_of_the_command() {
    let place = with_tables();
    let service = service(&place.path().join("db"));
    for (size, stones) in [("3x3", 9), ("5x5", 4)] {
        let path = format!("/api/{size}/zugzwangs");
        let found = get(&service, &path).await.done();
        assert_eq!(conflict(&found, &answers("get", "/api/{size}/zugzwangs", "200")), None);
        assert_eq!(found["stones"], stones);
        let stats = place.run_with(&["stats", size, "--zugzwangs", "--json"]).json();
        let (ours, theirs) = (found["slices"].as_array().unwrap(), stats["slices"].as_array().unwrap());
        assert!(ours.len() == theirs.len() && ours.iter().any(|slice| slice["full_point"].as_u64() > Some(0)));
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert_eq!((&ours["mover"], &ours["opponent"]), (&theirs["mover"], &theirs["opponent"]));
            let examples = ours["examples"].as_array().unwrap();
            let positions: Vec<_> = examples.iter().map(|example| &example["position"]).collect();
            let counted = serde_json::json!({
                "count": ours["count"], "full_point": ours["full_point"], "examples": positions,
            });
            assert_eq!(counted, theirs["zugzwangs"]);
            for example in examples {
                let position = example["position"].as_str().unwrap();
                let asked = |text: &str| format!("/api/{size}?position={}", text.replace(' ', "_"));
                let here = get(&service, &asked(position)).await.done();
                let waiting = get(&service, &asked(&position.replace(" w", " b"))).await.done();
                assert_eq!(example["value"], here["value"]);
                // What White gets is the opposite of what Black gets.
                let opposite = [("win", "loss"), ("draw", "draw")];
                assert!(
                    opposite.iter().any(|(white, black)| example["waiting"] == *white && waiting["value"] == *black)
                );
            }
        }
        // The second time it is kept, and tables that are built meanwhile are counted.
        assert_eq!(get(&service, &path).await.done(), found);
    }
    place.run("build 5x5 --stones 5").done();
    assert_eq!(get(&service, "/api/5x5/zugzwangs").await.done()["stones"], 5);
    get(&service, "/api/7x7/zugzwangs").await.fails(404, &["7x7", "fanorona build 7x7"]);
}

#[tokio::test]
async fn what_tables_do_not_reach_is_unknown() {
    let place = with_tables();
    let service = service(&place.path().join("db"));
    let body = get(&service, "/api/5x5?position=BBBBB/BBBBB/BW1BW/WWWWW/WWWWW_w").await.done();
    assert_eq!(body["value"], "unknown");
    assert_eq!(body["moves"].as_array().unwrap().len(), 5);
    let line = get(&service, "/api/5x5/line?position=BBBBB/BBBBB/BW1BW/WWWWW/WWWWW_w").await.done();
    assert_eq!((&line["end"], line["line"].as_array().unwrap().len()), (&"unknown".into(), 0));
    // A win in one needs no table: nothing can be quicker.
    let won = get(&service, "/api/5x5?position=B3B/1W3/5/2W1W/5_w").await.done();
    assert_eq!((&won["value"], &won["dtw"], &won["moves"][0]["dtw"]), (&"win".into(), &1.into(), &0.into()), "{won}");
}

#[tokio::test]
async fn tables_are_found_when_they_have_been_built_as_the_server_says() {
    let place = Place::new();
    // The command is for the folder that the server was started in; it runs with the default folder here.
    let service = router(Settings::new(place.path().join("db")));
    assert_eq!(get(&service, "/api/tables").await.done(), serde_json::json!([]));
    let path = "/api/3x3?position=1B1/1W1/1W1_w&stalemate=draw&continuation=obligatory";
    let refused = get(&service, path).await;
    refused.fails(404, &["3x3", "continuation obligatory, stalemate draw", "fanorona build 3x3 --stones 9"]);
    assert_eq!(conflict(&refused.json(), &answers("get", "/api/{size}", "404")), None);
    let message = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    let (_, command) = message.split_once("fanorona ").expect("a command");
    place.run(command).done();
    assert_eq!(get(&service, path).await.done()["value"], "draw");
    assert_eq!(get(&service, &format!("{path}&directions=turning")).await.done()["value"], "draw");
    // With rules that are the same but for one there are still none.
    get(&service, "/api/3x3?position=1B1/1W1/1W1_w&stalemate=draw").await.fails(404, &["--stalemate draw"]);
    get(&service, &format!("{path}&directions=once")).await.fails(404, &["--directions once --stalemate draw"]);
    let list = get(&service, "/api/tables").await.done();
    assert_eq!(conflict(&list, &answers("get", "/api/tables", "200")), None);
    let rules = serde_json::json!({"diagonals": "corner", "continuation": "obligatory", "directions": "not-repeated", "stalemate": "draw"});
    let board = serde_json::json!({"board": "3x3", "rules": rules, "stones": 9, "depth_stones": 0, "certificates": 0});
    assert_eq!(list, serde_json::json!([board]));

    // More of the same board, while it is open.
    place.run("build 5x5 --stones 3").done();
    let four = "/api/5x5?position=5/1BB2/5/5/WW3_w";
    assert_eq!(get(&service, four).await.done()["value"], "unknown");
    place.run("build 5x5 --stones 4 --metric both").done();
    let body = get(&service, four).await.done();
    assert!(body["value"] != "unknown", "{body}");
    let list = get(&service, "/api/tables").await.done();
    assert_eq!((&list[1]["stones"], &list[1]["depth_stones"]), (&4.into(), &4.into()));
}

#[tokio::test]
async fn many_boards_are_opened_one_after_another() {
    let place = Place::new();
    let sizes = ["1x3", "3x1", "1x5", "5x1", "3x3", "1x7", "7x1", "1x9", "9x1", "3x5", "5x3"];
    for size in sizes {
        place.run(&format!("build {size} --stones 2")).done();
    }
    let service = service(&place.path().join("db"));
    for _ in 0..2 {
        for size in sizes {
            let stats = get(&service, &format!("/api/{size}/stats")).await.done();
            assert_eq!((stats["board"].as_str(), stats["slices"].as_array().unwrap().len()), (Some(size), 1));
        }
    }
    assert_eq!(get(&service, "/api/tables").await.done().as_array().unwrap().len(), sizes.len());
}

#[tokio::test]
async fn malformed_requests_are_answered_with_what_is_wrong() {
    let place = with_tables();
    let service = service(&place.path().join("db"));
    let long = format!("/api/3x3?position={}_w", "W".repeat(1000));
    let cases: [(&str, &[&str]); 25] = [
        ("/api/3x3", &["position is missing", "?position="]),
        ("/api/3x3?position=", &["must end in a space", "w or b"]),
        ("/api/3x3?position=1B1/3/WX1_w", &["'X' at place 8"]),
        ("/api/3x3?position=1B1/3/WW_w", &["rank 3", "2 points", "3"]),
        ("/api/3x3?position=1B1/3/WW1", &["w or b"]),
        ("/api/3x3?position=5/1BB2/5/5/W4_w", &["5x5", "3x3"]),
        ("/api/3x3/line?position=5/1BB2/5/5/W4_w", &["5x5", "3x3"]),
        ("/api/3x3/line", &["position is missing"]),
        ("/api/3x3?position=1B1/1W1/1W1_w&position=1B1/1W1/1W1_w", &["position", "twice"]),
        ("/api/3x3?position=1B1/1W1/1W1_w&diagonals=center", &["diagonals", "center", "corner or centre"]),
        ("/api/3x3?position=1B1/1W1/1W1_w&continuation=", &["continuation", "optional or obligatory"]),
        ("/api/3x3?position=1B1/1W1/1W1_w&directions=twice", &["directions", "twice", "not-repeated or once"]),
        ("/api/3x3?position=1B1/1W1/1W1_w&stalemate=win", &["stalemate", "loss or draw"]),
        ("/api/3x3?position=1B1/1W1/1W1_w&diagonal=corner", &["no parameter \"diagonal\"", "diagonals"]),
        ("/api/3x3?position=1B1/1W1/1W1_w&stalemate=draw&stalemate=draw", &["stalemate", "twice"]),
        ("/api/3x3?position=%ff_w", &["place 1"]),
        ("/api/3x3/stats?position=1B1/1W1/1W1_w", &["takes no position"]),
        ("/api/3x3/start?position=1B1/1W1/1W1_w", &["takes no position"]),
        ("/api/4x4/start", &["4x4", "odd"]),
        ("/api/15x3/stats", &["15x3", "13"]),
        ("/api/nonsense?position=1B1/1W1/1W1_w", &["nonsense", "COLUMNSxROWS"]),
        ("/api/%ff?position=1B1/1W1/1W1_w", &["not text"]),
        ("/api/99999999999999999999x3/start", &["COLUMNSxROWS"]),
        // What is wrong comes first, and that there are no tables afterwards.
        ("/api/13x13?position=1B1/1W1/1W1_w", &["3x3", "13x13"]),
        (&long, &["256"]),
    ];
    for (path, words) in cases {
        let answer = get(&service, path).await;
        answer.fails(400, words);
    }
}

#[tokio::test]
async fn what_is_not_there_is_said_to_be_missing() {
    let place = with_tables();
    let service = service(&place.path().join("db"));
    for path in ["/api/7x7?position=7/7/7/7/7/7/W5B_w", "/api/7x7/line?position=7/7/7/7/7/7/W5B_w", "/api/7x7/stats"] {
        let missing = get(&service, path).await;
        missing.fails(404, &["7x7", "fanorona build 7x7 --stones "]);
        // Where the tables are is nobody's business.
        assert!(!missing.json().to_string().contains(place.path().to_str().expect("a path")));
    }
    let crowded = format!("/api/13x13?position={}_w", ["13"; 12].join("/") + "/W11B");
    get(&service, &crowded).await.fails(404, &["13x13", "169", "64 points"]);
    get(&service, "/api/1x1/stats").await.fails(404, &["1x1"]);
    for path in ["/nothing", "/api", "/api/", "/api/3x3/", "/api/3x3/nothing", "/index.html", "/assets/../Cargo.toml"] {
        get(&service, path).await.fails(404, &[path]);
    }
    for path in ["/assets/nothing.js", "/assets/..%2f..%2fCargo.toml", "/assets/%2e%2e"] {
        get(&service, path).await.fails(404, &["no file"]);
    }
}

#[tokio::test]
async fn other_methods_are_refused_and_head_is_none_of_them() {
    let place = with_tables();
    let service = service(&place.path().join("db"));
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
        for path in ["/", "/health", "/api/tables", "/api/3x3", "/api/3x3/line", "/api/3x3/stats", "/openapi.json"] {
            let request = Request::builder().method(&method).uri(path).body(Body::empty()).unwrap();
            let answer = send(&service, request).await;
            answer.fails(405, &[path, method.as_str()]);
            assert_eq!(answer.headers[header::ALLOW], "GET,HEAD");
        }
    }
    for path in ["/", "/health", "/api/3x3?position=1B1/1W1/1W1_w"] {
        let whole = get(&service, path).await;
        let head = send(&service, Request::head(path).body(Body::empty()).unwrap()).await;
        assert_eq!((head.status, head.body.len()), (whole.status, 0));
        assert_eq!(head.headers[header::CONTENT_LENGTH], whole.body.len().to_string());
    }
}

#[tokio::test]
async fn a_damaged_table_is_logged_and_spoils_no_other_board() {
    static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let place = with_tables();
    let file = place.path().join("db/5x5/2v2.wdl");
    let mut bytes = fs::read(&file).unwrap();
    bytes.truncate(bytes.len() - 1);
    fs::write(&file, bytes).unwrap();
    let mut settings = Settings::new(place.path().join("db"));
    settings.api.log = |line| LOG.lock().unwrap().push(line.to_owned());
    let service = router(settings);
    let answer = get(&service, "/api/5x5?position=5/1BB2/5/5/W4_w").await;
    answer.fails(500, &["table", "log"]);
    assert!(!answer.json().to_string().contains("2v2"), "{}", answer.json());
    let logged = LOG.lock().unwrap().join("\n");
    assert!(logged.starts_with("GET /api/5x5?position=5/1BB2/5/5/W4_w: ") && logged.contains("2v2.wdl"), "{logged}");
    get(&service, "/api/3x3?position=1B1/1W1/1W1_w").await.done();
    let list = get(&service, "/api/tables").await.done();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["board"]), (1, &"3x3".into()));
    assert!(LOG.lock().unwrap()[1].contains("2v2.wdl"));
    // It is read again when it has been built again.
    fs::remove_file(&file).unwrap();
    place.run("build 5x5 --stones 4").done();
    get(&service, "/api/5x5?position=5/1BB2/5/5/W4_w").await.done();
}

#[tokio::test]
async fn a_database_folder_that_is_a_file_is_a_fault_of_the_server() {
    let place = Place::new();
    let file = place.path().join("db");
    fs::write(&file, "no folder").unwrap();
    let service = service(&file);
    get(&service, "/api/tables").await.fails(500, &["log"]);
    get(&service, "/api/3x3/stats").await.fails(500, &["log"]);
    get(&service, "/health").await.done();
    get(&service, "/api/3x3/start").await.done();
}

#[tokio::test]
async fn certificates_are_used_as_soon_as_they_are_checked_and_no_longer_than_they_hold() {
    static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let place = Place::new();
    place.run("build 3x5 --stones 4").done();
    let mut settings = Settings::new(place.path().join("db"));
    settings.api.log = |line| LOG.lock().unwrap().push(line.to_owned());
    let service = router(settings);
    let start = "/api/3x5?position=BBB/BBB/B1W/WWW/WWW_w";
    let known =
        |body: &serde_json::Value| ["value", "source", "proof"].map(|name| body[name].as_str().map(str::to_owned));
    let unknown = [Some("unknown".to_owned()), None, None];
    assert_eq!(known(&get(&service, start).await.done()), unknown);

    // Solved and checked while the server runs.
    place.run("solve 3x5 --stones 4").done();
    let proved = get(&service, start).await.done();
    assert_eq!(known(&proved), ["win", "proof", "3x5.proof"].map(|word| Some(word.to_owned())));
    let certificates = get(&service, "/api/3x5/certificates").await.done();
    assert_eq!(conflict(&certificates, &answers("get", "/api/{size}/certificates", "200")), None);
    let proof = &certificates["used"][0];
    assert_eq!(
        (&proof["name"], &proof["value"], &proof["is_start"]),
        (&"3x5.proof".into(), &"white wins".into(), &true.into())
    );
    assert!(
        proof["stones"] == 4 && proof["tables"]["published"] == true && certificates["unused"] == serde_json::json!([])
    );
    assert_eq!(get(&service, "/api/tables").await.done()[0]["certificates"], 1);
    let line = get(&service, &start.replace('?', "/line?")).await.done();
    // How far it goes depends on the turns that the search has chosen.
    assert!(line["value"] == "win" && ["over", "unknown"].contains(&line["end"].as_str().unwrap()), "{line}");
    assert!(line["line"].as_array().unwrap().len() > 2 && LOG.lock().unwrap().is_empty());

    // Replaced by another that nobody has checked; said once.
    let file = place.path().join("db/certificates/3x5.proof");
    let good = std::fs::read(&file).unwrap();
    let mut other = fanorona::Certificate::read(&file).unwrap();
    other.claims[0].value = fanorona::Value::WhiteDoesNotLose;
    other.write(&file).unwrap();
    for change in ["one", "two", "three"] {
        assert_eq!(known(&get(&service, start).await.done()), unknown);
        let unused = &get(&service, "/api/3x5/certificates").await.done()["unused"][0];
        assert_eq!((&unused["name"], &unused["why"]), (&"3x5.proof".into(), &"it has not been checked".into()));
        // The folder is read again, as during a build.
        std::fs::write(place.path().join("db/3x5").join(change), "").unwrap();
    }
    let logged = std::mem::take(&mut *LOG.lock().unwrap());
    assert!(logged.len() == 1 && logged[0].contains("3x5.proof is not used: it has not been checked"), "{logged:?}");
    // Damaged; then the good one again, put in place as programs do.
    let mut damaged = good.clone();
    damaged[60] ^= 1;
    for (bytes, value) in [(damaged, "unknown"), (good, "win")] {
        std::fs::write(place.path().join("db/certificates/new"), bytes).unwrap();
        std::fs::rename(place.path().join("db/certificates/new"), &file).unwrap();
        assert_eq!(get(&service, start).await.done()["value"], value);
    }
    assert!(LOG.lock().unwrap().join("").contains("3x5.proof"));
}

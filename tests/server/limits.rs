//! What the service does when there is too much to do, and what all of its responses have in common.
#![cfg(all(feature = "cli", unix))]

use std::fs;
use std::io::Write;
use std::num::NonZero;
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, header};
use fanorona::server::{Builds, Deadline, Pool, Problem, Settings, router};

use crate::program::Place;
use crate::server::{self, DESCRIPTION, answers, conflict, get, post, send, service};

const ONE: NonZero<usize> = NonZero::<usize>::MIN;

/// A service whose page is a pipe: who asks for it keeps a thread busy until someone writes.
fn with_a_pipe(place: &Place, queue: usize, time_limit: Duration) -> Router {
    place.run("build 3x3 --stones 3").done();
    let folder = place.path().join("page");
    fs::create_dir(&folder).unwrap();
    assert!(Command::new("mkfifo").arg(folder.join("index.html")).status().unwrap().success());
    let mut settings = Settings { workers: ONE, queue, page: Some(folder), ..Settings::new(place.path().join("db")) };
    settings.api.time_limit = time_limit;
    router(settings)
}

fn write_page(place: &Place) {
    fs::write(place.path().join("page/index.html"), "<p>at last").unwrap();
}

const QUERY: &str = "/api/3x3?position=3/3/W1B_b";

#[tokio::test(flavor = "multi_thread")]
async fn requests_beyond_the_queue_are_rejected_with_503() {
    let place = Place::new();
    let service = with_a_pipe(&place, 1, Duration::from_secs(60));
    get(&service, QUERY).await.done();
    let working = {
        let service = service.clone();
        tokio::spawn(async move { get(&service, "/").await })
    };
    // Opening the pipe waits for the thread to have begun to read.
    let pipe = place.path().join("page/index.html");
    let page = tokio::task::spawn_blocking(move || fs::OpenOptions::new().write(true).open(pipe).unwrap());
    let mut page = page.await.unwrap();
    // One of three finds room to wait in, the others none.
    let mut others = tokio::task::JoinSet::new();
    for _ in 0..3 {
        let service = service.clone();
        others.spawn(async move { get(&service, QUERY).await });
    }
    for _ in 0..2 {
        let refused = others.join_next().await.unwrap().unwrap();
        refused.fails(503, &["busy"]);
        assert_eq!(refused.headers[header::RETRY_AFTER], "1");
        assert_eq!(conflict(&refused.json(), &answers("get", "/api/{size}", "503")), None);
    }
    post(&service, "/api/game", r#"{"board": "3x3"}"#).await.fails(503, &["busy"]);
    // What takes no thread is answered all the same.
    get(&service, "/health").await.done();
    get(&service, "/api/9x5/start").await.done();
    page.write_all(b"<p>at last").unwrap();
    drop(page);
    let page = working.await.unwrap();
    assert_eq!((page.status.as_u16(), &page.body[..]), (200, &b"<p>at last"[..]));
    others.join_next().await.unwrap().unwrap().done();
    get(&service, QUERY).await.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn work_that_takes_too_long_keeps_its_thread_but_not_its_client() {
    let place = Place::new();
    let service = with_a_pipe(&place, 8, Duration::from_millis(100));
    let start = Instant::now();
    get(&service, "/").await.fails(504, &["raise the limit"]);
    assert!(start.elapsed() < Duration::from_secs(30));
    // The thread is still busy, so waiting for it is in vain.
    get(&service, QUERY).await.fails(503, &["busy"]);
    write_page(&place);
    let end = Instant::now() + Duration::from_secs(30);
    while get(&service, QUERY).await.status != 200 {
        assert!(Instant::now() < end, "the thread does not come back");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pool_never_has_more_at_work_than_it_should() {
    let pool = std::sync::Arc::new(Pool::new(NonZero::new(2).unwrap(), 100));
    let (at_work, seen) =
        (std::sync::Arc::new(std::sync::Mutex::new(0)), std::sync::Arc::new(std::sync::Mutex::new(0)));
    let tasks: Vec<_> = (0..40)
        .map(|number| {
            let (pool, at_work, seen) = (pool.clone(), at_work.clone(), seen.clone());
            tokio::spawn(async move {
                let work = move |_: Deadline| {
                    *at_work.lock().unwrap() += 1;
                    std::thread::sleep(Duration::from_millis(2));
                    let mut most = seen.lock().unwrap();
                    *most = i32::max(*most, *at_work.lock().unwrap());
                    *at_work.lock().unwrap() -= 1;
                    Ok(number)
                };
                pool.run(Duration::from_secs(60), work).await
            })
        })
        .collect();
    for (number, task) in tasks.into_iter().enumerate() {
        assert_eq!(task.await.unwrap(), Ok(number));
    }
    assert_eq!(*seen.lock().unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_is_free_again_when_its_client_goes_or_its_work_fails() {
    let pool = std::sync::Arc::new(Pool::new(ONE, 1));
    let (go_on, held) = mpsc::channel::<()>();
    let (begun, has_begun) = mpsc::channel();
    let working = {
        let pool = pool.clone();
        let work = move |_: Deadline| {
            begun.send(()).unwrap();
            Ok(held.recv().is_ok())
        };
        tokio::spawn(async move { pool.run(Duration::from_secs(60), work).await })
    };
    has_begun.recv().unwrap();
    // This one waits, and goes.
    let waited = tokio::time::timeout(Duration::from_millis(20), pool.run(Duration::from_secs(60), |_| Ok(())));
    assert!(waited.await.is_err());
    let waiting = pool.run(Duration::from_secs(60), |_| Ok(7));
    go_on.send(()).unwrap();
    assert_eq!(waiting.await, Ok(7));
    assert_eq!(working.await.unwrap(), Ok(true));
    for _ in 0..5 {
        let panic = pool.run(Duration::from_secs(60), |_| -> Result<(), Problem> { panic!("as a test") }).await;
        assert_eq!(panic.unwrap_err().status.as_u16(), 500);
        let refusal = pool.run(Duration::from_secs(60), |_| -> Result<(), _> { Err(Problem::malformed("no")) }).await;
        assert_eq!(refusal, Err(Problem::malformed("no")));
    }
}

#[tokio::test]
async fn positions_with_endless_turns_are_refused() {
    let place = Place::new();
    place.run("build 7x7 --stones 2").done();
    let service = service(&place.path().join("db"));
    let crowded = "BW1BB1B/B1WBB1B/BB2BBB/W1BB1BB/B2B2B/BB2B2/BBB1BBB_w";
    for path in ["/api/7x7", "/api/7x7/line"] {
        let answer = get(&service, &format!("{path}?position={crowded}")).await;
        answer.fails(422, &["20000 turns"]);
        let described = path.replace("7x7", "{size}");
        assert_eq!(conflict(&answer.json(), &answers("get", &described, "422")), None);
    }
    // For its opponent it is a position like others.
    let other = crowded.replace("_w", "_b");
    assert_eq!(get(&service, &format!("/api/7x7?position={other}")).await.done()["value"], "unknown");
}

#[tokio::test]
async fn pages_of_other_origins_may_read_and_not_post() {
    let service = service("none".as_ref());
    for path in ["/api/9x5/start", "/api/tables", "/openapi.json", "/api/9x5/stats"] {
        let request = Request::get(path).header(header::ORIGIN, "https://example.org").body(Body::empty()).unwrap();
        let answer = send(&service, request).await;
        assert_eq!(answer.headers[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    }
    let preflight = async |method: Method, path: &str| {
        let request = Request::options(path)
            .header(header::ORIGIN, "https://example.org")
            .header(header::ACCESS_CONTROL_REQUEST_METHOD, method.as_str())
            .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "content-type")
            .body(Body::empty());
        let answer = send(&service, request.unwrap()).await;
        let text =
            |name| answer.headers.get(name).map(|value: &header::HeaderValue| value.to_str().unwrap().to_owned());
        (text(header::ACCESS_CONTROL_ALLOW_METHODS), text(header::ACCESS_CONTROL_ALLOW_HEADERS))
    };
    // To post JSON a page would need the method and the header; it gets neither.
    for (method, path) in [(Method::POST, "/api/game"), (Method::POST, "/api/build"), (Method::DELETE, "/api/build")] {
        assert_eq!(preflight(method, path).await, (Some("GET".to_owned()), None));
    }
    assert_eq!(preflight(Method::GET, "/api/9x5").await.0, Some("GET".to_owned()));
}

#[tokio::test]
async fn pages_of_a_named_origin_may_play() {
    let origins = vec!["https://example.org".to_owned()];
    let service = router(Settings { origins, builds: Builds::Always, ..Settings::new("none") });
    let ask = async |method: Method, origin: &str, body: &str| {
        let request = Request::builder().method(method).uri("/api/game").header(header::ORIGIN, origin);
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let request = request.header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST");
        let answer = send(&service, request.body(Body::from(body.to_owned())).unwrap()).await;
        let allowed =
            answer.headers.get_all(header::ACCESS_CONTROL_ALLOW_ORIGIN).into_iter().cloned().collect::<Vec<_>>();
        (answer, allowed)
    };
    let (answer, allowed) = ask(Method::OPTIONS, "https://example.org", "").await;
    assert_eq!(allowed, ["https://example.org"]);
    let text = |name| answer.headers[name].to_str().unwrap().to_owned();
    assert!(text(header::ACCESS_CONTROL_ALLOW_METHODS).contains("POST"));
    assert!(text(header::ACCESS_CONTROL_ALLOW_HEADERS).contains("content-type"));
    let (answer, allowed) = ask(Method::POST, "https://example.org", r#"{"board": "3x3"}"#).await;
    answer.done();
    assert_eq!(allowed, ["https://example.org"]);
    let (_, others) = ask(Method::OPTIONS, "https://evil.example", "").await;
    assert!(others.is_empty(), "{others:?}");
    // Tables may still be read by all, and nobody elsewhere builds.
    let read = Request::get("/api/tables").header(header::ORIGIN, "https://evil.example").body(Body::empty()).unwrap();
    assert_eq!(send(&service, read).await.headers[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    let build = Request::post("/api/build").header(header::CONTENT_TYPE, "application/json");
    let build = build.header(header::ORIGIN, "https://example.org").header(header::HOST, "localhost");
    let build = build.body(Body::from(r#"{"board": "3x3", "stones": 3}"#)).unwrap();
    send(&service, build).await.fails(403, &["other sites"]);
}

#[tokio::test]
async fn every_response_is_safe_to_show() {
    let place = Place::new();
    place.run("build 3x3 --stones 2").done();
    let service = service(&place.path().join("db"));
    for path in ["/", "/health", "/openapi.json", "/api/tables", "/api/3x3/stats", "/nothing", "/api/3x3", "/assets/x"]
    {
        let answer = get(&service, path).await;
        let policy = answer.headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'self';") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(answer.headers[header::REFERRER_POLICY], "no-referrer");
    }
}

#[tokio::test]
async fn the_page_is_asked_for_again_only_when_it_has_changed() {
    let place = Place::new();
    let service = service(&place.path().join("db"));
    let page = get(&service, "/").await;
    assert_eq!((page.status.as_u16(), &page.headers[header::CACHE_CONTROL]), (200, &"no-cache".parse().unwrap()));
    assert_eq!(page.headers[header::CONTENT_TYPE], "text/html; charset=utf-8");
    let again = |tag: &str| Request::get("/").header(header::IF_NONE_MATCH, tag).body(Body::empty()).unwrap();
    let tag = page.headers[header::ETAG].to_str().unwrap();
    let answer = send(&service, again(tag)).await;
    assert_eq!(
        (answer.status.as_u16(), answer.body.len(), &answer.headers[header::ETAG]),
        (304, 0, &page.headers[header::ETAG])
    );
    assert_eq!(send(&service, again("\"0\"")).await.body, page.body);

    // From a folder it is read again every time.
    let folder = place.path().join("page");
    let from_folder = router(Settings { page: Some(folder.clone()), ..Settings::new(place.path().join("db")) });
    get(&from_folder, "/").await.fails(404, &["index.html", "cannot read"]);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("secret.txt"), "not listed").unwrap();
    for text in ["one", "two"] {
        fs::write(folder.join("index.html"), text).unwrap();
        assert_eq!(&get(&from_folder, "/").await.body[..], text.as_bytes());
    }
    get(&from_folder, "/assets/secret.txt").await.fails(404, &["no file"]);
}

#[tokio::test]
async fn the_description_names_every_path_and_no_other() {
    let described: Vec<(String, String)> = DESCRIPTION["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, methods)| methods.as_object().unwrap().keys().map(|method| (path.clone(), method.clone())))
        .collect();
    let mut routed: Vec<_> =
        fanorona::server::paths().into_iter().map(|(path, method)| (path.to_owned(), method.to_owned())).collect();
    routed.sort();
    assert_eq!(described, routed);
    assert_eq!(DESCRIPTION["info"]["version"], env!("CARGO_PKG_VERSION"));
    // It is served as it stands, and its references lead somewhere.
    let service = service("none".as_ref());
    assert_eq!(&get(&service, "/openapi.json").await.done(), &*DESCRIPTION);
    let mut open = vec![&*DESCRIPTION];
    let mut references = 0;
    while let Some(value) = open.pop() {
        if value.get("$ref").is_some_and(serde_json::Value::is_string) {
            references += 1;
            server::resolved(value);
        }
        open.extend(value.as_object().into_iter().flat_map(|object| object.values()));
        open.extend(value.as_array().into_iter().flatten());
    }
    assert!(references > 50, "{references}");
    // The methods that it lists are those that the paths take.
    for (path, method) in routed {
        let path = path.replace("{size}", "9x5").replace("{name}", "nothing").replace("{key}", "nothing");
        let request = Request::builder().method(method.to_uppercase().as_str()).uri(&path).body(Body::empty()).unwrap();
        assert_ne!(send(&service, request).await.status.as_u16(), 405, "{method} {path}");
    }
    let health = get(&service, "/health").await.done();
    assert_eq!(conflict(&health, &answers("get", "/health", "200")), None);
}

#[test]
fn the_check_of_descriptions_finds_what_does_not_fit() {
    use serde_json::json;
    let schema = json!({"type": "object", "required": ["a"], "additionalProperties": false, "properties": {
        "a": {"type": ["integer", "null"], "minimum": 1},
        "b": {"type": "array", "items": {"enum": ["x", "y"]}, "maxItems": 2},
        "c": {"anyOf": [{"const": 1}, {"type": "string"}]}}});
    for fits in [json!({"a": 1}), json!({"a": null, "b": ["x", "y"], "c": "z"}), json!({"a": 2, "c": 1})] {
        assert_eq!(conflict(&fits, &schema), None);
    }
    for wrong in [
        json!([]),
        json!({}),
        json!({"a": 0}),
        json!({"a": "1"}),
        json!({"a": 1, "d": 1}),
        json!({"a": 1, "b": ["z"]}),
        json!({"a": 1, "b": ["x", "x", "x"]}),
        json!({"a": 1, "c": 2}),
        json!({"a": 1.5}),
    ] {
        assert!(conflict(&wrong, &schema).is_some(), "{wrong}");
    }
}

//! The HTTP service: whatever is asked, the answer is one that its description names, and never an error of the server.
//!
//! The first line of the input is a method and a path, the rest is the body.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, Uri, header};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::RuleSet;
use fanorona::server::{Settings, paths, router};
use tokio::runtime::Runtime;

use super::check_message;
use crate::server::{answers, conflict, schema, send};

/// A request that takes longer is a bug.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Thinking times of the computer, which inputs choose themselves, end here.
const THINK: Duration = Duration::from_millis(5);

/// The service over tables of 3x3, and what it runs on.
static SERVICE: LazyLock<(Runtime, Router, PathBuf)> = LazyLock::new(|| {
    let database = tempfile::tempdir().expect("a temporary folder").keep();
    let (size, rules) = ("3x3".parse().expect("a board"), RuleSet::default());
    build(Goal::both(size, rules, 4), &database, Budget::default()).expect("tables");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    // Live games of earlier inputs leave room for more.
    let mut settings = Settings { live_games: usize::MAX, ..Settings::new(database.clone()) };
    (settings.api.think, settings.api.time_limit) = (THINK, TIME_LIMIT);
    (runtime, router(settings), database)
});

pub fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "GET /",
        "GET /assets/main.js",
        "GET /health",
        "GET /openapi.json",
        "GET /api/tables",
        "GET /api/3x3?position=1B1/3/WW1_w",
        "GET /api/3x3?position=1B1/3/1W1+w&stalemate=draw",
        "GET /api/3x3/line?position=1B1/3/WW1%20w&diagonals=corner&continuation=optional",
        "GET /api/3x3/stats",
        "GET /api/13x13/start?diagonals=centre",
        "GET /api/9x5?position=9/9/9/B6B1/B3WW2W_w",
        "POST /api/game\n{\"board\": \"5x5\", \"moves\": [\"b2-c3A\"], \"rules\": {\"sacrifice\": true}, \"times\": [5]}",
        "POST /api/game\n{\"board\": \"3x3\", \"position\": \"3/2B/W2 w\", \"rules\": {\"vela\": \"white\", \"repetition\": true}}",
        "POST /api/game/why\n{\"board\": \"9x5\", \"from\": \"d3\", \"path\": [\"e3A\"], \"to\": \"e4\"}",
        "POST /api/game/reply\n{\"board\": \"3x3\", \"position\": \"1B1/3/WW1 w\", \"level\": \"strong\", \"time\": 1}",
        "POST /api/game/draw\n{\"board\": \"3x3\", \"position\": \"1B1/3/WW1 w\", \"time\": 1}",
        "POST /api/record\n{\"record\": \"[Board \\\"9x5\\\"]\\nd3e3A *\"}",
        "DELETE /api/game\n{}",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub fn run(data: &[u8]) {
    let (line, body) = data.split_at(data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len()));
    let Ok(line) = std::str::from_utf8(line) else { return };
    let Some((method, target)) = line.split_once(' ') else { return };
    let (Ok(method), Ok(uri)) = (Method::from_bytes(method.as_bytes()), target.parse::<Uri>()) else { return };
    let body = body.get(1..).unwrap_or_default().to_vec();
    let (runtime, service, _) = &*SERVICE;
    let path = uri.path().to_owned();
    let request = Request::builder().method(&method).uri(uri).header(header::CONTENT_TYPE, "application/json");
    let request = request.body(Body::from(body)).expect("a request");
    let answer = runtime.block_on(send(service, request));
    let status = answer.status.as_u16();
    assert!([200, 400, 404, 405, 413, 422].contains(&status), "{status}: {:?}", answer.body);
    let page = !path.starts_with("/api/") && !["/health", "/openapi.json"].contains(&&*path);
    if ![Method::GET, Method::POST].contains(&method) || status == 200 && page {
        return;
    }
    let body = answer.json();
    if status == 200 {
        let method = method.as_str().to_lowercase();
        let template = template(&method, &path).expect("only what is described answers");
        // The description describes everything but itself.
        if template != "/openapi.json" {
            assert_eq!(conflict(&body, &answers(&method, template, "200")), None, "{template}");
        }
    } else {
        assert_eq!(conflict(&body, &schema("Error")), None);
        check_message(body["error"]["message"].as_str().expect("a message"));
    }
}

/// The described path that a path is one of; those without parameters come first.
fn template(method: &str, path: &str) -> Option<&'static str> {
    let fits = |template: &str| {
        let (template, path): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
        template.len() == path.len()
            && template.iter().zip(&path).all(|(said, part)| said == part || said.starts_with('{'))
    };
    let mut fitting: Vec<&str> = paths()
        .into_iter()
        .filter(|(_, known)| *known == method)
        .map(|(path, _)| path)
        .filter(|path| fits(path))
        .collect();
    fitting.sort_by_key(|template| template.contains('{'));
    fitting.first().copied()
}

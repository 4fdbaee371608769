//! The requests of `docs/http-api.md`: they get the answers that are shown.
#![cfg(feature = "cli")]

use crate::docs::{assert_shown, blocks, page};
use crate::program::Place;
use crate::server::{get, post};
use fanorona::server::{Builds, Settings, router};

/// The path and, if there is one, the body of a request as `curl` makes it; lines may end in `\`.
fn request(command: &str) -> Option<(String, Option<String>)> {
    let command = command.replace("\\\n", " ");
    let rest = command.strip_prefix("curl ")?.split_once("http://127.0.0.1:9000")?.1;
    let path = rest.split(['\'', ' ']).next().unwrap_or_default().to_owned();
    let body = rest.split_once("-d '").map(|(_, body)| body.trim_end().trim_end_matches('\'').to_owned());
    Some((path, body))
}

/// An answer without how long it took.
fn without_time(answer: &str) -> String {
    let Some((before, after)) = answer.split_once("\"ms\":") else { return answer.to_owned() };
    format!("{before}{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[tokio::test]
async fn requests_get_the_answers_that_are_shown() {
    let place = Place::new();
    place.run("build 3x3 --stones 9 --metric both").done();
    let settings = Settings { builds: Builds::Always, ..Settings::new(place.path().join("db")) };
    let service = router(settings);
    let blocks = blocks(&page("docs/http-api.md"));
    let mut requests = 0;
    for (number, block) in blocks.iter().enumerate() {
        // The answer stands below the request, or in the next block.
        let (command, answer) =
            block.split_once("\n\n").unwrap_or((block, blocks.get(number + 1).map_or("", String::as_str)));
        let Some((path, body)) = request(command) else { continue };
        let answer = without_time(&answer.replace("\n ", ""));
        let answered = match body {
            Some(body) => post(&service, &path, body).await,
            None => get(&service, &path).await,
        };
        let text = String::from_utf8(answered.body.to_vec()).expect("text");
        let database = place.path().join("db").display().to_string();
        let text = without_time(&text);
        // Where the database is the usual one, remedies do not name it.
        assert_shown(&answer, &text.replace(&format!(" --db {database}"), "").replace(&database, "db"));
        requests += 1;
    }
    assert_eq!(requests, page("docs/http-api.md").matches("curl ").count());
}

//! Positions, and what the page and the program answer about them.

use std::process::Command;

use serde_json::{Value, json};

use super::site::{done, made};
use super::visit::Page;

/// Positions of seven stones.
pub const SEVEN: [&str; 3] = ["5/1B1B1/1WW2/1W1W1/B4 w", "B3B/1B3/2W2/1W1W1/3W1 b", "W3W/5/BB1BB/5/2W2 w"];

/// The function of the page that sends requests, about to be called.
const SEND: &str =
    "import(document.querySelector('script').src.replace('main.js', 'connection.js')).then(({ send }) => send";

/// The answer to a request of the page, as JSON with its status.
pub async fn answer(page: &Page, path: &str) -> (u64, Value) {
    let asked = format!("{SEND}({})).then(async (response) => [response.status, await response.json()])", json!(path));
    let found = page.value(&asked).await;
    (found[0].as_u64().expect("a status"), found[1].clone())
}

pub fn path_of(position: &str) -> String {
    format!("/api/{}?position={}", board_of(position), position.replace(' ', "_"))
}

fn board_of(position: &str) -> &'static str {
    if position.matches('/').count() == 4 { "5x5" } else { "3x3" }
}

/// What the program says of a position.
pub fn queried(position: &str) -> Value {
    let mut query = Command::new(env!("CARGO_BIN_EXE_fanorona"));
    let text = done(query.args(["query", position, "--json", "--db"]).arg(made().join("db")));
    serde_json::from_str(&text).expect("JSON")
}

//! JSON: `docs/commands.md` names every field that a command prints.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::docs::page;
use crate::program::Place;

/// The names of all fields. Numbers of plies and the reasons for which games end are none.
fn fields(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                if name.parse::<u32>().is_err() {
                    found.insert(name.clone());
                }
                if name != "ends" {
                    fields(value, found);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, found)),
        _ => {}
    }
}

/// Fails unless the page of the commands has all fields of an output.
pub fn assert_documented(command: &str, output: &Value) {
    let documents = page("docs/commands.md");
    let mut found = BTreeSet::new();
    fields(output, &mut found);
    assert!(!found.is_empty(), "{command}");
    found.retain(|name| ![format!("`{name}`"), format!("\"{name}\"")].iter().any(|quoted| documents.contains(quoted)));
    assert!(found.is_empty(), "{command}: {found:?}");
}

#[test]
fn every_field_is_documented() {
    let place = Place::new();
    fs::write(place.path().join("game"), "3x5 b2-b3A").expect("a file");
    place.run("solve 3x5 --moves --certificate p").done();
    let commands = [
        "build 3x5 --stones 4 --metric dtw",
        "build 3x5 --stones 9 --dry-run",
        "solve 3x5 --moves --no-proofs",
        "query 3/1B1/3/1W1/3_w --line --search 1s",
        "line 3/1B1/3/1W1/3_w",
        "stats 3x5 --zugzwangs",
        "verify 3x5",
        "check p",
        "info",
        "report",
        "review game --nodes 10",
        "perft 3x5 1",
    ];
    for command in commands {
        assert_documented(command, &place.run(&format!("{command} --json")).json());
    }
}

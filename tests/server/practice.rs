//! Practice: every task is what it says, by a plain look-up of every turn, which a second implementation of the rules makes.
#![cfg(feature = "cli")]

use std::collections::BTreeSet;

use fanorona::rules::{PositionText, RuleSet};
use fanorona::table::{DEFAULT_CACHE_BYTES, Tables};
use serde_json::{Value, json};

use crate::oracle;
use crate::program::Place;
use crate::server::{ask, post, service};

const KINDS: [&str; 3] = ["win", "draw", "only"];
const DIFFICULTIES: [&str; 3] = ["easy", "medium", "hard"];
const RULES: oracle::Rules = oracle::Rules::DEFAULT;
/// Seeds of each kind and difficulty.
const SEEDS: u32 = 15;

/// The value and the depth that tables have for the side to move.
fn known(tables: &Tables, position: &str) -> (&'static str, Option<u32>) {
    let position = PositionText::parse(position).expect("a position");
    let position = position.on::<u64>(tables.rules().board().size()).expect("this board");
    let (mover, opponent) = (position.mover(), position.opponent());
    if opponent == 0 {
        return ("win", Some(0));
    }
    if mover == 0 {
        return ("loss", Some(0));
    }
    let value = tables.probe(mover, opponent).expect("no damage").expect("a table");
    let plies = tables.score(mover, opponent).expect("no damage").and_then(fanorona::table::Score::plies);
    (fanorona::Outcome::word(Some(value)), plies)
}

/// What is wrong with a task, by the definition.
fn conflict_of(tables: &Tables, request: &Value, task: &Value) -> Option<String> {
    let position = task["position"].as_str().expect("a position");
    let (value, plies) = known(tables, position);
    let after = oracle::successors(position, RULES);
    // The rules alone know that a game is over after the next turn.
    let is_over = |after: &String| oracle::successors(after, RULES).is_empty();
    let plies = plies.or_else(|| after.iter().any(is_over).then_some(1));
    let holds = |after: &&String| {
        let (theirs, _) = known(tables, after);
        (value, theirs) == ("win", "loss") || (value, theirs) == ("draw", "draw")
    };
    let (turns, holding) = (after.len(), after.iter().filter(holds).count());
    let stones = |side| position.matches(side).count();
    let (kind, difficulty) = (request["kind"].as_str().expect("a kind"), request["difficulty"].as_str());
    let range = match (kind, plies) {
        ("win", Some(plies)) => match plies {
            0..3 => None,
            3..=7 => Some("easy"),
            8..=15 => Some("medium"),
            _ => Some("hard"),
        },
        ("only", _) => match turns {
            0..=1 => None,
            2..=4 => Some("easy"),
            5..=8 => Some("medium"),
            _ => Some("hard"),
        },
        _ if holding * 2 >= turns => Some("easy"),
        _ if holding * 5 >= turns => Some("medium"),
        _ => Some("hard"),
    };
    let own_turns = match kind {
        "win" => Value::Null,
        "draw" => 8.into(),
        _ => 1.into(),
    };
    let told = json!([value, plies, turns, holding, "table", own_turns]);
    let says = json!([task["value"], task["dtw"], task["turns"], task["holding"], task["source"], task["own_turns"]]);
    let fits = match kind {
        "win" => value == "win",
        "draw" => value == "draw" && stones('W') <= stones('B'),
        _ => value != "loss" && holding == 1,
    };
    let family =
        request["three_against_five"] != true || BTreeSet::from(['W', 'B'].map(stones)) == BTreeSet::from([3, 5]);
    let echoed = ["board", "kind", "difficulty", "seed"].iter().all(|name| request[name] == task[name]);
    let right = told == says && fits && family && echoed && range == difficulty && 0 < holding && holding < turns;
    (!right || !position.ends_with(" w")).then(|| format!("{request} {task}: {told} {range:?}"))
}

#[tokio::test]
async fn every_task_is_what_it_says() {
    let place = Place::new();
    // With depths, and with values alone.
    place.run("build 5x5 --stones 5 --metric both").done();
    place.run("build 3x5 --stones 8").done();
    let database = place.path().join("db");
    let service = service(&database);
    for board in ["5x5", "3x5"] {
        let size = board.parse().expect("a board");
        let tables = Tables::open(&database, size, RuleSet::default(), DEFAULT_CACHE_BYTES).expect("tables");
        let mut positions = BTreeSet::new();
        for (kind, difficulty) in KINDS.iter().flat_map(|kind| DIFFICULTIES.map(|difficulty| (kind, difficulty))) {
            for seed in 0..SEEDS {
                let five = board == "3x5" && seed % 3 == 0;
                let request = json!({
                    "board": board, "kind": kind, "difficulty": difficulty, "seed": seed, "three_against_five": five,
                });
                let task = ask(&service, "/api/practice", &request).await;
                assert_eq!(conflict_of(&tables, &request, &task), None);
                // The seed repeats it.
                assert_eq!(ask(&service, "/api/practice", &request).await, task);
                positions.insert(task["position"].to_string());
            }
        }
        assert!(positions.len() > 100, "{}", positions.len());
    }
    // Without a seed there is one.
    let request = json!({"board": "5x5", "kind": "only", "difficulty": "easy"});
    let mut task = ask(&service, "/api/practice", &request).await;
    let mut again = request.clone();
    again["seed"] = task["seed"].take();
    task["seed"] = again["seed"].clone();
    assert_eq!(ask(&service, "/api/practice", &again).await, task);
}

#[tokio::test]
async fn where_there_is_no_task_it_says_what_to_build() {
    let place = Place::new();
    let service = service(&place.path().join("db"));
    let asked = |request: Value| {
        let service = service.clone();
        async move { post(&service, "/api/practice", request.to_string()).await }
    };
    let request = json!({"board": "3x3", "kind": "draw", "difficulty": "easy"});
    asked(request.clone()).await.fails(404, &["no tables of 3x3", "fanorona build 3x3 --stones 9"]);
    place.run("build 3x3 --stones 4").done();
    assert_eq!(asked(request).await.done()["value"], "draw");
    let five = json!({"board": "3x3", "kind": "win", "difficulty": "easy", "three_against_five": true});
    asked(five).await.fails(404, &["three stones against five", "3x3", "tables to 8 stones, or of the slice 5v3"]);
    let many = json!({"board": "3x3", "kind": "only", "difficulty": "hard"});
    asked(many.clone()).await.fails(404, &["no task", "choose another, or build tables to "]);
    // Where there is nothing left to build it does not say so.
    place.run("build 1x3 --stones 3").done();
    let none = json!({"board": "1x3", "kind": "win", "difficulty": "hard"});
    let refused = asked(none).await;
    refused.fails(404, &["no task"]);
    assert!(refused.json()["error"]["message"].as_str().is_some_and(|told| told.ends_with("; choose another")));
    for (request, words) in [
        (json!({"board": "3x3", "kind": "lose", "difficulty": "easy"}), &["kind", "lose"][..]),
        (json!({"board": "3x3", "kind": "win", "difficulty": "impossible"}), &["difficulty", "impossible"]),
        (json!({"board": "4x4", "kind": "win", "difficulty": "easy"}), &["4x4", "odd"]),
        (json!({"board": "3x3", "kind": "win", "difficulty": "easy", "seed": -1}), &["seed"]),
        (json!({"board": "3x3", "kind": "win", "difficulty": "easy", "sead": 1}), &["sead"]),
        (json!({"kind": "win", "difficulty": "easy"}), &["board"]),
    ] {
        asked(request).await.fails(400, words);
    }
    let large = json!({"board": "13x13", "kind": "win", "difficulty": "easy"});
    asked(large).await.fails(404, &["13x13", "64 points"]);
}

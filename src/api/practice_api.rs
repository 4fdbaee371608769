//! Practice: tasks drawn from the tables of a board.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use serde::Deserialize;

use crate::board::BoardSize;
use crate::practice::{Difficulty, Kind, TaskChoice, draw_task};
use crate::rules::RuleSet;

use super::request::{Fields, TableRules};
use super::response::{json_response, json_text};
use super::table_api::{Reply, knowledge_of, look_up};
use super::{Problem, Shared};

/// Which task to draw, and from which tables.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PracticeRequest {
    board: String,
    #[serde(default)]
    rules: TableRules,
    kind: Kind,
    difficulty: Difficulty,
    #[serde(default)]
    three_against_five: bool,
    /// A random one if not given.
    #[serde(default)]
    seed: Option<u32>,
}

/// `POST /api/practice`: a task drawn from the tables of a board.
pub async fn practice(State(api): State<Shared>, request: Request) -> Reply {
    let PracticeRequest { board, rules, kind, difficulty, three_against_five, seed } =
        Fields::read(&api, request).await?.parse()?;
    let (size, rules): (BoardSize, RuleSet) = (board.parse()?, rules.into());
    let seed = seed.unwrap_or_else(|| fastrand::u32(..));
    let choice = TaskChoice { kind, difficulty, three_against_five, seed };
    let shared = api.clone();
    let text = api.run_short(move |deadline| {
        let knowledge = knowledge_of(&shared, size, rules)?;
        let look_up = |mover, opponent| look_up(&knowledge, deadline, mover, opponent);
        if let Some(task) = draw_task(&knowledge, choice, look_up)? {
            return json_text(&task);
        }
        Err(none_found(size, three_against_five, &shared.host.remedy(size, rules)?))
    });
    Ok(json_response(StatusCode::OK, text.await?))
}

/// What to do where no task was found.
fn none_found(size: BoardSize, three_against_five: bool, remedy: &str) -> Problem {
    let stones = if three_against_five { " with three stones against five" } else { "" };
    Problem::missing(format!(
        "no task of this kind and difficulty{stones} was found in the tables of {size}; choose another, or {remedy}"
    ))
}

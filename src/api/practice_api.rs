//! Practice: tasks drawn from the tables of a board.

use axum::extract::{Request, State};
use serde::Deserialize;

use crate::board::BoardSize;
use crate::index::SliceSet;
use crate::practice::{Difficulty, Kind, THREE_AGAINST_FIVE, TaskChoice, draw_task};
use crate::rules::RuleSet;

use super::request::Fields;
use super::response::{Reply, json_text};
use super::table_api::{knowledge_of, look_up};
use super::{Problem, Shared};

/// Which task to draw, and from which tables.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PracticeRequest {
    board: String,
    #[serde(default)]
    rules: RuleSet,
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
    let size: BoardSize = board.parse()?;
    let seed = seed.unwrap_or_else(|| fastrand::u32(..));
    let choice = TaskChoice { kind, difficulty, three_against_five, seed };
    api.answer(move |api, deadline| {
        let knowledge = knowledge_of(api, size, rules)?;
        let look_up = |mover, opponent| look_up(&knowledge, deadline, mover, opponent);
        if let Some(task) = draw_task(&knowledge, choice, look_up)? {
            return json_text(&task);
        }
        let wanted =
            if three_against_five { SliceSet::from(THREE_AGAINST_FIVE) } else { SliceSet::from(size.points()) };
        let lacks = |slice| knowledge.tables().folder().get(slice).is_none();
        let fits = !three_against_five || THREE_AGAINST_FIVE.stones() <= size.points();
        let remedy = match fits && wanted.slices(size.points()).any(lacks) {
            false => String::new(),
            true if three_against_five => {
                let slice = THREE_AGAINST_FIVE;
                format!(", or build tables to {} stones, or of the slice {slice}", slice.stones())
            }
            true => format!(", or {}", api.host.remedy(size, rules)?),
        };
        let stones = if three_against_five { " with three stones against five" } else { "" };
        Err(Problem::missing(format!(
            "no task of this kind and difficulty{stones} was found in the tables of {size}; choose another{remedy}"
        )))
    })
    .await
}

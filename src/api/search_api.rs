//! Searches for the value of a position that neither a table nor a proof knows.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::board::BoardSize;
use crate::report::{Answer, SearchSummary, answer};
use crate::retro::check_size;
use crate::rules::{Position, PositionText, RuleSet};
use crate::search::{ShortSearch, SolveError, search_value};

use super::computer::DEFAULT_TIME;
use super::lines::StopOnDisconnect;
use super::request::Fields;
use super::response::{Reply, json_response, json_text};
use super::table_api::{few_turns, look_up};
use super::{Problem, Shared};

/// What to search for, and how long.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchRequest {
    board: String,
    #[serde(default)]
    rules: RuleSet,
    /// The start if not given.
    #[serde(default)]
    position: Option<String>,
    /// Milliseconds.
    #[serde(default)]
    time: Option<u64>,
}

/// What is known after a search.
#[derive(Serialize)]
struct SearchAnswer {
    #[serde(flatten)]
    answer: Answer,
    /// `None` if the value was known without a search.
    search: Option<SearchSummary>,
}

/// `POST /api/search`: the value of a position, from tables, proofs, or else by proof-number search.
pub async fn search(State(api): State<Shared>, request: Request) -> Reply {
    let SearchRequest { board, rules, position, time } = Fields::read(&api, request).await?.parse()?;
    let size: BoardSize = board.parse()?;
    check_size(size, 2).map_err(|error| Problem::malformed(error.to_string()))?;
    let position: Position<u64> = match position {
        Some(text) => PositionText::parse(&text)?.on(size)?,
        None => Position::start(size),
    };
    let limit = time.map_or(DEFAULT_TIME, Duration::from_millis).min(api.settings.think);
    let interrupt = Arc::default();
    let gone = StopOnDisconnect::new(&interrupt);
    let shared = api.clone();
    let text = api.run_search(api.settings.time_limit.saturating_add(limit), move |deadline| {
        let knowledge = shared.library.knowledge(size, rules)?;
        few_turns(knowledge.rules(), &position)?;
        let probe = |mover, opponent| look_up(&knowledge, deadline, mover, opponent);
        let mut answer = answer(knowledge.rules(), &position, probe)?;
        if answer.known.bounds.exact().is_some() {
            return json_text(&SearchAnswer { answer, search: None });
        }
        let (memory, threads) = (shared.settings.search_memory, shared.settings.search_threads);
        let short = ShortSearch { memory, threads, limit, interrupt };
        let searched = search_value(knowledge.rules(), &knowledge.complete(), position, &short)?;
        answer.add_search(&searched, size, position.to_move);
        json_text(&SearchAnswer { answer, search: Some(SearchSummary::of(&searched)) })
    });
    let text = text.await?;
    drop(gone);
    Ok(json_response(StatusCode::OK, text))
}

impl From<SolveError> for Problem {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Table(error) => error.into(),
            error => Self::internal("the search is not possible; see the log of the server", error.to_string()),
        }
    }
}

//! Reviews of games, line by line.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::{Request, State};
use serde::{Deserialize, Serialize};

use crate::review::{Review, ReviewError, ReviewOptions, ReviewProgress, Summary, TurnReview, review as review_game};

use super::computer::game_knowledge;
use super::game_api::game_of;
use super::lines::{Lines, lines};
use super::request::Fields;
use super::response::{Reply, json_text};
use super::{Problem, Shared};

/// The time for a position if the request has none.
const DEFAULT_TIME: Duration = Duration::from_millis(500);

/// A review takes at most so many times what the computer may think about one move.
const SHARE: u32 = 10;

/// How long the searches may take.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    /// Milliseconds for each position.
    #[serde(default)]
    time: Option<u64>,
}

/// How far a review is: the turns that have changed.
#[derive(Serialize)]
struct Progress<'a> {
    searched: usize,
    to_search: usize,
    seconds_left: Option<f64>,
    turns: Vec<&'a TurnReview>,
    white: &'a Summary,
    black: &'a Summary,
}

impl<'a> Progress<'a> {
    fn of(progress: &ReviewProgress<'a>) -> Self {
        let &ReviewProgress { review, changed, searched, to_search, seconds_left } = progress;
        let turns = changed.iter().map(|&place| &review.turns[place]).collect();
        Self { searched, to_search, seconds_left, turns, white: &review.white, black: &review.black }
    }
}

/// The last line.
#[derive(Serialize)]
struct Whole {
    review: Review,
}

/// `POST /api/game/review`: what every move was worth; a line for each position that is searched, and at last the whole review.
pub async fn review(State(api): State<Shared>, request: Request) -> Reply {
    let mut fields = Fields::read(&api, request).await?;
    let Limits { time } = fields.take(&["time"]).parse()?;
    let game = game_of(fields)?;
    let positions = u32::try_from(game.moves.len() + 1).unwrap_or(u32::MAX);
    let whole = api.settings.think.saturating_mul(SHARE);
    let time = time.map_or(DEFAULT_TIME, Duration::from_millis).min(api.settings.think).min(whole / positions);
    let stop = Arc::<AtomicBool>::default();
    let limit = api.settings.time_limit.saturating_add(whole);
    let (shared, stopped) = (api.clone(), stop.clone());
    let work = |lines: Lines| {
        api.run_search(limit, move |deadline| {
            // An invalid game is refused before its tables are opened.
            let replayed = game.replay()?;
            let knowledge = game_knowledge(&shared, &game)?;
            let options = ReviewOptions { time: Some(time), nodes: None, stop: &stopped };
            let show = &mut |progress: &ReviewProgress<'_>| {
                lines.send(&Progress::of(progress));
                // What is known by then is the review.
                stopped.fetch_or(deadline.is_over(), Ordering::Relaxed);
            };
            json_text(&Whole { review: review_game(&replayed, knowledge.as_deref(), options, show)? })
        })
    };
    lines(&api, &stop, work).await
}

impl From<ReviewError> for Problem {
    fn from(error: ReviewError) -> Self {
        match error {
            ReviewError::Game(error) => error.into(),
            ReviewError::Table(error) => error.into(),
            ReviewError::Engine(error) => error.into(),
        }
    }
}

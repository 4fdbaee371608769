//! The computer as an opponent: its moves, and its answers to draw offers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::board::BoardSize;
use crate::game::engine::{Engine, EngineError, Level, SearchLimits};
use crate::game::{Game, GameRequest};
use crate::knowledge::Knowledge;

use super::game_api::{Reply, game_of};
use super::request::Fields;
use super::response::{json_response, json_text};
use super::{Problem, Service, Shared};

/// The time to think if the request has none.
pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// How the computer should play.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Player {
    #[serde(default)]
    level: Level,
    /// Milliseconds.
    #[serde(default)]
    time: Option<u64>,
}

/// `POST /api/game/reply`: the computer's move.
pub async fn reply(State(service): State<Shared>, request: Request) -> Reply {
    play(&service, request, |engine, game, known, limits| engine.reply(game, known, limits, &mut |_| ())).await
}

/// `POST /api/game/draw`: whether the computer agrees to a draw.
pub async fn draw(State(service): State<Shared>, request: Request) -> Reply {
    play(&service, request, Engine::answer_draw).await
}

/// Sets a flag when dropped: if the client disconnects before the answer, this stops the search.
pub struct StopWhenGone(Arc<AtomicBool>);

impl StopWhenGone {
    /// Sets that flag.
    pub fn new(flag: &Arc<AtomicBool>) -> Self {
        Self(flag.clone())
    }
}

impl Drop for StopWhenGone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs the engine on a game, on a thread for searches, within the time limits.
async fn play<T: Serialize>(
    service: &Shared,
    request: Request,
    work: impl FnOnce(&mut Engine, &Game, Option<&Knowledge>, &SearchLimits<'_>) -> Result<T, EngineError> + Send + 'static,
) -> Reply {
    let mut fields = Fields::read(request).await?;
    let Player { level, time } = fields.take(&["level", "time"]).parse()?;
    let game = game_of(fields)?;
    let time = time.map_or(DEFAULT_TIME, Duration::from_millis).min(service.think);
    let stop = Arc::new(AtomicBool::new(false));
    let gone = StopWhenGone::new(&stop);
    let shared = service.clone();
    // The time limits of waiting and of thinking add up.
    let answer = service.searches.run(service.time_limit.saturating_add(time), move |_| {
        let replayed = game.replay()?;
        let knowledge = knowledge_of(&shared, &game)?;
        let seed = fastrand::u64(..);
        let limits = SearchLimits { time: Some(time), ..SearchLimits::new(level, seed, &stop) };
        json_text(&work(&mut Engine::default(), &replayed, knowledge.as_deref(), &limits)?)
    });
    let text = answer.await?;
    drop(gone);
    Ok(json_response(StatusCode::OK, text))
}

/// What is known of the board of a game. If tables are damaged, the log gets the error, and the game continues without.
fn knowledge_of(service: &Service, game: &GameRequest) -> Result<Option<Arc<Knowledge>>, Problem> {
    let size: BoardSize = game.board.parse()?;
    let knowledge = service.library.knowledge(size, game.rules.table_rules());
    Ok(knowledge.unwrap_or_else(|error| {
        (service.log)(&format!("a game continues without tables: {error}"));
        None
    }))
}

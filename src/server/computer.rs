//! The computer as an opponent: its moves, and its answers to draw offers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::board::BoardSize;
use crate::game::engine::{Engine, EngineError, Info, Level, SearchLimits};
use crate::game::{Game, GameRequest};
use crate::knowledge::Knowledge;

use super::game_api::{Reply, game_of};
use super::lines::{Lines, lines};
use super::request::Fields;
use super::response::{json_response, json_text};
use super::{Problem, Service, Shared};

/// The time to think if the request has none.
pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// The most lines that a search reports.
const MAX_LINES: usize = 8;

/// How the computer should play.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Player {
    #[serde(default)]
    level: Level,
    /// Milliseconds.
    #[serde(default)]
    time: Option<u64>,
    /// The number of best moves to report a line for.
    #[serde(default)]
    lines: Option<usize>,
}

/// `POST /api/game/reply`: the computer's move.
pub async fn reply(State(service): State<Shared>, request: Request) -> Reply {
    let search = Search::read(&service, request).await?;
    search.answer(|engine, game, known, limits| engine.reply(game, known, limits, &mut |_| ())).await
}

/// `POST /api/game/draw`: whether the computer agrees to a draw.
pub async fn draw(State(service): State<Shared>, request: Request) -> Reply {
    Search::read(&service, request).await?.answer(Engine::answer_draw).await
}

/// How far a search is.
#[derive(Serialize)]
struct Progress<'a> {
    /// 1 for the best line.
    rank: u32,
    depth: u32,
    /// In hundredths of a stone, for the side to move.
    score: i32,
    nodes: u64,
    ms: u64,
    line: &'a [String],
}

/// `POST /api/game/watch`: the search for the computer's move as it goes on, a line for each depth and rank; the last line is the move.
pub async fn watch(State(service): State<Shared>, request: Request) -> Reply {
    let search = Search::read(&service, request).await?;
    let gone = StopWhenGone::new(&search.stop);
    let work = |lines: Lines| {
        drop(tokio::spawn(async move {
            let shown = lines.clone();
            let found = search.run(move |engine, game, known, limits| {
                engine.reply(game, known, limits, &mut |info| {
                    let ms = u64::try_from(info.time.as_millis()).unwrap_or(u64::MAX);
                    let Info { rank, depth, score, nodes, line, .. } = info;
                    shown.send(&Progress { rank: *rank, depth: *depth, score: *score, nodes: *nodes, ms, line });
                })
            });
            match found.await {
                Ok(reply) => lines.send(&reply),
                Err(problem) => lines.fail(problem),
            }
        }));
    };
    lines(work, gone).await
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

/// A search that a request asks for.
struct Search {
    service: Shared,
    level: Level,
    time: Duration,
    lines: usize,
    game: GameRequest,
    stop: Arc<AtomicBool>,
}

impl Search {
    async fn read(service: &Shared, request: Request) -> Result<Self, Problem> {
        let mut fields = Fields::read(request).await?;
        let Player { level, time, lines } = fields.take(&["level", "time", "lines"]).parse()?;
        let lines = lines.unwrap_or(1);
        if !(1..=MAX_LINES).contains(&lines) {
            return Err(Problem::malformed(format!("{lines} lines are out of range: 1 to {MAX_LINES} are possible")));
        }
        let time = time.map_or(DEFAULT_TIME, Duration::from_millis).min(service.think);
        Ok(Self { service: service.clone(), level, time, lines, game: game_of(fields)?, stop: Arc::default() })
    }

    /// Runs the engine on the game, on a thread for searches, within the time limits.
    async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(&mut Engine, &Game, Option<&Knowledge>, &SearchLimits<'_>) -> Result<T, EngineError>
        + Send
        + 'static,
    ) -> Result<T, Problem> {
        let Self { service, level, time, lines, game, stop } = self;
        let shared = service.clone();
        // The time limits of waiting and of thinking add up.
        let found = service.searches.run(service.time_limit.saturating_add(time), move |_| {
            let replayed = game.replay()?;
            let knowledge = knowledge_of(&shared, &game)?;
            let seed = fastrand::u64(..);
            let limits = SearchLimits { time: Some(time), lines, ..SearchLimits::new(level, seed, &stop) };
            Ok(work(&mut Engine::default(), &replayed, knowledge.as_deref(), &limits)?)
        });
        found.await
    }

    /// The same as a response; the search ends if the client disconnects.
    async fn answer<T: Serialize + Send + 'static>(
        self,
        work: impl FnOnce(&mut Engine, &Game, Option<&Knowledge>, &SearchLimits<'_>) -> Result<T, EngineError>
        + Send
        + 'static,
    ) -> Reply {
        let gone = StopWhenGone::new(&self.stop);
        let text = json_text(&self.run(work).await?)?;
        drop(gone);
        Ok(json_response(StatusCode::OK, text))
    }
}

/// What is known of the board of a game. If tables are damaged, the log gets the error, and the game continues without.
pub fn knowledge_of(service: &Service, game: &GameRequest) -> Result<Option<Arc<Knowledge>>, Problem> {
    let size: BoardSize = game.board.parse()?;
    let knowledge = service.library.knowledge(size, game.rules.table_rules());
    Ok(knowledge.unwrap_or_else(|error| {
        (service.log)(&format!("a game continues without tables: {error}"));
        None
    }))
}

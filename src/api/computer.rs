//! The computer as an opponent: its moves, and its answers to draw offers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::board::{BoardSize, MAX_POINTS};
use crate::game::engine::{Engine, EngineError, Level, SearchInfo, SearchLimits};
use crate::game::{Game, GameRequest};
use crate::knowledge::Knowledge;

use super::game_api::game_of;
use super::lines::{Lines, StopOnDisconnect, lines};
use super::request::Fields;
use super::response::{Reply, json_response, json_text};
use super::{Answering, Api, Problem, Shared};

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
pub async fn reply(State(api): State<Shared>, request: Request) -> Reply {
    let search = Search::read(&api, request).await?;
    search.answer(|engine, game, known, limits| engine.reply(game, known, limits, &mut |_| ())).await
}

/// `POST /api/game/draw`: whether the computer agrees to a draw.
pub async fn draw(State(api): State<Shared>, request: Request) -> Reply {
    Search::read(&api, request).await?.answer(Engine::answer_draw).await
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
pub async fn watch(State(api): State<Shared>, request: Request) -> Reply {
    let search = Search::read(&api, request).await?;
    let stop = search.stop.clone();
    let work = |lines: Lines| {
        search.run(move |engine, game, known, limits| {
            engine.reply(game, known, limits, &mut |info| {
                let ms = u64::try_from(info.time.as_millis()).unwrap_or(u64::MAX);
                let SearchInfo { rank, depth, score, nodes, line, .. } = info;
                lines.send(&Progress { rank: *rank, depth: *depth, score: *score, nodes: *nodes, ms, line });
            })
        })
    };
    lines(&api, &stop, work).await
}

/// A search that a request asks for.
struct Search {
    api: Shared,
    level: Level,
    time: Duration,
    lines: usize,
    game: GameRequest,
    stop: Arc<AtomicBool>,
}

impl Search {
    async fn read(api: &Shared, request: Request) -> Result<Self, Problem> {
        let mut fields = Fields::read(api, request).await?;
        let Player { level, time, lines } = fields.take(&["level", "time", "lines"]).parse()?;
        let lines = lines.unwrap_or(1);
        if !(1..=MAX_LINES).contains(&lines) {
            return Err(Problem::malformed(format!("{lines} lines are out of range: 1 to {MAX_LINES} are possible")));
        }
        let time = time.map_or(DEFAULT_TIME, Duration::from_millis).min(api.settings.think);
        Ok(Self { api: api.clone(), level, time, lines, game: game_of(fields)?, stop: Arc::default() })
    }

    /// Runs the engine on the game, as a search, within the time limits; what it finds as JSON.
    fn run<T: Serialize>(
        self,
        work: impl FnOnce(&mut Engine, &Game, Option<&Knowledge>, &SearchLimits<'_>) -> Result<T, EngineError>
        + Send
        + 'static,
    ) -> Answering {
        let Self { api, level, time, lines, game, stop } = self;
        let shared = api.clone();
        // The time limits of waiting and of thinking add up.
        api.run_search(api.settings.time_limit.saturating_add(time), move |_| {
            let replayed = game.replay()?;
            let knowledge = game_knowledge(&shared, &game)?;
            let seed = fastrand::u64(..);
            let limits = SearchLimits { time: Some(time), lines, ..SearchLimits::new(level, seed, &stop) };
            json_text(&work(&mut Engine::default(), &replayed, knowledge.as_deref(), &limits)?)
        })
    }

    /// The same as a response; the search ends if the client disconnects.
    async fn answer<T: Serialize>(
        self,
        work: impl FnOnce(&mut Engine, &Game, Option<&Knowledge>, &SearchLimits<'_>) -> Result<T, EngineError>
        + Send
        + 'static,
    ) -> Reply {
        let gone = StopOnDisconnect::new(&self.stop);
        let text = self.run(work).await?;
        drop(gone);
        Ok(json_response(StatusCode::OK, text))
    }
}

/// What is known of the board of a game. If tables are damaged, the log gets the error, and the game continues without.
pub fn game_knowledge(api: &Api, game: &GameRequest) -> Result<Option<Arc<Knowledge>>, Problem> {
    let size: BoardSize = game.board.parse()?;
    if size.points() > MAX_POINTS {
        return Ok(None);
    }
    let knowledge = api.library.knowledge(size, game.rules.table_rules());
    Ok(knowledge.inspect_err(|error| (api.settings.log)(&format!("a game continues without tables: {error}"))).ok())
}

//! Live games over HTTP: beginning one, its state, what players do, and its changes as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, Request, State};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{StreamExt, once, unfold};

use crate::api::{Fields, Problem, Reply, game_of, json_response, json_text};
use crate::rules::Side;

use super::Shared;
use super::clients::Client;
use super::listen::Stopping;
use super::live::Key;
use super::live_game::{Follower, LiveAction, LiveGame, MAX_GAME};
use super::permission::check_origin;

/// How often a line is sent where nothing happens, so that both ends notice a connection that is lost.
const ALIVE: Duration = Duration::from_secs(10);

/// Time after which browsers connect again.
const RETRY: Duration = Duration::from_secs(2);

/// The key in a path.
pub type KeyInPath = Result<Path<String>, PathRejection>;

fn seat(service: &Shared, key: KeyInPath) -> Result<(Arc<LiveGame>, Option<Side>), Problem> {
    let Path(key) = key.map_err(|error| Problem::malformed(error.body_text()))?;
    service.live.seat(key.parse::<Key>()?)
}

/// `POST /api/live`: begins a live game, from any game that is not over.
pub async fn begin(State(service): State<Shared>, request: Request) -> Reply {
    check_origin(request.headers())?;
    let client = request.extensions().get::<Arc<Client>>().cloned();
    let game = game_of(Fields::read(&service.api, request).await?)?;
    if game.moves.len() >= MAX_GAME {
        return Err(Problem::malformed(format!("a live game has at most {MAX_GAME} turns; begin from a position")));
    }
    let shared = service.clone();
    let begun = service.api.answer(move |_, _| {
        let game = game.replay()?;
        if let Some(result) = game.result() {
            return Err(Problem::malformed(format!("the game is over: {}", result.text)));
        }
        json_text(&shared.live.begin(game, client.as_ref(), Instant::now())?)
    });
    begun.await
}

/// `GET /api/live/{key}`: the state of a game.
pub async fn state(State(service): State<Shared>, key: KeyInPath) -> Reply {
    let (game, side) = seat(&service, key)?;
    Ok(json_response(StatusCode::OK, json_text(&game.view(side))?))
}

/// `POST /api/live/{key}`: what a player does.
pub async fn act(State(service): State<Shared>, key: KeyInPath, request: Request) -> Reply {
    check_origin(request.headers())?;
    let action: LiveAction = Fields::read(&service.api, request).await?.parse()?;
    // Waiting for a worker takes no time of the player.
    let arrived = Instant::now();
    let (game, side) = seat(&service, key)?;
    let Some(side) = side else {
        let message = "this key is for watching only; the players have keys of their own";
        return Err(Problem::new(StatusCode::FORBIDDEN, message));
    };
    let acted = service.api.answer(move |_, _| {
        game.act(side, &action, arrived)?;
        json_text(&game.view(Some(side)))
    });
    acted.await
}

/// Completes when the server stops; without one, never.
async fn stopped(stopping: Option<&mut Stopping>) {
    match stopping {
        Some(stopping) => stopping.wait().await,
        None => std::future::pending().await,
    }
}

/// `GET /api/live/{key}/events`: the state of a game now and after every change, as server-sent events. A client that connects
/// again misses nothing, because every event has the whole state.
pub async fn events(
    State(service): State<Shared>,
    key: KeyInPath,
    client: Option<Extension<Arc<Client>>>,
    stopping: Option<Extension<Stopping>>,
) -> Result<Response<Body>, Problem> {
    let (game, side) = seat(&service, key)?;
    let place = match client {
        None => None,
        Some(Extension(client)) => Some(client.follow().ok_or_else(Problem::overloaded)?),
    };
    let stopping = stopping.map(|Extension(stopping)| stopping);
    // Only who reads the events follows the game, which a request for the head of this answer does not.
    let events = once(async move { (Follower::new(game, side), stopping, place) });
    let events = events.flat_map(|kept| {
        unfold(kept, async |(mut follower, mut stopping, place)| {
            let view = tokio::select! {
                view = follower.next() => view,
                () = stopped(stopping.as_mut()) => return None,
            };
            let text = String::from_utf8(json_text(&view).ok()?).ok()?;
            let event = Event::default().retry(RETRY).data(text);
            Some((Ok::<_, Infallible>(event), (follower, stopping, place)))
        })
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)).into_response())
}

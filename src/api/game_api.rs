//! Games: their state, why a click is refused, records. Every request contains the whole game.

use axum::extract::{Request, State};
use serde::Deserialize;

use crate::game::{Attempt, GameRequest, parse_game};

use super::request::Fields;
use super::response::{Reply, json_text};
use super::{Problem, Shared};

/// The most moves in a game.
const MAX_MOVES: usize = 10_000;

/// `POST /api/game`: the state of a game.
pub async fn game(State(api): State<Shared>, request: Request) -> Reply {
    let game = game_of(Fields::read(&api, request).await?)?;
    api.answer(move |_, _| json_text(&game.replay()?.view())).await
}

/// `POST /api/game/why`: why a click is refused.
pub async fn why(State(api): State<Shared>, request: Request) -> Reply {
    let mut fields = Fields::read(&api, request).await?;
    let tried: Attempt = fields.take(&["from", "path", "to"]).parse()?;
    let game = game_of(fields)?;
    api.answer(move |_, _| json_text(&game.replay()?.why(&tried)?)).await
}

/// A record in a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    record: String,
}

/// `POST /api/record`: parses a game, in any of the forms that [`parse_game`] knows.
pub async fn record(State(api): State<Shared>, request: Request) -> Reply {
    let Record { record } = Fields::read(&api, request).await?.parse()?;
    api.answer(move |_, _| json_text(&parse_game(&record)?)).await
}

/// The game of a request.
pub fn game_of(fields: Fields) -> Result<GameRequest, Problem> {
    let game: GameRequest = fields.parse()?;
    if game.moves.len() > MAX_MOVES {
        let found = game.moves.len();
        return Err(Problem::malformed(format!("the game has {found} moves; at most {MAX_MOVES} are allowed")));
    }
    Ok(game)
}

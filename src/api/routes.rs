//! The paths with their handlers.

use axum::routing::{MethodRouter, get, post};

use super::{Shared, computer, game_api, practice_api, review_api, search_api, table_api};

/// A path, its method in lower case as `OpenAPI` writes it, and the handler.
pub type Route<S> = (&'static str, &'static str, MethodRouter<S>);

/// Every path that needs no server.
#[must_use]
pub fn routes() -> Vec<Route<Shared>> {
    vec![
        ("/api/tables", "get", get(table_api::tables)),
        ("/api/game", "post", post(game_api::game)),
        ("/api/game/why", "post", post(game_api::why)),
        ("/api/game/reply", "post", post(computer::reply)),
        ("/api/game/watch", "post", post(computer::watch)),
        ("/api/game/draw", "post", post(computer::draw)),
        ("/api/game/review", "post", post(review_api::review)),
        ("/api/search", "post", post(search_api::search)),
        ("/api/practice", "post", post(practice_api::practice)),
        ("/api/record", "post", post(game_api::record)),
        ("/api/{size}", "get", get(table_api::query)),
        ("/api/{size}/line", "get", get(table_api::best_line)),
        ("/api/{size}/stats", "get", get(table_api::statistics)),
        ("/api/{size}/zugzwangs", "get", get(table_api::zugzwangs)),
        ("/api/{size}/start", "get", get(table_api::start)),
        ("/api/{size}/certificates", "get", get(table_api::certificates)),
    ]
}

//! Routes, and what all responses have in common.

use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, Response, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{delete, get, post};
use serde::Serialize;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{Any as AnyOrigin, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::api::{self, Cause, Problem, Route, json_response, json_text};
use crate::board::excerpt;

use super::clients::Client;
use super::listen::HEALTH;
use super::{Service, Settings, Shared, assets, build_api, live_api};

/// Headers of every response: browsers load nothing from elsewhere, trust the content types, show the page in no frame, and
/// send no referrer.
const SECURITY: [(HeaderName, &str); 3] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// What only a server has, besides the routes of [`api`](crate::api).
fn routes() -> Vec<Route<Shared>> {
    vec![
        ("/", "get", get(assets::page)),
        ("/tables", "get", get(assets::page)),
        ("/assets/{name}", "get", get(assets::page)),
        (HEALTH, "get", get(health)),
        ("/openapi.json", "get", get(openapi)),
        ("/api/build", "get", get(build_api::state)),
        ("/api/build", "post", post(build_api::start)),
        ("/api/build", "delete", delete(build_api::stop)),
        ("/api/live", "post", post(live_api::begin)),
        ("/api/live/{key}", "get", get(live_api::state)),
        ("/api/live/{key}", "post", post(live_api::act)),
        ("/api/live/{key}/events", "get", get(live_api::events)),
        ("/api/{size}/build", "get", get(build_api::offers)),
    ]
}

/// Every path of the service with its method, in lower case, as `OpenAPI` writes them.
#[must_use]
pub fn paths() -> Vec<(&'static str, &'static str)> {
    let of_api = api::routes().into_iter().map(|(path, method, _)| (path, method));
    of_api.chain(routes().into_iter().map(|(path, method, _)| (path, method))).collect()
}

/// A router of those routes.
fn router_of<S: Clone + Send + Sync + 'static>(routes: Vec<Route<S>>) -> Router<S> {
    routes.into_iter().fold(Router::new(), |router, (path, _, handler)| router.route(path, handler))
}

/// The service, independent of how requests arrive.
pub fn router(settings: Settings) -> Router {
    let origins = settings.origins.clone();
    let service = Arc::new(Service::new(settings));
    let router = router_of(routes()).merge(router_of(api::routes()).with_state(service.api.clone()));
    let router = with_common_layers(router, &service).with_state(service);
    if origins.is_empty() { router } else { router.layer(for_origins(&origins)) }
}

/// Lets pages of some origins send all requests. Builds and live games are refused to them all the same.
fn for_origins(origins: &[String]) -> CorsLayer {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([header::CONTENT_TYPE])
}

/// Adds what is the same for all routes.
fn with_common_layers(router: Router<Shared>, service: &Shared) -> Router<Shared> {
    let router = router
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(service.clone(), logged))
        .layer(from_fn_with_state(service.clone(), limit_unread))
        .layer(from_fn_with_state(service.clone(), check_host))
        // Pages of other origins may read tables, but may not start searches or builds.
        .layer(CorsLayer::new().allow_origin(AnyOrigin).allow_methods([Method::GET]));
    SECURITY.into_iter().fold(router, |router, (name, value)| {
        router.layer(SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value)))
    })
}

/// The answer of the health check.
#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
}

async fn health() -> Result<Response<Body>, Problem> {
    Ok(json_response(StatusCode::OK, json_text(&Health { status: "ok", version: env!("CARGO_PKG_VERSION") })?))
}

/// The `OpenAPI` description; a test compares it with the service.
async fn openapi() -> Response<Body> {
    json_response(StatusCode::OK, include_str!("openapi.json"))
}

async fn nothing_here(uri: Uri) -> Problem {
    Problem::missing(format!("there is nothing at {}; /openapi.json lists what there is", excerpt(uri.path())))
}

async fn wrong_method(method: Method, uri: Uri) -> Problem {
    let message = format!(
        "{} does not take {}; /openapi.json lists what there is",
        excerpt(uri.path()),
        excerpt(method.as_str())
    );
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, message)
}

/// Counts answers against what may be unread.
async fn limit_unread(State(service): State<Shared>, request: Request, next: Next) -> Response<Body> {
    let client = request.extensions().get::<Arc<Client>>().cloned();
    service.unread.hold(client.as_deref(), next.run(request).await).await
}

/// Refuses requests with the name of another host.
async fn check_host(State(service): State<Shared>, request: Request, next: Next) -> Response<Body> {
    match service.hosts.check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// Logs the causes of errors that clients do not see.
async fn logged(State(service): State<Shared>, request: Request, next: Next) -> Response<Body> {
    // Keys are not for logs.
    let (method, uri) = (request.method(), request.uri());
    let is_live = uri.path().starts_with("/api/live/");
    let what = format!("{method} {}", if is_live { "/api/live/KEY".to_owned() } else { uri.to_string() });
    let response = next.run(request).await;
    if let Some(cause) = response.extensions().get::<Cause>() {
        (service.api.settings.log)(&format!("{what}: {}", cause.0));
    }
    response
}

/// The message of the panic is on standard error already.
fn panicked(_: Box<dyn Any + Send + 'static>) -> Response<Body> {
    Problem::unexpected("panic").into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use tower::ServiceExt;

    #[tokio::test]
    async fn a_panic_is_a_response_like_others() {
        async fn fault() -> Problem {
            let numbers: Vec<usize> = Vec::new();
            Problem::malformed(numbers[numbers.len()].to_string())
        }
        let service = Arc::new(Service::new(Settings::new("none")));
        let router = with_common_layers(Router::new().route("/fault", get(fault)), &service).with_state(service);
        let request = Request::get("/fault").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(response.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        let text = to_bytes(response.into_body(), 1000).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(body["error"]["status"], 500);
    }
}

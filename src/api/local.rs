//! Answers to a program's own requests, one after the other, in the thread that asks.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, Uri};
use axum::routing::any;
use futures_util::FutureExt;
use tower_service::Service;

use crate::board::{BoardSize, excerpt};
use crate::rules::RuleSet;
use crate::table::TableError;

use super::request::too_long;
use super::response::Cause;
use super::{Answering, Api, BODY_BYTES, Deadline, Host, Later, Problem, Settings, Work, WorkKind, routes};

/// Answers requests without a server.
#[derive(Clone, Debug)]
pub struct LocalApi(Router);

/// An answer.
#[derive(Clone, Debug)]
pub struct LocalResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
}

impl LocalApi {
    /// With these settings. `on_line` is called with each line but the last of a streamed answer, as soon as it is known.
    #[must_use]
    pub fn new(settings: Settings, on_line: fn(&[u8])) -> Self {
        let api = Arc::new(Api::new(settings, Box::new(InPlace { on_line })));
        let router = routes().into_iter().fold(Router::new(), |router, (path, _, handler)| router.route(path, handler));
        // Otherwise these paths would match `/api/{size}`.
        let router =
            ["/api/build", "/api/live"].into_iter().fold(router, |router, path| router.route(path, any(needs_server)));
        Self(router.fallback(needs_server).method_not_allowed_fallback(needs_server).with_state(api))
    }

    /// The answer to a request, when it is complete.
    ///
    /// # Panics
    /// If a handler waits for something that is not in this thread. None does.
    #[must_use]
    pub fn answer(&self, request: Request<Body>) -> LocalResponse {
        let response = self.0.clone().call(request).now_or_never().expect("nothing in place waits");
        let (mut parts, body) = response.unwrap_or_else(|never| match never {}).into_parts();
        let body = to_bytes(body, usize::MAX).now_or_never().and_then(Result::ok).expect("a body in memory");
        // There is no log to look the cause up in.
        let body = match parts.extensions.remove::<Cause>() {
            Some(Cause(cause)) => Problem::new(parts.status, cause).text().into(),
            None => body,
        };
        LocalResponse { status: parts.status, headers: parts.headers, body }
    }
}

async fn needs_server(uri: Uri) -> Problem {
    let path = excerpt(uri.path());
    Problem::missing(format!("{path} needs a server; builds and live games are on the page of `fanorona serve`"))
}

/// Work runs at once, in the thread that asks.
#[derive(Debug)]
struct InPlace {
    on_line: fn(&[u8]),
}

impl Host for InPlace {
    fn run(&self, _: WorkKind, limit: Duration, work: Work) -> Answering {
        // Only when it is awaited: the caller may have to send something first.
        Box::pin(async move { work(Deadline::after(limit)) })
    }

    fn spawn(&self, task: Later<()>) {
        // Nothing in place waits for anything.
        let _ended = task.now_or_never();
    }

    fn body(&self, body: Body) -> Later<Result<Bytes, Problem>> {
        Box::pin(async move { to_bytes(body, BODY_BYTES).await.map_err(|_| too_long()) })
    }

    fn on_line(&self, line: &[u8]) -> bool {
        (self.on_line)(line);
        true
    }

    fn remedy(&self, _: BoardSize, _: RuleSet) -> Result<String, TableError> {
        Ok("build them with `fanorona build` on your own machine".to_owned())
    }
}

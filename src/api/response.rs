//! Responses: values as JSON, and problems as a status with one line.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use serde::Serialize;

use crate::board::BoardSizeError;
use crate::game::engine::EngineError;
use crate::game::{GameError, RecordError};
use crate::rules::PositionError;
use crate::table::TableError;

/// Value of `Retry-After` for rejected requests, in seconds.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("1");

/// The result of a handler.
pub type Reply = Result<Response<Body>, Problem>;

/// Why a request fails. As a response it is `{"error": {"status": 400, "message": "…"}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The status of the response.
    pub status: StatusCode,
    /// One line: what is wrong, where, and what to do.
    pub message: String,
    /// What the log gets in addition to the message.
    cause: Option<Cause>,
}

/// The line for the log, an extension of the response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause(pub String);

#[derive(Serialize)]
struct ErrorBody<'a> {
    error: ErrorFields<'a>,
}

#[derive(Serialize)]
struct ErrorFields<'a> {
    status: u16,
    message: &'a str,
}

impl Problem {
    /// A problem with that status and message.
    #[must_use]
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), cause: None }
    }

    /// The request cannot be read.
    #[must_use]
    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// There is no such thing.
    #[must_use]
    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// The queue is full.
    #[must_use]
    pub fn overloaded() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "the server is busy; try again in a second")
    }

    /// The answer takes longer than the time limit.
    #[must_use]
    pub fn late() -> Self {
        Self::new(
            StatusCode::GATEWAY_TIMEOUT,
            "the answer takes longer than the time limit of this server; ask for less, or raise the limit",
        )
    }

    /// The problem as JSON.
    pub(super) fn text(&self) -> Vec<u8> {
        let fields = ErrorFields { status: self.status.as_u16(), message: &self.message };
        // A number and a text always serialize.
        serde_json::to_vec(&ErrorBody { error: fields }).unwrap_or_default()
    }

    /// An error that only a mistake in the program can cause; what it is goes to the log.
    #[must_use]
    pub fn unexpected(cause: impl Into<String>) -> Self {
        Self::internal("internal error of the server; see its log", cause)
    }

    /// An error of the server, not of the request. The client gets `message`, the log `cause`.
    #[must_use]
    pub fn internal(message: impl Into<String>, cause: impl Into<String>) -> Self {
        let problem = Self::new(StatusCode::INTERNAL_SERVER_ERROR, message);
        Self { cause: Some(Cause(cause.into())), ..problem }
    }
}

impl From<TableError> for Problem {
    fn from(error: TableError) -> Self {
        if error.is_lack_of_handles() {
            let message = "the server has too many files and connections open; try again in a second";
            let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, message);
            return Self { cause: Some(Cause(error.to_string())), ..problem };
        }
        Self::internal("a table cannot be used; see the log of the server", error.to_string())
    }
}

impl From<PositionError> for Problem {
    fn from(error: PositionError) -> Self {
        Self::malformed(error.to_string())
    }
}

impl From<GameError> for Problem {
    fn from(error: GameError) -> Self {
        Self::malformed(error.to_string())
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Over(_) => Self::malformed(error.to_string()),
            EngineError::Table(error) => error.into(),
        }
    }
}

impl From<RecordError> for Problem {
    fn from(error: RecordError) -> Self {
        Self::malformed(error.to_string())
    }
}

impl From<BoardSizeError> for Problem {
    fn from(error: BoardSizeError) -> Self {
        Self::malformed(error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let mut response = json_response(self.status, self.text());
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER_SECONDS);
        }
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(cause);
        }
        response
    }
}

/// `value` as JSON.
///
/// # Errors
/// Status 500 if it does not serialize; all answers of this server do.
pub fn json_text(value: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(value).map_err(|error| Problem::unexpected(error.to_string()))
}

/// A response of that JSON text.
pub fn json_response(status: StatusCode, text: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

//! Requests and answers: positions, games, tables, searches and reviews, however requests arrive.
//!
//! [`routes`] are the paths with their handlers. A [`Host`] decides where their work runs: the server has threads behind a
//! queue, and clients that connect; [`LocalApi`] answers a program's own requests in the thread that asks, as in a browser
//! without a server.
//!
//! Each request contains the whole game, so that nothing is kept from one to the next but the open tables of a few boards.

mod computer;
mod deadline;
mod distinct;
mod folder_cache;
mod game_api;
mod library;
mod lines;
mod local;
mod practice_api;
mod request;
mod response;
mod review_api;
mod routes;
mod search_api;
mod table_api;
mod zugzwangs;

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;

use crate::board::BoardSize;
use crate::knowledge::Trust;
use crate::rules::RuleSet;
use crate::table::{Database, TableError};

use library::Library;

pub use deadline::Deadline;
pub use local::{LocalApi, LocalResponse};
pub use request::BODY_BYTES;
pub use response::Problem;
pub use routes::{Route, routes};

pub(crate) use folder_cache::FolderCache;
pub(crate) use response::{Reply, json_response};

#[cfg(feature = "server")]
pub(crate) use self::{
    game_api::game_of,
    request::{Fields, Parameters, too_long},
    response::{Cause, json_text},
    table_api::{SizeInPath, read_size},
};

/// Work that makes the body of an answer.
pub type Work = Box<dyn FnOnce(Deadline) -> Result<Vec<u8>, Problem> + Send>;

/// A boxed future.
pub type Later<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The future body of an answer.
pub type Answering = Later<Result<Vec<u8>, Problem>>;

/// How long the work of a request takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// A look-up.
    Short,
    /// A search.
    Search,
}

/// The environment of the API: where work runs, and how it reaches the client.
pub trait Host: Debug + Send + Sync {
    /// Runs work that has to end within a time limit.
    fn run(&self, kind: WorkKind, limit: Duration, work: Work) -> Answering;

    /// Runs a task to its end while an answer is being sent.
    fn spawn(&self, task: Later<()>);

    /// Reads the whole body of a request, at most [`BODY_BYTES`].
    fn body(&self, body: Body) -> Later<Result<Bytes, Problem>>;

    /// Called with each line of an answer as soon as it is known, but the last. Returns whether the answer has to keep them all, because
    /// nobody reads it before its end.
    fn on_line(&self, _line: &[u8]) -> bool {
        false
    }

    /// What to do if tables of a board are missing, as the end of a sentence.
    ///
    /// # Errors
    /// [`TableError::Io`] if the folder of the board cannot be read.
    fn remedy(&self, size: BoardSize, rules: RuleSet) -> Result<String, TableError>;
}

/// The configuration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The database. If it does not exist, no board has tables.
    pub database: Database,
    /// Bytes of the cache of table blocks, for all boards together.
    pub cache_bytes: u64,
    /// Which certificates are used.
    pub trust: Trust,
    /// Time limit for an answer without a search.
    pub time_limit: Duration,
    /// Upper limit of the time of a search: for a move of the computer, or for the value of a position. A review takes at most
    /// ten times as long.
    pub think: Duration,
    /// Threads of a search for a value; 0 for the thread that asks.
    pub search_threads: usize,
    /// Bytes of memory of a search for a value.
    pub search_memory: u64,
    /// Called with each line of the error log.
    pub log: fn(&str),
}

/// State shared by all requests.
#[derive(Debug)]
pub struct Api {
    pub(crate) library: Library,
    pub(crate) settings: Settings,
    host: Box<dyn Host>,
    /// As JSON.
    zugzwangs: FolderCache<Vec<u8>>,
}

/// The state as handlers have it.
pub type Shared = Arc<Api>;

impl Api {
    /// The state before the first request.
    #[must_use]
    pub fn new(settings: Settings, host: Box<dyn Host>) -> Self {
        let library = Library::new(settings.database.clone(), settings.cache_bytes, settings.trust, settings.log);
        Self { library, settings, host, zugzwangs: FolderCache::default() }
    }

    /// Runs a look-up.
    pub(crate) fn run_short(
        &self,
        work: impl FnOnce(Deadline) -> Result<Vec<u8>, Problem> + Send + 'static,
    ) -> Answering {
        self.host.run(WorkKind::Short, self.settings.time_limit, Box::new(work))
    }

    /// Answers with the JSON that a look-up makes.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, Deadline) -> Result<Vec<u8>, Problem> + Send + 'static,
    ) -> Reply {
        let api = self.clone();
        Ok(json_response(StatusCode::OK, self.run_short(move |deadline| work(&api, deadline)).await?))
    }

    /// Runs a search.
    fn run_search(
        &self,
        limit: Duration,
        work: impl FnOnce(Deadline) -> Result<Vec<u8>, Problem> + Send + 'static,
    ) -> Answering {
        self.host.run(WorkKind::Search, limit, Box::new(work))
    }
}

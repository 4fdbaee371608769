//! The page and the HTTP API: tables and the game for browsers and programs, over HTTP.
//!
//! [`router`] makes the service, which tests call without a socket; [`serve`] runs it on one. No request can take memory or
//! time without bound: heads, bodies, and everything computed for a request have limits, and what tables and searches do
//! runs on few threads behind a queue of bounded length ([`Pool`]), away from the threads that talk to clients. Whoever
//! comes when the queue is full is told to come again.
//!
//! The server keeps nothing of its clients: a game travels whole with each request. It keeps open the tables of the
//! boards that were asked for last, see [`Library`].

mod assets;
mod computer;
mod game_api;
mod library;
mod listen;
mod pool;
mod request;
mod response;
mod routes;
mod table_api;

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::table::Database;

pub use library::{Library, TablesOfBoard};
pub use listen::{Connections, serve};
pub use pool::{Deadline, Pool};
pub use request::BODY_BYTES;
pub use response::Problem;
pub use routes::{paths, router};

/// How the service is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The database folder. It need not be there: then every board is without tables.
    pub database: Database,
    /// Bytes of blocks of tables that are kept for all boards together.
    pub cache_bytes: u64,
    /// Threads that look things up in tables.
    pub workers: NonZero<usize>,
    /// Threads that search for moves of the computer.
    pub searchers: NonZero<usize>,
    /// Requests that may wait for a thread of either kind; more are refused.
    pub queue: usize,
    /// How long an answer may take that needs no search, waiting included.
    pub time_limit: Duration,
    /// The longest that the computer may think about a move, whatever it is asked for.
    pub think: Duration,
    /// Where to read the page from at every request, instead of the program: for those who change it.
    pub page: Option<PathBuf>,
    /// Hears of what goes wrong inside the server, a line at a time.
    pub log: fn(&str),
}

impl Settings {
    /// What is usual, with tables from that folder.
    #[must_use]
    pub fn new(database: impl Into<Database>) -> Self {
        let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Self {
            database: database.into(),
            cache_bytes: crate::table::DEFAULT_CACHE_BYTES,
            workers: cores,
            // Searches are long, and should leave room for others.
            searchers: NonZero::new(cores.get() / 2).unwrap_or(NonZero::<usize>::MIN),
            queue: 64,
            time_limit: Duration::from_secs(10),
            think: Duration::from_secs(30),
            page: None,
            log: |_| (),
        }
    }
}

/// What all requests share.
#[derive(Debug)]
struct Service {
    library: Library,
    probes: Pool,
    searches: Pool,
    time_limit: Duration,
    think: Duration,
    page: Option<PathBuf>,
    log: fn(&str),
}

impl Service {
    fn new(settings: Settings) -> Self {
        let Settings { database, cache_bytes, workers, searchers, queue, time_limit, think, page, log } = settings;
        Self {
            library: Library::new(database, cache_bytes),
            probes: Pool::new(workers, queue),
            searches: Pool::new(searchers, queue),
            time_limit,
            think,
            page,
            log,
        }
    }
}

type Shared = Arc<Service>;

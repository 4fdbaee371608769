//! The page and the HTTP API: tables and the game for browsers and programs, over HTTP.
//!
//! [`router`] is the service, which tests call without a socket; [`serve`] runs it on one. No request takes unbounded memory or
//! time: heads, bodies, and all computation have limits, and look-ups and searches run on few threads behind a bounded queue
//! ([`Pool`]), apart from the threads that serve clients. When the queue is full, requests are rejected with status 503.
//!
//! [`api`] answers what needs no server. This layer has the rest: connections, clients and their limits, the page's files, builds,
//! and live games.
//!
//! Each request contains the whole game, so that the server keeps no state of its clients, apart from live games between two
//! people: those are in memory, few, and forgotten when nobody opens them. The tables of the most recently used boards are kept
//! open.

mod assets;
mod build_api;
mod builder;
mod clients;
mod host;
mod job;
mod listen;
mod live;
mod live_api;
mod live_game;
mod offers;
mod permission;
mod pool;
mod routes;

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::api::{self, Api};
use crate::knowledge::Trust;
use crate::table::{DEFAULT_CACHE_BYTES, Database};

use builder::Builder;
use clients::UnreadAnswers;
use host::ServerHost;
pub use listen::{Connections, serve};
use live::LiveGames;
use offers::OfferCache;
pub use permission::{Builds, Hosts};
pub use pool::Pool;
pub use routes::{paths, router};

pub use crate::api::{BODY_BYTES, Deadline, Problem};

/// The configuration of the service.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Tables, time limits and the log of the API. Limits include the time that a request waits; `search_threads` follows from
    /// `searchers`.
    pub api: api::Settings,
    /// Threads for look-ups in tables.
    pub workers: NonZero<usize>,
    /// Threads for searches: moves of the computer, values, and reviews.
    pub searchers: NonZero<usize>,
    /// Requests that may wait for a thread of either kind; more are rejected.
    pub queue: usize,
    /// A folder from which the page is read at every request, for its development; `None` for the page in the program.
    pub page: Option<PathBuf>,
    /// Which names of the server requests may give as their host.
    pub hosts: Hosts,
    /// Pages of these origins, such as `https://example.org`, may use all of the API but builds and live games; others may only read (`GET`).
    pub origins: Vec<String>,
    /// Whose requests may build tables.
    pub builds: Builds,
    /// Bytes of memory for a build.
    pub build_memory: u64,
    /// The most live games between two people at once; 0 for none.
    pub live_games: usize,
}

impl Settings {
    /// The default of [`queue`](Self::queue).
    pub const QUEUE: usize = 64;

    /// The default of [`time_limit`](api::Settings::time_limit).
    pub const TIME_LIMIT: Duration = Duration::from_secs(10);

    /// The default of [`think`](api::Settings::think).
    pub const THINK: Duration = Duration::from_secs(30);

    /// The default of [`live_games`](Self::live_games).
    pub const LIVE_GAMES: usize = 500;

    /// The defaults, with tables from a database folder.
    #[must_use]
    pub fn new(database: impl Into<Database>) -> Self {
        let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let api = api::Settings {
            database: database.into(),
            cache_bytes: DEFAULT_CACHE_BYTES,
            trust: Trust::Checked,
            time_limit: Self::TIME_LIMIT,
            think: Self::THINK,
            search_threads: 0,
            search_memory: 256 << 20,
            log: |_| (),
        };
        Self {
            api,
            workers: cores,
            // Searches are long and should leave threads for other requests.
            searchers: NonZero::new(cores.get() / 2).unwrap_or(NonZero::<usize>::MIN),
            queue: Self::QUEUE,
            page: None,
            hosts: Hosts::Any,
            origins: Vec::new(),
            builds: Builds::Never,
            build_memory: 2 << 30,
            live_games: Self::LIVE_GAMES,
        }
    }
}

/// State shared by all requests.
#[derive(Debug)]
struct Service {
    api: Arc<Api>,
    page: Option<PathBuf>,
    builder: Arc<Builder>,
    hosts: Hosts,
    builds: Builds,
    unread: UnreadAnswers,
    offering: Arc<OfferCache>,
    live: LiveGames,
}

impl Service {
    fn new(settings: Settings) -> Self {
        let Settings { mut api, workers, searchers, queue, page, hosts, builds, build_memory, live_games, .. } =
            settings;
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        // All searches for values together have a thread for each core.
        api.search_threads = (cores / searchers.get()).max(1);
        let builder = Arc::new(Builder::new(api.database.clone(), build_memory));
        let offering = Arc::new(OfferCache::new(builder.clone()));
        let [probes, searches] = [workers, searchers].map(|threads| Arc::new(Pool::new(threads, queue)));
        let host = ServerHost { probes, searches, offering: offering.clone() };
        Self {
            api: Arc::new(Api::new(api, Box::new(host))),
            page,
            builder,
            hosts,
            builds,
            unread: UnreadAnswers::default(),
            offering,
            live: LiveGames::new(live_games),
        }
    }
}

type Shared = Arc<Service>;

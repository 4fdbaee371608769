//! `fanorona serve`: the page and the HTTP API.

use std::net::{SocketAddr, TcpListener};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytesize::ByteSize;
use clap::Args as ClapArgs;

use crate::api;
use crate::files::remove_unfinished;
use crate::report::first_build;
use crate::server::{Builds, Connections, Hosts, Settings, router, serve};
use crate::table::{DEFAULT_CACHE_BYTES, Database, TableError, folders};

use super::interrupt::on_interrupt;
use super::options::{DatabaseOption, counted, free_memory};
use super::output::{CliResult, Failure, print};
use super::values::{read_number, read_size, read_time};

/// Serve the page and the HTTP API, until Ctrl-C
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    /// Address and port to listen on; port 0 takes a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9000")]
    bind: String,
    #[command(flatten)]
    database: DatabaseOption,
    /// Requests processed at once [default: number of cores]
    #[arg(long, value_parser = read_number::<NonZero<usize>>, value_name = "N", help_heading = "Limits")]
    workers: Option<NonZero<usize>>,
    /// Searches at once, for moves of the computer and for values [default: half the number of cores]
    #[arg(long, value_parser = read_number::<NonZero<usize>>, value_name = "N", help_heading = "Limits")]
    searchers: Option<NonZero<usize>>,
    /// Requests that may wait; more are rejected with status 503
    #[arg(long, value_parser = read_number::<usize>, value_name = "N", default_value_t = Settings::QUEUE, help_heading = "Limits")]
    queue: usize,
    /// Time limit for an answer from tables
    #[arg(long, value_name = "TIME", default_value_t = Settings::TIME_LIMIT.into(), value_parser = time, help_heading = "Limits")]
    timeout: humantime::Duration,
    /// Time limit for a move of the computer, and for the search for a value
    #[arg(long, value_name = "TIME", default_value_t = Settings::THINK.into(), value_parser = time, help_heading = "Limits")]
    think: humantime::Duration,
    /// Memory for the cache of tables
    #[arg(long, value_parser = read_size, value_name = "BYTES", default_value_t = ByteSize(DEFAULT_CACHE_BYTES), help_heading = "Limits")]
    cache: ByteSize,
    /// Connections at once; further ones only get /health
    #[arg(long, value_parser = read_number::<NonZero<usize>>, value_name = "N", default_value_t = Connections::MAX, help_heading = "Limits")]
    connections: NonZero<usize>,
    /// Connections of one client at once; more are closed. Raise it where all clients come through a proxy
    #[arg(long, value_parser = read_number::<NonZero<usize>>, value_name = "N", default_value_t = Connections::PER_CLIENT, help_heading = "Limits")]
    client_connections: NonZero<usize>,
    /// Live games between two people at once; 0 for none
    #[arg(long, value_parser = read_number::<usize>, value_name = "N", default_value_t = Settings::LIVE_GAMES, help_heading = "Limits")]
    live_games: usize,
    /// Do not let clients build tables; by default, clients on this machine may
    #[arg(long, conflicts_with = "build")]
    no_build: bool,
    /// Let clients build tables even if --bind lets other machines reach this server
    #[arg(long)]
    build: bool,
    /// Answer requests whose Host header is this name, localhost or an IP address, and no others. Without it a server that only this
    /// machine reaches answers to localhost and IP addresses, any other to all names. May be given several times
    #[arg(long, value_name = "NAME", value_parser = host)]
    host: Vec<String>,
    /// Let web pages from this origin, a scheme with a host name, use the game API; pages of others may only read tables. May be given
    /// several times
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    origin: Vec<String>,
    /// Memory for a build; half of what is free if not given
    #[arg(long, value_parser = read_size, value_name = "SIZE", help_heading = "Limits")]
    memory: Option<ByteSize>,
    /// Read the page from this folder at every request, to develop it: src/server/page
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
}

/// A time that can be shown.
fn time(text: &str) -> Result<humantime::Duration, String> {
    read_time(text).map(Into::into)
}

/// An origin as browsers send it: a scheme, a host and perhaps a port.
fn origin(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or(text.strip_prefix("http://"));
    host.filter(|host| is_host(host))
        .map(|_| text.to_ascii_lowercase())
        .ok_or_else(|| "give a scheme, a host and perhaps a port, such as https://example.org".to_owned())
}

/// The name of a host.
fn host(text: &str) -> Result<String, String> {
    if is_host(text) && !text.contains([':', '[', ']']) {
        Ok(text.to_owned())
    } else {
        Err("give a name without a scheme or a port, such as example.org".to_owned())
    }
}

fn is_host(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_.-:[]".contains(c))
}

/// Time limit for open requests after Ctrl-C, so that stopping takes at most two seconds.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(1500);

pub fn run(arguments: &Arguments) -> CliResult {
    let database = Database::from(&arguments.database);
    let cannot = |error: std::io::Error| {
        let bind = &arguments.bind;
        Failure::Text(format!("cannot listen on {bind}: {error}; give another address, such as --bind 127.0.0.1:9001"))
    };
    if let Some(page) = arguments.page.as_ref().filter(|page| !page.join("index.html").exists()) {
        return Err(Failure::Text(format!(
            "there is no page in {}; it is in src/server/page (--page)",
            page.display()
        )));
    }
    let listener = TcpListener::bind(&arguments.bind).map_err(cannot)?;
    listener.set_nonblocking(true).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    // Strangers should not fill the disk.
    let builds = if arguments.build {
        Builds::Always
    } else if !arguments.no_build && address.ip().is_loopback() {
        Builds::Local
    } else {
        Builds::Never
    };
    let hosts = if address.ip().is_loopback() || !arguments.host.is_empty() {
        Hosts::Named(arguments.host.clone())
    } else {
        Hosts::Any
    };
    if database.folder.exists() {
        // Fails early if it cannot be used; requests list it again.
        folders(&database)?;
    } else {
        let folder = database.folder.display();
        if builds == Builds::Never {
            let build = first_build(&database.folder);
            note!("There is no database folder {folder}: all values are unknown. Build tables with: {build}");
        } else {
            note!("There is no database folder {folder} yet; the page can build tables.");
        }
    }
    let usual = Settings::new(database);
    let settings = Settings {
        api: api::Settings {
            cache_bytes: arguments.cache.as_u64(),
            time_limit: arguments.timeout.into(),
            think: arguments.think.into(),
            log: |line| note!("{line}"),
            ..usual.api
        },
        workers: arguments.workers.unwrap_or(usual.workers),
        searchers: arguments.searchers.unwrap_or(usual.searchers),
        queue: arguments.queue,
        page: arguments.page.clone(),
        hosts,
        origins: arguments.origin.clone(),
        builds,
        build_memory: arguments.memory.map_or_else(|| free_memory() / 2, |memory| memory.as_u64()),
        live_games: arguments.live_games,
    };
    let limits = Connections {
        max: arguments.connections,
        per_client: arguments.client_connections,
        shutdown_timeout: SHUTDOWN_TIMEOUT,
        ..Connections::default()
    };
    // Otherwise the pool is made on its first use, with a panic if that fails.
    rayon::ThreadPoolBuilder::new().build_global().map_err(TableError::threads)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Text(format!("cannot start a server: {error}")))?;
    let cut_off = runtime.block_on(async {
        // From here on a signal stops the server in order, so its address may be printed.
        let stop = stop_signal()?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        announce(address)?;
        serve(listener, router(settings), limits, stop).await.map_err(Failure::from)
    })?;
    // A build continues with the next server; what it is writing is not complete.
    remove_unfinished();
    // Work for clients that have disconnected need not be waited for.
    runtime.shutdown_background();
    if cut_off > 0 {
        note!("Stopped; {} took too long and were cut off.", counted(cut_off as u64, "connection"));
    }
    Ok(())
}

/// Prints the address of the server, and a warning if other machines can reach it.
fn announce(address: SocketAddr) -> CliResult {
    if !address.ip().is_loopback() {
        note!(
            "Warning: {address} can be reached from other machines. Anyone there may use this server, within its limits. \
             To allow this machine only: --bind 127.0.0.1:{}",
            address.port()
        );
    }
    print(&format!("http://{address}/"))
}

/// Completes when the user or the system stops the server.
fn stop_signal() -> CliResult<impl Future<Output = ()>> {
    let asked = Arc::new(tokio::sync::Notify::new());
    let stop = asked.clone();
    on_interrupt(move || asked.notify_one())?;
    Ok(async move { stop.notified().await })
}

//! `fanorona serve`: the page and the HTTP API.

use std::net::{SocketAddr, TcpListener};
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::Args as ClapArgs;

use crate::server::{Connections, Settings, router, serve};
use crate::table::Database;

use super::options::DatabaseOption;
use super::output::{CliResult, Failure, print};

/// Serve the page and the HTTP API, until Ctrl-C
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    /// Address and port to listen at; port 0 takes one that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9000")]
    bind: String,
    #[command(flatten)]
    database: DatabaseOption,
    /// Requests that are worked on at once; as many as there are cores if not given
    #[arg(long, value_name = "N", help_heading = "Limits")]
    workers: Option<NonZero<usize>>,
    /// Moves of the computer that are searched for at once; half as many as there are cores if not given
    #[arg(long, value_name = "N", help_heading = "Limits")]
    searchers: Option<NonZero<usize>>,
    /// Requests that may wait for that; more are answered with status 503
    #[arg(long, value_name = "N", default_value_t = 64, help_heading = "Limits")]
    queue: usize,
    /// Longest time for an answer from tables
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = humantime::parse_duration, help_heading = "Limits")]
    timeout: Duration,
    /// Longest time that the computer may think about a move
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration,
          help_heading = "Limits")]
    think: Duration,
    /// Memory for parts of tables
    #[arg(long, value_name = "BYTES", default_value = "256MiB", help_heading = "Limits")]
    cache: ByteSize,
    /// Connections at once; more wait
    #[arg(long, value_name = "N", default_value = "512", help_heading = "Limits")]
    connections: NonZero<usize>,
    /// Read the page from this folder at every request, for those who change it: src/server/page
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
}

/// How long open requests may take to end after Ctrl-C, so that all takes two seconds.
const FAREWELL: Duration = Duration::from_millis(1500);

pub fn run(arguments: &Arguments) -> CliResult {
    let database = Database::from(&arguments.database);
    if !database.folder.is_dir() {
        note!(
            "There is no folder {} with tables: values are unknown. Build some with: fanorona build 9x5 --stones 6",
            database.folder.display()
        );
    }
    let cannot = |error: std::io::Error| {
        let bind = &arguments.bind;
        Failure::Text(format!("cannot listen at {bind}: {error}; give another address with --bind, as 127.0.0.1:9001"))
    };
    let listener = TcpListener::bind(&arguments.bind).map_err(cannot)?;
    listener.set_nonblocking(true).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let usual = Settings::new(database);
    let settings = Settings {
        cache_bytes: arguments.cache.as_u64(),
        workers: arguments.workers.unwrap_or(usual.workers),
        searchers: arguments.searchers.unwrap_or(usual.searchers),
        queue: arguments.queue,
        time_limit: arguments.timeout,
        think: arguments.think,
        page: arguments.page.clone(),
        log: |line| note!("{line}"),
        ..usual
    };
    let limits = Connections { most: arguments.connections.get(), farewell: FAREWELL, ..Connections::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let cut_off = runtime.block_on(async {
        // From here on a signal ends the server in order, so it may be told to the world.
        let stop = stop_signal()?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        announce(address)?;
        serve(listener, router(settings), limits, stop).await.map_err(Failure::from)
    })?;
    // What still computes for clients that are gone need not be waited for.
    runtime.shutdown_background();
    if cut_off > 0 {
        note!("Stopped; {cut_off} connections took too long to end and were cut off.");
    }
    Ok(())
}

/// Says where the server is, and who can reach it.
fn announce(address: SocketAddr) -> CliResult {
    if !address.ip().is_loopback() {
        note!(
            "Warning: {address} can be reached from other machines. Anyone there may use this server, within its limits; \
             --bind 127.0.0.1:{} keeps it to this machine.",
            address.port()
        );
    }
    print(&format!("http://{address}/"))
}

/// A future that ends when the user or the system wants the server to end.
#[cfg(unix)]
fn stop_signal() -> CliResult<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => (),
            _ = terminate.recv() => (),
        }
    })
}

/// A future that ends when the user wants the server to end.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)] // elsewhere the system may refuse
fn stop_signal() -> CliResult<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

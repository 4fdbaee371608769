//! Connections: accepting them, their limits, and their end.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// The most bytes of the head of a request: its first line and its fields.
const HEAD_BYTES: usize = 32 << 10;

/// Pause after the system has refused a connection, as when there are no more file handles.
const PAUSE: Duration = Duration::from_millis(200);

/// What connections may take.
#[derive(Clone, Copy, Debug)]
pub struct Connections {
    /// How many at once; more wait until one ends.
    pub most: usize,
    /// How long a client may take for the head of a request, how long a connection may be idle, and how long a client may
    /// take none of an answer.
    pub patience: Duration,
    /// How long open requests may take to end when the server stops.
    pub farewell: Duration,
}

impl Default for Connections {
    fn default() -> Self {
        Self { most: 512, patience: Duration::from_secs(15), farewell: Duration::from_secs(5) }
    }
}

/// Serves clients until `stop` comes, then lets those finish who have asked already. Gives how many connections were cut off
/// because they took too long for that.
///
/// # Errors
/// What the system says if it gives no address to the listener.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Connections,
    stop: impl Future<Output = ()>,
) -> io::Result<usize> {
    let places = Arc::new(Semaphore::new(limits.most.clamp(1, Semaphore::MAX_PERMITS)));
    let open = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.patience).max_buf_size(HEAD_BYTES);
    let mut stop = pin!(stop);
    loop {
        let next = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.patience));
        let service = TowerToHyperService::new(router.clone());
        let connection = open.watch(http.serve_connection(TokioIo::new(Box::pin(stream)), service));
        tokio::spawn(async move {
            // A client that breaks off or does not speak HTTP is not worth a word.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    let left = open.count();
    let ended = tokio::time::timeout(limits.farewell, open.shutdown()).await;
    Ok(if ended.is_ok() { 0 } else { left })
}

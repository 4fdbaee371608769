//! Accepts connections, limits them, and shuts them down.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio_io_timeout::TimeoutStream;

use super::clients::Clients;

/// The most bytes of the head of a request: its first line and its header fields.
const HEAD_BYTES: usize = 32 << 10;

/// Pause after a failed accept, as when there are no more file handles.
const PAUSE: Duration = Duration::from_millis(200);

/// Limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct Connections {
    /// The most connections at once; more wait until one ends.
    pub max: usize,
    /// The most connections of one client; more are closed. It should be less than requests may wait, so that one client cannot
    /// take all places.
    pub per_client: usize,
    /// Time limit for the head of a request, for an idle connection, and for a client that does not read its answer.
    pub client_timeout: Duration,
    /// Time limit for open requests when the server stops.
    pub shutdown_timeout: Duration,
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            max: 512,
            per_client: 48,
            client_timeout: Duration::from_secs(15),
            shutdown_timeout: Duration::from_secs(5),
        }
    }
}

/// An extension of requests: answers without end are to end when the server stops.
#[derive(Clone, Debug)]
pub struct Stopping(watch::Receiver<()>);

impl Stopping {
    /// Completes when the server stops.
    pub async fn wait(&mut self) {
        while self.0.changed().await.is_ok() {}
    }
}

/// Serves clients until `stop` completes, then finishes open requests. Returns the number of connections that were cut off
/// because they took too long.
///
/// # Errors
/// The error of the system if it rejects the listener.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Connections,
    stop: impl Future<Output = ()>,
) -> io::Result<usize> {
    let places = Arc::new(Semaphore::new(limits.max.clamp(1, Semaphore::MAX_PERMITS)));
    let open = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    // Without copies of answers their bytes count until they are written.
    http.timer(TokioTimer::new()).header_read_timeout(limits.client_timeout).max_buf_size(HEAD_BYTES).writev(true);
    let clients = Clients::new(limits.per_client, limits.max);
    let (serving, stopping) = watch::channel(());
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
        let Ok((stream, address)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let client = clients.client(address.ip());
        let Some(of_client) = client.connect() else { continue };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.client_timeout));
        let inner = TowerToHyperService::new(router.clone());
        let stopping = Stopping(stopping.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(client.clone());
            request.extensions_mut().insert(stopping.clone());
            inner.call(request)
        });
        let connection = open.watch(http.serve_connection(TokioIo::new(Box::pin(stream)), service));
        tokio::spawn(async move {
            // Clients that disconnect or do not speak HTTP are not logged.
            let _ = connection.await;
            drop((place, of_client));
        });
    }
    drop((listener, serving));
    let left = open.count();
    let ended = tokio::time::timeout(limits.shutdown_timeout, open.shutdown()).await;
    Ok(if ended.is_ok() { 0 } else { left })
}

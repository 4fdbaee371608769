//! Accepts connections, limits them, and shuts them down.

use std::future::Future;
use std::io;
use std::num::NonZero;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio_io_timeout::TimeoutStream;

use crate::api::Problem;

use super::clients::Clients;

/// The most bytes of the head of a request: its first line and its header fields.
const HEAD_BYTES: usize = 32 << 10;

/// The path of the health check, which is answered however busy the server is.
pub const HEALTH: &str = "/health";

/// Time in which a connection beyond the limit has to send its request.
const OVERFLOW_TIME: Duration = Duration::from_secs(1);

/// The most of such connections at once; further ones are closed.
const OVERFLOW_PLACES: usize = 64;

/// Pause after a failed accept, as when there are no more file handles.
const PAUSE: Duration = Duration::from_millis(200);

/// Limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct Connections {
    /// The most connections at once. On further ones every request but the health check is refused.
    pub max: NonZero<usize>,
    /// The most connections of one client; more are closed. It should be less than the length of the queue, so that one client
    /// cannot fill it.
    pub per_client: NonZero<usize>,
    /// Time limit for the head of a request, for an idle connection, and for a client that does not read its answer.
    pub client_timeout: Duration,
    /// Time limit for open requests when the server stops.
    pub shutdown_timeout: Duration,
}

impl Connections {
    /// The default of [`max`](Self::max).
    pub const MAX: NonZero<usize> = NonZero::new(512).unwrap();

    /// The default of [`per_client`](Self::per_client).
    pub const PER_CLIENT: NonZero<usize> = NonZero::new(48).unwrap();
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            max: Self::MAX,
            per_client: Self::PER_CLIENT,
            client_timeout: Duration::from_secs(15),
            shutdown_timeout: Duration::from_secs(5),
        }
    }
}

/// An extension of requests, by which endless answers end when the server stops.
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
    let max = limits.max.get().min(Semaphore::MAX_PERMITS);
    let places = Arc::new(Semaphore::new(max));
    let overflow_places = Arc::new(Semaphore::new(OVERFLOW_PLACES));
    let open = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    // Answers are written without copies, so that their bytes count until then.
    http.timer(TokioTimer::new()).header_read_timeout(limits.client_timeout).max_buf_size(HEAD_BYTES).writev(true);
    let mut overflow_http = http.clone();
    overflow_http.keep_alive(false).header_read_timeout(limits.client_timeout.min(OVERFLOW_TIME));
    let clients = Clients::new(limits.per_client.get(), limits.max.get());
    let (serving, stopping) = watch::channel(());
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, address)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let client = clients.client(address.ip());
        let Some(of_client) = client.connect() else { continue };
        let free = places.clone().try_acquire_owned().ok();
        let overflow = free.is_none();
        let held = match free {
            Some(place) => [place, of_client],
            None => match (overflow_places.clone().try_acquire_owned(), client.connect_overflow()) {
                (Ok(place), Some(of_client)) => [place, of_client],
                _ => continue,
            },
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.client_timeout));
        let inner = TowerToHyperService::new(router.clone());
        let stopping = Stopping(stopping.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(client.clone());
            request.extensions_mut().insert(stopping.clone());
            let taken = !overflow || request.uri().path() == HEALTH;
            let answer = taken.then(|| inner.call(request));
            async move { if let Some(answer) = answer { answer.await } else { Ok(Problem::overloaded().into_response()) } }
        });
        let http = if overflow { &overflow_http } else { &http };
        let connection = open.watch(http.serve_connection(TokioIo::new(Box::pin(stream)), service));
        tokio::spawn(async move {
            // Clients that disconnect or do not speak HTTP are not logged.
            let _ = connection.await;
            drop(held);
        });
    }
    drop((listener, serving));
    let ended = tokio::time::timeout(limits.shutdown_timeout, open.shutdown()).await;
    let left = max - places.available_permits() + OVERFLOW_PLACES - overflow_places.available_permits();
    Ok(if ended.is_ok() { 0 } else { left })
}

//! Answers that come line by line, each a JSON object, while work goes on.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, header};
use axum::response::IntoResponse;
use futures_channel::mpsc::{UnboundedSender, unbounded};
use futures_channel::oneshot;
use futures_util::StreamExt;
use futures_util::future::{Either, ready, select};
use futures_util::stream::once;
use serde::Serialize;

use super::response::json_text;
use super::{Answering, Problem, Shared};

/// The most bytes of lines that wait to be sent; a single line, and the last one, may exceed it.
const WAITING_BYTES: usize = 64 << 10;

/// Sets a flag when dropped: if the client disconnects before the answer, this stops the search.
pub struct StopOnDisconnect(Arc<AtomicBool>);

impl StopOnDisconnect {
    /// For that flag.
    pub fn new(flag: &Arc<AtomicBool>) -> Self {
        Self(flag.clone())
    }
}

impl Drop for StopOnDisconnect {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A line, or a problem in its place.
type Line = Result<Bytes, Problem>;

/// Sends the lines of an answer.
#[derive(Clone)]
pub struct Lines {
    sender: UnboundedSender<Line>,
    waiting: Arc<AtomicUsize>,
    api: Shared,
}

impl Lines {
    /// Sends a line. It is dropped if the client has disconnected or is too slow: such lines only report progress.
    pub fn send(&self, line: &impl Serialize) {
        let line = json_text(line).map(line_of);
        let is_kept = line.as_ref().map_or(true, |line| self.api.host.on_line(line));
        let waiting = self.waiting.load(Ordering::Relaxed);
        if is_kept || waiting == 0 || waiting + bytes_of(&line) <= WAITING_BYTES {
            self.push(line);
        }
    }

    /// Sends the last line: a JSON object, or a problem. Lines after it are dropped.
    fn end(&self, last: Result<Vec<u8>, Problem>) {
        self.push(last.map(line_of));
        self.sender.close_channel();
    }

    fn push(&self, line: Line) {
        self.waiting.fetch_add(bytes_of(&line), Ordering::Relaxed);
        let _ = self.sender.unbounded_send(line);
    }
}

fn line_of(mut text: Vec<u8>) -> Bytes {
    text.push(b'\n');
    text.into()
}

fn bytes_of(line: &Line) -> usize {
    line.as_ref().map_or(0, Bytes::len)
}

/// Answers with the lines that `work` sends, and at last with what it finds. If the first line is a problem, the answer is that problem.
/// If the client disconnects, `stop` is set, and work that has not begun never does.
pub async fn lines(
    api: &Shared,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce(Lines) -> Answering,
) -> Result<Response<Body>, Problem> {
    let (sender, receiver) = unbounded();
    let (here, gone) = oneshot::channel::<()>();
    let kept = (StopOnDisconnect::new(stop), here);
    let waiting = Arc::<AtomicUsize>::default();
    let lines = Lines { sender, waiting: waiting.clone(), api: api.clone() };
    let found = work(lines.clone());
    api.host.spawn(Box::pin(async move {
        if let Either::Left((last, _)) = select(found, gone).await {
            lines.end(last);
        }
    }));
    let mut rest = receiver.inspect(move |line| _ = waiting.fetch_sub(bytes_of(line), Ordering::Relaxed));
    let first = match rest.next().await {
        Some(line) => line?,
        None => return Err(Problem::unexpected("an answer without lines")),
    };
    let lines = once(ready(Ok(first))).chain(rest).map(move |line| {
        // Dropped when the answer is complete, or the client has disconnected.
        let _kept = &kept;
        Ok::<_, Infallible>(line.unwrap_or_else(|problem: Problem| line_of(problem.text())))
    });
    let mut response = Body::from_stream(lines).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    Ok(response)
}

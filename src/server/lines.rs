//! Answers that come line by line, each a JSON object, while work goes on.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, Response, header};
use axum::response::IntoResponse;
use hyper::body::Frame;
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Problem;
use super::response::json_text;

/// Sends the lines of an answer.
#[derive(Clone)]
pub struct Lines(UnboundedSender<Result<Vec<u8>, Problem>>);

impl Lines {
    /// Sends a line. It is lost if the client has disconnected.
    pub fn send(&self, line: &impl Serialize) {
        let _ = self.0.send(json_text(line));
    }

    /// Sends a problem, as the last line.
    pub fn fail(&self, problem: Problem) {
        let _ = self.0.send(Err(problem));
    }
}

/// The lines that are still to be sent. Dropped when the answer is complete, or the client has disconnected, together with `kept`.
struct Stream<K> {
    first: Option<Bytes>,
    rest: UnboundedReceiver<Result<Vec<u8>, Problem>>,
    _kept: K,
}

impl<K: Unpin> HttpBody for Stream<K> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        self.rest.poll_recv(context).map(|line| line.map(|line| Ok(Frame::data(text_of(line)))))
    }
}

fn text_of(line: Result<Vec<u8>, Problem>) -> Bytes {
    let mut text = line.unwrap_or_else(|problem| problem.text());
    text.push(b'\n');
    text.into()
}

/// Answers with the lines that `work` sends. If the first is a problem, the answer is that problem. `kept` is dropped at the end of the
/// answer, which may be early.
pub async fn lines<K: Unpin + Send + 'static>(work: impl FnOnce(Lines), kept: K) -> Result<Response<Body>, Problem> {
    let (sender, mut rest) = unbounded_channel();
    work(Lines(sender));
    let first = match rest.recv().await {
        Some(line) => line?,
        None => return Err(Problem::internal("internal error of the server; see its log", "an answer without lines")),
    };
    let first = Some(text_of(Ok(first)));
    let mut response = Body::new(Stream { first, rest, _kept: kept }).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    Ok(response)
}

//! How this server answers: on threads behind queues, for clients that may be slow.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::StatusCode;

use crate::api::{Answering, BODY_BYTES, Host, Later, Problem, Work, WorkKind, too_long};
use crate::board::BoardSize;
use crate::rules::RuleSet;
use crate::table::TableError;

use super::offers::OfferCache;
use super::pool::Pool;

/// How long a client may take to send the body.
const BODY_TIME: Duration = Duration::from_secs(10);

/// The threads for work, and what can be built.
#[derive(Debug)]
pub struct ServerHost {
    /// For look-ups.
    pub probes: Arc<Pool>,
    /// For searches.
    pub searches: Arc<Pool>,
    /// What can be built.
    pub offering: Arc<OfferCache>,
}

impl Host for ServerHost {
    fn run(&self, kind: WorkKind, limit: Duration, work: Work) -> Answering {
        let pool = if kind == WorkKind::Search { &self.searches } else { &self.probes };
        let pool = pool.clone();
        Box::pin(async move { pool.run(limit, work).await })
    }

    fn spawn(&self, task: Later<()>) {
        drop(tokio::spawn(task));
    }

    fn body(&self, body: Body) -> Later<Result<Bytes, Problem>> {
        Box::pin(async move {
            match tokio::time::timeout(BODY_TIME, to_bytes(body, BODY_BYTES)).await {
                Ok(Ok(body)) => Ok(body),
                Ok(Err(error)) if is_broken(&error) => {
                    Err(Problem::malformed("the body breaks off, or its chunks are malformed; send it again"))
                }
                Ok(Err(_)) => Err(too_long()),
                Err(_) => {
                    let message =
                        format!("the body did not come within {} seconds; send it again", BODY_TIME.as_secs());
                    Err(Problem::new(StatusCode::REQUEST_TIMEOUT, message))
                }
            }
        })
    }

    fn remedy(&self, size: BoardSize, rules: RuleSet) -> Result<String, TableError> {
        Ok(format!("build {}", self.offering.get(size, rules)?.advice))
    }
}

/// Whether the bytes of a body did not arrive as they should, rather than being too many.
fn is_broken(error: &axum::Error) -> bool {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |&error| error.source()).any(<dyn Error>::is::<hyper::Error>)
}

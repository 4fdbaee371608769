//! The library in a browser: the requests of the HTTP API, answered in a worker of the page.

mod store;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use fanorona::api::{LocalApi, Settings};
use fanorona::knowledge::Trust;
use fanorona::table::{Access, Database};
use js_sys::{Function, Math, Uint8Array};
use wasm_bindgen::prelude::*;

use store::{DATABASE, Remote};

/// Bytes of decoded blocks of tables that are kept.
const CACHE_BYTES: u64 = 64 << 20;
/// Bytes of memory of a search.
const SEARCH_MEMORY: u64 = 64 << 20;
/// Time limit for an answer without a search; the files come over a network.
const TIME_LIMIT: Duration = Duration::from_secs(120);
/// Upper limit of the time that the computer thinks about a move.
const THINK: Duration = Duration::from_secs(30);

thread_local! {
    /// The answer that is being made.
    static ANSWER: RefCell<Option<Answer>> = const { RefCell::new(None) };
}

/// Where an answer goes.
struct Answer {
    status: Function,
    chunk: Function,
    /// Bytes of the body so far.
    sent: usize,
}

impl Answer {
    /// Sends a part of the body; the status goes before the first one. Errors in these functions of the page are ignored.
    fn send(&mut self, status: StatusCode, part: &[u8]) {
        if self.sent == 0 {
            let _ = self.status.call1(&JsValue::NULL, &status.as_u16().into());
        }
        let _ = self.chunk.call1(&JsValue::NULL, &Uint8Array::from(part));
        self.sent += part.len();
    }
}

/// The program, with a database.
#[wasm_bindgen]
pub struct Program(LocalApi);

#[wasm_bindgen]
impl Program {
    /// `list` has the files of the database in JSON, `[{"path": "9x5/3v4.wdl", "bytes": 12345}, …]`; `read(path, first, bytes)` returns a part of
    /// one as a `Uint8Array`, or throws an error with a sentence.
    ///
    /// # Errors
    /// What is wrong with the list.
    #[wasm_bindgen(constructor)]
    pub fn new(list: &str, read: Function) -> Result<Self, JsError> {
        // The system has no random numbers here, but the browser has.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        fastrand::seed((Math::random() * 2f64.powi(53)) as u64);
        let settings = Settings {
            database: Database { folder: DATABASE.into(), access: Access::Store(Arc::new(Remote::new(list, read)?)) },
            cache_bytes: CACHE_BYTES,
            // The author of the site has checked them, with tables that need not be part of it.
            trust: Trust::Recorded,
            time_limit: TIME_LIMIT,
            think: THINK,
            search_threads: 0,
            search_memory: SEARCH_MEMORY,
            log: |_| (),
        };
        let on_line = |line: &[u8]| {
            ANSWER.with_borrow_mut(|answer| {
                if let Some(answer) = answer {
                    answer.send(StatusCode::OK, line);
                }
            });
        };
        Ok(Self(LocalApi::new(settings, on_line)))
    }

    /// Answers a request of the HTTP API: calls `status` with the number of its status, then `chunk` with parts of its body as they come.
    ///
    /// # Errors
    /// If the request is malformed.
    pub fn answer(
        &self,
        method: &str,
        path: &str,
        body: Option<String>,
        status: Function,
        chunk: Function,
    ) -> Result<(), JsError> {
        let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
        let request = request.body(body.map_or_else(Body::empty, Body::from))?;
        ANSWER.set(Some(Answer { status, chunk, sent: 0 }));
        let answered = self.0.answer(request);
        if let Some(mut answer) = ANSWER.take() {
            // Lines were sent as soon as they were known, but the body has them too.
            let rest = answered.body.get(answer.sent..).unwrap_or_default();
            answer.send(answered.status, rest);
        }
        Ok(())
    }
}

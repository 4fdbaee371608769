//! Work that takes long: in a separate thread, with progress, and stopped by Ctrl-C.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use serde::Serialize;

use crate::arguments::to_python;

/// Time between looks whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(50);

/// What work reports to, and what stops it.
pub struct RunControl<E> {
    /// Set when the work has to end.
    pub interrupt: Arc<AtomicBool>,
    events: Sender<E>,
}

/// What unwinds work that has no other way to end.
struct Stopped;

impl<E> RunControl<E> {
    /// Reports progress.
    pub fn report(&self, event: E) {
        // Nobody reads after an interrupt.
        let _ = self.events.send(event);
    }

    /// Whether the work has to end.
    pub fn is_stopped(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Ends the work by unwinding if it has to end. Only for work that leaves nothing half done.
    pub fn unwind_if_stopped(&self) {
        if self.is_stopped() {
            resume_unwind(Box::new(Stopped));
        }
    }
}

/// Does work without the interpreter's lock. Calls `progress` with its reports; if several came since the last call, only with the
/// last. An exception, from Ctrl-C or from `progress`, stops the work and is raised when it has ended.
pub fn run<E: Serialize + Send, T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&RunControl<E>) -> T + Send,
) -> PyResult<T> {
    let progress = progress.map(|progress| progress.clone().unbind());
    py.detach(|| {
        let (events, received) = mpsc::channel();
        let interrupt = Arc::new(AtomicBool::new(false));
        let control = RunControl { interrupt: interrupt.clone(), events };
        thread::scope(|scope| {
            let worker = scope.spawn(move || work(&control));
            let mut outcome = Ok(());
            loop {
                let event = match received.recv_timeout(LOOK) {
                    Ok(event) => Some(received.try_iter().last().unwrap_or(event)),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if outcome.is_ok() {
                    outcome = Python::attach(|py| {
                        py.check_signals()?;
                        let (Some(event), Some(progress)) = (event, &progress) else { return Ok(()) };
                        progress.call1(py, (to_python(py, &event)?,)).map(drop)
                    });
                    if outcome.is_err() {
                        interrupt.store(true, Ordering::Relaxed);
                    }
                }
            }
            let result = worker.join();
            outcome?;
            result.map_err(|panic| resume_unwind(panic))
        })
    })
}

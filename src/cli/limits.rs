//! Limits that the system sets to the process, and how the program ends when it reaches one.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::thread;

use thiserror::Error;

use crate::index::OutOfMemory;

use super::interrupt::exit;
use super::output::{CliResult, Failure};

/// What the system refused, where only a panic says so.
#[derive(Debug, Error)]
enum Refused {
    #[error(transparent)]
    Memory(OutOfMemory),
    #[error("the system has no memory for reading or writing a table; raise the limit (ulimit -v)")]
    MemoryForZstd,
    #[error("cannot start threads; raise the limits (ulimit -u, -v)")]
    Threads,
}

/// Runs a command; a panic inside becomes a failure like any other.
pub fn within_limits(command: impl FnOnce() -> CliResult) -> CliResult {
    signals::end_in_order();
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        // It is reported in one line at the end; a place in the source would not help the user.
        match Refused::in_panic(info.payload()) {
            None => usual(info),
            // In a request, such a panic ends only that request. In the main thread, which starts only the server's own
            // threads, it would leave a half-made server that waits for them for ever.
            Some(refused @ Refused::Threads) => {
                note!("fanorona: {refused}");
                if thread::current().name() == Some("main") {
                    exit(1)
                }
            }
            Some(_) => {}
        }
    }));
    panic::catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|payload| Err(broken_off(payload.as_ref())))
}

fn broken_off(payload: &(dyn Any + Send)) -> Failure {
    Failure::Text(match Refused::in_panic(payload) {
        Some(refused) => refused.to_string(),
        None => "this is a bug in the program; please report it with the text above".to_owned(),
    })
}

impl Refused {
    /// `None` if something else is wrong.
    fn in_panic(payload: &dyn Any) -> Option<Self> {
        /// The panic of the zstd binding where zstd has no memory for a context.
        const NO_CONTEXT: &str = "zstd returned null pointer";
        /// The panic of the server's runtime where it cannot start one of its threads.
        const NO_THREAD: &str = "OS can't spawn worker thread";
        if let Some(&refused) = payload.downcast_ref::<OutOfMemory>() {
            return Some(Self::Memory(refused));
        }
        let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref().map(String::as_str))?;
        if text.contains(NO_CONTEXT) {
            Some(Self::MemoryForZstd)
        } else {
            text.contains(NO_THREAD).then_some(Self::Threads)
        }
    }
}

#[cfg(unix)]
mod signals {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGABRT, SIGXFSZ};
    use signal_hook::flag;

    /// Ends the process with status 1, like any failure, when a failed small allocation aborts it. And turns a file that
    /// grows too large (`ulimit -f`) into a write error instead of a signal.
    pub fn end_in_order() {
        // If this fails, only the exit status differs.
        let _ = flag::register_conditional_shutdown(SIGABRT, 1, Arc::new(AtomicBool::new(true)));
        let _ = flag::register(SIGXFSZ, Arc::default());
    }
}

#[cfg(not(unix))]
mod signals {
    pub fn end_in_order() {}
}

/// Bytes of address space that the process may still take; `None` if there is no limit.
#[cfg(unix)]
pub fn address_space_left() -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    Some(limit.saturating_sub(address_space_taken().unwrap_or(0)))
}

#[cfg(unix)]
fn address_space_taken() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}

/// Bytes of address space that the process may still take; `None` if there is no limit.
#[cfg(not(unix))]
pub fn address_space_left() -> Option<u64> {
    None
}

//! Limits that the system sets to the process, and how the program ends when it reaches one.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::thread;

use crate::index::OutOfMemory;

use super::interrupt::exit;
use super::output::{CliResult, Failure};

/// The panic of the zstd binding where zstd has no memory for a context, and what to say.
const NO_CONTEXT: (&str, &str) = (
    "zstd returned null pointer",
    "the system has no memory for reading or writing a table; raise the limit (ulimit -v)",
);

/// The panic of the server's runtime where it cannot start one of its threads, and what to say.
const NO_THREAD: (&str, &str) =
    ("OS can't spawn worker thread", "cannot start threads; raise the limits (ulimit -u, -v)");

/// Runs a command; a panic inside becomes a failure like any other.
pub fn within_limits(command: impl FnOnce() -> CliResult) -> CliResult {
    signals::end_in_order();
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        // It is reported in one line at the end; a place in the source would not help the user.
        match refused_by_system(info.payload()) {
            None => usual(info),
            // Such a panic ends a request only, or, in the main thread, where nothing but the server's own threads are started,
            // leaves a server half made, which would wait for them for ever.
            Some(message) if message == NO_THREAD.1 => {
                note!("fanorona: {message}");
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
    Failure::Text(
        refused_by_system(payload)
            .unwrap_or_else(|| "this is a bug in the program; please report it with the text above".to_owned()),
    )
}

/// The message where the system refused memory or a thread; `None` if something else is wrong.
fn refused_by_system(payload: &dyn Any) -> Option<String> {
    if let Some(refused) = payload.downcast_ref::<OutOfMemory>() {
        return Some(refused.to_string());
    }
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref().map(String::as_str));
    let (_, message) =
        [NO_CONTEXT, NO_THREAD].into_iter().find(|(panic, _)| text.is_some_and(|text| text.contains(panic)))?;
    Some(message.to_owned())
}

#[cfg(unix)]
mod signals {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGABRT, SIGXFSZ};
    use signal_hook::flag;

    /// Ends the process with status 1, as after any failure, where a small allocation fails, which aborts. And turns a file
    /// that grows too large (`ulimit -f`) into a write error instead of a signal.
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
    use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};

    let (limit, _) = getrlimit(Resource::RLIMIT_AS).ok()?;
    (limit != RLIM_INFINITY).then(|| limit.saturating_sub(address_space_taken().unwrap_or(0)))
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

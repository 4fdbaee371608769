//! Ctrl-C and similar signals: the program ends within two seconds, with status 130.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use crate::files::remove_unfinished;

use super::output::{CliResult, Failure};

/// The exit status after an interrupt.
pub const STATUS: i32 = 130;

/// How the program ends.
static EXIT: OnceLock<fn(i32) -> !> = OnceLock::new();

/// Sets the function that ends the program.
pub fn exit_by(exit: fn(i32) -> !) {
    EXIT.get_or_init(|| exit);
}

/// Ends the program with a status.
pub fn exit(status: i32) -> ! {
    match EXIT.get() {
        Some(exit) => exit(status),
        None => unreachable!("the program begins with `exit_by`"),
    }
}

/// How long a search may take to save its state before the program ends without it. Ending a process with much memory
/// takes time too; both together take two seconds.
const PATIENCE: Duration = Duration::from_millis(1600);

/// How long the last message may take: its reader may have stopped reading.
const LAST_MESSAGE: Duration = Duration::from_millis(200);

/// From now on an interrupt ends the program at once, with that message if there is one; unfinished files are removed.
pub fn ends_program(message: &'static str) -> CliResult {
    on_interrupt(move || leave(message.to_owned()))
}

/// Calls `action` at each signal that asks the program to end. One that was ignored when the program began stays ignored, as
/// `nohup` expects.
pub fn on_interrupt(action: impl FnMut() + Send + 'static) -> CliResult {
    watch(action).map_err(|error| {
        Failure::Text(format!(
            "cannot handle Ctrl-C: {error}; the system may lack threads, memory or file handles (ulimit -n, -u, -v)"
        ))
    })
}

#[cfg(unix)]
fn watch(mut action: impl FnMut() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let ignored = ignored();
    let asking = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = signal_hook::iterator::Signals::new(asking)?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || signals.forever().for_each(|_| action()))?;
    Ok(())
}

#[cfg(not(unix))]
fn watch(action: impl FnMut() + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(action)
}

/// The signals that this process ignores, a bit for each from signal 1 on; none if the system does not say.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Ends the program after an interrupt, with that message if there is one.
pub fn leave(message: String) -> ! {
    remove_unfinished();
    if message.is_empty() {
        exit(STATUS)
    }
    let (printed, is_printed) = mpsc::channel();
    let print = move || {
        let mut err = io::stderr().lock();
        let _ = writeln!(err, "\nfanorona: {message}");
        // Nothing waits any more if it took too long.
        let _ = printed.send(());
        // It stays the last message: with the lock held, no other thread prints that a slice is complete.
        loop {
            thread::park();
        }
    };
    // Without a thread for it there is no message, but still an end.
    if thread::Builder::new().spawn(print).is_ok() {
        let _ = is_printed.recv_timeout(LAST_MESSAGE);
    }
    exit(STATUS)
}

/// An interrupt of a command that searches: between complete tables nothing is lost by leaving; a search saves its state
/// first, as far as there is time.
#[derive(Clone)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    /// Where the running search keeps its state.
    searching: Arc<Mutex<Option<PathBuf>>>,
}

impl Interrupt {
    /// Handles interrupts from now on.
    pub fn new() -> CliResult<Self> {
        let interrupt = Self { asked: Arc::default(), searching: Arc::default() };
        let shared = interrupt.clone();
        on_interrupt(move || {
            let state = shared.searching.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let Some(state) = state else {
                leave(
                    "interrupted; the same command continues, with the tables and certificates that are finished"
                        .to_owned(),
                );
            };
            // The program ends when the search has saved its state. This is for the case that it takes too long, or is not waited for.
            let searching = shared.searching.clone();
            let late = move |patience| {
                thread::sleep(patience);
                let is_saved = searching.lock().unwrap_or_else(PoisonError::into_inner).is_none();
                let before = if is_saved { "" } else { " before the search could save its state" };
                leave(format!("interrupted{before}; {}", how_to_continue(&state)));
            };
            if shared.asked.swap(true, Ordering::SeqCst) {
                late(Duration::ZERO);
            } else if thread::Builder::new().spawn(move || late(PATIENCE)).is_err() {
                leave("interrupted".to_owned());
            }
        })?;
        Ok(interrupt)
    }

    /// A search runs from now on and keeps its state there; with `None` none runs any more.
    pub fn searching(&self, state: Option<&Path>) {
        *self.searching.lock().unwrap_or_else(PoisonError::into_inner) = state.map(Path::to_owned);
    }

    /// Set with the first interrupt of a search.
    pub fn asked(&self) -> Arc<AtomicBool> {
        self.asked.clone()
    }
}

/// How the same command will continue, by the state that is there.
pub fn how_to_continue(state: &Path) -> String {
    match state.metadata().and_then(|found| found.modified()) {
        Ok(saved) => {
            // By a clock that was set back it is saved in the future.
            let age = saved.elapsed().unwrap_or_default();
            let age = humantime::format_duration(Duration::from_secs(age.as_secs()));
            format!("the same command continues from {}, saved {age} ago", state.display())
        }
        Err(_) => "the same command starts the search again".to_owned(),
    }
}

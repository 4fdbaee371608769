//! Ctrl-C, and the other ways to ask a program to end: it leaves within two seconds, with status 130.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use crate::files::remove_unfinished;

use super::output::{CliResult, Failure};

/// The exit status after an interrupt.
pub const INTERRUPTED: i32 = 130;

/// How long a search may take to save its state before the program leaves without; with what it takes to end a process
/// with much memory that makes two seconds.
const PATIENCE: Duration = Duration::from_millis(1600);

/// How long a last word may take: whoever should read standard error may have stopped reading.
const LAST_WORD: Duration = Duration::from_millis(200);

/// From now on an interrupt ends the program at once, with that word if there is one; what is half written goes.
pub fn ends_program(word: &'static str) -> CliResult {
    heard(move || leave(word.to_owned()))
}

/// Has that done at an interrupt.
pub fn heard(action: impl FnMut() + Send + 'static) -> CliResult {
    ctrlc::set_handler(action).map_err(|error| {
        Failure::Text(format!(
            "cannot listen for Ctrl-C: {error}; the system may lack threads, memory or file handles (ulimit -u, -v, -n)"
        ))
    })
}

/// Ends the program after an interrupt, with that word if there is one.
pub fn leave(word: String) -> ! {
    remove_unfinished();
    if word.is_empty() {
        exit(INTERRUPTED)
    }
    let (said, hears) = mpsc::channel();
    let say = move || {
        let mut err = io::stderr().lock();
        let _ = writeln!(err, "\nfanorona: {word}");
        // Nobody waits any more if it took too long.
        let _ = said.send(());
        // It stays the last word: with the lock held, no other thread says that a slice is complete.
        loop {
            thread::park();
        }
    };
    // Without a thread for it there is no word, but still an end.
    if thread::Builder::new().spawn(say).is_ok() {
        let _ = hears.recv_timeout(LAST_WORD);
    }
    exit(INTERRUPTED)
}

/// An interrupt of a command that searches: between complete tables nothing is lost by leaving; a search saves its state
/// first, as far as there is time.
#[derive(Clone)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    /// Where the search that is going on keeps its state.
    searching: Arc<Mutex<Option<PathBuf>>>,
}

impl Interrupt {
    /// Takes hold of the signal.
    pub fn new() -> CliResult<Self> {
        let interrupt = Self { asked: Arc::default(), searching: Arc::default() };
        let shared = interrupt.clone();
        heard(move || {
            let state = shared.searching.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let Some(state) = state.filter(|_| !shared.asked.swap(true, Ordering::SeqCst)) else {
                leave("interrupted; the same command goes on from where it was".to_owned());
            };
            // The search ends the program when it has saved its state. This is for the case that it does not come to that.
            let late = move || {
                thread::sleep(PATIENCE);
                leave(format!("interrupted before the search could save its state; {}", goes_on(&state)));
            };
            if thread::Builder::new().spawn(late).is_err() {
                leave("interrupted".to_owned());
            }
        })?;
        Ok(interrupt)
    }

    /// A search is going on from now on, and keeps its state there; or none any more.
    pub fn searching(&self, state: Option<&Path>) {
        *self.searching.lock().unwrap_or_else(PoisonError::into_inner) = state.map(Path::to_owned);
    }

    /// Whether there was one.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Set with the first interrupt of a search.
    pub fn asked(&self) -> Arc<AtomicBool> {
        self.asked.clone()
    }
}

/// What the same command will do, by the state that is there.
pub fn goes_on(state: &Path) -> String {
    let saved = state.metadata().and_then(|found| found.modified()).ok().and_then(|time| time.elapsed().ok());
    match saved {
        Some(age) => {
            let age = humantime::format_duration(Duration::from_secs(age.as_secs()));
            format!("the same command goes on from {}, saved {age} ago", state.display())
        }
        None => "the same command starts the search anew".to_owned(),
    }
}

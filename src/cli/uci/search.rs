//! Searches of the text protocol: each in its own thread, so that it can be stopped.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::board::BoardSize;
use crate::game::Game;
use crate::game::engine::{Engine, EngineError, Reply, SearchInfo, SearchLimits};
use crate::knowledge::Knowledge;

use super::super::knowledge_cache::KnowledgeCache;
use super::super::output::CliResult;
use super::go::GoLimits;
use super::options::Settings;
use super::wording::{best_text, info_text, none_text, print_line, reply_text};

/// How far a search is.
#[derive(Clone, Copy, Default)]
struct Phase {
    /// Its best move is not printed yet, even if the search is over: it is infinite, or runs on the time of the other side.
    held: bool,
    /// Its best move is printed.
    done: bool,
}

/// What a search shares with the commands that end it.
#[derive(Default)]
struct Control {
    stop: AtomicBool,
    phase: Mutex<Phase>,
    changed: Condvar,
}

impl Control {
    fn change(&self, change: impl FnOnce(&mut Phase)) {
        change(&mut self.phase());
        self.changed.notify_all();
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running search.
pub struct SearchHandle {
    control: Arc<Control>,
    thread: JoinHandle<()>,
    /// The time that it may take after `ponderhit`.
    time: Option<Duration>,
}

impl SearchHandle {
    /// Stops it; it still prints its best move.
    pub fn stop(self) {
        self.control.stop.store(true, Ordering::Relaxed);
        self.control.change(|phase| phase.held = false);
        // A panic of the thread has been printed already.
        let _ = self.thread.join();
    }

    /// Whether it is still running.
    pub fn is_running(&self) -> bool {
        !self.thread.is_finished()
    }

    /// The other side has made the expected move: from now on the search takes own time.
    pub fn ponder_hit(&mut self) -> io::Result<()> {
        self.control.change(|phase| phase.held = false);
        let Some(time) = self.time.take() else { return Ok(()) };
        let control = self.control.clone();
        let ends = move || {
            let running = |phase: &mut Phase| !phase.done;
            drop(control.changed.wait_timeout_while(control.phase(), time, running));
            control.stop.store(true, Ordering::Relaxed);
        };
        Builder::new().name("clock".to_owned()).spawn(ends).map(drop)
    }

    /// Waits for its end; one without a limit is stopped.
    pub fn wait(self) {
        if self.control.phase().held {
            self.stop();
        } else {
            let _ = self.thread.join();
        }
    }
}

/// The engine and what it knows, kept from search to search.
#[derive(Default)]
pub struct Searcher {
    engine: Option<(usize, Arc<Mutex<Engine>>)>,
    knowledge: KnowledgeCache,
}

impl Searcher {
    /// Clears the transposition table.
    pub fn forget(&mut self) {
        self.engine = None;
    }

    /// The tables and certificates for a board; `None` if it is too large.
    pub fn knowledge(&mut self, settings: &Settings, size: BoardSize) -> CliResult<Option<Arc<Knowledge>>> {
        self.knowledge.get(&settings.database, size, settings.rules.table_rules())
    }

    /// Starts a search.
    pub fn start(
        &mut self,
        game: Game,
        knowledge: Option<Arc<Knowledge>>,
        settings: &Settings,
        limits: GoLimits,
    ) -> CliResult<SearchHandle> {
        let engine = match self.engine.take_if(|(hash, _)| *hash == settings.hash) {
            Some((_, engine)) => engine,
            None => Arc::new(Mutex::new(Engine::with_bytes(settings.hash << 20).unwrap_or_else(|refused| {
                print_line(&format!("info string error: {refused}; the search goes on with a table of the usual size"));
                Engine::default()
            }))),
        };
        self.engine = Some((settings.hash, engine.clone()));
        let control = Arc::new(Control::default());
        control.change(|phase| phase.held = limits.infinite || limits.ponder);
        let time = limits.time(game.to_move(), settings.overhead);
        let (shared, settings) = (control.clone(), settings.clone());
        let work = move || {
            // After a panic of an earlier search the transposition table is still valid, as its entries are only hints.
            let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
            let limits = SearchLimits {
                time: time.filter(|_| !limits.ponder),
                depth: limits.depth,
                nodes: limits.nodes,
                among: &limits.moves,
                threads: settings.threads,
                lines: settings.lines,
                ..SearchLimits::new(settings.level, settings.seed.into(), &shared.stop)
            };
            let text = search(&mut engine, &game, knowledge.as_deref(), &limits);
            drop(shared.changed.wait_while(shared.phase(), |phase| phase.held));
            print_line(&text);
            shared.change(|phase| phase.done = true);
        };
        let thread = Builder::new().name("search".to_owned()).spawn(work)?;
        Ok(SearchHandle { control, thread, time })
    }
}

/// Searches, prints its lines, and returns the text with the best move. If a table cannot be read, it searches without tables.
fn search(engine: &mut Engine, game: &Game, knowledge: Option<&Knowledge>, limits: &SearchLimits<'_>) -> String {
    let mut best = None;
    let mut show = |info: &SearchInfo| {
        print_line(&info_text(info));
        if info.rank == 1 {
            best = Some(info.clone());
        }
    };
    let mut reply = engine.reply(game, knowledge, limits, &mut show);
    if let Err(error @ EngineError::Table(_)) = &reply {
        print_line(&format!("info string error: {error}; the search goes on without tables"));
        reply = engine.reply(game, None, limits, &mut show);
    }
    let reply: Reply = match reply {
        Ok(reply) => reply,
        Err(error) => return none_text(&error),
    };
    if best.is_none() {
        print_line(&reply_text(&reply));
    }
    best_text(&reply, best.as_ref())
}
